/* SPDX-License-Identifier: MIT */
/* What all files of graphs need: the lock, and graphs and nodes by their handles. */
#include "core/error.h"
#include "core/precondition.h"
#include "graph/graph.h"

struct cup_lock cup_graph_lock = CUP_LOCK_INITIALIZER(CUP_RANK_GRAPH);

/* Most calls on graphs have no precondition but a valid handle; this check rejects them in a forked
 * child. */
static CUresult still_allowed(struct cup_object *object)
{
    CUresult result = cup_precondition_handle();

    if (cup_unlikely(result != CUDA_SUCCESS))
        cup_object_unref(object);
    return result;
}

CUresult cup_graph_find(CUgraph handle, struct CUgraph_st **graph)
{
    struct cup_object *object;

    if (!handle || cup_object_find(CUP_OBJECT_GRAPH, handle, &object) != CUDA_SUCCESS)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%p is not a graph", (void *)handle);
    *graph = (struct CUgraph_st *)object;
    return still_allowed(object);
}

CUresult cup_node_find(CUgraphNode handle, struct CUgraphNode_st **node)
{
    struct cup_object *object;

    if (!handle || cup_object_find(CUP_OBJECT_GRAPH_NODE, handle, &object) != CUDA_SUCCESS)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%p is not a node", (void *)handle);
    *node = (struct CUgraphNode_st *)object;
    return still_allowed(object);
}

CUresult cup_node_graph(struct CUgraphNode_st *node, struct CUgraph_st **graph)
{
    cup_lock_acquire(&cup_graph_lock);
    *graph = node->graph;
    if (*graph)
        cup_graph_ref(*graph);
    cup_lock_release(&cup_graph_lock);
    return *graph ? CUDA_SUCCESS
                  : cup_error(CUDA_ERROR_INVALID_VALUE, "the node has just been destroyed");
}
