/* SPDX-License-Identifier: MIT */
/* Reductions of arrays in memory, for asynchronous copies. */
#ifndef CUP_EXEC_SERVICES_REDUCE_H
#define CUP_EXEC_SERVICES_REDUCE_H

#include <stddef.h>
#include <stdint.h>

/* Combines each element at `to` with that at `from`, atomically. type: enum ptx_type; reduction:
 * enum cup_abi_reduction. Unlike atom.add.f32 on global memory, sums keep subnormal numbers, as on
 * the device. */
void cup_reduce(void *to, const void *from, size_t bytes, uint8_t type, uint8_t reduction);

/* Adds up the halves of several arrays as .f32, rounds the sums once, and stores them. */
void cup_reduce_wide(void *to, const void *const *from, unsigned arrays, size_t bytes,
                     uint8_t type);

#endif
