/* SPDX-License-Identifier: MIT */
/* The blocks of a cluster take turns: a block runs until it is done, until all of its warps sleep,
 * or until they only spin. If a turn of all blocks changed nothing, the cluster is stuck if a warp
 * spins, and deadlocked if all sleep.
 */
#include "exec/sched/cluster.h"

#include "abi/launch.h"
#include "exec/sched/grid.h"
#include "exec/sched/warp_switch.h"

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
