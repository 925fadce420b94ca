/* SPDX-License-Identifier: MIT */
/* Copies of bytes to, from and between arrays: each is a box of one row. The offset is relative to
 * the array's first row, whatever its dimensions, and the bytes must lie in that row; offsets and
 * sizes need not be multiples of an element. */
#include "api/memcpy_common.h"
#include "impl.h"

/* One side of a copy: an array and an offset, or linear memory. */
struct array_side {
    CUmemorytype type;
    CUarray array;
    size_t offset;
    void *host;
    CUdeviceptr device;
};

static struct array_side in_array(CUarray array, size_t offset)
{
    return (struct array_side){.type = CU_MEMORYTYPE_ARRAY, .array = array, .offset = offset};
}

static struct array_side on_device(CUdeviceptr address)
{
    return (struct array_side){.type = CU_MEMORYTYPE_DEVICE, .device = address};
}

static struct array_side on_host(const void *address)
{
    return (struct array_side){.type = CU_MEMORYTYPE_HOST, .host = (void *)address};
}

static CUresult copy(struct array_side to, struct array_side from, size_t bytes, CUstream stream,
                     bool asynchronous)
{
    CUDA_MEMCPY3D box = {
        .srcXInBytes = from.offset,
        .srcMemoryType = from.type,
        .srcHost = from.host,
        .srcDevice = from.device,
        .srcArray = from.array,
        .dstXInBytes = to.offset,
        .dstMemoryType = to.type,
        .dstHost = to.host,
        .dstDevice = to.device,
        .dstArray = to.array,
        .WidthInBytes = bytes,
        .Height = 1,
        .Depth = 1,
    };

    return cup_api_copy_box(&box, NULL, stream, asynchronous);
}

CUresult impl_cuMemcpyAtoA_v2(CUarray dstArray, size_t dstOffset, CUarray srcArray,
                              size_t srcOffset, size_t ByteCount, CUstream default_stream)
{
    return copy(in_array(dstArray, dstOffset), in_array(srcArray, srcOffset), ByteCount,
                default_stream, false);
}

CUresult impl_cuMemcpyAtoD_v2(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset,
                              size_t ByteCount, CUstream default_stream)
{
    return copy(on_device(dstDevice), in_array(srcArray, srcOffset), ByteCount, default_stream,
                false);
}

CUresult impl_cuMemcpyDtoA_v2(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice,
                              size_t ByteCount, CUstream default_stream)
{
    return copy(in_array(dstArray, dstOffset), on_device(srcDevice), ByteCount, default_stream,
                false);
}

static CUresult to_host(void *host, CUarray array, size_t offset, size_t bytes, CUstream stream,
                        bool asynchronous)
{
    return copy(on_host(host), in_array(array, offset), bytes, stream, asynchronous);
}

static CUresult from_host(CUarray array, size_t offset, const void *host, size_t bytes,
                          CUstream stream, bool asynchronous)
{
    return copy(in_array(array, offset), on_host(host), bytes, stream, asynchronous);
}

CUresult impl_cuMemcpyAtoH_v2(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount,
                              CUstream default_stream)
{
    return to_host(dstHost, srcArray, srcOffset, ByteCount, default_stream, false);
}

CUresult impl_cuMemcpyAtoHAsync_v2(void *dstHost, CUarray srcArray, size_t srcOffset,
                                   size_t ByteCount, CUstream hStream)
{
    return to_host(dstHost, srcArray, srcOffset, ByteCount, hStream, true);
}

CUresult impl_cuMemcpyHtoA_v2(CUarray dstArray, size_t dstOffset, const void *srcHost,
                              size_t ByteCount, CUstream default_stream)
{
    return from_host(dstArray, dstOffset, srcHost, ByteCount, default_stream, false);
}

CUresult impl_cuMemcpyHtoAAsync_v2(CUarray dstArray, size_t dstOffset, const void *srcHost,
                                   size_t ByteCount, CUstream hStream)
{
    return from_host(dstArray, dstOffset, srcHost, ByteCount, hStream, true);
}
