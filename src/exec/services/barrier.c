/* SPDX-License-Identifier: MIT */
/* The sixteen barriers of a block. A barrier counts threads, but in whole warps if possible: a warp
 * whose live lanes have all arrived counts as 32, as on a device, even if it is partial or some
 * lanes have exited. Lanes that arrive one after the other are counted individually. Exited threads
 * are not waited for. Only one thread runs the warps of a block at a time, so no locks are
 * needed. */
#include "exec/sched/block.h"

#include "abi/launch.h"
#include "abi/services.h"
#include "abi/sync.h"
#include "core/compiler.h"
#include "exec/sched/cluster.h"
#include "exec/sched/warp_switch.h"
#include "exec/services/warpgroup.h"

enum { REDUCE_NONE, REDUCE_COUNT, REDUCE_AND, REDUCE_OR };

static struct cup_resident *resident_of(struct cup_abi_block *block)
{
    return block->state;
}

static struct cup_barrier *use_barrier(struct cup_resident *resident, uint32_t id)
{
    struct cup_barrier *barrier = &resident->barriers[id % CUP_BARRIER_COUNT];

    if (!(resident->used_barriers >> (id % CUP_BARRIER_COUNT) & 1)) {
        resident->used_barriers |= 1u << (id % CUP_BARRIER_COUNT);
        *barrier = (struct cup_barrier){.all = UINT32_MAX};
    }
    return barrier;
}

/* Counts arriving lanes: a complete warp counts as 32, minus what was counted of it before. */
static void count_lanes(struct cup_resident *resident, struct cup_barrier *barrier, uint32_t warp,
                        uint32_t mask)
{
    uint32_t live = resident->live[warp], bit = 1u << warp;
    uint32_t *partial = resident->partial[barrier - resident->barriers];

    if (cup_likely(!(barrier->partial_warps & bit) && (mask & live) == live)) {
        barrier->arrived += CUP_ABI_WARP_LANES;
        return;
    }
    if (!(barrier->partial_warps & bit))
        partial[warp] = 0;
    uint32_t before = (uint32_t)__builtin_popcount(partial[warp]);
    barrier->partial_warps |= bit;
    partial[warp] |= mask;
    barrier->arrived += (uint32_t)__builtin_popcount(partial[warp]) - before;
    if ((partial[warp] & live) == live) {
        barrier->arrived += CUP_ABI_WARP_LANES - (uint32_t)__builtin_popcount(partial[warp]);
        barrier->partial_warps &= ~bit;
    }
}

static bool complete(const struct cup_resident *resident, const struct cup_barrier *barrier)
{
    uint32_t expected =
        barrier->expected ? barrier->expected : resident->live_warps * CUP_ABI_WARP_LANES;

    return barrier->arrived && barrier->arrived >= expected;
}

static void release(struct cup_resident *resident, struct cup_barrier *barrier)
{
    uint32_t *results = barrier->results[barrier->phase % CUP_BARRIER_RESULTS];

    results[0] = barrier->count;
    results[1] = barrier->all;
    results[2] = barrier->any;
    barrier->phase++;
    barrier->arrived = 0;
    barrier->expected = 0;
    barrier->partial_warps = 0;
    barrier->count = 0;
    barrier->all = UINT32_MAX;
    barrier->any = 0;
    cup_resident_wake(resident, barrier->waiting);
    barrier->waiting = 0;
}

static void arrive(struct cup_resident *resident, struct cup_barrier *barrier, uint32_t warp,
                   uint32_t threads, uint32_t mask)
{
    if (threads)
        barrier->expected = threads;
    count_lanes(resident, barrier, warp, mask);
}

/* Inactive lanes contribute the neutral predicate. */
static void reduce_in(struct cup_barrier *barrier, uint32_t mask, uint32_t predicate_mask)
{
    barrier->count += (uint32_t)__builtin_popcount(predicate_mask & mask);
    barrier->all &= (predicate_mask & mask) == mask ? UINT32_MAX : 0;
    barrier->any |= (predicate_mask & mask) ? UINT32_MAX : 0;
}

static uint32_t result_of(const struct cup_barrier *barrier, uint64_t phase, uint32_t reduce)
{
    const uint32_t *results = barrier->results[phase % CUP_BARRIER_RESULTS];

    switch (reduce) {
    case REDUCE_COUNT:
        return results[0];
    case REDUCE_AND:
        return results[1] != 0;
    case REDUCE_OR:
        return results[2] != 0;
    default:
        return 0;
    }
}

/* Waits at what is no barrier of the block; false: it is one. */
CUP_ON_FIBER static bool wait_elsewhere(struct cup_resident *resident, uint32_t warp, uint32_t id,
                                        uint32_t threads, uint32_t mask)
{
    if (id == CUP_ABI_BARRIER_CLUSTER)
        cup_cluster_wait(resident, warp, mask);
    else if (id == CUP_ABI_BARRIER_PRODUCTS)
        cup_warpgroup_wait(resident, warp, threads);
    else
        return false;
    return true;
}

CUP_ON_FIBER uint32_t cup_barrier_wait(struct cup_abi_block *block, uint32_t warp, uint32_t id,
                                       uint32_t threads, uint32_t mask, uint32_t reduce,
                                       uint32_t predicate_mask)
{
    struct cup_resident *resident = resident_of(block);
    struct cup_barrier *barrier;
    uint64_t phase;

    if (cup_unlikely(id >= CUP_BARRIER_COUNT) && wait_elsewhere(resident, warp, id, threads, mask))
        return 0;
    barrier = use_barrier(resident, id);
    phase = barrier->phase;
    arrive(resident, barrier, warp, threads, mask);
    if (reduce != REDUCE_NONE)
        reduce_in(barrier, mask, predicate_mask);
    if (complete(resident, barrier)) {
        release(resident, barrier);
    } else {
        barrier->waiting |= 1u << warp;
        do
            cup_resident_sleep(resident, warp);
        while (cup_unlikely(barrier->phase == phase));
    }
    return reduce == REDUCE_NONE ? 0 : result_of(barrier, phase, reduce);
}

void cup_barrier_arrive(struct cup_abi_block *block, uint32_t warp, uint32_t id, uint32_t threads,
                        uint32_t mask)
{
    struct cup_resident *resident = resident_of(block);
    struct cup_barrier *barrier;

    if (id == CUP_ABI_BARRIER_CLUSTER) {
        cup_cluster_arrive(resident, warp, mask);
        return;
    }
    if (id == CUP_ABI_BARRIER_PRODUCTS) {
        cup_warpgroup_commit(resident, warp, mask);
        return;
    }
    barrier = use_barrier(resident, id);
    arrive(resident, barrier, warp, threads, mask);
    if (complete(resident, barrier))
        release(resident, barrier);
}

/* A ticket is the phase and, in the lowest bits, the requested reduction. */
void cup_barrier_begin(struct cup_abi_block *block, uint32_t warp, uint32_t id, uint32_t threads,
                       uint32_t mask, uint32_t reduce, uint32_t predicate_mask,
                       struct cup_abi_barrier_call *call)
{
    struct cup_resident *resident = resident_of(block);
    struct cup_barrier *barrier;
    uint32_t first = (uint32_t)__builtin_ctz(mask);

    call->ids[first] = id;
    call->masks[first] = mask;
    if (id == CUP_ABI_BARRIER_CLUSTER) {
        call->tickets[first] = warp;
        return;
    }
    if (id == CUP_ABI_BARRIER_PRODUCTS) {
        call->tickets[first] = (uint64_t)cup_warpgroup_target(resident, warp, threads) << 32 | warp;
        return;
    }
    barrier = use_barrier(resident, id);
    call->tickets[first] = barrier->phase << 2 | (reduce & 3);
    arrive(resident, barrier, warp, threads, mask);
    if (reduce != REDUCE_NONE)
        reduce_in(barrier, mask, predicate_mask);
    if (complete(resident, barrier))
        release(resident, barrier);
}

/* A group continues as a whole: its lanes arrived in one phase. */
static uint32_t passed_cluster(struct cup_abi_block *block, uint32_t mask, uint32_t warp)
{
    return cup_cluster_passed(resident_of(block), warp, mask) == mask ? mask : 0;
}

static uint32_t passed_products(struct cup_abi_block *block, uint32_t mask, uint64_t ticket)
{
    return cup_warpgroup_passed(resident_of(block), (uint32_t)ticket, (uint32_t)(ticket >> 32))
               ? mask
               : 0;
}

uint32_t cup_barrier_done(struct cup_abi_block *block, uint32_t parked,
                          struct cup_abi_barrier_call *call)
{
    uint32_t done = 0;

    while (parked) {
        uint32_t first = (uint32_t)__builtin_ctz(parked), mask = call->masks[first];
        struct cup_barrier *barrier;
        uint64_t ticket = call->tickets[first];

        parked &= ~mask;
        if (call->ids[first] == CUP_ABI_BARRIER_CLUSTER) {
            done |= passed_cluster(block, mask, (uint32_t)ticket);
            continue;
        }
        if (call->ids[first] == CUP_ABI_BARRIER_PRODUCTS) {
            done |= passed_products(block, mask, ticket);
            continue;
        }
        barrier = use_barrier(resident_of(block), call->ids[first]);
        if (barrier->phase <= ticket >> 2)
            continue;
        uint32_t result = result_of(barrier, ticket >> 2, (uint32_t)(ticket & 3));
        for (uint32_t left = mask; left; left &= left - 1)
            call->results[__builtin_ctz(left)] = result;
        done |= mask;
    }
    return done;
}

/* After an exit the remaining threads may complete a barrier. */
static void check_barriers(struct cup_resident *resident, uint32_t warp)
{
    uint32_t bit = 1u << warp;

    for (uint32_t used = resident->used_barriers; used; used &= used - 1) {
        struct cup_barrier *barrier = &resident->barriers[__builtin_ctz(used)];
        if ((barrier->partial_warps & bit) && resident->live[warp])
            count_lanes(resident, barrier, warp, 0);
        if (complete(resident, barrier))
            release(resident, barrier);
    }
}

void cup_barrier_lanes_exit(struct cup_abi_block *block, uint32_t warp, uint32_t mask)
{
    struct cup_resident *resident = resident_of(block);
    uint32_t before = resident->live[warp];

    resident->live[warp] = before & ~mask;
    if (before && !resident->live[warp]) {
        resident->live_warps--;
        cup_warpgroup_warp_exit(resident);
    }
    resident->wake_pending |= 1u << warp;
    if (before & mask)
        check_barriers(resident, warp);
    if (resident->cluster)
        cup_cluster_lanes_exit(resident, warp, before & mask);
}
