/* SPDX-License-Identifier: MIT */
/* The exit report of cuGetExportTable. */
#ifndef CUP_API_EXPORT_TABLE_H
#define CUP_API_EXPORT_TABLE_H

/* Logs why NVIDIA's runtime library did nothing in this process, if that happened. */
void cup_api_export_table_report(void);

#endif
