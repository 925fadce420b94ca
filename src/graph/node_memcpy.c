/* SPDX-License-Identifier: MIT */
/* Copy nodes. They are validated like a copy that runs now; other failures are found when the graph
 * runs. */
#include "core/error.h"
#include "device/context.h"
#include "graph/node.h"
#include "graph/plan.h"
#include "image/copy_box.h"
#include "memory/copy.h"
#include "memory/graph_memory.h"
#include "stream/stream.h"

#include <stdlib.h>

static CUresult resolve(const CUDA_MEMCPY3D *box, struct cup_copy_endpoint *to,
                        struct cup_copy_endpoint *from)
{
    cup_graphmem_reveal();
    CUresult result = cup_array_copy_box(box, to, from);
    cup_graphmem_conceal();
    return result;
}

static CUresult check(const CUDA_MEMCPY_NODE_PARAMS *given)
{
    const CUDA_MEMCPY3D *copy = &given->copyParams;
    struct cup_copy_endpoint to, from;

    if (given->flags || given->reserved)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "flags or reserved fields are not zero");
    if (copy->WidthInBytes == 0 || copy->Height == 0 || copy->Depth == 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a copy node must copy at least one byte");
    return resolve(copy, &to, &from);
}

static CUresult memcpy_make(const CUgraphNodeParams *given, struct cup_node_params **params)
{
    struct CUctx_st *context;
    CUresult result = cup_node_context(given->memcpy.copyCtx, &context);

    if (result != CUDA_SUCCESS)
        return result;
    result = check(&given->memcpy);
    if (result == CUDA_SUCCESS) {
        *params = cup_node_params_create(&cup_node_memcpy, given, 0);
        if (!*params)
            result = cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
    }
    if (result == CUDA_SUCCESS)
        (*params)->context = context;
    else if (context)
        cup_context_unref(context);
    return result;
}

static CUresult memcpy_plan(struct cup_plan_node *node)
{
    const CUDA_MEMCPY3D *box = &node->params->given.memcpy.copyParams;
    struct cup_extent extent = {box->WidthInBytes, box->Height, box->Depth};
    struct cup_copy_job *job = cup_plan_job_place(node, sizeof(*job));
    struct cup_copy_endpoint to, from;

    if (!job)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a copy");
    CUresult result = resolve(box, &to, &from);
    if (result != CUDA_SUCCESS) {
        cup_plan_job_free(node, job);
        return result;
    }
    struct cup_copy copy = cup_copy_endpoint_copy(&to, &from, &extent);
    cup_copy_job_init(job, &copy);
    node->job = &job->base;
    if (cup_array_copy_check_blocks(&to, &from) != CUDA_SUCCESS)
        node->plan->checks_launches = true;
    /* A launch waits for the copies for which an asynchronous call in a stream waits. */
    node->is_awaited = cup_copy_endpoint_mode(true, &to, &from) == CUP_COPY_WAIT;
    node->plan->has_awaited |= node->is_awaited;
    return CUDA_SUCCESS;
}

static CUresult memcpy_check_launch(const struct cup_node_params *params)
{
    struct cup_copy_endpoint to, from;
    CUresult result = resolve(&params->given.memcpy.copyParams, &to, &from);

    return result == CUDA_SUCCESS ? cup_array_copy_check_blocks(&to, &from) : result;
}

static void memcpy_after(struct cup_plan_node *node)
{
    struct cup_graph_launch *launch = node->plan->launch;

    if (node->is_awaited && launch->plan == node->plan && launch->awaited)
        cup_stream_fulfil(launch->awaited);
}

static void memcpy_unplan(struct cup_plan_node *node)
{
    cup_plan_job_free(node, node->job);
}

static size_t memcpy_job_bytes(const struct cup_node_params *params)
{
    (void)params;
    return sizeof(struct cup_copy_job);
}

static bool is_linear(const CUDA_MEMCPY3D *copy)
{
    return copy->Height == 1 && copy->Depth == 1;
}

static CUdeviceptr address_of(CUmemorytype type, CUdeviceptr device, const void *host)
{
    return type == CU_MEMORYTYPE_HOST    ? (CUdeviceptr)(uintptr_t)host
           : type == CU_MEMORYTYPE_ARRAY ? 0
                                         : device;
}

static bool same_places(const CUDA_MEMCPY3D *from, const CUDA_MEMCPY3D *to)
{
    CUdeviceptr old_source = address_of(from->srcMemoryType, from->srcDevice, from->srcHost);
    CUdeviceptr source = address_of(to->srcMemoryType, to->srcDevice, to->srcHost);

    return cup_node_same_owner(old_source, source) && cup_node_same_device(old_source, source) &&
           cup_node_same_device(address_of(from->dstMemoryType, from->dstDevice, from->dstHost),
                                address_of(to->dstMemoryType, to->dstDevice, to->dstHost));
}

/* A one-dimensional copy may become another one between memories of the same types; other copies
 * may only change their addresses. Operands stay on their devices, and the source is of the same
 * context. */
static CUgraphExecUpdateResult memcpy_update(const struct cup_node_params *old,
                                             const struct cup_node_params *made)
{
    const CUDA_MEMCPY3D *from = &old->given.memcpy.copyParams, *to = &made->given.memcpy.copyParams;
    bool same_box = from->WidthInBytes == to->WidthInBytes && from->Height == to->Height &&
                    from->Depth == to->Depth;
    bool has_array =
        to->srcMemoryType == CU_MEMORYTYPE_ARRAY || to->dstMemoryType == CU_MEMORYTYPE_ARRAY;

    if (from->srcMemoryType != to->srcMemoryType || from->dstMemoryType != to->dstMemoryType ||
        (!same_box && (!is_linear(from) || !is_linear(to) || has_array)) || !same_places(from, to))
        return CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
    return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

const struct cup_node_type cup_node_memcpy = {
    .id = CU_GRAPH_NODE_TYPE_MEMCPY,
    .name = "MEMCPY",
    .params_bytes = sizeof(CUDA_MEMCPY_NODE_PARAMS),
    .make = memcpy_make,
    .plan = memcpy_plan,
    .unplan = memcpy_unplan,
    .after = memcpy_after,
    .job_bytes = memcpy_job_bytes,
    .check_launch = memcpy_check_launch,
    .update = memcpy_update,
    .runs_in_bodies = true,
    .runs_from_device = true,
    .can_be_disabled = true,
};
