/* SPDX-License-Identifier: MIT */
/* Linear copies. They differ in which endpoints must be CUDA's memory and which may be any address,
 * and in whether the caller waits; one function does the rest. */
#include "api/memcpy_common.h"
#include "core/precondition.h"
#include "graph/work_submit.h"
#include "impl.h"
#include "stream/stream.h"

/* A copy of bytes. Its parameters as a node: an address that may be anything is the host's, unless
 * both are. */
struct linear_work {
    const struct cup_api_copy_devices *devices;
    uint64_t to, from;
    enum cup_copy_endpoint_rule to_rule, from_rule;
    size_t bytes;
    bool asynchronous;
};

static CUresult linear_describe(struct CUstream_st *stream, void *work,
                                struct cup_captured_work *captured)
{
    const struct linear_work *given = work;
    bool unified = given->to_rule == CUP_ENDPOINT_ANY && given->from_rule == CUP_ENDPOINT_ANY;
    CUDA_MEMCPY3D copy = {.WidthInBytes = given->bytes, .Height = 1, .Depth = 1};

    copy.srcMemoryType = unified                                  ? CU_MEMORYTYPE_UNIFIED
                         : given->from_rule == CUP_ENDPOINT_KNOWN ? CU_MEMORYTYPE_DEVICE
                                                                  : CU_MEMORYTYPE_HOST;
    copy.dstMemoryType = unified                                ? CU_MEMORYTYPE_UNIFIED
                         : given->to_rule == CUP_ENDPOINT_KNOWN ? CU_MEMORYTYPE_DEVICE
                                                                : CU_MEMORYTYPE_HOST;
    if (copy.srcMemoryType == CU_MEMORYTYPE_HOST)
        copy.srcHost = (const void *)(uintptr_t)given->from;
    else
        copy.srcDevice = given->from;
    if (copy.dstMemoryType == CU_MEMORYTYPE_HOST)
        copy.dstHost = (void *)(uintptr_t)given->to;
    else
        copy.dstDevice = given->to;
    return cup_api_copy_describe(stream, given->devices, &copy, given->asynchronous, captured);
}

static CUresult linear_run(struct CUstream_st *stream, void *work)
{
    const struct linear_work *given = work;
    struct cup_copy_endpoint to, from;
    CUresult result = cup_copy_endpoint_linear(&to, given->to, given->bytes, given->to_rule,
                                               CUP_ENDPOINT_WRITTEN);

    if (result == CUDA_SUCCESS)
        result = cup_copy_endpoint_linear(&from, given->from, given->bytes, given->from_rule,
                                          CUP_ENDPOINT_READ);
    if (result == CUDA_SUCCESS)
        result = cup_api_copy_peer_access(stream, given->devices, &to, &from);
    if (result != CUDA_SUCCESS)
        return result;
    struct cup_copy job = cup_copy_linear(given->to, given->from, given->bytes);
    return cup_api_copy_submit_ordered(stream, &job, &to, &from, given->asynchronous);
}

static const struct cup_work_type linear_type = {linear_describe, linear_run};

static CUresult copy_by(const struct cup_api_copy_devices *devices, uint64_t to,
                        enum cup_copy_endpoint_rule to_rule, uint64_t from,
                        enum cup_copy_endpoint_rule from_rule, size_t bytes, CUstream handle,
                        bool asynchronous)
{
    struct linear_work work = {devices, to, from, to_rule, from_rule, bytes, asynchronous};
    struct CUstream_st *stream;
    CUresult result = cup_api_copy_find_stream(handle, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    if (bytes != 0)
        result = cup_work_submit(stream, &linear_type, &work);
    cup_stream_unref(stream);
    return result;
}

static CUresult copy(uint64_t to, enum cup_copy_endpoint_rule to_rule, uint64_t from,
                     enum cup_copy_endpoint_rule from_rule, size_t bytes, CUstream handle,
                     bool asynchronous)
{
    return copy_by(NULL, to, to_rule, from, from_rule, bytes, handle, asynchronous);
}

CUresult impl_cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream default_stream)
{
    return copy(dst, CUP_ENDPOINT_ANY, src, CUP_ENDPOINT_ANY, ByteCount, default_stream, false);
}

CUresult impl_cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream)
{
    return copy(dst, CUP_ENDPOINT_ANY, src, CUP_ENDPOINT_ANY, ByteCount, hStream, true);
}

CUresult impl_cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount,
                              CUstream default_stream)
{
    return copy(dstDevice, CUP_ENDPOINT_KNOWN, cup_array_address_of(srcHost), CUP_ENDPOINT_ANY,
                ByteCount, default_stream, false);
}

CUresult impl_cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount,
                                   CUstream hStream)
{
    return copy(dstDevice, CUP_ENDPOINT_KNOWN, cup_array_address_of(srcHost), CUP_ENDPOINT_ANY,
                ByteCount, hStream, true);
}

CUresult impl_cuMemcpyDtoH_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount,
                              CUstream default_stream)
{
    return copy(cup_array_address_of(dstHost), CUP_ENDPOINT_ANY, srcDevice, CUP_ENDPOINT_KNOWN,
                ByteCount, default_stream, false);
}

CUresult impl_cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount,
                                   CUstream hStream)
{
    return copy(cup_array_address_of(dstHost), CUP_ENDPOINT_ANY, srcDevice, CUP_ENDPOINT_KNOWN,
                ByteCount, hStream, true);
}

CUresult impl_cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount,
                              CUstream default_stream)
{
    return copy(dstDevice, CUP_ENDPOINT_KNOWN, srcDevice, CUP_ENDPOINT_KNOWN, ByteCount,
                default_stream, false);
}

CUresult impl_cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount,
                                   CUstream hStream)
{
    return copy(dstDevice, CUP_ENDPOINT_KNOWN, srcDevice, CUP_ENDPOINT_KNOWN, ByteCount, hStream,
                true);
}

static CUresult copy_peer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                          CUcontext from_context, size_t bytes, CUstream stream, bool asynchronous)
{
    struct cup_api_copy_devices devices;
    CUresult result = cup_api_copy_find_devices(to_context, from_context, &devices);

    if (result != CUDA_SUCCESS)
        return result;
    if (!asynchronous)
        cup_api_copy_await_contexts(to_context, from_context);
    result = copy_by(&devices, to, CUP_ENDPOINT_KNOWN, from, CUP_ENDPOINT_KNOWN, bytes, stream,
                     asynchronous);
    return asynchronous ? result : cup_api_copy_finish_between(to_context, from_context, result);
}

CUresult impl_cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                           CUcontext srcContext, size_t ByteCount, CUstream default_stream)
{
    return copy_peer(dstDevice, dstContext, srcDevice, srcContext, ByteCount, default_stream,
                     false);
}

CUresult impl_cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                                CUcontext srcContext, size_t ByteCount, CUstream hStream)
{
    return copy_peer(dstDevice, dstContext, srcDevice, srcContext, ByteCount, hStream, true);
}
