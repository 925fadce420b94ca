/* SPDX-License-Identifier: MIT */
/* Events in captures. Recording an event saves the tail of the stream's branch; a stream that waits
 * for the event joins the capture after the saved tail.
 *
 * The event itself stores only the number of the recording. A number that no capture has belongs to
 * a capture that has ended: such an event cannot be waited for until it is recorded again. An event
 * that a node records has a number only as long as the capture lasts. */
#include "core/error.h"
#include "core/lock.h"
#include "graph/capture.h"
#include "graph/capture_state.h"
#include "graph/node.h"
#include "graph/work_submit.h"
#include "stream/event.h"
#include "stream/stream.h"

#include <stdlib.h>

static uint64_t last_number; /* guarded by cup_graph_lock */

static struct cup_capture_recording *find_in(struct cup_capture *capture, uint64_t number)
{
    size_t low = 0, high = capture->recordings.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (capture->recordings.list[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < capture->recordings.count && capture->recordings.list[low].number == number)
        return &capture->recordings.list[low];
    return NULL;
}

static struct cup_capture_recording *find_recording_locked(uint64_t number,
                                                           struct cup_capture **capture)
{
    cup_lock_assert_held(&cup_graph_lock);
    *capture = NULL;
    if (!number)
        return NULL;
    cup_list_each (each, &cup_captures, struct cup_capture, link) {
        struct cup_capture_recording *found = find_in(each, number);
        if (found) {
            *capture = each;
            return found;
        }
    }
    return NULL;
}

/* edge: for all nodes of the tail; NULL: each has its own. */
static CUresult keep_tail_locked(struct cup_capture *capture, const struct cup_capture_tail *tail,
                                 const CUgraphEdgeData *edge, uint64_t number)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct cup_capture_recording made = {.number = number};

    if (!cup_dynarray_reserve(&capture->recordings.array, 1, sizeof(made)))
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory to record an event");
    CUresult result = cup_capture_tail_copy(&made.tail, tail);
    for (size_t i = 0; edge && i < made.tail.edges.count; i++)
        made.tail.edges.list[i] = *edge;
    if (result == CUDA_SUCCESS)
        capture->recordings.list[capture->recordings.count++] = made;
    else
        cup_capture_tail_finish(&made.tail);
    return result;
}

static CUresult record_locked(struct CUstream_st *stream, struct CUevent_st *event,
                              const CUgraphEdgeData *edge)
{
    struct cup_capture *capture = stream->branch->capture;

    cup_lock_assert_held(&cup_graph_lock);
    if (capture->is_invalid)
        return cup_error(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "the capture is invalid");
    CUresult result = keep_tail_locked(capture, &stream->branch->tail, edge, last_number + 1);
    if (result == CUDA_SUCCESS)
        atomic_store_explicit(&event->captured, ++last_number, memory_order_release);
    return result;
}

static bool add_event_node(struct CUstream_st *stream, const CUgraphNodeParams *given,
                           CUresult *result)
{
    struct cup_captured_work node = {0};
    CUresult described = cup_work_node(given, &node);

    if (described == CUDA_SUCCESS)
        return cup_capture_add(stream, &node, result);
    *result = described;
    return true;
}

/* The event cannot be waited for while the capture lasts, as its number belongs to no recording. */
static CUresult keep_external_locked(struct CUstream_st *stream, struct CUevent_st *event)
{
    cup_lock_assert_held(&cup_graph_lock);
    if (!stream->branch)
        return CUDA_SUCCESS; /* another thread has ended the capture */
    struct cup_capture *capture = stream->branch->capture;
    if (!cup_dynarray_reserve(&capture->externals.array, 1, sizeof(struct cup_capture_external)))
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory to record an event");
    capture->externals.list[capture->externals.count++] =
        (struct cup_capture_external){++last_number, event};
    cup_object_ref(&event->base);
    atomic_store_explicit(&event->captured, last_number, memory_order_release);
    return CUDA_SUCCESS;
}

void cup_capture_release_externals(struct cup_capture *capture)
{
    for (size_t i = 0; i < capture->externals.count; i++) {
        struct cup_capture_external *each = &capture->externals.list[i];
        atomic_compare_exchange_strong(&each->event->captured, &each->number, 0);
        cup_event_unref(each->event);
    }
    free(capture->externals.list);
}

/* Adds an event record node: the event is recorded when the graph runs. */
static bool record_external(struct CUstream_st *stream, struct CUevent_st *event, CUresult *result)
{
    const CUgraphNodeParams given = {.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD,
                                     .eventRecord = {.event = event}};

    if (!add_event_node(stream, &given, result))
        return false;
    if (*result != CUDA_SUCCESS)
        return true;
    cup_lock_acquire(&cup_graph_lock);
    *result = keep_external_locked(stream, event);
    cup_lock_release(&cup_graph_lock);
    return true;
}

bool cup_capture_record(struct CUstream_st *stream, const struct cup_captured_work *work,
                        CUresult *result)
{
    if (work->external)
        return record_external(stream, work->event, result);
    cup_lock_acquire(&cup_graph_lock);
    bool captures = stream->branch != NULL;
    if (captures)
        *result = record_locked(stream, work->event, work->edge);
    cup_lock_release(&cup_graph_lock);
    return captures;
}

/* Adds the stream to the capture, if it is not part of it, and the recording's tail to its
 * branch. */
static CUresult join_locked(struct CUstream_st *stream, struct cup_capture *capture,
                            const struct cup_capture_recording *recording)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct cup_capture_branch *branch = stream->branch;
    CUresult result = CUDA_SUCCESS;

    if (capture->is_invalid)
        return cup_error(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "the event's capture is invalid");
    if (stream->kind == CUP_STREAM_LEGACY) {
        cup_capture_invalidate_locked(capture, stream,
                                      "the legacy stream cannot take part in a capture");
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    if (!branch)
        result = cup_capture_join_locked(capture, stream, &branch);
    if (result != CUDA_SUCCESS)
        return result;
    cup_capture_take_locked(branch, &recording->tail);
    return cup_capture_tail_copy(&branch->tail, &recording->tail);
}

/* Refuses a wait: captures cannot be merged, and a capture cannot wait for submitted work. */
static CUresult refuse_locked(struct CUstream_st *stream, struct cup_capture *other,
                              struct CUevent_st *event)
{
    cup_lock_assert_held(&cup_graph_lock);
    if (other) {
        const char *why = "the event belongs to another capture";
        cup_capture_invalidate_locked(other, stream, why);
        cup_capture_invalidate_locked(stream->branch->capture, stream, why);
        return CUDA_ERROR_STREAM_CAPTURE_MERGE;
    }
    if (cup_event_is_captured(event)) {
        if (stream->branch)
            cup_capture_invalidate_locked(stream->branch->capture, stream,
                                          "the event was recorded in a capture that has ended");
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!cup_event_is_recorded(event))
        return CUDA_SUCCESS;
    cup_capture_invalidate_locked(stream->branch->capture, stream,
                                  "the event was recorded outside the capture");
    return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
}

/* Returns false if the stream does not capture, and this wait cannot make it join the event's
 * capture. *add_node: the wait becomes a node. */
static bool wait_locked(struct CUstream_st *stream, struct CUevent_st *event, bool external,
                        bool *add_node, CUresult *result)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct cup_capture_branch *branch = stream->branch;
    struct cup_capture *capture;
    struct cup_capture_recording *recording = find_recording_locked(
        atomic_load_explicit(&event->captured, memory_order_acquire), &capture);
    bool node = external && (recording || !cup_event_is_captured(event));

    if (!branch && (node || !cup_event_is_captured(event)))
        return false;
    *result = CUDA_SUCCESS;
    *add_node = false;
    if (branch && branch->capture->is_invalid)
        *result = cup_error(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "the capture is invalid");
    else if (node)
        *add_node = true;
    else if (recording && (!branch || branch->capture == capture))
        *result = join_locked(stream, capture, recording);
    else
        *result = refuse_locked(stream, recording ? capture : NULL, event);
    return true;
}

bool cup_capture_wait(struct CUstream_st *stream, const struct cup_captured_work *work,
                      CUresult *result)
{
    const CUgraphNodeParams given = {.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT,
                                     .eventWait = {.event = work->event}};
    bool add_node;

    cup_lock_acquire(&cup_graph_lock);
    bool captures = wait_locked(stream, work->event, work->external, &add_node, result);
    cup_lock_release(&cup_graph_lock);
    if (!captures)
        return false;
    if (*result != CUDA_SUCCESS) {
        *result = cup_error(*result, "the stream cannot wait for this event in a capture");
        return true;
    }
    return add_node ? add_event_node(stream, &given, result) : true;
}

CUresult cup_capture_check_event(struct CUevent_st *event, bool invalidate)
{
    struct cup_capture *capture;
    CUresult result = CUDA_SUCCESS;

    if (!cup_event_is_captured(event))
        return CUDA_SUCCESS;
    cup_lock_acquire(&cup_graph_lock);
    if (find_recording_locked(atomic_load_explicit(&event->captured, memory_order_acquire),
                              &capture)) {
        result = CUDA_ERROR_CAPTURED_EVENT;
        if (invalidate)
            cup_capture_invalidate_locked(capture, NULL, "the event is captured and has no time");
    }
    cup_lock_release(&cup_graph_lock);
    return result == CUDA_SUCCESS ? result : cup_error(result, "the event is captured");
}
