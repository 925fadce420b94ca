/* SPDX-License-Identifier: MIT */
/* Graphs inside nodes: children that are moved, and contexts of conditional bodies. */
#include "graphs.h"

#include <sys/resource.h>

static CUresult add_child(CUgraphNode *node, CUgraph graph, CUgraph child,
                          CUgraphChildGraphNodeOwnership ownership)
{
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_GRAPH};

    params.graph.graph = child;
    params.graph.ownership = ownership;
    return cuGraphAddNode(node, graph, NULL, NULL, 0, &params);
}

static CUgraph allocating_graph(void)
{
    CUDA_MEM_ALLOC_NODE_PARAMS params = {.bytesize = 4096};
    CUgraph graph = new_graph();
    CUgraphNode allocation, end;

    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    check_success(cuGraphAddMemAllocNode(&allocation, graph, NULL, 0, &params));
    check_success(cuGraphAddMemFreeNode(&end, graph, &allocation, 1, params.dptr));
    return graph;
}

/* Address space that this process may still take. */
static void limit_addresses(rlim_t left)
{
    struct rlimit limit;
    unsigned long pages;
    FILE *file = fopen("/proc/self/statm", "r");

    check(file && fscanf(file, "%lu", &pages) == 1 && getrlimit(RLIMIT_AS, &limit) == 0);
    fclose(file);
    limit.rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE) + left;
    check(setrlimit(RLIMIT_AS, &limit) == 0);
}

TEST(memory_of_graphs_needs_few_addresses)
{
    with_context();
    executable(new_graph());
    limit_addresses((rlim_t)32 << 30);
    executable(allocating_graph());
}

TEST(a_moved_graph_belongs_to_its_node)
{
    CUgraph graph = NULL, child = NULL, found = NULL, clone;
    CUgraphNode node, other;
    CUgraphExec exec;

    with_context();
    graph = new_graph();
    child = new_graph();
    exec = executable(child);
    check_success(add_child(&node, graph, child, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE));
    check_success(cuGraphChildGraphNodeGetGraph(node, &found));
    check(found == child);
    add_fill(child, NULL, 0, device_words(1), 1, 4, 1);
    check_result(cuGraphExecUpdate(exec, child, NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphInstantiate(&exec, child, 0), CUDA_ERROR_NOT_SUPPORTED);
    check_result(add_child(&other, new_graph(), child, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE),
                 CUDA_ERROR_NOT_SUPPORTED);
    check_result(add_child(&other, new_graph(), child, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE),
                 CUDA_ERROR_NOT_SUPPORTED);
    check_result(cuGraphDestroy(child), CUDA_ERROR_INVALID_VALUE);
    check_success(cuGraphClone(&clone, child));
    check_success(cuGraphClone(&clone, graph));
    check_success(cuGraphLaunch(executable(clone), NULL));
}

TEST(a_graph_that_is_captured_into_can_be_moved)
{
    CUgraphNode node;

    with_context();
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUgraph graph = new_graph(), child = new_graph(), ended = NULL;
    check_success(
        cuStreamBeginCaptureToGraph(stream, child, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_RELAXED));
    check_success(add_child(&node, graph, child, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE));
    check_success(cuStreamEndCapture(stream, &ended));
    check(ended == child);
}

TEST(a_child_with_allocations_binds_its_parent)
{
    CUgraphExec exec, second;
    CUgraphNode node;
    CUgraph clone;

    with_context();
    CUgraph graph = new_graph(), child = allocating_graph();
    check_result(add_child(&node, graph, child, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE),
                 CUDA_ERROR_NOT_SUPPORTED);
    check_success(add_child(&node, graph, child, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE));
    check_result(cuGraphClone(&clone, graph), CUDA_ERROR_NOT_SUPPORTED);
    check_result(cuGraphDestroyNode(node), CUDA_ERROR_NOT_SUPPORTED);
    check_success(cuGraphInstantiate(&exec, graph, 0));
    check_result(cuGraphInstantiate(&second, graph, 0), CUDA_ERROR_NOT_SUPPORTED);
    check_result(add_child(&node, new_graph(), graph, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE),
                 CUDA_ERROR_NOT_SUPPORTED);
    check_success(cuGraphExecDestroy(exec));
    check_success(cuGraphInstantiate(&exec, graph, 0));
}

/* Adds a conditional node of the context and returns its body. */
static CUresult add_condition(CUgraph graph, CUcontext handle_context, CUcontext context,
                              CUgraph *body)
{
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};
    CUgraphNode node;

    check_success(cuGraphConditionalHandleCreate(&params.conditional.handle, graph, handle_context,
                                                 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
    params.conditional.type = CU_GRAPH_COND_TYPE_IF;
    params.conditional.size = 1;
    params.conditional.ctx = context;
    CUresult result = cuGraphAddNode(&node, graph, NULL, NULL, 0, &params);
    if (result == CUDA_SUCCESS)
        *body = params.conditional.phGraph_out[0];
    return result;
}

static void check_refused(CUgraph graph, CUgraphNode node)
{
    CUDA_GRAPH_INSTANTIATE_PARAMS params = {0};
    CUgraphExec exec;

    check_result(cuGraphInstantiateWithParams(&exec, graph, &params), CUDA_ERROR_INVALID_VALUE);
    check(params.result_out == CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED);
    check(params.hErrNode_out == node);
}

TEST(a_body_runs_in_the_context_of_its_conditional_node)
{
    CUctxCreateParams create = {0};
    CUcontext other;
    CUgraph body;

    with_context();
    CUcontext context = current_context();
    CUdeviceptr words = device_words(64);
    check_success(cuCtxCreate(&other, &create, 0, 0));
    CUfunction scale = graph_functions_load().scale;
    CUdeviceptr other_words = device_words(64);
    check_success(cuCtxSetCurrent(context));

    CUgraph graph = new_graph();
    check_success(add_condition(graph, context, context, &body));
    check_refused(graph, add_scale(body, NULL, 0, scale, words, 64, 2));

    graph = new_graph();
    check_success(add_condition(graph, other, other, &body));
    check_refused(graph, add_fill(body, NULL, 0, words, 1, 4, 64));

    graph = new_graph();
    check_success(add_condition(graph, other, other, &body));
    add_scale(body, NULL, 0, scale, other_words, 64, 2);
    check_success(cuGraphLaunch(executable(graph), NULL));
    check_success(cuCtxSynchronize());
    check(device_word(other_words) == 1);
    check_result(add_condition(graph, other, context, &body), CUDA_ERROR_INVALID_VALUE);
}
