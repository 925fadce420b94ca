/* SPDX-License-Identifier: MIT */
/* Blocks that wait for other blocks may wait for blocks that are not started yet. A worker whose
 * block makes no progress suspends it and resumes another suspended block or starts a new one. The
 * thread that runs the job stays until no block is left. Helpers leave if another job needs them,
 * because that job may be what the block waits for.
 *
 * A cluster is begun, run, suspended and finished like a block: its first block stands for it. */
#include "exec/sched/grid_waiting.h"

#include "abi/launch.h"
#include "core/compiler.h"
#include "core/error.h"
#include "core/thread.h"
#include "exec/sched/cluster.h"
#include "exec/sched/fault.h"
#include "exec/sched/grid.h"
#include "exec/sched/warp_switch.h"
#include "exec/sched/worker.h"
#include "os/clock.h"
#include "os/guard.h"
#include "stream/engine.h"

#include <sched.h>

enum {
    TRIES_BEFORE_NEW = 64, /* how often a block is retried before another one is started */
    TRIES_BEFORE_SLEEP = 4096,
    SLEEP_NS = 20000,
};

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

/* The position of number `linear` in a box of this size. */
static void find_position(uint64_t linear, const uint32_t size[3], uint32_t position[3])
{
    uint64_t row = linear / size[0];

    position[0] = (uint32_t)(linear - row * size[0]);
    position[1] = (uint32_t)(size[2] == 1 ? row : row % size[1]);
    position[2] = (uint32_t)(size[2] == 1 ? 0 : row / size[1]);
}

static void set_indices(const struct cup_grid *grid, struct cup_cluster *cluster, uint64_t number)
{
    const struct cup_abi_launch *launch = &grid->launch;
    uint32_t clusters[3], first[3], inside[3];
    uint32_t size[3] = {1, 1, 1};

    for (unsigned axis = 0; axis < 3; axis++) {
        if (launch->cluster[axis])
            size[axis] = launch->cluster[axis];
        clusters[axis] = launch->grid[axis] / size[axis];
    }
    find_position(number, clusters, first);
    for (uint32_t rank = 0; rank < cluster->count; rank++) {
        struct cup_abi_block *block = &cluster->members[rank]->block;

        find_position(rank, size, inside);
        for (unsigned axis = 0; axis < 3; axis++)
            block->index[axis] = first[axis] * size[axis] + inside[axis];
        block->linear =
            block->index[0] + (uint64_t)launch->grid[0] *
                                  (block->index[1] + (uint64_t)launch->grid[1] * block->index[2]);
    }
}

/* A block or, if the kernel uses clusters, a cluster. */
static struct cup_resident *unit_get(struct cup_grid *grid)
{
    return grid->cluster_blocks ? cup_cluster_get(grid) : cup_resident_get(grid, &grid->needs);
}

static void unit_put(struct cup_resident *unit, bool abandoned)
{
    if (unit->cluster)
        cup_cluster_put(unit->cluster, abandoned);
    else
        cup_resident_put(unit, abandoned);
}

static void unit_begin(struct cup_grid *grid, struct cup_resident *unit, uint64_t linear)
{
    if (unit->cluster) {
        set_indices(grid, unit->cluster, linear);
        cup_cluster_begin(unit->cluster);
        return;
    }
    unit->block.linear = linear;
    find_position(linear, grid->launch.grid, unit->block.index);
    cup_resident_begin(unit);
}

static enum cup_block_outcome unit_run(struct cup_resident *unit, uint32_t sm,
                                       struct cup_fiber *home)
{
    struct cup_cluster *cluster = unit->cluster;

    if (!cluster) {
        unit->block.sm = sm;
        return cup_resident_run(unit, home);
    }
    for (uint32_t rank = 0; rank < cluster->count; rank++)
        cluster->members[rank]->block.sm = sm;
    return cup_cluster_run(cluster, home);
}

/* The block that ran last. */
static struct cup_resident *unit_block(struct cup_resident *unit)
{
    return unit->cluster ? unit->cluster->members[unit->cluster->running] : unit;
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

void cup_grid_abandon_suspended(struct cup_grid *grid)
{
    struct cup_resident *resident;

    while ((resident = pop_suspended(grid)))
        unit_put(resident, true);
}

static bool ensure_spare(struct worker *worker)
{
    if (!worker->spare)
        worker->spare = unit_get(worker->grid);
    return worker->spare != NULL;
}

/* Starts a block in the spare resident. */
static void begin(struct worker *worker, uint64_t linear)
{
    worker->current = worker->spare;
    worker->spare = NULL;
    unit_begin(worker->grid, worker->current, linear);
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
        unit_put(done, false);
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
    uint32_t sm = cup_grid_sm_of_worker(grid);

    while (!worker->leaving && !cup_grid_failed(grid) &&
           (worker->current || acquire_work(worker))) {
        worker->on_fiber = true;
        enum cup_block_outcome outcome = unit_run(worker->current, sm, &worker->home);
        worker->on_fiber = false;
        if (cup_likely(outcome == CUP_BLOCK_DONE))
            finish(worker);
        else if (outcome == CUP_BLOCK_STUCK)
            on_stuck(worker);
        else
            cup_fault_report_deadlock(grid, unit_block(worker->current));
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

    if (resident && worker->faulted) {
        const struct cup_resident *block = unit_block(resident);

        cup_fault_report(worker->grid, &block->block, (int)block->warp, block->frame,
                         &worker->fault);
    }
    if (resident)
        unit_put(resident, true);
    cup_grid_abandon_suspended(worker->grid);
}

void cup_grid_run_waiting(struct cup_grid *grid, uint64_t first, uint64_t end)
{
    struct worker worker = {.grid = grid, .next = first, .end = end};

    cup_worker_need_signal_stack();
    cup_thread_worker(cup_thread_self())->has_matrix_shapes = false;
    cup_fiber_adopt_thread(&worker.home);
    if (cup_unlikely(!cup_guard_run_caught(waiting_body, waiting_caught, &worker)) &&
        worker.on_fiber)
        cup_fiber_after_jump(&worker.home);
    if (cup_unlikely(cup_grid_failed(grid) || worker.faulted))
        waiting_failed(&worker);
    if (worker.spare)
        unit_put(worker.spare, false);
}
