/* SPDX-License-Identifier: MIT */
/* Both calls use a hidden stream that no default-stream rule affects. The join stream waits for the
 * ends of all other streams; the event is recorded in it. Its order adds no delay: a later
 * recording waits for everything that an earlier one waits for. The hold stream waits for the
 * events that the context waits for; a new stream first waits for its end (context_streams.c).
 *
 * Hidden streams are on the context's list, because they end with the context like any other
 * stream. */
#include "stream/context_event.h"

#include "core/checks.h"
#include "core/error.h"
#include "stream/context_streams.h"
#include "stream/event.h"
#include "stream/stream.h"

static struct CUstream_st *find_hidden(struct CUctx_st *context, enum cup_stream_kind kind)
{
    struct CUctx_st *green = cup_context_is_green(context) ? context : NULL;
    struct CUctx_st *owner = context->owner;
    struct CUstream_st *found = NULL;

    cup_lock_acquire(&owner->lock);
    cup_list_each (each, &owner->streams, struct CUstream_st, context_link) {
        if (each->kind == kind && each->green == green &&
            atomic_load(&each->base.stamp) > CUP_RETIRED_LAST && cup_object_try_ref(&each->base)) {
            found = each;
            break;
        }
    }
    cup_lock_release(&owner->lock);
    return found;
}

/* Returns the context's hidden stream of a kind with a reference, and creates it on first use. Two
 * threads may create two; all of them are used. */
static CUresult hidden_stream(struct CUctx_st *context, enum cup_stream_kind kind,
                              struct CUstream_st **stream)
{
    *stream = find_hidden(context, kind);
    if (*stream)
        return CUDA_SUCCESS;
    if (kind == CUP_STREAM_HOLD)
        cup_stream_note_hold();
    return cup_stream_create(context, kind, CU_STREAM_NON_BLOCKING, CUP_PRIORITY_LEAST, stream);
}

CUresult cup_event_context_record(struct CUctx_st *context, struct CUevent_st *event)
{
    struct CUstream_st *join;
    CUresult result = hidden_stream(context, CUP_STREAM_JOIN, &join);

    if (result != CUDA_SUCCESS)
        return result;
    struct cup_stream_list *list = cup_stream_list_visible(context);
    if (!list)
        result = cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory to list a context's streams");
    for (size_t i = 0; list && i < list->count && result == CUDA_SUCCESS; i++)
        result = cup_stream_wait_stream(join, list->streams[i]);
    if (result == CUDA_SUCCESS)
        result = cup_event_record(event, join);
    if (list)
        cup_stream_list_free(list);
    cup_stream_unref(join);
    return result;
}

static CUresult hold_all(struct CUctx_st *context, struct CUstream_st *hold, struct cup_point point)
{
    /* The hold stream comes first: a stream created meanwhile is then either on the list or
     * held. */
    CUresult result = cup_stream_wait_point(hold, point);
    struct cup_stream_list *list = cup_stream_list_visible(context);

    if (!list)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory to list a context's streams");
    for (size_t i = 0; i < list->count && result == CUDA_SUCCESS; i++)
        result = cup_stream_wait_point(list->streams[i], point);
    cup_stream_list_free(list);
    return result;
}

CUresult cup_event_context_wait(struct CUctx_st *context, struct CUevent_st *event)
{
    struct cup_point point = cup_event_point(event);
    struct CUstream_st *hold;
    CUresult result = CUDA_SUCCESS;

    /* What is submitted from now on comes after what the host knows, in all streams. */
    cup_check_host_waited_event(event);
    if (!cup_point_reached(point)) {
        result = hidden_stream(context, CUP_STREAM_HOLD, &hold);
        if (result == CUDA_SUCCESS) {
            result = hold_all(context, hold, point);
            cup_stream_unref(hold);
        }
    }
    if (point.stream)
        cup_stream_unref(point.stream);
    return result;
}
