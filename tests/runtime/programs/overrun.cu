// SPDX-License-Identifier: MIT
// Kernels that leave their memory, by name. Reports have thread and line.
#include "check.h"

#include <cstring>
#include <cuda_runtime.h>

template <class T> __global__ void put(T *p, long at)
{
    if (threadIdx.x == 5)
        p[at] = T(1); // line 11
}

__global__ void get(const int *p, int *q, long at)
{
    *q = p[at]; // line 16
}

__device__ int table[10];

__global__ void index(int at)
{
    table[at + threadIdx.x] = 3; // line 23
}

int main(int count, char **words)
{
    const char *mode = count > 1 ? words[1] : "";
    int *p, *q;

    CHECK_CUDA(cudaMalloc(&p, 1000));
    CHECK_CUDA(cudaMalloc(&q, 4));
    if (std::strcmp(mode, "write") == 0)
        put<<<1, 32>>>(p, 250);
    else if (std::strcmp(mode, "read") == 0)
        get<<<1, 1>>>(p, q, 250);
    else if (std::strcmp(mode, "guard") == 0)
        put<<<1, 32>>>(p, 256);
    else if (std::strcmp(mode, "before") == 0)
        put<<<1, 32>>>(p, -1);
    else if (std::strcmp(mode, "null") == 0)
        put<<<1, 32>>>(static_cast<int *>(nullptr), 0);
    else if (std::strcmp(mode, "variable") == 0)
        index<<<1, 8>>>(3);
    else
        index<<<1, 4>>>(3);
    cudaDeviceSynchronize();
    return 0;
}
