/* SPDX-License-Identifier: MIT */
/* What the files below the deferred schedules (schedule.h) must know of them: whether one is in
 * use, and how to wake their watchdog. */
#ifndef CUP_STREAM_DEFERRED_H
#define CUP_STREAM_DEFERRED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

extern _Atomic(bool) cup_schedule_is_deferred;

static inline bool cup_schedule_deferred(void)
{
    return atomic_load_explicit(&cup_schedule_is_deferred, memory_order_relaxed);
}

/* Switches to the lazy schedule, also because no worker could be started. */
void cup_schedule_defer(void);

/* The number of times the watchdog has polled. Timeouts are counted in ticks, so that time does not
 * pass while the whole process is stopped. */
extern _Atomic(uint32_t) cup_watchdog_ticks;

enum cup_watchdog_state {
    CUP_WATCHDOG_NOT_STARTED,
    CUP_WATCHDOG_ASLEEP,
    CUP_WATCHDOG_AWAKE,
};

extern _Atomic(uint32_t) cup_watchdog_state; /* futex; enum cup_watchdog_state */

/* Tells the watchdog, if it was started, that a stream has become ready. */
void cup_watchdog_wake(void);

#endif
