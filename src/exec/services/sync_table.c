/* SPDX-License-Identifier: MIT */
#include "exec/services/sync_table.h"

#include "exec/sched/block.h"

#include <stdlib.h>
#include <string.h>

/* A kernel that waits for nothing else runs one warp at a time and has one table; other kernels
 * have one per warp. */
struct cup_sync_table *cup_sync_table_of(struct cup_abi_block *block, uint32_t warp)
{
    return (struct cup_sync_table *)block->sync + (block->state ? warp : 0);
}

uint32_t cup_sync_waiting(const struct cup_abi_block *block, uint32_t warp)
{
    const struct cup_sync_table *table = block->sync;
    uint32_t waiting = 0;

    for (uint32_t lane = 0; table && lane < CUP_ABI_WARP_LANES; lane++)
        if (table[block->state ? warp : 0].lanes[lane].state == CUP_SYNC_WAITS)
            waiting |= 1u << lane;
    return waiting;
}

void cup_sync_reset(struct cup_abi_block *block)
{
    if (block->sync)
        memset(block->sync, 0, (block->state ? CUP_WARPS_MAX : 1) * sizeof(struct cup_sync_table));
}

void cup_sync_free(struct cup_abi_block *block)
{
    free(block->sync);
    block->sync = NULL;
}
