/* SPDX-License-Identifier: MIT */
/* How NVTX finds this library: it calls one of the first two functions in the library that
 * NVTX_INJECTION64_PATH names, which may be this one, or a tool's that passes the call on to the
 * functions below. All of them lead to libnvToolsExt.so.1, which takes NVTX's calls. */
#include "tool.h"

#include <cupti_nvtx.h>
#include <dlfcn.h>

typedef int initialize_function(const void *argument);

static int pass_on(const char *function, const void *argument)
{
    void *library = dlopen("libnvToolsExt.so.1", RTLD_NOW | RTLD_LOCAL);
    initialize_function *initialize =
        library ? (initialize_function *)dlsym(library, function) : NULL;

    return initialize ? initialize(argument) : 0;
}

int InitializeInjectionNvtx2(const void *get_table)
{
    return pass_on("InitializeInjectionNvtx2", get_table);
}

int InitializeInjectionNvtxExtension(const void *extension)
{
    return pass_on("InitializeInjectionNvtxExtension", extension);
}

CUptiResult cuptiNvtxInitialize2(void *pfnGetExportTable)
{
    return InitializeInjectionNvtx2(pfnGetExportTable) ? CUPTI_SUCCESS : CUPTI_ERROR_UNKNOWN;
}

CUptiResult cuptiNvtxExtensionInitialize(void *moduleInfo)
{
    return InitializeInjectionNvtxExtension(moduleInfo) ? CUPTI_SUCCESS : CUPTI_ERROR_UNKNOWN;
}
