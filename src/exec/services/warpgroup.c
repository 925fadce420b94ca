/* SPDX-License-Identifier: MIT */
/* Each warp of a warpgroup computes its rows of a product when it executes wgmma. A group of
 * products is complete when all four have: after wgmma.wait_group any of them may overwrite the
 * operands in shared memory. So a warp waits until the others have committed as many groups. Lanes
 * that commit one after the other commit once. */
#include "exec/sched/warp_switch.h"
#include "exec/services/warpgroup.h"

#include "core/compiler.h"

enum { GROUP_WARPS = 4 };

static uint32_t first_of(uint32_t warp)
{
    return warp & ~(GROUP_WARPS - 1u);
}

bool cup_warpgroup_passed(const struct cup_resident *resident, uint32_t warp, uint32_t target)
{
    uint32_t first = first_of(warp);

    for (uint32_t w = first; w < first + GROUP_WARPS; w++)
        if (resident->live[w] && resident->all >> w & 1 &&
            (int32_t)(resident->committed[w] - target) < 0)
            return false;
    return true;
}

void cup_warpgroup_commit(struct cup_resident *resident, uint32_t warp, uint32_t mask)
{
    uint32_t live = resident->live[warp], first = live & -live;

    if (live && !(mask & first))
        return;
    resident->commits = true;
    resident->committed[warp]++;
    if ((resident->group_waiting || resident->parked) &&
        cup_warpgroup_passed(resident, warp, resident->committed[warp])) {
        uint32_t group = ((1u << GROUP_WARPS) - 1) << first_of(warp);

        cup_resident_wake(resident, resident->group_waiting & group);
        resident->group_waiting &= ~group;
    }
}

uint32_t cup_warpgroup_target(const struct cup_resident *resident, uint32_t warp, uint32_t pending)
{
    return resident->committed[warp] - pending;
}

CUP_ON_FIBER void cup_warpgroup_wait(struct cup_resident *resident, uint32_t warp, uint32_t pending)
{
    uint32_t target = cup_warpgroup_target(resident, warp, pending);

    while (!cup_warpgroup_passed(resident, warp, target)) {
        resident->group_waiting |= 1u << warp;
        cup_resident_sleep(resident, warp);
    }
}

void cup_warpgroup_warp_exit(struct cup_resident *resident)
{
    if (!resident->group_waiting)
        return;
    cup_resident_wake(resident, resident->group_waiting);
    resident->group_waiting = 0;
}
