/* SPDX-License-Identifier: MIT */
/* Edges. Each is stored at both ends: in `out` of the first node in the order of adding, and in
 * `in` of the second node in the order in which its dependencies were given. */
#include "core/error.h"
#include "graph/graph.h"
#include "graph/node.h"
#include "os/guard.h"

#include <stdlib.h>
#include <string.h>

bool cup_edge_data_is_default(const CUgraphEdgeData *data)
{
    return data->from_port == 0 && data->to_port == 0 && data->type == 0;
}

static bool is_kernel(const struct CUgraphNode_st *node)
{
    return node->params->type->id == CU_GRAPH_NODE_TYPE_KERNEL;
}

/* Kernels have two more outgoing ports: one when the kernel triggers it, one when its blocks have
 * begun. The former takes only programmatic edges, which are between kernels. */
static CUresult check(const struct CUgraphNode_st *from, bool to_kernel,
                      const CUgraphEdgeData *data)
{
    static const unsigned char none[sizeof(data->reserved)];
    bool is_programmatic = data->type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    bool valid = data->to_port == 0 && memcmp(data->reserved, none, sizeof(none)) == 0 &&
                 data->type <= CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;

    if (is_programmatic)
        valid = valid && data->from_port != CU_GRAPH_KERNEL_NODE_PORT_DEFAULT && to_kernel;
    else
        valid = valid && data->from_port != CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
    if (data->from_port != CU_GRAPH_KERNEL_NODE_PORT_DEFAULT)
        valid =
            valid && data->from_port <= CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER && is_kernel(from);
    if (!valid)
        return cup_error(
            CUDA_ERROR_INVALID_VALUE,
            "an edge from port %u to port %u of type %u is not allowed between these nodes",
            data->from_port, data->to_port, data->type);
    return CUDA_SUCCESS;
}

CUresult cup_edge_check(const struct CUgraphNode_st *from, const struct CUgraphNode_st *to,
                        const CUgraphEdgeData *data)
{
    if (from == to)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "an edge from a node to itself");
    return check(from, is_kernel(to), data);
}

/* Kernels accept every edge. */
CUresult cup_edge_check_from(const struct CUgraphNode_st *from, const CUgraphEdgeData *data)
{
    return check(from, true, data);
}

static bool make_room(struct cup_edge_list *list)
{
    return cup_dynarray_reserve(&list->array, 1, sizeof(*list->edges));
}

void cup_node_exits_locked(struct CUgraphNode_st *node)
{
    cup_lock_assert_held(&cup_graph_lock);
    static uint64_t last; /* guarded by cup_graph_lock */

    node->exit_number = ++last;
}

/* The index of the node in the list, or list->count. */
static size_t index_of(const struct cup_edge_list *list, const struct CUgraphNode_st *node)
{
    size_t index = 0;

    while (index < list->count && list->edges[index].node != node)
        index++;
    return index;
}

static bool has_edge(const struct CUgraphNode_st *from, const struct CUgraphNode_st *to)
{
    if (from->out.count < to->in.count)
        return index_of(&from->out, to) < from->out.count;
    return index_of(&to->in, from) < to->in.count;
}

/* The last dependency takes the place of the one that is removed. */
static void dependency_remove(struct cup_edge_list *list, const struct CUgraphNode_st *node)
{
    size_t index = index_of(list, node);

    if (index < list->count)
        list->edges[index] = list->edges[--list->count];
}

static void list_remove(struct cup_edge_list *list, const struct CUgraphNode_st *node)
{
    size_t index = index_of(list, node);

    if (index == list->count)
        return;
    memmove(&list->edges[index], &list->edges[index + 1],
            (list->count - index - 1) * sizeof(*list->edges));
    list->count--;
}

void cup_root_link_locked(struct CUgraphNode_st *node)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct CUgraph_st *graph = node->graph;

    node->is_root = true;
    node->previous_root = NULL;
    node->next_root = graph->first_root;
    if (graph->first_root)
        graph->first_root->previous_root = node;
    graph->first_root = node;
}

void cup_root_unlink_locked(struct CUgraphNode_st *node)
{
    cup_lock_assert_held(&cup_graph_lock);
    if (!node->is_root)
        return;
    node->is_root = false;
    *(node->previous_root ? &node->previous_root->next_root : &node->graph->first_root) =
        node->next_root;
    if (node->next_root)
        node->next_root->previous_root = node->previous_root;
}

CUresult cup_edge_add_locked(struct CUgraphNode_st *from, struct CUgraphNode_st *to,
                             const CUgraphEdgeData *data)
{
    cup_lock_assert_held(&cup_graph_lock);
    if (has_edge(from, to))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "there is already an edge between the nodes");
    if (!make_room(&from->out) || !make_room(&to->in))
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for an edge");
    from->out.edges[from->out.count++] = (struct cup_edge){to, *data};
    to->in.edges[to->in.count++] = (struct cup_edge){from, *data};
    from->graph->edge_count++;
    from->unjoined_in = 0;
    cup_root_unlink_locked(to);
    return CUDA_SUCCESS;
}

void cup_edges_cut_locked(struct CUgraphNode_st *node)
{
    cup_lock_assert_held(&cup_graph_lock);
    for (uint32_t i = 0; i < node->in.count; i++) {
        struct CUgraphNode_st *before = node->in.edges[i].node;
        list_remove(&before->out, node);
        if (before->out.count == 0)
            cup_node_exits_locked(before);
    }
    for (uint32_t i = 0; i < node->out.count; i++) {
        struct CUgraphNode_st *next = node->out.edges[i].node;
        dependency_remove(&next->in, node);
        if (next->in.count == 0 && !next->is_root)
            cup_root_link_locked(next);
    }
    node->graph->edge_count -= node->in.count + node->out.count;
    node->in.count = node->out.count = 0;
}

/* The application's lists of pairs of nodes. Reading them may fault: they may be shorter than the
 * application says. */
struct pairs {
    struct CUgraph_st *graph;
    const CUgraphNode *from, *to;
    const CUgraphEdgeData *edges;
    size_t count;
    CUresult (*action)(struct pairs *pairs, struct CUgraphNode_st *from, struct CUgraphNode_st *to,
                       const CUgraphEdgeData *data);
    /* The current pair. */
    size_t index;
    CUgraphNode from_handle, to_handle;
    CUgraphEdgeData data;
};

static void pair_read(void *argument)
{
    struct pairs *pairs = argument;

    pairs->from_handle = pairs->from[pairs->index];
    pairs->to_handle = pairs->to[pairs->index];
    pairs->data = pairs->edges ? pairs->edges[pairs->index] : (CUgraphEdgeData){0};
}

static CUresult pair_node(struct CUgraph_st *graph, CUgraphNode handle,
                          struct CUgraphNode_st **node)
{
    CUresult result = cup_node_find(handle, node);

    if (result != CUDA_SUCCESS)
        return result;
    cup_node_unref(*node); /* the lock keeps the node alive */
    if ((*node)->graph != graph)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the node belongs to another graph");
    return CUDA_SUCCESS;
}

static CUresult pairs_do_locked(struct pairs *pairs)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct CUgraphNode_st *from, *to;
    CUresult result = CUDA_SUCCESS;

    for (pairs->index = 0; pairs->index < pairs->count && result == CUDA_SUCCESS; pairs->index++) {
        if (!cup_guard_run(pair_read, pairs))
            return cup_error(CUDA_ERROR_INVALID_VALUE, "a list of nodes is not readable");
        result = pair_node(pairs->graph, pairs->from_handle, &from);
        if (result == CUDA_SUCCESS)
            result = pair_node(pairs->graph, pairs->to_handle, &to);
        if (result == CUDA_SUCCESS)
            result = pairs->action(pairs, from, to, &pairs->data);
    }
    return result;
}

static CUresult check_pair(struct pairs *pairs, struct CUgraphNode_st *from,
                           struct CUgraphNode_st *to, const CUgraphEdgeData *data)
{
    (void)pairs;
    return cup_edge_check(from, to, data);
}

static CUresult add_pair(struct pairs *pairs, struct CUgraphNode_st *from,
                         struct CUgraphNode_st *to, const CUgraphEdgeData *data)
{
    (void)pairs;
    return cup_edge_add_locked(from, to, data);
}

static CUresult remove_pair(struct pairs *pairs, struct CUgraphNode_st *from,
                            struct CUgraphNode_st *to, const CUgraphEdgeData *data)
{
    (void)data; /* there is at most one edge between two nodes */
    if (!has_edge(from, to))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "there is no edge between the nodes");
    list_remove(&from->out, to);
    dependency_remove(&to->in, from);
    if (from->out.count == 0)
        cup_node_exits_locked(from);
    pairs->graph->edge_count--;
    if (to->in.count == 0)
        cup_root_link_locked(to);
    return CUDA_SUCCESS;
}

/* All pairs are validated before the first edge is added, except for existing edges. */
CUresult cup_graph_add_dependencies(struct CUgraph_st *graph, const CUgraphNode *from,
                                    const CUgraphNode *to, const CUgraphEdgeData *edges,
                                    size_t count)
{
    struct pairs pairs = {graph, from, to, edges, count, check_pair, 0, NULL, NULL, {0}};

    if (count && (!from || !to))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a list of nodes is NULL");
    cup_lock_acquire(&cup_graph_lock);
    CUresult result = pairs_do_locked(&pairs);
    pairs.action = add_pair;
    if (result == CUDA_SUCCESS)
        result = pairs_do_locked(&pairs);
    cup_lock_release(&cup_graph_lock);
    return result;
}

CUresult cup_graph_remove_dependencies(struct CUgraph_st *graph, const CUgraphNode *from,
                                       const CUgraphNode *to, size_t count)
{
    struct pairs pairs = {graph, from, to, NULL, count, remove_pair, 0, NULL, NULL, {0}};
    CUresult result;

    if (count && (!from || !to))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a list of nodes is NULL");
    cup_lock_acquire(&cup_graph_lock);
    if (graph->memory_node_count)
        result =
            cup_error(CUDA_ERROR_NOT_SUPPORTED,
                      "nodes and edges of a graph with allocations or frees cannot be removed");
    else
        result = pairs_do_locked(&pairs);
    cup_lock_release(&cup_graph_lock);
    return result;
}
