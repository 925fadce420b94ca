/* SPDX-License-Identifier: MIT */
/* Whole graphs: create, clone, destroy, print as DOT. Any invalid argument gives INVALID_VALUE. */
#include "graph/graph.h"

#include "impl.h"
#include "core/error.h"
#include "device/context.h"
#include "graph/condition.h"
#include "graph/user_object.h"

static CUresult no_place(void)
{
    return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the result is NULL");
}

CUresult impl_cuGraphCreate(CUgraph *phGraph, unsigned int flags)
{
    if (!phGraph || flags)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the pointer for the graph is NULL, or flags 0x%x are not 0", flags);
    return cup_graph_create(phGraph);
}

CUresult impl_cuGraphDestroy(CUgraph hGraph)
{
    struct CUgraph_st *graph;
    CUresult result = cup_graph_find(hGraph, &graph);

    if (result != CUDA_SUCCESS)
        return result;
    cup_user_objects_begin();
    result = cup_graph_destroy(graph);
    cup_graph_unref(graph);
    cup_user_objects_end();
    return result;
}

CUresult impl_cuGraphClone(CUgraph *phGraphClone, CUgraph originalGraph)
{
    struct CUgraph_st *original;

    if (!phGraphClone)
        return no_place();
    CUresult result = cup_graph_find(originalGraph, &original);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_graph_clone(original, phGraphClone);
    cup_graph_unref(original);
    return result;
}

CUresult impl_cuGraphNodeFindInClone(CUgraphNode *phNode, CUgraphNode hOriginalNode,
                                     CUgraph hClonedGraph)
{
    struct CUgraphNode_st *original;
    struct CUgraph_st *clone;

    if (!phNode)
        return no_place();
    CUresult result = cup_node_find(hOriginalNode, &original);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_graph_find(hClonedGraph, &clone);
    if (result == CUDA_SUCCESS) {
        *phNode = cup_graph_find_in_clone(clone, original);
        if (!*phNode)
            result = cup_error(CUDA_ERROR_INVALID_VALUE, "the graph has no clone of the node");
        cup_graph_unref(clone);
    }
    cup_node_unref(original);
    return result;
}

CUresult impl_cuGraphDestroyNode(CUgraphNode hNode)
{
    struct CUgraphNode_st *node;
    CUresult result = cup_node_find(hNode, &node);

    if (result != CUDA_SUCCESS)
        return result;
    cup_user_objects_begin();
    result = cup_graph_remove_node(node);
    cup_node_unref(node);
    cup_user_objects_end();
    return result;
}

CUresult impl_cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode *from,
                                        const CUgraphNode *to, const CUgraphEdgeData *edgeData,
                                        size_t numDependencies)
{
    struct CUgraph_st *graph;
    CUresult result = cup_graph_find(hGraph, &graph);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_graph_add_dependencies(graph, from, to, edgeData, numDependencies);
    cup_graph_unref(graph);
    return result;
}

CUresult impl_cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                     size_t numDependencies)
{
    return impl_cuGraphAddDependencies_v2(hGraph, from, to, NULL, numDependencies);
}

CUresult impl_cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode *from,
                                           const CUgraphNode *to, const CUgraphEdgeData *edgeData,
                                           size_t numDependencies)
{
    struct CUgraph_st *graph;
    CUresult result = cup_graph_find(hGraph, &graph);

    (void)edgeData; /* two nodes have one edge at most */
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_graph_remove_dependencies(graph, from, to, numDependencies);
    cup_graph_unref(graph);
    return result;
}

CUresult impl_cuGraphRemoveDependencies(CUgraph hGraph, const CUgraphNode *from,
                                        const CUgraphNode *to, size_t numDependencies)
{
    return impl_cuGraphRemoveDependencies_v2(hGraph, from, to, NULL, numDependencies);
}

CUresult impl_cuGraphDebugDotPrint(CUgraph hGraph, const char *path, unsigned int flags)
{
    struct CUgraph_st *graph;
    CUresult result = cup_graph_find(hGraph, &graph);

    if (result != CUDA_SUCCESS)
        return result;
    result = path ? cup_graph_write_dot(graph, path, flags)
                  : cup_error(CUDA_ERROR_INVALID_VALUE, "no file");
    cup_graph_unref(graph);
    return result;
}

CUresult impl_cuGraphConditionalHandleCreate(CUgraphConditionalHandle *pHandle_out, CUgraph hGraph,
                                             CUcontext ctx, unsigned int defaultLaunchValue,
                                             unsigned int flags)
{
    struct CUgraph_st *graph;
    struct CUctx_st *context;

    if (!pHandle_out || (flags & ~(unsigned)CU_GRAPH_COND_ASSIGN_DEFAULT))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the pointer for the handle is NULL, or invalid flags 0x%x", flags);
    CUresult result = cup_graph_find(hGraph, &graph);
    if (result != CUDA_SUCCESS)
        return result;
    result = ctx ? cup_context_find(ctx, &context)
                 : cup_error(CUDA_ERROR_INVALID_CONTEXT, "a conditional handle needs a context");
    if (result == CUDA_SUCCESS) {
        result = cup_condition_create(graph, context, defaultLaunchValue,
                                      flags & CU_GRAPH_COND_ASSIGN_DEFAULT, pHandle_out);
        cup_context_unref(context);
    }
    cup_graph_unref(graph);
    return result;
}
