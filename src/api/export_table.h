/* SPDX-License-Identifier: MIT */
/* The exit report of cuGetExportTable. */
#ifndef CUP_API_EXPORT_TABLE_H
#define CUP_API_EXPORT_TABLE_H

/* Called when a table was asked for that cupipe does not have. */
void cup_api_export_table_refused(void);

/* Logs why NVIDIA's runtime library did nothing in this process, if that happened. */
void cup_api_export_table_report(void);

#endif
