/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=memory in kernels: accesses outside of shared and local variables. */
#ifndef CUP_CHECK_KERNEL_BOUNDS_H
#define CUP_CHECK_KERNEL_BOUNDS_H

#include <stdint.h>

struct cup_abi_block;
struct cup_abi_bounds;

/* The service check_bounds. */
void cup_kcheck_on_bounds(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                          const uint64_t *addresses, const struct cup_abi_bounds *bounds);

#endif
