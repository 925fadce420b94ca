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
    only_cupipe();
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
    check_fft(cufftXtExecDescriptorC2C(plan, descriptor, descriptor, CUFFT_FORWARD),
              CUFFT_INVALID_TYPE);
    check_fft(cufftXtFree(descriptor), CUFFT_SUCCESS);
}

/* The result lies in strings: of 64 elements, device 0 has 0 to 7, 16 to 23 and so on. */
TEST(one_dimension_is_left_in_strings)
{
    struct transform t = {.type = CUFFT_Z2Z,
                          .rank = 1,
                          .n = {64},
                          .batch = 1,
                          .in_place = true,
                          .direction = CUFFT_FORWARD};
    cufftXt1dFactors factors;
    cudaLibXtDesc *descriptor;
    double parts[2][32][2];
    cufftHandle plan;
    struct arrays a;

    with_context();
    set_dense(&t);
    a = make_arrays(&t);
    plan = plan_on_two(1, 64, 1, CUFFT_Z2Z);
    check_fft(cufftXtQueryPlan(plan, &factors, CUFFT_QUERY_1D_FACTORS), CUFFT_SUCCESS);
    check(factors.size == 64 && factors.stringCount == 2 && factors.stringLength == 32);
    check(factors.substringLength == 8 && factors.factor1 == 16 && factors.factor2 == 4);
    check(factors.stringMask == 31 && factors.substringMask == 7);
    check(factors.stringShift == 5 && factors.substringShift == 3);
    check_fft(cufftXtMalloc(plan, &descriptor, CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED), CUFFT_SUCCESS);
    check_fft(cufftXtMemcpy(plan, descriptor, a.in, CUFFT_COPY_HOST_TO_DEVICE), CUFFT_SUCCESS);
    check_success(cuMemcpyDtoH(parts[1], (CUdeviceptr)descriptor->descriptor->data[1], 512));
    check(memcmp(parts[1][0], (char *)a.in + 2 * 16, 32) == 0);
    check(memcmp(parts[1][2], (char *)a.in + 6 * 16, 32) == 0);
    check_fft(cufftXtExecDescriptorZ2Z(plan, descriptor, descriptor, CUFFT_FORWARD), CUFFT_SUCCESS);
    check(descriptor->subFormat == CUFFT_XT_FORMAT_INPLACE_SHUFFLED);
    for (int part = 0; part < 2; part++)
        check_success(
            cuMemcpyDtoH(parts[part], (CUdeviceptr)descriptor->descriptor->data[part], 512));
    for (int i = 0; i < 64; i++) {
        const double *value = parts[i / 8 % 2][i / 16 * 8 + i % 8];

        check(cabs(value[0] + I * value[1] - a.expected[i]) < 1e-10);
    }
    compare_whole(&t, &a, plan, descriptor);
    check_fft(cufftXtFree(descriptor), CUFFT_SUCCESS);
}

TEST(lengths_that_several_devices_do_not_take)
{
    int devices[] = {0, 0, 0};
    cufftHandle plan;
    size_t bytes[3];

    with_context();
    check_fft(cufftCreate(&plan), CUFFT_SUCCESS);
    check_fft(cufftXtSetGPUs(plan, 2, devices), CUFFT_SUCCESS);
    check_fft(cufftMakePlan1d(plan, 32, CUFFT_C2C, 1, bytes), CUFFT_INVALID_SIZE);
    check_fft(cufftMakePlan1d(plan, 96, CUFFT_C2C, 1, bytes), CUFFT_INVALID_SIZE);
    check_fft(cufftMakePlan1d(plan, 64, CUFFT_R2C, 1, bytes), CUFFT_INVALID_SIZE);
    check_fft(cufftMakePlan2d(plan, 31, 64, CUFFT_C2C, bytes), CUFFT_INVALID_SIZE);
    check_fft(cufftMakePlan2d(plan, 64, 31, CUFFT_C2C, bytes), CUFFT_INVALID_SIZE);
    check_fft(cufftXtSetGPUs(plan, 3, devices), CUFFT_SUCCESS);
    check_fft(cufftMakePlan1d(plan, 64, CUFFT_C2C, 1, bytes), CUFFT_INVALID_SIZE);
    check_fft(cufftMakePlan1d(plan, 96, CUFFT_R2C, 2, bytes), CUFFT_SUCCESS);
}

/* Of one transform every device exchanges its part; several are shared, and need none if short. */
TEST(each_device_has_a_work_area)
{
    static const struct {
        int n, batch;
        size_t bytes;
    } plans[] = {{64, 1, 768}, {1024, 1, 12288}, {1024, 4, 0}, {65536, 4, 1048576}};
    int devices[] = {0, 0};

    with_context();
    for (size_t i = 0; i < sizeof(plans) / sizeof(*plans); i++) {
        size_t bytes[3] = {7, 7, 7}, again[3] = {7, 7, 7};
        cufftHandle plan;

        check_fft(cufftCreate(&plan), CUFFT_SUCCESS);
        check_fft(cufftXtSetGPUs(plan, 2, devices), CUFFT_SUCCESS);
        check_fft(cufftMakePlan1d(plan, plans[i].n, CUFFT_C2C, plans[i].batch, bytes),
                  CUFFT_SUCCESS);
        check_fft(cufftGetSize(plan, again), CUFFT_SUCCESS);
        for (int j = 0; j < 2; j++)
            check(bytes[j] == plans[i].bytes && again[j] == bytes[j]);
        check(bytes[2] == 7 && again[2] == 7);
        check_fft(cufftDestroy(plan), CUFFT_SUCCESS);
    }
}

TEST(a_descriptor_may_be_the_programs_own)
{
    struct transform t = {.type = CUFFT_C2C,
                          .rank = 1,
                          .n = {64},
                          .batch = 1,
                          .in_place = true,
                          .direction = CUFFT_FORWARD};
    struct arrays a;
    cudaXtDesc parts = {.nGPUs = 2};
    cudaLibXtDesc descriptor = {.descriptor = &parts, .subFormat = CUFFT_XT_FORMAT_INPLACE};
    CUdeviceptr memory[2];
    cufftHandle plan;

    with_context();
    set_dense(&t);
    a = make_arrays(&t);
    plan = plan_on_two(1, 64, 1, CUFFT_C2C);
    for (int i = 0; i < 2; i++) {
        check_success(cuMemAlloc(&memory[i], 256));
        parts.data[i] = (void *)(uintptr_t)memory[i];
        parts.size[i] = 256;
    }
    check_fft(cufftXtMemcpy(plan, &descriptor, a.in, CUFFT_COPY_HOST_TO_DEVICE), CUFFT_SUCCESS);
    check_fft(cufftXtExecDescriptorC2C(plan, &descriptor, &descriptor, CUFFT_FORWARD),
              CUFFT_SUCCESS);
    compare_whole(&t, &a, plan, &descriptor);
    for (int i = 0; i < 2; i++)
        check_success(cuMemFree(memory[i]));
}

/* What does not fit is refused before anything is written; NVIDIA's library reads it all the same.
 */
TEST(a_descriptor_that_does_not_fit_is_refused)
{
    cudaXtDesc parts = {.nGPUs = 2};
    cudaLibXtDesc own = {.descriptor = &parts, .subFormat = CUFFT_XT_FORMAT_INPLACE}, *stale;
    float host[128] = {0};
    CUdeviceptr memory;
    cufftHandle plan;

    with_context();
    only_cupipe();
    plan = plan_on_two(1, 64, 1, CUFFT_C2C);
    check_success(cuMemAlloc(&memory, 512));
    for (int i = 0; i < 2; i++) {
        parts.data[i] = (void *)(uintptr_t)(memory + 256 * (CUdeviceptr)i);
        parts.size[i] = 256;
    }
    parts.size[1] = 255;
    check_fft(cufftXtMemcpy(plan, &own, host, CUFFT_COPY_HOST_TO_DEVICE), CUFFT_INVALID_VALUE);
    parts.size[1] = 256;
    parts.data[1] = NULL;
    check_fft(cufftXtExecDescriptorC2C(plan, &own, &own, CUFFT_FORWARD), CUFFT_INVALID_PLAN);
    parts.nGPUs = 1;
    check_fft(cufftXtExecDescriptorC2C(plan, &own, &own, CUFFT_FORWARD), CUFFT_INVALID_PLAN);
    check_fft(cufftXtFree(&own), CUFFT_INVALID_VALUE);
    check_fft(cufftXtMalloc(plan, &stale, CUFFT_XT_FORMAT_INPLACE), CUFFT_SUCCESS);
    check_fft(cufftXtFree(stale), CUFFT_SUCCESS);
    check_fft(cufftXtMemcpy(plan, host, stale, CUFFT_COPY_DEVICE_TO_HOST), CUFFT_INVALID_VALUE);
    check_success(cuMemFree(memory));
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
