/* SPDX-License-Identifier: MIT */
/* The memsets: six functions in two forms each, with one check and one job. The synchronous forms
 * wait for host memory and for memory with CU_POINTER_ATTRIBUTE_SYNC_MEMOPS; for other device
 * memory they do not wait, either. */
#include "impl.h"
#include "device/context.h"
#include "graph/work_submit.h"
#include "memory/fill.h"
#include "memory/map.h"
#include "stream/stream.h"

struct fill_work {
    struct cup_fill fill;
    size_t pitch, width; /* as given, for the node */
    bool asynchronous;
};

static CUresult fill_describe(struct CUstream_st *stream, void *work,
                              struct cup_captured_work *captured)
{
    const struct fill_work *given = work;
    CUgraphNodeParams node = {.type = CU_GRAPH_NODE_TYPE_MEMSET,
                              .memset = {.dst = given->fill.destination,
                                         .pitch = given->pitch,
                                         .value = given->fill.value,
                                         .elementSize = given->fill.element_bytes,
                                         .width = given->width,
                                         .height = given->fill.height,
                                         .ctx = stream->context}};

    if (given->asynchronous)
        return cup_work_node_fill(&node, captured);
    *captured =
        (struct cup_captured_work){.kind = CUP_CAPTURED_NONE, .name = "a memset that may wait"};
    return CUDA_SUCCESS;
}

static CUresult fill_run(struct CUstream_st *stream, void *work)
{
    const struct fill_work *given = work;
    struct cup_span found;
    CUresult result = cup_fill_check(&given->fill, stream->context->device, &found);

    if (result == CUDA_SUCCESS)
        result = cup_fill_submit(stream, &given->fill);
    if (result == CUDA_SUCCESS && !given->asynchronous && cup_span_waits(&found))
        result = cup_stream_synchronize(stream);
    return result;
}

static const struct cup_work_type fill_type = {fill_describe, fill_run};

/* The byte count of a row is taken modulo 2^64, as NVIDIA's driver does. */
static CUresult fill_rows(CUdeviceptr destination, size_t pitch, uint32_t value,
                          unsigned element_bytes, size_t width, size_t height, CUstream handle,
                          bool asynchronous)
{
    struct fill_work work = {
        .fill = {.destination = destination,
                 .width_bytes = width * element_bytes,
                 .height = height,
                 .row = height > 1 ? pitch : 0,
                 .value = value,
                 .element_bytes = element_bytes},
        .pitch = pitch,
        .width = width,
        .asynchronous = asynchronous,
    };
    struct CUstream_st *stream;
    CUresult result = cup_stream_find(handle, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    if (work.fill.width_bytes && height)
        result = cup_work_submit(stream, &fill_type, &work);
    cup_stream_unref(stream);
    return result;
}

CUresult impl_cuMemsetD8_v2(CUdeviceptr dstDevice, unsigned char uc, size_t N,
                            CUstream default_stream)
{
    return fill_rows(dstDevice, 0, uc, 1, N, 1, default_stream, false);
}

CUresult impl_cuMemsetD16_v2(CUdeviceptr dstDevice, unsigned short us, size_t N,
                             CUstream default_stream)
{
    return fill_rows(dstDevice, 0, us, 2, N, 1, default_stream, false);
}

CUresult impl_cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned int ui, size_t N,
                             CUstream default_stream)
{
    return fill_rows(dstDevice, 0, ui, 4, N, 1, default_stream, false);
}

CUresult impl_cuMemsetD2D8_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc,
                              size_t Width, size_t Height, CUstream default_stream)
{
    return fill_rows(dstDevice, dstPitch, uc, 1, Width, Height, default_stream, false);
}

CUresult impl_cuMemsetD2D16_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us,
                               size_t Width, size_t Height, CUstream default_stream)
{
    return fill_rows(dstDevice, dstPitch, us, 2, Width, Height, default_stream, false);
}

CUresult impl_cuMemsetD2D32_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui,
                               size_t Width, size_t Height, CUstream default_stream)
{
    return fill_rows(dstDevice, dstPitch, ui, 4, Width, Height, default_stream, false);
}

CUresult impl_cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream)
{
    return fill_rows(dstDevice, 0, uc, 1, N, 1, hStream, true);
}

CUresult impl_cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream)
{
    return fill_rows(dstDevice, 0, us, 2, N, 1, hStream, true);
}

CUresult impl_cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream)
{
    return fill_rows(dstDevice, 0, ui, 4, N, 1, hStream, true);
}

CUresult impl_cuMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc,
                                size_t Width, size_t Height, CUstream hStream)
{
    return fill_rows(dstDevice, dstPitch, uc, 1, Width, Height, hStream, true);
}

CUresult impl_cuMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us,
                                 size_t Width, size_t Height, CUstream hStream)
{
    return fill_rows(dstDevice, dstPitch, us, 2, Width, Height, hStream, true);
}

CUresult impl_cuMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui,
                                 size_t Width, size_t Height, CUstream hStream)
{
    return fill_rows(dstDevice, dstPitch, ui, 4, Width, Height, hStream, true);
}
