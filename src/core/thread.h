/* SPDX-License-Identifier: MIT */
/* Per-thread state: for application threads the context stack and the host function flag; for all
 * threads that run library code the state of the parts below.
 *
 * Thread-local storage holds only a pointer to it. A library that is loaded late uses the static
 * TLS space that is left (about 1,600 bytes in glibc, for all libraries) and cannot be loaded if
 * that is exhausted. Dynamic TLS is allocated on a thread's first access, which must not happen in
 * a signal handler, and costs a call per access. */
#ifndef CUP_CORE_THREAD_H
#define CUP_CORE_THREAD_H

#include "core/compiler.h"
#include "core/dynarray.h"
#include "os/guard.h"
#include "os/registers.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct CUctx_st;
struct CUuserObject_st;
struct cup_callcheck;
struct cup_frame;
struct cup_guard;
struct cup_thread_stream;

enum { CUP_CHECK_FRAMES = 16 };

/* A call of the API, as CUPIPE_CHECK reports it. */
struct cup_check_call_site {
    const char *call; /* NULL: none */
    void *frames[CUP_CHECK_FRAMES];
    unsigned count;
};

enum { CUP_THREAD_RECENT_CALLS = 32 };

enum { CUP_THREAD_REASON_BYTES = 160 };

enum { CUP_THREAD_KNOWN_MEMORY = 4, CUP_THREAD_KNOWN_SITES = 16, CUP_THREAD_LANES = 32 };

/* An access of the lanes of a warp to global memory (check/kernel/memory.c). */
struct cup_thread_access {
    uint32_t mask; /* of lanes; 0: none */
    uint32_t warp, site;
    uint32_t access; /* enum cup_abi_access */
    bool is_reported;
    uint64_t bytes; /* of each lane */
    uint64_t addresses[CUP_THREAD_LANES];
};

struct cup_thread {
    _Atomic(int32_t) calls; /* core/gate.h: API calls this thread is in; written by it alone */

    /* device/current.c */
    struct CUctx_st *current; /* top of the stack, or NULL; holds a reference */
    struct {
        CUP_DYNARRAY(struct CUctx_st *, contexts);
    } stack;     /* contexts below the top, oldest first; each holds a reference */
    uint32_t id; /* small and unique in the process; 0 until first used */
    bool in_host_function;
    bool end_is_observed; /* the end of this thread is reported to core/thread.c */
    bool is_compiling;    /* exec/code/compiler.c */
    /* interop/vulkan_device.c: set during the query, because a Vulkan layer may call the API */
    bool is_querying_vulkan;

    /* os/guard.c */
    struct cup_guard *volatile guard; /* the innermost guarded call */
    uint32_t calls_until_check;

    /* exec/sched/worker.c, exec/sched/frame.c */
    uint32_t worker; /* its number, from 1 on; 0: none yet */
    struct cup_frame *frame;
    void *signal_stack; /* allocated by the library */
    bool has_signal_stack;
    uint64_t last_grid_id; /* that it gave to a launch (exec/sched/launch.c) */
    void *matrix_unit;     /* exec/matrix/product.c */
    void *matrix_operands; /* exec/matrix/run.c */
    /* exec/matrix/mma_amx.c: since the thread has been running blocks; the program has shapes of
     * its own
     */
    bool has_matrix_shapes;

    /* check/kernel/memory.c: memory that a kernel may access; the last access outside of it */
    struct {
        uint64_t base, size_bytes;
    } known_memory[CUP_THREAD_KNOWN_MEMORY];
    unsigned next_known_memory;
    uint8_t last_known_memory[CUP_THREAD_KNOWN_SITES]; /* by the number of the instruction */
    struct cup_thread_access kernel_access;

    /* memory/map.c: reserved range of ids */
    uint64_t next_id, ids_left;

    /* stream/thread_streams.c */
    struct cup_thread_stream *streams;

    /* graph/capture_rules.c */
    int capture_mode;       /* CUstreamCaptureMode */
    const char *call;       /* the current call, while any stream captures */
    uint64_t capture_epoch; /* the number of the newest branch of a capture when it began */

    /* graph/user_object.c: user objects whose destructors this call makes at its end */
    struct CUuserObject_st *ending_first, *ending_last;
    bool ends_objects;

    /* core/lock.c, with assertions: one bit per rank held */
    uint64_t held_ranks;

    struct cup_guard_fault last_fault;    /* os/guard.c: of a call without `caught` */
    struct cup_registers fault_registers; /* os/guard.c: at the thread's last fault */

    /* core/error.c: why the current call fails; empty: it does not say */
    char reason[CUP_THREAD_REASON_BYTES];

    /* core/trace.c */
    unsigned trace_generation; /* generation of the file that has this thread's name */
    int trace_id;              /* the kernel's thread id; 0 until first used */

    /* interop/gl_load.c: version of the OpenGL context used last */
    void *gl_context;
    int gl_version;
    bool gl_es;

    /* check/report/records.c, check/calls/call_table.c */
    bool check_reported; /* the current call was reported */
    struct cup_check_call_site check_call_site;
    struct {
        const char *base;
        const struct cup_callcheck *call;
    } recent_calls[CUP_THREAD_RECENT_CALLS];
} __attribute__((aligned(CUP_CACHE_LINE)));

/* NULL until the thread needs it. Signal handlers read this and must accept NULL. */
extern CUP_THREAD_LOCAL struct cup_thread *cup_thread_or_null;

struct cup_thread *cup_thread_create(void);

/* Never returns NULL. Not for signal handlers. */
static inline struct cup_thread *cup_thread_self(void)
{
    struct cup_thread *self = cup_thread_or_null;

    return cup_likely(self != NULL) ? self : cup_thread_create();
}

/* The functions called when a thread ends, in this order. */
enum cup_thread_end {
    CUP_END_STREAMS,
    CUP_END_CONTEXTS,
    CUP_END_FRAME,
    CUP_END_MATRIX_UNIT,
    CUP_END_MATRIX_OPERANDS,
    CUP_END_SIGNAL_STACK,
    CUP_END_COUNT,
};

/* Registers a function that is called, in the thread, when this thread or any other ends. Returns
 * false if the end of this thread cannot be observed. */
bool cup_thread_at_end(enum cup_thread_end which, void (*function)(struct cup_thread *self));

/* True if the test holds for the state of some thread, which may be running. */
bool cup_thread_any(bool (*test)(const struct cup_thread *thread));

/* Returns a small number that is unique among live threads. */
uint32_t cup_thread_id(void);

#endif
