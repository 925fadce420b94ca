/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=memory in kernels: accesses to global memory that leave an allocation, or that
 * fault. bounds.h has shared and local memory. */
#ifndef CUP_CHECK_KERNEL_MEMORY_H
#define CUP_CHECK_KERNEL_MEMORY_H

#include "check/kernel/dispatch.h"
#include "os/guard.h"

#include <stdbool.h>

/* The functions of the check (check/kernel/dispatch.c). */
void cup_kcheck_memory_bind(struct cup_abi_block *block);
void cup_kcheck_memory_access(const struct cup_kcheck_access *access);

/* Reports a fault of a kernel; `where` names the kernel, the block and the thread. */
void cup_kcheck_memory_fault(const struct cup_grid *grid, const struct cup_abi_block *block,
                             const char *where, const struct cup_guard_fault *fault);

#endif
