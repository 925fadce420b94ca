/* SPDX-License-Identifier: MIT */
/* The blocks of a cluster take turns: a block runs until it is done, until all of its warps sleep,
 * or until they only spin. If a turn of all blocks changed nothing, the cluster is stuck if a warp
 * spins, and deadlocked if all sleep.
 *
 * barrier.cluster counts threads. A thread that arrived is marked until the phase is complete, so a
 * waiting thread may continue when its mark is gone. */
#include "exec/sched/cluster.h"

#include "abi/launch.h"
#include "exec/sched/grid.h"

#include <stdlib.h>
#include <string.h>

static bool place_members(struct cup_cluster *cluster, uint32_t shared_bytes)
{
    uint8_t *base = cluster->members[0]->block.shared;

    if (cluster->count > 1 && shared_bytes)
        base = cup_cluster_window_get(&cluster->window, cluster->count, shared_bytes);
    if (!base)
        return false;
    for (uint32_t rank = 0; rank < cluster->count; rank++) {
        struct cup_resident *member = cluster->members[rank];

        member->cluster = cluster;
        member->rank = rank;
        member->block.window = base;
        member->block.shared = base + (size_t)rank * CUP_CLUSTER_STRIDE;
    }
    return true;
}

struct cup_resident *cup_cluster_get(struct cup_grid *grid)
{
    struct cup_cluster *cluster = calloc(1, sizeof(*cluster));
    struct cup_frame_needs needs = grid->needs;

    if (!cluster)
        return NULL;
    if (grid->cluster_blocks > 1)
        needs.shared_bytes = needs.shared_align = 0; /* it is in the cluster's window */
    while (cluster->count < grid->cluster_blocks) {
        struct cup_resident *member = cup_resident_get(grid, &needs);

        if (!member)
            break;
        cluster->members[cluster->count++] = member;
    }
    if (cluster->count == grid->cluster_blocks && place_members(cluster, grid->needs.shared_bytes))
        return cluster->members[0];
    cup_cluster_put(cluster, false);
    return NULL;
}

void cup_cluster_put(struct cup_cluster *cluster, bool abandoned)
{
    for (uint32_t rank = 0; rank < cluster->count; rank++) {
        cluster->members[rank]->cluster = NULL;
        cup_resident_put(cluster->members[rank], abandoned);
    }
    cup_cluster_window_put(&cluster->window);
    free(cluster);
}

void cup_cluster_begin(struct cup_cluster *cluster)
{
    cluster->running = 0;
    cluster->done = 0;
    cluster->progress = false;
    cluster->missing = cluster->count * cluster->members[0]->block.launch->block_threads;
    memset(cluster->arrived, 0, sizeof(cluster->arrived));
    memset(cluster->waiting, 0, sizeof(cluster->waiting));
    for (uint32_t rank = 0; rank < cluster->count; rank++)
        cup_resident_begin(cluster->members[rank]);
}

/* Runs each block once that has a warp to run. Returns whether one of them only spins. */
static bool take_turns(struct cup_cluster *cluster, struct cup_fiber *home)
{
    bool spins = false;

    for (uint32_t rank = 0; rank < cluster->count; rank++) {
        struct cup_resident *member = cluster->members[rank];
        enum cup_block_outcome outcome;

        if (cluster->done >> rank & 1 || !member->runnable)
            continue;
        cluster->running = rank;
        outcome = cup_resident_run(member, home);
        if (outcome == CUP_BLOCK_DONE) {
            cluster->done |= 1u << rank;
            cluster->progress = true;
        }
        spins |= outcome == CUP_BLOCK_STUCK;
    }
    return spins;
}

/* All warps sleep: releases lanes that wait for other lanes of their warp. */
static bool release_lanes(struct cup_cluster *cluster)
{
    for (uint32_t rank = 0; rank < cluster->count; rank++) {
        cluster->running = rank;
        if (!(cluster->done >> rank & 1) && cup_resident_release_lanes(cluster->members[rank]))
            return true;
    }
    return false;
}

enum cup_block_outcome cup_cluster_run(struct cup_cluster *cluster, struct cup_fiber *home)
{
    uint32_t all = (1u << cluster->count) - 1;

    for (;;) {
        cluster->progress = false;
        bool spins = take_turns(cluster, home);
        if (cluster->done == all)
            return CUP_BLOCK_DONE;
        if (cluster->progress)
            continue;
        if (spins)
            return CUP_BLOCK_STUCK;
        if (!release_lanes(cluster))
            return CUP_BLOCK_DEADLOCK;
    }
}

static void complete_phase(struct cup_cluster *cluster)
{
    cluster->missing = 0;
    for (uint32_t rank = 0; rank < cluster->count; rank++) {
        struct cup_resident *member = cluster->members[rank];

        for (uint32_t warp = 0; warp < member->block.launch->block_warps; warp++) {
            cluster->arrived[rank][warp] = 0;
            cluster->missing += (uint32_t)__builtin_popcount(member->live[warp]);
        }
        cup_resident_wake(member, cluster->waiting[rank]);
        cluster->waiting[rank] = 0;
    }
}

void cup_cluster_arrive(struct cup_resident *resident, uint32_t warp, uint32_t mask)
{
    struct cup_cluster *cluster = resident->cluster;
    uint32_t *arrived = &cluster->arrived[resident->rank][warp];
    uint32_t fresh = mask & resident->live[warp] & ~*arrived;

    *arrived |= fresh;
    cluster->missing -= (uint32_t)__builtin_popcount(fresh);
    if (fresh && cluster->missing == 0)
        complete_phase(cluster);
}

uint32_t cup_cluster_passed(const struct cup_resident *resident, uint32_t warp, uint32_t mask)
{
    return mask & ~resident->cluster->arrived[resident->rank][warp];
}

CUP_ON_FIBER void cup_cluster_wait(struct cup_resident *resident, uint32_t warp, uint32_t mask)
{
    mask &= resident->live[warp];
    while (cup_cluster_passed(resident, warp, mask) != mask) {
        resident->cluster->waiting[resident->rank] |= 1u << warp;
        cup_resident_sleep(resident, warp);
    }
}

/* Lanes that leave were missing, unless they had arrived. The phase that they complete has
 * arrivals. */
void cup_cluster_lanes_exit(struct cup_resident *resident, uint32_t warp, uint32_t mask)
{
    struct cup_cluster *cluster = resident->cluster;
    uint32_t left = mask & ~cluster->arrived[resident->rank][warp];

    cluster->missing -= (uint32_t)__builtin_popcount(left);
    if (left && cluster->missing == 0)
        complete_phase(cluster);
}

struct cup_abi_block *cup_cluster_block(struct cup_abi_block *block, uint32_t rank)
{
    const struct cup_resident *resident = block->state;

    if (!resident || !resident->cluster)
        return rank == 0 ? block : NULL;
    return rank < resident->cluster->count ? &resident->cluster->members[rank]->block : NULL;
}

struct cup_abi_block *cup_cluster_block_at(struct cup_abi_block *block, uint64_t address,
                                           uint64_t bytes)
{
    const struct cup_abi_launch *launch = block->launch;
    uint64_t size = launch->shared_static_bytes + (uint64_t)launch->shared_dynamic_bytes;
    uint64_t offset = address - (uint64_t)(uintptr_t)block->window;
    uint64_t inside = offset % CUP_CLUSTER_STRIDE;

    if (offset >> 32 || bytes > size || inside > size - bytes)
        return NULL;
    return cup_cluster_block(block, (uint32_t)(offset / CUP_CLUSTER_STRIDE));
}

void cup_cluster_touch(struct cup_abi_block *block)
{
    struct cup_resident *resident = block->state;

    if (!resident)
        return;
    resident->progress = true;
    if (resident->cluster)
        resident->cluster->progress = true;
}
