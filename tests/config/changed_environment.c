/* SPDX-License-Identifier: MIT */
/* Changes the environment behind the library's back, then runs a kernel.
 *
 *     changed_environment NAME=VALUE ...
 *
 * Each NAME=VALUE is put into the environment as it lies in memory (putenv). After cuInit every
 * byte of the values is overwritten. Whoever reads a value later finds the wrong one. */
#include <cuda.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char ptx[] = ".version 8.0\n.target sm_60\n.address_size 64\n"
                          ".visible .entry nothing()\n{\n    ret;\n}\n";

static void must(CUresult result, const char *what)
{
    if (result != CUDA_SUCCESS) {
        fprintf(stderr, "changed_environment: %s answers %d\n", what, (int)result);
        exit(2);
    }
}

static void run_kernel(void)
{
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUevent never_destroyed;

    must(cuCtxCreate(&context, NULL, 0, 0), "cuCtxCreate");
    must(cuModuleLoadData(&module, ptx), "cuModuleLoadData");
    must(cuModuleGetFunction(&function, module, "nothing"), "cuModuleGetFunction");
    must(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), "cuLaunchKernel");
    must(cuCtxSynchronize(), "cuCtxSynchronize");
    must(cuEventCreate(&never_destroyed, 0), "cuEventCreate");
}

int main(int count, char **arguments)
{
    for (int i = 1; i < count; i++)
        putenv(arguments[i]);
    must(cuInit(0), "cuInit");
    for (int i = 1; i < count; i++) {
        char *value = strchr(arguments[i], '=') + 1;

        memset(value, 'x', strlen(value));
    }
    run_kernel();
    return 0;
}
