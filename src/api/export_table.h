/* SPDX-License-Identifier: MIT */
/* The private tables that cuGetExportTable returns, and its exit report. */
#ifndef CUP_API_EXPORT_TABLE_H
#define CUP_API_EXPORT_TABLE_H

#include <cuda.h>

struct cup_api_private_table {
    CUuuid id;
    const void *table;
};

extern const struct cup_api_private_table
    cup_api_monitor_table,   /* monitor.c: for libnvidia-ml.so.1 (device/monitor.h) */
    cup_api_host_work_table; /* host_work.c: for programs (cupipe.h) */

/* Called when a table was asked for that cupipe does not have. */
void cup_api_export_table_refused(void);

/* Logs why NVIDIA's runtime library did nothing in this process, if that happened. */
void cup_api_export_table_report(void);

#endif
