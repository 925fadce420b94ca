/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=memory in kernels: accesses to global memory that leave an allocation, or that
 * fault. check_bounds.h has shared and local memory. */
#ifndef CUP_EXEC_CHECK_MEMORY_H
#define CUP_EXEC_CHECK_MEMORY_H

#include "exec/check.h"
#include "os/guard.h"

#include <stdbool.h>

/* The functions of the check (exec/check.c). */
void cup_kcheck_memory_bind(struct cup_abi_block *block);
void cup_kcheck_memory_access(const struct cup_kcheck_access *access);

/* Reports a fault with the thread and the line of the access that caused it, unless the access was
 * reported before it was made. Returns false if the access is not known. */
bool cup_kcheck_memory_fault(const struct cup_abi_block *block,
                             const struct cup_guard_fault *fault);

#endif
