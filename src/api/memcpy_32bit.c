/* SPDX-License-Identifier: MIT */
/* The asynchronous copies from before CUDA 3.2, with 32-bit addresses and sizes. They need a
 * context created by functions of that version; every context here has 64-bit addresses, so they
 * fail. Of the synchronous ones the table says so (state 32bit). */
#include "impl.h"
#include "api/refuse_32bit.h"
#include "core/error.h"
#include "core/precondition.h"
#include "stream/stream.h"

/* The stream, or the context of the default stream, is looked up first. */
static CUresult refuse_in_stream(CUstream handle)
{
    struct CUstream_st *stream;
    CUresult result = cup_stream_find(handle, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    cup_stream_unref(stream);
    return cup_api_refuse_32bit();
}

CUresult impl_cuMemcpy2DAsync(const CUDA_MEMCPY2D_v1 *pCopy, CUstream hStream)
{
    (void)pCopy;
    return refuse_in_stream(hStream);
}

CUresult impl_cuMemcpy3DAsync(const CUDA_MEMCPY3D_v1 *pCopy, CUstream hStream)
{
    (void)pCopy;
    return refuse_in_stream(hStream);
}

CUresult impl_cuMemcpyAtoHAsync(void *dstHost, CUarray srcArray, unsigned int srcOffset,
                                unsigned int ByteCount, CUstream hStream)
{
    (void)dstHost;
    (void)srcArray;
    (void)srcOffset;
    (void)ByteCount;
    return refuse_in_stream(hStream);
}

CUresult impl_cuMemcpyDtoDAsync(CUdeviceptr_v1 dstDevice, CUdeviceptr_v1 srcDevice,
                                unsigned int ByteCount, CUstream hStream)
{
    (void)dstDevice;
    (void)srcDevice;
    (void)ByteCount;
    return refuse_in_stream(hStream);
}

CUresult impl_cuMemcpyDtoHAsync(void *dstHost, CUdeviceptr_v1 srcDevice, unsigned int ByteCount,
                                CUstream hStream)
{
    (void)dstHost;
    (void)srcDevice;
    (void)ByteCount;
    return refuse_in_stream(hStream);
}

CUresult impl_cuMemcpyHtoAAsync(CUarray dstArray, unsigned int dstOffset, const void *srcHost,
                                unsigned int ByteCount, CUstream hStream)
{
    (void)dstArray;
    (void)dstOffset;
    (void)srcHost;
    (void)ByteCount;
    return refuse_in_stream(hStream);
}

CUresult impl_cuMemcpyHtoDAsync(CUdeviceptr_v1 dstDevice, const void *srcHost,
                                unsigned int ByteCount, CUstream hStream)
{
    (void)dstDevice;
    (void)srcHost;
    (void)ByteCount;
    return refuse_in_stream(hStream);
}
