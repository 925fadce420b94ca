/* SPDX-License-Identifier: MIT */
/* What a hook sees of a call of the API: its name, its arguments, and how each is to be read. The
 * exported functions test one word, cup_call_hooks, and go the long way only when a hook is set. */
#ifndef CUP_CORE_CALL_H
#define CUP_CORE_CALL_H

#include "core/compiler.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum cup_call_hook {
    CUP_HOOK_STARTING =
        1u << 0, /* cuInit has not succeeded yet: hooks may still be set while it runs */
    CUP_HOOK_TRACE = 1u << 1,   /* calls go into the trace */
    CUP_HOOK_FAIL = 1u << 2,    /* some calls and jobs are to fail (fail.h) */
    CUP_HOOK_CHECK = 1u << 3,   /* who made and freed what is kept (CUPIPE_CHECK) */
    CUP_HOOK_COUNT = 1u << 4,   /* calls are counted, for a deferred schedule (watchdog.h) */
    CUP_HOOK_CAPTURE = 1u << 5, /* a stream captures: some calls are forbidden (graph/capture.h) */
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

/* What a stream capture makes of a call, as the column `capture` of entrypoints.def says. */
enum cup_call_capture_rule {
    CUP_CALL_UNSAFE = 1u << 0,  /* forbidden while this thread, or any in global mode, captures */
    CUP_CALL_REFUSED = 1u << 1, /* refused on a capturing stream, whose capture becomes invalid */
    CUP_CALL_BATCH = 1u << 2,   /* refused on a capturing stream, whose capture stays valid */
    CUP_CALL_NODE = 1u << 3,    /* captured by its body; the rule is about other streams */
    CUP_CALL_CONTEXT = 1u << 4, /* refused while a stream of the context captures */
    CUP_CALL_EVENT = 1u << 5,   /* refused for a captured event, whose capture becomes invalid */
};

/* One for each exported function. */
struct cup_call_site {
    const char *name; /* cuMemAlloc_v2 */
    const char *base; /* cuMemAlloc */
    const struct cup_call_argument *arguments;
    unsigned count;
    unsigned capture;               /* of enum cup_call_capture_rule */
    int subject;                    /* the argument that the rule is about; -1: none */
    bool per_thread;                /* a stream of 0 is the thread's own */
    CUresult (*precondition)(void); /* NULL: none */
};

#endif
