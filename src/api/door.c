/* SPDX-License-Identifier: MIT */
/* The long way through a door, and the answer of doors that lead nowhere yet. The short way is all
 * in doors.c. */
#include "api/door.h"

#include "core/log.h"
#include "core/trace.h"
#include "os/clock.h"

uint64_t cup_door_enter(void)
{
    return cup_clock_ns();
}

CUresult cup_door_leave(const struct cup_call_site *site, const uint64_t *values, uint64_t start_ns,
                        CUresult result)
{
    unsigned hooks = cup_call_hooks_load();

    if (hooks & CUP_HOOK_TRACE)
        cup_trace_call(site, values, start_ns, cup_clock_ns(), result);
    if ((hooks & CUP_HOOK_STARTING) && result == CUDA_SUCCESS && strcmp(site->name, "cuInit") == 0)
        cup_call_hook_clear(CUP_HOOK_STARTING);
    return result;
}

CUresult cup_door_missing(const char *symbol, atomic_bool *said)
{
    if (!atomic_exchange_explicit(said, true, memory_order_relaxed))
        cup_log(CUP_LOG_WARNING, "%s: not implemented by cupipe %s", symbol, CUPIPE_VERSION);
    return CUDA_ERROR_NOT_SUPPORTED;
}
