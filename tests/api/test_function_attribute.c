/* SPDX-License-Identifier: MIT */
/* What CUDA 13.1 and later say of functions: the number of parameters, the mode of shared memory,
 * and the options, targets, policies and limits that came with them. */
#include "kernels.h"
#include "test.h"

/* 40000 bytes of static shared memory. */
static const char ptx_shared[] = ".version 7.8\n.target sm_75\n.address_size 64\n"
                                 ".visible .entry shared()\n"
                                 "{\n"
                                 "    .shared .align 4 .b8 buffer[40000];\n"
                                 "    .reg .b32 %r<2>;\n"
                                 "    mov.u32 %r1, 7;\n"
                                 "    st.shared.u32 [buffer], %r1;\n"
                                 "    ret;\n"
                                 "}\n";

static CUfunction function_of(const char *text, const char *name)
{
    CUmodule module;
    CUfunction function;

    check_success(cuModuleLoadData(&module, text));
    check_success(cuModuleGetFunction(&function, module, name));
    return function;
}

TEST(the_number_of_parameters)
{
    CUlibrary library;
    CUkernel kernel;
    size_t count = 99;

    with_context();
    need_driver(13020);
    CUfunction fill = function_of(ptx_fill, "fill"), none = function_of(ptx_shared, "shared");
    check_success(cuFuncGetParamCount(fill, &count));
    check(count == 3);
    check_success(cuFuncGetParamCount(none, &count));
    check(count == 0);
    check_result(cuFuncGetParamCount(NULL, &count), CUDA_ERROR_INVALID_VALUE);
    check_result(cuFuncGetParamCount(fill, NULL), CUDA_ERROR_INVALID_VALUE);
    check_success(cuLibraryLoadData(&library, ptx_fill, NULL, NULL, 0, NULL, NULL, 0));
    check_success(cuLibraryGetKernel(&kernel, library, "fill"));
    check_success(cuKernelGetParamCount(kernel, &count));
    check(count == 3);
    check_result(cuKernelGetParamCount(NULL, &count), CUDA_ERROR_INVALID_VALUE);
    check_result(cuKernelGetParamCount(kernel, NULL), CUDA_ERROR_INVALID_VALUE);
    check_success(cuLibraryUnload(library));
}

static CUresult launch(CUfunction function, unsigned dynamic_bytes)
{
    CUresult result = cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, dynamic_bytes, NULL, NULL, NULL);

    check_success(cuCtxSynchronize());
    return result;
}

/* A mode replaces the limit that CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES sets. */
TEST(the_mode_of_shared_memory_chooses_the_limit)
{
    const CUfunction_attribute mode = CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE;
    int portable = 0, most = 0, value = 99;

    with_context();
    need_driver(13040);
    CUfunction function = function_of(ptx_shared, "shared");
    check_success(
        cuDeviceGetAttribute(&portable, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 0));
    check_success(
        cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 0));
    unsigned portable_left = (unsigned)portable - 40000, left = (unsigned)most - 40000;

    check_success(cuFuncGetAttribute(&value, mode, function));
    check(value == CU_SHARED_MEMORY_MODE_DEFAULT);
    check_result(launch(function, portable_left + 1), CUDA_ERROR_INVALID_VALUE);
    for (int allowed = CU_SHARED_MEMORY_MODE_ALLOW_NON_PORTABLE;
         allowed <= CU_SHARED_MEMORY_MODE_PREFER_OVERSIZED_SHARED_MEMORY; allowed++) {
        check_success(cuFuncSetAttribute(function, mode, allowed));
        check_success(cuFuncGetAttribute(&value, mode, function));
        check(value == allowed);
        check_success(launch(function, left));
        check_result(launch(function, left + 1), CUDA_ERROR_INVALID_VALUE);
    }
    check_success(
        cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)left));
    check_success(cuFuncSetAttribute(function, mode, CU_SHARED_MEMORY_MODE_REQUIRE_PORTABLE));
    check_success(launch(function, portable_left));
    check_result(launch(function, portable_left + 1), CUDA_ERROR_INVALID_VALUE);
    check_success(cuFuncSetAttribute(function, mode, CU_SHARED_MEMORY_MODE_DEFAULT));
    check_success(launch(function, left));
    check_result(cuFuncSetAttribute(function, mode, 5), CUDA_ERROR_INVALID_VALUE);
    check_result(cuFuncSetAttribute(function, mode, -1), CUDA_ERROR_INVALID_VALUE);
}

TEST(nodes_are_not_updated_by_kernels)
{
    int value = 99;

    with_context();
    only_cupipe();
    need_driver(13030);
    CUfunction function = function_of(ptx_fill, "fill");
    check_success(
        cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_DEVICE_NODE_UPDATE_SUPPORTED, function));
    check(value == 0);
    check_result(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_DEVICE_NODE_UPDATE_SUPPORTED, 1),
                 CUDA_ERROR_INVALID_VALUE);
}

static CUresult launch_with_policy(CUfunction function, int policy)
{
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE};
    CUlaunchConfig config = {.gridDimX = 1,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 1,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .attrs = &attribute,
                             .numAttrs = 1};

    attribute.value.clusterSchedulingPolicyPreference = (CUclusterSchedulingPolicy)policy;
    return cuLaunchKernelEx(&config, function, NULL, NULL);
}

TEST(a_policy_of_later_devices_is_a_hint)
{
    const CUfunction_attribute attribute = CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE;
    const int policy = CU_CLUSTER_SCHEDULING_POLICY_RUBIN_DSMEM_LOCALITY;
    int value = 99;

    with_context();
    need_driver(13040);
    CUfunction function = function_of(ptx_shared, "shared");
    check_success(cuFuncSetAttribute(function, attribute, policy));
    check_success(cuFuncGetAttribute(&value, attribute, function));
    check(value == policy);
    check_result(cuFuncSetAttribute(function, attribute, policy + 1), CUDA_ERROR_INVALID_VALUE);
    check_success(launch_with_policy(function, policy));
    check_result(launch_with_policy(function, policy + 1), CUDA_ERROR_INVALID_VALUE);
}

static CUresult load_with(CUjit_option option, long value)
{
    CUmodule module;
    void *values[] = {(void *)value};
    CUresult result = cuModuleLoadDataEx(&module, ptx_shared, 1, &option, values);

    if (result == CUDA_SUCCESS)
        check_success(cuModuleUnload(module));
    return result;
}

TEST(options_and_targets)
{
    with_context();
    need_driver(13040);
    check_success(load_with(CU_JIT_BINARY_LOADER_THREAD_COUNT, 0));
    check_success(load_with(CU_JIT_BINARY_LOADER_THREAD_COUNT, 4));
    check_result(load_with(CU_JIT_TARGET, CU_TARGET_COMPUTE_107), CUDA_ERROR_INVALID_SOURCE);
    check_result(load_with(CU_JIT_TARGET, CU_TARGET_COMPUTE_107A), CUDA_ERROR_INVALID_SOURCE);
    check_result(load_with(CU_JIT_TARGET, CU_TARGET_COMPUTE_107F), CUDA_ERROR_INVALID_SOURCE);
    check_result(load_with(CU_JIT_TARGET, 108), CUDA_ERROR_INVALID_VALUE);
}

TEST(memory_per_block_has_no_limit_here)
{
    size_t value = 99;

    with_context();
    only_cupipe();
    need_driver(13040);
    check_result(cuCtxGetLimit(&value, CU_LIMIT_PER_BLOCK_MEMORY_SIZE),
                 CUDA_ERROR_UNSUPPORTED_LIMIT);
    check_result(cuCtxSetLimit(CU_LIMIT_PER_BLOCK_MEMORY_SIZE, 1024), CUDA_ERROR_UNSUPPORTED_LIMIT);
}

TEST(an_older_driver_refuses_them)
{
    setenv("CUPIPE_DRIVER", "13.0", 1);
    with_context();
    only_cupipe();
    CUfunction function = function_of(ptx_shared, "shared");
    size_t size = 99;
    int value = 99;

    check_result(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE, function),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE, 0),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(
        cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_DEVICE_NODE_UPDATE_SUPPORTED, function),
        CUDA_ERROR_INVALID_VALUE);
    check_result(launch_with_policy(function, CU_CLUSTER_SCHEDULING_POLICY_RUBIN_DSMEM_LOCALITY),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(load_with(CU_JIT_TARGET, CU_TARGET_COMPUTE_107), CUDA_ERROR_INVALID_VALUE);
    check_result(cuCtxGetLimit(&size, CU_LIMIT_PER_BLOCK_MEMORY_SIZE), CUDA_ERROR_INVALID_VALUE);
    check_result(cuFuncGetParamCount(function, &size), CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER);
}
