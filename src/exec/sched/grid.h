/* SPDX-License-Identifier: MIT */
/* A launch while it runs: a stream job whose blocks are started in order by any free worker. */
#ifndef CUP_EXEC_SCHED_GRID_H
#define CUP_EXEC_SCHED_GRID_H

#include "abi/kernel.h"
#include "abi/launch.h"
#include "abi/services.h"
#include "core/compiler.h"
#include "core/lock.h"
#include "device/resource.h"
#include "exec/code/code.h"
#include "exec/sched/block.h"
#include "exec/sched/frame.h"
#include "exec/sched/grid_parts.h"
#include "exec/sched/nested.h"
#include "stream/engine.h"
#include "stream/job.h"

#include <cuda.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct CUctx_st;
struct cup_devrt;
struct cup_object;
struct cup_race_launch;

enum { CUP_GRID_TEXTURES = 16 };

struct cup_grid {
    struct cup_job base;
    struct cup_abi_launch launch;
    struct cup_code *code;
    struct CUctx_st *context;
    /* holds a reference; NULL: the kernel neither prints nor allocates */
    struct cup_devrt *devrt;
    const char *kernel_name;
    struct cup_code_image *image;
    const struct ptx_program *program; /* the image's program */
    uint32_t function;                 /* index of the kernel in the program */
    struct cup_offer compilation;      /* of the kernel, if it was not compiled at the launch */
    void (*release)(void *owner);      /* releases the launch's owner */
    void *owner;
    bool cooperative;
    uint32_t registers, local_bytes; /* as cuFuncGetAttribute tells them */
    uint32_t cluster_blocks;         /* blocks of a cluster; 0: the kernel does not use clusters */
    uint64_t blocks; /* that are begun one by one; of a kernel that uses clusters, clusters */
    struct cup_grid_parts parts; /* of this run */
    struct cup_frame_needs needs;
    uint32_t residents_max;
    const struct cup_sm_set *sms; /* of a green context; NULL: the whole device */
    uint32_t runner;              /* number of the thread that runs the job; other threads help */
    uint64_t start_ns;            /* of this run, for code of the first tier */
    struct cupipe_counts *counts; /* of this run, for an observer; NULL: it is not counted */

    bool is_untimed;         /* this run is not measured */
    uint32_t runs;           /* number of runs of a reusable launch */
    _Atomic(CUresult) error; /* the first error */

    struct cup_race_launch *races; /* NULL: races are not checked */

    struct cup_nested_list children; /* guarded by lock while blocks run */
    cup_nested_run *run_nested;      /* runs one of them: launch.c */
    uint32_t depth;                  /* of launches in kernels */
    void *graph_launch;              /* the launch of a graph that it belongs to, or NULL */
    _Atomic(uint32_t) runtime_error; /* the last error of the device runtime */

    /* Textures and surfaces that the kernel has used, each with a reference; see texture.c. */
    _Atomic(struct cup_object *) textures[CUP_GRID_TEXTURES];

    struct cup_lock lock;
    struct cup_resident *suspended_head,
        *suspended_tail;               /* blocks that were begun and suspended; guarded by lock */
    _Atomic(uint32_t) suspended_count; /* written under lock */
    _Atomic(uint64_t) begun, done;     /* blocks, for kernels that wait */

    /* All workers write these, so they have a cache line of their own: the next block of a kernel
     * that waits, and measurements of this launch. */
    alignas(CUP_CACHE_LINE) _Atomic(uint64_t) next_block;
    _Atomic(uint64_t) timed_ns, timed_blocks;

    alignas(64) uint32_t workspace[16]; /* of cooperative groups: a size, followed by a barrier */
};

/* Runs all blocks, in this thread and on idle workers. */
CUresult cup_grid_run(struct cup_grid *grid);

/* Before a run, if an observer wants counts or the last run had some: takes code that counts, or
 * the plain code again (grid_counts.c). */
void cup_grid_set_counts(struct cup_grid *grid);

static inline bool cup_grid_failed(struct cup_grid *grid)
{
    return atomic_load_explicit(&grid->error, memory_order_relaxed) != CUDA_SUCCESS;
}

/* Sets the error of the launch. Returns false if it already has one. */
bool cup_grid_fail(struct cup_grid *grid, CUresult error);

/* For services: abandons the block with all its warps after an error was recorded. */
_Noreturn void cup_grid_abandon(struct cup_abi_block *block);

/* Returns the grid of a block. */
static inline struct cup_grid *cup_grid_of(const struct cup_abi_block *block)
{
    return block->launch->owner;
}

/* Binds a block to its launch and its memory. */
void cup_grid_bind(const struct cup_grid *grid, const struct cup_frame_needs *needs,
                   const struct cup_frame *frame, struct cup_abi_block *block);

/* The multiprocessors of the grid, in turn; that which the calling worker stands for. */
uint32_t cup_grid_sm_at(const struct cup_grid *grid, uint32_t number);
uint32_t cup_grid_sm_of_worker(const struct cup_grid *grid);

/* The functions that kernels call. */
extern const struct cup_abi_services cup_exec_services;

#endif
