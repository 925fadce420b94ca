/* SPDX-License-Identifier: MIT */
/* Copies of bytes into, out of and between arrays. The offset is one into the array's first row, of
 * whatever dimensions it is, and the bytes must lie in that row; offsets and sizes need not be
 * multiples of an element. */
#include "api/copy_call.h"
#include "bodies.h"
#include "core/gate.h"
#include "stream/stream.h"

/* An array and an offset, or plain memory. */
struct side {
    CUarray array;
    size_t offset;
    uint64_t address;
    bool is_memory;
    enum cup_operand_rule rule;
};

static struct side in_array(CUarray array, size_t offset)
{
    return (struct side){.array = array, .offset = offset};
}

static struct side in_memory(uint64_t address, enum cup_operand_rule rule)
{
    return (struct side){.address = address, .is_memory = true, .rule = rule};
}

static CUresult resolve(struct cup_operand *operand, const struct side *side,
                        const struct cup_extent *extent, enum cup_operand_use use)
{
    struct cup_offset at = {.x_bytes = side->offset};

    if (side->is_memory)
        return cup_operand_linear(operand, side->address, extent->width_bytes, side->rule, use);
    return cup_copy_array_operand(operand, side->array, &at, extent);
}

static CUresult copy(struct side destination, struct side source, size_t bytes, CUstream handle,
                     bool asynchronous)
{
    struct cup_extent extent = {bytes, 1, 1};
    struct cup_operand to, from;
    struct CUstream_st *stream;
    CUresult result = cup_copy_find_stream(handle, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    if (bytes == 0)
        goto unref_stream;
    result = resolve(&to, &destination, &extent, CUP_OPERAND_WRITTEN);
    if (result == CUDA_SUCCESS)
        result = resolve(&from, &source, &extent, CUP_OPERAND_READ);
    if (result == CUDA_SUCCESS)
        result = cup_copy_between(stream, NULL, &to, &from, &extent, asynchronous);
unref_stream:
    cup_stream_unref(stream);
    return result;
}

CUresult body_cuMemcpyAtoA_v2(CUarray dstArray, size_t dstOffset, CUarray srcArray,
                              size_t srcOffset, size_t ByteCount, CUstream default_stream)
{
    return copy(in_array(dstArray, dstOffset), in_array(srcArray, srcOffset), ByteCount,
                default_stream, false);
}

CUresult body_cuMemcpyAtoD_v2(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset,
                              size_t ByteCount, CUstream default_stream)
{
    return copy(in_memory(dstDevice, CUP_OPERAND_KNOWN), in_array(srcArray, srcOffset), ByteCount,
                default_stream, false);
}

CUresult body_cuMemcpyDtoA_v2(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice,
                              size_t ByteCount, CUstream default_stream)
{
    return copy(in_array(dstArray, dstOffset), in_memory(srcDevice, CUP_OPERAND_KNOWN), ByteCount,
                default_stream, false);
}

static CUresult to_host(void *host, CUarray array, size_t offset, size_t bytes, CUstream stream,
                        bool asynchronous)
{
    return copy(in_memory(cup_address_of(host), CUP_OPERAND_ANY), in_array(array, offset), bytes,
                stream, asynchronous);
}

static CUresult from_host(CUarray array, size_t offset, const void *host, size_t bytes,
                          CUstream stream, bool asynchronous)
{
    return copy(in_array(array, offset), in_memory(cup_address_of(host), CUP_OPERAND_ANY), bytes,
                stream, asynchronous);
}

CUresult body_cuMemcpyAtoH_v2(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount,
                              CUstream default_stream)
{
    return to_host(dstHost, srcArray, srcOffset, ByteCount, default_stream, false);
}

CUresult body_cuMemcpyAtoHAsync_v2(void *dstHost, CUarray srcArray, size_t srcOffset,
                                   size_t ByteCount, CUstream hStream)
{
    return to_host(dstHost, srcArray, srcOffset, ByteCount, hStream, true);
}

CUresult body_cuMemcpyHtoA_v2(CUarray dstArray, size_t dstOffset, const void *srcHost,
                              size_t ByteCount, CUstream default_stream)
{
    return from_host(dstArray, dstOffset, srcHost, ByteCount, default_stream, false);
}

CUresult body_cuMemcpyHtoAAsync_v2(CUarray dstArray, size_t dstOffset, const void *srcHost,
                                   size_t ByteCount, CUstream hStream)
{
    return from_host(dstArray, dstOffset, srcHost, ByteCount, hStream, true);
}
