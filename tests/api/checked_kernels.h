/* SPDX-License-Identifier: MIT */
/* A kernel that writes a number of words from an address on, and the check of its outcome. Included
 * after test.h. */
#ifndef CHECKED_KERNELS_H
#define CHECKED_KERNELS_H

#include "checks.h"
#include "kernels.h"

A_FUNCTION launch(CUdeviceptr out, unsigned count, CUstream stream)
{
    void *arguments[] = {&out, &(unsigned){7}, &count};
    CUfunction function;
    CUmodule module;

    check_success(cuModuleLoadData(&module, ptx_fill));
    check_success(cuModuleGetFunction(&function, module, "fill"));
    check_success(
        cuLaunchKernel(function, (count + 31) / 32, 1, 1, 32, 1, 1, 0, stream, arguments, NULL));
}

A_FUNCTION launch_and_wait(CUdeviceptr out, unsigned count, CUresult wanted)
{
    launch(out, count, NULL);
    check_result(cuCtxSynchronize(), wanted);
}

#endif
