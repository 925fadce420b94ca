/* SPDX-License-Identifier: MIT */
/* The observer: a tool, such as libcupti, that is told of API calls and of the work that they
 * submit (include/cupipe.h). A call and its work share a number, the correlation. A call that
 * another call makes, as the runtime's do, has the number of the outermost one. */
#ifndef CUP_CORE_OBSERVER_H
#define CUP_CORE_OBSERVER_H

#include "core/call.h"
#include "core/compiler.h"

#include <cupipe.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

static inline bool cup_observed(void)
{
    return cup_unlikely((cup_call_hooks_load() & CUP_HOOK_OBSERVE) != 0);
}

/* True while the observer wants kernels to count what they execute. */
extern _Atomic bool cup_observer_counts __attribute__((visibility("hidden")));

static inline bool cup_observer_counts_kernels(void)
{
    return cup_unlikely(atomic_load_explicit(&cup_observer_counts, memory_order_relaxed)) &&
           cup_observed();
}

/* 1 while there is an observer: for the runtime, which cannot see cup_call_hooks. */
extern volatile unsigned cup_observer_active;

/* Replaces the observer; NULL: there is none from now on. `observer` must stay valid for ever,
 * because calls and work that have begun still tell it. */
void cup_observer_set(const struct cupipe_observer *observer);

/* Tells that a call begins or ends, and sets the fields of `call` that the driver knows. Every call
 * that has begun must end, in the same thread. */
void cup_observer_begin(struct cupipe_call *call);
void cup_observer_end(struct cupipe_call *call, int result);

/* What work remembers of the call that submits it. */
struct cup_observed_origin {
    uint64_t submitted_ns;
    uint64_t graph_node;  /* its node of an executable graph; 0: none */
    uint32_t graph;       /* the number of that graph */
    uint32_t correlation; /* 0: the call was not observed */
    bool is_async;        /* the call's name says so, or it launches a graph */
};

/* That of the thread's current call. */
struct cup_observed_origin cup_observer_origin(void);

/* Tells of work that has ended. */
void cup_observer_tell(const struct cupipe_activity *activity);
/* Tell what a program says of itself. */
void cup_observer_tell_marker(const struct cupipe_marker *marker);
void cup_observer_tell_name(const struct cupipe_name *name);
void cup_observer_tell_nvtx_call(const struct cupipe_nvtx_call *call);

#endif
