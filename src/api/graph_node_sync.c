/* SPDX-License-Identifier: MIT */
/* Synchronisation nodes: events, external semaphores, stream memory operations. */
#include "api/graph_node.h"
#include "core/error.h"
#include "impl.h"

static CUresult add_event(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies,
                          size_t count, CUevent event, CUgraphNodeType type)
{
    CUgraphNodeParams params = cup_api_event_params(type, event);

    return cup_api_graph_add(out, graph, dependencies, NULL, count, &params);
}

static CUresult get_event(CUgraphNode node, CUevent *event, CUgraphNodeType type)
{
    struct cup_node_params *params;
    CUresult result = cup_api_graph_get(node, type, event, &params);

    if (result != CUDA_SUCCESS)
        return result;
    *event = params->given.eventRecord.event;
    cup_node_params_unref(params);
    return CUDA_SUCCESS;
}

static CUresult set_event(CUgraphNode node, CUevent event, CUgraphNodeType type)
{
    CUgraphNodeParams params = cup_api_event_params(type, event);

    return cup_api_graph_set(node, &params);
}

CUresult impl_cuGraphAddEventRecordNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                        const CUgraphNode *dependencies, size_t numDependencies,
                                        CUevent event)
{
    return add_event(phGraphNode, hGraph, dependencies, numDependencies, event,
                     CU_GRAPH_NODE_TYPE_EVENT_RECORD);
}

CUresult impl_cuGraphEventRecordNodeGetEvent(CUgraphNode hNode, CUevent *event_out)
{
    return get_event(hNode, event_out, CU_GRAPH_NODE_TYPE_EVENT_RECORD);
}

CUresult impl_cuGraphEventRecordNodeSetEvent(CUgraphNode hNode, CUevent event)
{
    return set_event(hNode, event, CU_GRAPH_NODE_TYPE_EVENT_RECORD);
}

CUresult impl_cuGraphAddEventWaitNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                      const CUgraphNode *dependencies, size_t numDependencies,
                                      CUevent event)
{
    return add_event(phGraphNode, hGraph, dependencies, numDependencies, event,
                     CU_GRAPH_NODE_TYPE_WAIT_EVENT);
}

CUresult impl_cuGraphEventWaitNodeGetEvent(CUgraphNode hNode, CUevent *event_out)
{
    return get_event(hNode, event_out, CU_GRAPH_NODE_TYPE_WAIT_EVENT);
}

CUresult impl_cuGraphEventWaitNodeSetEvent(CUgraphNode hNode, CUevent event)
{
    return set_event(hNode, event, CU_GRAPH_NODE_TYPE_WAIT_EVENT);
}

CUresult
impl_cuGraphAddExternalSemaphoresSignalNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                            const CUgraphNode *dependencies, size_t numDependencies,
                                            const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *nodeParams)
{
    CUresult result = cup_api_graph_check_params(nodeParams);

    if (result != CUDA_SUCCESS)
        return result;
    CUgraphNodeParams params = cup_signal_params(nodeParams);
    return cup_api_graph_add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &params);
}

CUresult
impl_cuGraphExternalSemaphoresSignalNodeGetParams(CUgraphNode hNode,
                                                  CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params_out)
{
    struct cup_node_params *params;
    CUresult result =
        cup_api_graph_get(hNode, CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL, params_out, &params);

    if (result != CUDA_SUCCESS)
        return result;
    const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2 *given = &params->given.extSemSignal;
    *params_out = (CUDA_EXT_SEM_SIGNAL_NODE_PARAMS){given->extSemArray, given->paramsArray,
                                                    given->numExtSems};
    cup_node_params_unref(params);
    return CUDA_SUCCESS;
}

CUresult
impl_cuGraphExternalSemaphoresSignalNodeSetParams(CUgraphNode hNode,
                                                  const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *nodeParams)
{
    CUresult result = cup_api_graph_check_params(nodeParams);

    if (result != CUDA_SUCCESS)
        return result;
    CUgraphNodeParams params = cup_signal_params(nodeParams);
    return cup_api_graph_set(hNode, &params);
}

CUresult impl_cuGraphAddExternalSemaphoresWaitNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                                   const CUgraphNode *dependencies,
                                                   size_t numDependencies,
                                                   const CUDA_EXT_SEM_WAIT_NODE_PARAMS *nodeParams)
{
    CUresult result = cup_api_graph_check_params(nodeParams);

    if (result != CUDA_SUCCESS)
        return result;
    CUgraphNodeParams params = cup_wait_params(nodeParams);
    return cup_api_graph_add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &params);
}

CUresult impl_cuGraphExternalSemaphoresWaitNodeGetParams(CUgraphNode hNode,
                                                         CUDA_EXT_SEM_WAIT_NODE_PARAMS *params_out)
{
    struct cup_node_params *params;
    CUresult result =
        cup_api_graph_get(hNode, CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT, params_out, &params);

    if (result != CUDA_SUCCESS)
        return result;
    const CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2 *given = &params->given.extSemWait;
    *params_out =
        (CUDA_EXT_SEM_WAIT_NODE_PARAMS){given->extSemArray, given->paramsArray, given->numExtSems};
    cup_node_params_unref(params);
    return CUDA_SUCCESS;
}

CUresult
impl_cuGraphExternalSemaphoresWaitNodeSetParams(CUgraphNode hNode,
                                                const CUDA_EXT_SEM_WAIT_NODE_PARAMS *nodeParams)
{
    CUresult result = cup_api_graph_check_params(nodeParams);

    if (result != CUDA_SUCCESS)
        return result;
    CUgraphNodeParams params = cup_wait_params(nodeParams);
    return cup_api_graph_set(hNode, &params);
}

CUresult impl_cuGraphAddBatchMemOpNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                       const CUgraphNode *dependencies, size_t numDependencies,
                                       const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams)
{
    CUresult result = cup_api_graph_check_params(nodeParams);

    if (result != CUDA_SUCCESS)
        return result;
    CUgraphNodeParams params = cup_batch_params(nodeParams);
    return cup_api_graph_add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &params);
}

CUresult impl_cuGraphBatchMemOpNodeGetParams(CUgraphNode hNode,
                                             CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams_out)
{
    struct cup_node_params *params;
    CUresult result =
        cup_api_graph_get(hNode, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, nodeParams_out, &params);

    if (result != CUDA_SUCCESS)
        return result;
    const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 *given = &params->given.memOp;
    *nodeParams_out =
        (CUDA_BATCH_MEM_OP_NODE_PARAMS){given->ctx, given->count, given->paramArray, given->flags};
    cup_node_params_unref(params);
    return CUDA_SUCCESS;
}

CUresult impl_cuGraphBatchMemOpNodeSetParams(CUgraphNode hNode,
                                             const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams)
{
    CUresult result = cup_api_graph_check_params(nodeParams);

    if (result != CUDA_SUCCESS)
        return result;
    CUgraphNodeParams params = cup_batch_params(nodeParams);
    return cup_api_graph_set(hNode, &params);
}
