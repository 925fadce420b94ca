/* SPDX-License-Identifier: MIT */
/* What cuGetExportTable leaves to say when the process exits. */
#ifndef CUP_API_EXPORT_TABLE_H
#define CUP_API_EXPORT_TABLE_H

/* Explains in the log why NVIDIA's runtime library did nothing in this process, if that is so. */
void cup_api_export_table_report(void);

#endif
