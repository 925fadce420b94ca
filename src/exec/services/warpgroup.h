/* SPDX-License-Identifier: MIT */
/* The products of a warpgroup: wgmma.commit_group and wgmma.wait_group. */
#ifndef CUP_EXEC_SERVICES_WARPGROUP_H
#define CUP_EXEC_SERVICES_WARPGROUP_H

#include "exec/sched/block.h"

#include <stdbool.h>
#include <stdint.h>

/* wgmma.commit_group. */
void cup_warpgroup_commit(struct cup_resident *resident, uint32_t warp, uint32_t mask);

/* The number of groups that every warp of the warpgroup must have committed before the warp passes
 * a wgmma.wait_group that leaves `pending` groups. */
uint32_t cup_warpgroup_target(const struct cup_resident *resident, uint32_t warp, uint32_t pending);
bool cup_warpgroup_passed(const struct cup_resident *resident, uint32_t warp, uint32_t target);

/* wgmma.wait_group of a whole warp. */
void cup_warpgroup_wait(struct cup_resident *resident, uint32_t warp, uint32_t pending);

/* A warp has exited: its warpgroup no longer waits for it. */
void cup_warpgroup_warp_exit(struct cup_resident *resident);

#endif
