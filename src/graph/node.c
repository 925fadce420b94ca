/* SPDX-License-Identifier: MIT */
/* The parameters of a node in a graph: reading, lending and setting them. */
#include "graph/node.h"

#include "core/error.h"

CUresult cup_node_params_of(struct CUgraphNode_st *node, CUgraphNodeType id,
                            struct cup_node_params **params)
{
    CUresult result = CUDA_SUCCESS;

    cup_lock_acquire(&cup_graph_lock);
    if (node->graph && node->params->type->id == id) {
        *params = node->params;
        cup_node_params_ref(*params);
    } else {
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "the node has another type");
    }
    cup_lock_release(&cup_graph_lock);
    return result;
}

CUresult cup_node_lend(struct CUgraphNode_st *node, CUgraphNodeParams *params)
{
    CUresult result = CUDA_SUCCESS;

    cup_lock_acquire(&cup_graph_lock);
    if (node->graph) {
        node->params->is_lent = true;
        *params = node->params->given;
    } else {
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "the node has just been destroyed");
    }
    cup_lock_release(&cup_graph_lock);
    return result;
}

/* Keeps parameters to which the application has pointers. */
static CUresult keep_lent_locked(struct CUgraphNode_st *node, struct cup_node_params *params)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct cup_node_params **kept;

    if (!params->is_lent || params->data_bytes == 0)
        return CUDA_SUCCESS;
    kept = cup_dynarray_add(&node->lent.array, sizeof(*kept));
    if (!kept)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the parameters of a node");
    cup_node_params_ref(params);
    *kept = params;
    return CUDA_SUCCESS;
}

CUresult cup_node_set_params_locked(struct CUgraphNode_st *node, struct cup_node_params *params,
                                    struct cup_node_params **old)
{
    cup_lock_assert_held(&cup_graph_lock);
    const struct cup_node_type *type = params->type;
    CUresult result = CUDA_SUCCESS;

    if (!node->graph || node->params->type != type)
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "the node has another type");
    else
        result = keep_lent_locked(node, node->params);
    if (result != CUDA_SUCCESS)
        return result;
    if (type->attach_locked)
        result = type->attach_locked(node, params);
    if (result != CUDA_SUCCESS)
        return result;
    *old = node->params;
    node->params = params;
    if (type->detach_locked)
        type->detach_locked(node, *old);
    return CUDA_SUCCESS;
}

CUresult cup_node_set_params(struct CUgraphNode_st *node, struct cup_node_params *params)
{
    struct cup_node_params *old;

    cup_lock_acquire(&cup_graph_lock);
    CUresult result = cup_node_set_params_locked(node, params, &old);
    cup_lock_release(&cup_graph_lock);
    if (result == CUDA_SUCCESS)
        cup_node_params_unref(old);
    return result;
}

void cup_node_complete(CUgraphNodeParams *given, enum cup_node_form form,
                       const struct cup_node_params *old)
{
    if (form == CUP_NODE_GENERIC || given->type != old->given.type)
        return;
    switch (given->type) {
    case CU_GRAPH_NODE_TYPE_HOST:
        given->host.syncMode = old->given.host.syncMode;
        given->host.ctx = old->given.host.ctx;
        break;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        given->eventRecord.ctx = old->given.eventRecord.ctx;
        break;
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
        given->extSemSignal.ctx = old->given.extSemSignal.ctx;
        break;
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
        given->extSemWait.ctx = old->given.extSemWait.ctx;
        break;
    default:
        break;
    }
}

CUresult cup_node_set(struct CUgraphNode_st *node, const CUgraphNodeParams *given,
                      enum cup_node_form form)
{
    struct cup_node_params *params;
    CUgraphNodeParams whole = *given;
    struct cup_node_kernel_attributes attributes = {0};

    cup_lock_acquire(&cup_graph_lock);
    const struct cup_node_type *type = node->graph ? node->params->type : NULL;
    if (type) {
        attributes = node->params->attributes;
        cup_node_complete(&whole, form, node->params);
    }
    cup_lock_release(&cup_graph_lock);
    if (!type || type->id != given->type)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the node is not of type %d", (int)given->type);
    if (type->is_fixed)
        return cup_error(CUDA_ERROR_NOT_SUPPORTED,
                         "the parameters of such a node cannot be changed");
    CUresult result = cup_node_params_remake(&whole, form, &attributes, &params);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_node_set_params(node, params);
    if (result != CUDA_SUCCESS)
        cup_node_params_unref(params);
    return result;
}
