/* SPDX-License-Identifier: MIT */
/* Entering a call: what a wrapper does before it calls a body. */
#ifndef RT_ENTER_H
#define RT_ENTER_H

#include "driver.h"
#include "driver_types.h"

#include <stdatomic.h>

/* Loads and initialises the driver the first time; later returns the result of that. */
static inline cudaError_t rt_enter(void)
{
    if (rt_likely(atomic_load_explicit(&rt_driver_ready, memory_order_acquire)))
        return cudaSuccess;
    return rt_driver_start();
}

/* Whether the thread has made a call that needs a context and was permitted to. */
extern __thread bool rt_thread_permitted;
/* Starts the driver and asks it whether this thread may call it; makes the primary context current
 * if it exists and the thread has none. */
RT_COLD cudaError_t rt_thread_permit(void);

/* As rt_enter(), for calls that need a context. They fail in a host function of a stream. The
 * driver refuses most calls there by itself, but not those on a stream or an event: waiting for the
 * function's own stream would never end. A thread that was permitted once runs no host functions:
 * the driver has threads of its own for them. */
static inline cudaError_t rt_enter_context(void)
{
    return rt_likely(rt_thread_permitted) ? cudaSuccess : rt_thread_permit();
}

/* The stream of a per-thread (_ptsz) form: NULL is the per-thread default stream. */
static inline cudaStream_t rt_stream_per_thread(cudaStream_t stream)
{
    return stream ? stream : cudaStreamPerThread;
}

#endif
