// SPDX-License-Identifier: MIT
// Device variables, a template kernel, shared memory and printf, with nothing but clang's builtins.
#include "check.h"

__device__ int base = 5;
__constant__ int table[2] = {10, 20};

template <class T> __global__ void mirror(T *out)
{
    __shared__ T line[32];

    line[threadIdx.x] = base + table[1] + threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = line[blockDim.x - 1 - threadIdx.x];
    if (threadIdx.x == 0)
        printf("from the device: %d\n", (int)gridDim.x);
}

int main()
{
    long long *out, host[32];
    int changed = 6;

    CHECK_CUDA(cudaMalloc(&out, sizeof(host)));
    CHECK_CUDA(cudaMemcpyToSymbol(base, &changed, sizeof(changed)));
    mirror<<<1, 32>>>(out);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        CHECK(host[i] == 26 + 31 - i);
    CHECK_CUDA(cudaFree(out));
    return 0;
}
