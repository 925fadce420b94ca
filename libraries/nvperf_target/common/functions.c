/* SPDX-License-Identifier: MIT */
/* Functions by their names, and paths: NVIDIA's libraries load others from the paths that a program
 * sets, these load none. */
#include "params.h"

#include <dlfcn.h>
#include <nvperf_common.h>
#include <string.h>

NVPA_Status NVPW_SetLibraryLoadPaths(NVPW_SetLibraryLoadPaths_Params *pParams)
{
    return PARAMS_GIVEN(pParams, NVPW_SetLibraryLoadPaths_Params) ? NVPA_STATUS_SUCCESS
                                                                  : NVPA_STATUS_INVALID_ARGUMENT;
}

NVPA_Status NVPW_SetLibraryLoadPathsW(NVPW_SetLibraryLoadPathsW_Params *pParams)
{
    return PARAMS_GIVEN(pParams, NVPW_SetLibraryLoadPathsW_Params) ? NVPA_STATUS_SUCCESS
                                                                   : NVPA_STATUS_INVALID_ARGUMENT;
}

NVPA_GenericFn NVPA_GetProcAddress(const char *pFunctionName)
{
    Dl_info self;
    void *library;

    if (!pFunctionName || strncmp(pFunctionName, "NVP", 3) != 0 ||
        !dladdr((void *)NVPA_GetProcAddress, &self))
        return NULL;
    library = dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    return library ? (NVPA_GenericFn)dlsym(library, pFunctionName) : NULL;
}
