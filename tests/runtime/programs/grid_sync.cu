// SPDX-License-Identifier: MIT
// Cooperative groups: a grid that waits for all of its blocks, twice.
#include "check.h"
#include <cooperative_groups.h>

__global__ void reduce(int *partial, int *result)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();

    if (threadIdx.x == 0)
        partial[blockIdx.x] = blockIdx.x + 1;
    grid.sync();
    if (grid.thread_rank() == 0) {
        int sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            sum += partial[i];
        *result = sum;
    }
    grid.sync();
    if (threadIdx.x == 0)
        partial[blockIdx.x] += *result;
}

int main()
{
    int *memory, *result, host[16], value = 0;
    void *arguments[2];

    CHECK_CUDA(cudaMalloc(&memory, sizeof(host)));
    CHECK_CUDA(cudaMalloc(&result, sizeof(int)));
    arguments[0] = &memory;
    arguments[1] = &result;
    CHECK_CUDA(cudaLaunchCooperativeKernel(reduce, dim3(16), dim3(64), arguments));
    CHECK_CUDA(cudaMemcpy(host, memory, sizeof(host), cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(&value, result, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(value == 136);
    for (int i = 0; i < 16; i++)
        CHECK(host[i] == i + 1 + 136);
    return 0;
}
