/* SPDX-License-Identifier: MIT */
/* Records of functions: each kernel of a module, when the module is loaded. NVIDIA's library makes
 * them when the machine code of a module is; both come before the first launch. */
#include "tool.h"

#include <stdatomic.h>
#include <stdlib.h>

static void record(CUfunction function, uint32_t module, uint32_t index)
{
    static _Atomic uint32_t last_id;
    const char *name = NULL;

    if (lib_driver()->function_get_name(&name, function) != CUDA_SUCCESS || !name)
        return;
    CUpti_ActivityFunction made = {
        .kind = CUPTI_ACTIVITY_KIND_FUNCTION,
        .id = atomic_fetch_add(&last_id, 1) + 1,
        .contextId = tool_current_context_id(),
        .moduleId = module,
        .functionIndex = index,
        .name = tool_text(name),
    };
    tool_record(&made, sizeof(made));
}

static void record_module(CUmodule module)
{
    const struct lib_driver *cuda = lib_driver();
    unsigned count = 0;

    if (cuda->module_get_function_count(&count, module) != CUDA_SUCCESS || count == 0)
        return;
    CUfunction *functions = calloc(count, sizeof(*functions));
    if (functions && cuda->module_enumerate_functions(functions, count, module) == CUDA_SUCCESS)
        for (unsigned i = 0; i < count; i++)
            record(functions[i], tool_module_id(module), i + 1);
    free(functions);
}

/* A library is a module once a context needs it. */
static void record_library(CUlibrary library)
{
    CUmodule module;

    if (lib_driver()->library_get_module(&module, library) == CUDA_SUCCESS)
        record_module(module);
}

void tool_record_functions(const struct cupipe_call *call, uint32_t id)
{
    void *const *params = call->params;

    if (!tool_records(CUPTI_ACTIVITY_KIND_FUNCTION))
        return;
    switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoad:
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData:
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx:
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary:
        record_module(*(const CUmodule *)params[0]);
        break;
    case CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData:
    case CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadFromFile:
        record_library(*(const CUlibrary *)params[0]);
        break;
    default:
        break;
    }
}
