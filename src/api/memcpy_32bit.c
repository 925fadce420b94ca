/* SPDX-License-Identifier: MIT */
/* The copies from before CUDA 3.2, with 32-bit addresses and sizes. They need a context created by
 * functions of that version; every context here has 64-bit addresses, so they fail. */
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

CUresult impl_cuMemcpy2D(const CUDA_MEMCPY2D_v1 *pCopy)
{
    (void)pCopy;
    return cup_api_refuse_32bit();
}

CUresult impl_cuMemcpy2DAsync(const CUDA_MEMCPY2D_v1 *pCopy, CUstream hStream)
{
    (void)pCopy;
    return refuse_in_stream(hStream);
}

CUresult impl_cuMemcpy2DUnaligned(const CUDA_MEMCPY2D_v1 *pCopy)
{
    (void)pCopy;
    return cup_api_refuse_32bit();
}

CUresult impl_cuMemcpy3D(const CUDA_MEMCPY3D_v1 *pCopy)
{
    (void)pCopy;
    return cup_api_refuse_32bit();
}

CUresult impl_cuMemcpy3DAsync(const CUDA_MEMCPY3D_v1 *pCopy, CUstream hStream)
{
    (void)pCopy;
    return refuse_in_stream(hStream);
}

CUresult impl_cuMemcpyAtoA(CUarray dstArray, unsigned int dstOffset, CUarray srcArray,
                           unsigned int srcOffset, unsigned int ByteCount)
{
    (void)dstArray;
    (void)dstOffset;
    (void)srcArray;
    (void)srcOffset;
    (void)ByteCount;
    return cup_api_refuse_32bit();
}

CUresult impl_cuMemcpyAtoD(CUdeviceptr_v1 dstDevice, CUarray srcArray, unsigned int srcOffset,
                           unsigned int ByteCount)
{
    (void)dstDevice;
    (void)srcArray;
    (void)srcOffset;
    (void)ByteCount;
    return cup_api_refuse_32bit();
}

CUresult impl_cuMemcpyAtoH(void *dstHost, CUarray srcArray, unsigned int srcOffset,
                           unsigned int ByteCount)
{
    (void)dstHost;
    (void)srcArray;
    (void)srcOffset;
    (void)ByteCount;
    return cup_api_refuse_32bit();
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

CUresult impl_cuMemcpyDtoA(CUarray dstArray, unsigned int dstOffset, CUdeviceptr_v1 srcDevice,
                           unsigned int ByteCount)
{
    (void)dstArray;
    (void)dstOffset;
    (void)srcDevice;
    (void)ByteCount;
    return cup_api_refuse_32bit();
}

CUresult impl_cuMemcpyDtoD(CUdeviceptr_v1 dstDevice, CUdeviceptr_v1 srcDevice,
                           unsigned int ByteCount)
{
    (void)dstDevice;
    (void)srcDevice;
    (void)ByteCount;
    return cup_api_refuse_32bit();
}

CUresult impl_cuMemcpyDtoDAsync(CUdeviceptr_v1 dstDevice, CUdeviceptr_v1 srcDevice,
                                unsigned int ByteCount, CUstream hStream)
{
    (void)dstDevice;
    (void)srcDevice;
    (void)ByteCount;
    return refuse_in_stream(hStream);
}

CUresult impl_cuMemcpyDtoH(void *dstHost, CUdeviceptr_v1 srcDevice, unsigned int ByteCount)
{
    (void)dstHost;
    (void)srcDevice;
    (void)ByteCount;
    return cup_api_refuse_32bit();
}

CUresult impl_cuMemcpyDtoHAsync(void *dstHost, CUdeviceptr_v1 srcDevice, unsigned int ByteCount,
                                CUstream hStream)
{
    (void)dstHost;
    (void)srcDevice;
    (void)ByteCount;
    return refuse_in_stream(hStream);
}

CUresult impl_cuMemcpyHtoA(CUarray dstArray, unsigned int dstOffset, const void *srcHost,
                           unsigned int ByteCount)
{
    (void)dstArray;
    (void)dstOffset;
    (void)srcHost;
    (void)ByteCount;
    return cup_api_refuse_32bit();
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

CUresult impl_cuMemcpyHtoD(CUdeviceptr_v1 dstDevice, const void *srcHost, unsigned int ByteCount)
{
    (void)dstDevice;
    (void)srcHost;
    (void)ByteCount;
    return cup_api_refuse_32bit();
}

CUresult impl_cuMemcpyHtoDAsync(CUdeviceptr_v1 dstDevice, const void *srcHost,
                                unsigned int ByteCount, CUstream hStream)
{
    (void)dstDevice;
    (void)srcHost;
    (void)ByteCount;
    return refuse_in_stream(hStream);
}
