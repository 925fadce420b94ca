/* SPDX-License-Identifier: MIT */
/* Accesses and synchronisation of a kernel, as the race detector, the check of barriers and that of
 * copies need them. */
#include "check/race/races.h"

#include "abi/services.h"
#include "check/kernel/place.h"
#include "check/race/access.h"
#include "check/race/checked_unit.h"
#include "check/sync/sync_report.h"
#include "core/checks.h"
#include "exec/sched/grid.h"
#include "exec/services/mbarrier.h"

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

static uint32_t word_of(const struct cup_checked_unit *unit, const struct cup_abi_block *block,
                        uint64_t address)
{
    return (
        uint32_t)(cup_race_shared_offset(unit->races, (uint64_t)(uintptr_t)block->window, address) /
                  CUP_RACE_WORD_BYTES);
}

/* Whether the access is that of a cp.async that fills shared memory. */
static bool is_copy(const struct cup_kcheck_access *access)
{
    const struct ptx_function *function;
    const struct ptx_instruction *i;

    if (!(access->access & CUP_ABI_ASYNC) || !(access->access & CUP_ABI_WRITES))
        return false;
    i = cup_kcheck_instruction(cup_grid_of(access->block), access->site, &function);
    return i && i->op == PTX_OP_cp && !ptx_has(i, PTX_MOD_BULK);
}

static void report_copy(const struct cup_checked_unit *unit, const struct cup_kcheck_access *access,
                        uint32_t lane, uint32_t thread, uint32_t site)
{
    uint32_t threads = unit->sync.warps * CUP_ABI_WARP_LANES;
    const struct cup_cluster *cluster = cup_checked_cluster(access->block);
    const struct cup_abi_block *other =
        cluster ? &cluster->members[thread / threads]->block : access->block;

    cup_synccheck_report_copy(access, lane, other, thread % threads, site);
}

/* Lanes access shared memory: notes what cp.async fills, and looks for what it has not yet. */
static void look_at_copies(struct cup_checked_unit *unit, const struct cup_kcheck_access *access,
                           uint32_t warp, uint32_t mask)
{
    bool copies = is_copy(access);
    uint32_t other, site, all = unit->races->warps * CUP_ABI_WARP_LANES;

    if (copies && !unit->copies.is_used)
        cup_race_unsettle_all(unit->races);
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t address = access->addresses[lane];
        uint32_t word = word_of(unit, access->block, address);
        uint32_t last = word_of(unit, access->block, address + access->bytes - 1);

        if (copies)
            cup_copies_add(&unit->copies, unit->races->blocks * unit->races->shared_words, all,
                           warp * CUP_ABI_WARP_LANES + lane, access->site, word, last - word + 1);
        for (; !copies && unit->copies.is_used && word <= last; word++)
            if (cup_copies_find(&unit->copies, word, &other, &site)) {
                report_copy(unit, access, lane, other, site);
                return;
            }
    }
}

static void access_memory(struct cup_checked_unit *unit, const struct cup_kcheck_access *access,
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
    if (shared && (unit->copies.is_used || access->access & CUP_ABI_ASYNC) &&
        cup_checks.kernels & CUP_ABI_CHECK_SYNC)
        look_at_copies(unit, access, warp, shared);
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
static void settle(struct cup_checked_unit *unit, struct cup_abi_block *block, uint32_t w,
                   uint32_t mask, uint32_t site)
{
    uint32_t rank = cup_checked_rank(block), warp = rank * unit->sync.warps + w;

    if (unit->races->is_writing)
        cup_race_write_end(unit->races);
    if (!unit->races->all_warps[warp].is_settled)
        cup_race_settle(unit->races, warp, mask);
    if (cup_checks.kernels & CUP_ABI_CHECK_SYNC)
        cup_synccheck_step(&unit->sync, block, rank, w, mask, site);
    if (!cup_synccheck_is_waiting(&unit->sync, rank, w) && !unit->copies.is_used)
        cup_race_settled(unit->races, warp);
}

void cup_races_access(const struct cup_kcheck_access *access)
{
    struct cup_checked_unit *unit = cup_checked_unit_of(access->block);
    uint32_t rank, warp;

    if (!unit)
        return;
    rank = cup_checked_rank(access->block);
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
static bool is_whole(const struct cup_checked_unit *unit, const struct cup_kcheck_lanes *run,
                     uint32_t warp)
{
    return !unit->copies.is_used && run->mask == unit->races->all_warps[warp].lanes &&
           cup_abi_how_order(run->how) == CUP_ABI_ORDER_WEAK &&
           !(cup_abi_how_access(run->how) & CUP_ABI_ATOMIC) &&
           (run->stride == 0 || run->stride == run->bytes);
}

static struct cup_race_run race_run_of(const struct cup_checked_unit *unit,
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
static struct cup_checked_unit *settled_unit(const struct cup_kcheck_lanes *run, uint32_t site,
                                             uint32_t *warp)
{
    struct cup_checked_unit *unit = run->block->checked;
    uint32_t rank = cup_checked_rank(run->block);

    if (cup_unlikely(!unit || !unit->has_begun))
        unit = cup_checked_unit_of(run->block);
    if (!unit)
        return NULL;
    *warp = rank * unit->sync.warps + run->warp;
    if (unit->races->is_writing)
        cup_race_write_end(unit->races);
    if (cup_unlikely(!unit->races->all_warps[*warp].is_settled ||
                     run->mask != unit->races->all_warps[*warp].lanes))
        settle(unit, run->block, run->warp, run->mask, site);
    else if (cup_checks.kernels & CUP_ABI_CHECK_SYNC)
        cup_synccheck_step_all(&unit->sync, rank, run->warp, site);
    return unit;
}

void cup_races_lanes(const struct cup_kcheck_lanes *run)
{
    uint32_t warp;
    struct cup_checked_unit *unit = settled_unit(run, run->site, &warp);
    enum ptx_space space = unit && is_whole(unit, run, warp) ? space_of(run) : PTX_SPACE_NONE;

    if (space != PTX_SPACE_NONE) {
        const struct cup_race_run reported = race_run_of(unit, run, warp, space);

        if (cup_race_check_run(unit->races, &reported))
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
    struct cup_checked_unit *unit = settled_unit(&run, reads->sites[reads->count - 1], &warp);
    enum ptx_space space = (enum ptx_space)cup_abi_how_space(reads->how);
    bool whole = unit && space != PTX_SPACE_NONE && is_whole(unit, &run, warp);

    while (unit && done < reads->count) {
        run.address = address + done * (uint64_t)reads->step;
        run.site = reads->sites[done];
        if (whole) {
            const struct cup_race_run reported = race_run_of(unit, &run, warp, space);

            done += cup_race_check_runs(unit->races, &reported, reads->step, reads->count - done,
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

    if (id == CUP_ABI_BARRIER_PRODUCTS)
        cup_race_products(unit, warp, sync->mask, waits);
    else if (id != CUP_ABI_BARRIER_CLUSTER)
        cup_race_barrier(unit, warp, sync->mask, cup_race_barrier_number(rank, id),
                         phase_of(sync->block, id), waits);
    else if (waits)
        cup_race_cluster_wait(unit, warp, sync->mask);
    else
        cup_race_cluster_arrive(unit, warp, sync->mask);
}

/* A cp.async of any kind but copies themselves, and bulk ones. Those who wait for the mbarrier at
 * which cp.async.mbarrier.arrive arrives are not known: its copies count as done. */
static void wait_for_copies(struct cup_checked_unit *unit, uint32_t warp,
                            const struct cup_kcheck_sync *sync)
{
    const struct ptx_function *function;
    const struct ptx_instruction *i;

    if (!unit->copies.is_used)
        return;
    i = cup_kcheck_instruction(cup_grid_of(sync->block), sync->site, &function);
    if (i && i->op == PTX_OP_cp && !ptx_has(i, PTX_MOD_BULK))
        cup_copies_wait(&unit->copies, warp * CUP_ABI_WARP_LANES, sync, i);
}

/* Threads that wait at an mbarrier acquire, those that arrive release. */
static void sync_mbarrier(struct cup_checked_unit *checked, uint32_t warp,
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
    wait_for_copies(checked, warp, sync);
    for (uint32_t left = i && ptx_has(i, PTX_MOD_INVAL) ? sync->mask : 0; left; left &= left - 1)
        cup_mbarset_end(&checked->sync.mbarriers, sync->values[__builtin_ctz(left)]);
}

void cup_races_sync(const struct cup_kcheck_sync *sync)
{
    struct cup_checked_unit *unit = cup_checked_unit_of(sync->block);
    uint32_t rank, warp;

    if (!unit || !sync->mask)
        return;
    rank = cup_checked_rank(sync->block);
    warp = rank * unit->sync.warps + sync->warp;
    settle(unit, sync->block, sync->warp, sync->mask, sync->site);
    cup_race_unsettle(unit->races, warp);
    if (cup_checks.kernels & CUP_ABI_CHECK_SYNC)
        cup_synccheck_check(&unit->sync, rank, sync);
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
        wait_for_copies(unit, warp, sync);
        break;
    }
}

void cup_races_heap(struct cup_abi_block *block)
{
    struct cup_checked_unit *unit = cup_checked_unit_of(block);

    for (uint32_t w = 0; unit && w < unit->sync.warps; w++)
        cup_race_fence(unit->races, cup_checked_rank(block) * unit->sync.warps + w, UINT32_MAX,
                       true);
}

void cup_races_mbarrier(const struct cup_mbarrier_use *use)
{
    struct cup_checked_unit *unit = cup_checked_unit_of(use->block);

    if (unit)
        cup_mbarset_use(&unit->sync.mbarriers, use);
}

void cup_races_deadlock(struct cup_abi_block *block)
{
    struct cup_checked_unit *unit = block->checked;

    if (unit && unit->has_begun)
        cup_synccheck_deadlock(&unit->sync, block, cup_checked_rank(block));
}
