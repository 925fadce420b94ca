/* SPDX-License-Identifier: MIT */
/* The precondition every entry point passes before its body runs: is the library initialised in
 * this process, may this thread call it now, and, where the table says so, has the thread a usable
 * context? The answers are NVIDIA's: NOT_INITIALIZED before cuInit and in a forked child,
 * DEINITIALIZED after the library's exit, NOT_PERMITTED inside a host function, INVALID_CONTEXT and
 * CONTEXT_IS_DESTROYED, then the device's sticky error. */
#ifndef CUP_CORE_PRECONDITION_H
#define CUP_CORE_PRECONDITION_H

#include "core/compiler.h"
#include "core/thread.h"

#include <cuda.h>
#include <stdatomic.h>

enum cup_driver_state {
    CUP_DRIVER_NEW, /* cuInit has not succeeded yet */
    CUP_DRIVER_READY,
    CUP_DRIVER_FORKED, /* a child of a process that had called cuInit */
    CUP_DRIVER_EXITED, /* the process is exiting */
};

/* Read without ordering: a thread that calls after another's cuInit has synchronised with it. */
extern _Atomic(enum cup_driver_state) cup_driver_state;

CUresult cup_precondition_closed(void); /* why: never CUDA_SUCCESS */
CUresult
cup_precondition_context_slow(void); /* CUDA_SUCCESS when the context is usable after all */

/* Precondition `handle`: for calls that name a stream or an event, which a host function may make.
 */
static inline CUresult cup_precondition_handle(void)
{
    if (cup_likely(atomic_load_explicit(&cup_driver_state, memory_order_relaxed) ==
                   CUP_DRIVER_READY))
        return CUDA_SUCCESS;
    return cup_precondition_closed();
}

/* Precondition `init`. */
static inline CUresult cup_precondition_init(void)
{
    if (cup_likely(atomic_load_explicit(&cup_driver_state, memory_order_relaxed) ==
                       CUP_DRIVER_READY &&
                   !cup_thread_self()->in_host_function))
        return CUDA_SUCCESS;
    return cup_precondition_closed();
}

/* Precondition `context`. */
static inline CUresult cup_precondition_context(void)
{
    CUresult result = cup_precondition_init();

    if (cup_unlikely(result != CUDA_SUCCESS))
        return result;
    return cup_precondition_context_slow();
}

#endif
