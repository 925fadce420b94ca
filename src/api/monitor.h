/* SPDX-License-Identifier: MIT */
/* The private table for libnvidia-ml.so.1 (device/monitor.h). */
#ifndef CUP_API_MONITOR_H
#define CUP_API_MONITOR_H

#include <cuda.h>

/* Returns NULL if this is not the name of the table. */
const void *cup_api_monitor_table(const CUuuid *id);

/* Hold off cuInit() in other threads, and fork(); init.c has them. */
void cup_api_init_lock(void);
void cup_api_init_unlock(void);

#endif
