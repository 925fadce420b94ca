/* SPDX-License-Identifier: MIT */
/* The order in which NVIDIA's driver walks over a graph: from the nodes that nothing depends on,
 * the latest of them first, to their dependencies in the order of the edges, breadth first. Updates
 * of executable graphs pair nodes in this order, and DOT files number them by it. */
#include "graph/graph.h"

#include <stdlib.h>

static int latest_first(const void *a, const void *b)
{
    uint64_t left = (*(struct CUgraphNode_st *const *)a)->exit_number,
             right = (*(struct CUgraphNode_st *const *)b)->exit_number;

    return left < right ? 1 : left > right ? -1 : 0;
}

size_t cup_graph_exits_locked(const struct CUgraph_st *graph, struct CUgraphNode_st **nodes)
{
    cup_lock_assert_held(&cup_graph_lock);
    size_t count = 0;

    for (struct CUgraphNode_st *node = graph->first; node; node = node->next) {
        if (node->out.count == 0)
            nodes[count++] = node;
    }
    qsort(nodes, count, sizeof(struct CUgraphNode_st *), latest_first);
    return count;
}

void cup_graph_order_locked(const struct CUgraph_st *graph, struct CUgraphNode_st **nodes)
{
    cup_lock_assert_held(&cup_graph_lock);
    size_t count = cup_graph_exits_locked(graph, nodes);

    for (struct CUgraphNode_st *node = graph->first; node; node = node->next)
        node->mark = node->out.count == 0;
    for (size_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < nodes[i]->in.count; j++) {
            struct CUgraphNode_st *before = nodes[i]->in.edges[j].node;
            if (!before->mark)
                nodes[count++] = before;
            before->mark = 1;
        }
    }
    for (struct CUgraphNode_st *node = graph->first; node; node = node->next) {
        if (!node->mark) /* only circles lead to it */
            nodes[count++] = node;
    }
    for (size_t i = 0; i < count; i++)
        nodes[i]->mark = (uint32_t)i;
}
