/* SPDX-License-Identifier: MIT */
/* Entering a call: what a wrapper does before it calls a body. */
#ifndef RT_ENTER_H
#define RT_ENTER_H

#include "driver.h"
#include "driver_types.h"

#include <stdatomic.h>

/* The version of the library that the bodies are part of. */
extern const int rt_library_version;

/* Loads and initialises the driver the first time; later returns the result of that. */
static inline cudaError_t rt_enter(void)
{
    if (rt_likely(atomic_load_explicit(&rt_driver_ready, memory_order_acquire)))
        return cudaSuccess;
    return rt_driver_start();
}

/* The stream of a per-thread (_ptsz) form: NULL is the per-thread default stream. */
static inline cudaStream_t rt_stream_per_thread(cudaStream_t stream)
{
    return stream ? stream : cudaStreamPerThread;
}

#endif
