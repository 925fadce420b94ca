/* SPDX-License-Identifier: MIT */
/* Nodes that record an event, or wait for one. The node keeps the event alive: destroying its
 * handle does not touch the node. */
#include "core/error.h"
#include "graph/node.h"
#include "stream/event.h"

/* A handle that is no event any more is kept as it is; the node does nothing then. */
static CUresult event_make(const CUgraphNodeParams *given, CUevent handle,
                           const struct cup_node_type *type, struct cup_node_params **params)
{
    struct cup_object *event = NULL;

    if (!handle)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no event");
    (void)cup_object_find(CUP_OBJECT_EVENT, handle, &event);
    *params = cup_node_params_create(type, given, 0);
    if (!*params) {
        if (event)
            cup_object_unref(event);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
    }
    (*params)->object = event;
    return CUDA_SUCCESS;
}

static CUresult record_make(const CUgraphNodeParams *given, struct cup_node_params **params)
{
    return event_make(given, given->eventRecord.event, &cup_node_event_record, params);
}

static CUresult wait_make(const CUgraphNodeParams *given, struct cup_node_params **params)
{
    return event_make(given, given->eventWait.event, &cup_node_event_wait, params);
}

const struct cup_node_type cup_node_event_record = {
    .id = CU_GRAPH_NODE_TYPE_EVENT_RECORD,
    .name = "EVENT_RECORD",
    .params_bytes = sizeof(CUDA_EVENT_RECORD_NODE_PARAMS),
    .make = record_make,
};

const struct cup_node_type cup_node_event_wait = {
    .id = CU_GRAPH_NODE_TYPE_WAIT_EVENT,
    .name = "EVENT_WAIT",
    .params_bytes = sizeof(CUDA_EVENT_WAIT_NODE_PARAMS),
    .make = wait_make,
};
