/* SPDX-License-Identifier: MIT */
#include "stream/deferred.h"

#include "core/call.h"
#include "os/futex.h"

_Atomic(bool) cup_schedule_is_deferred;
_Atomic(uint32_t) cup_watchdog_ticks;
_Atomic(uint32_t) cup_watchdog_state;

void cup_schedule_defer(void)
{
    atomic_store(&cup_schedule_is_deferred, true);
    cup_call_hook_set(CUP_HOOK_COUNT);
}

void cup_watchdog_wake(void)
{
    uint32_t asleep = CUP_WATCHDOG_ASLEEP;

    if (atomic_compare_exchange_strong(&cup_watchdog_state, &asleep, CUP_WATCHDOG_AWAKE))
        cup_futex_wake(&cup_watchdog_state, 1);
}
