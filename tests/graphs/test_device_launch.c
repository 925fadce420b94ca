/* SPDX-License-Identifier: MIT */
/* Graphs that kernels launch. NVIDIA's driver needs libcudadevrt to load such kernels. */
#include "graphs.h"

#define TAIL_LAUNCH 0x0100000000000000ull
#define FIRE_AND_FORGET 0x0200000000000000ull
#define AS_SIBLING 0x0300000000000000ull

enum { SUCCESS = 0, INVALID_VALUE = 1, NOT_PERMITTED = 800, ERROR_WORD = 4 };

/* digit(p, d): p[0] = 10 * p[0] + d. start(p, exec, stream): launches the graph, p[1] = the error.
 * again(p, limit): counts p[0] up and launches its own graph again while it is below the limit. */
static const char launching_kernels[] =
    ".version 8.3\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b32 e) cudaGraphLaunch(.param .b64 exec, .param .b64 stream);\n"
    ".visible .entry digit(.param .u64 p, .param .u32 d) {\n"
    ".reg .b64 %rd1; .reg .b32 %r<3>;\n"
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [d];\n"
    "ld.u32 %r2, [%rd1]; mad.lo.u32 %r2, %r2, 10, %r1; st.u32 [%rd1], %r2; ret;\n}\n"
    ".visible .entry start(.param .u64 p, .param .u64 exec, .param .u64 stream) {\n"
    ".reg .b64 %rd<4>; .reg .b32 %r1;\n"
    "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [exec]; ld.param.u64 %rd3, [stream];\n"
    "{ .param .b64 a; .param .b64 b; .param .b32 e; st.param.b64 [a], %rd2;\n"
    "st.param.b64 [b], %rd3; call.uni (e), cudaGraphLaunch, (a, b); ld.param.b32 %r1, [e]; }\n"
    "st.u32 [%rd1+4], %r1; ret;\n}\n"
    ".visible .entry again(.param .u64 p, .param .u32 limit) {\n"
    ".reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p1;\n"
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [limit];\n"
    "ld.u32 %r2, [%rd1]; add.u32 %r2, %r2, 1; st.u32 [%rd1], %r2;\n"
    "setp.ge.u32 %p1, %r2, %r1; @%p1 bra DONE;\n"
    "mov.u64 %rd2, %current_graph_exec; mov.u64 %rd3, 0x0100000000000000;\n"
    "{ .param .b64 a; .param .b64 b; .param .b32 e; st.param.b64 [a], %rd2;\n"
    "st.param.b64 [b], %rd3; call.uni (e), cudaGraphLaunch, (a, b); ld.param.b32 %r3, [e]; }\n"
    "st.u32 [%rd1+4], %r3;\nDONE: ret;\n}\n";

static CUmodule module;
static CUdeviceptr words;

static void begin(void)
{
    with_context();
    only_cupipe();
    check_success(cuModuleLoadData(&module, launching_kernels));
    words = device_words(2);
    check_success(cuMemsetD32(words, 0, 2));
}

static CUfunction kernel(const char *name)
{
    CUfunction function;

    check_success(cuModuleGetFunction(&function, module, name));
    return function;
}

static CUgraphNode add(CUgraph graph, CUgraphNode before, const char *name, void **arguments)
{
    CUDA_KERNEL_NODE_PARAMS params = kernel_params(kernel(name), arguments, 1);
    CUgraphNode node;

    params.blockDimX = 1;
    check_success(
        cuGraphAddKernelNode(&node, graph, before ? &before : NULL, before != NULL, &params));
    return node;
}

static CUgraphNode add_digit(CUgraph graph, CUgraphNode before, unsigned digit)
{
    void *arguments[] = {&words, &digit};

    return add(graph, before, "digit", arguments);
}

static CUgraphNode add_start(CUgraph graph, CUgraphNode before, CUgraphExec exec,
                             unsigned long long stream)
{
    void *arguments[] = {&words, &exec, &stream};

    return add(graph, before, "start", arguments);
}

static CUgraphExec for_kernels(CUgraph graph)
{
    CUgraphExec exec;

    check_success(cuGraphInstantiate(&exec, graph, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH));
    check_success(cuGraphUpload(exec, NULL));
    return exec;
}

static CUgraphExec of_digit(unsigned digit)
{
    CUgraph graph = new_graph();

    add_digit(graph, NULL, digit);
    return for_kernels(graph);
}

static void launch(CUgraphExec exec)
{
    check_success(cuGraphLaunch(exec, NULL));
    check_success(cuCtxSynchronize());
}

static unsigned error_of_last(void)
{
    return device_word(words + ERROR_WORD);
}

TEST(a_kernel_launches_a_graph_behind_its_own)
{
    begin();
    CUgraph graph = new_graph();
    CUgraphNode start = add_start(graph, NULL, of_digit(2), TAIL_LAUNCH);

    add_digit(graph, start, 1);
    CUgraphExec exec = executable(graph);
    launch(exec);
    check(error_of_last() == SUCCESS && device_word(words) == 12);
    launch(exec);
    check(device_word(words) == 1212);
}

TEST(tail_launches_keep_their_order_and_go_before_older_ones)
{
    begin();
    CUgraph inner = new_graph(), graph = new_graph();
    CUgraphNode node = add_start(inner, NULL, of_digit(3), TAIL_LAUNCH);

    add_start(inner, add_digit(inner, node, 1), of_digit(2), FIRE_AND_FORGET);
    node = add_start(graph, NULL, for_kernels(inner), TAIL_LAUNCH);
    add_start(graph, node, of_digit(4), TAIL_LAUNCH);
    launch(executable(graph));
    check(device_word(words) == 1234);
}

TEST(graphs_that_are_fired_and_forgotten_run_once)
{
    begin();
    for (int sibling = 0; sibling < 2; sibling++) {
        CUgraph graph = new_graph();

        add_start(graph, NULL, of_digit(7), sibling ? AS_SIBLING : FIRE_AND_FORGET);
        check_success(cuMemsetD32(words, 0, 2));
        launch(executable(graph));
        check(error_of_last() == SUCCESS && device_word(words) == 7);
    }
}

TEST(a_graph_launches_itself_again)
{
    begin();
    unsigned limit = 500;
    CUgraph graph = new_graph();
    void *arguments[] = {&words, &limit};

    add(graph, NULL, "again", arguments);
    launch(for_kernels(graph));
    check(error_of_last() == SUCCESS && device_word(words) == limit);
}

TEST(only_graphs_for_kernels_are_launched_and_only_in_graphs)
{
    begin();
    CUgraph graph = new_graph(), inner = new_graph();
    unsigned long long tail = TAIL_LAUNCH, nothing = 0, other = 0x1234567812345678;
    CUgraphExec exec = of_digit(1);
    void *arguments[] = {&words, &exec, &tail};

    add_digit(inner, NULL, 1);
    add_start(graph, NULL, executable(inner), TAIL_LAUNCH);
    launch(executable(graph));
    check(error_of_last() == INVALID_VALUE);
    graph = new_graph();
    add_start(graph, NULL, exec, nothing);
    launch(executable(graph));
    check(error_of_last() == INVALID_VALUE);
    graph = new_graph();
    add_start(graph, NULL, (CUgraphExec)(size_t)other, TAIL_LAUNCH);
    launch(executable(graph));
    check(error_of_last() == INVALID_VALUE);
    check_success(cuLaunchKernel(kernel("start"), 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    check(error_of_last() == NOT_PERMITTED && device_word(words) == 0);
}
