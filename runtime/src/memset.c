/* SPDX-License-Identifier: MIT */
/* Memsets: bytes, rectangles, boxes. */
#include "copy.h"
#include "runtime_impl.h"

#include <stdint.h>

static CUdeviceptr address_of(const void *pointer)
{
    return (CUdeviceptr)(uintptr_t)pointer;
}

static cudaError_t fill(void *devPtr, int value, size_t count, struct rt_submission submission)
{
    if (rt_unlikely(count == 0))
        return rt_copy_nothing();
    if (submission.asynchronous)
        return rt_result(rt_driver.cuMemsetD8Async(address_of(devPtr), (unsigned char)value, count,
                                                   submission.stream));
    return rt_result(RT_BY_STREAM(submission.stream, cuMemsetD8_v2,
                                  _ptds)(address_of(devPtr), (unsigned char)value, count));
}

static cudaError_t fill_2d(void *devPtr, size_t pitch, int value, size_t width, size_t height,
                           struct rt_submission submission)
{
    if (width == 0 || height == 0)
        return rt_copy_nothing();
    if (submission.asynchronous)
        return rt_result(rt_driver.cuMemsetD2D8Async(
            address_of(devPtr), pitch, (unsigned char)value, width, height, submission.stream));
    return rt_result(RT_BY_STREAM(submission.stream, cuMemsetD2D8_v2, _ptds)(
        address_of(devPtr), pitch, (unsigned char)value, width, height));
}

/* A box whose slices follow each other without a gap is one rectangle. */
static cudaError_t fill_3d(struct cudaPitchedPtr pointer, int value, struct cudaExtent extent,
                           struct rt_submission submission)
{
    cudaError_t result = cudaSuccess;

    if (!extent.width || !extent.height || !extent.depth)
        return rt_copy_nothing();
    if (extent.depth > 1 && pointer.ysize < extent.height)
        return cudaErrorInvalidValue;
    if (pointer.ysize == extent.height || extent.depth == 1)
        return fill_2d(pointer.ptr, pointer.pitch, value, extent.width,
                       extent.height * extent.depth, submission);
    for (size_t z = 0; z < extent.depth && result == cudaSuccess; z++)
        result = fill_2d((char *)pointer.ptr + z * pointer.pitch * pointer.ysize, pointer.pitch,
                         value, extent.width, extent.height, submission);
    return result;
}

cudaError_t impl_cudaMemset(void *devPtr, int value, size_t count, cudaStream_t default_stream)
{
    return fill(devPtr, value, count, RT_COPY_SYNC(default_stream));
}

cudaError_t impl_cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream)
{
    return fill(devPtr, value, count, RT_COPY_ASYNC(stream));
}

cudaError_t impl_cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t default_stream)
{
    return fill_2d(devPtr, pitch, value, width, height, RT_COPY_SYNC(default_stream));
}

cudaError_t impl_cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width,
                                   size_t height, cudaStream_t stream)
{
    return fill_2d(devPtr, pitch, value, width, height, RT_COPY_ASYNC(stream));
}

cudaError_t impl_cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value,
                              struct cudaExtent extent, cudaStream_t default_stream)
{
    return fill_3d(pitchedDevPtr, value, extent, RT_COPY_SYNC(default_stream));
}

cudaError_t impl_cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value,
                                   struct cudaExtent extent, cudaStream_t stream)
{
    return fill_3d(pitchedDevPtr, value, extent, RT_COPY_ASYNC(stream));
}
