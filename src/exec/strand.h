/* SPDX-License-Identifier: MIT */
/* Lanes of a warp that are apart. A strand is a call on a stack of its own, made by lanes that may
 * have to wait in it: the caller goes on with lanes that are elsewhere, or have returned, and comes
 * back to it when none of them can go on. Strands call strands; a warp runs one of them at a time.
 *
 * Lanes that wait for others of their warp (shfl.sync and its kind) stand in a table of the warp,
 * so that they find each other whatever instruction and whatever strand they came from. */
#ifndef CUP_EXEC_STRAND_H
#define CUP_EXEC_STRAND_H

#include "exec/abi.h"
#include "exec/fiber.h"

struct cup_resident;
struct cup_strand;

/* What a warp of a resident block has beside its own stack. */
struct cup_warp_strands {
    struct cup_strand *current; /* NULL: the warp's own stack */
    bool active;                /* of the warp's own stack: as in struct cup_strand */
};

/* The services of abi.h. */
uint64_t cup_strand_start(struct cup_block *block, uint32_t warp, uint32_t mask,
                          uint32_t (*run)(const uint64_t *closure), const uint64_t *closure,
                          uint32_t words, uint64_t *handles);
uint64_t cup_strand_resume(struct cup_block *block, uint32_t warp, uint32_t parked,
                           const uint64_t *handles);
void cup_strand_park(struct cup_block *block, uint32_t warp, uint32_t spinning, uint32_t returned);
void cup_strand_yield(struct cup_block *block, uint32_t warp);

/* The stack a warp is on. */
struct cup_fiber *cup_strand_fiber(struct cup_resident *resident, uint32_t warp);
/* A resident's strands: all of them are free again, or gone for good. */
void cup_strands_reset(struct cup_resident *resident);
void cup_strands_free(struct cup_resident *resident);
/* Is the address on a stack of the block's lanes? */
bool cup_strand_is_stack(const struct cup_resident *resident, uint64_t address);
/* Is the address in the guard below a strand's stack? */
bool cup_strand_is_stack_end(const struct cup_resident *resident, uint64_t address);

void cup_sync_begin(struct cup_block *block, uint32_t warp, uint32_t operation, uint32_t mask,
                    struct cup_sync_call *call);
uint32_t cup_sync_done(struct cup_block *block, uint32_t warp, uint32_t parked, uint32_t live,
                       struct cup_sync_call *call);
/* Lets lanes go on without the members they wait for, as nothing else can go on; false: none waits.
 */
bool cup_sync_force(struct cup_block *block, uint32_t warp);
/* The lanes of a warp that wait for others. */
uint32_t cup_sync_waiting(const struct cup_block *block, uint32_t warp);
void cup_sync_reset(struct cup_block *block);
void cup_sync_free(struct cup_block *block);

#endif
