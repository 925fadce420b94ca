/* SPDX-License-Identifier: MIT */
/* What the library keeps for each thread: of the application's, its stack of contexts and the flag
 * that it is inside a host function; of all that run the library's code, what the parts below need.
 *
 * The thread's own storage holds one pointer to it. A library that is loaded late has to find room
 * for its storage in what the system has left over (glibc: some 1,600 bytes for all), and is not
 * loaded when there is none; another kind of storage, for which room is made, is allocated by the
 * thread's first touch, which must not happen in a signal handler, and costs a call each time. */
#ifndef CUP_CORE_THREAD_H
#define CUP_CORE_THREAD_H

#include "core/check.h"
#include "core/compiler.h"
#include "os/guard.h"

#include <stdbool.h>
#include <stdint.h>

struct CUctx_st;
struct cup_api_checked_call;
struct cup_frame;
struct cup_guard;
struct cup_thread_stream;

enum { CUP_THREAD_RECENT_CALLS = 32 };

struct cup_thread {
    /* device/current.c */
    struct CUctx_st *current; /* top of the stack, or NULL; a reference is held */
    struct CUctx_st **stack;  /* what lies below the top, oldest first; references are held */
    unsigned depth;
    unsigned capacity;
    uint32_t id; /* small and unique in the process; 0 until asked for */
    bool in_host_function;
    bool end_is_observed;    /* that it ends: core/thread.c */
    bool is_compiling;       /* exec/compiler.c */
    bool is_querying_vulkan; /* interop/vulkan_device.c: a layer of Vulkan's may come back to us */

    /* os/guard.c */
    struct cup_guard *volatile guard; /* the innermost guarded call */
    uint32_t calls_until_check;

    /* exec/worker.c, exec/frame.c */
    uint32_t worker; /* its number, from 1 on; 0: none yet */
    struct cup_frame *frame;
    void *signal_stack; /* made by us */
    bool has_signal_stack;

    /* memory/map.c: ids to give out */
    uint64_t next_id, ids_left;

    /* stream/thread_streams.c */
    struct cup_thread_stream *streams;

    /* graph/capture_rules.c */
    int capture_mode; /* CUstreamCaptureMode */
    const char *call; /* the call that is being made, while captures are under way */

    /* core/lock.c, with assertions: a bit for each rank that is held */
    uint64_t held_ranks;

    struct cup_guard_fault last_fault; /* os/guard.c: of a call without `caught` */

    /* core/trace.c */
    unsigned trace_generation; /* the file that has this thread's name */
    int trace_id;              /* the system's number of this thread; 0 until asked for */

    /* interop/gl_load.c: the version of the OpenGL context asked last */
    void *gl_context;
    int gl_version;
    bool gl_es;

    /* core/check.c, api/check_calls.c */
    bool check_reported; /* in this call */
    struct cup_check_place check_place;
    struct {
        const char *base;
        const struct cup_api_checked_call *call;
    } recent_calls[CUP_THREAD_RECENT_CALLS];
} __attribute__((aligned(CUP_CACHE_LINE)));

/* NULL until the thread needs it: a signal handler looks here, and takes that for an answer. */
extern CUP_THREAD_LOCAL struct cup_thread *cup_thread_or_null;

struct cup_thread *cup_thread_create(void);

/* Never NULL. Not for signal handlers. */
static inline struct cup_thread *cup_thread_self(void)
{
    struct cup_thread *self = cup_thread_or_null;

    return cup_likely(self != NULL) ? self : cup_thread_create();
}

/* What is to be done when a thread ends, in this order. */
enum cup_thread_end {
    CUP_END_STREAMS,
    CUP_END_CONTEXTS,
    CUP_END_FRAME,
    CUP_END_SIGNAL_STACK,
    CUP_END_COUNT,
};

/* The function is called at the end of this thread, and of each other that ends, in the thread.
 * False when the system does not tell us of the end of this one. */
bool cup_thread_at_end(enum cup_thread_end which, void (*function)(struct cup_thread *self));

/* A small number that is this thread's alone while it lives. */
uint32_t cup_thread_id(void);

#endif
