/* SPDX-License-Identifier: MIT */
/* The life cycle of graphs and nodes: creating, cloning, removing. */
#include "graph/graph.h"

#include "core/error.h"
#include "graph/condition.h"
#include "graph/graph_allocation.h"
#include "graph/node.h"
#include "os/guard.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic(uint64_t) last_id;
static _Atomic(unsigned) last_number; /* of a graph or executable graph */

static uint64_t next_id(void)
{
    return atomic_fetch_add_explicit(&last_id, 1, memory_order_relaxed) + 1;
}

unsigned cup_graph_next_number(void)
{
    return atomic_fetch_add_explicit(&last_number, 1, memory_order_relaxed) + 1;
}

static void graph_finish(struct cup_object *object)
{
    struct CUgraph_st *graph = (struct CUgraph_st *)object;

    cup_user_references_drop(&graph->users);
    cup_graph_allocations_drop(graph->allocations);
}

static void node_finish(struct cup_object *object)
{
    struct CUgraphNode_st *node = (struct CUgraphNode_st *)object;

    free(node->in.edges);
    free(node->out.edges);
    if (node->params)
        cup_node_params_unref(node->params);
    for (size_t i = 0; i < node->lent.count; i++)
        cup_node_params_unref(node->lent.list[i]);
    free(node->lent.list);
}

void cup_graph_register(void)
{
    cup_object_register(CUP_OBJECT_GRAPH, sizeof(struct CUgraph_st), graph_finish);
    cup_object_register(CUP_OBJECT_GRAPH_NODE, sizeof(struct CUgraphNode_st), node_finish);
}

CUresult cup_graph_create(struct CUgraph_st **graph)
{
    struct CUgraph_st *made = (struct CUgraph_st *)cup_object_create(CUP_OBJECT_GRAPH);

    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a graph");
    made->id = next_id();
    made->number = cup_graph_next_number();
    cup_object_publish(&made->base);
    *graph = made;
    return CUDA_SUCCESS;
}

static void link_node_locked(struct CUgraph_st *graph, struct CUgraphNode_st *node)
{
    cup_lock_assert_held(&cup_graph_lock);
    node->graph = graph;
    node->previous = graph->last;
    if (graph->last)
        graph->last->next = node;
    else
        graph->first = node;
    graph->last = node;
    graph->node_count++;
    node->ordinal = graph->next_ordinal++;
    cup_node_exits_locked(node);
    cup_root_link_locked(node);
}

/* Retires the node's handle and drops its reference. The caller has removed its edges and updated
 * the roots. */
static void end_node_locked(struct CUgraphNode_st *node)
{
    cup_lock_assert_held(&cup_graph_lock);
    const struct cup_node_type *type = node->params->type;

    if (type->detach_locked)
        type->detach_locked(node, node->params);
    node->graph = NULL;
    cup_object_retire(&node->base, CUP_RETIRED_DESTROYED);
    cup_node_unref(node);
}

static void unlink_node_locked(struct CUgraphNode_st *node)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct CUgraph_st *graph = node->graph;

    cup_edges_cut_locked(node);
    cup_root_unlink_locked(node);
    *(node->previous ? &node->previous->next : &graph->first) = node->next;
    *(node->next ? &node->next->previous : &graph->last) = node->previous;
    graph->node_count--;
}

/* Destroys all nodes; edges need not be removed one by one. */
void cup_graph_clear_locked(struct CUgraph_st *graph)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct CUgraphNode_st *next;

    graph->is_gone = true;
    for (struct CUgraphNode_st *node = graph->first; node; node = next) {
        next = node->next;
        end_node_locked(node);
    }
    graph->first = graph->last = graph->first_root = NULL;
    graph->node_count = graph->edge_count = 0;
    cup_conditions_end_locked(graph);
    cup_object_retire(&graph->base, CUP_RETIRED_DESTROYED);
    cup_graph_unref(graph);
}

CUresult cup_graph_destroy(struct CUgraph_st *graph)
{
    CUresult result = CUDA_SUCCESS;

    /* keeps the graph until the lock is released: its destruction makes calls */
    cup_graph_ref(graph);
    cup_lock_acquire(&cup_graph_lock);
    if (graph->is_gone || graph->owner)
        result =
            cup_error(CUDA_ERROR_INVALID_VALUE, "the graph was destroyed, or belongs to a node");
    else if (graph->is_captured_into)
        result = cup_error(CUDA_ERROR_ILLEGAL_STATE, "a stream is capturing into the graph");
    else
        cup_graph_clear_locked(graph);
    cup_lock_release(&cup_graph_lock);
    cup_graph_unref(graph);
    return result;
}

static struct CUgraphNode_st *node_create(struct cup_node_params *params)
{
    struct CUgraphNode_st *node = (struct CUgraphNode_st *)cup_object_create(CUP_OBJECT_GRAPH_NODE);

    if (node) {
        node->id = next_id();
        node->params = params;
    }
    return node;
}

static CUresult add_locked(struct CUgraph_st *graph, const struct cup_edge *dependencies,
                           size_t count, bool check_edges, struct cup_node_params *params,
                           struct CUgraphNode_st **node)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct CUgraphNode_st *made = node_create(params);
    CUresult result = CUDA_SUCCESS;

    if (!made)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
    link_node_locked(graph, made);
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++) {
        if (check_edges)
            result = cup_edge_check(dependencies[i].node, made, &dependencies[i].data);
        if (result == CUDA_SUCCESS)
            result = cup_edge_add_locked(dependencies[i].node, made, &dependencies[i].data);
    }
    if (result == CUDA_SUCCESS && params->type->attach_locked)
        result = params->type->attach_locked(made, params);
    if (result != CUDA_SUCCESS) {
        /* Destroy the node, which nobody knows yet. The caller keeps the parameters. */
        unlink_node_locked(made);
        made->graph = NULL;
        made->params = NULL;
        cup_node_unref(made);
        return result;
    }
    cup_object_publish(&made->base);
    *node = made;
    return CUDA_SUCCESS;
}

CUresult cup_graph_add_node_locked(struct CUgraph_st *graph, const struct cup_edge *dependencies,
                                   size_t count, struct cup_node_params *params,
                                   struct CUgraphNode_st **node)
{
    cup_lock_assert_held(&cup_graph_lock);
    return add_locked(graph, dependencies, count, true, params, node);
}

CUresult cup_graph_add_captured_locked(struct CUgraph_st *graph,
                                       const struct cup_edge *dependencies, size_t count,
                                       struct cup_node_params *params, struct CUgraphNode_st **node)
{
    cup_lock_assert_held(&cup_graph_lock);
    return add_locked(graph, dependencies, count, false, params, node);
}

/* The application's lists and their copy. Reading them may fault: they may be shorter than the
 * application says. */
struct given_list {
    const CUgraphNode *nodes;
    const CUgraphEdgeData *edges;
    size_t count;
    struct cup_edge *copy;
};

static void given_list_read(void *argument)
{
    struct given_list *list = argument;

    for (size_t i = 0; i < list->count; i++) {
        list->copy[i].node = list->nodes[i];
        if (list->edges)
            list->copy[i].data = list->edges[i];
    }
}

/* Copies the list of dependencies. It cannot be longer than the graph, as a node has each
 * dependency once. */
static CUresult read_dependencies(struct CUgraph_st *graph, const CUgraphNode *nodes,
                                  const CUgraphEdgeData *edges, size_t count,
                                  struct cup_edge **dependencies)
{
    struct given_list list = {nodes, edges, count, NULL};

    *dependencies = NULL;
    if (count == 0)
        return CUDA_SUCCESS;
    cup_lock_acquire(&cup_graph_lock);
    bool too_many = count > graph->node_count;
    cup_lock_release(&cup_graph_lock);
    if (!nodes || too_many)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the list of %zu dependencies is NULL or longer than the graph", count);
    list.copy = calloc(count, sizeof(*list.copy));
    if (!list.copy)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for %zu dependencies", count);
    if (!cup_guard_run(given_list_read, &list)) {
        free(list.copy);
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a list of dependencies is not readable");
    }
    *dependencies = list.copy;
    return CUDA_SUCCESS;
}

/* Resolves handles to nodes, which the lock keeps alive. */
static CUresult resolve_locked(struct CUgraph_st *graph, struct cup_edge *dependencies,
                               size_t count)
{
    cup_lock_assert_held(&cup_graph_lock);
    for (size_t i = 0; i < count; i++) {
        struct CUgraphNode_st *node;
        CUresult result = cup_node_find(dependencies[i].node, &node);
        if (result != CUDA_SUCCESS)
            return result;
        cup_node_unref(node);
        if (node->graph != graph)
            return cup_error(CUDA_ERROR_INVALID_VALUE, "a dependency belongs to another graph");
    }
    return CUDA_SUCCESS;
}

CUresult cup_graph_add_node(struct CUgraph_st *graph, const CUgraphNode *dependencies,
                            const CUgraphEdgeData *edges, size_t count,
                            struct cup_node_params *params, struct CUgraphNode_st **node)
{
    struct cup_edge *read;
    CUresult result = read_dependencies(graph, dependencies, edges, count, &read);

    if (result != CUDA_SUCCESS)
        return result;
    cup_lock_acquire(&cup_graph_lock);
    if (graph->is_gone)
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "the graph has just been destroyed");
    if (result == CUDA_SUCCESS)
        result = resolve_locked(graph, read, count);
    if (result == CUDA_SUCCESS)
        result = cup_graph_add_node_locked(graph, read, count, params, node);
    cup_lock_release(&cup_graph_lock);
    free(read);
    return result;
}

bool cup_node_is_in_body(const struct CUgraphNode_st *node)
{
    bool is_in_body = false;

    cup_lock_acquire(&cup_graph_lock);
    while (node && node->graph && !is_in_body) {
        node = node->graph->owner;
        is_in_body = node && node->params->type->id == CU_GRAPH_NODE_TYPE_CONDITIONAL;
    }
    cup_lock_release(&cup_graph_lock);
    return is_in_body;
}

bool cup_graph_has_memory_locked(const struct CUgraph_st *graph)
{
    cup_lock_assert_held(&cup_graph_lock);
    bool found = graph->memory_node_count != 0;

    for (const struct CUgraphNode_st *node = graph->first; node && !found; node = node->next)
        found = node->params->type->id == CU_GRAPH_NODE_TYPE_GRAPH &&
                cup_graph_has_memory_locked(node->params->given.graph.graph);
    return found;
}

/* Whether the node's graph keeps its nodes, because it allocates or frees. */
static bool is_kept_locked(const struct CUgraphNode_st *node)
{
    cup_lock_assert_held(&cup_graph_lock);
    return node->graph->memory_node_count ||
           (node->params->type->id == CU_GRAPH_NODE_TYPE_GRAPH &&
            cup_graph_has_memory_locked(node->params->given.graph.graph));
}

bool cup_graph_is_updatable_locked(const struct CUgraph_st *graph)
{
    cup_lock_assert_held(&cup_graph_lock);
    const struct CUgraphNode_st *node = graph->first;

    while (node && !node->params->attributes.updatable)
        node = node->next;
    return node != NULL;
}

CUresult cup_graph_remove_node(struct CUgraphNode_st *node)
{
    CUresult result = CUDA_SUCCESS;

    cup_lock_acquire(&cup_graph_lock);
    if (!node->graph) {
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "the node has just been destroyed");
    } else if (node->graph->is_captured_into) {
        result = cup_error(CUDA_ERROR_ILLEGAL_STATE, "a stream is capturing into the graph");
    } else if (node->params->attributes.updatable) {
        result = cup_error(CUDA_ERROR_NOT_SUPPORTED, "a device updates the node");
    } else if (is_kept_locked(node)) {
        result =
            cup_error(CUDA_ERROR_NOT_SUPPORTED,
                      "nodes and edges of a graph with allocations or frees cannot be removed");
    } else {
        unlink_node_locked(node);
        end_node_locked(node);
    }
    cup_lock_release(&cup_graph_lock);
    return result;
}

/* Whether the node is a child node that does not have its graph yet. It is linked before, because
 * its graph may be a clone of the graph it is in. */
static bool is_unfinished(const struct CUgraphNode_st *node)
{
    return node->params->type->id == CU_GRAPH_NODE_TYPE_GRAPH && node->params->object;
}

/* Clones a node. `mark` of the original nodes is their index, by which edges find the copies. */
static CUresult clone_node_locked(struct CUgraph_st *clone, struct CUgraphNode_st *original,
                                  struct CUgraphNode_st **copies, uint32_t index)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct cup_node_params *params = original->params;
    struct CUgraphNode_st *copy;
    CUresult result = CUDA_SUCCESS;

    if (params->type->clone_locked)
        result = params->type->clone_locked(params, &params);
    else
        cup_node_params_ref(params);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_graph_add_node_locked(clone, NULL, 0, params, &copy);
    if (result != CUDA_SUCCESS) {
        cup_node_params_unref(params);
        return result;
    }
    copy->original_id = original->id;
    copy->exit_number = original->exit_number;
    original->mark = index;
    copies[index] = copy;
    return CUDA_SUCCESS;
}

static CUresult clone_edges_locked(struct CUgraph_st *original, struct CUgraphNode_st **copies)
{
    cup_lock_assert_held(&cup_graph_lock);
    CUresult result = CUDA_SUCCESS;

    for (struct CUgraphNode_st *node = original->first; node; node = node->next) {
        for (uint32_t i = 0; !is_unfinished(node) && i < node->in.count && result == CUDA_SUCCESS;
             i++)
            result = cup_edge_add_locked(copies[node->in.edges[i].node->mark], copies[node->mark],
                                         &node->in.edges[i].data);
    }
    return result;
}

static CUresult clone_into_locked(struct CUgraph_st *original, struct CUgraph_st *clone)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct CUgraphNode_st **copies =
        calloc(original->node_count + 1, sizeof(struct CUgraphNode_st *));
    CUresult result = copies ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    uint32_t index = 0;

    for (struct CUgraphNode_st *node = original->first; node && result == CUDA_SUCCESS;
         node = node->next) {
        if (!is_unfinished(node))
            result = clone_node_locked(clone, node, copies, index++);
    }
    if (result == CUDA_SUCCESS)
        result = clone_edges_locked(original, copies);
    if (result == CUDA_SUCCESS)
        result = cup_user_references_copy(&clone->users, &original->users);
    free(copies);
    return result;
}

CUresult cup_graph_clone_locked(struct CUgraph_st *original, struct CUgraph_st **clone)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct CUgraph_st *made;

    if (original->is_gone)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the graph has just been destroyed");
    if (original->memory_node_count || original->conditional_count ||
        (original->owner && original->owner->params->type->id == CU_GRAPH_NODE_TYPE_CONDITIONAL))
        return cup_error(CUDA_ERROR_NOT_SUPPORTED,
                         "a graph with allocations, frees or conditionals cannot be cloned");
    CUresult result = cup_graph_create(&made);
    if (result != CUDA_SUCCESS)
        return result;
    result = clone_into_locked(original, made);
    if (result == CUDA_SUCCESS)
        *clone = made;
    else
        cup_graph_clear_locked(made);
    return result;
}

CUresult cup_graph_clone(struct CUgraph_st *original, struct CUgraph_st **clone)
{
    cup_lock_acquire(&cup_graph_lock);
    CUresult result = cup_graph_is_updatable_locked(original)
                          ? cup_error(CUDA_ERROR_NOT_SUPPORTED, "a device updates its nodes")
                          : cup_graph_clone_locked(original, clone);
    cup_lock_release(&cup_graph_lock);
    return result;
}

struct CUgraphNode_st *cup_graph_find_in_clone(struct CUgraph_st *clone,
                                               const struct CUgraphNode_st *original)
{
    struct CUgraphNode_st *node;

    cup_lock_acquire(&cup_graph_lock);
    for (node = clone->first; node && node->original_id != original->id; node = node->next)
        ;
    cup_lock_release(&cup_graph_lock);
    return node;
}
