/* SPDX-License-Identifier: MIT */
/* Priorities of kernel nodes. One worker runs random graphs whose kernels note their turn: whenever
 * one starts, no node of higher priority may be ready. */
#include "graphs.h"

#include <stdlib.h>
#include <unistd.h>

enum { NODES = 40, ROUNDS = 20 };

/* turn(p, i): p[1 + i] = p[0]++. */
static const char turn_kernel[] =
    ".version 7.8\n.target sm_50\n.address_size 64\n"
    ".visible .entry turn(.param .u64 p, .param .u32 i) {\n"
    ".reg .u64 %rd<4>; .reg .u32 %r<3>;\n"
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [i]; atom.add.u32 %r2, [%rd1], 1;\n"
    "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; st.u32 [%rd3+4], %r2; ret;\n}\n";

struct program {
    CUgraph graph;
    CUgraphNode nodes[NODES];
    int priorities[NODES];
    bool comes_behind[NODES][NODES];
};

static CUdeviceptr turns;
static CUfunction turn;
static CUstream stream;

/* With one worker, and a thread that only looks whether it is done, nothing runs at once. */
static void open_one_worker(void)
{
    CUmodule module;

    setenv("CUPIPE_THREADS", "1", 1);
    setenv("CUPIPE_SCHEDULE", "eager", 1);
    with_context();
    only_cupipe();
    check_success(cuModuleLoadData(&module, turn_kernel));
    check_success(cuModuleGetFunction(&turn, module, "turn"));
    check_success(cuMemAlloc(&turns, 4 * (NODES + 1)));
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
}

static CUgraphNode add_turn(CUgraph graph, const CUgraphNode *before, size_t count, unsigned index,
                            int priority)
{
    void *arguments[] = {&turns, &index};
    CUDA_KERNEL_NODE_PARAMS params = {.func = turn,
                                      .gridDimX = 1,
                                      .gridDimY = 1,
                                      .gridDimZ = 1,
                                      .blockDimX = 1,
                                      .blockDimY = 1,
                                      .blockDimZ = 1,
                                      .kernelParams = arguments};
    CUkernelNodeAttrValue value = {.priority = priority};
    CUgraphNode node;

    check_success(cuGraphAddKernelNode(&node, graph, before, count, &params));
    check_success(cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
    return node;
}

static void build(struct program *program)
{
    *program = (struct program){.graph = new_graph()};
    for (unsigned i = 0; i < NODES; i++) {
        CUgraphNode before[NODES];
        size_t count = 0;
        for (unsigned j = 0; j < i; j++) {
            program->comes_behind[i][j] = rand() % 8 == 0;
            if (program->comes_behind[i][j])
                before[count++] = program->nodes[j];
        }
        program->priorities[i] = -(rand() % 6);
        program->nodes[i] = add_turn(program->graph, before, count, i, program->priorities[i]);
    }
}

static void run(CUgraphExec exec, unsigned *order)
{
    check_success(cuMemsetD32(turns, 0, 1));
    check_success(cuCtxSynchronize());
    check_success(cuGraphLaunch(exec, stream));
    while (cuStreamQuery(stream) == CUDA_ERROR_NOT_READY)
        usleep(100);
    check_success(cuStreamQuery(stream));
    check_success(cuMemcpyDtoH(order, turns + 4, 4 * NODES));
}

/* How often a node started while another of higher priority was ready. */
static unsigned count_overtaken(const struct program *program, const unsigned *order)
{
    unsigned overtaken = 0;

    for (unsigned i = 0; i < NODES; i++) {
        for (unsigned other = 0; other < NODES; other++) {
            bool was_ready = order[other] > order[i];
            for (unsigned j = 0; j < NODES; j++)
                was_ready = was_ready && !(program->comes_behind[other][j] && order[j] >= order[i]);
            overtaken += was_ready && program->priorities[other] < program->priorities[i];
        }
    }
    return overtaken;
}

TEST(a_ready_node_of_higher_priority_starts_first)
{
    unsigned order[NODES], overtaken = 0;

    open_one_worker();
    srand(1);
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct program program;
        CUgraphExec exec, plain;
        build(&program);
        check_success(cuGraphInstantiate(&exec, program.graph,
                                         CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY));
        run(exec, order);
        check(count_overtaken(&program, order) == 0);
        plain = executable(program.graph);
        run(plain, order);
        overtaken += count_overtaken(&program, order);
        check_success(cuGraphExecDestroy(exec));
        check_success(cuGraphExecDestroy(plain));
        check_success(cuGraphDestroy(program.graph));
    }
    check(overtaken > 0); /* without the flag they do not count */
}

TEST(an_update_brings_the_priorities_of_the_other_graph)
{
    unsigned order[NODES];
    struct program program, other;
    CUgraphExecUpdateResultInfo info;
    CUgraphExec exec;

    open_one_worker();
    srand(2);
    build(&program);
    srand(2);
    build(&other);
    for (unsigned i = 0; i < NODES; i++) {
        CUkernelNodeAttrValue value = {.priority = -5 - program.priorities[i]};
        other.priorities[i] = value.priority;
        check_success(
            cuGraphKernelNodeSetAttribute(other.nodes[i], CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
    }
    check_success(
        cuGraphInstantiate(&exec, program.graph, CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY));
    run(exec, order);
    check(count_overtaken(&program, order) == 0);
    check_success(cuGraphExecUpdate(exec, other.graph, &info));
    run(exec, order);
    check(count_overtaken(&other, order) == 0);
}
