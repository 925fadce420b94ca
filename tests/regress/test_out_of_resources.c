/* SPDX-License-Identifier: MIT */
/* A launch that gets no resources does no harm, but the device was lost with it, as with other
 * asynchronous errors. Now the first call that can reports the error once, and later work succeeds;
 * work whose turn comes before the report is not executed. tests/faults/warps.c has kernels that
 * run out of memory while they run, which ended the process. */
#include "test.h"

#include "kernels.h"

static CUfunction fill_of(CUmodule *module)
{
    CUfunction function;

    check_success(cuModuleLoadData(module, ptx_fill));
    check_success(cuModuleGetFunction(&function, *module, "fill"));
    return function;
}

static void launch(CUfunction function, CUdeviceptr out, unsigned value)
{
    unsigned count = 1;
    void *arguments[] = {&out, &value, &count};

    check_success(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
}

static CUdeviceptr begin(const char *rule, CUfunction *function, CUmodule *module)
{
    unsigned zero = 0;
    CUdeviceptr out;

    setenv("CUPIPE_FAIL", rule, 1);
    with_context();
    *function = fill_of(module);
    check_success(cuMemAlloc(&out, sizeof(out)));
    check_success(cuMemcpyHtoD(out, &zero, sizeof(zero)));
    check_success(cuCtxSynchronize());
    return out;
}

static void check_works(CUfunction function, CUdeviceptr out)
{
    unsigned value = 0;

    launch(function, out, 7);
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(&value, out, sizeof(value)));
    check(value == 7);
}

TEST(told_once_where_it_is_waited_for)
{
    CUmodule module;
    CUfunction function;
    CUdeviceptr out = begin("stream:2:LAUNCH_OUT_OF_RESOURCES", &function, &module);

    launch(function, out, 5);
    check_result(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    check_works(function, out);
    check_success(cuModuleUnload(module));
}

TEST(told_once_by_a_copy)
{
    CUmodule module;
    CUfunction function;
    CUdeviceptr out = begin("stream:2:LAUNCH_OUT_OF_RESOURCES", &function, &module);
    unsigned value = 9;

    launch(function, out, 5);
    check_result(cuMemcpyDtoH(&value, out, sizeof(value)), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    check(value == 9);
    check_works(function, out);
    check_success(cuModuleUnload(module));
}

TEST(other_errors_stay)
{
    CUmodule module;
    CUfunction function;
    CUdeviceptr out =
        begin("stream:2:LAUNCH_OUT_OF_RESOURCES;stream:3:ILLEGAL_ADDRESS", &function, &module);

    launch(function, out, 5);
    check_result(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    launch(function, out, 6);
    check_result(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    check_result(cuMemFree(out), CUDA_ERROR_ILLEGAL_ADDRESS);
}
