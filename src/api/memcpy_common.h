/* SPDX-License-Identifier: MIT */
/* Helpers of the copy calls: they find the stream and the contexts, and submit a copy between two
 * endpoints. */
#ifndef CUP_API_MEMCPY_COMMON_H
#define CUP_API_MEMCPY_COMMON_H

#include "core/compiler.h"
#include "image/copy_box.h"
#include "memory/copy_endpoint.h"

#include <cuda.h>
#include <stdbool.h>

struct CUstream_st;
struct cup_captured_work;

/* Finds the stream of a copy and takes a reference. The thread need not have a current context, but
 * if it has one, that must be usable. */
CUresult cup_api_copy_find_stream(CUstream handle, struct CUstream_st **stream);

/* The devices that execute the two halves of a copy; NULL: the stream's device. */
struct cup_api_copy_devices {
    const struct cup_device *to, *from;
};

/* Finds the devices of the two contexts of a peer copy. Each must be a context; NULL means none. */
CUresult cup_api_copy_find_devices(CUcontext to, CUcontext from,
                                   struct cup_api_copy_devices *devices);

/* A peer copy without a stream comes after all work of its two contexts and before all later work
 * of theirs. To be called before the copy, and after it with its result, which it returns. Waits on
 * the host if a context is not the current one. */
void cup_api_copy_await_contexts(CUcontext to, CUcontext from);
CUresult cup_api_copy_finish_between(CUcontext to, CUcontext from, CUresult result);

/* Returns CUDA_ERROR_INVALID_VALUE if the devices may not access the memory. */
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

/* Submits a copy whose endpoints were checked. In the legacy stream, a copy between two devices
 * comes after all work of the other device's primary context and before all later work there. */
CUresult cup_api_copy_submit_ordered(struct CUstream_st *stream, const struct cup_copy *copy,
                                     const struct cup_copy_endpoint *to,
                                     const struct cup_copy_endpoint *from, bool asynchronous);

/* Describes a copy for a capture: a node with the parameters that the application passed. Graphs
 * have no node for copies that wait and copies between contexts. */
CUresult cup_api_copy_describe(struct CUstream_st *stream,
                               const struct cup_api_copy_devices *devices,
                               const CUDA_MEMCPY3D *copy, bool asynchronous,
                               struct cup_captured_work *captured);

/* `devices` is the result of cup_api_copy_find_devices, or NULL. */
CUresult cup_api_copy_submit(struct CUstream_st *stream, const struct cup_api_copy_devices *devices,
                             const struct cup_copy_endpoint *to,
                             const struct cup_copy_endpoint *from, const struct cup_extent *extent,
                             bool asynchronous);

/* Submits the copy of a box, or captures it. The stream is validated before the description, which
 * may be NULL; an extent of zero copies nothing and skips all further checks. */
CUresult cup_api_copy_box(const CUDA_MEMCPY3D *copy, const struct cup_api_copy_devices *devices,
                          CUstream stream, bool asynchronous);

#endif
