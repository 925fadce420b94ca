/* SPDX-License-Identifier: MIT */
/* Host nodes: call a function of the application, or run work that they own. */
#include "core/error.h"
#include "graph/host_work.h"
#include "graph/node.h"
#include "graph/plan.h"
#include "stream/callback.h"
#include "stream/host_work.h"
#include "stream/pending_work.h"

#include <stddef.h>
#include <stdlib.h>

/* syncMode says how the thread that calls host functions waits for the next one. Here any worker
 * calls them, so the mode is only stored. */
static CUresult host_make(const CUgraphNodeParams *given, struct cup_node_params **params)
{
    if (!given->host.fn)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the host function is NULL");
    CUresult result = cup_callback_check_mode(given->host.syncMode);
    if (result != CUDA_SUCCESS)
        return result;
    struct cup_node_params *made = cup_node_params_create(&cup_node_host, given, 0);
    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
    result = cup_node_params_prefer(made, given->host.ctx);
    if (result == CUDA_SUCCESS && given->host.fn == cup_graph_host_work_call)
        result = cup_graph_host_work_retain(given->host.userData, &made->work);
    if (result == CUDA_SUCCESS)
        *params = made;
    else
        cup_node_params_unref(made);
    return result;
}

/* The work waits for nothing, so a thread runs chains of such nodes one after the other. */
static CUresult work_plan(struct cup_plan_node *node)
{
    struct cup_host_work_job *job = malloc(sizeof(*job));

    if (!job)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a host function");
    cup_host_work_job_init(job, cup_graph_host_work_of(node->params->work));
    node->job = &job->base;
    node->may_wait = false;
    for (struct cup_plan *plan = node->plan; plan; plan = plan->parent ? plan->parent->plan : NULL)
        plan->has_host_work = true;
    return CUDA_SUCCESS;
}

/* The lane of the node waits for work that ends later. */
static CUresult pending_plan(struct cup_plan_node *node)
{
    struct cupipe_pending *pending = cup_pending_work_create(
        (const struct cupipe_pending_work *)cup_graph_host_work_of(node->params->work));

    if (!pending)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a host function");
    node->job = cup_pending_work_job(pending);
    node->may_wait = true;
    return CUDA_SUCCESS;
}

static CUresult host_plan(struct cup_plan_node *node)
{
    if (node->params->work)
        return cup_graph_host_work_of(node->params->work)->run ? work_plan(node)
                                                               : pending_plan(node);

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
    .later = {{13040, offsetof(CUDA_HOST_NODE_PARAMS_v2, ctx)},
              {13010, offsetof(CUDA_HOST_NODE_PARAMS_v2, syncMode)}},
    .make = host_make,
    .plan = host_plan,
    .unplan = host_unplan,
    .update = cup_node_update_context,
};
