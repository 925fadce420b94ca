/* SPDX-License-Identifier: MIT */
/* What CUPIPE_CHECK=races and sync know of a block, or of the blocks of a cluster. */
#ifndef CUP_CHECK_RACE_CHECKED_UNIT_H
#define CUP_CHECK_RACE_CHECKED_UNIT_H

#include "check/race/unit.h"
#include "check/sync/async_copies.h"
#include "check/sync/barriers.h"
#include "exec/sched/block.h"
#include "exec/sched/cluster.h"

/* What abi_block.checked points to, of all blocks of a cluster. */
struct cup_checked_unit {
    struct cup_checked_unit *next; /* in the pool */
    struct cup_race_unit *races;
    struct cup_synccheck_unit sync;
    struct cup_copies copies;
    uint32_t shared_bytes;
    uint64_t first_block; /* the index of its first block in the grid */
    uint32_t holders;     /* blocks that have not been put back */
    bool has_begun;
};

static inline const struct cup_cluster *cup_checked_cluster(const struct cup_abi_block *block)
{
    const struct cup_resident *resident = block->state;

    return resident ? resident->cluster : NULL;
}

static inline uint32_t cup_checked_rank(const struct cup_abi_block *block)
{
    return cup_checked_cluster(block) ? ((const struct cup_resident *)block->state)->rank : 0;
}

/* The unit of a block that runs; it begins if the block does. NULL: no memory, or the launch is not
 * checked. */
struct cup_checked_unit *cup_checked_unit_of(struct cup_abi_block *block);

#endif
