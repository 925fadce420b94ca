/* SPDX-License-Identifier: MIT */
/* Runs the blocks of a launch. Blocks are started in order, in the parts of grid_parts.c. Blocks
 * that wait for others are in grid_waiting.c. */
#include "exec/sched/grid.h"

#include "abi/kernel.h"
#include "abi/launch.h"
#include "core/align.h"
#include "core/checks.h"
#include "core/compiler.h"
#include "core/config.h"
#include "core/error.h"
#include "core/thread.h"
#include "device/context.h"
#include "device/device.h"
#include "device/usage.h"
#include "exec/matrix/matrix.h"
#include "exec/sched/fault.h"
#include "exec/sched/frame.h"
#include "exec/sched/grid_waiting.h"
#include "exec/sched/worker.h"
#include "exec/services/lane_stacks.h"
#include "exec/services/sync_table.h"
#include "exec/tools/profiler.h"
#include "os/clock.h"
#include "os/guard.h"
#include "stream/engine.h"

/* The number of threads that may run the grid at the same time: a green context has the same share
 * of them as of the multiprocessors, but at least one. */
static unsigned width_of(const struct cup_grid *grid)
{
    unsigned width = cup_engine_width();

    if (!grid->sms)
        return width;
    unsigned share = (unsigned)((uint64_t)width * grid->sms->count / grid->launch.device_sm_count);
    return share ? share : 1;
}

struct nonwaiting_run {
    struct cup_plain_block plain; /* first, because the block's address is that of the run */
    struct cup_grid *grid;
    const struct cup_code *code; /* of the grid, or a better one */
    struct cup_frame_needs needs;
    struct cup_frame *frame;
    struct cup_grid_part part;
    uint64_t first, count;
    struct cup_guard_fault fault;
    bool faulted;
};

/* Runs the same warps of some blocks, then the next warps of these, and so on with the next blocks.
 */
CUP_ON_FIBER static void run_by_rows(struct nonwaiting_run *run)
{
    const struct cup_grid_parts *parts = &run->grid->parts;
    const struct cup_grid_part *part = &run->part;
    struct cup_abi_block *block = &run->plain.block;

    for (uint64_t done = 0; done < run->count; done += parts->row_blocks) {
        uint64_t count = cup_min(run->count - done, parts->row_blocks);

        block->thread_end = part->thread_first;
        while (block->thread_end < part->thread_end) {
            block->thread_first = block->thread_end;
            block->thread_end =
                (uint32_t)cup_min(block->thread_first + parts->row_threads, part->thread_end);
            run->code->run_blocks(block, run->first + done, count);
        }
    }
}

CUP_ON_FIBER static void run_blocks(struct nonwaiting_run *run)
{
    if (run->grid->parts.row_blocks > 1)
        run_by_rows(run);
    else
        run->code->run_blocks(&run->plain.block, run->first, run->count);
}

CUP_ON_FIBER static void nonwaiting_fiber_main(void *argument)
{
    struct nonwaiting_run *run = argument;

    run_blocks(run);
    cup_fiber_switch(run->plain.fiber, &run->plain.home);
}

static void nonwaiting_body(void *argument)
{
    struct nonwaiting_run *run = argument;

    if (run->plain.fiber)
        cup_fiber_switch(&run->plain.home, run->plain.fiber);
    else
        run_blocks(run);
}

static void nonwaiting_caught(void *argument, const struct cup_guard_fault *fault)
{
    struct nonwaiting_run *run = argument;

    run->fault = *fault;
    run->faulted = true;
    if (run->plain.fiber)
        cup_fiber_before_jump(&run->plain.home);
}

static bool nonwaiting_setup(struct nonwaiting_run *run)
{
    const struct cup_frame_needs *needs = &run->needs;

    if (needs->shared_bytes || needs->local_bytes || needs->kept_bytes || needs->stacks) {
        run->frame = cup_frame_get(needs);
        if (!run->frame)
            return false;
    }
    cup_grid_bind(run->grid, needs, run->frame, &run->plain.block);
    run->plain.block.thread_first = run->part.thread_first;
    run->plain.block.thread_end = run->part.thread_end;
    /* All warps of a block have the same multiprocessor. */
    if (run->part.thread_end - run->part.thread_first < run->grid->launch.block_threads)
        run->plain.block.sm = cup_grid_sm_at(run->grid, (uint32_t)run->first);
    cup_thread_worker(cup_thread_self())->has_matrix_shapes = false;
    if (needs->stacks) {
        cup_worker_need_signal_stack();
        cup_fiber_adopt_thread(&run->plain.home);
        run->plain.fiber = &run->frame->fibers[0];
        run->frame->prepared = false;
        cup_fiber_prepare(run->plain.fiber, nonwaiting_fiber_main, run);
    }
    return true;
}

/* After an assertion failure, the blocks that a device would have started by then run too and
 * report their failures. */
static bool reports_more(struct cup_grid *grid, uint64_t linear)
{
    return atomic_load(&grid->error) == CUDA_ERROR_ASSERT && !grid->code->info.waiting &&
           linear < grid->residents_max;
}

/* Runs the blocks under the fault guard. Returns false if they were abandoned. */
static bool run_guarded(struct nonwaiting_run *run)
{
    if (cup_likely(cup_guard_run_caught(nonwaiting_body, nonwaiting_caught, run)))
        return true;
    if (run->plain.fiber)
        cup_fiber_after_jump(&run->plain.home);
    if (run->faulted)
        cup_fault_report(run->grid, &run->plain.block,
                         run->code->info.looped ? (int)run->plain.block.warp : -1, run->frame,
                         &run->fault);
    return false;
}

static void run_nonwaiting(struct cup_grid *grid, const struct cup_code *code,
                           struct cup_grid_part part)
{
    struct nonwaiting_run run = {.grid = grid,
                                 .code = code,
                                 .needs = grid->needs,
                                 .part = part,
                                 .first = part.first,
                                 .count = part.end - part.first};

    if (code != grid->code)
        cup_frame_needs_set(&run.needs, &grid->launch, &code->info, grid->context);

    if (!nonwaiting_setup(&run)) {
        if (cup_grid_fail(grid, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES))
            cup_log(CUP_LOG_ERROR, "kernel %s: no memory for its blocks", grid->kernel_name);
        return;
    }
    uint64_t control = cup_worker_enter_float();
    while (cup_unlikely(!run_guarded(&run)) && reports_more(grid, run.plain.block.linear + 1) &&
           run.plain.block.linear + 1 < part.end) {
        run.first = run.plain.block.linear + 1;
        run.count = part.end - run.first;
        if (run.plain.fiber)
            cup_fiber_prepare(run.plain.fiber, nonwaiting_fiber_main, &run);
    }
    cup_worker_leave_float(control);
    cup_check_block_put(&run.plain.block, cup_grid_failed(grid));
    cup_sync_free(&run.plain.block);
    cup_lanestack_free(&run.plain.block);
    cup_check_block_freed(&run.plain.block);
    if (run.frame)
        cup_frame_put(run.frame);
}

/* Returns the code for blocks that start now. Blocks of a launch that has begun change to another
 * code only if that needs no fibers, and only if no block waits for another: blocks that run do
 * not change. */
static const struct cup_code *code_for_part(struct cup_grid *grid)
{
    struct cup_code *code = grid->code;

    if (cup_likely(!cup_code_may_improve(code)) || code->info.spins || grid->cooperative)
        return code;
    struct cup_code *best = cup_code_best(code, cup_clock_ns() - grid->start_ns);
    return best->info.waiting || best->info.local_bytes != code->info.local_bytes ? code : best;
}

/* Parts of a kernel that waits take blocks from a counter, because begin_another() takes some from
 * it, too. There may be none left. */
static struct cup_grid_part take_part(struct cup_grid *grid, uint64_t number)
{
    struct cup_grid_part part = {.first = 0};

    if (!grid->code->info.waiting)
        return cup_grid_part_at(&grid->parts, number);
    part.first = atomic_fetch_add(&grid->next_block, grid->parts.batch);
    part.end = part.first < grid->blocks ? cup_min(part.first + grid->parts.batch, grid->blocks)
                                         : part.first;
    return part;
}

static void run_part(void *argument, size_t number)
{
    struct cup_grid *grid = argument;

    if (cup_grid_failed(grid) &&
        !reports_more(grid, cup_grid_part_at(&grid->parts, number).first)) {
        cup_grid_abandon_suspended(grid);
        return;
    }
    struct cup_grid_part part = take_part(grid, number);
    bool timed = !grid->is_untimed && (!grid->code->info.waiting || number % 8 == 0);

    if (part.first >= grid->blocks && atomic_load(&grid->suspended_count) == 0)
        return;
    const struct cup_code *code = part.first < part.end ? code_for_part(grid) : grid->code;
    uint64_t start_ns = timed ? cup_clock_ns() : 0;
    if (code->info.waiting)
        cup_grid_run_waiting(grid, part.first, part.end);
    else
        run_nonwaiting(grid, code, part);
    if (!timed || part.end <= part.first)
        return;
    atomic_fetch_add_explicit(&grid->timed_ns, cup_clock_ns() - start_ns, memory_order_relaxed);
    /* Every part of a kernel that does not wait is timed, so all its blocks are. */
    if (grid->code->info.waiting)
        atomic_fetch_add_explicit(&grid->timed_blocks, part.end - part.first, memory_order_relaxed);
}

/* Warps that share no memory but global memory may run on several workers, and those that show no
 * order in any order. */
static struct cup_grid_size size_of(const struct cup_grid *grid)
{
    const struct cup_abi_kernel_info *info = &grid->code->info;
    struct cup_code *code = grid->code;
    struct cup_grid_size size = {.blocks = grid->blocks,
                                 .block_ns16 =
                                     atomic_load_explicit(&code->block_ns, memory_order_relaxed),
                                 .block_threads = grid->launch.block_threads,
                                 .width = width_of(grid),
                                 .waits = info->waiting,
                                 .one_by_one = grid->cooperative || info->spins,
                                 .is_splittable = !info->waiting && !info->looped &&
                                                  !grid->needs.shared_bytes && !cup_checks.kernels};

    if (size.is_splittable && !info->ordered && !cup_config_get()->debug)
        size.row_threads = cup_grid_row_threads(grid->launch.grid, grid->launch.block);
    if (size.row_threads) {
        size.order_launches =
            atomic_fetch_add_explicit(&code->order_launches, 1, memory_order_relaxed);
        for (unsigned order = 0; order < 2; order++)
            size.fastest_ns16[order] =
                atomic_load_explicit(&code->fastest_ns[order], memory_order_relaxed);
    }
    return size;
}

/* Other programs only make a launch slower. What it works on may change, so each one raises the
 * number a little. */
static void update_fastest_ns(_Atomic(uint32_t) *fastest_ns, uint32_t seen)
{
    uint32_t before = atomic_load_explicit(fastest_ns, memory_order_relaxed);

    if (before)
        seen = (uint32_t)cup_min(seen, before + before / UINT64_C(64));
    atomic_store_explicit(fastest_ns, seen, memory_order_relaxed);
}

/* Exponential average with weight 1/4, so that one bad measurement is soon forgotten. */
static void update_block_ns(struct cup_grid *grid, const struct cup_grid_size *size)
{
    uint64_t blocks = grid->code->info.waiting ? atomic_load(&grid->timed_blocks) : grid->blocks;
    uint64_t before = atomic_load_explicit(&grid->code->block_ns, memory_order_relaxed);

    if (!blocks || grid->is_untimed || cup_grid_failed(grid))
        return;
    uint64_t seen = cup_min(atomic_load(&grid->timed_ns), UINT64_MAX >> 4) * 16 / blocks;
    seen = cup_max(cup_min(seen, UINT32_MAX), 1);
    uint64_t now = before ? (before * 3 + seen + 3) / 4 : seen;
    if (now != before)
        atomic_store_explicit(&grid->code->block_ns, (uint32_t)now, memory_order_relaxed);
    if (size->row_threads)
        update_fastest_ns(&grid->code->fastest_ns[grid->parts.row_blocks > 1], (uint32_t)seen);
}

static void run_parts(struct cup_grid *grid, uint64_t parts, unsigned width)
{
    if (parts > 1 && width > 1) {
        cup_engine_parallel_within(width, run_part, grid, parts);
        return;
    }
    for (uint64_t part = 0; part < parts; part++) {
        run_part(grid, part);
        if (cup_grid_failed(grid) &&
            !reports_more(grid, cup_grid_part_at(&grid->parts, part + 1).first))
            break;
    }
}

/* Takes up code that was compiled after the launch was made, or compiles it. */
static void begin_run(struct cup_grid *grid)
{
    struct cup_code *best = cup_code_best(grid->code, 0);

    if (best != grid->code) {
        grid->code = best;
        cup_frame_needs_set(&grid->needs, &grid->launch, &best->info, grid->context);
    }
    if (best->profile && !grid->counts)
        grid->launch.counts = cup_profiler_counts(best->profile);
    if (cup_code_may_improve(best))
        grid->start_ns = cup_clock_ns();
}

CUresult cup_grid_run(struct cup_grid *grid)
{
    struct cup_grid_size size;
    struct cup_monitor_activity *activity = &grid->context->device->usage->kernels;
    uint32_t suspended;

    cup_usage_begin(activity);
    if (cup_unlikely(cup_code_may_improve(grid->code)))
        begin_run(grid);

    cup_check_launch_started(grid);
    grid->runner = cup_worker_number();
    size = size_of(grid);
    size.width = cup_grid_useful_width(&size);
    grid->parts = cup_grid_parts_choose(&size);
    run_parts(grid, grid->parts.count, size.width);
    /* All workers have left, but one of them may have suspended a block. */
    while ((suspended = atomic_load(&grid->suspended_count)) != 0)
        run_parts(grid, suspended, size.width);
    cup_check_launch_ended(grid);
    update_block_ns(grid, &size);
    if (cup_unlikely(cup_code_may_improve(grid->code))) {
        uint64_t duration_ns = cup_clock_ns() - grid->start_ns;

        atomic_fetch_add_explicit(&grid->code->run_ns, duration_ns, memory_order_relaxed);
        if (grid->code->profile)
            cup_profiler_launch(grid->code->profile, &grid->launch, duration_ns);
    }
    cup_usage_end(activity);
    if (cup_unlikely(!cup_nested_is_empty(&grid->children)))
        cup_nested_run_all(grid);
    return atomic_load(&grid->error);
}
