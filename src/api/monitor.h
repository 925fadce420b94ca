/* SPDX-License-Identifier: MIT */
/* What the private table for libnvidia-ml.so.1 (device/monitor.h) needs of cuInit(). */
#ifndef CUP_API_MONITOR_H
#define CUP_API_MONITOR_H

/* Hold off cuInit() in other threads, and fork(); init.c has them. */
void cup_api_init_lock(void);
void cup_api_init_unlock(void);

#endif
