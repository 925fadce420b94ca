/* SPDX-License-Identifier: MIT */
/* CUPIPE_DRIVER: versions, functions and enumerators of an older driver. */
#include "test.h"

#include "kernels.h"

static void driver_is(const char *version)
{
    setenv("CUPIPE_DRIVER", version, 1);
}

static int version_now(void)
{
    int version = 0;

    check_success(cuDriverGetVersion(&version));
    return version;
}

static CUdriverProcAddressQueryResult status_of(const char *name, int version)
{
    CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
    void *function = NULL;

    check_success(cuGetProcAddress(name, &function, version, CU_GET_PROC_ADDRESS_DEFAULT, &status));
    check(!function == (status != CU_GET_PROC_ADDRESS_SUCCESS));
    return status;
}

TEST(the_driver_is_of_the_newest_cuda_that_the_header_has)
{
    check(version_now() == CUDA_VERSION);
    check_success(cuInit(0));
    check(version_now() == CUDA_VERSION);
    check(status_of("cuGraphNodeGetParams", CUDA_VERSION) == CU_GET_PROC_ADDRESS_SUCCESS);
    check(status_of("cuGraphNodeGetParams", 13010) == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
}

TEST(an_older_driver_has_no_newer_functions)
{
    void *function;
    CUdriverProcAddressQueryResult status;
    unsigned id;

    driver_is("13.0");
    check_success(cuInit(0));
    check(version_now() == 13000);
    check(status_of("cuGraphGetId", 13000) == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    check(status_of("cuCtxSynchronize", 13000) == CU_GET_PROC_ADDRESS_SUCCESS);
    check_result(cuGetProcAddress("cuInit", &function, 13010, CU_GET_PROC_ADDRESS_DEFAULT, &status),
                 CUDA_ERROR_INVALID_VALUE);
    check_result(cuGraphGetId(NULL, &id), CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER);
}

TEST(a_newer_form_of_a_function_gives_way_to_the_older_one)
{
    void *then = NULL, *now = NULL;
    CUdriverProcAddressQueryResult status;

    check_success(cuGetProcAddress("cuLaunchHostFunc", &now, 13040, 0, &status));
    check_success(cuGetProcAddress("cuLaunchHostFunc", &then, 13000, 0, &status));
    check(now && then && now != then);
    driver_is("13.0");
    check_success(cuInit(0));
    check_success(cuGetProcAddress("cuLaunchHostFunc", &now, 13000, 0, &status));
    check(now == then);
}

TEST(a_driver_of_cuda_12_lacks_what_came_with_13)
{
    CUcontext context;

    driver_is("12.4");
    check_success(cuInit(0));
    check(version_now() == 12040);
    check(status_of("cuMemcpyBatchAsync", 12040) == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    check_success(cuDevicePrimaryCtxRetain(&context, 0));
    check_result(cuCtxSynchronize_v2(context), CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER);
    check_success(cuCtxSetCurrent(context));
    check_success(cuCtxSynchronize());
}

TEST(an_older_driver_refuses_newer_attributes)
{
    int value = -1;

    driver_is("13.0");
    check_success(cuInit(0));
    check_success(cuDeviceGetAttribute(
        &value, CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED, 0));
    check_result(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_ATOMIC_REDUCTION_SUPPORTED, 0),
                 CUDA_ERROR_INVALID_VALUE);
}

TEST(an_older_driver_does_not_name_newer_errors)
{
    const char *name = NULL;

    check_success(cuGetErrorName(CUDA_ERROR_KEY_ROTATION, &name));
    driver_is("12.6");
    check_success(cuInit(0));
    check_success(cuGetErrorName(CUDA_ERROR_FUNCTION_NOT_LOADED, &name));
    check_result(cuGetErrorName(CUDA_ERROR_KEY_ROTATION, &name), CUDA_ERROR_INVALID_VALUE);
    check(!name);
}

TEST(an_older_driver_refuses_newer_members_of_structures)
{
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING};
    CUmemPoolProps managed = {.allocType = CU_MEM_ALLOCATION_TYPE_MANAGED,
                              .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemoryPool pool;
    CUcontext context;

    driver_is("12.9");
    check_success(cuInit(0));
    check_success(cuDevicePrimaryCtxRetain(&context, 0));
    check_success(cuCtxSetCurrent(context));
    check_result(cuMemPoolCreate(&pool, &managed), CUDA_ERROR_INVALID_VALUE);

    CUlaunchConfig config = {.gridDimX = 1,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 1,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .attrs = &attribute,
                             .numAttrs = 1};
    CUmodule module;
    CUfunction function;
    check_success(cuModuleLoadData(&module, ptx_fill));
    check_success(cuModuleGetFunction(&function, module, "nothing"));
    check_result(cuLaunchKernelEx(&config, function, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    attribute.id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
    check_success(cuLaunchKernelEx(&config, function, NULL, NULL));
}

/* What CUDA 13.4 made of a reserved byte. */
TEST(an_older_driver_reserves_newer_members)
{
    CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
                                 .gpuDirectRDMACapable = 1};
    CUgraphNodeParams allocation = {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC,
                                    .alloc = {.poolProps = properties, .bytesize = 4096}};
    CUmemoryPool pool;
    CUgraphNode node;
    CUcontext context;
    CUgraph graph;

    driver_is("13.0");
    check_success(cuInit(0));
    check_success(cuDevicePrimaryCtxRetain(&context, 0));
    check_success(cuCtxSetCurrent(context));
    check_result(cuMemPoolCreate(&pool, &properties), CUDA_ERROR_INVALID_VALUE);
    check_success(cuGraphCreate(&graph, 0));
    check_result(cuGraphAddNode(&node, graph, NULL, NULL, 0, &allocation),
                 CUDA_ERROR_INVALID_VALUE);
}

static const char ptx_format[] =
    ".version %s\n.target sm_52\n.address_size 64\n.entry k() { ret; }\n";

static CUresult load_ptx(const char *version)
{
    char text[256];
    CUmodule module;

    snprintf(text, sizeof(text), ptx_format, version);
    return cuModuleLoadData(&module, text);
}

TEST(an_older_driver_reads_older_ptx)
{
    CUcontext context;

    driver_is("12.4");
    check_success(cuInit(0));
    check_success(cuDevicePrimaryCtxRetain(&context, 0));
    check_success(cuCtxSetCurrent(context));
    check_success(load_ptx("8.4"));
    check_result(load_ptx("8.5"), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    check_result(load_ptx("9.0"), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
}

TEST(the_newest_driver_reads_ptx_of_today)
{
    with_context();
    check_success(load_ptx("9.0"));
    check_success(load_ptx("9.5"));
    check_result(load_ptx("9.6"), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
}
