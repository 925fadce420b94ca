/* SPDX-License-Identifier: MIT */
/* Work submitted to a capturing stream: becomes a node after the tail of the stream's branch, with
 * the parameters of the call. */
#include "core/error.h"
#include "device/context.h"
#include "graph/capture.h"
#include "graph/capture_state.h"
#include "graph/node.h"
#include "module/launch.h"
#include "os/guard.h"
#include "stream/stream.h"

#include <stdlib.h>

/* The edge to a launch that may begin before the preceding kernel has ended. */
static const CUgraphEdgeData programmatic = {.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC,
                                             .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC};

static CUresult copy_tail(const struct cup_capture_tail *tail, bool overlaps,
                          struct cup_edge **edges)
{
    *edges = calloc(tail->count + 1, sizeof(**edges));
    if (!*edges)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
    for (size_t i = 0; i < tail->count; i++) {
        bool is_kernel = tail->nodes[i]->params->type == &cup_node_kernel;
        (*edges)[i] = (struct cup_edge){
            tail->nodes[i], overlaps && is_kernel && cup_edge_data_is_default(&tail->edges.list[i])
                                ? programmatic
                                : tail->edges.list[i]};
    }
    return CUDA_SUCCESS;
}

/* Makes the node the tail of the branch. */
static CUresult advance_locked(struct cup_capture_branch *branch, struct CUgraphNode_st *node)
{
    const CUgraphEdgeData plain = {0};
    struct cup_capture_tail tail = {0};
    CUresult result = cup_capture_tail_add(&tail, node, &plain);

    if (result == CUDA_SUCCESS) {
        cup_capture_tail_finish(&branch->tail);
        branch->tail = tail;
    }
    return result;
}

/* Adds a node, or finds the node that the work has in a graph that is captured again. */
static CUresult add_or_find_locked(struct CUstream_st *stream, const struct cup_edge *edges,
                                   struct cup_node_params *params, struct CUgraphNode_st **node,
                                   struct cup_node_params **replaced)
{
    struct cup_capture_branch *branch = stream->branch;
    struct cup_capture *capture = branch->capture;

    if (capture->recapture.is_active)
        return cup_recapture_locked(stream, edges, branch->tail.count, params, node, replaced);
    cup_node_params_ref(params); /* the node's reference */
    CUresult result =
        cup_graph_add_captured_locked(capture->graph, edges, branch->tail.count, params, node);
    if (result != CUDA_SUCCESS)
        cup_node_params_unref(params);
    return result;
}

/* *replaced: a reference for the caller to drop without the lock, or NULL. */
static CUresult add_locked(struct CUstream_st *stream, struct cup_node_params *params,
                           bool overlaps, CUdeviceptr *address, struct cup_node_params **replaced)
{
    struct cup_capture_branch *branch = stream->branch;
    struct CUgraphNode_st *node;
    struct cup_edge *edges;

    if (!branch)
        return CUP_STREAM_NOT_CAPTURING;
    if (branch->capture->graph->is_gone)
        cup_capture_invalidate_locked(branch->capture, stream, "its graph was destroyed");
    if (branch->capture->is_invalid)
        return cup_error(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "the capture is invalid");
    CUresult result = copy_tail(&branch->tail, overlaps, &edges);
    if (result != CUDA_SUCCESS)
        return result;
    result = add_or_find_locked(stream, edges, params, &node, replaced);
    free(edges);
    if (result != CUDA_SUCCESS)
        return result;
    node->unjoined_in = branch == branch->capture->origin ? 0 : branch->number;
    if (address)
        *address = node->params->given.alloc.dptr;
    result = advance_locked(branch, node);
    if (result != CUDA_SUCCESS)
        cup_capture_invalidate_locked(branch->capture, stream, "out of memory");
    return result;
}

/* Consumes the reference on params. */
static CUresult add(struct CUstream_st *stream, struct cup_node_params *params, bool overlaps,
                    CUdeviceptr *address)
{
    struct cup_node_params *replaced = NULL;

    cup_lock_acquire(&cup_graph_lock);
    CUresult result = add_locked(stream, params, overlaps, address, &replaced);
    cup_lock_release(&cup_graph_lock);
    cup_node_params_unref(params);
    if (replaced)
        cup_node_params_unref(replaced);
    return result;
}

CUresult cup_capture_allocate(struct CUstream_st *stream, const CUgraphNodeParams *given,
                              CUdeviceptr *address)
{
    struct cup_node_params *params;
    CUresult result = cup_node_params_make(given, &params);

    return result == CUDA_SUCCESS ? add(stream, params, false, address) : result;
}

CUresult cup_capture_add(struct CUstream_st *stream, const CUgraphNodeParams *given)
{
    return cup_capture_allocate(stream, given, NULL);
}

CUresult cup_capture_fill(struct CUstream_st *stream, const CUDA_MEMSET_NODE_PARAMS *given)
{
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_MEMSET,
                                .memset = {.dst = given->dst,
                                           .pitch = given->pitch,
                                           .value = given->value,
                                           .elementSize = given->elementSize,
                                           .width = given->width,
                                           .height = given->height,
                                           .ctx = stream->context}};

    if (given->dst)
        return cup_capture_add(stream, &params);
    struct cup_node_params *made = cup_node_params_create(&cup_node_memset, &params, 0);
    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
    made->context = stream->context;
    cup_context_ref(made->context);
    return add(stream, made, false, NULL);
}

/* The handle of a node that a device can update is an output of the launch's attribute. */
static void return_handle(const CUlaunchAttribute *attribute, const struct cup_node_params *params)
{
    CUgraphDeviceNode handle = (CUgraphDeviceNode)(uintptr_t)params->attributes.device_node;
    CUlaunchAttribute *out = (CUlaunchAttribute *)(uintptr_t)attribute;

    if (attribute->id == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE)
        (void)cup_guard_copy(&out->value.deviceUpdatableKernelNode.devNode, &handle,
                             sizeof(handle));
}

/* Copies the launch attributes that kernel nodes have; others are dropped. */
static void set_attributes(struct cup_node_params **params, const struct cup_launch_shape *shape)
{
    struct cup_node_kernel_attributes *attributes = &(*params)->attributes;

    attributes->cooperative = shape->cooperative;
    attributes->cluster_mode = shape->cluster_mode;
    attributes->shared_mode = shape->shared_mode;
    for (unsigned i = 0; shape->cluster_set && i < 3; i++)
        attributes->cluster[i] = shape->cluster[i];
    for (unsigned i = 0; i < shape->attribute_count; i++) {
        const CUlaunchAttribute *each = &shape->attributes[i];
        struct cup_node_params *changed;
        if (cup_node_kernel_attribute_set(*params, each->id, &each->value, &changed) !=
            CUDA_SUCCESS)
            continue;
        cup_node_params_unref(*params);
        *params = changed;
        return_handle(each, changed);
    }
}

/* A launch whose shape is refused makes the capture invalid. */
static CUresult check_shape(struct CUstream_st *stream, const struct CUfunc_st *function,
                            const struct cup_launch_shape *shape)
{
    struct cup_launch_shape checked = *shape;
    CUresult result = cup_launch_check(function, &checked);

    if (result == CUDA_SUCCESS)
        return result;
    cup_lock_acquire(&cup_graph_lock);
    if (stream->branch)
        cup_capture_invalidate_locked(stream->branch->capture, stream, "a launch was refused");
    cup_lock_release(&cup_graph_lock);
    return result;
}

static CUresult check_arguments(const struct CUfunc_st *function,
                                const struct cup_launch_arguments *arguments)
{
    uint8_t buffer[CUP_PARAMETER_BYTES_MAX + 4] __attribute__((aligned(16)));

    return cup_launch_gather(function, arguments, buffer);
}

CUresult cup_capture_launch(struct CUstream_st *stream, struct CUfunc_st *function, CUkernel kernel,
                            const struct cup_launch_shape *shape,
                            const struct cup_launch_arguments *arguments)
{
    size_t laid_out_bytes = arguments->laid_out_bytes;
    void *laid_out[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, (void *)(uintptr_t)arguments->laid_out,
                        CU_LAUNCH_PARAM_BUFFER_SIZE, &laid_out_bytes, CU_LAUNCH_PARAM_END};
    CUgraphNodeParams given = {
        .type = CU_GRAPH_NODE_TYPE_KERNEL,
        .kernel = {.func = kernel ? NULL : function,
                   .kern = kernel,
                   .ctx = stream->context,
                   .gridDimX = shape->grid[0],
                   .gridDimY = shape->grid[1],
                   .gridDimZ = shape->grid[2],
                   .blockDimX = shape->block[0],
                   .blockDimY = shape->block[1],
                   .blockDimZ = shape->block[2],
                   .sharedMemBytes = shape->shared_bytes,
                   .kernelParams = arguments->pointers,
                   .extra = arguments->pointers ? NULL : arguments->extra},
    };
    struct cup_node_params *params;

    if (function->module->context != stream->context)
        return cup_error(CUDA_ERROR_INVALID_HANDLE,
                         "the function belongs to another context than the stream");
    if (arguments->laid_out && !given.kernel.extra && !given.kernel.kernelParams)
        given.kernel.extra = laid_out;
    CUresult result = check_arguments(function, arguments);
    if (result == CUDA_SUCCESS)
        result = check_shape(stream, function, shape);
    if (result == CUDA_SUCCESS)
        result = cup_node_kernel_make(&given, shape->shared_mode, &params);
    if (result != CUDA_SUCCESS)
        return result;
    params->attributes.priority = atomic_load(&stream->priority);
    set_attributes(&params, shape);
    return add(stream, params, shape->programmatic, NULL);
}
