// SPDX-License-Identifier: MIT
// A shared object with a kernel and a variable. Two objects made of this source, with another
// NUMBER each, have the same names in their device code.
#include "check.h"

#ifndef NUMBER
#define NUMBER 1
#endif

static __device__ int calls;

static __global__ void tell(int *out)
{
    *out = NUMBER * 100 + ++calls;
}

#define NAME_OF(number) object_##number
#define NAME(number) NAME_OF(number)

extern "C" int NAME(NUMBER)(void)
{
    int *out, host = 0;

    CHECK_CUDA(cudaMalloc(&out, sizeof(int)));
    tell<<<1, 1>>>(out);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(&host, out, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaFree(out));
    return host;
}
