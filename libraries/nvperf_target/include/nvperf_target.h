/* SPDX-License-Identifier: MIT */
/* What both halves of the older profiler tell of images. */
#ifndef NVPERF_TARGET_H
#define NVPERF_TARGET_H

#include <nvperf_common.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct NVPW_CounterData_GetNumRanges_Params {
    size_t structSize;
    void *pPriv;
    const uint8_t *pCounterDataImage;
    size_t numRanges;
} NVPW_CounterData_GetNumRanges_Params;
#define NVPW_CounterData_GetNumRanges_Params_STRUCT_SIZE                                           \
    NVPA_STRUCT_SIZE(NVPW_CounterData_GetNumRanges_Params, numRanges)

typedef struct NVPW_CounterData_GetRangeDescriptions_Params {
    size_t structSize;
    void *pPriv;
    const uint8_t *pCounterDataImage;
    size_t rangeIndex;
    size_t numDescriptions;
    const char **ppDescriptions;
} NVPW_CounterData_GetRangeDescriptions_Params;
#define NVPW_CounterData_GetRangeDescriptions_Params_STRUCT_SIZE                                   \
    NVPA_STRUCT_SIZE(NVPW_CounterData_GetRangeDescriptions_Params, ppDescriptions)

typedef struct NVPW_Profiler_CounterData_GetRangeDescriptions_Params {
    size_t structSize;
    void *pPriv;
    const uint8_t *pCounterDataImage;
    size_t rangeIndex;
    size_t numDescriptions;
    const char **ppDescriptions;
} NVPW_Profiler_CounterData_GetRangeDescriptions_Params;
#define NVPW_Profiler_CounterData_GetRangeDescriptions_Params_STRUCT_SIZE                          \
    NVPA_STRUCT_SIZE(NVPW_Profiler_CounterData_GetRangeDescriptions_Params, ppDescriptions)

typedef struct NVPW_Config_GetNumPasses_Params {
    size_t structSize;
    void *pPriv;
    const uint8_t *pConfig;
    size_t numPipelinedPasses;
    size_t numIsolatedPasses;
} NVPW_Config_GetNumPasses_Params;
#define NVPW_Config_GetNumPasses_Params_STRUCT_SIZE                                                \
    NVPA_STRUCT_SIZE(NVPW_Config_GetNumPasses_Params, numIsolatedPasses)

typedef struct NVPW_Config_GetNumPasses_V2_Params {
    size_t structSize;
    void *pPriv;
    const uint8_t *pConfig;
    size_t numPasses;
} NVPW_Config_GetNumPasses_V2_Params;
#define NVPW_Config_GetNumPasses_V2_Params_STRUCT_SIZE                                             \
    NVPA_STRUCT_SIZE(NVPW_Config_GetNumPasses_V2_Params, numPasses)

NVPA_Status NVPW_CounterData_GetNumRanges(NVPW_CounterData_GetNumRanges_Params *pParams);
NVPA_Status
NVPW_CounterData_GetRangeDescriptions(NVPW_CounterData_GetRangeDescriptions_Params *pParams);
NVPA_Status NVPW_Profiler_CounterData_GetRangeDescriptions(
    NVPW_Profiler_CounterData_GetRangeDescriptions_Params *pParams);
NVPA_Status NVPW_Config_GetNumPasses(NVPW_Config_GetNumPasses_Params *pParams);
NVPA_Status NVPW_Config_GetNumPasses_V2(NVPW_Config_GetNumPasses_V2_Params *pParams);

#ifdef __cplusplus
}
#endif

#endif
