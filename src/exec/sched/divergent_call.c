/* SPDX-License-Identifier: MIT */
/* A divergent call that cannot continue switches back to its caller and reports whether it yielded
 * or waits for others. The warp's own stack thus knows the state of the whole warp, and sleeps only
 * if nothing in the warp can run. */
#include "exec/sched/divergent_call.h"

#include "abi/launch.h"
#include "abi/services.h"
#include "core/compiler.h"
#include "exec/sched/block.h"
#include "exec/sched/divergent_stack.h"
#include "exec/sched/fault.h"
#include "exec/sched/warp_switch.h"
#include "exec/services/sync_table.h"

#include <string.h>

enum { DIVERGENT_CALLS_MAX = 16384 };

static bool *active_of(struct cup_resident *resident, uint32_t warp)
{
    struct cup_divergent_call *divergent_call = resident->divergent_calls[warp].current;

    return divergent_call ? &divergent_call->active : &resident->divergent_calls[warp].active;
}

/* Switches back to the caller. */
CUP_ON_FIBER static void switch_out(struct cup_divergent_call *divergent_call, bool yielded)
{
    struct cup_resident *resident = divergent_call->resident;

    divergent_call->yielded = yielded;
    resident->divergent_calls[divergent_call->warp].current = divergent_call->parent;
    cup_fiber_switch(&divergent_call->fiber,
                     cup_divergent_stack_current(resident, divergent_call->warp));
}

CUP_ON_FIBER static void divergent_call_main(void *argument)
{
    struct cup_divergent_call *divergent_call = argument;

    for (;;) {
        divergent_call->returned = divergent_call->run(divergent_call->closure);
        divergent_call->done = true;
        switch_out(divergent_call, false);
    }
}

/* Runs the call until it switches back. */
CUP_ON_FIBER static void switch_in(struct cup_divergent_call *divergent_call, uint32_t warp)
{
    struct cup_resident *resident = divergent_call->resident;
    struct cup_fiber *from = cup_divergent_stack_current(resident, warp);

    divergent_call->parent = resident->divergent_calls[warp].current;
    resident->divergent_calls[warp].current = divergent_call;
    cup_fiber_switch(from, &divergent_call->fiber);
    if (!divergent_call->done && divergent_call->yielded)
        *active_of(resident, warp) = true;
}

/* Returns what the caller learns after a switch back. */
static uint64_t report(struct cup_divergent_call *divergent_call)
{
    uint32_t returned = divergent_call->returned;

    if (divergent_call->done) {
        divergent_call->free = divergent_call->resident->free_divergent_calls;
        divergent_call->resident->free_divergent_calls = divergent_call;
        return (uint64_t)divergent_call->mask << 32 | returned;
    }
    divergent_call->mask &= ~returned;
    divergent_call->returned = 0;
    return (uint64_t)returned << 32 | returned;
}

CUP_ON_FIBER uint64_t cup_divergent_call_start(struct cup_abi_block *block, uint32_t warp,
                                               uint32_t mask,
                                               uint32_t (*run)(const uint64_t *closure),
                                               const uint64_t *closure, uint32_t words,
                                               uint64_t *handles)
{
    struct cup_resident *resident = block->state;
    bool too_many =
        words > CUP_DIVERGENT_CLOSURE_WORDS ||
        (!resident->free_divergent_calls && resident->divergent_call_count >= DIVERGENT_CALLS_MAX);
    struct cup_divergent_call *divergent_call =
        too_many ? NULL : cup_divergent_stack_get(resident, divergent_call_main);

    if (!divergent_call)
        cup_fault_trap(block, warp, mask, too_many ? CUP_ABI_TRAP_STACK : CUP_ABI_TRAP_MEMORY, 0);
    divergent_call->run = run;
    divergent_call->warp = warp;
    divergent_call->mask = mask;
    divergent_call->returned = 0;
    divergent_call->done = false;
    divergent_call->active = false;
    memcpy(divergent_call->closure, closure, words * sizeof(*closure));
    for (uint32_t left = mask; left; left &= left - 1)
        handles[__builtin_ctz(left)] = (uint64_t)(uintptr_t)divergent_call;
    switch_in(divergent_call, warp);
    return report(divergent_call);
}

CUP_ON_FIBER uint64_t cup_divergent_call_resume(struct cup_abi_block *block, uint32_t warp,
                                                uint32_t parked, const uint64_t *handles)
{
    uint64_t result = 0;

    (void)block;
    while (parked) {
        struct cup_divergent_call *divergent_call =
            (struct cup_divergent_call *)(uintptr_t)handles[__builtin_ctz(parked)];

        parked &= ~divergent_call->mask;
        switch_in(divergent_call, warp);
        result |= report(divergent_call);
    }
    return result;
}

CUP_ON_FIBER void cup_divergent_call_yield(struct cup_abi_block *block, uint32_t warp)
{
    struct cup_resident *resident = block->state;
    struct cup_divergent_call *divergent_call = resident->divergent_calls[warp].current;

    if (divergent_call)
        switch_out(divergent_call, true);
    else
        cup_resident_yield(resident, warp);
}

CUP_ON_FIBER void cup_divergent_call_park(struct cup_abi_block *block, uint32_t warp,
                                          uint32_t spinning, uint32_t returned)
{
    struct cup_resident *resident = block->state;
    struct cup_divergent_call *divergent_call;
    bool *active;

    if (!resident) { /* a kernel that waits for nothing outside its warp */
        cup_sync_force(block, warp);
        return;
    }
    active = active_of(resident, warp);
    spinning |= *active;
    *active = false;
    divergent_call = resident->divergent_calls[warp].current;
    if (divergent_call) {
        divergent_call->returned = returned;
        switch_out(divergent_call, spinning);
    } else if (spinning) {
        cup_resident_yield(resident, warp);
    } else {
        cup_resident_park(resident, warp);
    }
}

void cup_divergent_calls_reset(struct cup_resident *resident)
{
    cup_divergent_stacks_reset(resident, divergent_call_main);
}
