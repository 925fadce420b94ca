/* SPDX-License-Identifier: MIT */
/* What the functions of libnvperf_host have in common. Each takes one structure, whose first member
 * is its size. */
#ifndef NVPERF_COMMON_H
#define NVPERF_COMMON_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum NVPA_Status {
    NVPA_STATUS_SUCCESS = 0,
    NVPA_STATUS_ERROR = 1,
    NVPA_STATUS_INTERNAL_ERROR = 2,
    NVPA_STATUS_NOT_INITIALIZED = 3,
    NVPA_STATUS_NOT_LOADED = 4,
    NVPA_STATUS_FUNCTION_NOT_FOUND = 5,
    NVPA_STATUS_NOT_SUPPORTED = 6,
    NVPA_STATUS_NOT_IMPLEMENTED = 7,
    NVPA_STATUS_INVALID_ARGUMENT = 8,
    NVPA_STATUS_INVALID_METRIC_ID = 9,
    NVPA_STATUS_DRIVER_NOT_LOADED = 10,
    NVPA_STATUS_OUT_OF_MEMORY = 11,
    NVPA_STATUS_INVALID_THREAD_STATE = 12,
    NVPA_STATUS_FAILED_CONTEXT_ALLOC = 13,
    NVPA_STATUS_UNSUPPORTED_GPU = 14,
    NVPA_STATUS_INSUFFICIENT_DRIVER_VERSION = 15,
    NVPA_STATUS_OBJECT_NOT_REGISTERED = 16,
    NVPA_STATUS_INSUFFICIENT_PRIVILEGE = 17,
    NVPA_STATUS_INVALID_CONTEXT_STATE = 18,
    NVPA_STATUS_INVALID_OBJECT_STATE = 19,
    NVPA_STATUS_RESOURCE_UNAVAILABLE = 20,
    NVPA_STATUS_DRIVER_LOADED_TOO_LATE = 21,
    NVPA_STATUS_INSUFFICIENT_SPACE = 22,
    NVPA_STATUS_OBJECT_MISMATCH = 23,
    NVPA_STATUS_VIRTUALIZED_DEVICE_NOT_SUPPORTED = 24,
    NVPA_STATUS_PROFILING_NOT_ALLOWED = 25,
    NVPA_STATUS__COUNT
} NVPA_Status;

typedef enum NVPA_ActivityKind {
    NVPA_ACTIVITY_KIND_INVALID = 0,
    NVPA_ACTIVITY_KIND_PROFILER = 1,
    NVPA_ACTIVITY_KIND_REALTIME_SAMPLED = 2,
    NVPA_ACTIVITY_KIND_REALTIME_PROFILER = 3,
    NVPA_ACTIVITY_KIND__COUNT
} NVPA_ActivityKind;

typedef uint8_t NVPA_Bool;

#define NVPA_STRUCT_SIZE(type_, lastfield_)                                                        \
    (offsetof(type_, lastfield_) + sizeof(((type_ *)0)->lastfield_))

typedef NVPA_Status (*NVPA_GenericFn)(void);

/* The function of a name; NULL: there is none. */
NVPA_GenericFn NVPA_GetProcAddress(const char *pFunctionName);

typedef struct NVPW_SetLibraryLoadPaths_Params {
    size_t structSize;
    void *pPriv;
    size_t numPaths;
    const char **ppPaths;
} NVPW_SetLibraryLoadPaths_Params;
#define NVPW_SetLibraryLoadPaths_Params_STRUCT_SIZE                                                \
    NVPA_STRUCT_SIZE(NVPW_SetLibraryLoadPaths_Params, ppPaths)

typedef struct NVPW_SetLibraryLoadPathsW_Params {
    size_t structSize;
    void *pPriv;
    size_t numPaths;
    const wchar_t **ppwPaths;
} NVPW_SetLibraryLoadPathsW_Params;
#define NVPW_SetLibraryLoadPathsW_Params_STRUCT_SIZE                                               \
    NVPA_STRUCT_SIZE(NVPW_SetLibraryLoadPathsW_Params, ppwPaths)

NVPA_Status NVPW_SetLibraryLoadPaths(NVPW_SetLibraryLoadPaths_Params *pParams);
NVPA_Status NVPW_SetLibraryLoadPathsW(NVPW_SetLibraryLoadPathsW_Params *pParams);

#ifdef __cplusplus
}
#endif

#endif
