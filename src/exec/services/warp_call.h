/* SPDX-License-Identifier: MIT */
/* Instructions that a warp executes collectively, and rare instructions that are not worth
 * compiling. See struct cup_abi_warp_call in abi/warp.h. */
#ifndef CUP_EXEC_SERVICES_WARP_CALL_H
#define CUP_EXEC_SERVICES_WARP_CALL_H

#include "abi/launch.h"
#include "abi/warp.h"

#include <stdbool.h>
#include <stdint.h>

/* The service `warp_call`. */
void cup_warp_execute(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                      const struct cup_abi_warp_call *call, uint64_t *words);

/* Whether an address is in a space, as isspacep says. cluster: .shared::cluster, the memory of any
 * block of the cluster. */
bool cup_warp_is_in_space(struct cup_abi_block *block, uint64_t address, uint8_t space,
                          bool cluster);

#endif
