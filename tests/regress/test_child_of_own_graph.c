/* SPDX-License-Identifier: MIT */
/* A child node's graph becomes a clone of the graph that the node is in. That clone has the node as
 * it was before, and all edges; it was made without the node, and the edges of others to it led
 * anywhere. */
#include "test.h"

static CUgraphNode add_empty(CUgraph graph, const CUgraphNode *after)
{
    CUgraphNode node;

    check_success(cuGraphAddEmptyNode(&node, graph, after, after != NULL));
    return node;
}

TEST(set_child_to_graph_of_node)
{
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_GRAPH};
    CUgraphNode node, nodes[4], first;
    CUgraph graph, inner, child;
    CUgraphExec exec;
    size_t count = 4, edges;

    with_context();
    check_success(cuGraphCreate(&graph, 0));
    check_success(cuGraphCreate(&inner, 0));
    add_empty(inner, NULL);
    add_empty(inner, NULL);
    first = add_empty(graph, NULL);
    check_success(cuGraphAddChildGraphNode(&node, graph, &first, 1, inner));
    add_empty(graph, &node);

    params.graph.graph = graph;
    check_success(cuGraphNodeSetParams(node, &params));

    check_success(cuGraphChildGraphNodeGetGraph(node, &child));
    check_success(cuGraphGetNodes(child, nodes, &count));
    check(count == 3);
    check_success(cuGraphGetEdges(child, NULL, NULL, NULL, &edges));
    check(edges == 2);
    check_success(cuGraphChildGraphNodeGetGraph(nodes[1], &child));
    check_success(cuGraphGetNodes(child, NULL, &count));
    check(count == 2);

    check_success(cuGraphInstantiate(&exec, graph, 0));
    check_success(cuGraphLaunch(exec, NULL));
    check_success(cuStreamSynchronize(NULL));
    check_success(cuGraphExecDestroy(exec));
    check_success(cuGraphDestroy(graph));
    check_success(cuGraphDestroy(inner));
}
