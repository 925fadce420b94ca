/* SPDX-License-Identifier: MIT */
/* What the calls that copy have in common: how they find their stream and contexts, and how two
 * endpoints go to the stream. */
#ifndef CUP_API_MEMCPY_COMMON_H
#define CUP_API_MEMCPY_COMMON_H

#include "core/compiler.h"
#include "image/copy_box.h"
#include "memory/copy_endpoint.h"

#include <cuda.h>
#include <stdbool.h>

struct CUstream_st;

/* A thread need not have a context to copy in a stream, but one that it has must be usable. Takes a
 * reference. */
CUresult cup_api_copy_find_stream(CUstream handle, struct CUstream_st **stream);

/* Which devices do the two halves of a copy; NULL: the stream's. */
struct cup_api_copy_devices {
    const struct cup_device *to, *from;
};

/* Those of the contexts of a peer copy, which must be contexts; NULL is none. */
CUresult cup_api_copy_find_devices(CUcontext to, CUcontext from,
                                   struct cup_api_copy_devices *devices);

/* May they touch it? INVALID_VALUE if not. */
CUresult cup_api_copy_check_peer_access(const struct CUstream_st *stream,
                                        const struct cup_api_copy_devices *devices,
                                        const struct cup_copy_endpoint *to,
                                        const struct cup_copy_endpoint *from);

static inline CUresult cup_api_copy_peer_access(const struct CUstream_st *stream,
                                                const struct cup_api_copy_devices *devices,
                                                const struct cup_copy_endpoint *to,
                                                const struct cup_copy_endpoint *from)
{
    if (cup_likely((to->peer_bytes | from->peer_bytes) == 0))
        return CUDA_SUCCESS;
    return cup_api_copy_check_peer_access(stream, devices, to, from);
}

/* A copy in a stream that captures: a node with the description as it was given. Copies that wait
 * and those between contexts are refused. */
CUresult cup_api_copy_capture(struct CUstream_st *stream,
                              const struct cup_api_copy_devices *devices, const CUDA_MEMCPY3D *copy,
                              bool asynchronous);

/* devices: as cup_api_copy_find_devices says, or NULL. */
CUresult cup_api_copy_submit(struct CUstream_st *stream, const struct cup_api_copy_devices *devices,
                             const struct cup_copy_endpoint *to,
                             const struct cup_copy_endpoint *from, const struct cup_extent *extent,
                             bool asynchronous);

#endif
