/* SPDX-License-Identifier: MIT */
#include "driver.h"

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/util/Exception.h>
#include <cupipe_table.h>
#include <dlfcn.h>

namespace cupipe
{
namespace
{

template <typename function> void look_up(void *library, const char *name, function &found)
{
    found = reinterpret_cast<function>(dlsym(library, name));
    TORCH_CHECK(found, "cupipe: libcuda.so.1 has no function ", name,
                ". It is older than this package: install one version of both.");
}

/* cuda.h gives some functions another name by a macro. */
#define NAME_OF(function) NAME_TEXT(function)
#define NAME_TEXT(function) #function

driver_functions find_driver()
{
    static const CUuuid id = CUPIPE_DRIVER_TABLE_ID;
    driver_functions found = {};
    decltype(&cuGetExportTable) get_export_table;
    cupipe_refusal why;
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);

    if (!library)
        library = dlopen("libcuda.so.1", RTLD_LAZY);
    TORCH_CHECK(library, "cupipe: ", dlerror());
    look_up(library, "cuGetExportTable", get_export_table);
    found.table = static_cast<const cupipe_driver_table *>(
        cupipe_find_table(get_export_table, &id, sizeof(cupipe_driver_table), &why));
    TORCH_CHECK(!why.text[0], "cupipe: ", why.text);
    if (!found.table)
        return found;
    look_up(library, NAME_OF(cuStreamIsCapturing), found.stream_is_capturing);
    look_up(library, NAME_OF(cuStreamQuery), found.stream_query);
    look_up(library, NAME_OF(cuStreamSynchronize), found.stream_synchronize);
    look_up(library, NAME_OF(cuStreamWaitEvent), found.stream_wait_event);
    look_up(library, NAME_OF(cuEventCreate), found.event_create);
    look_up(library, NAME_OF(cuEventRecord), found.event_record);
    look_up(library, NAME_OF(cuEventDestroy), found.event_destroy);
    look_up(library, NAME_OF(cuMemcpyAsync), found.memcpy_async);
    look_up(library, NAME_OF(cuPointerGetAttribute), found.pointer_get_attribute);
    look_up(library, NAME_OF(cuDeviceGetAttribute), found.device_get_attribute);
    return found;
}

} // namespace

const driver_functions &driver()
{
    static const driver_functions functions = find_driver();
    return functions;
}

int device_attribute(CUdevice_attribute attribute)
{
    int value = 0;

    check(driver().device_get_attribute(&value, attribute, c10::cuda::current_device()));
    return value;
}

void check(CUresult result)
{
    if (result != CUDA_SUCCESS)
        c10::cuda::c10_cuda_check_implementation(static_cast<int32_t>(result), __FILE__, __func__,
                                                 __LINE__, true);
}

} // namespace cupipe
