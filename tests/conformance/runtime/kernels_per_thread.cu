/* SPDX-License-Identifier: MIT */
/* The same launch, compiled with --default-stream per-thread. */
#include "recorder.hpp"

static __global__ void ptk(int *p, int n, int v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = v + i;
}

void launch_fill_per_thread(dim3 g, dim3 b, size_t sh, cudaStream_t s, int *p, int n, int v)
{
    ptk<<<g, b, sh, s>>>(p, n, v);
}
