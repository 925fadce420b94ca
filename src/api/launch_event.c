/* SPDX-License-Identifier: MIT */
/* Events that a launch records. CUDA lets a programmatic event complete when every block has
 * triggered it or ended, and a launch completion event when every block has begun; an event that
 * completes later, with the kernel, is permitted for both. Here it is recorded behind the kernel.
 */
#include "api/launch_event.h"

#include "core/error.h"
#include "module/launch.h"
#include "stream/event.h"

#include <stdbool.h>

/* Writes the event of the attribute and the flags of its recording; false if it has none. */
static bool event_of(const CUlaunchAttribute *attribute, CUevent *event, unsigned *flags)
{
    if (attribute->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT) {
        *event = attribute->value.programmaticEvent.event;
        *flags = (unsigned)attribute->value.programmaticEvent.flags;
        return true;
    }
    if (attribute->id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT) {
        *event = attribute->value.launchCompletionEvent.event;
        *flags = (unsigned)attribute->value.launchCompletionEvent.flags;
        return true;
    }
    return false;
}

/* Only events without timing can be recorded so, and none of another process; a launch completion
 * event may not block either. */
static CUresult check_flags(const CUlaunchAttribute *attribute, const struct CUevent_st *event)
{
    unsigned denied = CU_EVENT_INTERPROCESS;

    if (attribute->id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT)
        denied |= CU_EVENT_BLOCKING_SYNC;
    if (event->flags & CU_EVENT_DISABLE_TIMING && !(event->flags & denied))
        return CUDA_SUCCESS;
    return cup_error(CUDA_ERROR_NOT_SUPPORTED, "launch attribute %d with an event of flags 0x%x",
                     (int)attribute->id, event->flags);
}

static CUresult check(const CUlaunchAttribute *attribute, CUevent handle, unsigned flags,
                      const struct CUstream_st *stream, bool captured)
{
    struct CUevent_st *event;
    CUresult result = cup_event_find(handle, &event);

    if (result != CUDA_SUCCESS)
        return result;
    if (flags & ~(unsigned)CU_EVENT_RECORD_EXTERNAL)
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "invalid record flags 0x%x", flags);
    else if (flags && !captured)
        result =
            cup_error(CUDA_ERROR_ILLEGAL_STATE, "an external record is only possible in a capture");
    else if (event->context != stream->context)
        result =
            cup_error(CUDA_ERROR_INVALID_HANDLE, "event and stream belong to different contexts");
    else
        result = check_flags(attribute, event);
    cup_event_unref(event);
    return result;
}

CUresult cup_record_events_check(const struct cup_launch_shape *shape,
                                 const struct CUstream_st *stream, bool captured)
{
    CUresult result = CUDA_SUCCESS;
    unsigned flags;
    CUevent event;

    for (unsigned i = 0; result == CUDA_SUCCESS && i < shape->attribute_count; i++)
        if (event_of(&shape->attributes[i], &event, &flags))
            result = check(&shape->attributes[i], event, flags, stream, captured);
    return result;
}

/* The edge that leads from the kernel to what waits for the event, in a graph. */
static CUgraphEdgeData edge_of(const CUlaunchAttribute *attribute)
{
    CUgraphEdgeData edge = {.from_port = CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER};

    if (attribute->id != CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT)
        return edge;
    edge.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    if (!attribute->value.programmaticEvent.triggerAtBlockStart)
        edge.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
    return edge;
}

CUresult cup_record_events(const struct cup_launch_shape *shape, struct CUstream_st *stream)
{
    CUresult result = CUDA_SUCCESS;
    unsigned flags;
    CUevent event;

    for (unsigned i = 0; result == CUDA_SUCCESS && i < shape->attribute_count; i++) {
        if (!event_of(&shape->attributes[i], &event, &flags))
            continue;
        CUgraphEdgeData edge = edge_of(&shape->attributes[i]);
        result = cup_record_event(stream, event, flags, &edge);
    }
    return result;
}
