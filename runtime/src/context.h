/* SPDX-License-Identifier: MIT */
/*
 * Contexts. The runtime works in the calling thread's current context, whoever made it. Where there
 * is none, it makes the primary context of the thread's device current; it notices that when the
 * driver refuses a call for want of a context, so that calls with one cost nothing more.
 */
#ifndef RT_CONTEXT_H
#define RT_CONTEXT_H

#include "driver.h"
#include "driver_types.h"

/* The device that the thread's calls go to: that of the current context, else the chosen one. */
cudaError_t rt_context_device(CUdevice *device);

/* Makes the primary context of `device` current and the device the thread's own. */
cudaError_t rt_context_set_device(int device);

/* The device of threads that chose none. */
void rt_context_set_default_device(CUdevice device);

/* Sees to it that a live context is current. For bodies whose driver call would not miss one. */
cudaError_t rt_context_bind(void);

/* The current context, made now if there was none. */
cudaError_t rt_context_current(CUcontext *context);

/* After a body failed with *result: true if that was for want of a context and there is one now, so
 * that the body should run again. *result changes where no context can be made. */
RT_COLD bool rt_context_recover(cudaError_t *result);

/* For allocations: an allocation that fails in a live context leaves NULL in *out; one that fails
 * for want of a context leaves *out alone. Returns `result`. */
RT_COLD cudaError_t rt_context_failed(void **out, cudaError_t result);

/* Retains the primary context of `device` unless the runtime holds it already. */
cudaError_t rt_context_retain(CUdevice device, CUcontext *context);

/* Destroys what the primary context of `device` holds; it is made again when next needed. */
cudaError_t rt_context_reset(CUdevice device);

/* Whether `context` is the primary context of `device` as far as the runtime has seen it. */
bool rt_context_is_primary(CUcontext context, CUdevice device, CUcontext *primary);

#endif
