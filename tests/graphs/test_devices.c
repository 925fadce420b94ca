/* SPDX-License-Identifier: MIT */
/* Graphs with memory of several devices or contexts: a node of an executable graph keeps the
 * devices of its operands, and where it must, their contexts. */
#include "graphs.h"

enum { DEVICES = 2, WORDS = 64, BYTES = WORDS * 4 };

static CUdeviceptr words[DEVICES], more[DEVICES];

/* Memory on two devices; device 0 is current. */
static void with_devices(void)
{
    CUcontext contexts[DEVICES];
    int count;

    setenv("CUPIPE_DEVICES", "2", 1);
    check_success(cuInit(0));
    check_success(cuDeviceGetCount(&count));
    if (count < DEVICES)
        skip("needs two devices");
    for (int i = 0; i < DEVICES; i++) {
        check_success(cuDevicePrimaryCtxRetain(&contexts[i], i));
        check_success(cuCtxSetCurrent(contexts[i]));
        words[i] = device_words(WORDS);
        more[i] = device_words(WORDS);
    }
    for (int i = 0; i < DEVICES; i++) {
        check_success(cuCtxSetCurrent(contexts[i]));
        CUresult result = cuCtxEnablePeerAccess(contexts[1 - i], 0);
        check(result == CUDA_SUCCESS || result == CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
        if (result != CUDA_SUCCESS)
            skip("needs devices that access each other");
    }
    check_success(cuCtxSetCurrent(contexts[0]));
}

static CUDA_MEMSET_NODE_PARAMS fill_params(CUdeviceptr to)
{
    return (CUDA_MEMSET_NODE_PARAMS){
        .dst = to, .value = 5, .elementSize = 4, .width = WORDS, .height = 1};
}

static CUgraphExecUpdateResult update_to(CUgraphExec exec, CUgraph graph, CUresult expected)
{
    CUgraphExecUpdateResultInfo info;

    check_result(cuGraphExecUpdate(exec, graph, &info), expected);
    return info.result;
}

TEST(a_fill_stays_on_its_device)
{
    with_devices();
    CUgraph graph = new_graph(), near = new_graph(), far = new_graph();
    CUgraphNode node = add_fill(graph, NULL, 0, words[0], 1, 4, WORDS);
    add_fill(near, NULL, 0, more[0], 2, 4, WORDS);
    add_fill(far, NULL, 0, words[1], 2, 4, WORDS);
    CUgraphExec exec = executable(graph);
    CUDA_MEMSET_NODE_PARAMS same = fill_params(more[0]), other = fill_params(words[1]);

    check_success(cuGraphExecMemsetNodeSetParams(exec, node, &same, current_context()));
    check_result(cuGraphExecMemsetNodeSetParams(exec, node, &other, current_context()),
                 CUDA_ERROR_INVALID_VALUE);
    check(update_to(exec, near, CUDA_SUCCESS) == CU_GRAPH_EXEC_UPDATE_SUCCESS);
    check(update_to(exec, far, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE) ==
          CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED);
}

TEST(the_operands_of_a_copy_stay_on_their_devices)
{
    with_devices();
    CUgraph graph = new_graph();
    CUgraphNode node = add_copy(graph, NULL, 0, words[0], more[0], BYTES);
    CUgraphExec exec = executable(graph);

    for (int to = 0; to < DEVICES; to++) {
        for (int from = 0; from < DEVICES; from++) {
            CUDA_MEMCPY3D params = copy_params(more[to], words[from], BYTES);
            CUgraph other = new_graph();
            bool same = to == 0 && from == 0;
            add_copy(other, NULL, 0, more[to], words[from], BYTES);
            check_result(cuGraphExecMemcpyNodeSetParams(exec, node, &params, current_context()),
                         same ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
            check(update_to(exec, other,
                            same ? CUDA_SUCCESS : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE) ==
                  (same ? CU_GRAPH_EXEC_UPDATE_SUCCESS
                        : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED));
        }
    }
}

/* Two contexts of one device, each with memory; the first is current. */
static void with_contexts(CUfunction *functions)
{
    CUcontext contexts[2];

    check_success(cuInit(0));
    for (int i = 0; i < 2; i++) {
        check_success(cuCtxCreate(&contexts[i], NULL, 0, 0));
        words[i] = device_words(WORDS);
        more[i] = device_words(WORDS);
        functions[i] = graph_functions_load().scale;
    }
    check_success(cuCtxSetCurrent(contexts[0]));
}

TEST(a_fill_stays_in_memory_of_its_context)
{
    CUfunction functions[2];

    with_contexts(functions);
    CUgraph graph = new_graph(), far = new_graph();
    CUgraphNode node = add_fill(graph, NULL, 0, words[0], 1, 4, WORDS);
    add_fill(far, NULL, 0, words[1], 2, 4, WORDS);
    CUgraphExec exec = executable(graph);
    CUDA_MEMSET_NODE_PARAMS same = fill_params(more[0]), other = fill_params(words[1]);

    check_success(cuGraphExecMemsetNodeSetParams(exec, node, &same, current_context()));
    check_result(cuGraphExecMemsetNodeSetParams(exec, node, &other, current_context()),
                 CUDA_ERROR_INVALID_VALUE);
    check(update_to(exec, far, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE) ==
          CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED);
}

TEST(the_source_of_a_copy_stays_in_memory_of_its_context)
{
    CUfunction functions[2];

    with_contexts(functions);
    CUgraph graph = new_graph();
    CUgraphNode node = add_copy(graph, NULL, 0, words[0], more[0], BYTES);
    CUgraphExec exec = executable(graph);

    for (int to = 0; to < 2; to++) {
        for (int from = 0; from < 2; from++) {
            CUDA_MEMCPY3D params = copy_params(words[to], more[from], BYTES);
            check_result(cuGraphExecMemcpyNodeSetParams(exec, node, &params, current_context()),
                         from == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
        }
    }
}

TEST(memory_of_pools_has_no_context)
{
    CUdeviceptr pooled;

    with_context();
    words[0] = device_words(WORDS);
    check_success(cuMemAllocAsync(&pooled, BYTES, NULL));
    check_success(cuCtxSynchronize());
    CUgraph graph = new_graph();
    CUgraphNode node = add_fill(graph, NULL, 0, words[0], 1, 4, WORDS);
    CUgraphExec exec = executable(graph);
    CUDA_MEMSET_NODE_PARAMS other = fill_params(pooled);

    check_success(cuGraphExecMemsetNodeSetParams(exec, node, &other, current_context()));
}

TEST(a_kernel_stays_in_its_context)
{
    CUfunction functions[2];

    with_contexts(functions);
    CUgraph graph = new_graph(), far = new_graph();
    add_scale(graph, NULL, 0, functions[0], words[0], WORDS, 2);
    add_scale(far, NULL, 0, functions[1], words[0], WORDS, 2);
    check(update_to(executable(graph), far, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE) ==
          CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE);
}
