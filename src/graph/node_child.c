/* SPDX-License-Identifier: MIT */
/* Child graph nodes: they contain a clone of the given graph or, with ownership moved, that graph
 * itself. Cloning needs the lock, so it happens when the node is attached. */
#include "core/driver_version.h"
#include "core/error.h"
#include "core/lock.h"
#include "graph/node.h"

static CUresult child_make(const CUgraphNodeParams *given, struct cup_node_params **params)
{
    struct CUgraph_st *graph;
    CUresult result = cup_graph_find(given->graph.graph, &graph);

    if (result != CUDA_SUCCESS)
        return result;
    if (given->graph.ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_INVALID && cup_driver_has(13020)) {
        cup_graph_unref(graph);
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the parameters are the answer of cuGraphNodeGetParams; set an ownership");
    }
    cup_lock_acquire(&cup_graph_lock);
    if (graph->owner)
        result = cup_error(CUDA_ERROR_NOT_SUPPORTED, "the graph belongs to another node");
    cup_lock_release(&cup_graph_lock);
    if (result == CUDA_SUCCESS) {
        *params = cup_node_params_create(&cup_node_child, given, 0);
        if (!*params)
            result = cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
    }
    if (result == CUDA_SUCCESS)
        (*params)->object = &graph->base; /* the given graph, until the node is attached */
    else
        cup_graph_unref(graph);
    return result;
}

/* Whether `inner` is the graph or nested in it. */
static bool holds_locked(const struct CUgraph_st *graph, const struct CUgraph_st *inner)
{
    cup_lock_assert_held(&cup_graph_lock);
    while (inner != graph && inner->owner && inner->owner->graph)
        inner = inner->owner->graph;
    return inner == graph;
}

static CUresult move_locked(struct CUgraph_st *given, struct CUgraphNode_st *node,
                            struct cup_node_params *params)
{
    cup_lock_assert_held(&cup_graph_lock);
    if (given->is_gone || holds_locked(given, node->graph))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the graph cannot become a child of this graph");
    if (given->owner || given->conditional_count || given->only_exec)
        return cup_error(CUDA_ERROR_NOT_SUPPORTED,
                         "the graph cannot be moved: it belongs to a node, has conditional nodes "
                         "or is instantiated");
    params->given.graph.graph = given;
    given->owner = node;
    return CUDA_SUCCESS;
}

/* The parameter block is new and not shared yet, so it may be written. */
static CUresult child_attach_locked(struct CUgraphNode_st *node, struct cup_node_params *params)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct CUgraph_st *given = (struct CUgraph_st *)params->object, *own;
    CUresult result;

    if (params->given.graph.ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE) {
        result = move_locked(given, node, params);
    } else {
        result = cup_graph_clone_locked(given, &own);
        if (result == CUDA_SUCCESS) {
            params->given.graph.graph = own;
            own->owner = node;
        }
    }
    if (result != CUDA_SUCCESS)
        return result;
    params->object = NULL;
    cup_graph_unref(given);
    return CUDA_SUCCESS;
}

static void child_detach_locked(struct CUgraphNode_st *node, struct cup_node_params *params)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct CUgraph_st *graph = params->given.graph.graph;

    (void)node;
    graph->owner = NULL;
    cup_graph_clear_locked(graph);
}

/* Clones the parameters: the clone's given graph is the original's own graph. */
static CUresult child_clone_locked(const struct cup_node_params *params,
                                   struct cup_node_params **clone)
{
    cup_lock_assert_held(&cup_graph_lock);
    *clone = cup_node_params_create(&cup_node_child, &params->given, 0);
    if (!*clone)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
    (*clone)->given.graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE;
    (*clone)->object = &params->given.graph.graph->base;
    cup_object_ref((*clone)->object);
    return CUDA_SUCCESS;
}

const struct cup_node_type cup_node_child = {
    .id = CU_GRAPH_NODE_TYPE_GRAPH,
    .name = "CHILD GRAPH",
    .params_bytes = sizeof(CUDA_CHILD_GRAPH_NODE_PARAMS),
    .make = child_make,
    .attach_locked = child_attach_locked,
    .detach_locked = child_detach_locked,
    .clone_locked = child_clone_locked,
    .runs_in_bodies = true,
};
