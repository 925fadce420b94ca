/* SPDX-License-Identifier: MIT */
#include "recorder.hpp"

__device__ int far_var = 11;
__constant__ int far_const[4] = {1, 2, 3, 4};
__managed__ int far_man[4] = {5, 6, 7, 8};
__device__ int far_fn(int x)
{
    return x * 10 + 1;
}

__global__ void far_kernel(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = i * 3;
}

const void *far_sym(int i)
{
    return i == 0   ? (const void *)&far_var
           : i == 1 ? (const void *)far_const
                    : (const void *)far_man;
}
