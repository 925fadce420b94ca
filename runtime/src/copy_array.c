/* SPDX-License-Identifier: MIT */
/* Copies to, from and between arrays, and 3D copies. */
#include "array.h"
#include "copy.h"
#include "runtime_impl.h"

#include <stdint.h>

/* One side of a 2D copy with arrays. */

static void source_array(CUDA_MEMCPY2D *copy, cudaArray_const_t array, size_t x, size_t y)
{
    copy->srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy->srcArray = rt_array_handle(array);
    copy->srcXInBytes = x;
    copy->srcY = y;
}

static void destination_array(CUDA_MEMCPY2D *copy, cudaArray_const_t array, size_t x, size_t y)
{
    copy->dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy->dstArray = rt_array_handle(array);
    copy->dstXInBytes = x;
    copy->dstY = y;
}

static void source_memory(CUDA_MEMCPY2D *copy, const void *src, size_t pitch,
                          enum cudaMemcpyKind kind)
{
    copy->srcMemoryType = rt_copy_source_type(kind);
    copy->srcHost = src;
    copy->srcDevice = (CUdeviceptr)(uintptr_t)src;
    copy->srcPitch = pitch;
}

static void destination_memory(CUDA_MEMCPY2D *copy, void *dst, size_t pitch,
                               enum cudaMemcpyKind kind)
{
    copy->dstMemoryType = rt_copy_destination_type(kind);
    copy->dstHost = dst;
    copy->dstDevice = (CUdeviceptr)(uintptr_t)dst;
    copy->dstPitch = pitch;
}

/* Arrays are on the device: the kind must not contradict that. */

static bool leads_to_device(enum cudaMemcpyKind kind)
{
    return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice ||
           kind == cudaMemcpyDefault;
}

static bool comes_from_device(enum cudaMemcpyKind kind)
{
    return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice ||
           kind == cudaMemcpyDefault;
}

static cudaError_t copy_to_array(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                 size_t spitch, size_t width, size_t height,
                                 enum cudaMemcpyKind kind, struct rt_submission submission)
{
    CUDA_MEMCPY2D copy = {.WidthInBytes = width, .Height = height};

    if (width == 0 || height == 0)
        return rt_copy_nothing();
    if (height > 1 && spitch < width)
        return cudaErrorInvalidPitchValue;
    if (!leads_to_device(kind))
        return cudaErrorInvalidMemcpyDirection;
    if (!dst)
        return cudaErrorInvalidResourceHandle;
    source_memory(&copy, src, spitch, kind);
    destination_array(&copy, dst, wOffset, hOffset);
    return rt_copy_2d(&copy, submission);
}

static cudaError_t copy_from_array(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
                                   size_t hOffset, size_t width, size_t height,
                                   enum cudaMemcpyKind kind, struct rt_submission submission)
{
    CUDA_MEMCPY2D copy = {.WidthInBytes = width, .Height = height};

    if (width == 0 || height == 0)
        return rt_copy_nothing();
    if (height > 1 && dpitch < width)
        return cudaErrorInvalidPitchValue;
    if (!comes_from_device(kind))
        return cudaErrorInvalidMemcpyDirection;
    if (!src)
        return cudaErrorInvalidResourceHandle;
    source_array(&copy, src, wOffset, hOffset);
    destination_memory(&copy, dst, dpitch, kind);
    return rt_copy_2d(&copy, submission);
}

cudaError_t impl_cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                     const void *src, size_t spitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t default_stream)
{
    return copy_to_array(dst, wOffset, hOffset, src, spitch, width, height, kind,
                         RT_COPY_SYNC(default_stream));
}

cudaError_t impl_cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                          const void *src, size_t spitch, size_t width,
                                          size_t height, enum cudaMemcpyKind kind,
                                          cudaStream_t stream)
{
    return copy_to_array(dst, wOffset, hOffset, src, spitch, width, height, kind,
                         RT_COPY_ASYNC(stream));
}

cudaError_t impl_cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src,
                                       size_t wOffset, size_t hOffset, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t default_stream)
{
    return copy_from_array(dst, dpitch, src, wOffset, hOffset, width, height, kind,
                           RT_COPY_SYNC(default_stream));
}

cudaError_t impl_cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src,
                                            size_t wOffset, size_t hOffset, size_t width,
                                            size_t height, enum cudaMemcpyKind kind,
                                            cudaStream_t stream)
{
    return copy_from_array(dst, dpitch, src, wOffset, hOffset, width, height, kind,
                           RT_COPY_ASYNC(stream));
}

cudaError_t impl_cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                          cudaArray_const_t src, size_t wOffsetSrc,
                                          size_t hOffsetSrc, size_t width, size_t height,
                                          enum cudaMemcpyKind kind, cudaStream_t default_stream)
{
    CUDA_MEMCPY2D copy = {.WidthInBytes = width, .Height = height};

    if (width == 0 || height == 0)
        return rt_copy_nothing();
    if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (!src || !dst)
        return cudaErrorInvalidResourceHandle;
    source_array(&copy, src, wOffsetSrc, hOffsetSrc);
    destination_array(&copy, dst, wOffsetDst, hOffsetDst);
    return rt_copy_2d(&copy, RT_COPY_SYNC(default_stream));
}

/* Linear copies walk through an array row by row, from a position in its first row. They become at
 * most three rectangles: the rest of the first row, whole rows, the begin of the last. */

struct linear_walk {
    size_t x, y, row_bytes, left;
};

static cudaError_t begin_walk(cudaArray_const_t array, size_t wOffset, size_t hOffset, size_t count,
                              struct linear_walk *walk)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    CUresult result = rt_driver.cuArray3DGetDescriptor_v2(&descriptor, rt_array_handle(array));

    if (result != CUDA_SUCCESS)
        return rt_result(result);
    *walk = (struct linear_walk){wOffset, hOffset,
                                 descriptor.Width * rt_array_element_bytes(&descriptor), count};
    return wOffset >= walk->row_bytes ? cudaErrorInvalidValue : cudaSuccess;
}

/* The next rectangle of a walk. */
static void step_walk(struct linear_walk *walk, size_t *x, size_t *y, size_t *width, size_t *height)
{
    *x = walk->x;
    *y = walk->y;
    if (walk->x > 0 || walk->left < walk->row_bytes) {
        size_t room = walk->row_bytes - walk->x;

        *width = walk->left < room ? walk->left : room;
        *height = 1;
    } else {
        *width = walk->row_bytes;
        *height = walk->left / walk->row_bytes;
    }
    walk->left -= *width * *height;
    walk->y += *height;
    walk->x = 0;
}

static cudaError_t walk_to_array(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                 size_t count, enum cudaMemcpyKind kind,
                                 struct rt_submission submission)
{
    struct linear_walk walk;
    cudaError_t result;

    if (count == 0)
        return rt_copy_nothing();
    if (!leads_to_device(kind))
        return cudaErrorInvalidMemcpyDirection;
    result = begin_walk(dst, wOffset, hOffset, count, &walk);
    while (walk.left > 0 && result == cudaSuccess) {
        size_t x, y, width, height;

        step_walk(&walk, &x, &y, &width, &height);
        result = copy_to_array(dst, x, y, src, width, width, height, kind, submission);
        src = (const char *)src + width * height;
    }
    return result;
}

static cudaError_t walk_from_array(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                   size_t count, enum cudaMemcpyKind kind,
                                   struct rt_submission submission)
{
    struct linear_walk walk;
    cudaError_t result;

    if (count == 0)
        return rt_copy_nothing();
    if (!comes_from_device(kind))
        return cudaErrorInvalidMemcpyDirection;
    result = begin_walk(src, wOffset, hOffset, count, &walk);
    while (walk.left > 0 && result == cudaSuccess) {
        size_t x, y, width, height;

        step_walk(&walk, &x, &y, &width, &height);
        result = copy_from_array(dst, width, src, x, y, width, height, kind, submission);
        dst = (char *)dst + width * height;
    }
    return result;
}

cudaError_t impl_cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                   size_t count, enum cudaMemcpyKind kind,
                                   cudaStream_t default_stream)
{
    return walk_to_array(dst, wOffset, hOffset, src, count, kind, RT_COPY_SYNC(default_stream));
}

cudaError_t impl_cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                        const void *src, size_t count, enum cudaMemcpyKind kind,
                                        cudaStream_t stream)
{
    return walk_to_array(dst, wOffset, hOffset, src, count, kind, RT_COPY_ASYNC(stream));
}

cudaError_t impl_cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t wOffset,
                                     size_t hOffset, size_t count, enum cudaMemcpyKind kind,
                                     cudaStream_t default_stream)
{
    return walk_from_array(dst, src, wOffset, hOffset, count, kind, RT_COPY_SYNC(default_stream));
}

cudaError_t impl_cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t wOffset,
                                          size_t hOffset, size_t count, enum cudaMemcpyKind kind,
                                          cudaStream_t stream)
{
    return walk_from_array(dst, src, wOffset, hOffset, count, kind, RT_COPY_ASYNC(stream));
}

cudaError_t impl_cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                        cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                        size_t count, enum cudaMemcpyKind kind,
                                        cudaStream_t default_stream)
{
    struct linear_walk from, to;
    cudaError_t result;

    if (count == 0)
        return rt_copy_nothing();
    if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    result = begin_walk(dst, wOffsetDst, hOffsetDst, count, &to);
    if (result == cudaSuccess)
        result = begin_walk(src, wOffsetSrc, hOffsetSrc, count, &from);
    /* Rows may differ in length: each step ends at the nearer end of a row. */
    while (result == cudaSuccess && to.left > 0) {
        size_t room = to.row_bytes - to.x, other = from.row_bytes - from.x;
        size_t width = room < other ? room : other;

        width = to.left < width ? to.left : width;
        result = impl_cudaMemcpy2DArrayToArray(dst, to.x, to.y, src, from.x, from.y, width, 1, kind,
                                               default_stream);
        to.left -= width;
        to.x += width;
        from.x += width;
        if (to.x == to.row_bytes)
            to.x = 0, to.y++;
        if (from.x == from.row_bytes)
            from.x = 0, from.y++;
    }
    return result;
}

/* 3D copies. With an array, x and widths count its elements, otherwise bytes; so many elements that
 * their bytes do not fit in 64 bits are in no array. */

static bool has_bytes(const struct cudaMemcpy3DParms *p, size_t element_bytes)
{
    size_t most = element_bytes ? SIZE_MAX / element_bytes : SIZE_MAX;

    return p->extent.width <= most && p->srcPos.x <= most && p->dstPos.x <= most;
}

static cudaError_t element_bytes(const struct cudaMemcpy3DParms *p, size_t *bytes)
{
    cudaArray_t array = p->srcArray ? p->srcArray : p->dstArray;
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    CUresult result;

    *bytes = 1;
    if (!array)
        return cudaSuccess;
    result = rt_driver.cuArray3DGetDescriptor_v2(&descriptor, rt_array_handle(array));
    if (result == CUDA_SUCCESS)
        *bytes = rt_array_element_bytes(&descriptor);
    return rt_result(result);
}

static cudaError_t check_pitch(const struct cudaPitchedPtr *pointer, struct cudaExtent extent)
{
    if ((extent.height > 1 || extent.depth > 1) && pointer->pitch < extent.width)
        return cudaErrorInvalidPitchValue;
    if (extent.depth > 1 && pointer->ysize < extent.height)
        return cudaErrorInvalidPitchValue;
    return cudaSuccess;
}

cudaError_t rt_copy_3d_parameters(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *copy)
{
    size_t bytes;
    cudaError_t result;

    if (!rt_copy_kind_is_valid(p->kind))
        return cudaErrorInvalidMemcpyDirection;
    if (!p->srcArray == !p->srcPtr.ptr || !p->dstArray == !p->dstPtr.ptr)
        return cudaErrorInvalidValue;
    result = p->srcArray ? cudaSuccess : check_pitch(&p->srcPtr, p->extent);
    if (result == cudaSuccess && !p->dstArray)
        result = check_pitch(&p->dstPtr, p->extent);
    if (result == cudaSuccess)
        result = element_bytes(p, &bytes);
    if (result == cudaSuccess && !has_bytes(p, bytes))
        result = cudaErrorInvalidValue;
    if (result != cudaSuccess)
        return result;
    *copy = (CUDA_MEMCPY3D){
        .srcXInBytes = p->srcPos.x * bytes,
        .srcY = p->srcPos.y,
        .srcZ = p->srcPos.z,
        .srcMemoryType = p->srcArray ? CU_MEMORYTYPE_ARRAY : rt_copy_source_type(p->kind),
        .srcHost = p->srcPtr.ptr,
        .srcDevice = (CUdeviceptr)(uintptr_t)p->srcPtr.ptr,
        .srcArray = rt_array_handle(p->srcArray),
        .srcPitch = p->srcPtr.pitch,
        .srcHeight = p->srcPtr.ysize,
        .dstXInBytes = p->dstPos.x * bytes,
        .dstY = p->dstPos.y,
        .dstZ = p->dstPos.z,
        .dstMemoryType = p->dstArray ? CU_MEMORYTYPE_ARRAY : rt_copy_destination_type(p->kind),
        .dstHost = p->dstPtr.ptr,
        .dstDevice = (CUdeviceptr)(uintptr_t)p->dstPtr.ptr,
        .dstArray = rt_array_handle(p->dstArray),
        .dstPitch = p->dstPtr.pitch,
        .dstHeight = p->dstPtr.ysize,
        .WidthInBytes = p->extent.width * bytes,
        .Height = p->extent.height,
        .Depth = p->extent.depth,
    };
    return cudaSuccess;
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *p, struct rt_submission submission)
{
    CUDA_MEMCPY3D copy;
    cudaError_t result;

    if (!p)
        return cudaErrorInvalidValue;
    if (!p->extent.width || !p->extent.height || !p->extent.depth)
        return rt_copy_nothing();
    result = rt_copy_3d_parameters(p, &copy);
    if (result != cudaSuccess)
        return result;
    if (submission.asynchronous)
        return rt_result(rt_driver.cuMemcpy3DAsync_v2(&copy, submission.stream));
    return rt_result(RT_BY_STREAM(submission.stream, cuMemcpy3D_v2, _ptds)(&copy));
}

cudaError_t impl_cudaMemcpy3D(const struct cudaMemcpy3DParms *p, cudaStream_t default_stream)
{
    return copy_3d(p, RT_COPY_SYNC(default_stream));
}

cudaError_t impl_cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    return copy_3d(p, RT_COPY_ASYNC(stream));
}
