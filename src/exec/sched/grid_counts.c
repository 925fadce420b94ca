/* SPDX-License-Identifier: MIT */
/* Launches that count what they execute for an observer. Each run has counts of its own, so
 * launches of one kernel at the same time are told apart. */
#include "core/observer.h"
#include "exec/sched/grid.h"
#include "exec/tools/profiler.h"

static void set_code(struct cup_grid *grid, struct cup_code *code, struct cup_abi_count *counts)
{
    grid->code = code;
    grid->launch.counts = counts;
    cup_frame_needs_set(&grid->needs, &grid->launch, &code->info, grid->context);
}

static void drop_counts(struct cup_grid *grid, enum jit_block_shape shape)
{
    struct cup_code *plain = cup_code_ready(grid->image, grid->function, shape);

    cup_profiler_run_release(grid->counts);
    grid->counts = NULL;
    if (plain)
        set_code(grid, plain, plain->profile ? cup_profiler_counts(plain->profile) : NULL);
}

/* Without memory for it, the run is not counted. */
void cup_grid_set_counts(struct cup_grid *grid)
{
    enum jit_block_shape shape = cup_code_shape(grid->launch.block);
    struct cup_code *code;

    if (grid->counts)
        drop_counts(grid, shape);
    if (!cup_observer_counts_kernels() ||
        cup_code_get_counted(grid->image, grid->function, shape, &code) != CUDA_SUCCESS)
        return;
    grid->counts = cup_profiler_run_begin(code->profile);
    if (grid->counts)
        set_code(grid, code, cup_profiler_run_counts(grid->counts));
}
