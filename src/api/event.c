/* SPDX-License-Identifier: MIT */
/* Event management. Most of these calls have no precondition: NVIDIA's driver validates the handle
 * first, and NULL is an invalid event even before cuInit. */
#include "api/launch_event.h"
#include "core/error.h"
#include "core/precondition.h"
#include "core/thread.h"
#include "graph/capture.h"
#include "graph/work_submit.h"
#include "impl.h"
#include "interop/egl_image.h"
#include "memory/pools.h"
#include "stream/context_event.h"
#include "stream/event.h"
#include "stream/stream.h"

static CUresult find(CUevent handle, struct CUevent_st **event)
{
    CUresult result = cup_event_find(handle, event);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_precondition_handle(); /* a forked child sees its parent's events */
    if (result != CUDA_SUCCESS)
        cup_event_unref(*event);
    return result;
}

/* An interprocess event must have timing disabled. */
static bool flags_valid(unsigned flags)
{
    const unsigned known = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;

    if (flags & CU_EVENT_INTERPROCESS && !(flags & CU_EVENT_DISABLE_TIMING))
        return false;
    return !(flags & ~known);
}

CUresult impl_cuEventCreate(CUevent *phEvent, unsigned int Flags)
{
    if (!phEvent)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the event is NULL");
    if (!flags_valid(Flags))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid event flags 0x%x", Flags);
    return cup_event_create(cup_context_current(), Flags, phEvent);
}

CUresult impl_cuEventDestroy_v2(CUevent hEvent)
{
    struct CUevent_st *event;
    CUresult result = find(hEvent, &event);

    if (result != CUDA_SUCCESS)
        return result;
    cup_event_destroy(event, CUP_RETIRED_DESTROYED);
    cup_event_unref(event);
    return CUDA_SUCCESS;
}

struct record_work {
    struct CUevent_st *event;
    unsigned flags;
    const CUgraphEdgeData *edge;
};

static CUresult check_context(const struct CUstream_st *stream, const struct CUevent_st *event)
{
    return event->context == stream->context
               ? CUDA_SUCCESS
               : cup_error(CUDA_ERROR_INVALID_HANDLE,
                           "event and stream belong to different contexts");
}

static CUresult record_describe(struct CUstream_st *stream, void *work,
                                struct cup_captured_work *captured)
{
    const struct record_work *given = work;

    captured->kind = CUP_CAPTURED_RECORD;
    captured->event = given->event;
    captured->external = given->flags & CU_EVENT_RECORD_EXTERNAL;
    captured->edge = given->edge;
    return check_context(stream, given->event);
}

static CUresult record_run(struct CUstream_st *stream, void *work)
{
    const struct record_work *given = work;

    if (given->flags)
        return cup_error(CUDA_ERROR_ILLEGAL_STATE,
                         "an external record is only possible in a capture");
    CUresult result = check_context(stream, given->event);
    return result == CUDA_SUCCESS ? cup_event_record(given->event, stream) : result;
}

static const struct cup_work_type record_type = {record_describe, record_run};

CUresult cup_record_event(struct CUstream_st *stream, CUevent handle, unsigned flags,
                          const CUgraphEdgeData *edge)
{
    struct record_work work = {.flags = flags, .edge = edge};
    CUresult result = cup_event_find(handle, &work.event);

    if (result != CUDA_SUCCESS)
        return result;
    if (flags & ~(unsigned)CU_EVENT_RECORD_EXTERNAL)
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "invalid record flags 0x%x", flags);
    else
        result = cup_work_submit(stream, &record_type, &work);
    cup_event_unref(work.event);
    return result;
}

CUresult impl_cuEventRecord(CUevent hEvent, CUstream hStream)
{
    return impl_cuEventRecordWithFlags(hEvent, hStream, CU_EVENT_RECORD_DEFAULT);
}

CUresult impl_cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags)
{
    struct CUstream_st *stream;
    CUresult result = cup_stream_find(hStream, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_record_event(stream, hEvent, flags, NULL);
    cup_stream_unref(stream);
    return result;
}

CUresult impl_cuEventQuery(CUevent hEvent)
{
    struct CUevent_st *event;
    CUresult result = find(hEvent, &event);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_event_query(event);
    cup_event_unref(event);
    return result;
}

static CUresult synchronize(struct CUevent_st *event)
{
    CUresult result = cup_event_synchronize(event);

    cup_egl_image_sync();
    if (!atomic_load_explicit(&cup_pools_touched, memory_order_relaxed))
        return result;
    struct cup_point point = cup_event_point(event);
    cup_pools_synchronized(point.stream);
    if (point.stream)
        cup_stream_unref(point.stream);
    return result;
}

/* In a host function the call never waits: it fails unless the event is already complete, as
 * cuStreamSynchronize does. */
CUresult impl_cuEventSynchronize(CUevent hEvent)
{
    struct CUevent_st *event;
    CUresult result = find(hEvent, &event);

    if (result != CUDA_SUCCESS)
        return result;
    if (!cup_thread_self()->in_host_function)
        result = synchronize(event);
    else if ((result = cup_event_query(event)) == CUDA_ERROR_NOT_READY)
        result = cup_error(CUDA_ERROR_NOT_PERMITTED, "a host function cannot wait for an event");
    cup_event_unref(event);
    return result;
}

/* Captured events have no time: CAPTURED_EVENT during the capture, INVALID_VALUE after it. */
static CUresult check_captured(struct CUevent_st *start, struct CUevent_st *end)
{
    CUresult result = cup_capture_check_event(start, false);

    if (result == CUDA_SUCCESS)
        result = cup_capture_check_event(end, false);
    return result == CUDA_SUCCESS
               ? cup_error(CUDA_ERROR_INVALID_VALUE, "the event was last recorded in a capture")
               : result;
}

CUresult impl_cuEventElapsedTime_v2(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
    struct CUevent_st *start, *end;
    CUresult result = find(hStart, &start);

    if (result != CUDA_SUCCESS)
        return result;
    result = find(hEnd, &end);
    if (result == CUDA_SUCCESS) {
        if (!pMilliseconds || start->context != end->context)
            result = cup_error(
                CUDA_ERROR_INVALID_HANDLE,
                "the pointer for the time is NULL, or the events belong to different contexts");
        else if (cup_event_is_captured(start) || cup_event_is_captured(end))
            result = check_captured(start, end);
        else
            result = cup_event_elapsed(start, end, pMilliseconds);
        cup_event_unref(end);
    }
    cup_event_unref(start);
    return result;
}

/* Returns CONTEXT_IS_DESTROYED for a handle that names no context, unless it is NULL. */
static CUresult find_context(CUcontext handle, struct CUctx_st **context)
{
    CUresult result = cup_context_find_exact(handle, context);

    if (result != CUDA_SUCCESS)
        return handle ? CUDA_ERROR_CONTEXT_IS_DESTROYED : result;
    result = cup_context_usable(*context);
    if (result != CUDA_SUCCESS)
        cup_context_unref(*context);
    return result;
}

CUresult impl_cuCtxRecordEvent(CUcontext hCtx, CUevent hEvent)
{
    struct CUctx_st *context;
    struct CUevent_st *event;
    CUresult result = find_context(hCtx, &context);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_event_find(hEvent, &event);
    if (result == CUDA_SUCCESS) {
        if (event->context == context->owner)
            result = cup_event_context_record(context, event);
        else
            result = cup_error(CUDA_ERROR_INVALID_HANDLE, "the event belongs to another context");
        cup_event_unref(event);
    }
    cup_context_unref(context);
    return result;
}

CUresult impl_cuCtxWaitEvent(CUcontext hCtx, CUevent hEvent)
{
    struct CUctx_st *context;
    struct CUevent_st *event;
    CUresult result = find_context(hCtx, &context);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_event_find(hEvent, &event);
    if (result == CUDA_SUCCESS) {
        result = cup_event_context_wait(context, event);
        cup_event_unref(event);
    }
    cup_context_unref(context);
    return result;
}
