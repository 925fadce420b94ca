/* SPDX-License-Identifier: MIT */
/* Divergent calls: calls on separate stacks, made by lanes of a warp that may have to wait inside
 * the call. The caller continues with the other lanes, and with lanes that have returned, and
 * resumes the call when none of them can run. Divergent calls nest; a warp runs one stack at a
 * time.
 *
 * Lanes that wait for other lanes of their warp (shfl.sync and similar) are recorded in a table of
 * the warp, so they find each other whatever instruction and divergent call they come from. */
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

/* Returns the stack that a warp runs on. */
struct cup_fiber *cup_divergent_call_fiber(struct cup_resident *resident, uint32_t warp);
/* Reset makes all divergent calls of a resident reusable; free unmaps their stacks. */
void cup_divergent_calls_reset(struct cup_resident *resident);
void cup_divergent_calls_free(struct cup_resident *resident);
/* True if the address is on any stack of the block. */
bool cup_divergent_call_is_stack(const struct cup_resident *resident, uint64_t address);
/* True if the address is in the guard page of a divergent call's stack. */
bool cup_divergent_call_is_stack_end(const struct cup_resident *resident, uint64_t address);

void cup_sync_begin(struct cup_abi_block *block, uint32_t warp, uint32_t operation, uint32_t mask,
                    struct cup_abi_sync_call *call);
uint32_t cup_sync_done(struct cup_abi_block *block, uint32_t warp, uint32_t parked, uint32_t live,
                       struct cup_abi_sync_call *call);
/* If nothing else can run: releases lanes without the members they wait for. Returns false if none
 * waits. */
bool cup_sync_force(struct cup_abi_block *block, uint32_t warp);
/* Returns the lanes of a warp that wait for other lanes. */
uint32_t cup_sync_waiting(const struct cup_abi_block *block, uint32_t warp);
void cup_sync_reset(struct cup_abi_block *block);
void cup_sync_free(struct cup_abi_block *block);

#endif
