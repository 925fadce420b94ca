/* SPDX-License-Identifier: MIT */
#include "stream/host_work_guard.h"

#include "core/checks.h"
#include "core/compiler.h"
#include "core/error.h"
#include "os/guard.h"
#include "stream/engine.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

struct guarded_call {
    const struct cupipe_work *work;
    CUresult result;
};

static void call_work(void *argument)
{
    struct guarded_call *call = argument;

    call->result = call->work->run(call->work->data);
}

CUresult cup_host_work_guarded(void (*action)(void *data), void *data, uint64_t *address)
{
    struct cup_guard_fault fault;

    if (cup_likely(cup_guard_run(action, data)))
        return CUDA_SUCCESS;
    *address = 0;
    if (!cup_guard_last(&fault) || (fault.signal != SIGSEGV && fault.signal != SIGBUS))
        return CUDA_ERROR_LAUNCH_FAILED;
    *address = fault.address;
    return CUDA_ERROR_ILLEGAL_ADDRESS;
}

static CUresult fault_result(const char *name)
{
    struct cup_guard_fault fault;

    if (!cup_guard_last(&fault))
        return cup_error(CUDA_ERROR_LAUNCH_FAILED, "%s was abandoned", name);
    if (fault.signal != SIGSEGV && fault.signal != SIGBUS)
        return cup_error(CUDA_ERROR_LAUNCH_FAILED, "%s ended by signal %d", name, fault.signal);
    cup_check_guarded_call_faulted(name);
    return cup_error(CUDA_ERROR_ILLEGAL_ADDRESS, "%s %s 0x%llx, which is not accessible", name,
                     cup_guard_access_word(&fault), (unsigned long long)fault.address);
}

CUresult cup_host_work_call(const struct cupipe_work *work)
{
    struct guarded_call call = {work, CUDA_SUCCESS};

    if (cup_likely(cup_guard_run(call_work, &call)))
        return call.result;
    return fault_result(work->name ? work->name : "host work");
}

struct parts {
    void (*part)(void *data, size_t index);
    void *data;
    _Atomic(bool) has_faulted;
    struct cup_guard_fault fault; /* of the thread that set has_faulted */
};

struct one_part {
    struct parts *parts;
    size_t index;
};

static void call_part(void *argument)
{
    struct one_part *one = argument;

    one->parts->part(one->parts->data, one->index);
}

static void run_part(void *argument, size_t index)
{
    struct parts *parts = argument;
    struct one_part one = {parts, index};
    struct cup_guard_fault fault;

    if (cup_unlikely(atomic_load_explicit(&parts->has_faulted, memory_order_relaxed)))
        return;
    if (cup_likely(cup_guard_run(call_part, &one)))
        return;
    cup_guard_last(&fault);
    if (!atomic_exchange(&parts->has_faulted, true))
        parts->fault = fault;
}

/* Outside of work nobody takes a fault. A fault may not leave this function before the helpers
 * have: they use what lies on the caller's stack. */
void cup_host_work_parallel(size_t count, void (*part)(void *data, size_t index), void *data)
{
    struct parts parts = {.part = part, .data = data};

    if (!cup_guard_is_open()) {
        cup_engine_parallel(part, data, count);
        return;
    }
    cup_engine_parallel(run_part, &parts, count);
    if (cup_unlikely(atomic_load(&parts.has_faulted)))
        cup_guard_abandon_for(&parts.fault);
}

void cup_host_work_finally(void (*action)(void *data), void (*finally)(void *data), void *data)
{
    struct cup_guard_fault fault;
    bool has_ended = true;

    if (cup_guard_is_open())
        has_ended = cup_guard_run(action, data);
    else
        action(data);
    if (cup_unlikely(!has_ended))
        cup_guard_last(&fault);
    finally(data);
    if (cup_unlikely(!has_ended))
        cup_guard_abandon_for(&fault);
}
