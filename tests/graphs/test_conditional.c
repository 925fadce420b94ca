/* SPDX-License-Identifier: MIT */
/* Conditional nodes whose value a kernel sets. */
#include "graphs.h"

/* step(p, handle, limit): counts p[0] up; the condition holds while it is below the limit.
 * choose(handle, value): sets the condition. */
static const char conditional_kernels[] =
    ".version 8.3\n.target sm_70\n.address_size 64\n"
    ".extern .func cudaGraphSetConditional (.param .b64 handle, .param .b32 value);\n"
    ".visible .entry choose(.param .u64 handle, .param .u32 value) {\n"
    ".reg .b64 %rd1; .reg .b32 %r1;\n"
    "ld.param.u64 %rd1, [handle]; ld.param.u32 %r1, [value];\n"
    "{ .param .b64 a; .param .b32 b; st.param.b64 [a], %rd1; st.param.b32 [b], %r1;\n"
    "call.uni cudaGraphSetConditional, (a, b); }\nret;\n}\n"
    ".visible .entry step(.param .u64 p, .param .u64 handle, .param .u32 limit) {\n"
    ".reg .b64 %rd<3>; .reg .b32 %r<4>; .reg .pred %p1;\n"
    "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [handle]; ld.param.u32 %r1, [limit];\n"
    "ld.u32 %r2, [%rd1]; add.u32 %r2, %r2, 1; st.u32 [%rd1], %r2;\n"
    "setp.lt.u32 %p1, %r2, %r1; selp.u32 %r3, 1, 0, %p1;\n"
    "{ .param .b64 a; .param .b32 b; st.param.b64 [a], %rd2; st.param.b32 [b], %r3;\n"
    "call.uni cudaGraphSetConditional, (a, b); }\nret;\n}\n";

static CUfunction kernel(const char *name)
{
    CUmodule module;
    CUfunction function;

    check_success(cuModuleLoadData(&module, conditional_kernels));
    check_success(cuModuleGetFunction(&function, module, name));
    return function;
}

static CUgraphNode add_one_thread(CUgraph graph, const CUgraphNode *before, size_t count,
                                  CUfunction function, void **arguments)
{
    CUDA_KERNEL_NODE_PARAMS params = kernel_params(function, arguments, 1);
    CUgraphNode node;

    params.blockDimX = 1;
    check_success(cuGraphAddKernelNode(&node, graph, before, count, &params));
    return node;
}

static CUgraphConditionalHandle new_handle(CUgraph graph, unsigned value)
{
    CUgraphConditionalHandle handle;

    check_success(cuGraphConditionalHandleCreate(&handle, graph, current_context(), value,
                                                 CU_GRAPH_COND_ASSIGN_DEFAULT));
    return handle;
}

/* The graphs of the node are answered. */
static CUgraph *add_conditional(CUgraph graph, const CUgraphNode *before, size_t count,
                                CUgraphConditionalHandle handle, CUgraphConditionalNodeType type,
                                unsigned size)
{
    CUgraphNodeParams params = {
        .type = CU_GRAPH_NODE_TYPE_CONDITIONAL,
        .conditional = {.handle = handle, .type = type, .size = size, .ctx = current_context()}};
    CUgraphNode node;

    check_success(cuGraphAddNode(&node, graph, before, NULL, count, &params));
    return params.conditional.phGraph_out;
}

TEST(a_kernel_ends_a_loop)
{
    with_context();
    CUfunction step = kernel("step");
    CUdeviceptr words = device_words(4);
    CUgraph graph = new_graph();
    CUgraphConditionalHandle handle = new_handle(graph, 1);
    unsigned limit = 20000;
    void *arguments[] = {&words, &handle, &limit};
    CUgraph *bodies = add_conditional(graph, NULL, 0, handle, CU_GRAPH_COND_TYPE_WHILE, 1);

    add_one_thread(bodies[0], NULL, 0, step, arguments);
    CUgraphExec exec = executable(graph);
    check_success(cuGraphLaunch(exec, NULL));
    check(device_word(words) == limit);
    check_success(cuGraphLaunch(exec, NULL)); /* the default holds for the first round */
    check(device_word(words) == limit + 1);
}

TEST(a_kernel_chooses_one_of_several_graphs)
{
    with_context();
    CUfunction choose = kernel("choose");
    CUdeviceptr words = device_words(4);

    for (unsigned value = 0; value <= 3; value++) {
        CUgraph graph = new_graph();
        CUgraphConditionalHandle handle = new_handle(graph, 0);
        void *arguments[] = {&handle, &value};
        CUgraphNode chooser = add_one_thread(graph, NULL, 0, choose, arguments);
        CUgraph *bodies = add_conditional(graph, &chooser, 1, handle, CU_GRAPH_COND_TYPE_SWITCH, 3);
        for (unsigned i = 0; i < 3; i++)
            add_fill(bodies[i], NULL, 0, words, i + 1, 4, 1);
        check_success(cuMemsetD32(words, 0, 1));
        check_success(cuGraphLaunch(executable(graph), NULL));
        check(device_word(words) == (value < 3 ? value + 1 : 0));
    }
}
