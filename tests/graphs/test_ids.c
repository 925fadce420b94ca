/* SPDX-License-Identifier: MIT */
/* The numbers of graphs, executable graphs and nodes, and the graph that contains a node. */
#include "graphs.h"

static unsigned id_of(CUgraph graph)
{
    unsigned id = 0;

    check_success(cuGraphGetId(graph, &id));
    return id;
}

static unsigned exec_id_of(CUgraphExec exec)
{
    unsigned id = 0;

    check_success(cuGraphExecGetId(exec, &id));
    return id;
}

static unsigned local_id_of(CUgraphNode node)
{
    unsigned id = ~0u;

    check_success(cuGraphNodeGetLocalId(node, &id));
    return id;
}

static unsigned long long tools_id_of(CUgraphNode node)
{
    unsigned long long id = 0;

    check_success(cuGraphNodeGetToolsId(node, &id));
    return id;
}

static CUgraphNode add_empty(CUgraph graph)
{
    CUgraphNode node;

    check_success(cuGraphAddEmptyNode(&node, graph, NULL, 0));
    return node;
}

static CUgraph child_of(CUgraphNode node)
{
    CUgraph child;

    check_success(cuGraphChildGraphNodeGetGraph(node, &child));
    return child;
}

static CUgraph graph_of(CUgraphNode node)
{
    CUgraph graph = NULL;

    check_success(cuGraphNodeGetContainingGraph(node, &graph));
    return graph;
}

/* Graphs and executable graphs have different numbers, also after some are gone. */
TEST(ids_are_unique)
{
    unsigned seen[8], count = 0;

    need_driver(13010);
    with_context();
    CUgraph first = new_graph(), second = new_graph(), clone;
    seen[count++] = id_of(first);
    seen[count++] = id_of(second);
    check_success(cuGraphClone(&clone, first));
    seen[count++] = id_of(clone);
    CUgraphExec exec = executable(first);
    seen[count++] = exec_id_of(exec);
    check_success(cuGraphExecDestroy(exec));
    exec = executable(first);
    seen[count++] = exec_id_of(exec);
    check_success(cuGraphDestroy(clone));
    seen[count++] = id_of(new_graph());
    check(id_of(first) == seen[0] && exec_id_of(exec) == seen[4]);
    for (unsigned i = 0; i < count; i++) {
        for (unsigned j = 0; j < i; j++)
            check(seen[i] != seen[j]);
    }
}

/* A node that is removed leaves its number unused. */
TEST(local_ids_count_the_nodes_of_a_graph)
{
    need_driver(13010);
    with_context();
    CUgraph graph = new_graph(), other = new_graph();
    CUgraphNode nodes[3] = {add_empty(graph), add_empty(graph), add_empty(graph)};
    for (unsigned i = 0; i < 3; i++)
        check(local_id_of(nodes[i]) == i);
    check(local_id_of(add_empty(other)) == 0);
    check_success(cuGraphDestroyNode(nodes[1]));
    check(local_id_of(nodes[2]) == 2);
    check(local_id_of(add_empty(graph)) == 3);
}

TEST(ids_are_those_of_dot_files)
{
    char path[64], text[4096] = "", wanted[64];

    need_driver(13010);
    with_context();
    CUgraph graph = new_graph();
    add_empty(graph);
    CUgraphNode node = add_empty(graph);
    snprintf(path, sizeof(path), "/tmp/cupipe-test-ids-%d.dot", (int)getpid());
    check_success(cuGraphDebugDotPrint(graph, path, 0));
    FILE *file = fopen(path, "r");
    check(file != NULL);
    check(fread(text, 1, sizeof(text) - 1, file) > 0);
    fclose(file);
    unlink(path);
    snprintf(wanted, sizeof(wanted), "label=\"graph_%u\"", id_of(graph));
    check(strstr(text, wanted) != NULL);
    snprintf(wanted, sizeof(wanted), "\"graph_%u_node_%u\"", id_of(graph), local_id_of(node));
    check(strstr(text, wanted) != NULL);
}

TEST(tools_ids_are_unique)
{
    CUgraphNode nodes[4];

    need_driver(13010);
    with_context();
    CUgraph graph = new_graph(), other = new_graph();
    nodes[0] = add_empty(graph);
    nodes[1] = add_empty(graph);
    nodes[2] = add_empty(other);
    check_success(cuGraphAddChildGraphNode(&nodes[3], graph, NULL, 0, other));
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned j = 0; j < i; j++)
            check(tools_id_of(nodes[i]) != tools_id_of(nodes[j]));
    }
    check(tools_id_of(nodes[0]) == tools_id_of(nodes[0]));
}

/* A node of a child graph is in the child graph, not in the graph around it. */
TEST(nodes_know_their_graph)
{
    CUgraphNode child, inside;
    size_t count = 1;

    need_driver(13010);
    with_context();
    CUgraph graph = new_graph(), inner = new_graph();
    CUgraphNode original = add_empty(inner);
    check_success(cuGraphAddChildGraphNode(&child, graph, NULL, 0, inner));
    check(graph_of(original) == inner && graph_of(child) == graph);
    check_success(cuGraphGetNodes(child_of(child), &inside, &count));
    check(graph_of(inside) == child_of(child) && graph_of(inside) != inner);
    check(id_of(graph_of(inside)) != id_of(inner));
}

TEST(missing_arguments_are_invalid)
{
    CUgraph graph;
    unsigned id;
    unsigned long long wide;

    need_driver(13010);
    with_context();
    CUgraphNode node = add_empty(new_graph());
    check_result(cuGraphGetId(new_graph(), NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphGetId(NULL, &id), CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphExecGetId(NULL, &id), CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphExecGetId(executable(new_graph()), NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphNodeGetContainingGraph(NULL, &graph), CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphNodeGetContainingGraph(node, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphNodeGetLocalId(NULL, &id), CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphNodeGetLocalId(node, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphNodeGetToolsId(NULL, &wide), CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphNodeGetToolsId(node, NULL), CUDA_ERROR_INVALID_VALUE);
    check_success(cuGraphDestroyNode(node));
    only_cupipe(); /* NVIDIA's driver reads freed memory */
    check_result(cuGraphNodeGetLocalId(node, &id), CUDA_ERROR_INVALID_VALUE);
}

TEST(ids_need_no_context_but_cuInit)
{
    unsigned id = 7;

    check_result(cuGraphGetId(NULL, &id), CUDA_ERROR_NOT_INITIALIZED);
    check_success(cuInit(0));
    check(id_of(new_graph()) != 0 && id == 7);
}

/* The functions came with CUDA 13.1. */
TEST(older_callers_find_no_ids)
{
    CUdriverProcAddressQueryResult status;
    void *function;

    check_success(cuInit(0));
    only_cupipe();
    check_success(cuGetProcAddress("cuGraphGetId", &function, 13000, 0, &status));
    check(function == NULL && status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    check_success(cuGetProcAddress("cuGraphGetId", &function, 13010, 0, &status));
    check(function != NULL);
}
