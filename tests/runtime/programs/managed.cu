// SPDX-License-Identifier: MIT
// Managed variables: the host reads the initialiser before any call, kernels and host see one
// memory.
#include "check.h"

__managed__ int total = 5;
__managed__ float list[3] = {1, 2, 3};

__global__ void add(int n)
{
    atomicAdd(&total, n);
    list[1] = 20;
}

int main()
{
    int *pointer = &total;

    CHECK(total == 5 && list[2] == 3);
    total = 6;
    add<<<1, 32>>>(2);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK(total == 6 + 64 && *pointer == 70);
    CHECK(list[0] == 1 && list[1] == 20);
    return 0;
}
