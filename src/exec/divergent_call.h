/* SPDX-License-Identifier: MIT */
/* Lanes of a warp that are apart. A divergent_call is a call on a stack of its own, made by lanes
 * that may have to wait in it: the caller goes on with lanes that are elsewhere, or have returned,
 * and comes back to it when none of them can go on. Strands call divergent_calls; a warp runs one
 * of them at a time.
 *
 * Lanes that wait for others of their warp (shfl.sync and its kind) stand in a table of the warp,
 * so that they find each other whatever instruction and whatever divergent_call they came from. */
#ifndef CUP_EXEC_DIVERGENT_CALL_H
#define CUP_EXEC_DIVERGENT_CALL_H

#include "abi/kernel.h"
#include "exec/fiber.h"

struct cup_resident;
struct cup_divergent_call;

/* What a warp of a resident block has beside its own stack. */
struct cup_warp_divergent_calls {
    struct cup_divergent_call *current; /* NULL: the warp's own stack */
    bool active; /* of the warp's own stack: as in struct cup_divergent_call */
};

/* The services of kernel.h. */
uint64_t cup_divergent_call_start(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                                  uint32_t (*run)(const uint64_t *closure), const uint64_t *closure,
                                  uint32_t words, uint64_t *handles);
uint64_t cup_divergent_call_resume(struct cup_abi_block *block, uint32_t warp, uint32_t parked,
                                   const uint64_t *handles);
void cup_divergent_call_park(struct cup_abi_block *block, uint32_t warp, uint32_t spinning,
                             uint32_t returned);
void cup_divergent_call_yield(struct cup_abi_block *block, uint32_t warp);

/* The stack a warp is on. */
struct cup_fiber *cup_divergent_call_fiber(struct cup_resident *resident, uint32_t warp);
/* A resident's divergent_calls: all of them are free again, or gone for good. */
void cup_divergent_calls_reset(struct cup_resident *resident);
void cup_divergent_calls_free(struct cup_resident *resident);
/* Is the address on a stack of the block's lanes? */
bool cup_divergent_call_is_stack(const struct cup_resident *resident, uint64_t address);
/* Is the address in the guard below a divergent_call's stack? */
bool cup_divergent_call_is_stack_end(const struct cup_resident *resident, uint64_t address);

void cup_sync_begin(struct cup_abi_block *block, uint32_t warp, uint32_t operation, uint32_t mask,
                    struct cup_abi_sync_call *call);
uint32_t cup_sync_done(struct cup_abi_block *block, uint32_t warp, uint32_t parked, uint32_t live,
                       struct cup_abi_sync_call *call);
/* Lets lanes go on without the members they wait for, as nothing else can go on; false: none waits.
 */
bool cup_sync_force(struct cup_abi_block *block, uint32_t warp);
/* The lanes of a warp that wait for others. */
uint32_t cup_sync_waiting(const struct cup_abi_block *block, uint32_t warp);
void cup_sync_reset(struct cup_abi_block *block);
void cup_sync_free(struct cup_abi_block *block);

#endif
