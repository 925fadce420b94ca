/* SPDX-License-Identifier: MIT */
/* Launches a kernel of a PTX file twice before, three times within and once behind the range of
 * cuProfilerStart and cuProfilerStop, and says nothing of waiting.
 *
 * usage: range FILE.ptx KERNEL */
#include <cuda.h>
#include <cudaProfiler.h>
#include <stdio.h>

enum { COUNT = 64, BEFORE = 2, WITHIN = 3, BEHIND = 1 };

static CUfunction kernel;
static CUdeviceptr memory;

static int launch(int times)
{
    void *parameters[] = {&memory};
    CUresult result = CUDA_SUCCESS;

    for (int i = 0; i < times && result == CUDA_SUCCESS; i++)
        result = cuLaunchKernel(kernel, 2, 1, 1, COUNT / 2, 1, 1, 0, CU_STREAM_PER_THREAD,
                                parameters, NULL);
    return result != CUDA_SUCCESS;
}

int main(int count, char **arguments)
{
    CUcontext context;
    CUmodule module;

    if (count != 3 || cuProfilerStart() != CUDA_ERROR_NOT_INITIALIZED)
        return 2;
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
        cuModuleLoad(&module, arguments[1]) || cuModuleGetFunction(&kernel, module, arguments[2]) ||
        cuMemAlloc(&memory, COUNT * 4))
        return 3;
    if (launch(BEFORE) || cuProfilerStart() || cuProfilerStart() || launch(WITHIN) ||
        cuProfilerStop() || cuProfilerStop() || launch(BEHIND) || cuCtxSynchronize())
        return 4;
    return 0;
}
