// SPDX-License-Identifier: MIT
// Kernel nodes name a kernel by its host function, by a handle of a kernel or by one of a function.
#include "check.h"

__global__ void add(int *sum, int value)
{
    *sum += value;
}

static void not_a_kernel()
{
}

static void *kernel_handle()
{
    cudaKernel_t kernel;

    CHECK_CUDA(cudaGetKernel(&kernel, (const void *)add));
    return (void *)kernel;
}

static void *function_handle()
{
    cudaFunction_t function;

    CHECK_CUDA(cudaGetFuncBySymbol(&function, (const void *)add));
    return (void *)function;
}

int main()
{
    void *names[] = {(void *)add, kernel_handle(), function_handle()};
    int *sum, value = 1, host = 0;
    void *arguments[] = {&sum, &value};
    cudaKernelNodeParams params = {};
    cudaGraphNode_t nodes[3], node;
    cudaGraphExec_t executable;
    cudaGraph_t graph;

    CHECK_CUDA(cudaMalloc(&sum, sizeof(int)));
    CHECK_CUDA(cudaMemset(sum, 0, sizeof(int)));
    CHECK_CUDA(cudaGraphCreate(&graph, 0));
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = arguments;
    for (int i = 0; i < 3; i++, value *= 10) {
        params.func = names[i];
        CHECK_CUDA(cudaGraphAddKernelNode(&nodes[i], graph, i ? &nodes[i - 1] : nullptr, i > 0, &params));
    }
    params.func = (void *)not_a_kernel;
    CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params) ==
          cudaErrorInvalidResourceHandle);
    CHECK_CUDA(cudaGraphInstantiate(&executable, graph, 0));
    CHECK_CUDA(cudaGraphLaunch(executable, nullptr));
    CHECK_CUDA(cudaMemcpy(&host, sum, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(host == 111);
    return 0;
}
