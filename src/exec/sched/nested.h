/* SPDX-License-Identifier: MIT */
/* Launches in kernels (dynamic parallelism). What a kernel launches is collected in its grid and
 * runs when all its blocks have run, one after the other, before the grid completes. CUDA promises
 * no more: since version 12 a kernel cannot wait for what it has launched. */
#ifndef CUP_EXEC_SCHED_NESTED_H
#define CUP_EXEC_SCHED_NESTED_H

#include "abi/services.h"

#include <cuda.h>
#include <stdbool.h>

struct cup_grid;

struct cup_nested {
    struct cup_nested *next;
    enum { CUP_NESTED_KERNEL, CUP_NESTED_COPY, CUP_NESTED_FILL } kind;
    uint32_t depth;
    uint32_t function, grid[3], block[3], shared_bytes; /* of a kernel */
    uint64_t target, source, size_bytes;                /* of a copy or a fill */
    uint8_t value;                                      /* of a fill */
    _Alignas(16) uint8_t params[];                      /* of a kernel */
};

/* In the order in which they run. `tail`: those that run after all others (cudaStreamTailLaunch).
 */
struct cup_nested_list {
    struct cup_nested *first, *last;
    struct cup_nested *tail_first, *tail_last;
};

static inline bool cup_nested_is_empty(const struct cup_nested_list *list)
{
    return !list->first && !list->tail_first;
}

/* Runs what the grid has launched. The first failure becomes that of the grid. */
void cup_nested_run_all(struct cup_grid *grid);

/* Runs a kernel in this thread. Sets *after to its tail launches. */
typedef CUresult cup_nested_run(struct cup_grid *parent, const struct cup_nested *child,
                                struct cup_nested_list *after);

/* The service of that name in abi/services.h; in device_calls.c. */
void cup_devrt_call(struct cup_abi_block *block, uint32_t mask, uint32_t call, void **areas);

#endif
