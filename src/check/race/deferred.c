/* SPDX-License-Identifier: MIT */
/* Writes of two warps without an order are a race only if the second one changes the memory. So
 * they are looked at again when the writes have happened.
 *
 * The stamp of a write precedes the write itself. A unit that finds the stamp of another one must
 * not take what the memory holds for what the other unit wrote until that unit has written: each
 * unit shows in `writing` that it is between the two. */
#include "check/race/unit.h"

#include "core/compiler.h"
#include "os/clock.h"

#include <sched.h>
#include <string.h>

enum {
    PLACES = 1024,     /* of units that run at the same time; others share one */
    LONG_WAITS = 32,   /* of a launch: after that nobody waits */
    LONG_WAIT_MS = 20, /* more than the processor is taken from a thread for */
    SPINS = 200,       /* before the processor is given to others */
};

/* 0, or the number of the unit, plus 1, that is writing to global memory. */
static struct {
    _Alignas(64) _Atomic(uint64_t) unit;
} writing[PLACES];

void cup_race_write_begin(struct cup_race_unit *unit)
{
    unit->is_writing = true;
    atomic_store_explicit(&writing[unit->number % PLACES].unit, (uint64_t)unit->number + 1,
                          memory_order_relaxed);
    atomic_thread_fence(memory_order_release); /* before the stamps, which are relaxed */
}

static bool is_writing(uint32_t unit)
{
    return atomic_load_explicit(&writing[unit % PLACES].unit, memory_order_acquire) ==
           (uint64_t)unit + 1;
}

bool cup_race_wait_for_write(struct cup_race_unit *unit, uint32_t other)
{
    struct cup_race_launch *launch = unit->launch;
    uint64_t end = 0;

    atomic_thread_fence(memory_order_acquire); /* behind the stamp */
    if (other == unit->number)
        return true;
    for (unsigned i = 0; is_writing(other); i++) {
        if (i < SPINS) {
            cup_relax();
            continue;
        }
        if (!end)
            end = cup_clock_ns() + LONG_WAIT_MS * UINT64_C(1000000);
        if (atomic_load_explicit(&launch->long_waits, memory_order_relaxed) >= LONG_WAITS)
            return false;
        if (cup_clock_ns() >= end) {
            atomic_fetch_add_explicit(&launch->long_waits, 1, memory_order_relaxed);
            return false;
        }
        sched_yield();
    }
    return true;
}

void cup_race_write_end(struct cup_race_unit *unit)
{
    uint32_t count = unit->deferred_count;

    if (unit->is_writing)
        atomic_store_explicit(&writing[unit->number % PLACES].unit, 0, memory_order_release);
    unit->is_writing = false;
    unit->deferred_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct cup_race_deferred *deferred = &unit->deferred[i];

        if (memcmp(deferred->before, (const void *)(uintptr_t)deferred->race.address,
                   deferred->race.bytes) != 0)
            unit->found(unit->context, &deferred->race);
    }
}
