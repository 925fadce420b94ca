/* SPDX-License-Identifier: MIT */
/* barrier.cluster counts threads. A thread that arrived is marked until the phase is complete, so a
 * waiting thread may continue when its mark is gone. */
#include "exec/sched/cluster.h"
#include "exec/sched/warp_switch.h"

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
