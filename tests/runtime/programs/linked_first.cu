// SPDX-License-Identifier: MIT
// With linked_other.cu, -rdc=true: the program's first call is the launch of a kernel that must be
// linked, for which the runtime makes a context; with CUDA_MODULE_LOADING=EAGER that loads all.
#include "check.h"

__device__ int twice(int x);

__global__ void call(int x)
{
    if (twice(x) != 2 * x)
        __trap();
}

int main()
{
    call<<<1, 1>>>(20);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaDeviceSynchronize());
    return 0;
}
