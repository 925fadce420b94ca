/* SPDX-License-Identifier: MIT */
/* A launch while it runs: a job of a stream whose blocks are run, in order, by whoever is free. */
#ifndef CUP_EXEC_GRID_H
#define CUP_EXEC_GRID_H

#include "core/lock.h"
#include "abi/kernel.h"
#include "exec/block.h"
#include "exec/code.h"
#include "exec/frame.h"
#include "stream/job.h"

#include <cuda.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct CUctx_st;
struct cup_devrt;
struct cup_object;

enum { CUP_GRID_TEXTURES = 16 };

struct cup_grid {
    struct cup_job base;
    struct cup_abi_launch launch;
    struct cup_code *code;
    struct CUctx_st *context;
    struct cup_devrt *kernels; /* with a reference; NULL: it neither prints nor allocates
                                */
    const char *kernel_name;
    const struct ptx_program *program; /* its image's */
    uint32_t function;                 /* of that: the kernel */
    void (*release)(void *owner);      /* of whoever launched it */
    void *owner;
    bool cooperative;
    uint64_t blocks;
    uint64_t batch; /* blocks that are taken at once */
    struct cup_frame_needs needs;
    uint32_t residents_max;
    uint32_t runner; /* the thread that runs the job, by its number; others help */

    _Atomic(uint64_t) next_block;
    _Atomic(uint64_t) timed_ns, timed_blocks; /* what was measured */
    bool is_untimed;                          /* nothing is measured in this run */
    uint32_t runs;                            /* of a launch that is kept */
    _Atomic(CUresult) error;                  /* the first */

    /* Textures and surfaces its kernel has used, with a reference each: texture.c. */
    _Atomic(struct cup_object *) textures[CUP_GRID_TEXTURES];

    struct cup_lock lock;
    struct cup_resident *suspended_head,
        *suspended_tail;               /* begun and put suspended; guarded by lock */
    _Atomic(uint32_t) suspended_count; /* written under lock */
    _Atomic(uint64_t) begun, done;     /* blocks, of kernels that wait */

    alignas(64) uint32_t workspace[16]; /* of cooperative groups: a size, and a barrier behind it */
};

/* Runs all blocks, here and on idle workers. */
CUresult cup_grid_run(struct cup_grid *grid);

static inline bool cup_grid_failed(struct cup_grid *grid)
{
    return atomic_load_explicit(&grid->error, memory_order_relaxed) != CUDA_SUCCESS;
}

/* The first error is the launch's; false: there was one before. */
bool cup_grid_fail(struct cup_grid *grid, CUresult error);

/* Leaves the block in the middle, with all its warps: an error has been noted. For services. */
_Noreturn void cup_grid_abandon(struct cup_abi_block *block);

/* Which grid a block is of. */
static inline struct cup_grid *cup_grid_of(const struct cup_abi_block *block)
{
    return block->launch->owner;
}

/* For blocks that wait: memory for one of the grid, and its code. */
void cup_grid_bind(const struct cup_grid *grid, const struct cup_frame *frame,
                   struct cup_abi_block *block);
cup_abi_run_warp *cup_grid_run_warp(const struct cup_grid *grid);

/* What kernels call. */
extern const struct cup_abi_services cup_exec_services;

#endif
