/* SPDX-License-Identifier: MIT */
/* Copies of boxes: 2D, 3D, and between contexts. A 2D copy is a 3D copy of one slice, and a peer
 * copy has contexts in place of reserved words, so all of them become the 3D copy. */
#include "api/memcpy_common.h"
#include "core/error.h"
#include "core/precondition.h"
#include "image/copy_box.h"
#include "impl.h"
#include "stream/stream.h"

#include <string.h>

_Static_assert(sizeof(CUDA_MEMCPY3D_PEER) == sizeof(CUDA_MEMCPY3D), "a peer copy is a 3D copy");
_Static_assert(offsetof(CUDA_MEMCPY3D_PEER, dstContext) == offsetof(CUDA_MEMCPY3D, reserved1),
               "with contexts where that has reserved words");

static CUresult copy_3d(const CUDA_MEMCPY3D *copy, CUstream handle, bool asynchronous)
{
    return cup_api_copy_box(copy, NULL, handle, asynchronous);
}

static CUresult copy_2d(const CUDA_MEMCPY2D *copy, CUstream handle, bool asynchronous)
{
    if (!copy)
        return copy_3d(NULL, handle, asynchronous);
    CUDA_MEMCPY3D in_3d = {
        .srcXInBytes = copy->srcXInBytes,
        .srcY = copy->srcY,
        .srcMemoryType = copy->srcMemoryType,
        .srcHost = copy->srcHost,
        .srcDevice = copy->srcDevice,
        .srcArray = copy->srcArray,
        .srcPitch = copy->srcPitch,
        .dstXInBytes = copy->dstXInBytes,
        .dstY = copy->dstY,
        .dstMemoryType = copy->dstMemoryType,
        .dstHost = copy->dstHost,
        .dstDevice = copy->dstDevice,
        .dstArray = copy->dstArray,
        .dstPitch = copy->dstPitch,
        .WidthInBytes = copy->WidthInBytes,
        .Height = copy->Height,
        .Depth = 1,
    };
    return copy_3d(&in_3d, handle, asynchronous);
}

static CUresult copy_3d_peer(const CUDA_MEMCPY3D_PEER *copy, CUstream handle, bool asynchronous)
{
    struct cup_api_copy_devices devices;
    CUDA_MEMCPY3D in_3d;

    if (!copy)
        return copy_3d(NULL, handle, asynchronous);
    CUresult result = cup_api_copy_find_devices(copy->dstContext, copy->srcContext, &devices);
    if (result != CUDA_SUCCESS)
        return result;
    memcpy(&in_3d, copy, sizeof(in_3d));
    if (!asynchronous)
        cup_api_copy_await_contexts(copy->dstContext, copy->srcContext);
    result = cup_api_copy_box(&in_3d, &devices, handle, asynchronous);
    return asynchronous ? result
                        : cup_api_copy_finish_between(copy->dstContext, copy->srcContext, result);
}

CUresult impl_cuMemcpy2D_v2(const CUDA_MEMCPY2D *pCopy, CUstream default_stream)
{
    return copy_2d(pCopy, default_stream, false);
}

/* No pitch is rejected for its alignment, so this equals cuMemcpy2D. */
CUresult impl_cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *pCopy, CUstream default_stream)
{
    return copy_2d(pCopy, default_stream, false);
}

CUresult impl_cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *pCopy, CUstream hStream)
{
    return copy_2d(pCopy, hStream, true);
}

CUresult impl_cuMemcpy3D_v2(const CUDA_MEMCPY3D *pCopy, CUstream default_stream)
{
    return copy_3d(pCopy, default_stream, false);
}

CUresult impl_cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *pCopy, CUstream hStream)
{
    return copy_3d(pCopy, hStream, true);
}

CUresult impl_cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *pCopy, CUstream default_stream)
{
    return copy_3d_peer(pCopy, default_stream, false);
}

CUresult impl_cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream)
{
    return copy_3d_peer(pCopy, hStream, true);
}
