/* SPDX-License-Identifier: MIT */
/* Copies of boxes between tensors in global memory and shared memory: cp.async.bulk.tensor and
 * cp.reduce.async.bulk.tensor. */
#ifndef CUP_EXEC_SERVICES_TENSOR_COPY_H
#define CUP_EXEC_SERVICES_TENSOR_COPY_H

#include <stdint.h>

struct cup_abi_block;
struct cup_abi_warp_call;

/* Executes CUP_ABI_WARP_TENSOR_LOAD and CUP_ABI_WARP_TENSOR_STORE. */
void cup_tma_execute(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                     const struct cup_abi_warp_call *call, const uint64_t *words);

#endif
