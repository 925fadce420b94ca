/* SPDX-License-Identifier: MIT */
/* Blocks, or clusters of blocks, get a unit when they first tell of something. Units are kept for
 * other blocks of the same shape. */
#include "exec/check_races.h"

#include "abi/services.h"
#include "exec/block.h"
#include "exec/check_races_report.h"
#include "exec/check_sync.h"
#include "exec/check_where.h"
#include "exec/cluster.h"
#include "exec/grid.h"
#include "exec/race_unit.h"

#include <pthread.h>
#include <stdlib.h>

/* What abi_block.checked points to, of all blocks of a cluster. */
struct checked_unit {
    struct checked_unit *next; /* in the pool */
    struct cup_race_unit *races;
    struct cup_sync_unit sync;
    uint32_t shared_bytes;
    uint64_t first_block; /* the index of its first block in the grid */
    uint32_t holders;     /* blocks that have not been put back */
    bool has_begun;
};

/* Leaf mutex: guards the pool. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct checked_unit *pool; /* guarded by lock */

static const struct cup_cluster *cluster_of(const struct cup_abi_block *block)
{
    const struct cup_resident *resident = block->state;

    return resident ? resident->cluster : NULL;
}

static uint32_t rank_of(const struct cup_abi_block *block)
{
    return cluster_of(block) ? ((const struct cup_resident *)block->state)->rank : 0;
}

static const struct cup_abi_block *first_block(const struct cup_abi_block *block)
{
    const struct cup_cluster *cluster = cluster_of(block);

    return cluster ? &cluster->members[0]->block : block;
}

static uint32_t shared_bytes_of(const struct cup_abi_launch *launch)
{
    return launch->shared_static_bytes + launch->shared_dynamic_bytes;
}

static void destroy_unit(struct checked_unit *unit)
{
    cup_race_unit_destroy(unit->races);
    cup_sync_unit_finish(&unit->sync);
    free(unit);
}

static struct checked_unit *create_unit(uint32_t blocks, uint32_t warps, uint32_t shared_bytes)
{
    struct checked_unit *unit = calloc(1, sizeof(*unit));

    if (!unit)
        return NULL;
    unit->shared_bytes = shared_bytes;
    unit->races = cup_race_unit_create(blocks, warps, shared_bytes);
    if (unit->races && cup_sync_unit_init(&unit->sync, blocks, warps, unit->races->quick))
        return unit;
    destroy_unit(unit);
    return NULL;
}

static struct checked_unit *take_unit(uint32_t blocks, uint32_t warps, uint32_t shared_bytes)
{
    struct checked_unit **link = &pool, *unit;

    pthread_mutex_lock(&lock);
    while ((unit = *link) && (unit->sync.blocks != blocks || unit->sync.warps != warps ||
                              unit->shared_bytes != shared_bytes))
        link = &unit->next;
    if (unit)
        *link = unit->next;
    pthread_mutex_unlock(&lock);
    return unit ? unit : create_unit(blocks, warps, shared_bytes);
}

static struct checked_unit *give_unit(struct cup_abi_block *block)
{
    const struct cup_cluster *cluster = cluster_of(block);
    const struct cup_abi_launch *launch = block->launch;
    uint32_t blocks = cluster ? cluster->count : 1;
    struct checked_unit *unit = take_unit(blocks, launch->block_warps, shared_bytes_of(launch));

    if (!unit)
        return NULL;
    unit->has_begun = false;
    unit->holders = blocks;
    unit->races->found = cup_races_report;
    for (uint32_t rank = 0; cluster && rank < blocks; rank++)
        cluster->members[rank]->block.checked = unit;
    return block->checked = unit;
}

/* Compiled code of the block knows its unit. */
static void show_unit(struct cup_abi_block *block, const struct checked_unit *unit, uint32_t rank)
{
    const struct cup_race_unit *races = unit->races;

    block->race_warps = races->quick + (size_t)rank * unit->sync.warps;
    block->race_lines = races->blocks == 1 ? (const uint8_t *)races->shared.line : NULL;
    block->race_lines_bytes =
        races->blocks == 1 ? (uint64_t)races->shared_words * CUP_RACE_WORD_BYTES : 0;
}

static void begin_unit(struct checked_unit *unit, struct cup_abi_block *block)
{
    struct cup_grid *grid = cup_grid_of(block);
    const struct cup_cluster *cluster = cluster_of(block);

    if (unit->has_begun)
        cup_race_deferred_end(unit->races);
    unit->has_begun = true;
    unit->first_block = first_block(block)->linear;
    unit->races->context = grid;
    cup_race_unit_begin(unit->races, grid->races, (uint32_t)unit->first_block,
                        block->launch->block_threads);
    cup_sync_unit_begin(&unit->sync, grid, block->launch->block_threads);
    if (!cluster)
        show_unit(block, unit, 0);
    for (uint32_t rank = 0; cluster && rank < cluster->count; rank++)
        show_unit(&cluster->members[rank]->block, unit, rank);
}

/* A block that does not wait begins without notice: its index tells. */
static struct checked_unit *unit_of(struct cup_abi_block *block)
{
    struct checked_unit *unit = block->checked;

    if (cup_unlikely(!unit)) {
        if (!cup_grid_of(block)->races)
            return NULL;
        unit = give_unit(block);
        if (!unit)
            return NULL;
    }
    if (cup_unlikely(!unit->has_begun || unit->first_block != first_block(block)->linear))
        begin_unit(unit, block);
    return unit;
}

void cup_races_launch_begin(struct cup_grid *grid)
{
    uint64_t blocks = (uint64_t)grid->launch.grid[0] * grid->launch.grid[1] * grid->launch.grid[2];

    grid->races = malloc(sizeof(*grid->races));
    if (!grid->races)
        return;
    cup_race_launch_init(grid->races, blocks);
    grid->launch.race_chunks = cup_race_shadow_start() ? cup_race_shadow_table() : NULL;
}

void cup_races_launch_end(struct cup_grid *grid)
{
    if (grid->races)
        cup_race_launch_finish(grid->races);
    free(grid->races);
    grid->races = NULL;
}

/* Until the block tells of something, compiled code sees warps of which it must tell everything. */
void cup_races_block_begin(struct cup_abi_block *block)
{
    static struct cup_abi_race_warp telling[] = {
        [0 ... CUP_WARPS_MAX - 1] = {CUP_ABI_RACE_NO_TAG, CUP_ABI_RACE_NO_TAG, 0, 0,
                                     CUP_ABI_RACE_NO_READ}};
    struct checked_unit *unit = block->checked;

    block->race_warps = telling;
    block->race_lines_bytes = 0;
    if (!unit)
        return;
    if (unit->has_begun)
        cup_race_deferred_end(unit->races);
    unit->has_begun = false;
}

void cup_races_block_put(struct cup_abi_block *block, bool abandoned)
{
    struct checked_unit *unit = block->checked;

    if (cup_likely(!unit))
        return;
    if (unit->has_begun && !abandoned)
        cup_race_deferred_end(unit->races);
    unit->races->deferred_count = 0;
    block->checked = NULL;
    if (--unit->holders)
        return;
    pthread_mutex_lock(&lock);
    unit->next = pool;
    pool = unit;
    pthread_mutex_unlock(&lock);
}

/* Whether other blocks may see the instruction. */
static bool is_wide(enum cup_abi_scope scope)
{
    return scope != CUP_ABI_SCOPE_CTA && scope != CUP_ABI_SCOPE_CLUSTER;
}

/* An mbarrier is initialised while others may still ask for its last phase. */
static enum cup_race_strength strength_of(const struct cup_kcheck_access *access,
                                          const struct cup_race_warp *warp)
{
    if (access->access & (CUP_ABI_ATOMIC | CUP_ABI_INIT))
        return CUP_RACE_ATOMIC;
    if (access->order != CUP_ABI_ORDER_WEAK)
        return CUP_RACE_STRONG;
    return warp->fenced ? CUP_RACE_FENCED : CUP_RACE_WEAK;
}

/* The lanes whose addresses are in shared memory, and those of global memory. */
static void split_lanes(const struct cup_kcheck_access *access, uint32_t *shared, uint32_t *global)
{
    *shared = access->space == PTX_SHARED ? access->mask : 0;
    *global = access->space == PTX_GLOBAL ? access->mask : 0;
    if (access->space != PTX_SPACE_NONE)
        return;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        enum ptx_space space = cup_kcheck_space_of(access->block, access->addresses[lane]);

        *shared |= (uint32_t)(space == PTX_SHARED) << lane;
        *global |= (uint32_t)(space == PTX_GLOBAL) << lane;
    }
}

static void access_memory(struct checked_unit *unit, const struct cup_kcheck_access *access,
                          uint32_t warp)
{
    struct cup_race_access all = {
        .warp = warp,
        .site = access->site,
        .strength = strength_of(access, &unit->races->all_warps[warp]),
        .writes = (access->access & CUP_ABI_WRITES) != 0,
        .bytes = access->bytes,
        .addresses = access->addresses,
        .window = (uint64_t)(uintptr_t)access->block->window,
        .values = access->values,
        .element_bytes = access->element_bytes,
    };
    uint32_t shared, global;

    split_lanes(access, &shared, &global);
    all.mask = global;
    if (global)
        cup_race_check(unit->races, &all);
    all.mask = shared;
    all.is_shared = true;
    if (shared)
        cup_race_check(unit->races, &all);
}

/* mbarriers and asynchronous reductions are atomic, but weak: they order nothing by themselves. */
static void synchronise(struct cup_race_unit *unit, const struct cup_kcheck_access *access,
                        uint32_t warp)
{
    bool wide = access->space != PTX_SHARED && is_wide(access->scope);

    if (access->access & CUP_ABI_READS && access->order != CUP_ABI_ORDER_RELEASE)
        cup_race_acquire(unit, warp, access->mask, access->addresses, wide);
    if (access->access & CUP_ABI_WRITES && access->order != CUP_ABI_ORDER_ACQUIRE)
        cup_race_release(unit, warp, access->mask, access->addresses, wide);
}

/* Lanes are about to execute an instruction: what they waited at is past. */
static void settle(struct checked_unit *unit, struct cup_abi_block *block, uint32_t w,
                   uint32_t mask, uint32_t site)
{
    uint32_t rank = rank_of(block), warp = rank * unit->sync.warps + w;

    if (!unit->races->all_warps[warp].is_settled)
        cup_race_settle(unit->races, warp, mask);
    if (cup_kcheck_enabled & CUP_ABI_CHECK_SYNC)
        cup_sync_step(&unit->sync, block, rank, w, mask, site);
    if (!cup_sync_is_waiting(&unit->sync, rank, w))
        cup_race_settled(unit->races, warp);
}

void cup_races_access(const struct cup_kcheck_access *access)
{
    struct checked_unit *unit = unit_of(access->block);
    uint32_t rank, warp;

    if (!unit)
        return;
    rank = rank_of(access->block);
    warp = rank * unit->sync.warps + access->warp;
    settle(unit, access->block, access->warp, access->mask, access->site);
    access_memory(unit, access, warp);
    if (access->order != CUP_ABI_ORDER_WEAK)
        synchronise(unit->races, access, warp);
}

/* The space of a run: PTX_SHARED is that of the block itself, PTX_SPACE_NONE any other. */
static enum ptx_space space_of(const struct cup_kcheck_lanes *run)
{
    enum ptx_space space = (enum ptx_space)cup_abi_how_space(run->how), last;

    if (space == PTX_SPACE_NONE) {
        space = cup_kcheck_space_of(run->block, run->address);
        last = cup_kcheck_space_of(run->block,
                                   run->address + (uint64_t)run->stride * (CUP_ABI_WARP_LANES - 1));
        if (space != last || space == PTX_LOCAL)
            return PTX_SPACE_NONE;
    }
    return space;
}

/* Whether all lanes of the warp make a weak access that may be looked at as a whole. */
static bool is_whole(const struct checked_unit *unit, const struct cup_kcheck_lanes *run,
                     uint32_t warp)
{
    return run->mask == unit->races->all_warps[warp].lanes &&
           cup_abi_how_order(run->how) == CUP_ABI_ORDER_WEAK &&
           !(cup_abi_how_access(run->how) & CUP_ABI_ATOMIC) &&
           (run->stride == 0 || run->stride == run->bytes);
}

static struct cup_race_run race_run_of(const struct checked_unit *unit,
                                       const struct cup_kcheck_lanes *run, uint32_t warp,
                                       enum ptx_space space)
{
    return (struct cup_race_run){
        .warp = warp,
        .site = run->site,
        .strength = unit->races->all_warps[warp].fenced ? CUP_RACE_FENCED : CUP_RACE_WEAK,
        .writes = (cup_abi_how_access(run->how) & CUP_ABI_WRITES) != 0,
        .is_shared = space == PTX_SHARED,
        .is_row = run->stride != 0,
        .bytes = run->bytes,
        .address = run->address,
        .window = (uint64_t)(uintptr_t)run->block->window,
    };
}

/* The unit of a run whose warp is about to come to a site, with nothing left to settle; NULL: there
 * is none. */
static struct checked_unit *settled_unit(const struct cup_kcheck_lanes *run, uint32_t site,
                                         uint32_t *warp)
{
    struct checked_unit *unit = run->block->checked;
    uint32_t rank = rank_of(run->block);

    if (cup_unlikely(!unit || !unit->has_begun))
        unit = unit_of(run->block);
    if (!unit)
        return NULL;
    *warp = rank * unit->sync.warps + run->warp;
    if (cup_unlikely(!unit->races->all_warps[*warp].is_settled ||
                     run->mask != unit->races->all_warps[*warp].lanes))
        settle(unit, run->block, run->warp, run->mask, site);
    else if (cup_kcheck_enabled & CUP_ABI_CHECK_SYNC)
        cup_sync_step_all(&unit->sync, rank, run->warp, site);
    return unit;
}

void cup_races_lanes(const struct cup_kcheck_lanes *run)
{
    uint32_t warp;
    struct checked_unit *unit = settled_unit(run, run->site, &warp);
    enum ptx_space space = unit && is_whole(unit, run, warp) ? space_of(run) : PTX_SPACE_NONE;

    if (space != PTX_SPACE_NONE) {
        const struct cup_race_run told = race_run_of(unit, run, warp, space);

        if (cup_race_check_run(unit->races, &told))
            return;
    }
    if (unit)
        cup_kcheck_lanes_expand(run, cup_races_access);
}

/* Reads after the first one cost nothing but a look at their lines. */
void cup_races_reads(struct cup_abi_block *block, uint32_t w, uint32_t mask, uint64_t address,
                     const struct cup_abi_reads *reads)
{
    struct cup_kcheck_lanes run = {
        block, w, mask, address, reads->stride, reads->bytes, reads->sites[0], reads->how};
    uint32_t warp, done = 0;
    struct checked_unit *unit = settled_unit(&run, reads->sites[reads->count - 1], &warp);
    enum ptx_space space = (enum ptx_space)cup_abi_how_space(reads->how);
    bool whole = unit && space != PTX_SPACE_NONE && is_whole(unit, &run, warp);

    while (unit && done < reads->count) {
        run.address = address + done * (uint64_t)reads->step;
        run.site = reads->sites[done];
        if (whole) {
            const struct cup_race_run told = race_run_of(unit, &run, warp, space);

            done += cup_race_check_runs(unit->races, &told, reads->step, reads->count - done,
                                        reads->sites + done);
            if (done == reads->count)
                break;
            run.address = address + done * (uint64_t)reads->step;
            run.site = reads->sites[done];
        }
        cup_kcheck_lanes_expand(&run, cup_races_access);
        done++;
    }
}

/* The phase of a barrier that its warps' fibers wait at; a kernel without fibers has one barrier,
 * to which all of its warps come. */
static uint64_t phase_of(const struct cup_abi_block *block, uint32_t id)
{
    const struct cup_resident *resident = block->state;

    if (!resident)
        return CUP_RACE_PHASE_UNKNOWN;
    id %= CUP_BARRIER_COUNT;
    return resident->used_barriers >> id & 1 ? resident->barriers[id].phase : 0;
}

static void sync_barrier(struct cup_race_unit *unit, uint32_t rank, uint32_t warp,
                         const struct cup_kcheck_sync *sync)
{
    uint32_t id = (uint32_t)sync->values[__builtin_ctz(sync->mask)];
    bool waits = sync->kind == CUP_ABI_SYNC_KIND_BARRIER;

    if (id != CUP_ABI_BARRIER_CLUSTER)
        cup_race_barrier(unit, warp, sync->mask, cup_race_barrier_number(rank, id),
                         phase_of(sync->block, id), waits);
    else if (waits)
        cup_race_cluster_wait(unit, warp, sync->mask);
    else
        cup_race_cluster_arrive(unit, warp, sync->mask);
}

/* Threads that wait at an mbarrier acquire, those that arrive release. */
static void sync_mbarrier(struct checked_unit *checked, uint32_t warp,
                          const struct cup_kcheck_sync *sync)
{
    struct cup_race_unit *unit = checked->races;
    const struct ptx_function *function;
    const struct ptx_instruction *i =
        cup_kcheck_instruction(cup_grid_of(sync->block), sync->site, &function);

    if (i && (ptx_has(i, PTX_MOD_TEST_WAIT) || ptx_has(i, PTX_MOD_TRY_WAIT)))
        cup_race_acquire(unit, warp, sync->mask, sync->values, false);
    else
        cup_race_release(unit, warp, sync->mask, sync->values, false);
    for (uint32_t left = i && ptx_has(i, PTX_MOD_INVAL) ? sync->mask : 0; left; left &= left - 1)
        cup_mbarrier_set_end(&checked->sync.mbarriers, sync->values[__builtin_ctz(left)]);
}

void cup_races_sync(const struct cup_kcheck_sync *sync)
{
    struct checked_unit *unit = unit_of(sync->block);
    uint32_t rank, warp;

    if (!unit || !sync->mask)
        return;
    rank = rank_of(sync->block);
    warp = rank * unit->sync.warps + sync->warp;
    settle(unit, sync->block, sync->warp, sync->mask, sync->site);
    cup_race_unsettle(unit->races, warp);
    if (cup_kcheck_enabled & CUP_ABI_CHECK_SYNC)
        cup_sync_check(&unit->sync, rank, sync);
    switch (sync->kind) {
    case CUP_ABI_SYNC_KIND_BARRIER:
    case CUP_ABI_SYNC_KIND_ARRIVE:
        sync_barrier(unit->races, rank, warp, sync);
        break;
    case CUP_ABI_SYNC_KIND_WARP:
    case CUP_ABI_SYNC_KIND_EXCHANGE:
        cup_race_sync(unit->races, warp, sync->mask, sync->values);
        break;
    case CUP_ABI_SYNC_KIND_FENCE:
        cup_race_fence(unit->races, warp, sync->mask, is_wide(sync->scope));
        break;
    case CUP_ABI_SYNC_KIND_MBARRIER:
        sync_mbarrier(unit, warp, sync);
        break;
    case CUP_ABI_SYNC_KIND_COPIES:
        break;
    }
}

void cup_races_heap(struct cup_abi_block *block)
{
    struct checked_unit *unit = cup_races_are_checked() ? unit_of(block) : NULL;

    for (uint32_t w = 0; unit && w < unit->sync.warps; w++)
        cup_race_fence(unit->races, rank_of(block) * unit->sync.warps + w, UINT32_MAX, true);
}

void cup_races_mbarrier(const struct cup_mbarrier_use *use)
{
    struct checked_unit *unit =
        cup_kcheck_enabled & CUP_ABI_CHECK_SYNC ? unit_of(use->block) : NULL;

    if (unit)
        cup_mbarrier_set_use(&unit->sync.mbarriers, use);
}

void cup_races_deadlock(struct cup_abi_block *block)
{
    struct checked_unit *unit = block->checked;

    if (unit && unit->has_begun && (cup_kcheck_enabled & CUP_ABI_CHECK_SYNC))
        cup_sync_deadlock(&unit->sync, block, rank_of(block));
}
