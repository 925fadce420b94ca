/* SPDX-License-Identifier: MIT */
/* Graphs: what a launch costs beside launching the same kernels one by one, what a node costs to be
 * instantiated and to be run, and whether branches use all processors. */
#include "bench.h"

#include <stdlib.h>

enum {
    NODES = 1000,
    NODE_BYTES = 1024, /* about what a kernel node of an executable graph takes */
    BRANCHES = 64,
    BRANCH_NS = 10000000,
};

/* inc(p): one thread adds 1. spin(p, n): one thread counts, n times. */
static const char text[] =
    ".version 7.8\n.target sm_50\n.address_size 64\n"
    ".visible .entry inc(.param .u64 p) {\n.reg .u64 %rd1; .reg .u32 %r1;\n"
    "ld.param.u64 %rd1, [p]; ld.u32 %r1, [%rd1]; add.u32 %r1, %r1, 1; st.u32 [%rd1], %r1; ret;\n}\n"
    ".visible .entry spin(.param .u64 p, .param .u32 n) {\n"
    ".reg .u64 %rd1; .reg .u32 %r<4>; .reg .pred %p1;\n"
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, 0; ld.u32 %r3, [%rd1];\n"
    "L: mad.lo.u32 %r3, %r3, 1664525, 1013904223; add.u32 %r2, %r2, 1;\n"
    "setp.lt.u32 %p1, %r2, %r1; @%p1 bra L; st.u32 [%rd1], %r3; ret;\n}\n";

static CUfunction increment, spin;
static CUdeviceptr words;
static CUstream stream;
static CUgraph graph;
static CUgraphExec executable;

static void open_all(void)
{
    CUmodule module;

    if (increment)
        return;
    must(cuModuleLoadData(&module, text));
    must(cuModuleGetFunction(&increment, module, "inc"));
    must(cuModuleGetFunction(&spin, module, "spin"));
    must(cuMemAlloc(&words, 4 * NODES));
    must(cuMemsetD32(words, 0, NODES));
    must(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    must(cuCtxSynchronize());
}

CUgraphNode bench_kernel_node(CUgraph in, const CUgraphNode *before, size_t count,
                              CUfunction function, unsigned threads, void **arguments)
{
    CUDA_KERNEL_NODE_PARAMS params = {.func = function,
                                      .gridDimX = 1,
                                      .gridDimY = 1,
                                      .gridDimZ = 1,
                                      .blockDimX = threads,
                                      .blockDimY = 1,
                                      .blockDimZ = 1,
                                      .kernelParams = arguments};
    CUgraphNode node;

    must(cuGraphAddKernelNode(&node, in, before, count, &params));
    return node;
}

static CUgraphNode add_fill(const CUgraphNode *before, size_t count, unsigned word)
{
    CUDA_MEMSET_NODE_PARAMS params = {
        .dst = words + 4 * word, .value = 1, .elementSize = 4, .width = 1, .height = 1};
    CUcontext context;
    CUgraphNode node;

    must(cuCtxGetCurrent(&context));
    must(cuGraphAddMemsetNode(&node, graph, before, count, &params, context));
    return node;
}

static void kernels_chain(void)
{
    CUgraphNode node = NULL;

    must(cuGraphCreate(&graph, 0));
    for (unsigned i = 0; i < NODES; i++) {
        CUdeviceptr word = words + 4 * i;
        void *arguments[] = {&word};
        node = bench_kernel_node(graph, i ? &node : NULL, i != 0, increment, 1, arguments);
    }
    must(cuGraphInstantiate(&executable, graph, 0));
}

/* A chain, or a first node and all others behind it. */
static void fills(bool fan)
{
    CUgraphNode node = NULL, first = NULL;

    must(cuGraphCreate(&graph, 0));
    for (unsigned i = 0; i < NODES; i++) {
        node = add_fill(fan ? &first : &node, i != 0, i);
        if (i == 0)
            first = node;
    }
    must(cuGraphInstantiate(&executable, graph, 0));
}

static void drop(void)
{
    must(cuGraphExecDestroy(executable));
    must(cuGraphDestroy(graph));
}

static void launch_graph(void *argument, size_t count)
{
    (void)argument;
    for (size_t i = 0; i < count; i++) {
        must(cuGraphLaunch(executable, stream));
        must(cuStreamSynchronize(stream));
    }
}

static void launch_kernels(void *argument, size_t count)
{
    (void)argument;
    for (size_t i = 0; i < count; i++) {
        for (unsigned j = 0; j < NODES; j++) {
            CUdeviceptr word = words + 4 * j;
            void *arguments[] = {&word};
            must(cuLaunchKernel(increment, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
        }
        must(cuStreamSynchronize(stream));
    }
}

static struct bench_result measure_launch(const struct bench_row *row)
{
    (void)row;
    open_all();
    kernels_chain();
    struct bench_result result = bench_short((struct bench_side){launch_graph, NULL},
                                             (struct bench_side){launch_kernels, NULL});
    drop();
    result.subject /= NODES;
    result.reference /= NODES;
    return result;
}

static void instantiate(void *argument, size_t count)
{
    CUgraphExec made;

    (void)argument;
    for (size_t i = 0; i < count; i++) {
        must(cuGraphInstantiate(&made, graph, 0));
        must(cuGraphExecDestroy(made));
    }
}

static void allocate(void *argument, size_t count)
{
    void *blocks[NODES];

    (void)argument;
    for (size_t i = 0; i < count; i++) {
        for (unsigned j = 0; j < NODES; j++) {
            blocks[j] = malloc(NODE_BYTES);
            bench_keep(blocks[j]);
        }
        for (unsigned j = 0; j < NODES; j++)
            free(blocks[j]);
    }
}

/* What is beyond the malloc. */
static struct bench_result measure_instantiate(const struct bench_row *row)
{
    (void)row;
    open_all();
    kernels_chain();
    struct bench_result result =
        bench_short((struct bench_side){instantiate, NULL}, (struct bench_side){allocate, NULL});
    drop();
    result.subject = (result.subject - result.reference) / NODES;
    result.reference = 0;
    return result;
}

static struct bench_result measure_nodes(const struct bench_row *row)
{
    open_all();
    fills(row->bytes);
    struct bench_result result = {
        .subject = bench_least_ns((struct bench_side){launch_graph, NULL}) / NODES};
    drop();
    return result;
}

/* How many rounds of `spin` take as long as a branch is to take. */
static unsigned calibrate(void)
{
    unsigned rounds = 1 << 20;
    void *arguments[] = {&words, &rounds};
    double least_ns = 0;

    for (int i = 0; i < 5; i++) {
        double start_ns = bench_now_ns();
        must(cuLaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
        must(cuStreamSynchronize(stream));
        double ns = bench_now_ns() - start_ns;
        if (i == 0 || ns < least_ns)
            least_ns = ns;
    }
    return (unsigned)(rounds * (BRANCH_NS / least_ns));
}

static struct bench_result measure_branches(const struct bench_row *row)
{
    struct bench_patience patience = {0};
    struct bench_result best = {.reference = bench_cpu_count()};

    (void)row;
    open_all();
    unsigned rounds = calibrate();
    must(cuGraphCreate(&graph, 0));
    for (unsigned i = 0; i < BRANCHES; i++) {
        CUdeviceptr word = words + 4 * i;
        void *arguments[] = {&word, &rounds};
        bench_kernel_node(graph, NULL, 0, spin, 1, arguments);
    }
    must(cuGraphInstantiate(&executable, graph, 0));
    while (bench_go_on(&patience)) {
        bench_round_starts(&patience);
        launch_graph(NULL, 1);
        double used = bench_round_ends(&patience);
        if (used > best.subject)
            best.subject = used;
    }
    drop();
    best.disturbed = bench_was_disturbed(&patience);
    return best;
}

const struct bench_row bench_graph_rows[] = {
    {"graph of 1000 kernels in a chain, a kernel", .reference = "launched", .unit = BENCH_NS,
     .goal = BENCH_RATIO_AT_MOST, .limit = 1.0 / 3, .measure = measure_launch},
    {"instantiate a kernel node, beyond a malloc", .unit = BENCH_NS, .goal = BENCH_VALUE_AT_MOST,
     .limit = 300, .measure = measure_instantiate},
    {"graph of 1000 fills of 4 B in a chain, a fill", .unit = BENCH_NS, .goal = BENCH_VALUE_AT_MOST,
     .limit = 100, .measure = measure_nodes, .bytes = 0},
    {"graph of 1000 fills of 4 B in a fan, a fill", .unit = BENCH_NS, .goal = BENCH_VALUE_AT_MOST,
     .limit = 100, .measure = measure_nodes, .bytes = 1},
    {"graph of 64 branches of 10 ms: processors used", .reference = "there are",
     .unit = BENCH_CORES, .goal = BENCH_RATIO_AT_LEAST, .limit = 0.95, .measure = measure_branches},
    {.name = NULL},
};
