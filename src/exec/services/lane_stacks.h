/* SPDX-License-Identifier: MIT */
/* alloca, stacksave and stackrestore: each lane of a block has a stack of its own for them, made
 * when the block first needs one. */
#ifndef CUP_EXEC_SERVICES_LANE_STACKS_H
#define CUP_EXEC_SERVICES_LANE_STACKS_H

#include "abi/launch.h"
#include "abi/warp.h"

#include <stdbool.h>
#include <stdint.h>

/* Executes one of the three for the lanes of a mask. */
void cup_lanestack_execute(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                           const struct cup_abi_warp_call *call, uint64_t *words);
/* True if the address is on the stack of a lane. */
bool cup_lanestack_has(const struct cup_abi_block *block, uint64_t address);
void cup_lanestack_free(struct cup_abi_block *block);

#endif
