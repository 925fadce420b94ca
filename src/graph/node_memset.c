/* SPDX-License-Identifier: MIT */
/* Fill nodes. */
#include "core/error.h"
#include "device/context.h"
#include "device/device.h"
#include "graph/node.h"
#include "graph/plan.h"
#include "memory/fill.h"
#include "memory/graph_memory.h"
#include "memory/map.h"

#include <stdlib.h>

/* The byte count of a row is taken modulo 2^64, as for cuMemset. */
static struct cup_fill fill_of(const CUDA_MEMSET_NODE_PARAMS_v2 *given)
{
    return (struct cup_fill){
        .destination = given->dst,
        .width_bytes = given->width * given->elementSize,
        .height = given->height,
        .row = given->height > 1 ? given->pitch : 0,
        .value = given->value,
        .element_bytes = given->elementSize,
    };
}

static CUresult check(const CUDA_MEMSET_NODE_PARAMS_v2 *given, const struct cup_device *device)
{
    unsigned size = given->elementSize;
    struct cup_fill fill = fill_of(given);
    struct cup_span found;

    if ((size != 1 && size != 2 && size != 4) || given->width == 0 || given->height == 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid fill of %zu x %zu elements of %u bytes",
                         given->width, given->height, size);
    cup_graphmem_reveal();
    CUresult result = cup_fill_check(&fill, device, &found);
    cup_graphmem_conceal();
    return result;
}

static CUresult memset_make(const CUgraphNodeParams *given, struct cup_node_params **params)
{
    struct CUctx_st *context;
    CUresult result = cup_node_context(given->memset.ctx, &context);

    if (result != CUDA_SUCCESS)
        return result;
    result = check(&given->memset, context ? context->device : cup_device_get(0));
    if (result == CUDA_SUCCESS) {
        *params = cup_node_params_create(&cup_node_memset, given, 0);
        if (!*params)
            result = cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
    }
    if (result == CUDA_SUCCESS)
        (*params)->context = context;
    else if (context)
        cup_context_unref(context);
    return result;
}

static CUresult memset_plan(struct cup_plan_node *node)
{
    const struct CUctx_st *context = node->params->context;
    const CUDA_MEMSET_NODE_PARAMS_v2 *given = &node->params->given.memset;
    CUresult result = check(given, context ? context->device : cup_device_get(0));
    struct cup_fill_job *job;

    if (result != CUDA_SUCCESS)
        return result;
    job = cup_plan_job_place(node, sizeof(*job));
    if (!job)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a fill");
    struct cup_fill fill = fill_of(given);
    cup_fill_job_init(job, &fill);
    node->job = &job->base;
    return CUDA_SUCCESS;
}

static void memset_unplan(struct cup_plan_node *node)
{
    cup_plan_job_free(node, node->job);
}

static size_t memset_job_bytes(const struct cup_node_params *params)
{
    (void)params;
    return sizeof(struct cup_fill_job);
}

/* A two-dimensional fill may only change its address and value, and no fill the context of its
 * memory. */
static CUgraphExecUpdateResult memset_update(const struct cup_node_params *old,
                                             const struct cup_node_params *made)
{
    const CUDA_MEMSET_NODE_PARAMS_v2 *from = &old->given.memset, *to = &made->given.memset;
    bool is_linear = from->height == 1 && to->height == 1;

    if ((!is_linear && (from->width != to->width || from->height != to->height ||
                        from->pitch != to->pitch || from->elementSize != to->elementSize)) ||
        !cup_node_same_device(from->dst, to->dst) || !cup_node_same_owner(from->dst, to->dst))
        return CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
    return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

const struct cup_node_type cup_node_memset = {
    .id = CU_GRAPH_NODE_TYPE_MEMSET,
    .name = "MEMSET",
    .params_bytes = sizeof(CUDA_MEMSET_NODE_PARAMS_v2),
    .make = memset_make,
    .plan = memset_plan,
    .unplan = memset_unplan,
    .job_bytes = memset_job_bytes,
    .update = memset_update,
    .runs_in_bodies = true,
    .runs_from_device = true,
    .can_be_disabled = true,
};
