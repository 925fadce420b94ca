/* SPDX-License-Identifier: MIT */
/* Launching an executable graph. The call itself decides what is known beforehand: the allocations
 * that outlive the launch, the events that it records, and the work that precedes it. */
#include "core/checks.h"
#include "core/error.h"
#include "core/lock.h"
#include "device/context.h"
#include "graph/awaited.h"
#include "graph/exec.h"
#include "graph/node.h"
#include "memory/graph_memory.h"
#include "stream/stream.h"

#include <stdlib.h>

static void launch_release(struct cup_job *job)
{
    struct cup_graph_launch *launch = (struct cup_graph_launch *)job;

    for (size_t i = 0; i < launch->memory_count; i++) {
        cup_graphmem_end(launch->memories[i]);
        cup_graphmem_unref(launch->memories[i]);
    }
    free(launch->memories);
    for (uint32_t i = 0; launch->waits && i < launch->plan->wait_count; i++) {
        if (launch->waits[i].stream)
            cup_stream_unref(launch->waits[i].stream);
    }
    free(launch->waits);
    cup_plan_unref(launch->plan);
    cup_graph_exec_unref(launch->exec);
    free(launch);
}

static bool lives_on(const struct cup_graph_exec_allocation *allocation)
{
    return allocation->size_bytes && !allocation->is_freed;
}

/* Allocations of the last launch must have been freed, unless AUTO_FREE_ON_LAUNCH is set;
 * allocations that this launch frees must exist. */
static CUresult check_allocations(const struct CUgraphExec_st *exec)
{
    bool frees = exec->flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;

    for (size_t i = 0; i < exec->allocation_count; i++) {
        const struct cup_graph_exec_allocation *each = &exec->allocations[i];
        bool is_alive = cup_graphmem_block_is_alive(each->block);
        if (each->size_bytes == 0 ? !is_alive : is_alive && !frees)
            return cup_error(CUDA_ERROR_INVALID_VALUE, "an allocation of the graph at 0x%llx is %s",
                             (unsigned long long)cup_graphmem_block_address(each->block),
                             is_alive ? "not freed yet" : "not allocated, but freed by the graph");
    }
    return CUDA_SUCCESS;
}

static CUresult check_nodes(const struct cup_plan *plan)
{
    CUresult result = CUDA_SUCCESS;

    for (uint32_t i = 0; plan->checks_launches && i < plan->count && result == CUDA_SUCCESS; i++) {
        const struct cup_node_params *params = plan->nodes[i].params;
        if (params && params->type->check_launch && plan->nodes[i].is_enabled)
            result = params->type->check_launch(params);
    }
    return result;
}

/* Backs all allocations with memory until the launch ends. */
static CUresult begin_memories(struct CUgraphExec_st *exec, struct cup_graph_launch *launch)
{
    CUresult result = CUDA_SUCCESS;

    if (exec->allocation_count == 0)
        return CUDA_SUCCESS;
    launch->memories = calloc(exec->allocation_count, sizeof(struct cup_graphmem *));
    if (!launch->memories)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a launch");
    for (size_t i = 0; i < exec->allocation_count && result == CUDA_SUCCESS; i++) {
        struct cup_graphmem *memory = cup_graphmem_block_memory(exec->allocations[i].block);
        result = cup_graphmem_begin(memory, launch->stream);
        if (result != CUDA_SUCCESS)
            break;
        cup_graphmem_ref(memory);
        launch->memories[launch->memory_count++] = memory;
    }
    return result;
}

static void settle_allocations(const struct CUgraphExec_st *exec)
{
    for (size_t i = 0; i < exec->allocation_count; i++) {
        const struct cup_graph_exec_allocation *each = &exec->allocations[i];
        if (each->size_bytes == 0 || cup_graphmem_block_is_alive(each->block))
            cup_graphmem_block_free(each->block);
    }
    for (size_t i = 0; i < exec->allocation_count; i++) {
        if (lives_on(&exec->allocations[i]))
            cup_graphmem_block_allocate(exec->allocations[i].block,
                                        exec->allocations[i].size_bytes);
    }
}

/* Creates the streams in which the points of event recordings lie. */
static CUresult make_promises(struct cup_plan *plan)
{
    CUresult result = CUDA_SUCCESS;

    for (uint32_t i = 0; plan->event_count && i < plan->count && result == CUDA_SUCCESS; i++) {
        struct cup_plan_node *node = &plan->nodes[i];
        if (!node->params || node->params->type->id != CU_GRAPH_NODE_TYPE_EVENT_RECORD ||
            !node->job || node->promises)
            continue;
        const struct CUevent_st *event = (const struct CUevent_st *)node->params->object;
        result = cup_stream_create(event->context, CUP_STREAM_LANE, CU_STREAM_NON_BLOCKING,
                                   CUP_PRIORITY_LEAST, &node->promises);
    }
    return result;
}

/* Event waits wait for the recordings before this launch, not for those of this launch. */
static void note_waits(const struct cup_plan *plan, struct cup_graph_launch *launch)
{
    for (uint32_t i = 0; plan->wait_count && i < plan->count; i++) {
        const struct cup_plan_node *node = &plan->nodes[i];
        if (!node->job || node->params->type->id != CU_GRAPH_NODE_TYPE_WAIT_EVENT)
            continue;
        struct CUevent_st *event = (struct CUevent_st *)node->params->object;
        launch->waits[node->event] = cup_event_point(event);
        cup_check_stream_waits_event(launch->stream, event, launch->waits[node->event].stream);
    }
}

static void promise_events(struct cup_plan *plan, struct cup_graph_launch *launch,
                           struct cup_point behind)
{
    for (uint32_t i = 0; plan->event_count && i < plan->count; i++) {
        struct cup_plan_node *node = &plan->nodes[i];
        if (!node->promises || !node->job)
            continue;
        struct cup_point point = {node->promises, cup_stream_promise(node->promises, behind)};
        cup_event_promise((struct CUevent_st *)node->params->object, point,
                          &launch->events[node->event]);
    }
}

/* CUPIPE_CHECK=streams: a recording comes after the whole launch, to keep it simple. */
static void order_events(struct cup_plan *plan, struct CUstream_st *stream)
{
    for (uint32_t i = 0; plan->event_count && i < plan->count; i++) {
        if (plan->nodes[i].promises && plan->nodes[i].job)
            cup_check_event_recorded((struct CUevent_st *)plan->nodes[i].params->object, stream);
    }
}

/* The launch failed: fulfils the promised recordings, so that nothing waits for them. */
static void break_promises(struct cup_plan *plan)
{
    for (uint32_t i = 0; plan->event_count && i < plan->count; i++) {
        if (plan->nodes[i].promises && plan->nodes[i].job)
            cup_stream_fulfil(plan->nodes[i].promises);
    }
}

static CUresult launch_create(struct CUgraphExec_st *exec, struct CUstream_st *stream,
                              struct cup_graph_launch **launch)
{
    struct cup_plan *plan = exec->plan;
    struct cup_graph_launch *made =
        calloc(1, sizeof(*made) + plan->event_count * sizeof(made->events[0]));

    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a launch");
    made->base.kind = CUP_JOB_GRAPH;
    made->base.name = "graph";
    made->base.has_host_work = plan->has_host_work;
    made->base.run = cup_plan_launch_run;
    made->base.release = launch_release;
    if (plan->wait_count) {
        made->waits = calloc(plan->wait_count, sizeof(*made->waits));
        if (!made->waits) {
            free(made);
            return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a launch");
        }
    }
    made->plan = plan;
    cup_plan_ref(plan);
    made->stream = stream;
    made->exec = exec;
    cup_object_ref(&exec->base);
    *launch = made;
    return CUDA_SUCCESS;
}

/* Submits the launch after the last one, whatever stream that was in. */
static CUresult submit_locked(struct CUgraphExec_st *exec, struct CUstream_st *stream,
                              struct cup_graph_launch *launch, struct cup_awaited *awaited)
{
    cup_lock_assert_held(&exec->lock);
    struct cup_point point;
    CUresult result = CUDA_SUCCESS;

    if (exec->last.stream && exec->last.stream != stream)
        cup_check_stream_waits_stream(stream, exec->last.stream);
    if (exec->last.stream && exec->last.stream != stream)
        result = cup_stream_wait_point(stream, exec->last);
    if (result == CUDA_SUCCESS)
        result = cup_awaited_begin(awaited, exec->plan, launch);
    if (result != CUDA_SUCCESS) {
        launch_release(&launch->base);
        return result;
    }
    settle_allocations(exec);
    note_waits(exec->plan, launch);
    promise_events(exec->plan, launch, (struct cup_point){stream, UINT64_MAX});
    cup_plan_ref(exec->plan);
    result = cup_stream_submit(stream, &launch->base, &point);
    if (result == CUDA_SUCCESS)
        order_events(exec->plan, stream);
    cup_plan_unref(exec->plan);
    if (result != CUDA_SUCCESS) {
        break_promises(exec->plan);
        cup_awaited_break(awaited);
        return result;
    }
    awaited->end = point;
    if (exec->last.stream != stream) {
        cup_stream_ref(stream);
        if (exec->last.stream)
            cup_stream_unref(exec->last.stream);
    }
    exec->last = point;
    return CUDA_SUCCESS;
}

CUresult cup_graph_exec_launch(struct CUgraphExec_st *exec, struct CUstream_st *stream)
{
    struct cup_graph_launch *launch;
    struct cup_awaited awaited = {0};

    cup_lock_acquire(&exec->lock);
    CUresult result = check_nodes(exec->plan);
    if (result == CUDA_SUCCESS)
        result = check_allocations(exec);
    if (result == CUDA_SUCCESS)
        result = make_promises(exec->plan);
    if (result == CUDA_SUCCESS)
        result = launch_create(exec, stream, &launch);
    if (result == CUDA_SUCCESS) {
        result = begin_memories(exec, launch);
        if (result == CUDA_SUCCESS)
            result = submit_locked(exec, stream, launch, &awaited);
        else
            launch_release(&launch->base);
    }
    cup_lock_release(&exec->lock);
    cup_awaited_wait(&awaited);
    return result;
}

/* Uploading makes sure that the allocations have memory. */
CUresult cup_graph_exec_upload(struct CUgraphExec_st *exec)
{
    CUresult result = CUDA_SUCCESS;
    size_t begun = 0;

    cup_lock_acquire(&exec->lock);
    while (begun < exec->allocation_count && result == CUDA_SUCCESS) {
        result =
            cup_graphmem_begin(cup_graphmem_block_memory(exec->allocations[begun].block), NULL);
        begun += result == CUDA_SUCCESS;
    }
    for (size_t i = 0; i < begun; i++)
        cup_graphmem_end(cup_graphmem_block_memory(exec->allocations[i].block));
    cup_lock_release(&exec->lock);
    return result;
}
