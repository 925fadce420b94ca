/* SPDX-License-Identifier: MIT */
/* What a hook sees of a call of the API: its name, its arguments, and how each is to be read. The
 * exported functions test one word, cup_call_hooks, and go the long way only when a hook is set. */
#ifndef CUP_CORE_CALL_H
#define CUP_CORE_CALL_H

#include "core/compiler.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum cup_call_hook {
    CUP_HOOK_STARTING =
        1u << 0, /* cuInit has not succeeded yet: hooks may still be set while it runs */
    CUP_HOOK_TRACE = 1u << 1, /* calls go into the trace */
    CUP_HOOK_FAIL = 1u << 2,  /* some calls and jobs are to fail (fail.h) */
    CUP_HOOK_CHECK = 1u << 3, /* who made and freed what is kept (CUPIPE_CHECK) */
    CUP_HOOK_COUNT = 1u << 4, /* calls are counted, for a deferred schedule (watchdog.h) */
};

/* Hidden, so that every exported function reaches it with one load. */
extern _Atomic unsigned cup_call_hooks __attribute__((visibility("hidden")));

static inline unsigned cup_call_hooks_load(void)
{
    return atomic_load_explicit(&cup_call_hooks, memory_order_relaxed);
}

void cup_call_hook_set(enum cup_call_hook hook);
void cup_call_hook_clear(enum cup_call_hook hook);

/* How an argument is to be read. The value of an argument travels as a uint64_t: integers are
 * extended, floats are their bits, structures passed by value are the address of the door's copy.
 */
enum cup_argument_kind {
    CUP_ARGUMENT_NONE,
    CUP_ARGUMENT_SIGNED, /* integers and enumerations */
    CUP_ARGUMENT_UNSIGNED,
    CUP_ARGUMENT_ADDRESS, /* CUdeviceptr */
    CUP_ARGUMENT_POINTER, /* host pointers and handles */
    CUP_ARGUMENT_FLOAT,
    CUP_ARGUMENT_RESULT, /* CUresult */
    CUP_ARGUMENT_STRING, /* const char *: readable only after the call has succeeded */
    CUP_ARGUMENT_BYTES,  /* a structure passed by value */
};

struct cup_call_argument {
    const char *name;
    enum cup_argument_kind kind;
    enum cup_argument_kind
        pointee;         /* what a successful call has written behind the pointer, or NONE */
    uint32_t size_bytes; /* of the pointee, or of the structure */
};

/* One for each exported function. */
struct cup_call_site {
    const char *name; /* cuMemAlloc_v2 */
    const char *base; /* cuMemAlloc */
    const struct cup_call_argument *arguments;
    unsigned count;
};

#endif
