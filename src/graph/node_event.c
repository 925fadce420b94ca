/* SPDX-License-Identifier: MIT */
/* Nodes that record an event or wait for one. A node holds a reference on its event: destroying the
 * event's handle does not affect it. */
#include "core/error.h"
#include "graph/node.h"
#include "graph/plan.h"
#include "stream/event.h"
#include "stream/stream.h"

#include <stddef.h>
#include <stdlib.h>

/* A stale handle is kept as it is; the node then does nothing. */
static CUresult event_make(const CUgraphNodeParams *given, CUevent handle,
                           const struct cup_node_type *type, struct cup_node_params **params)
{
    struct cup_object *event = NULL;

    if (!handle)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the event is NULL");
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
    struct cup_node_params *made;
    CUresult result = event_make(given, given->eventRecord.event, &cup_node_event_record, &made);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_node_params_prefer(made, given->eventRecord.ctx);
    if (result == CUDA_SUCCESS)
        *params = made;
    else
        cup_node_params_unref(made);
    return result;
}

static CUresult wait_make(const CUgraphNodeParams *given, struct cup_node_params **params)
{
    return event_make(given, given->eventWait.event, &cup_node_event_wait, params);
}

struct event_job {
    struct cup_job base;
    struct cup_plan_node *node;
};

/* Fulfils the recording that the launch has promised, even after an error. */
static CUresult record_run(struct cup_job *base, CUresult failed)
{
    struct cup_plan_node *node = ((struct event_job *)base)->node;

    (void)failed;
    cup_event_fulfil((struct CUevent_st *)node->params->object,
                     &node->plan->launch->events[node->event]);
    cup_stream_fulfil(node->promises);
    return CUDA_SUCCESS;
}

static CUresult event_plan(struct cup_plan_node *node, struct cup_job job)
{
    struct event_job *made;

    if (!node->params->object)
        return CUDA_SUCCESS; /* the handle was stale when it was given */
    made = malloc(sizeof(*made));
    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for an event");
    made->base = job;
    node->job = &made->base;
    return CUDA_SUCCESS;
}

static CUresult record_plan(struct cup_plan_node *node)
{
    return event_plan(node,
                      (struct cup_job){.kind = CUP_JOB_WORK, .name = "event", .run = record_run});
}

static bool record_before(struct cup_plan_node *node)
{
    ((struct event_job *)node->job)->node = node;
    return true;
}

static CUresult wait_plan(struct cup_plan_node *node)
{
    node->may_wait = true;
    return event_plan(node, (struct cup_job){.kind = CUP_JOB_WAIT_POINT, .name = "wait"});
}

/* Waits for the recording that was current at the launch: a later one may be promised by a launch
 * that runs after this one. */
static bool wait_before(struct cup_plan_node *node)
{
    node->job->point = node->plan->launch->waits[node->event];
    return !cup_point_reached(node->job->point);
}

static void event_unplan(struct cup_plan_node *node)
{
    free(node->job);
}

static CUgraphExecUpdateResult event_update(const struct cup_node_params *old,
                                            const struct cup_node_params *made)
{
    const struct CUevent_st *from = (const struct CUevent_st *)old->object;
    const struct CUevent_st *to = (const struct CUevent_st *)made->object;

    if (!from || !to || from->context != to->context)
        return CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
    return cup_node_update_context(old, made);
}

const struct cup_node_type cup_node_event_record = {
    .id = CU_GRAPH_NODE_TYPE_EVENT_RECORD,
    .name = "EVENT_RECORD",
    .params_bytes = sizeof(CUDA_EVENT_RECORD_NODE_PARAMS),
    .later = {{13040, offsetof(CUDA_EVENT_RECORD_NODE_PARAMS, ctx)}},
    .make = record_make,
    .plan = record_plan,
    .unplan = event_unplan,
    .before = record_before,
    .update = event_update,
};

const struct cup_node_type cup_node_event_wait = {
    .id = CU_GRAPH_NODE_TYPE_WAIT_EVENT,
    .name = "EVENT_WAIT",
    .params_bytes = sizeof(CUDA_EVENT_WAIT_NODE_PARAMS),
    .make = wait_make,
    .plan = wait_plan,
    .unplan = event_unplan,
    .before = wait_before,
    .update = event_update,
};
