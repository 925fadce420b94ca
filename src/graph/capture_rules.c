/* SPDX-License-Identifier: MIT */
/* The calls that captures forbid.
 *
 * A call that may wait for the device, allocate or free is unsafe: it could wait for work that is
 * only recorded. It is forbidden while this thread captures, and while any thread captures in
 * global mode, depending on the thread's own mode (cuThreadExchangeStreamCaptureMode). A forbidden
 * call invalidates the capture, which keeps forbidding such calls until it ends. */
#include "graph/capture.h"

#include "core/error.h"
#include "core/thread.h"
#include "device/context.h"
#include "graph/capture_state.h"
#include "stream/event.h"
#include "stream/stream.h"

/* A stream that began to capture after the call began takes the work as if the call had been
 * earlier. While no stream captures, calls do not set the epoch; an old epoch is below the number
 * of every later branch. */
CUresult cup_capture_refuse(struct CUstream_st *stream, const char *work)
{
    cup_lock_acquire(&cup_graph_lock);
    bool refused =
        stream->branch && stream->branch->number <= cup_thread_capture(cup_thread_self())->epoch;
    if (refused)
        cup_capture_invalidate_locked(
            stream->branch->capture, stream,
            "the stream is capturing, and graphs have no node for this work");
    cup_lock_release(&cup_graph_lock);
    return refused ? cup_error(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                               "%s in a stream that is capturing", work ? work : "work")
                   : CUDA_SUCCESS;
}

static bool forbids_unsafe(const struct cup_capture *capture, int thread_mode, uint32_t thread)
{
    if (thread_mode != CU_STREAM_CAPTURE_MODE_GLOBAL &&
        thread_mode != CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)
        return false;
    if (capture->thread == thread)
        return capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED;
    return capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
           thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

static CUresult check_unsafe(void)
{
    CUresult result = CUDA_SUCCESS;
    int thread_mode = cup_thread_capture(cup_thread_self())->mode;
    uint32_t thread = cup_thread_id();

    cup_lock_acquire(&cup_graph_lock);
    cup_list_each (each, &cup_captures, struct cup_capture, link) {
        if (!forbids_unsafe(each, thread_mode, thread))
            continue;
        cup_capture_invalidate_locked(each, NULL,
                                      "the call is unsafe during a capture in this mode");
        result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    cup_lock_release(&cup_graph_lock);
    return result == CUDA_SUCCESS
               ? result
               : cup_error(result, "the call is unsafe while a stream is capturing");
}

/* Whether a stream of the context captures; blocking_only: considers only streams that synchronise
 * with the legacy stream. */
static bool is_in(const struct cup_capture *capture, const struct CUctx_st *context,
                  bool blocking_only)
{
    for (const struct cup_capture_branch *each = capture->branches; each; each = each->next) {
        if (each->stream && each->stream->context == context &&
            (!blocking_only || (each->stream->blocking && each->stream->kind != CUP_STREAM_LEGACY)))
            return true;
    }
    return false;
}

static CUresult check_context(const struct CUctx_st *context, bool blocking_only, bool invalidate,
                              CUresult refused)
{
    CUresult result = CUDA_SUCCESS;

    cup_lock_acquire(&cup_graph_lock);
    cup_list_each (each, &cup_captures, struct cup_capture, link) {
        if (!is_in(each, context, blocking_only))
            continue;
        result = refused;
        if (invalidate)
            cup_capture_invalidate_locked(
                each, NULL,
                blocking_only ? "the legacy stream synchronises with the capturing stream"
                              : "the call waits for all streams of the context");
    }
    cup_lock_release(&cup_graph_lock);
    return result == CUDA_SUCCESS ? result
                                  : cup_error(result, "a stream of the context is capturing");
}

CUresult cup_capture_check_legacy(struct CUctx_st *context)
{
    return check_context(context, true, true, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
}

CUresult cup_capture_ask_legacy(struct CUctx_st *context)
{
    return check_context(context, true, false, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
}

CUresult cup_capture_check_stream(unsigned rule, struct CUstream_st *stream)
{
    if (cup_stream_is_capturing(stream)) {
        CUresult refused =
            rule & CUP_CALL_REFUSED ? cup_capture_refuse(stream, "a call") : CUDA_SUCCESS;
        if (refused != CUDA_SUCCESS)
            return refused;
        if (rule & CUP_CALL_BATCH)
            return cup_error(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                             "copies with attributes cannot be captured");
        return CUDA_SUCCESS;
    }
    return rule & CUP_CALL_UNSAFE ? check_unsafe() : CUDA_SUCCESS;
}

/* Invalid handles are left to the impl to refuse. So is the legacy stream, which never captures,
 * unless the call is unsafe. */
static CUresult check_stream_handle(unsigned rule, CUstream handle, bool per_thread)
{
    struct CUstream_st *stream;

    if (per_thread && !handle)
        handle = CU_STREAM_PER_THREAD;
    if ((!handle || handle == CU_STREAM_LEGACY) && !(rule & CUP_CALL_UNSAFE))
        return CUDA_SUCCESS;
    CUresult result = cup_stream_find(handle, &stream);
    if (result != CUDA_SUCCESS)
        return result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT ? result : CUDA_SUCCESS;
    result = cup_capture_check_stream(rule, stream);
    cup_stream_unref(stream);
    return result;
}

static CUresult check_event_handle(unsigned rule, CUevent handle)
{
    struct CUevent_st *event;

    if (cup_event_find(handle, &event) == CUDA_SUCCESS) {
        CUresult result = cup_capture_check_event(event, true);
        cup_event_unref(event);
        if (result != CUDA_SUCCESS)
            return result;
    }
    return rule & CUP_CALL_UNSAFE ? check_unsafe() : CUDA_SUCCESS;
}

static CUresult check_context_handle(CUcontext handle)
{
    struct CUctx_st *context;

    if (cup_context_find(handle, &context) != CUDA_SUCCESS)
        return CUDA_SUCCESS;
    CUresult result = check_context(context, false, true, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    cup_context_unref(context);
    return result;
}

CUresult cup_capture_check_call(const struct cup_call_site *site, const uint64_t *values)
{
    const unsigned on_stream = CUP_CALL_REFUSED | CUP_CALL_BATCH | CUP_CALL_NODE;

    cup_thread_capture(cup_thread_self())->call = site->name;
    cup_thread_capture(cup_thread_self())->epoch = atomic_load(&cup_capture_last_branch);
    if (!site->capture)
        return CUDA_SUCCESS;
    uintptr_t subject = site->subject < 0 ? 0 : (uintptr_t)values[site->subject];
    if (site->precondition && site->precondition() != CUDA_SUCCESS)
        return CUDA_SUCCESS; /* the entry point reports it next */
    if (site->capture & CUP_CALL_CONTEXT)
        return check_context_handle(site->subject < 0 ? cup_context_current() : (CUcontext)subject);
    if (site->capture & CUP_CALL_EVENT)
        return check_event_handle(site->capture, (CUevent)subject);
    if (site->capture & on_stream)
        return check_stream_handle(site->capture, (CUstream)subject, site->per_thread);
    return check_unsafe();
}
