/* SPDX-License-Identifier: MIT */
/* Writes a graph as a DOT file in the structure that NVIDIA's driver gives it: a cluster for each
 * graph, the outermost first and those in its nodes behind it, with the nodes and then the edges.
 * Programs count shapes, kinds of copies and lines in such files. */
#include "graph/dot.h"

#include "core/error.h"
#include "core/lock.h"

#include <errno.h>
#include <stdlib.h>

static bool add_graph(struct cup_dot *dot, struct CUgraph_st *graph)
{
    struct CUgraph_st **added = cup_dynarray_add(&dot->graphs.array, sizeof(struct CUgraph_st *));

    if (added)
        *added = graph;
    return added != NULL;
}

/* Adds the graphs in a node to those to write. */
static bool add_inside_locked(struct cup_dot *dot, const struct CUgraphNode_st *node)
{
    cup_lock_assert_held(&cup_graph_lock);
    const CUDA_CONDITIONAL_NODE_PARAMS *conditional = &node->params->given.conditional;
    bool added = true;

    if (node->params->type->id == CU_GRAPH_NODE_TYPE_GRAPH)
        return add_graph(dot, node->params->given.graph.graph);
    for (unsigned i = 0;
         node->params->type->id == CU_GRAPH_NODE_TYPE_CONDITIONAL && i < conditional->size && added;
         i++)
        added = add_graph(dot, conditional->phGraph_out[i]);
    return added;
}

static unsigned place_of_edge(const struct CUgraphNode_st *from, const struct CUgraphNode_st *to)
{
    unsigned place = 0;

    while (place < to->in.count && to->in.edges[place].node != from)
        place++;
    return place;
}

static void write_edges_locked(const struct cup_dot *dot, const struct CUgraphNode_st *node)
{
    cup_lock_assert_held(&cup_graph_lock);
    unsigned graph = node->graph->number;

    for (uint32_t i = 0; i < node->out.count; i++) {
        const struct CUgraphNode_st *to = node->out.edges[i].node;
        fprintf(dot->file, "\"graph_%u_node_%u\" -> \"graph_%u_node_%u\"", graph, node->ordinal,
                graph, to->ordinal);
        if (cup_dot_asks(dot, CU_GRAPH_DEBUG_DOT_FLAGS_EXTRA_TOPO_INFO))
            fprintf(dot->file, " [headlabel=%u]", place_of_edge(node, to));
        fputs(";\n", dot->file);
    }
}

static bool write_cluster_locked(struct cup_dot *dot, struct CUgraph_st *graph)
{
    cup_lock_assert_held(&cup_graph_lock);
    struct CUgraphNode_st **order =
        malloc((graph->node_count + 1) * sizeof(struct CUgraphNode_st *));
    bool done = order != NULL;

    if (!done)
        return false;
    cup_graph_order_locked(graph, order);
    free(order);
    fprintf(dot->file, "subgraph cluster_%u {\nlabel=\"graph_%u\" graph[style=\"dashed\"];\n",
            graph->number, graph->number);
    for (struct CUgraphNode_st *node = graph->first; node && done; node = node->next) {
        fprintf(dot->file, "\"graph_%u_node_%u\"[", graph->number, node->ordinal);
        cup_dot_write_node_locked(dot, node);
        fputs("\"];\n\n", dot->file);
        done = add_inside_locked(dot, node);
    }
    for (struct CUgraphNode_st *node = graph->first; node; node = node->next)
        write_edges_locked(dot, node);
    fputs("}\n", dot->file);
    return done;
}

static CUresult write_all_locked(struct cup_dot *dot, struct CUgraph_st *graph)
{
    cup_lock_assert_held(&cup_graph_lock);
    bool done = add_graph(dot, graph);

    fputs("digraph dot {\n", dot->file);
    for (size_t i = 0; i < dot->graphs.count && done; i++)
        done = write_cluster_locked(dot, dot->graphs.list[i]);
    fputs("}\n", dot->file);
    free(dot->graphs.list);
    return done ? CUDA_SUCCESS
                : cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory to write a DOT file");
}

CUresult cup_graph_write_dot(struct CUgraph_st *graph, const char *path, unsigned flags)
{
    struct cup_dot dot = {.file = fopen(path, "we"), .flags = flags};

    if (!dot.file)
        return cup_error(CUDA_ERROR_OPERATING_SYSTEM, "%s cannot be written: error %d", path,
                         errno);
    cup_lock_acquire(&cup_graph_lock);
    CUresult result = write_all_locked(&dot, graph);
    cup_lock_release(&cup_graph_lock);
    if (fclose(dot.file) != 0)
        return cup_error(CUDA_ERROR_OPERATING_SYSTEM, "%s cannot be written", path);
    return result;
}
