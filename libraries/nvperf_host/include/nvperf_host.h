/* SPDX-License-Identifier: MIT */
/* The host half of the older profiler: which metrics there are, images that say which are to be
 * counted, and values. */
#ifndef NVPERF_HOST_H
#define NVPERF_HOST_H

#include <nvperf_common.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct NVPA_RawMetricsConfig NVPA_RawMetricsConfig;
typedef struct NVPA_CounterDataBuilder NVPA_CounterDataBuilder;

typedef struct NVPA_RawMetricRequest {
    size_t structSize;
    void *pPriv;
    const char *pMetricName;
    NVPA_Bool isolated;
    NVPA_Bool keepInstances;
} NVPA_RawMetricRequest;
#define NVPA_RAW_METRIC_REQUEST_STRUCT_SIZE NVPA_STRUCT_SIZE(NVPA_RawMetricRequest, keepInstances)

typedef struct NVPW_InitializeHost_Params {
    size_t structSize;
    void *pPriv;
} NVPW_InitializeHost_Params;
#define NVPW_InitializeHost_Params_STRUCT_SIZE NVPA_STRUCT_SIZE(NVPW_InitializeHost_Params, pPriv)

typedef struct NVPW_GetSupportedChipNames_Params {
    size_t structSize;
    void *pPriv;
    const char *const *ppChipNames;
    size_t numChipNames;
} NVPW_GetSupportedChipNames_Params;
#define NVPW_GetSupportedChipNames_Params_STRUCT_SIZE                                              \
    NVPA_STRUCT_SIZE(NVPW_GetSupportedChipNames_Params, numChipNames)

/* The metrics that a profiler is to count. */
typedef struct NVPW_RawMetricsConfig_Destroy_Params {
    size_t structSize;
    void *pPriv;
    NVPA_RawMetricsConfig *pRawMetricsConfig;
} NVPW_RawMetricsConfig_Destroy_Params;
#define NVPW_RawMetricsConfig_Destroy_Params_STRUCT_SIZE                                           \
    NVPA_STRUCT_SIZE(NVPW_RawMetricsConfig_Destroy_Params, pRawMetricsConfig)

typedef struct NVPW_RawMetricsConfig_SetCounterAvailability_Params {
    size_t structSize;
    void *pPriv;
    NVPA_RawMetricsConfig *pRawMetricsConfig;
    const uint8_t *pCounterAvailabilityImage;
} NVPW_RawMetricsConfig_SetCounterAvailability_Params;
#define NVPW_RawMetricsConfig_SetCounterAvailability_Params_STRUCT_SIZE                            \
    NVPA_STRUCT_SIZE(NVPW_RawMetricsConfig_SetCounterAvailability_Params, pCounterAvailabilityImage)

typedef struct NVPW_RawMetricsConfig_BeginPassGroup_Params {
    size_t structSize;
    void *pPriv;
    NVPA_RawMetricsConfig *pRawMetricsConfig;
    size_t maxPassCount;
} NVPW_RawMetricsConfig_BeginPassGroup_Params;
#define NVPW_RawMetricsConfig_BeginPassGroup_Params_STRUCT_SIZE                                    \
    NVPA_STRUCT_SIZE(NVPW_RawMetricsConfig_BeginPassGroup_Params, maxPassCount)

typedef struct NVPW_RawMetricsConfig_EndPassGroup_Params {
    size_t structSize;
    void *pPriv;
    NVPA_RawMetricsConfig *pRawMetricsConfig;
} NVPW_RawMetricsConfig_EndPassGroup_Params;
#define NVPW_RawMetricsConfig_EndPassGroup_Params_STRUCT_SIZE                                      \
    NVPA_STRUCT_SIZE(NVPW_RawMetricsConfig_EndPassGroup_Params, pRawMetricsConfig)

typedef struct NVPW_RawMetricsConfig_GetNumMetrics_Params {
    size_t structSize;
    void *pPriv;
    const NVPA_RawMetricsConfig *pRawMetricsConfig;
    size_t numMetrics;
} NVPW_RawMetricsConfig_GetNumMetrics_Params;
#define NVPW_RawMetricsConfig_GetNumMetrics_Params_STRUCT_SIZE                                     \
    NVPA_STRUCT_SIZE(NVPW_RawMetricsConfig_GetNumMetrics_Params, numMetrics)

typedef struct NVPW_RawMetricsConfig_GetMetricProperties_Params {
    size_t structSize;
    void *pPriv;
    const NVPA_RawMetricsConfig *pRawMetricsConfig;
    size_t metricIndex;
    const char *pMetricName;
    NVPA_Bool supportsPipelined;
    NVPA_Bool supportsIsolated;
} NVPW_RawMetricsConfig_GetMetricProperties_Params;
#define NVPW_RawMetricsConfig_GetMetricProperties_Params_STRUCT_SIZE                               \
    NVPA_STRUCT_SIZE(NVPW_RawMetricsConfig_GetMetricProperties_Params, supportsIsolated)

typedef struct NVPW_RawMetricsConfig_GetMetricProperties_V2_Params {
    size_t structSize;
    void *pPriv;
    const NVPA_RawMetricsConfig *pRawMetricsConfig;
    size_t metricIndex;
    const char *pMetricName;
} NVPW_RawMetricsConfig_GetMetricProperties_V2_Params;
#define NVPW_RawMetricsConfig_GetMetricProperties_V2_Params_STRUCT_SIZE                            \
    NVPA_STRUCT_SIZE(NVPW_RawMetricsConfig_GetMetricProperties_V2_Params, pMetricName)

typedef struct NVPW_RawMetricsConfig_AddMetrics_Params {
    size_t structSize;
    void *pPriv;
    NVPA_RawMetricsConfig *pRawMetricsConfig;
    const NVPA_RawMetricRequest *pRawMetricRequests;
    size_t numMetricRequests;
} NVPW_RawMetricsConfig_AddMetrics_Params;
#define NVPW_RawMetricsConfig_AddMetrics_Params_STRUCT_SIZE                                        \
    NVPA_STRUCT_SIZE(NVPW_RawMetricsConfig_AddMetrics_Params, numMetricRequests)

typedef struct NVPW_RawMetricsConfig_IsAddMetricsPossible_Params {
    size_t structSize;
    void *pPriv;
    const NVPA_RawMetricsConfig *pRawMetricsConfig;
    const NVPA_RawMetricRequest *pRawMetricRequests;
    size_t numMetricRequests;
    NVPA_Bool isPossible;
} NVPW_RawMetricsConfig_IsAddMetricsPossible_Params;
#define NVPW_RawMetricsConfig_IsAddMetricsPossible_Params_STRUCT_SIZE                              \
    NVPA_STRUCT_SIZE(NVPW_RawMetricsConfig_IsAddMetricsPossible_Params, isPossible)

typedef struct NVPW_RawMetricsConfig_GenerateConfigImage_Params {
    size_t structSize;
    void *pPriv;
    NVPA_RawMetricsConfig *pRawMetricsConfig;
    NVPA_Bool mergeAllPassGroups;
} NVPW_RawMetricsConfig_GenerateConfigImage_Params;
#define NVPW_RawMetricsConfig_GenerateConfigImage_Params_STRUCT_SIZE                               \
    NVPA_STRUCT_SIZE(NVPW_RawMetricsConfig_GenerateConfigImage_Params, mergeAllPassGroups)

typedef struct NVPW_RawMetricsConfig_GetConfigImage_Params {
    size_t structSize;
    void *pPriv;
    const NVPA_RawMetricsConfig *pRawMetricsConfig;
    size_t bytesAllocated;
    uint8_t *pBuffer;
    size_t bytesCopied;
} NVPW_RawMetricsConfig_GetConfigImage_Params;
#define NVPW_RawMetricsConfig_GetConfigImage_Params_STRUCT_SIZE                                    \
    NVPA_STRUCT_SIZE(NVPW_RawMetricsConfig_GetConfigImage_Params, bytesCopied)

typedef struct NVPW_RawMetricsConfig_GetNumPasses_Params {
    size_t structSize;
    void *pPriv;
    const NVPA_RawMetricsConfig *pRawMetricsConfig;
    size_t numPipelinedPasses;
    size_t numIsolatedPasses;
} NVPW_RawMetricsConfig_GetNumPasses_Params;
#define NVPW_RawMetricsConfig_GetNumPasses_Params_STRUCT_SIZE                                      \
    NVPA_STRUCT_SIZE(NVPW_RawMetricsConfig_GetNumPasses_Params, numIsolatedPasses)

typedef struct NVPW_RawMetricsConfig_GetNumPasses_V2_Params {
    size_t structSize;
    void *pPriv;
    const NVPA_RawMetricsConfig *pRawMetricsConfig;
    size_t numPasses;
} NVPW_RawMetricsConfig_GetNumPasses_V2_Params;
#define NVPW_RawMetricsConfig_GetNumPasses_V2_Params_STRUCT_SIZE                                   \
    NVPA_STRUCT_SIZE(NVPW_RawMetricsConfig_GetNumPasses_V2_Params, numPasses)

/* The same for the image of what was counted. */
typedef struct NVPW_CounterDataBuilder_Create_Params {
    size_t structSize;
    void *pPriv;
    NVPA_CounterDataBuilder *pCounterDataBuilder;
    const char *pChipName;
} NVPW_CounterDataBuilder_Create_Params;
#define NVPW_CounterDataBuilder_Create_Params_STRUCT_SIZE                                          \
    NVPA_STRUCT_SIZE(NVPW_CounterDataBuilder_Create_Params, pChipName)

typedef struct NVPW_CounterDataBuilder_Destroy_Params {
    size_t structSize;
    void *pPriv;
    NVPA_CounterDataBuilder *pCounterDataBuilder;
} NVPW_CounterDataBuilder_Destroy_Params;
#define NVPW_CounterDataBuilder_Destroy_Params_STRUCT_SIZE                                         \
    NVPA_STRUCT_SIZE(NVPW_CounterDataBuilder_Destroy_Params, pCounterDataBuilder)

typedef struct NVPW_CounterDataBuilder_AddMetrics_Params {
    size_t structSize;
    void *pPriv;
    NVPA_CounterDataBuilder *pCounterDataBuilder;
    const NVPA_RawMetricRequest *pRawMetricRequests;
    size_t numMetricRequests;
} NVPW_CounterDataBuilder_AddMetrics_Params;
#define NVPW_CounterDataBuilder_AddMetrics_Params_STRUCT_SIZE                                      \
    NVPA_STRUCT_SIZE(NVPW_CounterDataBuilder_AddMetrics_Params, numMetricRequests)

typedef struct NVPW_CounterDataBuilder_GetCounterDataPrefix_Params {
    size_t structSize;
    void *pPriv;
    NVPA_CounterDataBuilder *pCounterDataBuilder;
    size_t bytesAllocated;
    uint8_t *pBuffer;
    size_t bytesCopied;
} NVPW_CounterDataBuilder_GetCounterDataPrefix_Params;
#define NVPW_CounterDataBuilder_GetCounterDataPrefix_Params_STRUCT_SIZE                            \
    NVPA_STRUCT_SIZE(NVPW_CounterDataBuilder_GetCounterDataPrefix_Params, bytesCopied)

/* The metrics that there are, and their values. */
typedef enum NVPW_HwUnit {
    NVPW_HW_UNIT_INVALID = 3498035701u,
#define HW_UNIT(name, value, text) NVPW_HW_UNIT_##name = value,
#define DIM_UNIT(name, value, singular, plural)
#include "nvperf_units.def"
#undef HW_UNIT
#undef DIM_UNIT
} NVPW_HwUnit;

typedef enum NVPW_DimUnitName {
    NVPW_DIM_UNIT_INVALID = 3518299157u,
#define HW_UNIT(name, value, text)
#define DIM_UNIT(name, value, singular, plural) NVPW_DIM_UNIT_##name = value,
#include "nvperf_units.def"
#undef HW_UNIT
#undef DIM_UNIT
} NVPW_DimUnitName;

typedef enum NVPW_RollupOp {
    NVPW_ROLLUP_OP_AVG = 0,
    NVPW_ROLLUP_OP_MAX = 1,
    NVPW_ROLLUP_OP_MIN = 2,
    NVPW_ROLLUP_OP_SUM = 3,
    NVPW_ROLLUP_OP__COUNT
} NVPW_RollupOp;

typedef enum NVPW_MetricType {
    NVPW_METRIC_TYPE_COUNTER = 0,
    NVPW_METRIC_TYPE_RATIO = 1,
    NVPW_METRIC_TYPE_THROUGHPUT = 2,
    NVPW_METRIC_TYPE__COUNT
} NVPW_MetricType;

/* What a metric's name has behind its rollup. */
typedef enum NVPW_Submetric {
    NVPW_SUBMETRIC_NONE = 0,
    NVPW_SUBMETRIC_PEAK_SUSTAINED = 1,
    NVPW_SUBMETRIC_PEAK_SUSTAINED_ACTIVE = 2,
    NVPW_SUBMETRIC_PEAK_SUSTAINED_ACTIVE_PER_SECOND = 3,
    NVPW_SUBMETRIC_PEAK_SUSTAINED_ELAPSED = 4,
    NVPW_SUBMETRIC_PEAK_SUSTAINED_ELAPSED_PER_SECOND = 5,
    NVPW_SUBMETRIC_PEAK_SUSTAINED_FRAME = 6,
    NVPW_SUBMETRIC_PEAK_SUSTAINED_FRAME_PER_SECOND = 7,
    NVPW_SUBMETRIC_PEAK_SUSTAINED_REGION = 8,
    NVPW_SUBMETRIC_PEAK_SUSTAINED_REGION_PER_SECOND = 9,
    NVPW_SUBMETRIC_PER_CYCLE_ACTIVE = 10,
    NVPW_SUBMETRIC_PER_CYCLE_ELAPSED = 11,
    NVPW_SUBMETRIC_PER_CYCLE_IN_FRAME = 12,
    NVPW_SUBMETRIC_PER_CYCLE_IN_REGION = 13,
    NVPW_SUBMETRIC_PER_SECOND = 14,
    NVPW_SUBMETRIC_PCT_OF_PEAK_SUSTAINED_ACTIVE = 15,
    NVPW_SUBMETRIC_PCT_OF_PEAK_SUSTAINED_ELAPSED = 16,
    NVPW_SUBMETRIC_PCT_OF_PEAK_SUSTAINED_FRAME = 17,
    NVPW_SUBMETRIC_PCT_OF_PEAK_SUSTAINED_REGION = 18,
    NVPW_SUBMETRIC_MAX_RATE = 19,
    NVPW_SUBMETRIC_PCT = 20,
    NVPW_SUBMETRIC_RATIO = 21,
    NVPW_SUBMETRIC__COUNT
} NVPW_Submetric;

typedef struct NVPW_MetricEvalRequest {
    size_t metricIndex; /* among those of its type */
    uint8_t metricType;
    uint8_t rollupOp;   /* of a counter or a throughput */
    uint16_t submetric; /* of a ratio or a throughput */
} NVPW_MetricEvalRequest;
#define NVPW_MetricEvalRequest_STRUCT_SIZE NVPA_STRUCT_SIZE(NVPW_MetricEvalRequest, submetric)

typedef struct NVPW_DimUnitFactor {
    uint32_t dimUnit;
    int8_t exponent;
} NVPW_DimUnitFactor;
#define NVPW_DimUnitFactor_STRUCT_SIZE NVPA_STRUCT_SIZE(NVPW_DimUnitFactor, exponent)

typedef struct NVPW_MetricsEvaluator_Destroy_Params {
    size_t structSize;
    void *pPriv;
    struct NVPW_MetricsEvaluator *pMetricsEvaluator;
} NVPW_MetricsEvaluator_Destroy_Params;
#define NVPW_MetricsEvaluator_Destroy_Params_STRUCT_SIZE                                           \
    NVPA_STRUCT_SIZE(NVPW_MetricsEvaluator_Destroy_Params, pMetricsEvaluator)

typedef struct NVPW_MetricsEvaluator_GetMetricNames_Params {
    size_t structSize;
    void *pPriv;
    struct NVPW_MetricsEvaluator *pMetricsEvaluator;
    uint8_t metricType;
    const char *pMetricNames;
    const size_t *pMetricNameBeginIndices;
    size_t numMetrics;
} NVPW_MetricsEvaluator_GetMetricNames_Params;
#define NVPW_MetricsEvaluator_GetMetricNames_Params_STRUCT_SIZE                                    \
    NVPA_STRUCT_SIZE(NVPW_MetricsEvaluator_GetMetricNames_Params, numMetrics)

typedef struct NVPW_MetricsEvaluator_GetMetricTypeAndIndex_Params {
    size_t structSize;
    void *pPriv;
    struct NVPW_MetricsEvaluator *pMetricsEvaluator;
    const char *pMetricName;
    uint8_t metricType;
    size_t metricIndex;
} NVPW_MetricsEvaluator_GetMetricTypeAndIndex_Params;
#define NVPW_MetricsEvaluator_GetMetricTypeAndIndex_Params_STRUCT_SIZE                             \
    NVPA_STRUCT_SIZE(NVPW_MetricsEvaluator_GetMetricTypeAndIndex_Params, metricIndex)

typedef struct NVPW_MetricsEvaluator_ConvertMetricNameToMetricEvalRequest_Params {
    size_t structSize;
    void *pPriv;
    struct NVPW_MetricsEvaluator *pMetricsEvaluator;
    const char *pMetricName;
    struct NVPW_MetricEvalRequest *pMetricEvalRequest;
    size_t metricEvalRequestStructSize;
} NVPW_MetricsEvaluator_ConvertMetricNameToMetricEvalRequest_Params;
#define NVPW_MetricsEvaluator_ConvertMetricNameToMetricEvalRequest_Params_STRUCT_SIZE              \
    NVPA_STRUCT_SIZE(NVPW_MetricsEvaluator_ConvertMetricNameToMetricEvalRequest_Params,            \
                     metricEvalRequestStructSize)

typedef struct NVPW_MetricsEvaluator_HwUnitToString_Params {
    size_t structSize;
    void *pPriv;
    struct NVPW_MetricsEvaluator *pMetricsEvaluator;
    uint32_t hwUnit;
    const char *pHwUnitName;
} NVPW_MetricsEvaluator_HwUnitToString_Params;
#define NVPW_MetricsEvaluator_HwUnitToString_Params_STRUCT_SIZE                                    \
    NVPA_STRUCT_SIZE(NVPW_MetricsEvaluator_HwUnitToString_Params, pHwUnitName)

typedef struct NVPW_MetricsEvaluator_GetCounterProperties_Params {
    size_t structSize;
    void *pPriv;
    struct NVPW_MetricsEvaluator *pMetricsEvaluator;
    size_t counterIndex;
    const char *pDescription;
    uint32_t hwUnit;
} NVPW_MetricsEvaluator_GetCounterProperties_Params;
#define NVPW_MetricsEvaluator_GetCounterProperties_Params_STRUCT_SIZE                              \
    NVPA_STRUCT_SIZE(NVPW_MetricsEvaluator_GetCounterProperties_Params, hwUnit)

typedef struct NVPW_MetricsEvaluator_GetRatioMetricProperties_Params {
    size_t structSize;
    void *pPriv;
    struct NVPW_MetricsEvaluator *pMetricsEvaluator;
    size_t ratioMetricIndex;
    const char *pDescription;
    uint64_t hwUnit;
} NVPW_MetricsEvaluator_GetRatioMetricProperties_Params;
#define NVPW_MetricsEvaluator_GetRatioMetricProperties_Params_STRUCT_SIZE                          \
    NVPA_STRUCT_SIZE(NVPW_MetricsEvaluator_GetRatioMetricProperties_Params, hwUnit)

typedef struct NVPW_MetricsEvaluator_GetThroughputMetricProperties_Params {
    size_t structSize;
    void *pPriv;
    struct NVPW_MetricsEvaluator *pMetricsEvaluator;
    size_t throughputMetricIndex;
    const char *pDescription;
    uint32_t hwUnit;
    size_t numCounters;
    const size_t *pCounterIndices;
    size_t numSubThroughputs;
    const size_t *pSubThroughputIndices;
} NVPW_MetricsEvaluator_GetThroughputMetricProperties_Params;
#define NVPW_MetricsEvaluator_GetThroughputMetricProperties_Params_STRUCT_SIZE                     \
    NVPA_STRUCT_SIZE(NVPW_MetricsEvaluator_GetThroughputMetricProperties_Params,                   \
                     pSubThroughputIndices)

typedef struct NVPW_MetricsEvaluator_GetSupportedSubmetrics_Params {
    size_t structSize;
    void *pPriv;
    struct NVPW_MetricsEvaluator *pMetricsEvaluator;
    uint8_t metricType;
    const uint16_t *pSupportedSubmetrics;
    size_t numSupportedSubmetrics;
} NVPW_MetricsEvaluator_GetSupportedSubmetrics_Params;
#define NVPW_MetricsEvaluator_GetSupportedSubmetrics_Params_STRUCT_SIZE                            \
    NVPA_STRUCT_SIZE(NVPW_MetricsEvaluator_GetSupportedSubmetrics_Params, numSupportedSubmetrics)

typedef struct NVPW_MetricsEvaluator_GetMetricRawDependencies_Params {
    size_t structSize;
    void *pPriv;
    struct NVPW_MetricsEvaluator *pMetricsEvaluator;
    const struct NVPW_MetricEvalRequest *pMetricEvalRequests;
    size_t numMetricEvalRequests;
    size_t metricEvalRequestStructSize;
    size_t metricEvalRequestStrideSize;
    const char **ppRawDependencies;
    size_t numRawDependencies;
    const char **ppOptionalRawDependencies;
    size_t numOptionalRawDependencies;
} NVPW_MetricsEvaluator_GetMetricRawDependencies_Params;
#define NVPW_MetricsEvaluator_GetMetricRawDependencies_Params_STRUCT_SIZE                          \
    NVPA_STRUCT_SIZE(NVPW_MetricsEvaluator_GetMetricRawDependencies_Params,                        \
                     numOptionalRawDependencies)

typedef struct NVPW_MetricsEvaluator_DimUnitToString_Params {
    size_t structSize;
    void *pPriv;
    struct NVPW_MetricsEvaluator *pMetricsEvaluator;
    uint32_t dimUnit;
    const char *pSingularName;
    const char *pPluralName;
} NVPW_MetricsEvaluator_DimUnitToString_Params;
#define NVPW_MetricsEvaluator_DimUnitToString_Params_STRUCT_SIZE                                   \
    NVPA_STRUCT_SIZE(NVPW_MetricsEvaluator_DimUnitToString_Params, pPluralName)

typedef struct NVPW_MetricsEvaluator_GetMetricDimUnits_Params {
    size_t structSize;
    void *pPriv;
    struct NVPW_MetricsEvaluator *pMetricsEvaluator;
    const struct NVPW_MetricEvalRequest *pMetricEvalRequest;
    size_t metricEvalRequestStructSize;
    NVPW_DimUnitFactor *pDimUnits;
    size_t numDimUnits;
    size_t dimUnitFactorStructSize;
} NVPW_MetricsEvaluator_GetMetricDimUnits_Params;
#define NVPW_MetricsEvaluator_GetMetricDimUnits_Params_STRUCT_SIZE                                 \
    NVPA_STRUCT_SIZE(NVPW_MetricsEvaluator_GetMetricDimUnits_Params, dimUnitFactorStructSize)

typedef struct NVPW_MetricsEvaluator_SetUserData_Params {
    size_t structSize;
    void *pPriv;
    struct NVPW_MetricsEvaluator *pMetricsEvaluator;
    double frameDuration;
    double regionDuration;
    NVPA_Bool isolated;
} NVPW_MetricsEvaluator_SetUserData_Params;
#define NVPW_MetricsEvaluator_SetUserData_Params_STRUCT_SIZE                                       \
    NVPA_STRUCT_SIZE(NVPW_MetricsEvaluator_SetUserData_Params, isolated)

typedef struct NVPW_MetricsEvaluator_EvaluateToGpuValues_Params {
    size_t structSize;
    void *pPriv;
    struct NVPW_MetricsEvaluator *pMetricsEvaluator;
    const struct NVPW_MetricEvalRequest *pMetricEvalRequests;
    size_t numMetricEvalRequests;
    size_t metricEvalRequestStructSize;
    size_t metricEvalRequestStrideSize;
    const uint8_t *pCounterDataImage;
    size_t counterDataImageSize;
    size_t rangeIndex;
    NVPA_Bool isolated;
    double *pMetricValues;
} NVPW_MetricsEvaluator_EvaluateToGpuValues_Params;
#define NVPW_MetricsEvaluator_EvaluateToGpuValues_Params_STRUCT_SIZE                               \
    NVPA_STRUCT_SIZE(NVPW_MetricsEvaluator_EvaluateToGpuValues_Params, pMetricValues)

typedef struct NVPW_MetricsEvaluator_SetDeviceAttributes_Params {
    size_t structSize;
    void *pPriv;
    struct NVPW_MetricsEvaluator *pMetricsEvaluator;
    const uint8_t *pCounterDataImage;
    size_t counterDataImageSize;
} NVPW_MetricsEvaluator_SetDeviceAttributes_Params;
#define NVPW_MetricsEvaluator_SetDeviceAttributes_Params_STRUCT_SIZE                               \
    NVPA_STRUCT_SIZE(NVPW_MetricsEvaluator_SetDeviceAttributes_Params, counterDataImageSize)

NVPA_Status NVPW_InitializeHost(NVPW_InitializeHost_Params *pParams);
NVPA_Status NVPW_GetSupportedChipNames(NVPW_GetSupportedChipNames_Params *pParams);
NVPA_Status NVPW_RawMetricsConfig_Destroy(NVPW_RawMetricsConfig_Destroy_Params *pParams);
NVPA_Status NVPW_RawMetricsConfig_SetCounterAvailability(
    NVPW_RawMetricsConfig_SetCounterAvailability_Params *pParams);
NVPA_Status
NVPW_RawMetricsConfig_BeginPassGroup(NVPW_RawMetricsConfig_BeginPassGroup_Params *pParams);
NVPA_Status NVPW_RawMetricsConfig_EndPassGroup(NVPW_RawMetricsConfig_EndPassGroup_Params *pParams);
NVPA_Status
NVPW_RawMetricsConfig_GetNumMetrics(NVPW_RawMetricsConfig_GetNumMetrics_Params *pParams);
NVPA_Status NVPW_RawMetricsConfig_GetMetricProperties(
    NVPW_RawMetricsConfig_GetMetricProperties_Params *pParams);
NVPA_Status NVPW_RawMetricsConfig_GetMetricProperties_V2(
    NVPW_RawMetricsConfig_GetMetricProperties_V2_Params *pParams);
NVPA_Status NVPW_RawMetricsConfig_AddMetrics(NVPW_RawMetricsConfig_AddMetrics_Params *pParams);
NVPA_Status NVPW_RawMetricsConfig_IsAddMetricsPossible(
    NVPW_RawMetricsConfig_IsAddMetricsPossible_Params *pParams);
NVPA_Status NVPW_RawMetricsConfig_GenerateConfigImage(
    NVPW_RawMetricsConfig_GenerateConfigImage_Params *pParams);
NVPA_Status
NVPW_RawMetricsConfig_GetConfigImage(NVPW_RawMetricsConfig_GetConfigImage_Params *pParams);
NVPA_Status NVPW_RawMetricsConfig_GetNumPasses(NVPW_RawMetricsConfig_GetNumPasses_Params *pParams);
NVPA_Status
NVPW_RawMetricsConfig_GetNumPasses_V2(NVPW_RawMetricsConfig_GetNumPasses_V2_Params *pParams);
NVPA_Status NVPW_CounterDataBuilder_Create(NVPW_CounterDataBuilder_Create_Params *pParams);
NVPA_Status NVPW_CounterDataBuilder_Destroy(NVPW_CounterDataBuilder_Destroy_Params *pParams);
NVPA_Status NVPW_CounterDataBuilder_AddMetrics(NVPW_CounterDataBuilder_AddMetrics_Params *pParams);
NVPA_Status NVPW_CounterDataBuilder_GetCounterDataPrefix(
    NVPW_CounterDataBuilder_GetCounterDataPrefix_Params *pParams);
NVPA_Status NVPW_MetricsEvaluator_Destroy(NVPW_MetricsEvaluator_Destroy_Params *pParams);
NVPA_Status
NVPW_MetricsEvaluator_GetMetricNames(NVPW_MetricsEvaluator_GetMetricNames_Params *pParams);
NVPA_Status NVPW_MetricsEvaluator_GetMetricTypeAndIndex(
    NVPW_MetricsEvaluator_GetMetricTypeAndIndex_Params *pParams);
NVPA_Status NVPW_MetricsEvaluator_ConvertMetricNameToMetricEvalRequest(
    NVPW_MetricsEvaluator_ConvertMetricNameToMetricEvalRequest_Params *pParams);
NVPA_Status
NVPW_MetricsEvaluator_HwUnitToString(NVPW_MetricsEvaluator_HwUnitToString_Params *pParams);
NVPA_Status NVPW_MetricsEvaluator_GetCounterProperties(
    NVPW_MetricsEvaluator_GetCounterProperties_Params *pParams);
NVPA_Status NVPW_MetricsEvaluator_GetRatioMetricProperties(
    NVPW_MetricsEvaluator_GetRatioMetricProperties_Params *pParams);
NVPA_Status NVPW_MetricsEvaluator_GetThroughputMetricProperties(
    NVPW_MetricsEvaluator_GetThroughputMetricProperties_Params *pParams);
NVPA_Status NVPW_MetricsEvaluator_GetSupportedSubmetrics(
    NVPW_MetricsEvaluator_GetSupportedSubmetrics_Params *pParams);
NVPA_Status NVPW_MetricsEvaluator_GetMetricRawDependencies(
    NVPW_MetricsEvaluator_GetMetricRawDependencies_Params *pParams);
NVPA_Status
NVPW_MetricsEvaluator_DimUnitToString(NVPW_MetricsEvaluator_DimUnitToString_Params *pParams);
NVPA_Status
NVPW_MetricsEvaluator_GetMetricDimUnits(NVPW_MetricsEvaluator_GetMetricDimUnits_Params *pParams);
NVPA_Status NVPW_MetricsEvaluator_SetUserData(NVPW_MetricsEvaluator_SetUserData_Params *pParams);
NVPA_Status NVPW_MetricsEvaluator_EvaluateToGpuValues(
    NVPW_MetricsEvaluator_EvaluateToGpuValues_Params *pParams);
NVPA_Status NVPW_MetricsEvaluator_SetDeviceAttributes(
    NVPW_MetricsEvaluator_SetDeviceAttributes_Params *pParams);

#ifdef __cplusplus
}
#endif

#endif
