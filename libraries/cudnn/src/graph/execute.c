/* SPDX-License-Identifier: MIT */
/* A plan runs as one work of the handle's stream. The work owns a reference to the graph, the
 * addresses of the variant pack, and copies of the tensors that are passed by value. */
#include "driver.h"
#include "frame.h"
#include "operation.h"
#include "peers.h"
#include "plan.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct execution {
    struct graph_content *graph;
    struct graph_binding bindings[];
};

static void release(void *arguments)
{
    struct execution *execution = arguments;

    graph_content_unref(execution->graph);
    free(execution);
}

static CUresult run(void *arguments)
{
    const struct execution *execution = arguments;

    return graph_frame_run(graph_program_of(execution->graph), execution->bindings);
}

/* One run that waits for other devices. */
struct meeting {
    struct execution *execution;
    struct cupipe_pending *pending;
};

static void *meet(void *arguments)
{
    struct meeting meeting = *(struct meeting *)arguments;

    free(arguments);
    lib_driver()->cupipe->finish_work(meeting.pending, run(meeting.execution));
    return NULL;
}

/* A thread of its own waits, so that streams of the other devices find workers. */
static void begin_meeting(void *data, struct cupipe_pending *pending)
{
    struct meeting *meeting = malloc(sizeof(*meeting));
    pthread_t thread;

    if (meeting)
        *meeting = (struct meeting){data, pending};
    if (!meeting || pthread_create(&thread, NULL, meet, meeting)) {
        free(meeting);
        lib_driver()->cupipe->finish_work(pending, CUDA_ERROR_OUT_OF_MEMORY);
        return;
    }
    pthread_detach(thread);
}

static cudnnStatus_t submit_meeting(cudnnHandle_t handle, const char *name,
                                    const struct cupipe_range *ranges, size_t count,
                                    struct execution *execution)
{
    const struct cupipe_pending_work work = {
        .work = {.name = name,
                 .release = release,
                 .data = execution,
                 .ranges = ranges,
                 .range_count = count,
                 .checks_access = 1},
        .begin = begin_meeting,
    };

    if (lib_driver()->cupipe->launch_pending_work(handle->stream, &work) == CUDA_SUCCESS)
        return CUDNN_STATUS_SUCCESS;
    release(execution);
    return CUDNN_STATUS_EXECUTION_FAILED;
}

static void *pointer_of(const struct graph_content *pack, int64_t uid)
{
    int64_t count = graph_count(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);

    for (int64_t i = 0; i < count; i++)
        if (graph_integer(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, i, 0) == uid)
            return (void *)(uintptr_t)graph_integer(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, i,
                                                    0);
    return NULL;
}

static cudnnStatus_t bind(const struct graph_program *program, const struct graph_content *pack,
                          struct graph_binding *bindings)
{
    for (size_t i = 0; i < program->slot_count; i++) {
        const struct graph_tensor *tensor = program->slots[i].tensor;

        if (tensor->is_virtual)
            continue;
        bindings[i].address = pointer_of(pack, tensor->uid);
        if (!bindings[i].address && dnn_count(&tensor->view))
            return dnn_error(CUDNN_STATUS_BAD_PARAM_NULL_POINTER,
                             "the variant pack has no pointer for the tensor %lld",
                             (long long)tensor->uid);
        if (tensor->by_value)
            memcpy(bindings[i].value, bindings[i].address, dnn_type_bytes(tensor->view.type));
    }
    return CUDNN_STATUS_SUCCESS;
}

static size_t list_ranges(const struct graph_program *program, const struct graph_binding *bindings,
                          struct cupipe_range *ranges)
{
    size_t count = 0;

    for (size_t i = 0; i < program->slot_count; i++) {
        const struct graph_slot *slot = &program->slots[i];
        size_t bytes = graph_tensor_bytes(slot->tensor);

        if (slot->tensor->is_virtual || slot->tensor->by_value)
            continue;
        ranges[count] = slot->writer == GRAPH_NOBODY ? lib_read(bindings[i].address, bytes)
                                                     : lib_written(bindings[i].address, bytes);
        ranges[count] = lib_partly(ranges[count]);
        count++;
    }
    return count;
}

static cudnnStatus_t check_arguments(cudnnHandle_t handle, const struct graph_descriptor *plan,
                                     const struct graph_descriptor *pack)
{
    if (!dnn_is_handle(handle) || !plan || !pack)
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "not a handle, a plan or a variant pack");
    if (plan->content->kind->type != CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR ||
        pack->content->kind->type != CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR)
        return dnn_error(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED, "not a plan and a variant pack");
    if (!plan->content->finalized || !pack->content->finalized)
        return dnn_error(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED,
                         "the plan or the variant pack is not finalised");
    return CUDNN_STATUS_SUCCESS;
}

/* Submits the plan to the handle's stream. */
static cudnnStatus_t submit(cudnnHandle_t handle, const char *name, struct graph_content *plan,
                            const struct graph_content *pack)
{
    struct graph_content *graph = graph_plan_graph(plan);
    const struct graph_program *program = graph_program_of(graph);
    struct execution *execution =
        calloc(1, sizeof(*execution) + program->slot_count * sizeof(execution->bindings[0]));
    struct cupipe_range *ranges = calloc(program->slot_count, sizeof(*ranges));
    cudnnStatus_t status;
    size_t count;

    if (!execution || !ranges) {
        free(ranges);
        free(execution);
        return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    }
    status = bind(program, pack, execution->bindings);
    if (status != CUDNN_STATUS_SUCCESS) {
        free(ranges);
        free(execution);
        return status;
    }
    execution->graph = graph_content_ref(graph);
    count = list_ranges(program, execution->bindings, ranges);
    if (graph_has_peers(program)) {
        graph_peers_turn(program, execution->bindings);
        status = submit_meeting(handle, name, ranges, count, execution);
        free(ranges);
        return status;
    }
    status = dnn_submit_owned(handle, name, program->nanoseconds, ranges, count, run, release,
                              execution);
    free(ranges);
    return status;
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t executionPlan,
                                  cudnnBackendDescriptor_t variantPack)
{
    struct graph_descriptor *plan = graph_descriptor_of(executionPlan);
    struct graph_descriptor *pack = graph_descriptor_of(variantPack);
    cudnnStatus_t status = check_arguments(handle, plan, pack);

    if (status != CUDNN_STATUS_SUCCESS)
        return status;
    return submit(handle, "cudnnBackendExecute", plan->content, pack->content);
}

/* Adds the work to a graph of CUDA by capturing it from a stream of our own. */
static cudnnStatus_t add_to_graph(const char *name, struct graph_content *plan,
                                  const struct graph_content *pack, CUgraph graph)
{
    const struct lib_driver *driver = lib_driver();
    struct cudnnContext own = {0};
    cudnnStatus_t status;
    CUgraph captured;

    if (driver->stream_create(&own.stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
        return CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER;
    if (driver->stream_begin_capture_to_graph(own.stream, graph, NULL, NULL, 0,
                                              CU_STREAM_CAPTURE_MODE_RELAXED) != CUDA_SUCCESS) {
        driver->stream_destroy(own.stream);
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "not a graph");
    }
    status = submit(&own, name, plan, pack);
    if (driver->stream_end_capture(own.stream, &captured) != CUDA_SUCCESS &&
        status == CUDNN_STATUS_SUCCESS)
        status = CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER;
    driver->stream_destroy(own.stream);
    return status;
}

cudnnStatus_t cudnnBackendPopulateCudaGraph(cudnnHandle_t handle,
                                            cudnnBackendDescriptor_t executionPlan,
                                            cudnnBackendDescriptor_t variantPack, cudaGraph_t graph)
{
    struct graph_descriptor *plan = graph_descriptor_of(executionPlan);
    struct graph_descriptor *pack = graph_descriptor_of(variantPack);
    cudnnStatus_t status = check_arguments(handle, plan, pack);

    if (status == CUDNN_STATUS_SUCCESS && !graph)
        status = dnn_error(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "graph is NULL");
    if (status != CUDNN_STATUS_SUCCESS)
        return status;
    return add_to_graph("cudnnBackendPopulateCudaGraph", plan->content, pack->content,
                        (CUgraph)graph);
}

/* The nodes of the graph, which cudnnBackendPopulateCudaGraph() made, give way to new ones. */
static cudnnStatus_t empty_graph(CUgraph graph)
{
    const struct lib_driver *driver = lib_driver();
    size_t count = 0;
    CUgraphNode *nodes;
    CUresult result = driver->graph_get_nodes(graph, NULL, &count);

    if (result != CUDA_SUCCESS || !count)
        return dnn_error(CUDNN_STATUS_BAD_PARAM_CUDA_GRAPH_MISMATCH, "not a graph of this plan");
    nodes = calloc(count, sizeof(*nodes));
    if (!nodes)
        return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    result = driver->graph_get_nodes(graph, nodes, &count);
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++)
        result = driver->graph_destroy_node(nodes[i]);
    free(nodes);
    return result == CUDA_SUCCESS ? CUDNN_STATUS_SUCCESS
                                  : CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER;
}

cudnnStatus_t cudnnBackendUpdateCudaGraph(cudnnHandle_t handle,
                                          cudnnBackendDescriptor_t executionPlan,
                                          cudnnBackendDescriptor_t variantPack, cudaGraph_t graph)
{
    struct graph_descriptor *plan = graph_descriptor_of(executionPlan);
    struct graph_descriptor *pack = graph_descriptor_of(variantPack);
    cudnnStatus_t status = check_arguments(handle, plan, pack);

    if (status == CUDNN_STATUS_SUCCESS && !graph)
        status = dnn_error(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "graph is NULL");
    if (status == CUDNN_STATUS_SUCCESS)
        status = empty_graph((CUgraph)graph);
    if (status != CUDNN_STATUS_SUCCESS)
        return status;
    return add_to_graph("cudnnBackendUpdateCudaGraph", plan->content, pack->content,
                        (CUgraph)graph);
}
