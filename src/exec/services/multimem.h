/* SPDX-License-Identifier: MIT */
/* multimem: accesses at multicast addresses, which reach the memory that every device has bound. */
#ifndef CUP_EXEC_SERVICES_MULTIMEM_H
#define CUP_EXEC_SERVICES_MULTIMEM_H

#include "abi/launch.h"
#include "abi/warp.h"

/* CUP_ABI_WARP_MULTIMEM. */
void cup_multimem_execute(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                          const struct cup_abi_warp_call *call, uint64_t *words);

/* CUP_ABI_WARP_MULTIMEM_COPY. */
void cup_multimem_copy(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                       const struct cup_abi_warp_call *call, const uint64_t *words);

#endif
