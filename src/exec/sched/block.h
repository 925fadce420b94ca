/* SPDX-License-Identifier: MIT */
/* A resident block: begun, not finished, with warps that wait for each other. Each warp has a
 * fiber; exactly one of them runs at a time, on the worker that owns the block. A warp that must
 * wait switches directly to the next runnable warp.
 *
 * A worker runs a block until it is done or none of its warps makes progress. The block can then be
 * suspended and resumed by any worker. */
#ifndef CUP_EXEC_SCHED_BLOCK_H
#define CUP_EXEC_SCHED_BLOCK_H

#include "abi/kernel.h"
#include "abi/launch.h"
#include "abi/sync.h"
#include "exec/sched/divergent_call.h"
#include "exec/sched/fiber.h"
#include "exec/sched/frame.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct cup_cluster;
struct cup_grid;

enum { CUP_BARRIER_COUNT = 16, CUP_WARPS_MAX = 32, CUP_BARRIER_RESULTS = 8 };

struct cup_barrier {
    uint32_t arrived;  /* threads; a warp whose live lanes have all arrived counts as 32 */
    uint32_t expected; /* threads; 0: all live threads */
    uint32_t waiting;  /* bit per warp that sleeps at this barrier */
    /* bit per warp of which only some lanes have arrived, see `partial` */
    uint32_t partial_warps;
    uint32_t count, all, any;                 /* reductions so far */
    uint64_t phase;                           /* number of completions */
    uint32_t results[CUP_BARRIER_RESULTS][3]; /* of the latest phases */
};

/* Lanes of a warp that asked an mbarrier for a phase that was not complete: see mbarrier.c. */
struct cup_mbarrier_polls {
    uint32_t failed;   /* lanes whose last question was answered with no */
    uint32_t phases;   /* that they asked for, a bit per lane */
    uint32_t complete; /* lanes of `failed` whose barrier completed the phase and was initialised */
    uint64_t addresses[CUP_ABI_WARP_LANES];
};

enum cup_block_outcome {
    CUP_BLOCK_DONE,
    CUP_BLOCK_STUCK,    /* its warps wait for something outside the block */
    CUP_BLOCK_DEADLOCK, /* its warps wait for each other forever */
};

struct cup_resident {
    /* seen by compiled code; first, because block->state points to the resident */
    struct cup_abi_block block;
    struct cup_resident *next;
    struct cup_grid *grid;
    struct cup_cluster *cluster; /* NULL: the kernel has no instructions of clusters */
    uint32_t rank;               /* in the cluster */
    struct cup_frame *frame;
    struct cup_fiber *home; /* the stack of the worker that runs the block */
    struct cup_fiber *fibers;
    cup_abi_run_warp *run_warp;
    uint32_t warp;     /* the running warp */
    uint32_t all;      /* one bit per warp */
    uint32_t runnable; /* not asleep at a barrier, not finished */
    uint32_t yielded;  /* warps that yielded in this round */
    uint32_t finished;
    uint32_t idle_rounds; /* consecutive rounds in which all warps yielded without progress */
    bool progress;        /* something happened in this round */
    bool begun;
    enum cup_block_outcome outcome;
    uint32_t live_warps;
    uint32_t used_barriers;
    uint32_t live[CUP_WARPS_MAX]; /* lanes that have not exited */
    /* warps that sleep until anything happens in the block, see `park` in abi/services.h */
    uint32_t parked;
    uint32_t wake_pending; /* warps that have a wake pending: something happened since they last
                              checked */
    struct cup_warp_divergent_calls divergent_calls[CUP_WARPS_MAX];
    struct cup_divergent_call *all_divergent_calls, *free_divergent_calls;
    uint32_t divergent_call_count;
    uint32_t group_waiting;            /* warps that sleep at wgmma.wait_group: see warpgroup.c */
    uint32_t committed[CUP_WARPS_MAX]; /* groups of wgmma; only if the block commits any */
    bool commits;
    uint32_t polling; /* warps that have failed polls */
    struct cup_mbarrier_polls polls[CUP_WARPS_MAX];
    struct cup_barrier barriers[CUP_BARRIER_COUNT];
    uint32_t partial[CUP_BARRIER_COUNT][CUP_WARPS_MAX]; /* arrived lanes of partial_warps */
};

/* A block of a kernel whose warps wait for nothing: it has no resident. */
struct cup_plain_block {
    struct cup_abi_block block;
    struct cup_fiber home, *fiber; /* NULL: runs on the thread's own stack */
};

/* Returns a resident with a frame for a block of the grid, or NULL if memory is out.
 * cup_resident_put() returns it to the pool; `abandoned` says that the block did not finish. */
struct cup_resident *cup_resident_get(struct cup_grid *grid, const struct cup_frame_needs *needs);
void cup_resident_put(struct cup_resident *resident, bool abandoned);

/* Starts a block whose indices are set. */
void cup_resident_begin(struct cup_resident *resident);

/* The barrier services of abi/services.h. */
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
