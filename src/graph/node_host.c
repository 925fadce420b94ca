/* SPDX-License-Identifier: MIT */
/* Host nodes: call a function of the application. */
#include "core/error.h"
#include "graph/node.h"
#include "graph/plan.h"
#include "stream/callback.h"

#include <stdlib.h>

static CUresult host_make(const CUgraphNodeParams *given, struct cup_node_params **params)
{
    if (!given->host.fn)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the host function is NULL");
    *params = cup_node_params_create(&cup_node_host, given, 0);
    return *params ? CUDA_SUCCESS : cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
}

static CUresult host_plan(struct cup_plan_node *node)
{
    struct cup_callback_job *job = malloc(sizeof(*job));

    if (!job)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a host function");
    cup_callback_job_init(job, node->params->given.host.fn, node->params->given.host.userData);
    node->job = &job->base;
    node->may_wait = true;
    return CUDA_SUCCESS;
}

static void host_unplan(struct cup_plan_node *node)
{
    free(node->job);
}

const struct cup_node_type cup_node_host = {
    .id = CU_GRAPH_NODE_TYPE_HOST,
    .name = "HOST",
    .params_bytes = sizeof(CUDA_HOST_NODE_PARAMS_v2),
    .make = host_make,
    .plan = host_plan,
    .unplan = host_unplan,
};
