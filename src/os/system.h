/* SPDX-License-Identifier: MIT */
/* The resources that this process may use, NUMA nodes, and names of its files. */
#ifndef CUP_OS_SYSTEM_H
#define CUP_OS_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The physical memory, or the limit of the process's control group. */
uint64_t cup_system_memory_bytes(void);

/* The number of CPUs that the calling thread may run on; at least 1. */
unsigned cup_system_cpu_count(void);

/* True if the NUMA node exists; a machine without NUMA has node 0. */
bool cup_system_has_node(int node);

/* Replaces every %p in the path with the process id. Returns false if the result is empty or too
 * long. */
bool cup_system_expand_path(const char *pattern, char *path, size_t size);

#endif
