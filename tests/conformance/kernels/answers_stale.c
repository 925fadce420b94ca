/* SPDX-License-Identifier: MIT */
/*
 * Handles that are stale, of another kind, or none. Each is a call that may bring the process down;
 * where NVIDIA's driver does not survive, ours answers with an error.
 */
#include "kernels.h"

static CUmodule module, gone_module;
static CUfunction store, gone_store;
static CUlibrary library, gone_library;
static CUkernel kernel, gone_kernel;
static CUlinkState gone_link;
static CUdeviceptr out_address;
static size_t out_size;
static unsigned out_count;
static int out_value;
static CUfunction out_function;
static CUmodule out_module;
static CUkernel out_kernel;
static const char *out_name;
static void *out_image;

static void stale_prepare(void)
{
    resolve_kernels();
    module = module_of(ptx_basic);
    store = function_of(module, "store");
    gone_module = module_of(ptx_basic);
    gone_store = function_of(gone_module, "store");
    driver.cuModuleUnload(gone_module);
    library = library_of(ptx_basic);
    driver.cuLibraryGetKernel(&kernel, library, "empty");
    gone_library = library_of(ptx_basic);
    driver.cuLibraryGetKernel(&gone_kernel, gone_library, "empty");
    driver.cuLibraryUnload(gone_library);
    driver.cuLinkCreate(0, NULL, NULL, &gone_link);
    driver.cuLinkDestroy(gone_link);
}

#define KRISKY(id, expression) RISKY(780, id, (stale_prepare(), expression))
#define KRISKY_HANDLE(id, expression) RISKY_HANDLE(780, id, (stale_prepare(), expression))

KRISKY(stale_module_unload, driver.cuModuleUnload(gone_module))
KRISKY(stale_module_function, driver.cuModuleGetFunction(&out_function, gone_module, "store"))
KRISKY(stale_module_global, driver.cuModuleGetGlobal(&out_address, &out_size, gone_module, "table"))
KRISKY(stale_module_count, driver.cuModuleGetFunctionCount(&out_count, gone_module))
KRISKY(stale_function_launch, launch_store(gone_store, risky_device, 1, NULL))
KRISKY(stale_function_attribute, driver.cuFuncGetAttribute(&out_value, 0, gone_store))
KRISKY(stale_function_name, driver.cuFuncGetName(&out_name, gone_store))
KRISKY(stale_function_module, driver.cuFuncGetModule(&out_module, gone_store))
KRISKY(stale_function_occupancy,
       driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(&out_value, gone_store, 32, 0))
KRISKY(stale_library_unload, driver.cuLibraryUnload(gone_library))
KRISKY(stale_library_kernel, driver.cuLibraryGetKernel(&out_kernel, gone_library, "store"))
KRISKY(stale_library_count, driver.cuLibraryGetKernelCount(&out_count, gone_library))
KRISKY(stale_kernel_function, driver.cuKernelGetFunction(&out_function, gone_kernel))
KRISKY(stale_kernel_launch, launch((CUfunction)gone_kernel, 1, 1, NULL))
KRISKY(stale_kernel_name, driver.cuKernelGetName(&out_name, gone_kernel))
KRISKY(stale_link_complete, driver.cuLinkComplete(gone_link, &out_image, &out_size))
KRISKY(stale_link_destroy, driver.cuLinkDestroy(gone_link))
KRISKY(module_as_function, launch((CUfunction)module, 1, 1, NULL))
KRISKY(function_as_module, driver.cuModuleGetFunction(&out_function, (CUmodule)store, "store"))
KRISKY(stream_as_function, launch((CUfunction)risky_stream, 1, 1, NULL))
KRISKY(library_as_module, driver.cuModuleGetFunctionCount(&out_count, (CUmodule)library))
KRISKY(library_module_unload,
       (driver.cuLibraryGetModule(&out_module, library), driver.cuModuleUnload(out_module)))
KRISKY(unload_other_context, (context_new(), driver.cuModuleUnload(module)))
KRISKY(launch_stale_stream,
       (cuda.cuStreamDestroy(risky_stream), launch_store(store, risky_device, 1, risky_stream)))
KRISKY_HANDLE(module_unload_garbage, driver.cuModuleUnload(bad_handle))
KRISKY_HANDLE(module_function_garbage,
              driver.cuModuleGetFunction(&out_function, bad_handle, "store"))
KRISKY_HANDLE(launch_garbage, launch(bad_handle, 1, 1, NULL))
KRISKY_HANDLE(attribute_garbage, driver.cuFuncGetAttribute(&out_value, 0, bad_handle))
KRISKY_HANDLE(library_garbage, driver.cuLibraryGetKernelCount(&out_count, bad_handle))
KRISKY_HANDLE(kernel_garbage, driver.cuKernelGetFunction(&out_function, bad_handle))
KRISKY_HANDLE(link_garbage, driver.cuLinkComplete(bad_handle, &out_image, &out_size))
KRISKY_HANDLE(launch_stream_garbage, launch_store(store, risky_device, 1, bad_handle))
KRISKY_HANDLE(load_image_garbage, driver.cuModuleLoadData(&out_module, bad_handle))
KRISKY_HANDLE(parameters_garbage,
              driver.cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, bad_handle, NULL))

/* Modules and memory that go while a kernel is queued. */
GROUP(781, kinuse, "kinuse")
{
    struct blocker blocker = {.limit_ms = 300};

    use_kernels();
    CUmodule used = module_of(ptx_basic);
    CUfunction function = function_of(used, "store");
    CUstream stream = stream_new(CU_STREAM_NON_BLOCKING);
    CUdeviceptr place = device_alloc(64);
    CHECK("block", stream_block(stream, &blocker));
    CHECK("launch", launch_store(function, place, 17, stream));
    double start = seconds_now();
    CHECK("unload", driver.cuModuleUnload(used), "waited=%d", seconds_now() - start > 0.2);
    stream_unblock(&blocker);
    CHECK("sync", cuda.cuStreamSynchronize(stream));
    RECORD("stored", "%u", word_at(place));

    CUmodule first = module_of(ptx_basic), second = module_of(ptx_basic);
    CUdeviceptr a = 0, b = 0;
    size_t size;
    driver.cuModuleGetGlobal(&a, &size, first, "counter");
    driver.cuModuleGetGlobal(&b, &size, second, "counter");
    RECORD("modules-have-their-own", "%d", a != b);
    driver.cuModuleUnload(first);
    unsigned word;
    CHECK("global-after-unload", cuda.cuMemcpyDtoH(&word, a, 4));
    CHECK("range-after-unload", cuda.cuMemGetAddressRange(&b, &size, a));
    CUcontext other = context_new();
    CUmodule others = module_of(ptx_basic);
    driver.cuModuleGetGlobal(&a, &size, others, "counter");
    CHECK("destroy-context", cuda.cuCtxDestroy(other));
    cuda.cuCtxSetCurrent(context);
    CHECK("unload-of-destroyed", driver.cuModuleUnload(others));
    CHECK("global-of-destroyed", cuda.cuMemcpyDtoH(&word, a, 4));
}
