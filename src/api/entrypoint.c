/* SPDX-License-Identifier: MIT */
/* The slow path of an entry point, and the result of entry points without a body. The fast path is
 * in entrypoints.c. */
#include "api/entrypoint.h"

#include "check/calls/calls.h"
#include "core/call_log.h"
#include "core/driver_version.h"
#include "core/error.h"
#include "core/fail.h"
#include "core/log.h"
#include "core/trace.h"
#include "graph/capture.h"
#include "os/clock.h"
#include "stream/watchdog.h"

/* The calls that work in a locked process, by how their names begin: those that unlock it, and
 * those that ask and change nothing on a device. NVIDIA's driver was recorded to let one of each of
 * these pass. */
static bool passes_gate(const struct cup_call_site *site)
{
    static const char *const free_calls[] = {
        "cuCheckpointProcess",
        "cuCtxGet",
        "cuCtxPopCurrent",
        "cuCtxPushCurrent",
        "cuCtxSetCurrent",
        "cuDeviceGet",
        "cuDevicePrimaryCtxGetState",
        "cuDevicePrimaryCtxRetain",
        "cuDeviceTotalMem",
        "cuDriverGetVersion",
        "cuEventQuery",
        "cuGetError",
        "cuGetProcAddress",
        "cuGraphCreate",
        "cuLogs",
        "cuMemHostGetFlags",
        "cuPointerGetAttribute",
        "cuProfiler",
        "cuStreamQuery",
        "cuStreamSynchronize",
    };

    for (size_t i = 0; i < CUP_ARRAY_COUNT(free_calls); i++) {
        if (strncmp(site->base, free_calls[i], strlen(free_calls[i])) == 0)
            return true;
    }
    return false;
}

struct cup_entrypoint_call cup_entrypoint_enter(const struct cup_call_site *site,
                                                const uint64_t *values, const void *params)
{
    const struct cupipe_call told = {.name = site->name, .params = params};

    return cup_entrypoint_enter_as(site, values, &told);
}

struct cup_entrypoint_call cup_entrypoint_enter_as(const struct cup_call_site *site,
                                                   const uint64_t *values,
                                                   const struct cupipe_call *told)
{
    if (cup_call_hooks_load() & CUP_HOOK_LOCKED && !passes_gate(site))
        cup_gate_wait();
    unsigned hooks = cup_call_hooks_load();
    struct cup_entrypoint_call call = {
        .start_ns = hooks & (CUP_HOOK_TRACE | CUP_HOOK_STARTING) ? cup_clock_ns() : 0,
    };

    call.observed = hooks & CUP_HOOK_OBSERVE;
    if (call.observed) {
        call.told = *told;
        cup_observer_begin(&call.told);
    }
    call.counted = hooks & CUP_HOOK_COUNT;
    if (call.counted)
        cup_watchdog_call_begins();
    if (hooks & CUP_HOOK_FAIL)
        call.refused = cup_fail_call(site, &call.result);
    if ((hooks & CUP_HOOK_CAPTURE) && !call.refused) {
        call.result = cup_capture_check_call(site, values);
        call.refused = call.result != CUDA_SUCCESS;
    }
    if ((hooks & CUP_HOOK_CHECK) && !call.refused)
        cup_callcheck_enter(site, values);
    return call;
}

CUresult cup_entrypoint_failed(const char *function, CUresult result)
{
    if (result != CUDA_ERROR_NOT_READY && result != CUDA_ERROR_NOT_INITIALIZED &&
        result != CUDA_ERROR_DEINITIALIZED)
        cup_call_log_failure(function, result);
    return result;
}

CUresult cup_entrypoint_leave(const struct cup_call_site *site, const uint64_t *values,
                              struct cup_entrypoint_call *call, CUresult result)
{
    unsigned hooks = cup_call_hooks_load();

    if (hooks & CUP_HOOK_TRACE)
        cup_trace_call(site, values, call->start_ns, cup_clock_ns(), result);
    if ((hooks & CUP_HOOK_CHECK) && !call->refused)
        cup_callcheck_leave(site, values, result);
    if ((hooks & CUP_HOOK_STARTING) && result == CUDA_SUCCESS && strcmp(site->name, "cuInit") == 0)
        cup_call_hook_clear(CUP_HOOK_STARTING);
    if (call->counted)
        cup_watchdog_call_ends();
    if (call->observed)
        cup_observer_end(&call->told, (int)result);
    return result;
}

CUresult cup_entrypoint_missing(const char *symbol, atomic_bool *said)
{
    if (!atomic_exchange_explicit(said, true, memory_order_relaxed))
        cup_log(CUP_LOG_WARNING, "%s: not implemented by cupipe %s", symbol, CUPIPE_VERSION);
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cup_entrypoint_too_new(const char *symbol, unsigned since)
{
    unsigned cuda = cup_driver_current()->cuda;

    return cup_error(CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER,
                     "%s came with CUDA %u.%u; CUPIPE_DRIVER makes this a driver of %u.%u", symbol,
                     since / 1000, since % 1000 / 10, cuda / 1000, cuda % 1000 / 10);
}
