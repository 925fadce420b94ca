/* SPDX-License-Identifier: MIT */
/* What the devices of the machine are called by profilers. */
#ifndef CUPTI_TARGET_H
#define CUPTI_TARGET_H

#include <cupti_result.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The size of a structure up to its last field, as this version has it. */
#ifndef CUPTI_PROFILER_STRUCT_SIZE
#define CUPTI_PROFILER_STRUCT_SIZE(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))
#endif

typedef struct CUpti_Device_GetChipName_Params {
    size_t structSize;
    void *pPriv;
    size_t deviceIndex;
    const char *pChipName;
} CUpti_Device_GetChipName_Params;

#define CUpti_Device_GetChipName_Params_STRUCT_SIZE                                                \
    CUPTI_PROFILER_STRUCT_SIZE(CUpti_Device_GetChipName_Params, pChipName)

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params *pParams);

#ifdef __cplusplus
}
#endif

#endif
