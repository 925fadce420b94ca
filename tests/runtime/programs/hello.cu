// SPDX-License-Identifier: MIT
// A kernel with arguments, and its result. Prints what it computed, for tests that look at it.
#include "check.h"

__global__ void scale(int *values, int factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    values[i] = i * factor;
}

int main()
{
    int *device, host[64];

    CHECK_CUDA(cudaMalloc(&device, sizeof(host)));
    scale<<<2, 32>>>(device, 3);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        CHECK(host[i] == 3 * i);
    CHECK_CUDA(cudaFree(device));
    std::printf("hello %d\n", host[63]);
    return 0;
}
