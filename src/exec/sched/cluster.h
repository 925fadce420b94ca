/* SPDX-License-Identifier: MIT */
/* A cluster: blocks of a launch that run together and access each other's shared memory. Its blocks
 * are residents that one worker runs in turn, so that what one block does with the shared memory
 * and the mbarriers of another needs no lock. The worker holds a cluster by its first block: it is
 * begun, run, suspended and put back as a whole. A kernel that has instructions of clusters runs
 * in clusters of one block if its launch has none.
 *
 * An address in the shared space is an offset from the first block's memory. The others' memories
 * lie CUP_CLUSTER_STRIDE bytes apart, so that the upper eight bits of an address are the rank of
 * its block, as on the device. */
#ifndef CUP_EXEC_SCHED_CLUSTER_H
#define CUP_EXEC_SCHED_CLUSTER_H

#include "exec/sched/block.h"
#include "exec/sched/cluster_window.h"

#include <stdbool.h>
#include <stdint.h>

struct cup_grid;

enum { CUP_CLUSTER_MAX = 16 };

struct cup_cluster {
    uint32_t count;
    struct cup_resident *members[CUP_CLUSTER_MAX];
    struct cup_cluster_window window; /* of several members that have shared memory */
    uint32_t running;                 /* the member that runs */
    uint32_t done;                    /* bit per member that has finished */
    bool progress;                    /* something happened that another member may wait for */

    /* barrier.cluster: how many threads have not arrived in this phase, and those that have. */
    uint32_t missing;
    uint32_t arrived[CUP_CLUSTER_MAX][CUP_WARPS_MAX];
    uint32_t waiting[CUP_CLUSTER_MAX]; /* bit per warp that sleeps at the barrier */
};

/* Returns the first block of a cluster for the grid, or NULL if memory is out. */
struct cup_resident *cup_cluster_get(struct cup_grid *grid);
void cup_cluster_put(struct cup_cluster *cluster, bool abandoned);

/* Starts a cluster whose blocks have their indices. */
void cup_cluster_begin(struct cup_cluster *cluster);
/* Runs the blocks in turn until one of the outcomes, which are the cluster's. */
enum cup_block_outcome cup_cluster_run(struct cup_cluster *cluster, struct cup_fiber *home);

/* barrier.cluster, in services/cluster_barrier.c: arrive. */
void cup_cluster_arrive(struct cup_resident *resident, uint32_t warp, uint32_t mask);
/* Returns the lanes whose phase of the barrier is complete. */
uint32_t cup_cluster_passed(const struct cup_resident *resident, uint32_t warp, uint32_t mask);
/* barrier.cluster.wait of a whole warp. */
void cup_cluster_wait(struct cup_resident *resident, uint32_t warp, uint32_t mask);
/* Lanes have exited: the barrier no longer waits for them. */
void cup_cluster_lanes_exit(struct cup_resident *resident, uint32_t warp, uint32_t mask);

/* In cluster_member.c: the block of a rank of the block's cluster, or NULL. */
struct cup_abi_block *cup_cluster_block(struct cup_abi_block *block, uint32_t rank);
/* The block of the cluster whose shared memory has all of the bytes, or NULL. */
struct cup_abi_block *cup_cluster_block_at(struct cup_abi_block *block, uint64_t address,
                                           uint64_t bytes);
/* Records that something happened to a block that its warps may wait for. */
void cup_cluster_touch(struct cup_abi_block *block);

#endif
