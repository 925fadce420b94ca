/* SPDX-License-Identifier: MIT */
/* How much of the machine this process may use, and its NUMA nodes. */
#ifndef CUP_OS_SYSTEM_H
#define CUP_OS_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

/* The physical memory, or what the process's control group leaves of it. */
uint64_t cup_system_memory_bytes(void);

/* The processors the calling thread may run on; at least 1. */
unsigned cup_system_cpu_count(void);

/* Is there such a NUMA node? A machine without any has node 0. And the one the calling thread runs
 * on. */
bool cup_system_has_node(int node);
int cup_system_node(void);

#endif
