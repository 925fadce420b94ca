/* SPDX-License-Identifier: MIT */
/* Shared by the graph tests: a module with small kernels, and builders of nodes. */
#ifndef GRAPHS_H
#define GRAPHS_H

#include "hold.h"
#include "test.h"

/* scale(p, n, v): p[i] = p[i] * v + 1. mix(p, q, n, v): p[i] += q[i] * v. */
static const char graph_kernels[] =
    ".version 7.8\n.target sm_50\n.address_size 64\n"
    ".visible .entry scale(.param .u64 p, .param .u32 n, .param .u32 v) {\n"
    ".reg .u64 %rd<5>; .reg .u32 %r<8>; .reg .pred %p1;\n"
    "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [v];\n"
    "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;\n"
    "mad.lo.u32 %r6, %r3, %r4, %r5; setp.ge.u32 %p1, %r6, %r1; @%p1 bra DONE;\n"
    "mul.wide.u32 %rd2, %r6, 4; add.u64 %rd3, %rd1, %rd2;\n"
    "ld.u32 %r7, [%rd3]; mad.lo.u32 %r7, %r7, %r2, 1; st.u32 [%rd3], %r7;\n"
    "DONE: ret;\n}\n"
    ".visible .entry mix(.param .u64 p, .param .u64 q, .param .u32 n, .param .u32 v) {\n"
    ".reg .u64 %rd<7>; .reg .u32 %r<9>; .reg .pred %p1;\n"
    "ld.param.u64 %rd1, [p]; ld.param.u64 %rd4, [q]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, "
    "[v];\n"
    "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;\n"
    "mad.lo.u32 %r6, %r3, %r4, %r5; setp.ge.u32 %p1, %r6, %r1; @%p1 bra DONE;\n"
    "mul.wide.u32 %rd2, %r6, 4; add.u64 %rd3, %rd1, %rd2; add.u64 %rd5, %rd4, %rd2;\n"
    "ld.u32 %r7, [%rd3]; ld.u32 %r8, [%rd5]; mad.lo.u32 %r7, %r8, %r2, %r7; st.u32 [%rd3], %r7;\n"
    "DONE: ret;\n}\n";

struct graph_functions {
    CUfunction scale, mix;
};

static inline struct graph_functions graph_functions_load(void)
{
    struct graph_functions functions;
    CUmodule module;

    check_success(cuModuleLoadData(&module, graph_kernels));
    check_success(cuModuleGetFunction(&functions.scale, module, "scale"));
    check_success(cuModuleGetFunction(&functions.mix, module, "mix"));
    return functions;
}

static inline CUgraph new_graph(void)
{
    CUgraph graph;

    check_success(cuGraphCreate(&graph, 0));
    return graph;
}

static inline CUgraphExec executable(CUgraph graph)
{
    CUgraphExec exec;

    check_success(cuGraphInstantiate(&exec, graph, 0));
    return exec;
}

static inline CUcontext current_context(void)
{
    CUcontext context;

    check_success(cuCtxGetCurrent(&context));
    return context;
}

static inline CUgraphNode add_fill(CUgraph graph, const CUgraphNode *before, size_t count,
                                   CUdeviceptr to, unsigned value, unsigned element, size_t width)
{
    CUDA_MEMSET_NODE_PARAMS params = {
        .dst = to, .value = value, .elementSize = element, .width = width, .height = 1};
    CUgraphNode node;

    check_success(cuGraphAddMemsetNode(&node, graph, before, count, &params, current_context()));
    return node;
}

static inline CUDA_MEMCPY3D copy_params(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    return (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                           .srcDevice = from,
                           .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                           .dstDevice = to,
                           .WidthInBytes = bytes,
                           .Height = 1,
                           .Depth = 1};
}

static inline CUgraphNode add_copy(CUgraph graph, const CUgraphNode *before, size_t count,
                                   CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    CUDA_MEMCPY3D params = copy_params(to, from, bytes);
    CUgraphNode node;

    check_success(cuGraphAddMemcpyNode(&node, graph, before, count, &params, current_context()));
    return node;
}

/* Arguments are read by the call that the parameters are passed to. */
static inline CUDA_KERNEL_NODE_PARAMS kernel_params(CUfunction function, void **arguments,
                                                    unsigned count)
{
    return (CUDA_KERNEL_NODE_PARAMS){.func = function,
                                     .gridDimX = (count + 63) / 64,
                                     .gridDimY = 1,
                                     .gridDimZ = 1,
                                     .blockDimX = 64,
                                     .blockDimY = 1,
                                     .blockDimZ = 1,
                                     .kernelParams = arguments};
}

static inline CUgraphNode add_scale(CUgraph graph, const CUgraphNode *before, size_t count,
                                    CUfunction scale, CUdeviceptr to, unsigned words, unsigned by)
{
    void *arguments[] = {&to, &words, &by};
    CUDA_KERNEL_NODE_PARAMS params = kernel_params(scale, arguments, words);
    CUgraphNode node;

    check_success(cuGraphAddKernelNode(&node, graph, before, count, &params));
    return node;
}

static inline unsigned device_word(CUdeviceptr address)
{
    unsigned word = 0;

    check_success(cuMemcpyDtoH(&word, address, sizeof(word)));
    return word;
}

static inline CUdeviceptr device_words(size_t count)
{
    CUdeviceptr words;

    check_success(cuMemAlloc(&words, count * 4));
    check_success(cuMemsetD32(words, 0, count));
    check_success(cuCtxSynchronize());
    return words;
}

#endif
