/* SPDX-License-Identifier: MIT */
/* Contexts. The runtime works in the calling thread's current context, whichever created it. If
 * there is none, it makes the primary context of the thread's device current. It does so only when
 * the driver fails a call for lack of a context, so calls with one cost nothing more. */
#ifndef RT_CONTEXT_H
#define RT_CONTEXT_H

#include "driver.h"
#include "driver_types.h"

/* The device of the thread's calls: that of the current context, else the chosen one. */
cudaError_t rt_context_device(CUdevice *device);

/* Makes the primary context of `device` current and the device the thread's own. */
cudaError_t rt_context_set_device(int device);

/* The device of threads that chose none. */
void rt_context_set_default_device(CUdevice device);

/* Makes sure that a live context is current. For bodies whose driver call does not need one. */
cudaError_t rt_context_bind(void);

/* The current context; creates one if there is none. */
cudaError_t rt_context_current(CUcontext *context);

/* After a body failed with *result: returns true if a context was missing and now exists, so that
 * the body should run again. *result changes if no context can be created. */
RT_COLD bool rt_context_recover(cudaError_t *result);

/* Whether a context is current and was not reset. */
RT_COLD bool rt_context_is_live(void);

/* For allocations: sets *out to NULL if an allocation failed in a live context, and leaves it
 * unchanged if a context was missing. Returns `result`. */
RT_COLD cudaError_t rt_context_failed(void **out, cudaError_t result);

/* Retains the primary context of `device` unless the runtime holds it already. */
cudaError_t rt_context_retain(CUdevice device, CUcontext *context);

/* Destroys the contents of the primary context of `device`; it is created again when needed. */
cudaError_t rt_context_reset(CUdevice device);

/* Whether `context` is the primary context of `device`, as the runtime last retained it. */
bool rt_context_is_primary(CUcontext context, CUdevice device, CUcontext *primary);

#endif
