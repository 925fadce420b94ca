/* SPDX-License-Identifier: MIT */
/* A block whose warps wait for each other, while it is resident: begun and not yet done. Each warp
 * has a fiber; exactly one of them runs at a time, on whichever worker has taken the block. A warp
 * that must wait switches straight to the next one that can run.
 *
 * A block is run until it is done, or until none of its warps gets on: then it can be put suspended
 * and be taken up again by any worker. */
#ifndef CUP_EXEC_BLOCK_H
#define CUP_EXEC_BLOCK_H

#include "abi/kernel.h"
#include "exec/fiber.h"
#include "exec/frame.h"
#include "exec/divergent_call.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct cup_grid;

enum { CUP_BARRIER_COUNT = 16, CUP_WARPS_MAX = 32, CUP_BARRIER_RESULTS = 8 };

struct cup_barrier {
    uint32_t arrived;         /* threads, in whole warps where all that live of a warp have come */
    uint32_t expected;        /* threads; 0: all that live */
    uint32_t waiting;         /* warps that sleep here */
    uint32_t partial_warps;   /* warps of which some lanes have come: see partial */
    uint32_t count, all, any; /* reductions so far */
    uint64_t phase;           /* how often it has completed */
    uint32_t results[CUP_BARRIER_RESULTS][3]; /* of the latest phases */
};

enum cup_block_outcome {
    CUP_BLOCK_DONE,
    CUP_BLOCK_STUCK,    /* its warps wait for something outside of it */
    CUP_BLOCK_DEADLOCK, /* its warps wait for each other, for ever */
};

struct cup_resident {
    struct cup_abi_block block; /* what compiled code sees; first, as block->state points here */
    struct cup_resident *next;
    struct cup_grid *grid;
    struct cup_frame *frame;
    struct cup_fiber *home; /* the stack of the worker that runs it */
    struct cup_fiber *fibers;
    cup_abi_run_warp *run_warp;
    uint32_t warp;     /* that runs now */
    uint32_t all;      /* a bit for each warp */
    uint32_t runnable; /* not asleep at a barrier, not done */
    uint32_t yielded;  /* those that gave way since all had their turn */
    uint32_t finished;
    uint32_t idle_rounds; /* all warps gave way, and nothing happened, so many times */
    bool progress;        /* something happened since all had their turn */
    bool begun;
    enum cup_block_outcome outcome;
    uint32_t live_warps;
    uint32_t used_barriers;
    uint32_t live[CUP_WARPS_MAX]; /* lanes that have not left */
    uint32_t
        parked;    /* warps that sleep until anything happens in the block: see park of kernel.h */
    uint32_t news; /* warps in whose sight something happened since they looked last */
    struct cup_warp_divergent_calls divergent_calls[CUP_WARPS_MAX];
    struct cup_divergent_call *all_divergent_calls, *free_divergent_calls;
    uint32_t divergent_call_count;
    struct cup_barrier barriers[CUP_BARRIER_COUNT];
    uint32_t partial[CUP_BARRIER_COUNT][CUP_WARPS_MAX]; /* lanes that have come, of partial_warps */
};

/* A place for blocks of the grid, with a frame; NULL when memory is out. Put: back to the pool;
 * `abandoned` when the block was left in the middle. */
struct cup_resident *cup_resident_get(struct cup_grid *grid, const struct cup_frame_needs *needs);
void cup_resident_put(struct cup_resident *resident, bool abandoned);

/* Begins a block: its indices are set. */
void cup_resident_begin(struct cup_resident *resident);

/* Runs it for a while, with `home` as the stack to come back to. */
enum cup_block_outcome cup_resident_run(struct cup_resident *resident, struct cup_fiber *home);

/* For the services: the calling warp gives way, or sleeps until woken by cup_resident_wake. */
void cup_resident_yield(struct cup_resident *resident, uint32_t warp);
void cup_resident_sleep(struct cup_resident *resident, uint32_t warp);
/* Sleeps until something happens in the block that it may wait for. */
void cup_resident_park(struct cup_resident *resident, uint32_t warp);
void cup_resident_wake(struct cup_resident *resident, uint32_t warps);

/* The services that are barriers: see kernel.h. */
uint32_t cup_barrier_wait(struct cup_abi_block *block, uint32_t warp, uint32_t id, uint32_t threads,
                          uint32_t mask, uint32_t reduce, uint32_t predicate_mask);
void cup_barrier_arrive(struct cup_abi_block *block, uint32_t warp, uint32_t id, uint32_t threads,
                        uint32_t mask);
void cup_barrier_begin(struct cup_abi_block *block, uint32_t warp, uint32_t id, uint32_t threads,
                       uint32_t mask, uint32_t reduce, uint32_t predicate_mask,
                       struct cup_abi_barrier_call *call);
uint32_t cup_barrier_done(struct cup_abi_block *block, uint32_t parked,
                          struct cup_abi_barrier_call *call);
void cup_barrier_lanes_exit(struct cup_abi_block *block, uint32_t warp, uint32_t mask);

#endif
