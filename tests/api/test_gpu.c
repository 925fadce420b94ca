/* SPDX-License-Identifier: MIT */
/* Which GPU a device is (CUPIPE_GPU, CUPIPE_SMS, CUPIPE_COMPUTE_CAPABILITY), and what follows from
 * it: attributes, occupancy, limits of launches, which PTX runs. */
#include "test.h"

#define KERNEL ".visible .entry k()\n{\nret;\n}\n"

static void with_gpus(const char *gpus)
{
    setenv("CUPIPE_GPU", gpus, 1);
    check_success(cuInit(0));
    only_cupipe();
}

static int attribute(CUdevice device, CUdevice_attribute which)
{
    int value = -7;

    check_success(cuDeviceGetAttribute(&value, which, device));
    return value;
}

static int capability(CUdevice device)
{
    return 10 * attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
           attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
}

static void use(CUdevice device)
{
    CUcontext context;

    check_success(cuDevicePrimaryCtxRetain(&context, device));
    check_success(cuCtxSetCurrent(context));
}

static CUresult load(const char *target, CUfunction *function)
{
    char text[256];
    CUmodule module;

    snprintf(text, sizeof text, ".version 9.0\n.target %s\n.address_size 64\n" KERNEL, target);
    CUresult result = cuModuleLoadData(&module, text);
    if (result == CUDA_SUCCESS && function)
        check_success(cuModuleGetFunction(function, module, "k"));
    return result;
}

TEST(a_profile_sets_attributes)
{
    char name[64];
    size_t bytes;

    with_gpus("rtx3090");
    check(capability(0) == 86);
    check(attribute(0, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) == 82);
    check(attribute(0, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) == 1536);
    check(attribute(0, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR) == 16);
    check(attribute(0, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) == 99 << 10);
    check(attribute(0, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) == 0);
    check(attribute(0, CU_DEVICE_ATTRIBUTE_ECC_ENABLED) == 0);
    check_success(cuDeviceGetName(name, sizeof name, 0));
    check(strcmp(name, "NVIDIA RTX 3090 (cupipe)") == 0);
    check_success(cuDeviceTotalMem(&bytes, 0));
    check(bytes <= (size_t)24268 << 20);
}

TEST(devices_may_differ)
{
    int count;

    setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
    with_gpus("h200,T4,b200");
    check_success(cuDeviceGetCount(&count));
    check(count == 3);
    check(capability(0) == 90 && capability(1) == 75 && capability(2) == 100);
}

TEST(more_devices_than_profiles_repeat_them)
{
    int count;

    setenv("CUPIPE_DEVICES", "3", 1);
    setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
    with_gpus("a100,l4");
    check_success(cuDeviceGetCount(&count));
    check(count == 3);
    check(capability(0) == 80 && capability(1) == 89 && capability(2) == 80);
}

TEST(capability_and_multiprocessors_are_overridden)
{
    setenv("CUPIPE_SMS", "4", 1);
    setenv("CUPIPE_COMPUTE_CAPABILITY", "12.0", 1);
    with_gpus("h200");
    check(capability(0) == 120);
    check(attribute(0, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) == 4);
    check(attribute(0, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) == 1536);
    check(attribute(0, CU_DEVICE_ATTRIBUTE_CLOCK_RATE) == 1980000);
}

static CUresult launch_cooperatively(CUfunction function, unsigned blocks, unsigned threads)
{
    return cuLaunchCooperativeKernel(function, blocks, 1, 1, threads, 1, 1, 0, NULL, NULL);
}

TEST(occupancy_and_cooperative_launches_follow)
{
    CUfunction function;
    int blocks;

    with_gpus("t4");
    use(0);
    check_success(load("sm_75", &function));
    check_success(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 32, 0));
    check(blocks == 16);
    check_success(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 512, 0));
    check(blocks == 2);
    check_success(launch_cooperatively(function, 40 * 2, 512));
    check_result(launch_cooperatively(function, 40 * 2 + 1, 512),
                 CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    check_success(cuCtxSynchronize());
}

TEST(dynamic_shared_memory_ends_with_the_device)
{
    CUfunction function;

    with_gpus("a100");
    use(0);
    check_success(load("sm_80", &function));
    check_success(
        cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 163 << 10));
    check_result(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                    (163 << 10) + 1),
                 CUDA_ERROR_INVALID_VALUE);
}

/* As an H200 answers. */
TEST(ptx_for_newer_devices_is_invalid)
{
    with_context();
    check_success(load("sm_90", NULL));
    check_success(load("sm_90a", NULL));
    check_result(load("sm_100", NULL), CUDA_ERROR_INVALID_PTX);
    check_result(load("sm_100a", NULL), CUDA_ERROR_INVALID_PTX);
    check_result(load("sm_120", NULL), CUDA_ERROR_INVALID_PTX);
}

TEST(ptx_for_one_architecture_runs_only_there)
{
    with_gpus("b200");
    use(0);
    check_success(load("sm_90", NULL));
    check_result(load("sm_90a", NULL), CUDA_ERROR_INVALID_PTX);
    check_success(load("sm_100a", NULL));
    check_success(load("sm_100f", NULL));
    check_result(load("sm_103", NULL), CUDA_ERROR_INVALID_PTX);
}

TEST(functions_say_what_they_were_compiled_for)
{
    CUfunction function;
    int version;

    with_gpus("l4");
    use(0);
    check_success(load("sm_75", &function));
    check_success(cuFuncGetAttribute(&version, CU_FUNC_ATTRIBUTE_BINARY_VERSION, function));
    check(version == 89);
    check_success(cuFuncGetAttribute(&version, CU_FUNC_ATTRIBUTE_PTX_VERSION, function));
    check(version == 75);
}

TEST(a_library_runs_where_its_code_does)
{
    static const char text[] = ".version 9.0\n.target sm_90\n.address_size 64\n" KERNEL;
    CUlibrary library;
    CUkernel kernel;
    CUfunction function;

    with_gpus("h200,a100");
    check_success(cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
    check_success(cuLibraryGetKernel(&kernel, library, "k"));
    use(0);
    check_success(cuKernelGetFunction(&function, kernel));
    use(1);
    check_result(cuKernelGetFunction(&function, kernel), CUDA_ERROR_NO_BINARY_FOR_GPU);
}

TEST(the_fastest_device_comes_first)
{
    with_gpus("a100,h200,t4,h200");
    check(capability(0) == 90 && capability(1) == 90 && capability(2) == 80 && capability(3) == 75);
    /* The address is that of the slot, whatever the order. */
    check(attribute(0, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID) <
          attribute(1, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID));
    check(attribute(2, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID) <
          attribute(0, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID));
}

TEST(the_order_of_addresses_is_that_of_the_list)
{
    setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
    with_gpus("a100,h200");
    check(capability(0) == 80 && capability(1) == 90);
}

TEST(visible_devices_count_in_the_chosen_order)
{
    setenv("CUDA_VISIBLE_DEVICES", "1", 1);
    with_gpus("a100,h200");
    check(capability(0) == 80);
}
