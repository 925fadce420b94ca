/* SPDX-License-Identifier: MIT */
/* Green contexts: a share of a device's multiprocessors with streams of its own. The handle of a
 * green context is also a CUcontext. Launches in its streams run on its multiprocessors, that is,
 * on the same share of the worker threads. */
#ifndef CUP_STREAM_GREEN_H
#define CUP_STREAM_GREEN_H

#include "device/context.h"
#include "device/resource.h"
#include "stream/stream.h"

#include <cuda.h>

/* Retains the primary context and creates a green context of it. */
CUresult cup_green_create(struct cup_device *device, const struct CUdevResourceDesc_st *descriptor,
                          struct CUctx_st **context);

/* Waits for the work of the green context, ends its streams and releases the primary context. */
void cup_green_destroy(struct CUctx_st *context);

/* Takes a reference. CONTEXT_IS_DESTROYED for a destroyed one, INVALID_CONTEXT for all else. */
CUresult cup_green_find(CUgreenCtx handle, struct CUctx_st **context);

#endif
