/* SPDX-License-Identifier: MIT */
/* Wrong arguments: the status of NVIDIA's library, and nothing written. */
#include "transform.h"

TEST(handles_start_at_one_and_are_used_again)
{
    cufftHandle first, second, third;

    with_context();
    check_fft(cufftCreate(&first), CUFFT_SUCCESS);
    check_fft(cufftPlan1d(&second, 8, CUFFT_C2C, 1), CUFFT_SUCCESS);
    check(first == 1 && second == 2);
    check_fft(cufftDestroy(first), CUFFT_SUCCESS);
    check_fft(cufftDestroy(first), CUFFT_INVALID_PLAN);
    check_fft(cufftCreate(&third), CUFFT_SUCCESS);
    check(third == 1);
    check_fft(cufftDestroy(CUFFT_PLAN_NULL), CUFFT_SUCCESS);
    check_fft(cufftDestroy(0), CUFFT_INVALID_PLAN);
    check_fft(cufftDestroy(12345), CUFFT_INVALID_PLAN);
    check_fft(cufftDestroy(-7), CUFFT_INVALID_PLAN);
}

TEST(plans_complain_in_order)
{
    int n[1] = {8}, none[1] = {0}, embed[1] = {8};
    cufftHandle plan = 77;

    with_context();
    check_fft(cufftPlan1d(NULL, 0, (cufftType)99, 0), CUFFT_INVALID_VALUE);
    check_fft(cufftPlan1d(&plan, 0, (cufftType)99, 0), CUFFT_INVALID_TYPE);
    check(plan == 0);
    check_fft(cufftPlan1d(&plan, 0, CUFFT_C2C, 1), CUFFT_INVALID_SIZE);
    check_fft(cufftPlan1d(&plan, 8, CUFFT_C2C, 0), CUFFT_INVALID_SIZE);
    check_fft(cufftPlanMany(&plan, 0, n, NULL, 1, 0, NULL, 1, 0, (cufftType)99, 1),
              CUFFT_INVALID_TYPE);
    check_fft(cufftPlanMany(&plan, 0, n, NULL, 1, 0, NULL, 1, 0, CUFFT_C2C, 1),
              CUFFT_INVALID_VALUE);
    check_fft(cufftPlanMany(&plan, 4, n, NULL, 1, 0, NULL, 1, 0, CUFFT_C2C, 1),
              CUFFT_INVALID_VALUE);
    check_fft(cufftPlanMany(&plan, 1, NULL, NULL, 1, 0, NULL, 1, 0, CUFFT_C2C, 1),
              CUFFT_INVALID_VALUE);
    check_fft(cufftPlanMany(&plan, 1, none, embed, 0, 8, embed, 1, 8, CUFFT_C2C, 1),
              CUFFT_INVALID_VALUE);
    check_fft(cufftPlanMany(&plan, 1, n, embed, 1, 8, NULL, 1, 8, CUFFT_C2C, 1),
              CUFFT_INVALID_VALUE);
    check_fft(cufftPlanMany(&plan, 1, n, embed, 1, 0, embed, 1, 8, CUFFT_C2C, 1),
              CUFFT_INVALID_VALUE);
    check_fft(cufftPlanMany(&plan, 1, n, NULL, 0, -8, NULL, 0, -8, CUFFT_C2C, 2), CUFFT_SUCCESS);
}

TEST(two_steps)
{
    cufftHandle plan;
    size_t bytes = 77;

    with_context();
    check_fft(cufftCreate(NULL), CUFFT_INVALID_VALUE);
    check_fft(cufftCreate(&plan), CUFFT_SUCCESS);
    check_fft(cufftGetSize(plan, &bytes), CUFFT_INVALID_PLAN);
    check_fft(cufftMakePlan1d(777, 0, (cufftType)99, 0, &bytes), CUFFT_INVALID_TYPE);
    check_fft(cufftMakePlan1d(777, 8, CUFFT_C2C, 1, NULL), CUFFT_INVALID_VALUE);
    check_fft(cufftMakePlan1d(777, 8, CUFFT_C2C, 1, &bytes), CUFFT_INVALID_PLAN);
    check_fft(cufftMakePlan1d(plan, 0, CUFFT_C2C, 1, &bytes), CUFFT_INVALID_SIZE);
    check(bytes == 77);
    check_fft(cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, &bytes), CUFFT_SUCCESS);
    check(bytes == 0);
    check_fft(cufftMakePlan1d(plan, 8, CUFFT_C2C, 0, &bytes), CUFFT_INVALID_PLAN);
    check_fft(cufftGetSize1d(plan, 16, CUFFT_R2C, 1, &bytes), CUFFT_SUCCESS);
}

/* Dimensions behind the first may be missing. */
TEST(missing_dimensions_count_as_one)
{
    float host[8] = {1, 0, 2, 0, 3, 0, 4, 0};
    CUdeviceptr memory;
    cufftHandle plan;
    size_t bytes = 77;

    with_context();
    check_fft(cufftPlan2d(&plan, 0, 4, CUFFT_C2C), CUFFT_INVALID_SIZE);
    check_fft(cufftEstimate2d(4, 0, CUFFT_R2C, &bytes), CUFFT_INTERNAL_ERROR);
    check(bytes == 0);
    check_fft(cufftPlan2d(&plan, 4, -3, CUFFT_C2C), CUFFT_SUCCESS);
    check_success(cuMemAlloc(&memory, sizeof(host)));
    check_success(cuMemcpyHtoD(memory, host, sizeof(host)));
    check_fft(cufftExecC2C(plan, (void *)memory, (void *)memory, CUFFT_FORWARD), CUFFT_SUCCESS);
    check_success(cuMemcpyDtoH(host, memory, sizeof(host)));
    check(host[0] == 10 && host[2] == -2 && host[3] == 2 && host[4] == -2 && host[5] == 0);
}

TEST(the_plan_says_what_is_computed)
{
    CUdeviceptr memory;
    cufftHandle complex_plan, forward, inverse;

    with_context();
    check_success(cuMemAlloc(&memory, 4096));
    check_success(cuMemsetD8(memory, 0, 4096));
    check_fft(cufftPlan1d(&complex_plan, 8, CUFFT_C2C, 1), CUFFT_SUCCESS);
    check_fft(cufftPlan1d(&forward, 8, CUFFT_R2C, 1), CUFFT_SUCCESS);
    check_fft(cufftPlan1d(&inverse, 8, CUFFT_C2R, 1), CUFFT_SUCCESS);
    check_fft(cufftExecR2C(complex_plan, (void *)memory, (void *)memory), CUFFT_SUCCESS);
    check_fft(cufftExecZ2D(complex_plan, (void *)memory, (void *)memory), CUFFT_SUCCESS);
    check_fft(cufftExecC2R(forward, (void *)memory, (void *)memory), CUFFT_INVALID_VALUE);
    check_fft(cufftExecR2C(inverse, (void *)memory, (void *)memory), CUFFT_INVALID_VALUE);
    check_fft(cufftXtExec(forward, (void *)memory, (void *)memory, CUFFT_FORWARD), CUFFT_SUCCESS);
    check_fft(cufftXtExec(complex_plan, (void *)memory, (void *)memory, 0), CUFFT_INVALID_VALUE);
}

TEST(addresses)
{
    static float host[64];
    CUdeviceptr memory;
    cufftHandle plan;

    with_context();
    check_success(cuMemAlloc(&memory, 4096));
    check_fft(cufftPlan1d(&plan, 8, CUFFT_R2C, 1), CUFFT_SUCCESS);
    check_fft(cufftExecR2C(plan, (void *)(memory + 4), (void *)(memory + 128)),
              CUFFT_INVALID_VALUE);
    check_fft(cufftExecR2C(plan, (void *)memory, (void *)(memory + 132)), CUFFT_INVALID_VALUE);
    check_success(cuCtxSynchronize());
    only_cupipe(); /* NVIDIA's says so for plans of complex numbers alone */
    check_fft(cufftExecR2C(plan, (void *)memory, NULL), CUFFT_EXEC_FAILED);
    check_fft(cufftExecR2C(plan, (void *)memory, (void *)host), CUFFT_EXEC_FAILED);
    check_fft(cufftExecR2C(plan, NULL, (void *)memory), CUFFT_SUCCESS);
    check_result(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

/* An array that ends behind its memory is found out before anything is written. */
TEST(arrays_that_are_too_long)
{
    CUdeviceptr memory;
    cufftHandle plan;

    with_context();
    only_cupipe(); /* it is a matter of the device's memory and of the kernel */
    check_success(cuMemAlloc(&memory, 1 << 20));
    check_fft(cufftPlan1d(&plan, 1 << 16, CUFFT_Z2Z, 100000), CUFFT_INTERNAL_ERROR);
    check_fft(cufftPlan1d(&plan, 1 << 10, CUFFT_Z2Z, 1 << 24), CUFFT_SUCCESS);
    check_fft(cufftExecZ2Z(plan, (void *)memory, (void *)memory, CUFFT_FORWARD), CUFFT_SUCCESS);
    check_result(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(work_areas)
{
    CUdeviceptr memory, area;
    cufftHandle plan;
    size_t bytes = 0;

    with_context();
    check_fft(cufftCreate(&plan), CUFFT_SUCCESS);
    check_fft(cufftSetAutoAllocation(plan, 0), CUFFT_SUCCESS);
    check_fft(cufftMakePlan1d(plan, 65536, CUFFT_C2C, 1, &bytes), CUFFT_SUCCESS);
    check(bytes == 65536 * 8);
    check_success(cuMemAlloc(&memory, bytes));
    check_success(cuMemAlloc(&area, bytes));
    check_success(cuMemsetD8(memory, 0, bytes));
    check_fft(cufftExecC2C(plan, (void *)memory, (void *)memory, CUFFT_FORWARD),
              CUFFT_NO_WORKSPACE);
    check_fft(cufftSetWorkArea(plan, (void *)area), CUFFT_SUCCESS);
    check_fft(cufftExecC2C(plan, (void *)memory, (void *)memory, CUFFT_FORWARD), CUFFT_SUCCESS);
    check_fft(cufftXtSetWorkAreaPolicy(plan, CUFFT_WORKAREA_USER, &bytes), CUFFT_INVALID_PLAN);
}

TEST(properties_and_callbacks)
{
    void *pointers[1] = {NULL};
    long long value = 77;
    cufftHandle plan;

    with_context();
    check_fft(cufftCreate(&plan), CUFFT_SUCCESS);
    check_fft(cufftGetPlanPropertyInt64(plan, NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT, &value),
              CUFFT_SUCCESS);
    check(value == 0);
    check_fft(cufftSetPlanPropertyInt64(plan, NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT, 1000),
              CUFFT_SUCCESS);
    check_fft(cufftGetPlanPropertyInt64(plan, NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT, &value),
              CUFFT_SUCCESS);
    check(value == 1);
    check_fft(cufftSetPlanPropertyInt64(plan, NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS, 1),
              CUFFT_NOT_SUPPORTED);
    check_fft(cufftSetPlanPropertyInt64(777, (cufftProperty)9, 1), CUFFT_INVALID_PLAN);
    check_fft(cufftXtSetCallback(plan, pointers, CUFFT_CB_LD_COMPLEX, pointers),
              CUFFT_NOT_IMPLEMENTED);
    check_fft(cufftXtClearCallback(plan, CUFFT_CB_LD_COMPLEX), CUFFT_NOT_IMPLEMENTED);
    check_fft(cufftXtSetJITCallback(plan, "f", NULL, 0, CUFFT_CB_LD_COMPLEX, pointers),
              CUFFT_INVALID_VALUE);
    check_fft(cufftXtSetJITCallback(plan, "f", NULL, 0, CUFFT_CB_UNDEFINED, pointers),
              CUFFT_INVALID_TYPE);
}

TEST(half_precision_takes_powers_of_two)
{
    long long n = 30;
    cufftHandle plan;
    size_t bytes;

    with_context();
    check_fft(cufftCreate(&plan), CUFFT_SUCCESS);
    check_fft(cufftXtMakePlanMany(plan, 1, &n, NULL, 1, 1, CUDA_C_16F, NULL, 1, 1, CUDA_C_16F, 1,
                                  &bytes, CUDA_C_16F),
              CUFFT_NOT_SUPPORTED);
    check_fft(cufftXtMakePlanMany(plan, 1, &n, NULL, 1, 1, CUDA_C_32F, NULL, 1, 1, CUDA_C_64F, 1,
                                  &bytes, CUDA_C_64F),
              CUFFT_INVALID_TYPE);
    check_fft(cufftXtMakePlanMany(plan, 1, &n, NULL, 1, 1, CUDA_R_32F, NULL, 1, 1, CUDA_C_32F, 1,
                                  &bytes, CUDA_R_32F),
              CUFFT_SUCCESS);
}

TEST(versions)
{
    int value = 0;

    check_fft(cufftGetVersion(&value), CUFFT_SUCCESS);
    check(value == CUFFT_VERSION);
    check_fft(cufftGetVersion(NULL), CUFFT_SUCCESS);
    check_fft(cufftGetProperty(MAJOR_VERSION, &value), CUFFT_SUCCESS);
    check(value == CUFFT_VER_MAJOR);
    check_fft(cufftGetProperty((libraryPropertyType)7, &value), CUFFT_INVALID_TYPE);
    check_fft(cufftGetProperty(MAJOR_VERSION, NULL), CUFFT_INVALID_VALUE);
}
