/* SPDX-License-Identifier: MIT */
/* The blocks of a cluster, as one of them sees the others. */
#include "exec/sched/cluster.h"

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
