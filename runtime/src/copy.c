/* SPDX-License-Identifier: MIT */
/* Copies between addresses: linear, 2D, peer, batches. */
#include "copy.h"

#include "context.h"
#include "runtime_impl.h"

#include <stdint.h>

static CUdeviceptr address_of(const void *pointer)
{
    return (CUdeviceptr)(uintptr_t)pointer;
}

cudaError_t rt_copy_nothing(void)
{
    return rt_context_bind();
}

static CUresult copy_sync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                          cudaStream_t stream)
{
    switch (kind) {
    case cudaMemcpyHostToDevice:
        return RT_BY_STREAM(stream, cuMemcpyHtoD_v2, _ptds)(address_of(dst), src, count);
    case cudaMemcpyDeviceToHost:
        return RT_BY_STREAM(stream, cuMemcpyDtoH_v2, _ptds)(dst, address_of(src), count);
    case cudaMemcpyDeviceToDevice:
        return RT_BY_STREAM(stream, cuMemcpyDtoD_v2, _ptds)(address_of(dst), address_of(src),
                                                            count);
    default:
        return RT_BY_STREAM(stream, cuMemcpy, _ptds)(address_of(dst), address_of(src), count);
    }
}

static CUresult copy_async(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                           cudaStream_t stream)
{
    switch (kind) {
    case cudaMemcpyHostToDevice:
        return rt_driver.cuMemcpyHtoDAsync_v2(address_of(dst), src, count, stream);
    case cudaMemcpyDeviceToHost:
        return rt_driver.cuMemcpyDtoHAsync_v2(dst, address_of(src), count, stream);
    case cudaMemcpyDeviceToDevice:
        return rt_driver.cuMemcpyDtoDAsync_v2(address_of(dst), address_of(src), count, stream);
    default:
        return rt_driver.cuMemcpyAsync(address_of(dst), address_of(src), count, stream);
    }
}

cudaError_t rt_copy_linear(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                           struct rt_submission submission)
{
    if (rt_unlikely(count == 0))
        return rt_copy_nothing();
    if (rt_unlikely(!rt_copy_kind_is_valid(kind)))
        return cudaErrorInvalidMemcpyDirection;
    return rt_result(submission.asynchronous ? copy_async(dst, src, count, kind, submission.stream)
                                             : copy_sync(dst, src, count, kind, submission.stream));
}

cudaError_t impl_cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                            cudaStream_t default_stream)
{
    return rt_copy_linear(dst, src, count, kind, RT_COPY_SYNC(default_stream));
}

cudaError_t impl_cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                                 cudaStream_t stream)
{
    return rt_copy_linear(dst, src, count, kind, RT_COPY_ASYNC(stream));
}

/* 2D. */

cudaError_t rt_copy_2d(const CUDA_MEMCPY2D *copy, struct rt_submission submission)
{
    if (submission.asynchronous)
        return rt_result(rt_driver.cuMemcpy2DAsync_v2(copy, submission.stream));
    return rt_result(RT_BY_STREAM(submission.stream, cuMemcpy2DUnaligned_v2, _ptds)(copy));
}

static cudaError_t copy_2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                           size_t height, enum cudaMemcpyKind kind, struct rt_submission submission)
{
    CUDA_MEMCPY2D copy;

    if (width == 0 || height == 0)
        return rt_copy_nothing();
    if (height > 1 && (dpitch < width || spitch < width))
        return cudaErrorInvalidPitchValue;
    if (!rt_copy_kind_is_valid(kind))
        return cudaErrorInvalidMemcpyDirection;
    copy = (CUDA_MEMCPY2D){
        .srcMemoryType = rt_copy_source_type(kind),
        .srcHost = src,
        .srcDevice = address_of(src),
        .srcPitch = spitch,
        .dstMemoryType = rt_copy_destination_type(kind),
        .dstHost = dst,
        .dstDevice = address_of(dst),
        .dstPitch = dpitch,
        .WidthInBytes = width,
        .Height = height,
    };
    return rt_copy_2d(&copy, submission);
}

cudaError_t impl_cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t default_stream)
{
    return copy_2d(dst, dpitch, src, spitch, width, height, kind, RT_COPY_SYNC(default_stream));
}

cudaError_t impl_cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                                   size_t width, size_t height, enum cudaMemcpyKind kind,
                                   cudaStream_t stream)
{
    return copy_2d(dst, dpitch, src, spitch, width, height, kind, RT_COPY_ASYNC(stream));
}

/* Between devices. */

static cudaError_t peer_context(int device, CUcontext *context)
{
    CUdevice handle;
    cudaError_t result = rt_result(rt_driver.cuDeviceGet(&handle, device));

    return result == cudaSuccess ? rt_context_retain(handle, context) : result;
}

static cudaError_t copy_peer(void *dst, int dstDevice, const void *src, int srcDevice, size_t count,
                             struct rt_submission submission)
{
    CUcontext to, from;
    cudaError_t result;

    if (count == 0)
        return rt_copy_nothing();
    result = peer_context(dstDevice, &to);
    if (result == cudaSuccess)
        result = peer_context(srcDevice, &from);
    if (result != cudaSuccess)
        return result;
    if (submission.asynchronous)
        return rt_result(rt_driver.cuMemcpyPeerAsync(address_of(dst), to, address_of(src), from,
                                                     count, submission.stream));
    return rt_result(RT_BY_STREAM(submission.stream, cuMemcpyPeer,
                                  _ptds)(address_of(dst), to, address_of(src), from, count));
}

cudaError_t impl_cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice,
                                size_t count)
{
    return copy_peer(dst, dstDevice, src, srcDevice, count, RT_COPY_SYNC(cudaStreamLegacy));
}

cudaError_t impl_cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice,
                                     size_t count, cudaStream_t stream)
{
    return copy_peer(dst, dstDevice, src, srcDevice, count, RT_COPY_ASYNC(stream));
}

static cudaError_t copy_3d_peer(const struct cudaMemcpy3DPeerParms *p,
                                struct rt_submission submission)
{
    struct cudaMemcpy3DParms plain;
    CUDA_MEMCPY3D shape;
    CUDA_MEMCPY3D_PEER copy;
    CUcontext to, from;
    cudaError_t result;

    if (!p)
        return cudaErrorInvalidValue;
    if (!p->extent.width || !p->extent.height || !p->extent.depth)
        return rt_copy_nothing();
    result = peer_context(p->dstDevice, &to);
    if (result == cudaSuccess)
        result = peer_context(p->srcDevice, &from);
    if (result != cudaSuccess)
        return result;
    plain = (struct cudaMemcpy3DParms){p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                                       p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDefault};
    result = rt_copy_3d_parameters(&plain, &shape);
    if (result != cudaSuccess)
        return result;
    copy = (CUDA_MEMCPY3D_PEER){
        .srcXInBytes = shape.srcXInBytes,
        .srcY = shape.srcY,
        .srcZ = shape.srcZ,
        .srcMemoryType = shape.srcMemoryType,
        .srcHost = shape.srcHost,
        .srcDevice = shape.srcDevice,
        .srcArray = shape.srcArray,
        .srcContext = from,
        .srcPitch = shape.srcPitch,
        .srcHeight = shape.srcHeight,
        .dstXInBytes = shape.dstXInBytes,
        .dstY = shape.dstY,
        .dstZ = shape.dstZ,
        .dstMemoryType = shape.dstMemoryType,
        .dstHost = shape.dstHost,
        .dstDevice = shape.dstDevice,
        .dstArray = shape.dstArray,
        .dstContext = to,
        .dstPitch = shape.dstPitch,
        .dstHeight = shape.dstHeight,
        .WidthInBytes = shape.WidthInBytes,
        .Height = shape.Height,
        .Depth = shape.Depth,
    };
    if (submission.asynchronous)
        return rt_result(rt_driver.cuMemcpy3DPeerAsync(&copy, submission.stream));
    return rt_result(RT_BY_STREAM(submission.stream, cuMemcpy3DPeer, _ptds)(&copy));
}

cudaError_t impl_cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p,
                                  cudaStream_t default_stream)
{
    return copy_3d_peer(p, RT_COPY_SYNC(default_stream));
}

cudaError_t impl_cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream)
{
    return copy_3d_peer(p, RT_COPY_ASYNC(stream));
}

/* Batches and copies with attributes: the driver's structs. */

_Static_assert(sizeof(struct cudaMemcpyAttributes) == sizeof(CUmemcpyAttributes) &&
                   sizeof(struct cudaMemcpy3DBatchOp) == sizeof(CUDA_MEMCPY3D_BATCH_OP),
               "batches are the driver's");

cudaError_t impl_cudaMemcpyBatchAsync(void *const *dsts, const void *const *srcs,
                                      const size_t *sizes, size_t count,
                                      struct cudaMemcpyAttributes *attrs, size_t *attrsIdxs,
                                      size_t numAttrs, cudaStream_t stream)
{
    return rt_result(rt_driver.cuMemcpyBatchAsync_v2(
        (CUdeviceptr *)(uintptr_t)dsts, (CUdeviceptr *)(uintptr_t)srcs, (size_t *)(uintptr_t)sizes,
        count, (CUmemcpyAttributes *)(void *)attrs, attrsIdxs, numAttrs, stream));
}

cudaError_t impl_cudaMemcpy3DBatchAsync(size_t numOps, struct cudaMemcpy3DBatchOp *opList,
                                        unsigned long long flags, cudaStream_t stream)
{
    return rt_result(rt_driver.cuMemcpy3DBatchAsync_v2(
        numOps, (CUDA_MEMCPY3D_BATCH_OP *)(void *)opList, flags, stream));
}

cudaError_t impl_cudaMemcpyWithAttributesAsync(void *dst, const void *src, size_t size,
                                               struct cudaMemcpyAttributes *attr,
                                               cudaStream_t stream)
{
    return rt_result(rt_driver.cuMemcpyWithAttributesAsync(
        address_of(dst), address_of(src), size, (CUmemcpyAttributes *)(void *)attr, stream));
}

cudaError_t impl_cudaMemcpy3DWithAttributesAsync(struct cudaMemcpy3DBatchOp *op,
                                                 unsigned long long flags, cudaStream_t stream)
{
    return rt_result(rt_driver.cuMemcpy3DWithAttributesAsync((CUDA_MEMCPY3D_BATCH_OP *)(void *)op,
                                                             flags, stream));
}
