/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=memory in kernels: accesses to global memory that leave an allocation, or that
 * fault; and accesses outside of shared and local variables (bounds.c). */
#ifndef CUP_CHECK_KERNEL_MEMORY_H
#define CUP_CHECK_KERNEL_MEMORY_H

#include "check/kernel/dispatch.h"
#include "os/guard.h"

#include <stdbool.h>
#include <stdint.h>

struct cup_abi_bounds;
struct cup_abi_block;

/* The functions of the check (check/kernel/dispatch.c). */
void cup_kcheck_memory_bind(struct cup_abi_block *block);
void cup_kcheck_memory_access(const struct cup_kcheck_access *access);

/* Reports a fault of a kernel; `where` names the kernel, the block and the thread. */
void cup_kcheck_memory_fault(const struct cup_grid *grid, const struct cup_abi_block *block,
                             const char *where, const struct cup_guard_fault *fault);

/* The service check_bounds; in bounds.c. */
void cup_kcheck_on_bounds(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                          const uint64_t *addresses, const struct cup_abi_bounds *bounds);

#endif
