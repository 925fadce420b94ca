/* SPDX-License-Identifier: MIT */
/* All state is in bit sets of at most 32 warps. Warps are scheduled in rounds: a warp that yields
 * does not run again before all other runnable warps have had a turn. */
#include "exec/sched/warp_switch.h"

#include "core/compiler.h"
#include "exec/sched/cluster.h"
#include "exec/sched/divergent_stack.h"
#include "exec/sched/grid.h"
#include "exec/services/sync_table.h"

/* After so many rounds in which all warps only yielded, the block is suspended. */
enum { IDLE_ROUNDS_MAX = 4 };

static uint32_t next_of(uint32_t set, uint32_t after)
{
    uint32_t above = set & ~((2u << after) - 1);

    return (uint32_t)__builtin_ctz(above ? above : set);
}

CUP_ON_FIBER static void switch_to_worker(struct cup_resident *resident, struct cup_fiber *from,
                                          enum cup_block_outcome outcome)
{
    resident->outcome = outcome;
    cup_fiber_switch(from, resident->home);
}

bool cup_resident_release_lanes(struct cup_resident *resident)
{
    for (uint32_t left = resident->parked; left; left &= left - 1) {
        uint32_t warp = (uint32_t)__builtin_ctz(left);

        if (cup_sync_force(&resident->block, warp)) {
            resident->parked &= ~(1u << warp);
            resident->runnable |= 1u << warp;
            return true;
        }
    }
    return false;
}

/* Switches to another warp, or to the worker's stack if there is none. Returns when the calling
 * warp is scheduled again. */
CUP_ON_FIBER static void switch_away(struct cup_resident *resident, uint32_t warp)
{
    struct cup_fiber *from = cup_divergent_stack_current(resident, warp);
    uint32_t ready = resident->runnable & ~resident->yielded;

    if (!ready) {
        /* Other blocks of the cluster may wake its warps: cup_cluster_run() decides. */
        if (!resident->runnable && (resident->cluster || !cup_resident_release_lanes(resident))) {
            switch_to_worker(resident, from,
                             resident->finished == resident->all ? CUP_BLOCK_DONE
                                                                 : CUP_BLOCK_DEADLOCK);
            return;
        }
        /* All warps have yielded: the round is over. */
        resident->yielded = 0;
        resident->idle_rounds = resident->progress ? 0 : resident->idle_rounds + 1;
        resident->progress = false;
        if (resident->idle_rounds >= IDLE_ROUNDS_MAX) {
            resident->idle_rounds = 0;
            switch_to_worker(resident, from, CUP_BLOCK_STUCK);
            return;
        }
        ready = resident->runnable;
    }
    uint32_t next = next_of(ready, warp);
    resident->warp = next;
    if (next != warp)
        cup_fiber_switch(from, cup_divergent_stack_current(resident, next));
}

CUP_ON_FIBER void cup_resident_yield(struct cup_resident *resident, uint32_t warp)
{
    if (cup_unlikely(cup_grid_failed(resident->grid)))
        cup_grid_abandon(&resident->block);
    resident->yielded |= 1u << warp;
    cup_relax();
    switch_away(resident, warp);
}

CUP_ON_FIBER void cup_resident_sleep(struct cup_resident *resident, uint32_t warp)
{
    resident->runnable &= ~(1u << warp);
    switch_away(resident, warp);
}

CUP_ON_FIBER void cup_resident_park(struct cup_resident *resident, uint32_t warp)
{
    if (!(resident->wake_pending >> warp & 1)) {
        resident->parked |= 1u << warp;
        cup_resident_sleep(resident, warp);
    }
    resident->wake_pending &= ~(1u << warp);
}

void cup_resident_wake(struct cup_resident *resident, uint32_t warps)
{
    resident->runnable |= (warps | resident->parked) & ~resident->finished;
    resident->parked = 0;
    resident->wake_pending = UINT32_MAX;
    cup_cluster_touch(&resident->block);
}

enum cup_block_outcome cup_resident_run(struct cup_resident *resident, struct cup_fiber *home)
{
    resident->home = home;
    if (resident->begun)
        resident->warp = next_of(resident->runnable, resident->warp);
    resident->begun = true;
    cup_fiber_switch(home, cup_divergent_stack_current(resident, resident->warp));
    return resident->outcome;
}
