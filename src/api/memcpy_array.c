/* SPDX-License-Identifier: MIT */
/* Copies of bytes to, from and between arrays. The offset is relative to the array's first row,
 * whatever its dimensions, and the bytes must lie in that row; offsets and sizes need not be
 * multiples of an element. */
#include "api/memcpy_common.h"
#include "impl.h"
#include "core/precondition.h"
#include "stream/stream.h"

/* An array and an offset, or linear memory. */
struct array_side {
    CUarray array;
    size_t offset;
    uint64_t address;
    bool is_memory;
    enum cup_copy_endpoint_rule rule;
};

static struct array_side in_array(CUarray array, size_t offset)
{
    return (struct array_side){.array = array, .offset = offset};
}

static struct array_side in_memory(uint64_t address, enum cup_copy_endpoint_rule rule)
{
    return (struct array_side){.address = address, .is_memory = true, .rule = rule};
}

static CUresult resolve(struct cup_copy_endpoint *endpoint, const struct array_side *side,
                        const struct cup_extent *extent, enum cup_copy_endpoint_use use)
{
    struct cup_offset at = {.x_bytes = side->offset};

    if (side->is_memory)
        return cup_copy_endpoint_linear(endpoint, side->address, extent->width_bytes, side->rule,
                                        use);
    return cup_array_copy_endpoint(endpoint, side->array, &at, extent);
}

/* The copy as node parameters. Copies that can be captured involve only arrays and host memory. */
static CUDA_MEMCPY3D describe(const struct array_side *destination, const struct array_side *source,
                              size_t bytes)
{
    return (CUDA_MEMCPY3D){
        .srcXInBytes = source->offset,
        .srcMemoryType = source->is_memory ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY,
        .srcHost = (const void *)(uintptr_t)source->address,
        .srcArray = source->array,
        .dstXInBytes = destination->offset,
        .dstMemoryType = destination->is_memory ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY,
        .dstHost = (void *)(uintptr_t)destination->address,
        .dstArray = destination->array,
        .WidthInBytes = bytes,
        .Height = 1,
        .Depth = 1,
    };
}

static CUresult copy(struct array_side destination, struct array_side source, size_t bytes,
                     CUstream handle, bool asynchronous)
{
    struct cup_extent extent = {bytes, 1, 1};
    struct cup_copy_endpoint to, from;
    struct CUstream_st *stream;
    CUresult result = cup_api_copy_find_stream(handle, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    if (bytes == 0)
        goto unref_stream;
    if (cup_stream_is_capturing(stream)) {
        CUDA_MEMCPY3D described = describe(&destination, &source, bytes);
        result = cup_api_copy_capture(stream, NULL, &described, asynchronous);
        if (result != CUP_STREAM_NOT_CAPTURING)
            goto unref_stream;
    }
    result = resolve(&to, &destination, &extent, CUP_ENDPOINT_WRITTEN);
    if (result == CUDA_SUCCESS)
        result = resolve(&from, &source, &extent, CUP_ENDPOINT_READ);
    if (result == CUDA_SUCCESS)
        result = cup_api_copy_submit(stream, NULL, &to, &from, &extent, asynchronous);
unref_stream:
    cup_stream_unref(stream);
    return result;
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
    return copy(in_memory(dstDevice, CUP_ENDPOINT_KNOWN), in_array(srcArray, srcOffset), ByteCount,
                default_stream, false);
}

CUresult impl_cuMemcpyDtoA_v2(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice,
                              size_t ByteCount, CUstream default_stream)
{
    return copy(in_array(dstArray, dstOffset), in_memory(srcDevice, CUP_ENDPOINT_KNOWN), ByteCount,
                default_stream, false);
}

static CUresult to_host(void *host, CUarray array, size_t offset, size_t bytes, CUstream stream,
                        bool asynchronous)
{
    return copy(in_memory(cup_array_address_of(host), CUP_ENDPOINT_ANY), in_array(array, offset),
                bytes, stream, asynchronous);
}

static CUresult from_host(CUarray array, size_t offset, const void *host, size_t bytes,
                          CUstream stream, bool asynchronous)
{
    return copy(in_array(array, offset), in_memory(cup_array_address_of(host), CUP_ENDPOINT_ANY),
                bytes, stream, asynchronous);
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
