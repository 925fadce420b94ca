/* SPDX-License-Identifier: MIT */
/* Stream management. Arguments are validated in the order of NVIDIA's driver: the output, then the
 * stream and its context, then the rest. */
#include "impl.h"
#include "core/checks.h"
#include "core/error.h"
#include "core/precondition.h"
#include "core/thread.h"
#include "graph/work_submit.h"
#include "interop/egl_image.h"
#include "memory/pools.h"
#include "os/guard.h"
#include "stream/attribute.h"
#include "stream/event.h"
#include "stream/stream.h"

/* Finds the stream of a getter. */
static CUresult find_for(CUstream handle, const void *output, struct CUstream_st **stream)
{
    if (!output)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the result is NULL");
    return cup_stream_find(handle, stream);
}

CUresult impl_cuStreamCreate(CUstream *phStream, unsigned int Flags)
{
    return impl_cuStreamCreateWithPriority(phStream, Flags, CUP_PRIORITY_LEAST);
}

/* The arguments are validated before the context. */
CUresult impl_cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority)
{
    if (!phStream)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the stream is NULL");
    if (flags & ~(unsigned)CU_STREAM_NON_BLOCKING)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid stream flags 0x%x", flags);
    CUresult result = cup_precondition_context();
    if (result != CUDA_SUCCESS)
        return result;
    return cup_stream_create(cup_context_current_exact(), CUP_STREAM_CREATED, flags, priority,
                             phStream);
}

/* There is no precondition, because the handle is validated first; this check rejects a forked
 * child. */
CUresult impl_cuStreamDestroy_v2(CUstream hStream)
{
    struct CUstream_st *stream;

    if (hStream == NULL || hStream == CU_STREAM_LEGACY || hStream == CU_STREAM_PER_THREAD)
        return cup_error(CUDA_ERROR_INVALID_HANDLE, "a default stream cannot be destroyed");
    if (cup_stream_destroy_detached(hStream))
        return CUDA_SUCCESS;
    CUresult result = cup_stream_find(hStream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_precondition_handle();
    if (result == CUDA_SUCCESS) {
        cup_device_look(stream->context->device);
        cup_stream_destroy(stream, CUP_RETIRED_DESTROYED);
    }
    cup_stream_unref(stream);
    return result;
}

CUresult impl_cuStreamGetPriority(CUstream hStream, int *priority)
{
    struct CUstream_st *stream;
    CUresult result = find_for(hStream, priority, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    *priority = atomic_load(&stream->priority);
    cup_stream_unref(stream);
    return CUDA_SUCCESS;
}

CUresult impl_cuStreamGetFlags(CUstream hStream, unsigned int *flags)
{
    struct CUstream_st *stream;
    CUresult result = find_for(hStream, flags, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    *flags = stream->flags;
    cup_stream_unref(stream);
    return CUDA_SUCCESS;
}

CUresult impl_cuStreamGetId(CUstream hStream, unsigned long long *streamId)
{
    struct CUstream_st *stream;
    CUresult result = find_for(hStream, streamId, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    *streamId = stream->id;
    cup_stream_unref(stream);
    return CUDA_SUCCESS;
}

CUresult impl_cuStreamGetDevice(CUstream hStream, CUdevice *device)
{
    struct CUstream_st *stream;
    CUresult result = find_for(hStream, device, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    *device = stream->context->device->ordinal;
    cup_stream_unref(stream);
    return CUDA_SUCCESS;
}

CUresult impl_cuStreamGetCtx(CUstream hStream, CUcontext *pctx)
{
    struct CUstream_st *stream;
    CUresult result = find_for(hStream, pctx, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    *pctx = stream->green ? stream->green : stream->context;
    cup_stream_unref(stream);
    return CUDA_SUCCESS;
}

/* Either output may be NULL, but not both. The context of a green context's stream is the primary
 * context. */
CUresult impl_cuStreamGetCtx_v2(CUstream hStream, CUcontext *pCtx, CUgreenCtx *pGreenCtx)
{
    struct CUstream_st *stream;

    if (!pCtx && !pGreenCtx)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the result is NULL");
    CUresult result = cup_precondition_handle();
    if (result == CUDA_SUCCESS)
        result = cup_stream_find(hStream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (pCtx)
        *pCtx = stream->context;
    if (pGreenCtx)
        *pGreenCtx = (CUgreenCtx)stream->green;
    cup_stream_unref(stream);
    return CUDA_SUCCESS;
}

struct wait_work {
    struct CUevent_st *event;
    unsigned flags;
};

static CUresult wait_describe(struct CUstream_st *stream, void *work,
                              struct cup_captured_work *captured)
{
    const struct wait_work *given = work;

    (void)stream;
    captured->kind = CUP_CAPTURED_WAIT;
    captured->event = given->event;
    captured->external = given->flags & CU_EVENT_WAIT_EXTERNAL;
    return CUDA_SUCCESS;
}

static CUresult wait_run(struct CUstream_st *stream, void *work)
{
    const struct wait_work *given = work;

    if (given->flags)
        return cup_error(CUDA_ERROR_ILLEGAL_STATE,
                         "an external wait is only possible in a capture");
    struct cup_point point = cup_event_point(given->event);
    cup_check_stream_waits_event(stream, given->event, point.stream);
    CUresult result = cup_stream_wait_point(stream, point);
    if (point.stream)
        cup_stream_unref(point.stream);
    return result;
}

static const struct cup_work_type wait_type = {wait_describe, wait_run};

static CUresult wait_event(struct CUstream_st *stream, CUevent handle, unsigned flags)
{
    struct wait_work work = {.flags = flags};

    if (flags & ~(unsigned)CU_EVENT_WAIT_EXTERNAL)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid wait flags 0x%x", flags);
    CUresult result = cup_event_find(handle, &work.event);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_work_submit_wait(stream, work.event, &wait_type, &work);
    cup_event_unref(work.event);
    return result;
}

CUresult impl_cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags)
{
    struct CUstream_st *stream;
    CUresult result = cup_stream_find(hStream, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    result = wait_event(stream, hEvent, Flags);
    cup_stream_unref(stream);
    return result;
}

CUresult impl_cuStreamQuery(CUstream hStream)
{
    struct CUstream_st *stream;
    CUresult result = cup_stream_find(hStream, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    if (cup_stream_reached_end(stream)) {
        result = cup_device_look(stream->context->device);
        cup_check_host_waited_stream(stream);
    } else {
        result = CUDA_ERROR_NOT_READY;
    }
    cup_stream_unref(stream);
    return result;
}

/* Fails in a host function if it had to wait. NVIDIA's driver waits for ever there, because its
 * host functions run one at a time and the stream may need one. */
CUresult impl_cuStreamSynchronize(CUstream hStream)
{
    struct CUstream_st *stream;
    CUresult result = cup_stream_find(hStream, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    if (cup_thread_self()->in_host_function && !cup_stream_reached_end(stream))
        result = cup_error(CUDA_ERROR_NOT_PERMITTED, "a host function cannot wait for a stream");
    else
        result = cup_stream_synchronize(stream);
    cup_pools_synchronized(stream);
    cup_egl_image_sync();
    cup_stream_unref(stream);
    return result;
}

CUresult impl_cuStreamCopyAttributes(CUstream dst, CUstream src)
{
    struct CUstream_st *to, *from;
    CUresult result = cup_stream_find(dst, &to);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_stream_find(src, &from);
    if (result == CUDA_SUCCESS) {
        if (to->context == from->context)
            cup_stream_attributes_copy(to, from);
        else
            result =
                cup_error(CUDA_ERROR_INVALID_VALUE, "the streams belong to different contexts");
        cup_stream_unref(from);
    }
    cup_stream_unref(to);
    return result;
}

CUresult impl_cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr,
                                   CUstreamAttrValue *value_out)
{
    struct CUstream_st *stream;
    CUresult result = find_for(hStream, value_out, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_stream_attribute_get(stream, attr, value_out);
    cup_stream_unref(stream);
    return result;
}

CUresult impl_cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr,
                                   const CUstreamAttrValue *value)
{
    struct CUstream_st *stream;
    CUstreamAttrValue copy;
    CUresult result = cup_stream_find(hStream, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    if (value && cup_guard_copy(&copy, value, sizeof(copy)))
        result = cup_stream_attribute_set(stream, attr, &copy);
    else
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "the value to set is not readable");
    cup_stream_unref(stream);
    return result;
}
