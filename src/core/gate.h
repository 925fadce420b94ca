/* SPDX-License-Identifier: MIT */
/* The gate every entry point passes before its body runs: is the library initialised in this
 * process, may this thread call it now, and, where the table says so, has the thread a usable
 * context? The answers are NVIDIA's: NOT_INITIALIZED before cuInit and in a forked child,
 * DEINITIALIZED after the library's exit, NOT_PERMITTED inside a host function, INVALID_CONTEXT and
 * CONTEXT_IS_DESTROYED, then the device's sticky error. */
#ifndef CUP_CORE_GATE_H
#define CUP_CORE_GATE_H

#include "core/compiler.h"
#include "core/thread.h"

#include <cuda.h>
#include <stdatomic.h>

enum cup_library_state {
    CUP_LIBRARY_NEW, /* cuInit has not succeeded yet */
    CUP_LIBRARY_READY,
    CUP_LIBRARY_FORKED, /* a child of a process that had called cuInit */
    CUP_LIBRARY_EXITED, /* the process is exiting */
};

/* Read without ordering: a thread that calls after another's cuInit has synchronised with it. */
extern _Atomic(enum cup_library_state) cup_library_state;

CUresult cup_gate_closed(void);       /* why: never CUDA_SUCCESS */
CUresult cup_gate_context_slow(void); /* CUDA_SUCCESS when the context is usable after all */

/* Gate `handle`: for calls that name a stream or an event, which a host function may make. */
static inline CUresult cup_gate_handle(void)
{
    if (cup_likely(atomic_load_explicit(&cup_library_state, memory_order_relaxed) ==
                   CUP_LIBRARY_READY))
        return CUDA_SUCCESS;
    return cup_gate_closed();
}

/* Gate `init`. */
static inline CUresult cup_gate_init(void)
{
    if (cup_likely(atomic_load_explicit(&cup_library_state, memory_order_relaxed) ==
                       CUP_LIBRARY_READY &&
                   !cup_thread_self()->in_host_function))
        return CUDA_SUCCESS;
    return cup_gate_closed();
}

/* Gate `context`. */
static inline CUresult cup_gate_context(void)
{
    CUresult result = cup_gate_init();

    if (cup_unlikely(result != CUDA_SUCCESS))
        return result;
    return cup_gate_context_slow();
}

#endif
