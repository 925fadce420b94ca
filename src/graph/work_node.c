/* SPDX-License-Identifier: MIT */
/* Work as a node of a graph, with the parameters of the call. */
#include "core/error.h"
#include "device/context.h"
#include "graph/capture_state.h"
#include "graph/host_work.h"
#include "graph/node.h"
#include "graph/work_submit.h"
#include "module/launch.h"
#include "os/guard.h"

CUresult cup_work_node(const CUgraphNodeParams *given, struct cup_captured_work *captured)
{
    captured->kind = CUP_CAPTURED_NODE;
    return cup_node_params_make(given, CUP_NODE_SPECIFIC, &captured->params);
}

CUresult cup_work_node_host_work(struct CUuserObject_st *object, struct cup_captured_work *captured)
{
    CUgraphNodeParams node = {
        .type = CU_GRAPH_NODE_TYPE_HOST,
        .host = {.fn = cup_graph_host_work_call, .userData = object},
    };

    return cup_work_node(&node, captured);
}

CUresult cup_work_node_fill(const CUgraphNodeParams *given, struct cup_captured_work *captured)
{
    if (given->memset.dst)
        return cup_work_node(given, captured);
    captured->kind = CUP_CAPTURED_NODE;
    captured->params = cup_node_params_create(&cup_node_memset, given, 0);
    if (!captured->params)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
    captured->params->context = given->memset.ctx;
    cup_context_ref(given->memset.ctx);
    return CUDA_SUCCESS;
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

CUresult cup_work_node_launch(struct CUstream_st *stream, struct CUfunc_st *function,
                              CUkernel kernel, const struct cup_launch_shape *shape,
                              const struct cup_launch_arguments *arguments,
                              struct cup_captured_work *captured)
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
    captured->kind = CUP_CAPTURED_NODE;
    captured->params = params;
    captured->overlaps = shape->programmatic;
    return CUDA_SUCCESS;
}
