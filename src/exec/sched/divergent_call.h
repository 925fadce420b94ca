/* SPDX-License-Identifier: MIT */
/* Divergent calls: calls on separate stacks, made by lanes of a warp that may have to wait inside
 * the call. The caller continues with the other lanes, and with lanes that have returned, and
 * resumes the call when none of them can run. Divergent calls nest; a warp runs one stack at a
 * time.
 */
#ifndef CUP_EXEC_SCHED_DIVERGENT_CALL_H
#define CUP_EXEC_SCHED_DIVERGENT_CALL_H

#include "abi/launch.h"
#include "abi/sync.h"
#include "exec/sched/fiber.h"

#include <stdbool.h>

struct cup_resident;
struct cup_divergent_call;

/* The divergent calls of a warp of a resident block. */
struct cup_warp_divergent_calls {
    struct cup_divergent_call *current; /* NULL: the warp's own stack */
    bool active; /* of the warp's own stack, as in struct cup_divergent_call */
};

/* The divergent call services of abi/services.h. */
uint64_t cup_divergent_call_start(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                                  uint32_t (*run)(const uint64_t *closure), const uint64_t *closure,
                                  uint32_t words, uint64_t *handles);
uint64_t cup_divergent_call_resume(struct cup_abi_block *block, uint32_t warp, uint32_t parked,
                                   const uint64_t *handles);
void cup_divergent_call_park(struct cup_abi_block *block, uint32_t warp, uint32_t spinning,
                             uint32_t returned);
void cup_divergent_call_yield(struct cup_abi_block *block, uint32_t warp);

/* Makes all divergent calls of a resident reusable. */
void cup_divergent_calls_reset(struct cup_resident *resident);

#endif
