/* SPDX-License-Identifier: MIT */
/* Conditional nodes: their graphs run if a value is set, while it is set, or one of several by
 * it. */
#include "core/driver_version.h"
#include "core/error.h"
#include "core/lock.h"
#include "device/context.h"
#include "graph/condition.h"
#include "graph/node.h"

#include <stdlib.h>

enum { BODIES_MAX = 4096 };

static bool size_is_valid(const CUDA_CONDITIONAL_NODE_PARAMS *given)
{
    switch (cup_driver_enumerator(CUP_ENUM_CONDITIONAL, (int)given->type)) {
    case CU_GRAPH_COND_TYPE_IF:
        return given->size == 1 || given->size == 2;
    case CU_GRAPH_COND_TYPE_WHILE:
        return given->size == 1;
    case CU_GRAPH_COND_TYPE_SWITCH:
        return given->size >= 1 && given->size <= BODIES_MAX;
    default:
        return false;
    }
}

static CUresult conditional_make(const CUgraphNodeParams *given, struct cup_node_params **params)
{
    const CUDA_CONDITIONAL_NODE_PARAMS *from = &given->conditional;
    struct CUctx_st *context;

    if (!from->handle || !size_is_valid(from))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "invalid conditional node of type %d with %u graphs", (int)from->type,
                         from->size);
    if (!from->ctx)
        return cup_error(CUDA_ERROR_INVALID_CONTEXT, "a conditional node needs a context");
    CUresult result = cup_context_find(from->ctx, &context);
    if (result != CUDA_SUCCESS)
        return result;
    *params = cup_node_params_create(&cup_node_conditional, given, from->size * sizeof(CUgraph));
    if (!*params) {
        cup_context_unref(context);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
    }
    (*params)->context = context;
    (*params)->given.conditional.phGraph_out = (CUgraph *)(*params)->data;
    return CUDA_SUCCESS;
}

static void drop_bodies_locked(CUDA_CONDITIONAL_NODE_PARAMS *conditional)
{
    cup_lock_assert_held(&cup_graph_lock);
    for (unsigned i = 0; i < conditional->size; i++) {
        struct CUgraph_st *body = conditional->phGraph_out[i];
        if (!body)
            continue;
        conditional->phGraph_out[i] = NULL;
        body->owner = NULL;
        cup_graph_clear_locked(body);
    }
}

static CUresult conditional_attach_locked(struct CUgraphNode_st *node,
                                          struct cup_node_params *params)
{
    cup_lock_assert_held(&cup_graph_lock);
    CUDA_CONDITIONAL_NODE_PARAMS *conditional = &params->given.conditional;
    struct cup_condition *condition = cup_condition_find_locked(node->graph, conditional->handle);
    CUresult result = CUDA_SUCCESS;

    if (!condition || condition->node || condition->context != params->context)
        return cup_error(
            CUDA_ERROR_INVALID_VALUE,
            "the conditional handle is not of this graph and context, or already used");
    for (unsigned i = 0; i < conditional->size && result == CUDA_SUCCESS; i++) {
        result = cup_graph_create(&conditional->phGraph_out[i]);
        if (result == CUDA_SUCCESS)
            conditional->phGraph_out[i]->owner = node;
    }
    if (result != CUDA_SUCCESS) {
        drop_bodies_locked(conditional);
        return result;
    }
    condition->node = node;
    node->graph->conditional_count++;
    return CUDA_SUCCESS;
}

static void conditional_detach_locked(struct CUgraphNode_st *node, struct cup_node_params *params)
{
    cup_lock_assert_held(&cup_graph_lock);
    CUDA_CONDITIONAL_NODE_PARAMS *conditional = &params->given.conditional;
    struct cup_condition *condition = cup_condition_find_locked(node->graph, conditional->handle);

    if (condition && condition->node == node)
        condition->node = NULL;
    node->graph->conditional_count--;
    drop_bodies_locked(conditional);
}

static CUgraphExecUpdateResult conditional_update(const struct cup_node_params *old,
                                                  const struct cup_node_params *made)
{
    const CUDA_CONDITIONAL_NODE_PARAMS *from = &old->given.conditional;
    const CUDA_CONDITIONAL_NODE_PARAMS *to = &made->given.conditional;

    return from->type == to->type && from->size == to->size
               ? CU_GRAPH_EXEC_UPDATE_SUCCESS
               : CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
}

const struct cup_node_type cup_node_conditional = {
    .id = CU_GRAPH_NODE_TYPE_CONDITIONAL,
    .name = "CONDITIONAL",
    .params_bytes = sizeof(CUDA_CONDITIONAL_NODE_PARAMS),
    .make = conditional_make,
    .is_fixed = true,
    .attach_locked = conditional_attach_locked,
    .detach_locked = conditional_detach_locked,
    .update = conditional_update,
    .runs_in_bodies = true,
};
