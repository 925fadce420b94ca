/* SPDX-License-Identifier: MIT */
/* Adding nodes, and their parameters. */
#include "api/graph_node.h"

#include "impl.h"
#include "core/error.h"
#include "device/context.h"
#include "module/function.h"

static CUresult add_form(CUgraphNode *out, CUgraph handle, const CUgraphNode *dependencies,
                         const CUgraphEdgeData *edges, size_t count, CUgraphNodeParams *given,
                         enum cup_node_form form)
{
    struct cup_node_params *params;
    struct CUgraph_st *graph;
    struct CUgraphNode_st *node;

    if (!out)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the node is NULL");
    CUresult result = cup_node_params_make(given, form, &params);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_graph_find(handle, &graph);
    if (result == CUDA_SUCCESS) {
        cup_node_params_ref(params); /* the node's; another thread may end it at once */
        result = cup_graph_add_node(graph, dependencies, edges, count, params, &node);
        if (result != CUDA_SUCCESS)
            cup_node_params_unref(params);
        cup_graph_unref(graph);
    }
    if (result == CUDA_SUCCESS) {
        if (given->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
            given->alloc.dptr = params->given.alloc.dptr;
        if (given->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
            given->conditional.phGraph_out = params->given.conditional.phGraph_out;
        *out = node;
    }
    cup_node_params_unref(params);
    return result;
}

CUresult cup_api_graph_add(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies,
                           const CUgraphEdgeData *edges, size_t count, CUgraphNodeParams *params)
{
    return add_form(out, graph, dependencies, edges, count, params, CUP_NODE_SPECIFIC);
}

CUresult cup_api_graph_get(CUgraphNode handle, CUgraphNodeType type, const void *out,
                           struct cup_node_params **params)
{
    struct CUgraphNode_st *node;

    if (!out)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the result is NULL");
    CUresult result = cup_node_find(handle, &node);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_node_params_of(node, type, params);
    cup_node_unref(node);
    return result;
}

static CUresult set_form(CUgraphNode handle, const CUgraphNodeParams *params,
                         enum cup_node_form form)
{
    struct CUgraphNode_st *node;
    CUresult result = cup_node_find(handle, &node);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_node_set(node, params, form);
    cup_node_unref(node);
    return result;
}

CUresult cup_api_graph_set(CUgraphNode handle, const CUgraphNodeParams *params)
{
    return set_form(handle, params, CUP_NODE_SPECIFIC);
}

CUresult impl_cuGraphAddNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph,
                                const CUgraphNode *dependencies,
                                const CUgraphEdgeData *dependencyData, size_t numDependencies,
                                CUgraphNodeParams *nodeParams)
{
    if (!nodeParams)
        return cup_api_graph_no_params();
    return add_form(phGraphNode, hGraph, dependencies, dependencyData, numDependencies, nodeParams,
                    CUP_NODE_GENERIC);
}

CUresult impl_cuGraphAddNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                             const CUgraphNode *dependencies, size_t numDependencies,
                             CUgraphNodeParams *nodeParams)
{
    return impl_cuGraphAddNode_v2(phGraphNode, hGraph, dependencies, NULL, numDependencies,
                                  nodeParams);
}

CUresult impl_cuGraphNodeSetParams(CUgraphNode hNode, CUgraphNodeParams *nodeParams)
{
    return nodeParams ? set_form(hNode, nodeParams, CUP_NODE_GENERIC) : cup_api_graph_no_params();
}

/* A kernel node that names a function and a context: since CUDA 13.4 the function must belong to
 * the context. The older calls ignore the context. */
static CUresult check_kernel_context(const CUgraphNodeParams *given)
{
    struct CUctx_st *context;
    struct CUfunc_st *function;

    if (given->type != CU_GRAPH_NODE_TYPE_KERNEL || !given->kernel.func || !given->kernel.ctx)
        return CUDA_SUCCESS;
    CUresult result = cup_function_find(given->kernel.func, &function);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_node_context(given->kernel.ctx, &context);
    if (result == CUDA_SUCCESS) {
        if (function->module->context != context)
            result = cup_error(CUDA_ERROR_INVALID_CONTEXT,
                               "the function was not loaded into the context of the node");
        cup_context_unref(context);
    }
    cup_function_unref(function);
    return result;
}

CUresult impl_cuGraphAddNode_v3(CUgraphNode *phGraphNode, CUgraph hGraph,
                                const CUgraphNode *dependencies,
                                const CUgraphEdgeData *dependencyData, size_t numDependencies,
                                CUgraphNodeParams *nodeParams)
{
    CUresult result = cup_api_graph_check_params(nodeParams);

    if (result == CUDA_SUCCESS)
        result = check_kernel_context(nodeParams);
    return result == CUDA_SUCCESS
               ? impl_cuGraphAddNode_v2(phGraphNode, hGraph, dependencies, dependencyData,
                                        numDependencies, nodeParams)
               : result;
}

CUresult impl_cuGraphNodeSetParams_v2(CUgraphNode hNode, CUgraphNodeParams *nodeParams)
{
    CUresult result = cup_api_graph_check_params(nodeParams);

    if (result == CUDA_SUCCESS)
        result = check_kernel_context(nodeParams);
    return result == CUDA_SUCCESS ? impl_cuGraphNodeSetParams(hNode, nodeParams) : result;
}

/* The arrays that the answer points to stay as long as the node, also when its parameters are set
 * again. A child graph belongs to its node, so the answer has an ownership that no call accepts. */
CUresult impl_cuGraphNodeGetParams(CUgraphNode hNode, CUgraphNodeParams *nodeParams)
{
    struct CUgraphNode_st *node;
    CUgraphNodeParams lent;

    if (!nodeParams)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the result is NULL");
    CUresult result = cup_node_find(hNode, &node);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_node_lend(node, &lent);
    cup_node_unref(node);
    if (result != CUDA_SUCCESS)
        return result;
    if (lent.type == CU_GRAPH_NODE_TYPE_GRAPH)
        lent.graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_INVALID;
    *nodeParams = lent;
    return CUDA_SUCCESS;
}

CUresult impl_cuGraphAddEmptyNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                  const CUgraphNode *dependencies, size_t numDependencies)
{
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_EMPTY};

    return cup_api_graph_add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &params);
}

CUresult impl_cuGraphAddMemcpyNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                   const CUgraphNode *dependencies, size_t numDependencies,
                                   const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
    if (!copyParams)
        return cup_api_graph_no_params();
    CUgraphNodeParams params = cup_memcpy_params(copyParams, ctx);
    return cup_api_graph_add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &params);
}

CUresult impl_cuGraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D *nodeParams)
{
    struct cup_node_params *params;
    CUresult result = cup_api_graph_get(hNode, CU_GRAPH_NODE_TYPE_MEMCPY, nodeParams, &params);

    if (result != CUDA_SUCCESS)
        return result;
    *nodeParams = params->given.memcpy.copyParams;
    cup_node_params_unref(params);
    return CUDA_SUCCESS;
}

/* The node keeps its context. */
CUresult impl_cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D *nodeParams)
{
    struct cup_node_params *old;
    CUresult result = cup_api_graph_get(hNode, CU_GRAPH_NODE_TYPE_MEMCPY, nodeParams, &old);

    if (result != CUDA_SUCCESS)
        return result;
    CUgraphNodeParams params = cup_memcpy_params(nodeParams, old->given.memcpy.copyCtx);
    result = cup_api_graph_set(hNode, &params);
    cup_node_params_unref(old);
    return result;
}

CUresult impl_cuGraphAddMemsetNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                   const CUgraphNode *dependencies, size_t numDependencies,
                                   const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx)
{
    if (!memsetParams)
        return cup_api_graph_no_params();
    CUgraphNodeParams params = cup_memset_params(memsetParams, ctx);
    return cup_api_graph_add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &params);
}

CUresult impl_cuGraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
    struct cup_node_params *params;
    CUresult result = cup_api_graph_get(hNode, CU_GRAPH_NODE_TYPE_MEMSET, nodeParams, &params);

    if (result != CUDA_SUCCESS)
        return result;
    const CUDA_MEMSET_NODE_PARAMS_v2 *given = &params->given.memset;
    *nodeParams = (CUDA_MEMSET_NODE_PARAMS){.dst = given->dst,
                                            .pitch = given->pitch,
                                            .value = given->value,
                                            .elementSize = given->elementSize,
                                            .width = given->width,
                                            .height = given->height};
    cup_node_params_unref(params);
    return CUDA_SUCCESS;
}

CUresult impl_cuGraphMemsetNodeSetParams(CUgraphNode hNode,
                                         const CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
    struct cup_node_params *old;
    CUresult result = cup_api_graph_get(hNode, CU_GRAPH_NODE_TYPE_MEMSET, nodeParams, &old);

    if (result != CUDA_SUCCESS)
        return result;
    CUgraphNodeParams params = cup_memset_params(nodeParams, old->given.memset.ctx);
    result = cup_api_graph_set(hNode, &params);
    cup_node_params_unref(old);
    return result;
}

CUresult impl_cuGraphAddHostNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                 const CUgraphNode *dependencies, size_t numDependencies,
                                 const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    if (!nodeParams)
        return cup_api_graph_no_params();
    CUgraphNodeParams params = cup_api_host_params(nodeParams);
    return cup_api_graph_add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &params);
}

CUresult impl_cuGraphHostNodeGetParams(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS *nodeParams)
{
    struct cup_node_params *params;
    CUresult result = cup_api_graph_get(hNode, CU_GRAPH_NODE_TYPE_HOST, nodeParams, &params);

    if (result != CUDA_SUCCESS)
        return result;
    *nodeParams = (CUDA_HOST_NODE_PARAMS){params->given.host.fn, params->given.host.userData};
    cup_node_params_unref(params);
    return CUDA_SUCCESS;
}

CUresult impl_cuGraphHostNodeSetParams(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    if (!nodeParams)
        return cup_api_graph_no_params();
    CUgraphNodeParams params = cup_api_host_params(nodeParams);
    return cup_api_graph_set(hNode, &params);
}

CUresult impl_cuGraphAddChildGraphNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                       const CUgraphNode *dependencies, size_t numDependencies,
                                       CUgraph childGraph)
{
    CUgraphNodeParams params = cup_child_params(childGraph);

    return cup_api_graph_add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &params);
}

CUresult impl_cuGraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph *phGraph)
{
    struct cup_node_params *params;
    CUresult result = cup_api_graph_get(hNode, CU_GRAPH_NODE_TYPE_GRAPH, phGraph, &params);

    if (result != CUDA_SUCCESS)
        return result;
    *phGraph = params->given.graph.graph;
    cup_node_params_unref(params);
    return CUDA_SUCCESS;
}

CUresult impl_cuGraphAddMemAllocNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                     const CUgraphNode *dependencies, size_t numDependencies,
                                     CUDA_MEM_ALLOC_NODE_PARAMS *nodeParams)
{
    if (!nodeParams)
        return cup_api_graph_no_params();
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC,
                                .alloc = {.poolProps = nodeParams->poolProps,
                                          .accessDescs = nodeParams->accessDescs,
                                          .accessDescCount = nodeParams->accessDescCount,
                                          .bytesize = nodeParams->bytesize}};
    CUresult result =
        cup_api_graph_add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &params);
    if (result == CUDA_SUCCESS)
        nodeParams->dptr = params.alloc.dptr;
    return result;
}

CUresult impl_cuGraphMemAllocNodeGetParams(CUgraphNode hNode,
                                           CUDA_MEM_ALLOC_NODE_PARAMS *params_out)
{
    struct cup_node_params *params;
    CUresult result = cup_api_graph_get(hNode, CU_GRAPH_NODE_TYPE_MEM_ALLOC, params_out, &params);

    if (result != CUDA_SUCCESS)
        return result;
    const CUDA_MEM_ALLOC_NODE_PARAMS_v2 *given = &params->given.alloc;
    *params_out = (CUDA_MEM_ALLOC_NODE_PARAMS){.poolProps = given->poolProps,
                                               .accessDescs = given->accessDescs,
                                               .accessDescCount = given->accessDescCount,
                                               .bytesize = given->bytesize,
                                               .dptr = given->dptr};
    cup_node_params_unref(params);
    return CUDA_SUCCESS;
}

CUresult impl_cuGraphAddMemFreeNode(CUgraphNode *phGraphNode, CUgraph hGraph,
                                    const CUgraphNode *dependencies, size_t numDependencies,
                                    CUdeviceptr dptr)
{
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_MEM_FREE, .free = {.dptr = dptr}};

    return cup_api_graph_add(phGraphNode, hGraph, dependencies, NULL, numDependencies, &params);
}

CUresult impl_cuGraphMemFreeNodeGetParams(CUgraphNode hNode, CUdeviceptr *dptr_out)
{
    struct cup_node_params *params;
    CUresult result = cup_api_graph_get(hNode, CU_GRAPH_NODE_TYPE_MEM_FREE, dptr_out, &params);

    if (result != CUDA_SUCCESS)
        return result;
    *dptr_out = params->given.free.dptr;
    cup_node_params_unref(params);
    return CUDA_SUCCESS;
}
