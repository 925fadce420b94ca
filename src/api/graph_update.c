/* SPDX-License-Identifier: MIT */
/* Updates of executable graphs: single nodes, and whole graphs. */
#include "api/graph_node.h"
#include "core/error.h"
#include "graph/exec.h"
#include "graph/user_object.h"
#include "impl.h"

/* Looks up both handles and takes a reference on each. */
static CUresult find_both(CUgraphExec exec_handle, CUgraphNode node_handle,
                          struct CUgraphExec_st **exec, struct CUgraphNode_st **node)
{
    CUresult result = cup_graph_exec_find(exec_handle, exec);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_node_find(node_handle, node);
    if (result != CUDA_SUCCESS)
        cup_graph_exec_unref(*exec);
    return result;
}

static CUresult set_form(CUgraphExec exec_handle, CUgraphNode node_handle,
                         const CUgraphNodeParams *params, enum cup_node_form form)
{
    struct CUgraphExec_st *exec;
    struct CUgraphNode_st *node;
    CUresult result = find_both(exec_handle, node_handle, &exec, &node);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_graph_exec_set(exec, node, params, form);
    cup_node_unref(node);
    cup_graph_exec_unref(exec);
    return result;
}

static CUresult set(CUgraphExec exec, CUgraphNode node, const CUgraphNodeParams *params)
{
    return set_form(exec, node, params, CUP_NODE_SPECIFIC);
}

CUresult impl_cuGraphExecNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                       CUgraphNodeParams *nodeParams)
{
    return nodeParams ? set_form(hGraphExec, hNode, nodeParams, CUP_NODE_GENERIC)
                      : cup_api_graph_no_params();
}

CUresult impl_cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    if (!nodeParams)
        return cup_api_graph_no_params();
    CUgraphNodeParams params = cup_api_kernel_params_v2(nodeParams);
    return set(hGraphExec, hNode, &params);
}

CUresult impl_cuGraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                             const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
    if (!nodeParams)
        return cup_api_graph_no_params();
    CUgraphNodeParams params = cup_api_kernel_params_v1(nodeParams);
    return set(hGraphExec, hNode, &params);
}

CUresult impl_cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                             const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
    if (!copyParams)
        return cup_api_graph_no_params();
    CUgraphNodeParams params = cup_memcpy_params(copyParams, ctx);
    return set(hGraphExec, hNode, &params);
}

CUresult impl_cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                             const CUDA_MEMSET_NODE_PARAMS *memsetParams,
                                             CUcontext ctx)
{
    if (!memsetParams)
        return cup_api_graph_no_params();
    CUgraphNodeParams params = cup_memset_params(memsetParams, ctx);
    return set(hGraphExec, hNode, &params);
}

CUresult impl_cuGraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                           const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    if (!nodeParams)
        return cup_api_graph_no_params();
    CUgraphNodeParams params = cup_api_host_params(nodeParams);
    return set(hGraphExec, hNode, &params);
}

CUresult impl_cuGraphExecChildGraphNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                 CUgraph childGraph)
{
    CUgraphNodeParams params = cup_child_params(childGraph);

    return set(hGraphExec, hNode, &params);
}

CUresult impl_cuGraphExecEventRecordNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                 CUevent event)
{
    CUgraphNodeParams params = cup_api_event_params(CU_GRAPH_NODE_TYPE_EVENT_RECORD, event);

    return set(hGraphExec, hNode, &params);
}

CUresult impl_cuGraphExecEventWaitNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode,
                                               CUevent event)
{
    CUgraphNodeParams params = cup_api_event_params(CU_GRAPH_NODE_TYPE_WAIT_EVENT, event);

    return set(hGraphExec, hNode, &params);
}

CUresult impl_cuGraphExecExternalSemaphoresSignalNodeSetParams(
    CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *nodeParams)
{
    CUresult result = cup_api_graph_check_params(nodeParams);

    if (result != CUDA_SUCCESS)
        return result;
    CUgraphNodeParams params = cup_signal_params(nodeParams);
    return set(hGraphExec, hNode, &params);
}

CUresult
impl_cuGraphExecExternalSemaphoresWaitNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                    const CUDA_EXT_SEM_WAIT_NODE_PARAMS *nodeParams)
{
    CUresult result = cup_api_graph_check_params(nodeParams);

    if (result != CUDA_SUCCESS)
        return result;
    CUgraphNodeParams params = cup_wait_params(nodeParams);
    return set(hGraphExec, hNode, &params);
}

CUresult impl_cuGraphExecBatchMemOpNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                                 const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams)
{
    CUresult result = cup_api_graph_check_params(nodeParams);

    if (result != CUDA_SUCCESS)
        return result;
    CUgraphNodeParams params = cup_batch_params(nodeParams);
    return set(hGraphExec, hNode, &params);
}

CUresult impl_cuGraphNodeSetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode,
                                    unsigned int isEnabled)
{
    struct CUgraphExec_st *exec;
    struct CUgraphNode_st *node;
    CUresult result = find_both(hGraphExec, hNode, &exec, &node);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_graph_exec_set_enabled(exec, node, isEnabled != 0);
    cup_node_unref(node);
    cup_graph_exec_unref(exec);
    return result;
}

CUresult impl_cuGraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode,
                                    unsigned int *isEnabled)
{
    struct CUgraphExec_st *exec;
    struct CUgraphNode_st *node;
    bool enabled;

    if (!isEnabled)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the result is NULL");
    CUresult result = find_both(hGraphExec, hNode, &exec, &node);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_graph_exec_get_enabled(exec, node, &enabled);
    if (result == CUDA_SUCCESS)
        *isEnabled = enabled;
    cup_node_unref(node);
    cup_graph_exec_unref(exec);
    return result;
}

static CUresult update_all(CUgraphExec exec_handle, CUgraph graph_handle,
                           struct cup_graph_update *update)
{
    struct CUgraphExec_st *exec;
    struct CUgraph_st *graph;

    *update = (struct cup_graph_update){.result = CU_GRAPH_EXEC_UPDATE_SUCCESS};
    CUresult result = cup_graph_exec_find(exec_handle, &exec);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_graph_find(graph_handle, &graph);
    cup_user_objects_begin();
    if (result == CUDA_SUCCESS) {
        result = cup_graph_exec_update(exec, graph, update);
        cup_graph_unref(graph);
    }
    cup_graph_exec_unref(exec);
    cup_user_objects_end();
    return result;
}

CUresult impl_cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph,
                                   CUgraphExecUpdateResultInfo *resultInfo)
{
    struct cup_graph_update update;
    CUresult result = update_all(hGraphExec, hGraph, &update);

    if (resultInfo)
        *resultInfo = (CUgraphExecUpdateResultInfo){update.result, update.node, update.from};
    return result;
}

/* The first form has no result for a different number of nodes. */
CUresult impl_cuGraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode *hErrorNode_out,
                                CUgraphExecUpdateResult *updateResult_out)
{
    struct cup_graph_update update;
    CUresult result = update_all(hGraphExec, hGraph, &update);

    if (hErrorNode_out)
        *hErrorNode_out = update.node ? update.node : update.older_node;
    if (updateResult_out)
        *updateResult_out =
            update.count_differs ? CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED : update.result;
    return result;
}
