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

/* The bytes from one slice of a box to the next, and from its first byte to its last. Returns false
 * if there are not so many addresses. */
static bool measure_box(const struct cudaPitchedPtr *pointer, struct cudaExtent extent,
                        size_t *slice_bytes, size_t *total_bytes)
{
    size_t rows, slices;

    return !__builtin_mul_overflow(pointer->pitch, pointer->ysize, slice_bytes) &&
           !__builtin_mul_overflow(pointer->pitch, extent.height - 1, &rows) &&
           !__builtin_mul_overflow(*slice_bytes, extent.depth - 1, &slices) &&
           !__builtin_add_overflow(rows, slices, total_bytes) &&
           !__builtin_add_overflow(*total_bytes, extent.width, total_bytes);
}

/* Whether memory begins at the address and ends before the box does. Such a box is refused before
 * any of it is written. What follows memory without a gap counts as more of it, because mappings
 * may; what CUDA does not know is left to the fill, because memory of a graph is unknown during
 * capture. */
static bool leaves_memory(CUdeviceptr address, size_t bytes)
{
    CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                   CU_POINTER_ATTRIBUTE_RANGE_SIZE};

    for (bool is_first = true;; is_first = false) {
        CUdeviceptr start = 0;
        size_t size_bytes = 0;
        void *answers[] = {&start, &size_bytes};

        if (rt_driver.cuPointerGetAttributes(2, asked, answers, address) != CUDA_SUCCESS ||
            size_bytes == 0)
            return !is_first;
        size_t room = size_bytes - (address - start);
        if (bytes <= room)
            return false;
        bytes -= room;
        address += room;
    }
}

/* A box is filled as rectangles: its slices, or all first rows, all second rows and so on,
 * whichever are fewer. If its slices follow each other without a gap it is one rectangle. */
static cudaError_t fill_3d(struct cudaPitchedPtr pointer, int value, struct cudaExtent extent,
                           struct rt_submission submission)
{
    size_t slice_bytes, total_bytes;
    cudaError_t result = cudaSuccess;

    if (!extent.width || !extent.height || !extent.depth)
        return rt_copy_nothing();
    if (extent.depth == 1)
        return fill_2d(pointer.ptr, pointer.pitch, value, extent.width, extent.height, submission);
    if (pointer.ysize < extent.height || (extent.height > 1 && pointer.pitch < extent.width) ||
        !measure_box(&pointer, extent, &slice_bytes, &total_bytes))
        return cudaErrorInvalidValue;
    if (pointer.ysize == extent.height)
        return fill_2d(pointer.ptr, pointer.pitch, value, extent.width,
                       extent.height * extent.depth, submission);
    if (leaves_memory(address_of(pointer.ptr), total_bytes))
        return cudaErrorInvalidValue;
    bool by_rows = extent.height < extent.depth;
    size_t count = by_rows ? extent.height : extent.depth;
    for (size_t i = 0; i < count && result == cudaSuccess; i++)
        result = fill_2d((char *)pointer.ptr + i * (by_rows ? pointer.pitch : slice_bytes),
                         by_rows ? slice_bytes : pointer.pitch, value, extent.width,
                         by_rows ? extent.depth : extent.height, submission);
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
