/* SPDX-License-Identifier: MIT */
/* The memory and the beginning of a resident block; warp_switch.c schedules its warps. Fibers
 * outlive blocks: after a warp has finished, its fiber waits and runs the same warp of the next
 * block, so consecutive blocks need no set-up. */
#include "exec/sched/block.h"

#include "abi/launch.h"
#include "core/align.h"
#include "core/checks.h"
#include "core/compiler.h"
#include "exec/sched/divergent_stack.h"
#include "exec/sched/grid.h"
#include "exec/sched/warp_switch.h"
#include "exec/services/lane_stacks.h"
#include "exec/services/sync_table.h"

#include <stdlib.h>
#include <string.h>

struct warp_argument {
    struct cup_resident *resident;
    uint32_t warp;
};

CUP_ON_FIBER static void warp_main(void *argument)
{
    struct warp_argument *mine = argument;
    struct cup_resident *resident = mine->resident;
    uint32_t warp = mine->warp;

    for (;;) {
        resident->run_warp(&resident->block, warp);
        if (resident->live[warp])
            cup_barrier_lanes_exit(&resident->block, warp, UINT32_MAX);
        resident->finished |= 1u << warp;
        resident->progress = true;
        cup_resident_sleep(resident, warp);
    }
}

/* The resident and the arguments of its fibers are created once per frame and live as long as the
 * frame. */
struct resident_memory {
    struct cup_resident resident;
    struct warp_argument arguments[CUP_WARPS_MAX];
};

static void release_memory(void *user)
{
    struct resident_memory *memory = user;

    cup_divergent_stacks_free(&memory->resident);
    cup_sync_free(&memory->resident.block);
    cup_lanestack_free(&memory->resident.block);
    cup_check_block_freed(&memory->resident.block);
    free(memory);
}

static bool prepare(struct cup_frame *frame)
{
    struct resident_memory *memory = frame->user;

    if (!memory) {
        memory = aligned_alloc(CUP_CACHE_LINE, cup_align_up(sizeof(*memory), CUP_CACHE_LINE));
        if (!memory)
            return false;
        memset(memory, 0, sizeof(*memory));
        frame->user = memory;
        frame->release_user = release_memory;
    }
    cup_divergent_calls_reset(&memory->resident);
    cup_sync_reset(&memory->resident.block);
    for (uint32_t i = 0; i < frame->has.stacks; i++) {
        memory->arguments[i] = (struct warp_argument){&memory->resident, i};
        cup_fiber_prepare(&frame->fibers[i], warp_main, &memory->arguments[i]);
    }
    frame->prepared = true;
    return true;
}

struct cup_resident *cup_resident_get(struct cup_grid *grid, const struct cup_frame_needs *needs)
{
    struct cup_frame *frame = cup_frame_get(needs);

    if (!frame)
        return NULL;
    if (!frame->prepared && !prepare(frame)) {
        cup_frame_put(frame);
        return NULL;
    }
    struct cup_resident *resident = frame->user;
    resident->frame = frame;
    resident->fibers = frame->fibers;
    resident->grid = grid;
    resident->cluster = NULL;
    resident->block.state = resident;
    cup_grid_bind(grid, &grid->needs, frame, &resident->block);
    resident->run_warp = grid->code->run_warp;
    return resident;
}

void cup_resident_put(struct cup_resident *resident, bool abandoned)
{
    struct cup_frame *frame = resident->frame;

    cup_check_block_put(&resident->block, abandoned);
    if (abandoned)
        frame->prepared = false;
    cup_frame_put(frame);
}

static void reset_barriers(struct cup_resident *resident)
{
    if (resident->commits)
        memset(resident->committed, 0, sizeof(resident->committed));
    resident->commits = false;
    resident->group_waiting = 0;
    for (uint32_t used = resident->used_barriers; used; used &= used - 1) {
        uint32_t id = (uint32_t)__builtin_ctz(used);
        memset(&resident->barriers[id], 0, sizeof(resident->barriers[id]));
        resident->barriers[id].all = UINT32_MAX;
    }
    resident->used_barriers = 0;
}

void cup_resident_begin(struct cup_resident *resident)
{
    const struct cup_abi_launch *launch = resident->block.launch;
    uint32_t warps = launch->block_warps;
    uint32_t last_lanes = launch->block_threads - (warps - 1) * CUP_ABI_WARP_LANES;

    resident->all = warps == CUP_WARPS_MAX ? UINT32_MAX : (1u << warps) - 1;
    resident->runnable = resident->all;
    resident->yielded = 0;
    resident->finished = 0;
    resident->idle_rounds = 0;
    resident->progress = false;
    resident->parked = 0;
    resident->wake_pending = 0;
    resident->polling = 0;
    resident->begun = false;
    resident->warp = 0;
    resident->live_warps = warps;
    for (uint32_t i = 0; i + 1 < warps; i++)
        resident->live[i] = UINT32_MAX;
    resident->live[warps - 1] = last_lanes == 32 ? UINT32_MAX : (1u << last_lanes) - 1;
    reset_barriers(resident);
    cup_check_block_started(&resident->block);
}
