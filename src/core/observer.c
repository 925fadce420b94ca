/* SPDX-License-Identifier: MIT */
#include "core/observer.h"

#include "core/thread.h"
#include "os/clock.h"

#include <string.h>

static _Atomic(const struct cupipe_observer *) current;
static _Atomic uint32_t last_correlation;
volatile unsigned cup_observer_active;
_Atomic bool cup_observer_counts;

/* The calls that a thread is in. */
struct observed_calls {
    uint32_t correlation; /* of the outermost one */
    uint32_t depth;
    bool is_async; /* the name of the one that began last has Async in it */
};
CUP_THREAD_STATE(observed_calls, struct observed_calls);

void cup_observer_set(const struct cupipe_observer *observer)
{
    atomic_store(&current, observer);
    __atomic_store_n(&cup_observer_active, observer != NULL, __ATOMIC_RELAXED);
    if (observer)
        cup_call_hook_set(CUP_HOOK_OBSERVE);
    else
        cup_call_hook_clear(CUP_HOOK_OBSERVE);
}

static void tell_call(struct cupipe_call *call)
{
    const struct cupipe_observer *observer = atomic_load(&current);

    if (observer)
        observer->call(call);
}

/* 0 means that there is none, also after four thousand million calls. */
static uint32_t next_correlation(void)
{
    uint32_t number;

    do
        number = atomic_fetch_add(&last_correlation, 1) + 1;
    while (number == 0);
    return number;
}

void cup_observer_begin(struct cupipe_call *call)
{
    struct observed_calls *calls = cup_thread_observed_calls(cup_thread_self());

    if (calls->depth++ == 0)
        calls->correlation = next_correlation();
    call->correlation = calls->correlation;
    call->is_nested = calls->depth > 1;
    call->has_ended = 0;
    call->tool_data = 0;
    call->start_ns = cup_clock_ns();
    tell_call(call); /* the observer may make calls, too */
    calls->is_async = strstr(call->name, "Async") != NULL;
}

void cup_observer_end(struct cupipe_call *call, int result)
{
    struct observed_calls *calls = cup_thread_observed_calls(cup_thread_self());

    call->end_ns = cup_clock_ns();
    call->has_ended = 1;
    call->result = result;
    tell_call(call);
    if (--calls->depth == 0)
        calls->correlation = 0;
}

struct cup_observed_origin cup_observer_origin(void)
{
    const struct observed_calls *calls = cup_thread_observed_calls(cup_thread_self());

    return (struct cup_observed_origin){.submitted_ns = cup_clock_ns(),
                                        .correlation = calls->correlation,
                                        .is_async = calls->is_async};
}

void cup_observer_tell(const struct cupipe_activity *activity)
{
    const struct cupipe_observer *observer = atomic_load(&current);

    if (observer)
        observer->activity(activity);
}

void cup_observer_tell_marker(const struct cupipe_marker *marker)
{
    const struct cupipe_observer *observer = atomic_load(&current);

    if (observer)
        observer->marker(marker);
}

void cup_observer_tell_name(const struct cupipe_name *name)
{
    const struct cupipe_observer *observer = atomic_load(&current);

    if (observer)
        observer->name(name);
}

void cup_observer_tell_nvtx_call(const struct cupipe_nvtx_call *call)
{
    const struct cupipe_observer *observer = atomic_load(&current);

    if (observer)
        observer->nvtx_call(call);
}
