/* SPDX-License-Identifier: MIT */
/* A phase of a barrier is complete when a lane that waited at it does the next thing. Then the
 * threads that did not arrive are looked at. */
#include "check/sync/barriers.h"

#include "abi/launch.h"
#include "abi/services.h"
#include "check/sync/reach.h"
#include "check/sync/sync_report.h"
#include "exec/sched/grid.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

bool cup_synccheck_unit_init(struct cup_synccheck_unit *unit, uint32_t blocks, uint32_t warps,
                             struct cup_abi_race_warp *quick)
{
    size_t barriers = (size_t)blocks * CUP_SYNC_BARRIERS;

    *unit = (struct cup_synccheck_unit){.blocks = blocks, .warps = warps, .quick = quick};
    unit->all_warps = calloc((size_t)blocks * warps, sizeof(*unit->all_warps));
    unit->barriers = calloc(barriers, sizeof(*unit->barriers));
    unit->lanes = calloc(barriers * warps, sizeof(*unit->lanes));
    if (!unit->all_warps || !unit->barriers || !unit->lanes) {
        cup_synccheck_unit_finish(unit);
        return false;
    }
    for (size_t b = 0; b < barriers; b++)
        unit->barriers[b].lanes = unit->lanes + b * warps;
    return true;
}

void cup_synccheck_unit_finish(struct cup_synccheck_unit *unit)
{
    free(unit->all_warps);
    free(unit->barriers);
    free(unit->lanes);
    cup_mbarset_finish(&unit->mbarriers);
    *unit = (struct cup_synccheck_unit){.blocks = 0};
}

void cup_synccheck_unit_begin(struct cup_synccheck_unit *unit, const struct cup_grid *grid,
                              uint32_t threads)
{
    unit->grid = grid;
    unit->mbarriers.count = 0;
    unit->first_site = 0;
    for (uint32_t f = 0; f < grid->function; f++)
        unit->first_site += grid->program->functions[f].instruction_count;
    unit->end_site = unit->first_site + grid->program->functions[grid->function].instruction_count;
    for (uint32_t w = 0; w < unit->blocks * unit->warps; w++) {
        uint32_t first = w % unit->warps * CUP_SYNC_LANES, lanes = threads - first;

        memset(&unit->all_warps[w], 0, offsetof(struct cup_synccheck_warp, sites));
        unit->all_warps[w].exists = lanes >= CUP_SYNC_LANES ? UINT32_MAX : (1u << lanes) - 1;
    }
    for (uint32_t b = 0; b < unit->blocks * CUP_SYNC_BARRIERS; b++)
        unit->barriers[b].is_used = false;
}

static struct cup_synccheck_warp *warp_of(const struct cup_synccheck_unit *unit, uint32_t rank,
                                          uint32_t warp)
{
    return &unit->all_warps[rank * unit->warps + warp];
}

static struct cup_synccheck_barrier *barrier_of(const struct cup_synccheck_unit *unit,
                                                uint32_t rank, uint32_t id)
{
    return &unit->barriers[rank * CUP_SYNC_BARRIERS + id % CUP_SYNC_BARRIERS];
}

static uint32_t furthest_of(const struct cup_synccheck_unit *unit,
                            const struct cup_synccheck_warp *warp, uint32_t lane)
{
    uint32_t of_all = unit->quick[warp - unit->all_warps].furthest;

    return warp->furthest[lane] > of_all ? warp->furthest[lane] : of_all;
}

/* Looks for a thread that went round the barrier. */
static void find_absent(struct cup_synccheck_unit *unit, struct cup_abi_block *block, uint32_t rank,
                        const struct cup_synccheck_barrier *barrier)
{
    for (uint32_t w = 0; w < unit->warps; w++) {
        const struct cup_synccheck_warp *warp = warp_of(unit, rank, w);

        for (uint32_t left = warp->exists & ~barrier->lanes[w]; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left), furthest = furthest_of(unit, warp, lane);

            if (furthest <= barrier->furthest || furthest <= barrier->site + 1)
                continue;
            if (cup_site_reaches(&unit->grid->program->functions[unit->grid->function],
                                 barrier->site - unit->first_site,
                                 furthest - 1 - unit->first_site)) {
                cup_synccheck_report_absent(block, barrier, w, lane, furthest - 1);
                return;
            }
        }
    }
}

static void complete(struct cup_synccheck_unit *unit, struct cup_abi_block *block, uint32_t rank,
                     struct cup_synccheck_barrier *barrier)
{
    if (barrier->is_used && barrier->count == unit->warps * CUP_SYNC_LANES &&
        barrier->site >= unit->first_site && barrier->site < unit->end_site)
        find_absent(unit, block, rank, barrier);
    barrier->is_used = false;
}

/* The lanes have passed what they waited at. */
static void pass_barriers(struct cup_synccheck_unit *unit, struct cup_abi_block *block,
                          uint32_t rank, struct cup_synccheck_warp *warp, uint32_t mask)
{
    uint32_t w = (uint32_t)(warp - warp_of(unit, rank, 0));

    for (uint32_t left = warp->is_together ? 1 : warp->at_barrier & mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        struct cup_synccheck_barrier *barrier = barrier_of(unit, rank, warp->barriers[lane]);

        if (barrier->is_used && barrier->lanes[w] >> lane & 1)
            complete(unit, block, rank, barrier);
    }
    warp->at_barrier &= warp->is_together ? 0 : ~mask;
    warp->is_together = false;
}

static void pass_sync(struct cup_abi_block *block, struct cup_synccheck_warp *warp, uint32_t w,
                      uint32_t mask)
{
    for (uint32_t left = warp->at_sync & mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint32_t absent = warp->went_on[lane] & ~warp->came[lane];

        if (absent)
            cup_synccheck_report_members(block, w, lane, warp->sites[lane], warp->members[lane],
                                         absent);
    }
    warp->at_sync &= ~mask;
}

void cup_synccheck_step(struct cup_synccheck_unit *unit, struct cup_abi_block *block, uint32_t rank,
                        uint32_t w, uint32_t mask, uint32_t site)
{
    struct cup_synccheck_warp *warp = warp_of(unit, rank, w);

    if (warp->at_barrier & mask)
        pass_barriers(unit, block, rank, warp, mask);
    if (warp->at_sync & mask)
        pass_sync(block, warp, w, mask);
    for (uint32_t left = warp->at_sync; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        warp->went_on[lane] |= mask & warp->members[lane];
    }
    if (mask == warp->exists) {
        cup_synccheck_step_all(unit, rank, w, site);
        return;
    }
    if (site < unit->first_site || site >= unit->end_site)
        return;
    warp->has_furthest = true;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (warp->furthest[lane] < site + 1)
            warp->furthest[lane] = site + 1;
    }
}

static void use_barrier(struct cup_synccheck_unit *unit, struct cup_synccheck_barrier *barrier,
                        uint32_t site, uint32_t count)
{
    uint32_t *lanes = barrier->lanes;

    if (barrier->is_used)
        return;
    *barrier = (struct cup_synccheck_barrier){
        .is_used = true, .site = site, .count = count, .lanes = lanes};
    memset(lanes, 0, unit->warps * sizeof(*lanes));
}

static void arrive(const struct cup_synccheck_unit *unit, struct cup_synccheck_warp *warp,
                   const struct cup_kcheck_sync *sync, struct cup_synccheck_barrier *barrier,
                   uint32_t id)
{
    uint32_t furthest = unit->quick[warp - unit->all_warps].furthest;

    for (uint32_t left = warp->has_furthest ? sync->mask : 0; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);

        furthest = warp->furthest[lane] > furthest ? warp->furthest[lane] : furthest;
    }
    if (barrier->furthest < furthest)
        barrier->furthest = furthest;
    if (sync->kind != CUP_ABI_SYNC_KIND_BARRIER)
        return;
    warp->at_barrier |= sync->mask;
    warp->is_together = sync->mask == warp->exists;
    for (uint32_t left = warp->is_together ? 1 : sync->mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);

        warp->barriers[lane] = id;
        warp->sites[lane] = sync->site;
    }
}

static void check_barrier(struct cup_synccheck_unit *unit, uint32_t rank,
                          const struct cup_kcheck_sync *sync)
{
    struct cup_synccheck_warp *warp = warp_of(unit, rank, sync->warp);
    uint64_t value = sync->values[__builtin_ctz(sync->mask)];
    uint32_t id = (uint32_t)value, count = (uint32_t)(value >> 32);
    uint32_t all = unit->warps * CUP_SYNC_LANES;
    struct cup_synccheck_barrier *barrier;

    if (id == CUP_ABI_BARRIER_CLUSTER || id == CUP_ABI_BARRIER_PRODUCTS)
        return;
    count = count ? count : all;
    barrier = barrier_of(unit, rank, id);
    use_barrier(unit, barrier, sync->site, count);
    if (count % CUP_SYNC_LANES)
        cup_synccheck_report_count(sync, id, count);
    else if (barrier->count != count)
        cup_synccheck_report_counts(sync, barrier, id, count);
    barrier->lanes[sync->warp] |= sync->mask;
    arrive(unit, warp, sync, barrier, id);
}

static void wait_for_members(struct cup_synccheck_warp *warp, const struct cup_kcheck_sync *sync,
                             uint32_t lane)
{
    uint32_t members = (uint32_t)sync->values[lane], came = sync->mask;

    for (uint32_t left = warp->at_sync; left; left &= left - 1) {
        uint32_t other = (uint32_t)__builtin_ctz(left);
        if (warp->members[other] == members) {
            warp->came[other] |= 1u << lane;
            came |= 1u << other;
        }
    }
    warp->at_sync |= 1u << lane;
    warp->members[lane] = members;
    warp->sites[lane] = sync->site;
    warp->came[lane] = came;
    warp->went_on[lane] = 0;
}

static void check_members(struct cup_synccheck_unit *unit, uint32_t rank,
                          const struct cup_kcheck_sync *sync)
{
    struct cup_synccheck_warp *warp = warp_of(unit, rank, sync->warp);

    for (uint32_t left = sync->mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint32_t members = (uint32_t)sync->values[lane];

        if (!(members >> lane & 1))
            cup_synccheck_report_not_member(sync, lane, members);
        else if (members & warp->exists & ~sync->mask)
            wait_for_members(warp, sync, lane);
    }
}

void cup_synccheck_check(struct cup_synccheck_unit *unit, uint32_t rank,
                         const struct cup_kcheck_sync *sync)
{
    switch (sync->kind) {
    case CUP_ABI_SYNC_KIND_BARRIER:
    case CUP_ABI_SYNC_KIND_ARRIVE:
        check_barrier(unit, rank, sync);
        break;
    case CUP_ABI_SYNC_KIND_WARP:
    case CUP_ABI_SYNC_KIND_EXCHANGE:
        check_members(unit, rank, sync);
        break;
    default:
        break;
    }
}

void cup_synccheck_deadlock(struct cup_synccheck_unit *unit, struct cup_abi_block *block,
                            uint32_t rank)
{
    struct cup_synccheck_waits waits = {.count = 0};

    for (uint32_t w = 0; w < unit->warps; w++) {
        const struct cup_synccheck_warp *warp = warp_of(unit, rank, w);

        for (uint32_t left = warp->at_barrier | warp->at_sync; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            bool at_barrier = warp->at_barrier >> lane & 1;

            uint32_t first = warp->is_together ? 0 : lane;

            cup_synccheck_waits_add(&waits, w, lane, warp->sites[first],
                                    at_barrier ? (int)warp->barriers[first] : -1);
        }
    }
    cup_synccheck_report_deadlock(block, &waits);
}
