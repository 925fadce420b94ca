/* SPDX-License-Identifier: MIT */
/* Linear copies. What differs between them is which operands must be CUDA's memory and which may be any
 * address, and whether the caller waits; the rest is one function.
 *
 * An operand that CUDA knows is checked against its range's end by its first byte; any other host address
 * is believed, and found out by the fault guard if it lies. */
#include "bodies.h"
#include "core/error.h"
#include "core/gate.h"
#include "device/context.h"
#include "memory/copy.h"
#include "memory/map.h"
#include "stream/stream.h"

enum operand_rule {
    CUDA_MEMORY, /* must be known */
    ANY_MEMORY,  /* may be the application's own */
};

struct operand {
    bool known;
    bool waits; /* a synchronous function waits for it: host memory, and where it was asked for */
};

static CUresult check_operand(uint64_t address, size_t bytes, enum operand_rule rule,
                              struct operand *operand)
{
    struct cup_span span;

    operand->known = cup_map_find(address, &span);
    if (!operand->known) {
        operand->waits = true;
        if (rule == CUDA_MEMORY || address == 0)
            return cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx is not CUDA memory",
                             (unsigned long long)address);
        return CUDA_SUCCESS;
    }
    operand->waits = span.kind != CUP_RANGE_DEVICE || (span.flags & CUP_RANGE_SYNC_MEMOPS);
    if (bytes > span.size_bytes - (address - span.base))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "0x%llx + %zu runs past the end of an allocation of %llu bytes at 0x%llx",
                         (unsigned long long)address, bytes, (unsigned long long)span.size_bytes,
                         (unsigned long long)span.base);
    return CUDA_SUCCESS;
}

/* A synchronous function returns when host memory is done with; between device memories it does not wait.
 * An asynchronous one waits only for the application's own memory, and reads it at once. */
static enum cup_copy_mode mode_of(bool asynchronous, struct operand to, struct operand from)
{
    if (!asynchronous)
        return to.waits || from.waits ? CUP_COPY_WAIT : CUP_COPY_IN_STREAM;
    if (!to.known)
        return CUP_COPY_WAIT;
    return from.known ? CUP_COPY_IN_STREAM : CUP_COPY_FROM_HERE;
}

/* A thread need not have a context to copy in a stream, but one that it has must be usable. */
static CUresult find_stream(CUstream handle, struct CUstream_st **stream)
{
    struct CUctx_st *context = cup_context_current();
    CUresult result = context ? cup_context_usable(context) : CUDA_SUCCESS;

    return result == CUDA_SUCCESS ? cup_stream_find(handle, stream) : result;
}

static CUresult copy(uint64_t to, enum operand_rule to_rule, uint64_t from,
                     enum operand_rule from_rule, size_t bytes, CUstream handle, bool asynchronous)
{
    struct CUstream_st *stream;
    struct operand destination, source;
    CUresult result = find_stream(handle, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    if (bytes == 0)
        goto unref_stream;
    result = check_operand(to, bytes, to_rule, &destination);
    if (result == CUDA_SUCCESS)
        result = check_operand(from, bytes, from_rule, &source);
    if (result == CUDA_SUCCESS) {
        struct cup_copy job = cup_copy_linear(to, from, bytes);
        result = cup_copy_submit(stream, &job, mode_of(asynchronous, destination, source));
    }
unref_stream:
    cup_stream_unref(stream);
    return result;
}

static uint64_t address_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

CUresult body_cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream default_stream)
{
    return copy(dst, ANY_MEMORY, src, ANY_MEMORY, ByteCount, default_stream, false);
}

CUresult body_cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream)
{
    return copy(dst, ANY_MEMORY, src, ANY_MEMORY, ByteCount, hStream, true);
}

CUresult body_cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount,
                              CUstream default_stream)
{
    return copy(dstDevice, CUDA_MEMORY, address_of(srcHost), ANY_MEMORY, ByteCount, default_stream,
                false);
}

CUresult body_cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount,
                                   CUstream hStream)
{
    return copy(dstDevice, CUDA_MEMORY, address_of(srcHost), ANY_MEMORY, ByteCount, hStream, true);
}

CUresult body_cuMemcpyDtoH_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount,
                              CUstream default_stream)
{
    return copy(address_of(dstHost), ANY_MEMORY, srcDevice, CUDA_MEMORY, ByteCount, default_stream,
                false);
}

CUresult body_cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount,
                                   CUstream hStream)
{
    return copy(address_of(dstHost), ANY_MEMORY, srcDevice, CUDA_MEMORY, ByteCount, hStream, true);
}

CUresult body_cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount,
                              CUstream default_stream)
{
    return copy(dstDevice, CUDA_MEMORY, srcDevice, CUDA_MEMORY, ByteCount, default_stream, false);
}

CUresult body_cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount,
                                   CUstream hStream)
{
    return copy(dstDevice, CUDA_MEMORY, srcDevice, CUDA_MEMORY, ByteCount, hStream, true);
}

/* The contexts of a peer copy are looked at only to be contexts: the addresses say where memory is. */
static CUresult check_peer(CUcontext handle)
{
    struct CUctx_st *context;

    if (!handle)
        return CUDA_SUCCESS;
    CUresult result = cup_context_find(handle, &context);
    if (result == CUDA_SUCCESS)
        cup_context_unref(context);
    return result;
}

static CUresult copy_peer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                          CUcontext from_context, size_t bytes, CUstream stream, bool asynchronous)
{
    CUresult result = check_peer(to_context);

    if (result == CUDA_SUCCESS)
        result = check_peer(from_context);
    if (result != CUDA_SUCCESS)
        return result;
    return copy(to, CUDA_MEMORY, from, CUDA_MEMORY, bytes, stream, asynchronous);
}

CUresult body_cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                           CUcontext srcContext, size_t ByteCount, CUstream default_stream)
{
    return copy_peer(dstDevice, dstContext, srcDevice, srcContext, ByteCount, default_stream, false);
}

CUresult body_cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                                CUcontext srcContext, size_t ByteCount, CUstream hStream)
{
    return copy_peer(dstDevice, dstContext, srcDevice, srcContext, ByteCount, hStream, true);
}
