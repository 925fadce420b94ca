/* SPDX-License-Identifier: MIT */
/* The same for CUDA: how its objects are made. */
#ifndef NVPERF_CUDA_HOST_H
#define NVPERF_CUDA_HOST_H

#include <nvperf_common.h>
#include <nvperf_host.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct NVPW_MetricsEvaluator NVPW_MetricsEvaluator;

typedef struct NVPW_CUDA_RawMetricsConfig_Create_Params {
    size_t structSize;
    void *pPriv;
    NVPA_ActivityKind activityKind;
    const char *pChipName;
    struct NVPA_RawMetricsConfig *pRawMetricsConfig;
} NVPW_CUDA_RawMetricsConfig_Create_Params;
#define NVPW_CUDA_RawMetricsConfig_Create_Params_STRUCT_SIZE                                       \
    NVPA_STRUCT_SIZE(NVPW_CUDA_RawMetricsConfig_Create_Params, pRawMetricsConfig)

typedef struct NVPW_CUDA_RawMetricsConfig_Create_V2_Params {
    size_t structSize;
    void *pPriv;
    NVPA_ActivityKind activityKind;
    const char *pChipName;
    const uint8_t *pCounterAvailabilityImage;
    struct NVPA_RawMetricsConfig *pRawMetricsConfig;
} NVPW_CUDA_RawMetricsConfig_Create_V2_Params;
#define NVPW_CUDA_RawMetricsConfig_Create_V2_Params_STRUCT_SIZE                                    \
    NVPA_STRUCT_SIZE(NVPW_CUDA_RawMetricsConfig_Create_V2_Params, pRawMetricsConfig)

typedef struct NVPW_CUDA_CounterDataBuilder_Create_Params {
    size_t structSize;
    void *pPriv;
    const char *pChipName;
    const uint8_t *pCounterAvailabilityImage;
    struct NVPA_CounterDataBuilder *pCounterDataBuilder;
} NVPW_CUDA_CounterDataBuilder_Create_Params;
#define NVPW_CUDA_CounterDataBuilder_Create_Params_STRUCT_SIZE                                     \
    NVPA_STRUCT_SIZE(NVPW_CUDA_CounterDataBuilder_Create_Params, pCounterDataBuilder)

typedef struct NVPW_CUDA_MetricsEvaluator_CalculateScratchBufferSize_Params {
    size_t structSize;
    void *pPriv;
    const char *pChipName;
    const uint8_t *pCounterAvailabilityImage;
    size_t scratchBufferSize;
} NVPW_CUDA_MetricsEvaluator_CalculateScratchBufferSize_Params;
#define NVPW_CUDA_MetricsEvaluator_CalculateScratchBufferSize_Params_STRUCT_SIZE                   \
    NVPA_STRUCT_SIZE(NVPW_CUDA_MetricsEvaluator_CalculateScratchBufferSize_Params,                 \
                     scratchBufferSize)

typedef struct NVPW_CUDA_MetricsEvaluator_Initialize_Params {
    size_t structSize;
    void *pPriv;
    uint8_t *pScratchBuffer;
    size_t scratchBufferSize;
    const char *pChipName;
    const uint8_t *pCounterAvailabilityImage;
    const uint8_t *pCounterDataImage;
    size_t counterDataImageSize;
    struct NVPW_MetricsEvaluator *pMetricsEvaluator;
} NVPW_CUDA_MetricsEvaluator_Initialize_Params;
#define NVPW_CUDA_MetricsEvaluator_Initialize_Params_STRUCT_SIZE                                   \
    NVPA_STRUCT_SIZE(NVPW_CUDA_MetricsEvaluator_Initialize_Params, pMetricsEvaluator)

NVPA_Status NVPW_CUDA_RawMetricsConfig_Create(NVPW_CUDA_RawMetricsConfig_Create_Params *pParams);
NVPA_Status
NVPW_CUDA_RawMetricsConfig_Create_V2(NVPW_CUDA_RawMetricsConfig_Create_V2_Params *pParams);
NVPA_Status
NVPW_CUDA_CounterDataBuilder_Create(NVPW_CUDA_CounterDataBuilder_Create_Params *pParams);
NVPA_Status NVPW_CUDA_MetricsEvaluator_CalculateScratchBufferSize(
    NVPW_CUDA_MetricsEvaluator_CalculateScratchBufferSize_Params *pParams);
NVPA_Status
NVPW_CUDA_MetricsEvaluator_Initialize(NVPW_CUDA_MetricsEvaluator_Initialize_Params *pParams);

#ifdef __cplusplus
}
#endif

#endif
