/* SPDX-License-Identifier: MIT */
/* Copies. The runtime has a kind that says where the source and the destination are; the driver has
 * a function or a memory type for each. A copy with a stream argument is asynchronous; a copy
 * without one gets the default stream to use. */
#ifndef RT_COPY_H
#define RT_COPY_H

#include "driver.h"
#include "driver_types.h"

/* The stream of a copy, and whether the call waits for it. */
struct rt_submission {
    bool asynchronous;
    cudaStream_t stream;
};

#define RT_COPY_ASYNC(stream) ((struct rt_submission){true, stream})
#define RT_COPY_SYNC(default_stream) ((struct rt_submission){false, default_stream})

static inline bool rt_copy_kind_is_valid(enum cudaMemcpyKind kind)
{
    return (unsigned)kind <= cudaMemcpyDefault;
}

static inline CUmemorytype rt_copy_source_type(enum cudaMemcpyKind kind)
{
    if (kind == cudaMemcpyDefault)
        return CU_MEMORYTYPE_UNIFIED;
    return kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice ? CU_MEMORYTYPE_HOST
                                                                          : CU_MEMORYTYPE_DEVICE;
}

static inline CUmemorytype rt_copy_destination_type(enum cudaMemcpyKind kind)
{
    if (kind == cudaMemcpyDefault)
        return CU_MEMORYTYPE_UNIFIED;
    return kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost ? CU_MEMORYTYPE_HOST
                                                                          : CU_MEMORYTYPE_DEVICE;
}

/* `count` bytes between two addresses. */
cudaError_t rt_copy_linear(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                           struct rt_submission submission);

/* One rectangle, by the driver's description. */
cudaError_t rt_copy_2d(const CUDA_MEMCPY2D *copy, struct rt_submission submission);

/* A copy of 0 bytes: only makes sure that there is a context. */
cudaError_t rt_copy_nothing(void);

/* Turns the runtime's description of a 3D copy into the driver's. */
cudaError_t rt_copy_3d_parameters(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *copy);

#endif
