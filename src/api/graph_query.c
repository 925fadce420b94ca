/* SPDX-License-Identifier: MIT */
/* Queries of the nodes and edges of a graph, and of their numbers. All lists work the same way:
 * without an array the call returns the count; with one, it writes as many entries as fit and
 * clears the rest. Edges with data are an error (LOSSY_QUERY) if the caller does not ask for the
 * data. */
#include "core/error.h"
#include "core/lock.h"
#include "graph/exec.h"
#include "graph/graph.h"
#include "graph/node.h"
#include "impl.h"

#include <string.h>

static CUresult refuse(void)
{
    return cup_error(CUDA_ERROR_INVALID_VALUE,
                     "a pointer for the result is NULL, or its array has no elements");
}

static void clear_rest(CUgraphNode *nodes, size_t from, size_t room)
{
    memset(nodes + from, 0, (room - from) * sizeof(*nodes));
}

static CUresult list_nodes_locked(const struct CUgraph_st *graph, CUgraphNode *nodes, size_t *count,
                                  bool roots)
{
    cup_lock_assert_held(&cup_graph_lock);
    size_t listed = 0, room = *count;
    const struct CUgraphNode_st *node = roots ? graph->first_root : graph->first;

    for (; node && (!nodes || listed < room); node = roots ? node->next_root : node->next) {
        if (nodes)
            nodes[listed] = (CUgraphNode)node;
        listed++;
    }
    if (nodes)
        clear_rest(nodes, listed, room);
    *count = listed;
    return CUDA_SUCCESS;
}

static CUresult list_nodes(CUgraph handle, CUgraphNode *nodes, size_t *count, bool roots)
{
    struct CUgraph_st *graph;

    if (!count)
        return refuse();
    CUresult result = cup_graph_find(handle, &graph);
    if (result != CUDA_SUCCESS)
        return result;
    cup_lock_acquire(&cup_graph_lock);
    result = nodes && *count == 0 ? refuse() : list_nodes_locked(graph, nodes, count, roots);
    cup_lock_release(&cup_graph_lock);
    cup_graph_unref(graph);
    return result;
}

CUresult impl_cuGraphGetNodes(CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes)
{
    return list_nodes(hGraph, nodes, numNodes, false);
}

CUresult impl_cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode *rootNodes, size_t *numRootNodes)
{
    return list_nodes(hGraph, rootNodes, numRootNodes, true);
}

static CUresult lossy(void)
{
    return cup_error(CUDA_ERROR_LOSSY_QUERY,
                     "an edge has data, and the pointer for edge data is NULL");
}

static bool has_data_locked(const struct CUgraph_st *graph)
{
    cup_lock_assert_held(&cup_graph_lock);
    for (const struct CUgraphNode_st *node = graph->first; node; node = node->next) {
        for (uint32_t i = 0; i < node->out.count; i++) {
            if (!cup_edge_data_is_default(&node->out.edges[i].data))
                return true;
        }
    }
    return false;
}

static CUresult list_edges_locked(const struct CUgraph_st *graph, CUgraphNode *from,
                                  CUgraphNode *to, CUgraphEdgeData *data, size_t *count)
{
    cup_lock_assert_held(&cup_graph_lock);
    size_t listed = 0, room = *count;

    if (!data && has_data_locked(graph))
        return lossy();
    for (struct CUgraphNode_st *node = graph->first; node; node = node->next) {
        for (uint32_t i = 0; i < node->out.count && listed < room; i++, listed++) {
            from[listed] = node;
            to[listed] = node->out.edges[i].node;
            if (data)
                data[listed] = node->out.edges[i].data;
        }
    }
    clear_rest(from, listed, room);
    clear_rest(to, listed, room);
    if (data)
        memset(data + listed, 0, (room - listed) * sizeof(*data));
    *count = listed;
    return CUDA_SUCCESS;
}

CUresult impl_cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to,
                                 CUgraphEdgeData *edgeData, size_t *numEdges)
{
    struct CUgraph_st *graph;

    if (!numEdges || !from != !to || (edgeData && !from))
        return refuse();
    CUresult result = cup_graph_find(hGraph, &graph);
    if (result != CUDA_SUCCESS)
        return result;
    cup_lock_acquire(&cup_graph_lock);
    if (!from)
        *numEdges = graph->edge_count;
    else
        result = *numEdges == 0 ? refuse() : list_edges_locked(graph, from, to, edgeData, numEdges);
    cup_lock_release(&cup_graph_lock);
    cup_graph_unref(graph);
    return result;
}

CUresult impl_cuGraphGetEdges(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, size_t *numEdges)
{
    return impl_cuGraphGetEdges_v2(hGraph, from, to, NULL, numEdges);
}

static CUresult list_ends(const struct cup_edge_list *list, CUgraphNode *nodes,
                          CUgraphEdgeData *data, size_t *count)
{
    size_t listed = list->count < *count ? list->count : *count;

    for (uint32_t i = 0; i < list->count && !data; i++) {
        if (!cup_edge_data_is_default(&list->edges[i].data))
            return lossy();
    }
    for (size_t i = 0; i < listed; i++) {
        nodes[i] = list->edges[i].node;
        if (data)
            data[i] = list->edges[i].data;
    }
    clear_rest(nodes, listed, *count);
    *count = listed;
    return CUDA_SUCCESS;
}

static CUresult list_neighbours(CUgraphNode handle, CUgraphNode *nodes, CUgraphEdgeData *data,
                                size_t *count, bool before)
{
    struct CUgraphNode_st *node;

    if (!count || (data && !nodes))
        return refuse();
    CUresult result = cup_node_find(handle, &node);
    if (result != CUDA_SUCCESS)
        return result;
    const struct cup_edge_list *list = before ? &node->in : &node->out;
    cup_lock_acquire(&cup_graph_lock);
    if (!nodes)
        *count = list->count;
    else
        result = *count == 0 ? refuse() : list_ends(list, nodes, data, count);
    cup_lock_release(&cup_graph_lock);
    cup_node_unref(node);
    return result;
}

CUresult impl_cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode *dependencies,
                                            CUgraphEdgeData *edgeData, size_t *numDependencies)
{
    return list_neighbours(hNode, dependencies, edgeData, numDependencies, true);
}

CUresult impl_cuGraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode *dependencies,
                                         size_t *numDependencies)
{
    return list_neighbours(hNode, dependencies, NULL, numDependencies, true);
}

CUresult impl_cuGraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode *dependentNodes,
                                              CUgraphEdgeData *edgeData, size_t *numDependentNodes)
{
    return list_neighbours(hNode, dependentNodes, edgeData, numDependentNodes, false);
}

CUresult impl_cuGraphNodeGetDependentNodes(CUgraphNode hNode, CUgraphNode *dependentNodes,
                                           size_t *numDependentNodes)
{
    return list_neighbours(hNode, dependentNodes, NULL, numDependentNodes, false);
}

CUresult impl_cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType *type)
{
    struct CUgraphNode_st *node;

    if (!type)
        return refuse();
    CUresult result = cup_node_find(hNode, &node);
    if (result != CUDA_SUCCESS)
        return result;
    cup_lock_acquire(&cup_graph_lock);
    *type = node->params->type->id;
    cup_lock_release(&cup_graph_lock);
    cup_node_unref(node);
    return CUDA_SUCCESS;
}

/* Graphs and executable graphs share one sequence of numbers. cuGraphDebugDotPrint writes the
 * number of a graph and, for its nodes, how many nodes the graph had got before. */

CUresult impl_cuGraphGetId(CUgraph hGraph, unsigned int *graphId)
{
    struct CUgraph_st *graph;

    if (!graphId)
        return refuse();
    CUresult result = cup_graph_find(hGraph, &graph);
    if (result != CUDA_SUCCESS)
        return result;
    *graphId = graph->number;
    cup_graph_unref(graph);
    return CUDA_SUCCESS;
}

CUresult impl_cuGraphExecGetId(CUgraphExec hGraphExec, unsigned int *graphId)
{
    struct CUgraphExec_st *exec;

    if (!graphId)
        return refuse();
    CUresult result = cup_graph_exec_find(hGraphExec, &exec);
    if (result != CUDA_SUCCESS)
        return result;
    *graphId = exec->number;
    cup_graph_exec_unref(exec);
    return CUDA_SUCCESS;
}

/* The node's graph and its number in it. */
struct node_place {
    CUgraph graph;
    unsigned graph_number, ordinal;
};

static CUresult find_place(CUgraphNode handle, const void *output, struct node_place *place)
{
    struct CUgraphNode_st *node;
    struct CUgraph_st *graph;

    if (!output)
        return refuse();
    CUresult result = cup_node_find(handle, &node);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_node_graph(node, &graph);
    if (result == CUDA_SUCCESS) {
        *place = (struct node_place){graph, graph->number, node->ordinal};
        cup_graph_unref(graph);
    }
    cup_node_unref(node);
    return result;
}

CUresult impl_cuGraphNodeGetContainingGraph(CUgraphNode hNode, CUgraph *phGraph)
{
    struct node_place place;
    CUresult result = find_place(hNode, phGraph, &place);

    if (result == CUDA_SUCCESS)
        *phGraph = place.graph;
    return result;
}

CUresult impl_cuGraphNodeGetLocalId(CUgraphNode hNode, unsigned int *nodeId)
{
    struct node_place place;
    CUresult result = find_place(hNode, nodeId, &place);

    if (result == CUDA_SUCCESS)
        *nodeId = place.ordinal;
    return result;
}

/* The manual does not say how the number is made. It is unique among all nodes of the process: the
 * graph's number is in the upper half, the node's in the lower. */
CUresult impl_cuGraphNodeGetToolsId(CUgraphNode hNode, unsigned long long *toolsNodeId)
{
    struct node_place place;
    CUresult result = find_place(hNode, toolsNodeId, &place);

    if (result == CUDA_SUCCESS)
        *toolsNodeId = (unsigned long long)place.graph_number << 32 | place.ordinal;
    return result;
}
