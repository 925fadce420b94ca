/* SPDX-License-Identifier: MIT */
/* The profiler's host functions: which metrics there are, an image that says which are to be
 * counted, and values. */
#include "profiling/chips.h"
#include "profiling/counter_data.h"
#include "profiler/params.h"
#include "lock.h"
#include "tool.h"

#include <stdlib.h>
#include <string.h>

enum {
    METRICS_MAX = 4096, /* of one object */
    NAMES_MAX = 128,    /* of one type */
};

struct CUpti_Profiler_Host_Object {
    CUpti_Profiler_Host_Object *next;
    uint32_t *metrics; /* places of those that are to be counted */
    size_t count;
};

TOOL_LOCK(lock)
static CUpti_Profiler_Host_Object *objects; /* guarded by lock */

static CUpti_Profiler_Host_Object **slot_locked(const CUpti_Profiler_Host_Object *object)
{
    CUpti_Profiler_Host_Object **slot = &objects;

    while (*slot && *slot != object)
        slot = &(*slot)->next;
    return slot;
}

static bool is_live(const CUpti_Profiler_Host_Object *object)
{
    pthread_mutex_lock(&lock);
    bool found = object && *slot_locked(object) != NULL;
    pthread_mutex_unlock(&lock);
    return found;
}

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params *pParams)
{
    CUpti_Profiler_Host_Object *made;

    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_Profiler_Host_Initialize_Params) ||
        !pParams->pChipName ||
        (unsigned)pParams->profilerType >= CUPTI_PROFILER_TYPE_PROFILER_INVALID)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (!chip_is_supported(pParams->pChipName))
        return CUPTI_ERROR_INVALID_CHIP_NAME;
    if (pParams->profilerType != CUPTI_PROFILER_TYPE_RANGE_PROFILER)
        return CUPTI_ERROR_NOT_SUPPORTED;
    made = calloc(1, sizeof(*made));
    if (!made)
        return CUPTI_ERROR_OUT_OF_MEMORY;
    pthread_mutex_lock(&lock);
    made->next = objects;
    objects = made;
    pthread_mutex_unlock(&lock);
    pParams->pHostObject = made;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params *pParams)
{
    CUpti_Profiler_Host_Object *object;

    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_Profiler_Host_Deinitialize_Params) ||
        !is_live(pParams->pHostObject))
        return CUPTI_ERROR_INVALID_PARAMETER;
    object = pParams->pHostObject;
    pthread_mutex_lock(&lock);
    *slot_locked(object) = object->next;
    pthread_mutex_unlock(&lock);
    free(object->metrics);
    free(object);
    return CUPTI_SUCCESS;
}

CUptiResult
cuptiProfilerHostGetSupportedChips(CUpti_Profiler_Host_GetSupportedChips_Params *pParams)
{
    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_Profiler_Host_GetSupportedChips_Params))
        return CUPTI_ERROR_INVALID_PARAMETER;
    pParams->ppChipNames = chip_names(&pParams->numChips);
    return CUPTI_SUCCESS;
}

/* The names of a type of metric stay valid as long as the process. */
static const char **names_of(CUpti_MetricType type, size_t *count)
{
    static const char *names[CUPTI_METRIC_TYPE__COUNT][NAMES_MAX];
    static size_t counts[CUPTI_METRIC_TYPE__COUNT];
    static bool is_filled;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; !is_filled && i < metric_count() && i < NAMES_MAX; i++)
        names[metric_at(i)->type][counts[metric_at(i)->type]++] = metric_at(i)->name;
    is_filled = true;
    pthread_mutex_unlock(&lock);
    *count = counts[type];
    return names[type];
}

CUptiResult cuptiProfilerHostGetBaseMetrics(CUpti_Profiler_Host_GetBaseMetrics_Params *pParams)
{
    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_Profiler_Host_GetBaseMetrics_Params) ||
        !is_live(pParams->pHostObject) || (unsigned)pParams->metricType >= CUPTI_METRIC_TYPE__COUNT)
        return CUPTI_ERROR_INVALID_PARAMETER;
    pParams->ppMetricNames = names_of(pParams->metricType, &pParams->numMetrics);
    return CUPTI_SUCCESS;
}

/* What follows a dot is ignored. */
static const struct metric *base_metric(const char *name)
{
    return metric_find(name, strcspn(name, "."));
}

CUptiResult cuptiProfilerHostGetSubMetrics(CUpti_Profiler_Host_GetSubMetrics_Params *pParams)
{
    const struct metric *metric;

    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_Profiler_Host_GetSubMetrics_Params) ||
        !is_live(pParams->pHostObject) || !pParams->pMetricName)
        return CUPTI_ERROR_INVALID_PARAMETER;
    metric = base_metric(pParams->pMetricName);
    if (!metric)
        return CUPTI_ERROR_INVALID_METRIC_NAME;
    if (metric->type != pParams->metricType)
        return CUPTI_ERROR_INVALID_PARAMETER;
    pParams->ppSubMetrics = (const char **)metric_forms(metric, &pParams->numOfSubmetrics);
    return CUPTI_SUCCESS;
}

CUptiResult
cuptiProfilerHostGetMetricProperties(CUpti_Profiler_Host_GetMetricProperties_Params *pParams)
{
    const struct metric *metric;

    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_Profiler_Host_GetMetricProperties_Params) ||
        !is_live(pParams->pHostObject) || !pParams->pMetricName)
        return CUPTI_ERROR_INVALID_PARAMETER;
    metric = base_metric(pParams->pMetricName);
    if (!metric)
        return CUPTI_ERROR_INVALID_METRIC_NAME;
    pParams->pDescription = metric->description;
    pParams->pHwUnit = metric_unit_name(metric);
    pParams->pDimUnit = metric->dimension;
    pParams->metricType = metric->type;
    return CUPTI_SUCCESS;
}

/* All or none are added. */
CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params *pParams)
{
    CUpti_Profiler_Host_Object *object;
    const struct metric *metric;
    enum metric_form form;

    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_Profiler_Host_ConfigAddMetrics_Params) ||
        !is_live(pParams->pHostObject) || !pParams->ppMetricNames || pParams->numMetrics == 0 ||
        pParams->numMetrics > METRICS_MAX)
        return CUPTI_ERROR_INVALID_PARAMETER;
    object = pParams->pHostObject;
    if (object->count + pParams->numMetrics > METRICS_MAX)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    uint32_t *metrics =
        realloc(object->metrics, (object->count + pParams->numMetrics) * sizeof(*metrics));
    if (!metrics)
        return CUPTI_ERROR_OUT_OF_MEMORY;
    object->metrics = metrics;
    for (size_t i = 0; i < pParams->numMetrics; i++) {
        if (metric_parse(pParams->ppMetricNames[i], &metric, &form) != CUPTI_SUCCESS)
            return CUPTI_ERROR_INVALID_PARAMETER;
        metrics[object->count + i] = (uint32_t)(metric - metric_at(0));
    }
    object->count += pParams->numMetrics;
    return CUPTI_SUCCESS;
}

CUptiResult
cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params *pParams)
{
    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_Profiler_Host_GetConfigImageSize_Params) ||
        !is_live(pParams->pHostObject))
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (pParams->pHostObject->count == 0)
        return CUPTI_ERROR_UNKNOWN;
    pParams->configImageSize = config_image_bytes(pParams->pHostObject->count);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params *pParams)
{
    const CUpti_Profiler_Host_Object *object;

    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_Profiler_Host_GetConfigImage_Params) ||
        !is_live(pParams->pHostObject) || !pParams->pConfigImage)
        return CUPTI_ERROR_INVALID_PARAMETER;
    object = pParams->pHostObject;
    if (pParams->configImageSize < config_image_bytes(object->count))
        return CUPTI_ERROR_INVALID_PARAMETER;
    config_image_make(pParams->pConfigImage, object->metrics, object->count);
    return CUPTI_SUCCESS;
}

/* Everything is counted at once. */
CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params *pParams)
{
    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_Profiler_Host_GetNumOfPasses_Params) ||
        !config_image_is_valid(pParams->pConfigImage, pParams->configImageSize))
        return CUPTI_ERROR_INVALID_PARAMETER;
    pParams->numOfPasses = 1;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetMaxNumHardwareMetricsPerPass(
    CUpti_Profiler_Host_GetMaxNumHardwareMetricsPerPass_Params *pParams)
{
    if (!PROFILER_PARAMS_GIVEN(pParams,
                               CUpti_Profiler_Host_GetMaxNumHardwareMetricsPerPass_Params) ||
        !pParams->pChipName)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (!chip_is_supported(pParams->pChipName))
        return CUPTI_ERROR_INVALID_CHIP_NAME;
    pParams->maxMetricsPerPass = metric_count();
    return CUPTI_SUCCESS;
}

CUptiResult
cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params *pParams)
{
    struct counted_range range;
    const struct metric *metric;
    enum metric_form form;

    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_Profiler_Host_EvaluateToGpuValues_Params) ||
        !is_live(pParams->pHostObject) ||
        !counter_data_is_valid(pParams->pCounterDataImage, pParams->counterDataImageSize) ||
        pParams->rangeIndex >= counter_data_count(pParams->pCounterDataImage) ||
        !pParams->ppMetricNames || !pParams->pMetricValues)
        return CUPTI_ERROR_INVALID_PARAMETER;
    for (size_t i = 0; i < pParams->numMetrics; i++)
        if (metric_parse(pParams->ppMetricNames[i], &metric, &form) != CUPTI_SUCCESS)
            return CUPTI_ERROR_INVALID_PARAMETER;
    counter_data_read(pParams->pCounterDataImage, pParams->rangeIndex, &range);
    for (size_t i = 0; i < pParams->numMetrics; i++) {
        metric_parse(pParams->ppMetricNames[i], &metric, &form);
        pParams->pMetricValues[i] = metric_value(
            metric, form, &range.counted, counter_data_multiprocessors(pParams->pCounterDataImage));
    }
    return CUPTI_SUCCESS;
}
