/* SPDX-License-Identifier: MIT */
/* The metrics that a profiler is to count. They are added in groups, which on a device may share
 * passes. Here one pass counts everything. */
#include "objects.h"
#include "profiling/counter_data.h"

#include <stdlib.h>

struct NVPA_RawMetricsConfig {
    struct object object;
    struct metric_list metrics;
    bool is_in_group, is_generated;
};

static bool is_live(const NVPA_RawMetricsConfig *config)
{
    return object_is_live(config, OBJECT_CONFIG);
}

static NVPA_Status create(NVPA_ActivityKind kind, const char *chip, const uint8_t *availability,
                          NVPA_RawMetricsConfig **config)
{
    NVPA_Status status = check_chip(chip, availability);
    NVPA_RawMetricsConfig *made;

    if (status != NVPA_STATUS_SUCCESS)
        return status;
    if (kind <= NVPA_ACTIVITY_KIND_INVALID || kind >= NVPA_ACTIVITY_KIND__COUNT)
        return NVPA_STATUS_INVALID_ARGUMENT;
    if (kind != NVPA_ACTIVITY_KIND_PROFILER)
        return NVPA_STATUS_NOT_SUPPORTED;
    made = calloc(1, sizeof(*made));
    if (!made)
        return NVPA_STATUS_OUT_OF_MEMORY;
    object_add(&made->object, OBJECT_CONFIG);
    *config = made;
    return NVPA_STATUS_SUCCESS;
}

NVPA_Status NVPW_CUDA_RawMetricsConfig_Create(NVPW_CUDA_RawMetricsConfig_Create_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_CUDA_RawMetricsConfig_Create_Params))
        return NVPA_STATUS_INVALID_ARGUMENT;
    return create(pParams->activityKind, pParams->pChipName, NULL, &pParams->pRawMetricsConfig);
}

NVPA_Status
NVPW_CUDA_RawMetricsConfig_Create_V2(NVPW_CUDA_RawMetricsConfig_Create_V2_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_CUDA_RawMetricsConfig_Create_V2_Params))
        return NVPA_STATUS_INVALID_ARGUMENT;
    return create(pParams->activityKind, pParams->pChipName, pParams->pCounterAvailabilityImage,
                  &pParams->pRawMetricsConfig);
}

NVPA_Status NVPW_RawMetricsConfig_Destroy(NVPW_RawMetricsConfig_Destroy_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_RawMetricsConfig_Destroy_Params) ||
        !object_remove(pParams->pRawMetricsConfig, OBJECT_CONFIG))
        return NVPA_STATUS_INVALID_ARGUMENT;
    metric_list_finish(&pParams->pRawMetricsConfig->metrics);
    free(pParams->pRawMetricsConfig);
    return NVPA_STATUS_SUCCESS;
}

NVPA_Status NVPW_RawMetricsConfig_SetCounterAvailability(
    NVPW_RawMetricsConfig_SetCounterAvailability_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_RawMetricsConfig_SetCounterAvailability_Params) ||
        !is_live(pParams->pRawMetricsConfig) || !pParams->pCounterAvailabilityImage ||
        !availability_is_valid(pParams->pCounterAvailabilityImage))
        return NVPA_STATUS_INVALID_ARGUMENT;
    return NVPA_STATUS_SUCCESS;
}

static NVPA_Status set_in_group(NVPA_RawMetricsConfig *config, bool is_in_group)
{
    if (config->is_in_group == is_in_group)
        return NVPA_STATUS_INVALID_ARGUMENT;
    config->is_in_group = is_in_group;
    return NVPA_STATUS_SUCCESS;
}

NVPA_Status
NVPW_RawMetricsConfig_BeginPassGroup(NVPW_RawMetricsConfig_BeginPassGroup_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_RawMetricsConfig_BeginPassGroup_Params) ||
        !is_live(pParams->pRawMetricsConfig))
        return NVPA_STATUS_INVALID_ARGUMENT;
    return set_in_group(pParams->pRawMetricsConfig, true);
}

NVPA_Status NVPW_RawMetricsConfig_EndPassGroup(NVPW_RawMetricsConfig_EndPassGroup_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_RawMetricsConfig_EndPassGroup_Params) ||
        !is_live(pParams->pRawMetricsConfig))
        return NVPA_STATUS_INVALID_ARGUMENT;
    return set_in_group(pParams->pRawMetricsConfig, false);
}

NVPA_Status NVPW_RawMetricsConfig_AddMetrics(NVPW_RawMetricsConfig_AddMetrics_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_RawMetricsConfig_AddMetrics_Params) ||
        !is_live(pParams->pRawMetricsConfig) || !pParams->pRawMetricsConfig->is_in_group)
        return NVPA_STATUS_INVALID_ARGUMENT;
    return metric_list_add(&pParams->pRawMetricsConfig->metrics, pParams->pRawMetricRequests,
                           pParams->numMetricRequests);
}

NVPA_Status NVPW_RawMetricsConfig_IsAddMetricsPossible(
    NVPW_RawMetricsConfig_IsAddMetricsPossible_Params *pParams)
{
    NVPA_Status status;

    if (!PARAMS_GIVEN(pParams, NVPW_RawMetricsConfig_IsAddMetricsPossible_Params) ||
        !is_live(pParams->pRawMetricsConfig))
        return NVPA_STATUS_INVALID_ARGUMENT;
    status = metric_list_check(pParams->pRawMetricRequests, pParams->numMetricRequests);
    if (status == NVPA_STATUS_SUCCESS)
        pParams->isPossible = 1;
    return status;
}

/* The metrics of this library, whether they were added or not. */
NVPA_Status NVPW_RawMetricsConfig_GetNumMetrics(NVPW_RawMetricsConfig_GetNumMetrics_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_RawMetricsConfig_GetNumMetrics_Params) ||
        !is_live(pParams->pRawMetricsConfig))
        return NVPA_STATUS_INVALID_ARGUMENT;
    pParams->numMetrics = metric_count();
    return NVPA_STATUS_SUCCESS;
}

NVPA_Status
NVPW_RawMetricsConfig_GetMetricProperties(NVPW_RawMetricsConfig_GetMetricProperties_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_RawMetricsConfig_GetMetricProperties_Params) ||
        !is_live(pParams->pRawMetricsConfig) || pParams->metricIndex >= metric_count())
        return NVPA_STATUS_INVALID_ARGUMENT;
    pParams->pMetricName = metric_at(pParams->metricIndex)->name;
    pParams->supportsPipelined = pParams->supportsIsolated = 1;
    return NVPA_STATUS_SUCCESS;
}

NVPA_Status NVPW_RawMetricsConfig_GetMetricProperties_V2(
    NVPW_RawMetricsConfig_GetMetricProperties_V2_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_RawMetricsConfig_GetMetricProperties_V2_Params) ||
        !is_live(pParams->pRawMetricsConfig) || pParams->metricIndex >= metric_count())
        return NVPA_STATUS_INVALID_ARGUMENT;
    pParams->pMetricName = metric_at(pParams->metricIndex)->name;
    return NVPA_STATUS_SUCCESS;
}

NVPA_Status
NVPW_RawMetricsConfig_GenerateConfigImage(NVPW_RawMetricsConfig_GenerateConfigImage_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_RawMetricsConfig_GenerateConfigImage_Params) ||
        !is_live(pParams->pRawMetricsConfig) || pParams->pRawMetricsConfig->is_in_group)
        return NVPA_STATUS_INVALID_ARGUMENT;
    pParams->pRawMetricsConfig->is_generated = true;
    return NVPA_STATUS_SUCCESS;
}

NVPA_Status
NVPW_RawMetricsConfig_GetConfigImage(NVPW_RawMetricsConfig_GetConfigImage_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_RawMetricsConfig_GetConfigImage_Params) ||
        !is_live(pParams->pRawMetricsConfig) || !pParams->pRawMetricsConfig->is_generated)
        return NVPA_STATUS_INVALID_ARGUMENT;
    return metric_list_write(&pParams->pRawMetricsConfig->metrics, pParams->pBuffer,
                             pParams->bytesAllocated, &pParams->bytesCopied);
}

NVPA_Status NVPW_RawMetricsConfig_GetNumPasses(NVPW_RawMetricsConfig_GetNumPasses_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_RawMetricsConfig_GetNumPasses_Params) ||
        !is_live(pParams->pRawMetricsConfig))
        return NVPA_STATUS_INVALID_ARGUMENT;
    pParams->numPipelinedPasses = pParams->pRawMetricsConfig->metrics.has_pipelined;
    pParams->numIsolatedPasses = pParams->pRawMetricsConfig->metrics.has_isolated;
    return NVPA_STATUS_SUCCESS;
}

NVPA_Status
NVPW_RawMetricsConfig_GetNumPasses_V2(NVPW_RawMetricsConfig_GetNumPasses_V2_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_RawMetricsConfig_GetNumPasses_V2_Params) ||
        !is_live(pParams->pRawMetricsConfig))
        return NVPA_STATUS_INVALID_ARGUMENT;
    pParams->numPasses = pParams->pRawMetricsConfig->metrics.count > 0;
    return NVPA_STATUS_SUCCESS;
}
