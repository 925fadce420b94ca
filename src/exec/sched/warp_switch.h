/* SPDX-License-Identifier: MIT */
/* Schedules the warps of a resident block, each on a stack of its own. */
#ifndef CUP_EXEC_SCHED_WARP_SWITCH_H
#define CUP_EXEC_SCHED_WARP_SWITCH_H

#include "exec/sched/block.h"

#include <stdbool.h>
#include <stdint.h>

/* Runs the block until one of the outcomes; `home` is the stack to return to. */
enum cup_block_outcome cup_resident_run(struct cup_resident *resident, struct cup_fiber *home);

/* For services: the calling warp yields, or sleeps until cup_resident_wake(). */
void cup_resident_yield(struct cup_resident *resident, uint32_t warp);
void cup_resident_sleep(struct cup_resident *resident, uint32_t warp);
/* Sleeps until anything happens in the block. */
void cup_resident_park(struct cup_resident *resident, uint32_t warp);
void cup_resident_wake(struct cup_resident *resident, uint32_t warps);

/* If no warp is runnable, releases lanes that wait for other lanes of their warp. Returns whether a
 * warp is runnable then. */
bool cup_resident_release_lanes(struct cup_resident *resident);

#endif
