/* SPDX-License-Identifier: MIT */
#include "api/memcpy_common.h"

#include "core/checks.h"
#include "core/error.h"
#include "device/context.h"
#include "graph/work_submit.h"
#include "image/array_map.h"
#include "image/copy_box.h"
#include "memory/map.h"
#include "stream/stream.h"

CUresult cup_api_copy_find_stream(CUstream handle, struct CUstream_st **stream)
{
    struct CUctx_st *context = cup_context_current();
    CUresult result = context ? cup_context_usable(context) : CUDA_SUCCESS;

    return result == CUDA_SUCCESS ? cup_stream_find(handle, stream) : result;
}

static CUresult find_device(CUcontext handle, const struct cup_device **device)
{
    struct CUctx_st *context;

    *device = NULL;
    if (!handle)
        return CUDA_SUCCESS;
    CUresult result = cup_context_find(handle, &context);
    if (result == CUDA_SUCCESS) {
        *device = context->device;
        cup_context_unref(context);
    }
    return result;
}

CUresult cup_api_copy_find_devices(CUcontext to, CUcontext from,
                                   struct cup_api_copy_devices *devices)
{
    CUresult result = find_device(to, &devices->to);

    return result == CUDA_SUCCESS ? find_device(from, &devices->from) : result;
}

static bool is_other(CUcontext handle)
{
    return handle && handle != (CUcontext)cup_context_current_exact() &&
           handle != (CUcontext)cup_context_current();
}

static void await_context(CUcontext handle)
{
    struct CUctx_st *context;

    if (!is_other(handle) || cup_context_find(handle, &context) != CUDA_SUCCESS)
        return;
    if (atomic_load(&context->busy_streams) != 0 || cup_checks.streams)
        cup_context_synchronize(context);
    cup_context_unref(context);
}

void cup_api_copy_await_contexts(CUcontext to, CUcontext from)
{
    await_context(to);
    await_context(from);
}

CUresult cup_api_copy_finish_between(CUcontext to, CUcontext from, CUresult result)
{
    struct CUctx_st *current = cup_context_current();

    if (result == CUDA_SUCCESS && current && (is_other(to) || is_other(from)))
        result = cup_context_synchronize(current);
    return result;
}

CUresult cup_api_copy_check_peer_access(const struct CUstream_st *stream,
                                        const struct cup_api_copy_devices *devices,
                                        const struct cup_copy_endpoint *to,
                                        const struct cup_copy_endpoint *from)
{
    const struct cup_device *usual = stream->context->device;
    CUresult result =
        cup_copy_endpoint_check_peer_access(to, devices && devices->to ? devices->to : usual);

    if (result == CUDA_SUCCESS)
        result = cup_copy_endpoint_check_peer_access(from, devices && devices->from ? devices->from
                                                                                    : usual);
    return result;
}

/* The primary context of the device that has the memory, if it is not the stream's device. */
static struct CUctx_st *context_elsewhere(const struct CUstream_st *stream,
                                          const struct cup_copy_endpoint *endpoint)
{
    struct CUctx_st *primary;
    struct cup_range range;

    if (!cup_map_describe(endpoint->lowest, &range) || !range.device ||
        range.device == stream->context->device)
        return NULL;
    primary = atomic_load(&range.device->primary);
    return primary && cup_context_is_live(primary) ? primary : NULL;
}

CUresult cup_api_copy_submit_ordered(struct CUstream_st *stream, const struct cup_copy *copy,
                                     const struct cup_copy_endpoint *to,
                                     const struct cup_copy_endpoint *from, bool asynchronous)
{
    enum cup_copy_mode mode = cup_copy_endpoint_mode(asynchronous, to, from);
    struct CUctx_st *others[2] = {NULL, NULL};
    CUresult result = CUDA_SUCCESS;

    if (cup_unlikely(to->peer_bytes && from->peer_bytes && !to->on_host && !from->on_host &&
                     cup_stream_is_legacy(stream))) {
        others[0] = context_elsewhere(stream, to);
        others[1] = context_elsewhere(stream, from);
    }
    for (int i = 0; i < 2 && result == CUDA_SUCCESS; i++)
        result = others[i] ? cup_stream_follow_context(stream, others[i]) : CUDA_SUCCESS;
    if (result == CUDA_SUCCESS)
        result = cup_copy_submit(stream, copy, mode);
    for (int i = 0; i < 2 && result == CUDA_SUCCESS; i++)
        result = others[i] ? cup_stream_precede_context(stream, others[i]) : CUDA_SUCCESS;
    return result;
}

CUresult cup_api_copy_describe(struct CUstream_st *stream,
                               const struct cup_api_copy_devices *devices,
                               const CUDA_MEMCPY3D *copy, bool asynchronous,
                               struct cup_captured_work *captured)
{
    CUgraphNodeParams node = {.type = CU_GRAPH_NODE_TYPE_MEMCPY,
                              .memcpy = {.copyCtx = stream->context, .copyParams = *copy}};

    if (!devices && asynchronous)
        return cup_work_node(&node, captured);
    captured->kind = CUP_CAPTURED_NONE;
    captured->name = devices ? "a peer copy" : "a copy that waits";
    return CUDA_SUCCESS;
}

/* What the copy engine of an H200 reports of a deferred array without memory, by the other side. */
static CUresult unbound_error(const struct cup_copy_endpoint *other)
{
    return other->waits ? CUDA_ERROR_LAUNCH_FAILED : CUDA_ERROR_ILLEGAL_ADDRESS;
}

CUresult cup_api_copy_submit(struct CUstream_st *stream, const struct cup_api_copy_devices *devices,
                             const struct cup_copy_endpoint *to,
                             const struct cup_copy_endpoint *from, const struct cup_extent *extent,
                             bool asynchronous)
{
    struct cup_copy copy = cup_copy_endpoint_copy(to, from, extent);
    CUresult result = cup_api_copy_peer_access(stream, devices, to, from);

    if (result == CUDA_SUCCESS && from->bare)
        result = cup_array_map_require(stream, from->bare, unbound_error(to));
    if (result == CUDA_SUCCESS)
        result = cup_api_copy_submit_ordered(stream, &copy, to, from, asynchronous);
    if (result == CUDA_SUCCESS && to->bare)
        result = cup_array_map_drop(stream, to->bare, &copy, unbound_error(from));
    return result;
}

struct box_work {
    const CUDA_MEMCPY3D *copy;
    const struct cup_api_copy_devices *devices;
    bool asynchronous;
};

static CUresult box_describe(struct CUstream_st *stream, void *work,
                             struct cup_captured_work *captured)
{
    const struct box_work *given = work;

    return cup_api_copy_describe(stream, given->devices, given->copy, given->asynchronous,
                                 captured);
}

static CUresult box_run(struct CUstream_st *stream, void *work)
{
    const struct box_work *given = work;
    const CUDA_MEMCPY3D *copy = given->copy;
    struct cup_extent extent = {copy->WidthInBytes, copy->Height, copy->Depth};
    struct cup_copy_endpoint to, from;
    CUresult result = cup_array_copy_box(copy, &to, &from);

    if (result == CUDA_SUCCESS)
        result = cup_array_copy_check_blocks(&to, &from);
    if (result == CUDA_SUCCESS)
        result =
            cup_api_copy_submit(stream, given->devices, &to, &from, &extent, given->asynchronous);
    return result;
}

static const struct cup_work_type box_type = {box_describe, box_run};

static CUresult copy_in_stream(const CUDA_MEMCPY3D *copy,
                               const struct cup_api_copy_devices *devices,
                               struct CUstream_st *stream, bool asynchronous)
{
    struct box_work work = {copy, devices, asynchronous};

    if (copy->WidthInBytes == 0 || copy->Height == 0 || copy->Depth == 0)
        return CUDA_SUCCESS;
    return cup_work_submit(stream, &box_type, &work);
}

CUresult cup_api_copy_box(const CUDA_MEMCPY3D *copy, const struct cup_api_copy_devices *devices,
                          CUstream handle, bool asynchronous)
{
    struct CUstream_st *stream;
    CUresult result = cup_api_copy_find_stream(handle, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    result = copy ? copy_in_stream(copy, devices, stream, asynchronous)
                  : cup_error(CUDA_ERROR_INVALID_VALUE, "the description of the copy is NULL");
    cup_stream_unref(stream);
    return result;
}
