/* SPDX-License-Identifier: MIT */
/* Distributes the blocks of a launch. Blocks are started in order, in batches small enough to keep
 * all workers busy to the end and large enough to make the overhead negligible. The duration of a
 * block is learned from launch to launch.
 *
 * Blocks that wait for other blocks may wait for blocks that are not started yet. A worker whose
 * block makes no progress suspends it and resumes another suspended block or starts a new one. The
 * thread that runs the job stays until no block is left. Helpers leave if another job needs them,
 * because that job may be what the block waits for. */
#include "exec/grid.h"

#include "abi/kernel.h"
#include "abi/launch.h"
#include "core/align.h"
#include "core/compiler.h"
#include "core/error.h"
#include "device/context.h"
#include "device/device.h"
#include "device/usage.h"
#include "exec/fault.h"
#include "exec/frame_needs.h"
#include "exec/matrix.h"
#include "exec/worker.h"
#include "os/clock.h"
#include "os/guard.h"
#include "stream/engine.h"

#include <sched.h>
#include <string.h>

enum {
    PARTS_PER_WORKER = 64, /* for a kernel without measurements */
    PART_NS_MIN = 10000,   /* the overhead of a part is about 100 ns */
    PART_NS_MAX = 1000000, /* other streams may wait for the worker */
    ALONE_NS_MAX = 15000,  /* below this, waking a worker does not pay */
    TRIES_BEFORE_NEW = 64, /* how often a block is retried before another one is started */
    TRIES_BEFORE_SLEEP = 4096,
    SLEEP_NS = 20000,
};

bool cup_grid_fail(struct cup_grid *grid, CUresult error)
{
    CUresult none = CUDA_SUCCESS;

    return atomic_compare_exchange_strong(&grid->error, &none, error);
}

static void set_index(const struct cup_grid *grid, struct cup_abi_block *block, uint64_t linear)
{
    const uint32_t *size = grid->launch.grid;
    uint64_t row = linear / size[0];

    block->linear = linear;
    block->index[0] = (uint32_t)(linear - row * size[0]);
    block->index[1] = (uint32_t)(size[2] == 1 ? row : row % size[1]);
    block->index[2] = (uint32_t)(size[2] == 1 ? 0 : row / size[1]);
}

/* Worker threads stand for multiprocessors. */
static uint32_t sm_of_worker(const struct cup_grid *grid)
{
    uint32_t number = cup_worker_number();

    return grid->sms ? cup_sm_set_at(grid->sms, number) : number % grid->launch.device_sm_count;
}

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

/* Shared memory is at the end of its area, so that accesses beyond it fault. */
void cup_grid_bind(const struct cup_grid *grid, const struct cup_frame_needs *needs,
                   const struct cup_frame *frame, struct cup_abi_block *block)
{
    block->launch = &grid->launch;
    block->shared =
        frame ? frame->shared_end - ((needs->shared_bytes + 1023) & ~1023u) : CUP_FRAME_NO_SHARED;
    block->local = frame ? frame->local : NULL;
    block->frames = frame ? frame->kept : NULL;
    block->sm = sm_of_worker(grid);
}

cup_abi_run_warp *cup_grid_run_warp(const struct cup_grid *grid)
{
    return grid->code->run_warp;
}

struct nonwaiting_run {
    struct cup_abi_block block;
    struct cup_grid *grid;
    const struct cup_code *code; /* of the grid, or a better one */
    struct cup_frame_needs needs;
    struct cup_frame *frame;
    uint64_t first, count;
    struct cup_fiber home, *fiber; /* NULL: runs on the thread's own stack */
    struct cup_guard_fault fault;
    bool faulted;
};

CUP_ON_FIBER static void nonwaiting_fiber_main(void *argument)
{
    struct nonwaiting_run *run = argument;

    run->code->run_blocks(&run->block, run->first, run->count);
    cup_fiber_switch(run->fiber, &run->home);
}

static void nonwaiting_body(void *argument)
{
    struct nonwaiting_run *run = argument;

    if (run->fiber)
        cup_fiber_switch(&run->home, run->fiber);
    else
        run->code->run_blocks(&run->block, run->first, run->count);
}

static void nonwaiting_caught(void *argument, const struct cup_guard_fault *fault)
{
    struct nonwaiting_run *run = argument;

    run->fault = *fault;
    run->faulted = true;
    if (run->fiber)
        cup_fiber_before_jump(&run->home);
}

static bool nonwaiting_setup(struct nonwaiting_run *run)
{
    const struct cup_frame_needs *needs = &run->needs;

    if (needs->shared_bytes || needs->local_bytes || needs->kept_bytes || needs->stacks) {
        run->frame = cup_frame_get(needs);
        if (!run->frame)
            return false;
    }
    cup_grid_bind(run->grid, needs, run->frame, &run->block);
    if (needs->stacks) {
        cup_worker_need_signal_stack();
        cup_fiber_adopt_thread(&run->home);
        run->fiber = &run->frame->fibers[0];
        run->frame->prepared = false;
        cup_fiber_prepare(run->fiber, nonwaiting_fiber_main, run);
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
    if (run->fiber)
        cup_fiber_after_jump(&run->home);
    if (run->faulted)
        cup_fault_report(run->grid, &run->block, run->code->info.looped ? (int)run->block.warp : -1,
                         run->frame, &run->fault);
    return false;
}

static void run_nonwaiting(struct cup_grid *grid, const struct cup_code *code, uint64_t first,
                           uint64_t end)
{
    struct nonwaiting_run run = {
        .grid = grid, .code = code, .needs = grid->needs, .first = first, .count = end - first};

    if (code != grid->code)
        cup_frame_needs_set(&run.needs, &grid->launch, &code->info, grid->context);

    if (!nonwaiting_setup(&run)) {
        if (cup_grid_fail(grid, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES))
            cup_log(CUP_LOG_ERROR, "kernel %s: no memory for its blocks", grid->kernel_name);
        return;
    }
    uint64_t control = cup_worker_enter_float();
    while (cup_unlikely(!run_guarded(&run)) && reports_more(grid, run.block.linear + 1) &&
           run.block.linear + 1 < end) {
        run.first = run.block.linear + 1;
        run.count = end - run.first;
        if (run.fiber)
            cup_fiber_prepare(run.fiber, nonwaiting_fiber_main, &run);
    }
    cup_worker_leave_float(control);
    cup_sync_free(&run.block);
    cup_frame_lane_stacks_free(&run.block);
    if (run.frame)
        cup_frame_put(run.frame);
}

struct worker {
    struct cup_grid *grid;
    uint64_t next, end;           /* the rest of its batch */
    struct cup_resident *current; /* the block that it runs, or NULL */
    struct cup_resident *spare;   /* a resident for the next block, or NULL */
    struct cup_fiber home;
    bool leaving;       /* another job needs this worker */
    unsigned tries;     /* consecutive attempts without progress */
    uint64_t seen_done; /* grid->done at the last attempt */
    bool on_fiber;
    struct cup_guard_fault fault;
    bool faulted;
};

_Noreturn void cup_grid_abandon(struct cup_abi_block *block)
{
    if (block->state)
        cup_fiber_before_jump(((struct cup_resident *)block->state)->home);
    else if (((struct nonwaiting_run *)block)->fiber)
        cup_fiber_before_jump(&((struct nonwaiting_run *)block)->home);
    cup_guard_abandon();
}

static void suspend(struct cup_grid *grid, struct cup_resident *resident)
{
    cup_lock_acquire(&grid->lock);
    resident->next = NULL;
    if (grid->suspended_tail)
        grid->suspended_tail->next = resident;
    else
        grid->suspended_head = resident;
    grid->suspended_tail = resident;
    atomic_fetch_add(&grid->suspended_count, 1);
    cup_lock_release(&grid->lock);
}

static struct cup_resident *pop_suspended(struct cup_grid *grid)
{
    if (atomic_load(&grid->suspended_count) == 0)
        return NULL;
    cup_lock_acquire(&grid->lock);
    struct cup_resident *resident = grid->suspended_head;
    if (resident) {
        grid->suspended_head = resident->next;
        if (!grid->suspended_head)
            grid->suspended_tail = NULL;
        atomic_fetch_sub(&grid->suspended_count, 1);
    }
    cup_lock_release(&grid->lock);
    return resident;
}

/* Abandons the suspended blocks of a failed launch. */
static void abandon_suspended(struct cup_grid *grid)
{
    struct cup_resident *resident;

    while ((resident = pop_suspended(grid)))
        cup_resident_put(resident, true);
}

static bool ensure_spare(struct worker *worker)
{
    if (!worker->spare)
        worker->spare = cup_resident_get(worker->grid, &worker->grid->needs);
    return worker->spare != NULL;
}

/* Starts a block in the spare resident. */
static void begin(struct worker *worker, uint64_t linear)
{
    worker->current = worker->spare;
    worker->spare = NULL;
    set_index(worker->grid, &worker->current->block, linear);
    cup_resident_begin(worker->current);
    atomic_fetch_add_explicit(&worker->grid->begun, 1, memory_order_relaxed);
}

static bool acquire_work(struct worker *worker)
{
    struct cup_grid *grid = worker->grid;

    if (worker->next < worker->end) {
        if (!ensure_spare(worker)) {
            if (cup_grid_fail(grid, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES))
                cup_log(CUP_LOG_ERROR, "kernel %s: no memory for its blocks", grid->kernel_name);
            return false;
        }
        begin(worker, worker->next++);
        return true;
    }
    worker->current = pop_suspended(grid);
    return worker->current != NULL;
}

static void finish(struct worker *worker)
{
    struct cup_resident *done = worker->current;

    atomic_fetch_add_explicit(&worker->grid->done, 1, memory_order_relaxed);
    worker->current = NULL;
    worker->tries = 0;
    if (worker->spare)
        cup_resident_put(done, false);
    else
        worker->spare = done;
}

/* Returns whether a block that no worker has taken may be started. All blocks of a cooperative
 * launch must be started before any finishes. Blocks of other launches usually wait for blocks that
 * are running: a new one is started only if all started blocks had a turn and none made
 * progress. */
static bool may_begin_new(struct worker *worker)
{
    struct cup_grid *grid = worker->grid;
    uint64_t done = atomic_load_explicit(&grid->done, memory_order_relaxed);
    uint64_t residents = atomic_load_explicit(&grid->begun, memory_order_relaxed) - done;

    if (done != worker->seen_done) {
        worker->seen_done = done;
        worker->tries = 1;
    }
    return atomic_load_explicit(&grid->next_block, memory_order_relaxed) < grid->blocks &&
           (grid->cooperative ||
            (worker->tries >= TRIES_BEFORE_NEW + residents && residents < grid->residents_max));
}

/* Starts another block in addition to the one that makes no progress. The rest of the worker's own
 * batch comes first: other blocks may wait for it, and no other worker starts it. */
static bool begin_another(struct worker *worker)
{
    struct cup_grid *grid = worker->grid;
    bool own = worker->next < worker->end;

    if ((!own && !may_begin_new(worker)) || !ensure_spare(worker))
        return false;
    uint64_t linear = own ? worker->next++ : atomic_fetch_add(&grid->next_block, 1);
    if (linear >= grid->blocks)
        return false;
    suspend(grid, worker->current);
    begin(worker, linear);
    worker->tries = 0;
    return true;
}

static void on_stuck(struct worker *worker)
{
    struct cup_grid *grid = worker->grid;

    if (begin_another(worker))
        return;
    if (++worker->tries % 16 == 0) {
        worker->leaving = cup_worker_number() != grid->runner && cup_engine_is_wanted();
        if (worker->leaving) {
            suspend(grid, worker->current);
            worker->current = NULL;
            return;
        }
        sched_yield();
    }
    struct cup_resident *other = pop_suspended(grid);
    if (other) {
        suspend(grid, worker->current);
        worker->current = other;
    } else if (worker->tries > TRIES_BEFORE_SLEEP) {
        cup_clock_sleep_ns(SLEEP_NS);
    }
}

static void waiting_body(void *argument)
{
    struct worker *worker = argument;
    struct cup_grid *grid = worker->grid;
    uint32_t sm = sm_of_worker(grid);

    while (!worker->leaving && !cup_grid_failed(grid) &&
           (worker->current || acquire_work(worker))) {
        worker->current->block.sm = sm;
        worker->on_fiber = true;
        enum cup_block_outcome outcome = cup_resident_run(worker->current, &worker->home);
        worker->on_fiber = false;
        if (cup_likely(outcome == CUP_BLOCK_DONE))
            finish(worker);
        else if (outcome == CUP_BLOCK_STUCK)
            on_stuck(worker);
        else
            cup_fault_report_deadlock(grid, worker->current);
    }
}

static void waiting_caught(void *argument, const struct cup_guard_fault *fault)
{
    struct worker *worker = argument;

    worker->fault = *fault;
    worker->faulted = true;
    if (worker->on_fiber)
        cup_fiber_before_jump(&worker->home);
}

static void waiting_failed(struct worker *worker)
{
    struct cup_resident *resident = worker->current;

    if (resident && worker->faulted)
        cup_fault_report(worker->grid, &resident->block, (int)resident->warp, resident->frame,
                         &worker->fault);
    if (resident)
        cup_resident_put(resident, true);
    abandon_suspended(worker->grid);
}

static void run_waiting(struct cup_grid *grid, uint64_t first, uint64_t end)
{
    struct worker worker = {.grid = grid, .next = first, .end = end};

    cup_worker_need_signal_stack();
    cup_fiber_adopt_thread(&worker.home);
    if (cup_unlikely(!cup_guard_run_caught(waiting_body, waiting_caught, &worker)) &&
        worker.on_fiber)
        cup_fiber_after_jump(&worker.home);
    if (cup_unlikely(cup_grid_failed(grid) || worker.faulted))
        waiting_failed(&worker);
    if (worker.spare)
        cup_resident_put(worker.spare, false);
}

/* Returns the code for blocks that start now. Blocks of a launch that has begun change to another
 * code only if that needs no fibers, and only if no block waits for another: blocks that run do
 * not change. */
static const struct cup_code *code_for_part(struct cup_grid *grid)
{
    struct cup_code *code = grid->code;

    if (cup_likely(code->tier != JIT_TIER_FIRST) || code->info.spins || grid->cooperative)
        return code;
    struct cup_code *best = cup_code_best(code, cup_clock_ns() - grid->start_ns);
    return best->info.waiting || best->info.local_bytes != code->info.local_bytes ? code : best;
}

static void run_part(void *argument, size_t part)
{
    struct cup_grid *grid = argument;

    if (cup_grid_failed(grid) && !reports_more(grid, atomic_load(&grid->next_block))) {
        abandon_suspended(grid);
        return;
    }
    /* Not derived from `part`: begin_another() also takes blocks from the counter. */
    uint64_t first = atomic_fetch_add(&grid->next_block, grid->batch);
    uint64_t end = first < grid->blocks ? cup_min(first + grid->batch, grid->blocks) : first;
    bool timed = !grid->is_untimed && (!grid->code->info.waiting || part % 8 == 0);

    if (first >= grid->blocks && atomic_load(&grid->suspended_count) == 0)
        return;
    const struct cup_code *code = first < end ? code_for_part(grid) : grid->code;
    uint64_t start_ns = timed ? cup_clock_ns() : 0;
    if (code->info.waiting)
        run_waiting(grid, first, end);
    else
        run_nonwaiting(grid, code, first, end);
    if (timed && end > first) {
        atomic_fetch_add_explicit(&grid->timed_ns, cup_clock_ns() - start_ns, memory_order_relaxed);
        atomic_fetch_add_explicit(&grid->timed_blocks, end - first, memory_order_relaxed);
    }
}

/* Returns the number of blocks per batch. */
static uint64_t choose_batch(const struct cup_grid *grid, unsigned width)
{
    uint64_t block_ns16 = atomic_load_explicit(&grid->code->block_ns, memory_order_relaxed);
    bool waiting = grid->code->info.waiting;

    if (waiting && (!block_ns16 || grid->cooperative || grid->code->info.spins))
        return 1;
    if (block_ns16 && grid->blocks <= ALONE_NS_MAX * UINT64_C(16) / block_ns16)
        return grid->blocks;
    uint64_t batch = grid->blocks / ((uint64_t)width * PARTS_PER_WORKER);
    if (block_ns16) {
        batch = waiting ? 1 : batch;
        batch = cup_max(batch, PART_NS_MIN * UINT64_C(16) / block_ns16);
        batch = cup_min(batch, PART_NS_MAX * UINT64_C(16) / block_ns16);
        batch = cup_min(batch, grid->blocks / (4 * (uint64_t)width));
    }
    return cup_max(batch, 1);
}

/* Exponential average with weight 1/4, so that one bad measurement is soon forgotten. */
static void update_block_ns(struct cup_grid *grid)
{
    uint64_t blocks = atomic_load(&grid->timed_blocks);
    uint64_t before = atomic_load_explicit(&grid->code->block_ns, memory_order_relaxed);

    if (!blocks)
        return;
    uint64_t seen = cup_min(atomic_load(&grid->timed_ns), UINT64_MAX >> 4) * 16 / blocks;
    seen = cup_max(cup_min(seen, UINT32_MAX), 1);
    uint64_t now = before ? (before * 3 + seen + 3) / 4 : seen;
    if (now != before)
        atomic_store_explicit(&grid->code->block_ns, (uint32_t)now, memory_order_relaxed);
}

static void run_parts(struct cup_grid *grid, uint64_t parts, unsigned width)
{
    if (parts > 1 && width > 1) {
        cup_engine_parallel_within(width, run_part, grid, parts);
        return;
    }
    for (uint64_t part = 0; part < parts; part++) {
        run_part(grid, part);
        if (cup_grid_failed(grid) && !reports_more(grid, atomic_load(&grid->next_block)))
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
    if (best->tier == JIT_TIER_FIRST)
        grid->start_ns = cup_clock_ns();
}

CUresult cup_grid_run(struct cup_grid *grid)
{
    unsigned width = width_of(grid);
    struct cup_monitor_activity *activity = &grid->context->device->usage->kernels;
    uint32_t suspended;

    cup_usage_begin(activity);
    if (cup_unlikely(grid->code->tier == JIT_TIER_FIRST))
        begin_run(grid);

    grid->runner = cup_worker_number();
    grid->batch = choose_batch(grid, width);
    run_parts(grid, (grid->blocks - 1) / grid->batch + 1, width);
    /* All workers have left, but one of them may have suspended a block. */
    while ((suspended = atomic_load(&grid->suspended_count)) != 0)
        run_parts(grid, suspended, width);
    update_block_ns(grid);
    if (cup_unlikely(grid->code->tier == JIT_TIER_FIRST))
        atomic_fetch_add_explicit(&grid->code->run_ns, cup_clock_ns() - grid->start_ns,
                                  memory_order_relaxed);
    cup_usage_end(activity);
    return atomic_load(&grid->error);
}
