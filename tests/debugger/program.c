/* SPDX-License-Identifier: MIT */
/* The program that the test debugs: runs one kernel of a PTX file on 64 numbers in two blocks and
 * prints their sum.
 *
 * usage: program FILE.ptx KERNEL */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 64 };

static void must(CUresult result, const char *what)
{
    if (result == CUDA_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", what, (int)result);
    exit(1);
}

int main(int count, char **arguments)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr memory;
    float by = 2, data[COUNT], sum = 0;
    void *parameters[] = {&memory, &by};

    if (count != 3)
        return 2;
    for (int i = 0; i < COUNT; i++)
        data[i] = (float)i;
    must(cuInit(0), "cuInit");
    must(cuDeviceGet(&device, 0), "cuDeviceGet");
    must(cuCtxCreate(&context, NULL, 0, device), "cuCtxCreate");
    must(cuModuleLoad(&module, arguments[1]), "cuModuleLoad");
    must(cuModuleGetFunction(&kernel, module, arguments[2]), "cuModuleGetFunction");
    must(cuMemAlloc(&memory, sizeof data), "cuMemAlloc");
    must(cuMemcpyHtoD(memory, data, sizeof data), "cuMemcpyHtoD");
    must(cuLaunchKernel(kernel, 2, 1, 1, COUNT / 2, 1, 1, 0, NULL, parameters, NULL),
         "cuLaunchKernel");
    must(cuMemcpyDtoH(data, memory, sizeof data), "cuMemcpyDtoH");
    for (int i = 0; i < COUNT; i++)
        sum += data[i];
    printf("sum %g\n", (double)sum);
    cuModuleUnload(module);
    cuCtxDestroy(context);
    return 0;
}
