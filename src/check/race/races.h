/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=races and CUPIPE_CHECK=sync: what kernels do, for the race detector (unit.h) and for
 * the check of synchronisation (sync/barriers.h). */
#ifndef CUP_CHECK_RACE_RACES_H
#define CUP_CHECK_RACE_RACES_H

#include "abi/launch.h"
#include "check/kernel/dispatch.h"
#include "check/race/unit.h"

#include <stdbool.h>

struct cup_grid;
struct cup_mbarrier_use;

/* The functions of kernel/dispatch.c. */
void cup_races_access(const struct cup_kcheck_access *access);
void cup_races_lanes(const struct cup_kcheck_lanes *run);
void cup_races_reads(struct cup_abi_block *block, uint32_t warp, uint32_t mask, uint64_t address,
                     const struct cup_abi_reads *reads);
void cup_races_sync(const struct cup_kcheck_sync *sync);
void cup_races_launch_begin(struct cup_grid *grid);
void cup_races_launch_end(struct cup_grid *grid);
void cup_races_block_begin(struct cup_abi_block *block);
void cup_races_block_put(struct cup_abi_block *block, bool abandoned);

/* Threads of the block allocate or free memory of the device's heap: what is freed is given to
 * other threads, without a race between them. */
void cup_races_heap(struct cup_abi_block *block);

/* A thread has used an mbarrier. */
void cup_races_mbarrier(const struct cup_mbarrier_use *use);

/* The warps of the block wait for each other for ever. */
void cup_races_deadlock(struct cup_abi_block *block);

/* The callback of units; context: their grid. */
void cup_races_report(void *context, const struct cup_race *race);

#endif
