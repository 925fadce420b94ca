/* SPDX-License-Identifier: MIT */
/* Plans over several devices. One device may be named twice, which needs no second one. */
#include "transform.h"

enum { ROWS = 33, COLUMNS = 35, FIRST_ROWS = 17, FIRST_COLUMNS = 18 };

static cufftHandle plan_on_two(int rank, int nx, int ny, cufftType type)
{
    int devices[] = {0, 0};
    cufftHandle plan;
    size_t bytes[2];

    check_fft(cufftCreate(&plan), CUFFT_SUCCESS);
    check_fft(cufftXtSetGPUs(plan, 2, devices), CUFFT_SUCCESS);
    if (rank == 1)
        check_fft(cufftMakePlan1d(plan, nx, type, 1, bytes), CUFFT_SUCCESS);
    else
        check_fft(cufftMakePlan2d(plan, nx, ny, type, bytes), CUFFT_SUCCESS);
    return plan;
}

static void compare_whole(struct transform *t, struct arrays *a, cufftHandle plan,
                          cudaLibXtDesc *descriptor)
{
    void *result = malloc(a->out_bytes);

    check_fft(cufftXtMemcpy(plan, result, descriptor, CUFFT_COPY_DEVICE_TO_HOST), CUFFT_SUCCESS);
    compare(t, a, result);
    free(result);
}

TEST(a_transform_shuffles_and_back)
{
    struct transform t = {.type = CUFFT_Z2Z,
                          .rank = 2,
                          .n = {ROWS, COLUMNS},
                          .batch = 1,
                          .in_place = true,
                          .direction = CUFFT_FORWARD};
    struct arrays a;
    cudaLibXtDesc *descriptor, *natural;
    cufftHandle plan;
    double value[2];

    with_context();
    set_dense(&t);
    a = make_arrays(&t);
    plan = plan_on_two(2, ROWS, COLUMNS, CUFFT_Z2Z);
    check_fft(cufftXtMalloc(plan, &descriptor, CUFFT_XT_FORMAT_INPLACE), CUFFT_SUCCESS);
    check(descriptor->descriptor->nGPUs == 2 && descriptor->subFormat == CUFFT_XT_FORMAT_INPLACE);
    check_fft(cufftXtMemcpy(plan, descriptor, a.in, CUFFT_COPY_HOST_TO_DEVICE), CUFFT_SUCCESS);
    /* The second part begins with row 17. */
    check_success(cuMemcpyDtoH(value, (CUdeviceptr)descriptor->descriptor->data[1], 16));
    check(memcmp(value, (char *)a.in + FIRST_ROWS * COLUMNS * 16, 16) == 0);
    check_fft(cufftXtExecDescriptorZ2Z(plan, descriptor, descriptor, CUFFT_FORWARD), CUFFT_SUCCESS);
    check(descriptor->subFormat == CUFFT_XT_FORMAT_INPLACE_SHUFFLED);
    compare_whole(&t, &a, plan, descriptor);
    /* Now it begins with column 18 of row 0. */
    check_success(cuMemcpyDtoH(value, (CUdeviceptr)descriptor->descriptor->data[1], 16));
    check(cabs(value[0] + I * value[1] - a.expected[FIRST_COLUMNS]) < 1e-10);
    check_fft(cufftXtMalloc(plan, &natural, CUFFT_XT_FORMAT_INPLACE), CUFFT_SUCCESS);
    check_fft(cufftXtMemcpy(plan, natural, descriptor, CUFFT_COPY_DEVICE_TO_DEVICE), CUFFT_SUCCESS);
    check_success(cuMemcpyDtoH(value, (CUdeviceptr)natural->descriptor->data[1], 16));
    check(cabs(value[0] + I * value[1] - a.expected[FIRST_ROWS * COLUMNS]) < 1e-10);
    check_fft(cufftXtExecDescriptorZ2Z(plan, descriptor, descriptor, CUFFT_INVERSE), CUFFT_SUCCESS);
    check(descriptor->subFormat == CUFFT_XT_FORMAT_INPLACE);
    check_fft(cufftXtFree(natural), CUFFT_SUCCESS);
    check_fft(cufftXtFree(descriptor), CUFFT_SUCCESS);
    check_fft(cufftXtFree(descriptor), CUFFT_INVALID_VALUE);
}

TEST(one_dimension)
{
    struct transform t = {.type = CUFFT_C2C,
                          .rank = 1,
                          .n = {64},
                          .batch = 1,
                          .in_place = true,
                          .direction = CUFFT_INVERSE};
    struct arrays a;
    cudaLibXtDesc *descriptor;
    cufftHandle plan;

    with_context();
    set_dense(&t);
    a = make_arrays(&t);
    plan = plan_on_two(1, 64, 1, CUFFT_C2C);
    check_fft(cufftXtMalloc(plan, &descriptor, CUFFT_XT_FORMAT_INPLACE), CUFFT_SUCCESS);
    check(descriptor->descriptor->size[0] == 256);
    check_fft(cufftXtMemcpy(plan, descriptor, a.in, CUFFT_COPY_HOST_TO_DEVICE), CUFFT_SUCCESS);
    check_fft(cufftXtExecDescriptorC2C(plan, descriptor, descriptor, CUFFT_INVERSE), CUFFT_SUCCESS);
    compare_whole(&t, &a, plan, descriptor);
    check_fft(cufftXtFree(descriptor), CUFFT_SUCCESS);
}

TEST(wrong_arguments)
{
    int devices[20] = {0, 0}, bad[] = {0, -1};
    cudaLibXtDesc *descriptor = NULL;
    cufftXt1dFactors factors;
    cufftHandle plan, unplanned;

    with_context();
    check_fft(cufftCreate(&unplanned), CUFFT_SUCCESS);
    check_fft(cufftXtSetGPUs(777, 2, devices), CUFFT_INVALID_PLAN);
    check_fft(cufftXtSetGPUs(unplanned, 1, devices), CUFFT_INVALID_VALUE);
    check_fft(cufftXtSetGPUs(unplanned, 17, devices), CUFFT_INVALID_VALUE);
    check_fft(cufftXtSetGPUs(unplanned, 2, NULL), CUFFT_INVALID_VALUE);
    check_fft(cufftXtSetGPUs(unplanned, 2, bad), CUFFT_INVALID_DEVICE);
    check_fft(cufftXtMalloc(unplanned, &descriptor, CUFFT_XT_FORMAT_INPLACE), CUFFT_INVALID_PLAN);
    plan = plan_on_two(1, 64, 1, CUFFT_C2C);
    check_fft(cufftXtSetGPUs(plan, 2, devices), CUFFT_INVALID_PLAN);
    check_fft(cufftXtMalloc(plan, &descriptor, (cufftXtSubFormat)99), CUFFT_INVALID_VALUE);
    check_fft(cufftXtMalloc(plan, NULL, CUFFT_XT_FORMAT_INPLACE), CUFFT_INVALID_VALUE);
    check_fft(cufftXtMemcpy(plan, NULL, NULL, (cufftXtCopyType)9), CUFFT_INVALID_VALUE);
    check_fft(cufftXtFree(NULL), CUFFT_SUCCESS);
    check_fft(cufftXtExecDescriptorC2C(plan, NULL, NULL, CUFFT_FORWARD), CUFFT_INVALID_PLAN);
    check_fft(cufftXtQueryPlan(plan, NULL, CUFFT_QUERY_1D_FACTORS), CUFFT_INVALID_VALUE);
    check_fft(cufftXtQueryPlan(plan, &factors, CUFFT_QUERY_UNDEFINED), CUFFT_INVALID_VALUE);
    check_fft(cufftXtQueryPlan(unplanned, &factors, CUFFT_QUERY_1D_FACTORS), CUFFT_INVALID_PLAN);
}
