/* SPDX-License-Identifier: MIT */
/* Found with numba-cuda, which asks for the device's architecture with all it has: CU_JIT_TARGET
 * with a variant of a target (sm_90a, sm_100f) was refused as a number that means nothing. Which
 * code goes for which target is ptxas's. */
#include "test.h"

static int capability(void)
{
    CUdevice device;
    int major, minor;

    check_success(cuCtxGetDevice(&device));
    check_success(
        cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    check_success(
        cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    return major * 10 + minor;
}

static CUresult load(const char *target, long compile_for)
{
    char text[200];
    CUmodule module;
    CUjit_option options[] = {CU_JIT_TARGET};
    void *values[] = {(void *)compile_for};

    snprintf(text, sizeof text,
             ".version 8.6\n.target %s\n.address_size 64\n.visible .entry k() { ret; }\n", target);
    return cuModuleLoadDataEx(&module, text, 1, options, values);
}

TEST(the_device_with_all_it_has_is_a_target)
{
    with_context();
    if (capability() != 90)
        skip("the device is not of compute capability 9.0");
    check_success(load("sm_80", CU_TARGET_COMPUTE_90A));
    check_success(load("sm_90", CU_TARGET_COMPUTE_90A));
    check_success(load("sm_90a", CU_TARGET_COMPUTE_90A));
    check_success(load("sm_90", CU_TARGET_COMPUTE_90));
    check_result(load("sm_90a", CU_TARGET_COMPUTE_90), CUDA_ERROR_INVALID_PTX);
    check_result(load("sm_90a", CU_TARGET_COMPUTE_100A), CUDA_ERROR_INVALID_PTX);
}

TEST(other_targets_are_known_and_do_not_run_here)
{
    static const long others[] = {CU_TARGET_COMPUTE_100A, CU_TARGET_COMPUTE_103A,
                                  CU_TARGET_COMPUTE_110A, CU_TARGET_COMPUTE_120A,
                                  CU_TARGET_COMPUTE_121A, CU_TARGET_COMPUTE_100F,
                                  CU_TARGET_COMPUTE_103F, CU_TARGET_COMPUTE_110F,
                                  CU_TARGET_COMPUTE_120F, CU_TARGET_COMPUTE_121F};

    with_context();
    if (capability() != 90)
        skip("the device is not of compute capability 9.0");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        check_result(load("sm_80", others[i]), CUDA_ERROR_INVALID_SOURCE);
}

TEST(variants_there_are_not_are_refused)
{
    with_context();
    check_result(load("sm_50", CU_COMPUTE_ACCELERATED_TARGET_BASE), CUDA_ERROR_INVALID_VALUE);
    check_result(load("sm_50", CU_COMPUTE_ACCELERATED_TARGET_BASE + 80), CUDA_ERROR_INVALID_VALUE);
    check_result(load("sm_50", CU_COMPUTE_FAMILY_TARGET_BASE + 90), CUDA_ERROR_INVALID_VALUE);
    check_result(load("sm_50", 0x30000 + 90), CUDA_ERROR_INVALID_VALUE);
    check_result(load("sm_50", -1), CUDA_ERROR_INVALID_VALUE);
}

TEST(a_link_and_a_library_take_the_variant)
{
    static const char text[] =
        ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k() { ret; }\n";
    CUjit_option options[] = {CU_JIT_TARGET};
    void *values[] = {(void *)(long)CU_TARGET_COMPUTE_90A};
    CUlinkState link;
    CUlibrary library;
    CUkernel kernel;
    CUmodule module;
    void *image;
    size_t bytes;

    with_context();
    if (capability() != 90)
        skip("the device is not of compute capability 9.0");
    check_success(cuLinkCreate(1, options, values, &link));
    check_success(
        cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)text, sizeof text, "text", 0, NULL, NULL));
    check_success(cuLinkComplete(link, &image, &bytes));
    check_success(cuModuleLoadData(&module, image));
    check_success(cuLinkDestroy(link));
    check_success(cuLibraryLoadData(&library, text, options, values, 1, NULL, NULL, 0));
    check_success(cuLibraryGetKernel(&kernel, library, "k"));
}
