/* SPDX-License-Identifier: MIT */
/* The preconditions that entry points check before their body runs: the library is initialised in
 * this process, this thread may call it now, and, if entrypoints.def says so, the thread has a
 * usable context. The errors are those of NVIDIA's driver: NOT_INITIALIZED before cuInit() and in a
 * forked child, DEINITIALIZED after the library's exit, NOT_PERMITTED inside a host function,
 * INVALID_CONTEXT and CONTEXT_IS_DESTROYED, then the device's sticky error. */
#ifndef CUP_CORE_PRECONDITION_H
#define CUP_CORE_PRECONDITION_H

#include "core/compiler.h"
#include "core/thread.h"

#include <cuda.h>
#include <stdatomic.h>

enum cup_driver_state {
    CUP_DRIVER_NEW, /* cuInit() has not succeeded yet */
    CUP_DRIVER_READY,
    CUP_DRIVER_FORKED, /* a child of a process that had called cuInit() */
    CUP_DRIVER_EXITED, /* the process is exiting */
};

/* Relaxed loads suffice: a thread that calls after another thread's cuInit() has synchronised with
 * it. */
extern _Atomic(enum cup_driver_state) cup_driver_state;

CUresult cup_precondition_closed(void); /* returns the error; never CUDA_SUCCESS */

/* Precondition `handle`: for calls on a stream or an event, which are allowed in host functions. */
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

/* Precondition `context`; in device/current.c. */
CUresult cup_precondition_context(void);

#endif
