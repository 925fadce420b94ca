/* SPDX-License-Identifier: MIT */
/* Hooks on API calls: the description of a call that a hook sees. The exported functions test one
 * word, cup_call_hooks, and take the slow path only if a hook is set. */
#ifndef CUP_CORE_CALL_H
#define CUP_CORE_CALL_H

#include "core/compiler.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum cup_call_hook {
    /* cuInit() has not succeeded yet: hooks may still be set while it runs */
    CUP_HOOK_STARTING = 1u << 0,
    CUP_HOOK_TRACE = 1u << 1, /* calls are traced */
    CUP_HOOK_FAIL = 1u << 2,  /* some calls and jobs are made to fail (fail.h) */
    /* creation and release of memory and objects are recorded (CUPIPE_CHECK) */
    CUP_HOOK_CHECK = 1u << 3,
    CUP_HOOK_COUNT = 1u << 4,   /* calls are counted for the lazy schedule (watchdog.h) */
    CUP_HOOK_CAPTURE = 1u << 5, /* a stream captures: some calls are forbidden (graph/capture.h) */
    CUP_HOOK_LOCKED = 1u << 6,  /* calls wait at the gate (gate.h) */
    CUP_HOOK_OBSERVE = 1u << 7, /* a tool is told of calls and work (observer.h) */
};

/* Hidden, so that exported functions read it with one load. */
extern _Atomic unsigned cup_call_hooks __attribute__((visibility("hidden")));

static inline unsigned cup_call_hooks_load(void)
{
    return atomic_load_explicit(&cup_call_hooks, memory_order_relaxed);
}

void cup_call_hook_set(enum cup_call_hook hook);
void cup_call_hook_clear(enum cup_call_hook hook);

/* The type of an argument. Argument values are passed as uint64_t: integers are extended, floats
 * are their bits, structures passed by value are the address of the entry point's copy. */
enum cup_argument_kind {
    CUP_ARGUMENT_NONE,
    CUP_ARGUMENT_SIGNED,
    CUP_ARGUMENT_UNSIGNED,
    CUP_ARGUMENT_ADDRESS, /* CUdeviceptr */
    CUP_ARGUMENT_POINTER, /* host pointers and handles */
    CUP_ARGUMENT_FLOAT,
    CUP_ARGUMENT_RESULT, /* CUresult */
    CUP_ARGUMENT_STRING, /* const char *: readable only if the call has succeeded */
    CUP_ARGUMENT_BYTES,  /* a structure passed by value */
    CUP_ARGUMENT_ENUM,   /* an enumeration of core/type.h */
    CUP_ARGUMENT_STRUCT, /* a structure or union of core/type.h, or an array of it */
};

struct cup_call_argument {
    const char *name;
    enum cup_argument_kind kind;
    /* type of the output that a successful call has written, or NONE */
    enum cup_argument_kind pointee;
    uint32_t size_bytes; /* of the pointee or the structure */
    uint16_t type;       /* of the enumeration or the structure pointed to (core/type.h) */
    /* 1 + index of the argument that counts the structures (positive) or selects the member of the
     * union (negative); 0: none */
    int8_t key;
    bool is_input; /* the structure is not written: it is shown even if the call has failed */
};

/* How stream capture treats a call: the column `capture` of entrypoints.def. */
enum cup_call_capture_rule {
    CUP_CALL_UNSAFE = 1u << 0,  /* forbidden while this thread, or any in global mode, captures */
    CUP_CALL_REFUSED = 1u << 1, /* refused on a capturing stream, whose capture becomes invalid */
    CUP_CALL_BATCH = 1u << 2,   /* refused on a capturing stream, whose capture stays valid */
    CUP_CALL_NODE = 1u << 3,    /* captured by its body; the rule is about other streams */
    CUP_CALL_CONTEXT = 1u << 4, /* refused while a stream of the context captures */
    CUP_CALL_EVENT = 1u << 5,   /* refused for a captured event, whose capture becomes invalid */
};

/* One per exported function. */
struct cup_call_site {
    const char *name; /* cuMemAlloc_v2 */
    const char *base; /* cuMemAlloc */
    const struct cup_call_argument *arguments;
    unsigned count;
    unsigned capture;               /* bits of enum cup_call_capture_rule */
    int subject;                    /* index of the argument that the rule applies to; -1: none */
    bool per_thread;                /* stream 0 is the per-thread default stream */
    CUresult (*precondition)(void); /* NULL: none */
};

#endif
