/* SPDX-License-Identifier: MIT */
/* Metrics by type and number, and their values. The numbers follow the table. */
#include "evaluator.h"

#include "profiling/counter_data.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SCRATCH_BYTES = 16, NAMES_BYTES = 16384, NAMES_MAX = 256 };

struct NVPW_MetricsEvaluator {
    struct object object;
};

/* The names of a type, one behind the other, and where each begins. */
struct names {
    char text[NAMES_BYTES];
    size_t begins[NAMES_MAX];
    size_t count, used;
};
static struct names names[NVPW_METRIC_TYPE__COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;

bool evaluator_is_live(const NVPW_MetricsEvaluator *evaluator)
{
    return object_is_live(evaluator, OBJECT_EVALUATOR);
}

static void fill_names(void)
{
    for (size_t i = 0; i < metric_count(); i++) {
        const struct metric *metric = metric_at(i);
        struct names *list = &names[metric->type];
        size_t bytes = strlen(metric->name) + 1;

        if (list->count == NAMES_MAX || list->used + bytes > NAMES_BYTES)
            return;
        memcpy(list->text + list->used, metric->name, bytes);
        list->begins[list->count++] = list->used;
        list->used += bytes;
    }
}

const struct metric *evaluator_metric(uint8_t type, size_t index)
{
    for (size_t i = 0; i < metric_count(); i++)
        if (metric_at(i)->type == type && index-- == 0)
            return metric_at(i);
    return NULL;
}

static size_t index_of(const struct metric *metric)
{
    size_t index = 0;

    for (const struct metric *each = metric_at(0); each != metric; each++)
        index += each->type == metric->type;
    return index;
}

NVPA_Status NVPW_CUDA_MetricsEvaluator_CalculateScratchBufferSize(
    NVPW_CUDA_MetricsEvaluator_CalculateScratchBufferSize_Params *pParams)
{
    NVPA_Status status;

    if (!PARAMS_GIVEN(pParams, NVPW_CUDA_MetricsEvaluator_CalculateScratchBufferSize_Params))
        return NVPA_STATUS_INVALID_ARGUMENT;
    status = check_chip(pParams->pChipName, pParams->pCounterAvailabilityImage);
    if (status == NVPA_STATUS_SUCCESS)
        pParams->scratchBufferSize = SCRATCH_BYTES;
    return status;
}

/* The scratch buffer is not needed. */
NVPA_Status
NVPW_CUDA_MetricsEvaluator_Initialize(NVPW_CUDA_MetricsEvaluator_Initialize_Params *pParams)
{
    NVPW_MetricsEvaluator *made;
    NVPA_Status status;

    if (!PARAMS_GIVEN(pParams, NVPW_CUDA_MetricsEvaluator_Initialize_Params) ||
        !pParams->pScratchBuffer || pParams->scratchBufferSize < SCRATCH_BYTES)
        return NVPA_STATUS_INVALID_ARGUMENT;
    bool has_data = pParams->pCounterDataImage != NULL;
    if (has_data &&
        !counter_data_is_valid(pParams->pCounterDataImage, pParams->counterDataImageSize))
        return NVPA_STATUS_INVALID_ARGUMENT;
    if (!has_data || pParams->pChipName || pParams->pCounterAvailabilityImage) {
        status = check_chip(pParams->pChipName, pParams->pCounterAvailabilityImage);
        if (status != NVPA_STATUS_SUCCESS)
            return status;
    }
    made = calloc(1, sizeof(*made));
    if (!made)
        return NVPA_STATUS_OUT_OF_MEMORY;
    pthread_once(&once, fill_names);
    object_add(&made->object, OBJECT_EVALUATOR);
    pParams->pMetricsEvaluator = made;
    return NVPA_STATUS_SUCCESS;
}

NVPA_Status NVPW_MetricsEvaluator_Destroy(NVPW_MetricsEvaluator_Destroy_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_MetricsEvaluator_Destroy_Params) ||
        !object_remove(pParams->pMetricsEvaluator, OBJECT_EVALUATOR))
        return NVPA_STATUS_INVALID_ARGUMENT;
    free(pParams->pMetricsEvaluator);
    return NVPA_STATUS_SUCCESS;
}

NVPA_Status
NVPW_MetricsEvaluator_GetMetricNames(NVPW_MetricsEvaluator_GetMetricNames_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_MetricsEvaluator_GetMetricNames_Params) ||
        !evaluator_is_live(pParams->pMetricsEvaluator) ||
        pParams->metricType >= NVPW_METRIC_TYPE__COUNT)
        return NVPA_STATUS_INVALID_ARGUMENT;
    pParams->pMetricNames = names[pParams->metricType].text;
    pParams->pMetricNameBeginIndices = names[pParams->metricType].begins;
    pParams->numMetrics = names[pParams->metricType].count;
    return NVPA_STATUS_SUCCESS;
}

NVPA_Status NVPW_MetricsEvaluator_GetMetricTypeAndIndex(
    NVPW_MetricsEvaluator_GetMetricTypeAndIndex_Params *pParams)
{
    const struct metric *metric;

    if (!PARAMS_GIVEN(pParams, NVPW_MetricsEvaluator_GetMetricTypeAndIndex_Params) ||
        !evaluator_is_live(pParams->pMetricsEvaluator) || !pParams->pMetricName)
        return NVPA_STATUS_INVALID_ARGUMENT;
    metric = metric_find(pParams->pMetricName, strcspn(pParams->pMetricName, "."));
    if (!metric)
        return NVPA_STATUS_INVALID_ARGUMENT;
    pParams->metricType = (uint8_t)metric->type;
    pParams->metricIndex = index_of(metric);
    return NVPA_STATUS_SUCCESS;
}

/* The form of a metric, as a rollup of a counter or as a submetric of a ratio. */
static const struct {
    enum metric_form form;
    uint8_t rollup;
    uint16_t submetric;
} forms[] = {
    {FORM_SUM, NVPW_ROLLUP_OP_SUM, NVPW_SUBMETRIC_NONE},
    {FORM_AVG, NVPW_ROLLUP_OP_AVG, NVPW_SUBMETRIC_NONE},
    {FORM_MAX, NVPW_ROLLUP_OP_MAX, NVPW_SUBMETRIC_NONE},
    {FORM_MIN, NVPW_ROLLUP_OP_MIN, NVPW_SUBMETRIC_NONE},
    {FORM_RATIO, 0, NVPW_SUBMETRIC_RATIO},
    {FORM_PCT, 0, NVPW_SUBMETRIC_PCT},
    {FORM_MAX_RATE, 0, NVPW_SUBMETRIC_MAX_RATE},
};
enum { FORMS = sizeof(forms) / sizeof(*forms) };

NVPA_Status NVPW_MetricsEvaluator_ConvertMetricNameToMetricEvalRequest(
    NVPW_MetricsEvaluator_ConvertMetricNameToMetricEvalRequest_Params *pParams)
{
    const struct metric *metric;
    enum metric_form form;
    size_t i = 0;

    if (!PARAMS_GIVEN(pParams, NVPW_MetricsEvaluator_ConvertMetricNameToMetricEvalRequest_Params) ||
        !evaluator_is_live(pParams->pMetricsEvaluator) || !pParams->pMetricEvalRequest ||
        pParams->metricEvalRequestStructSize < NVPW_MetricEvalRequest_STRUCT_SIZE ||
        metric_parse(pParams->pMetricName, &metric, &form) != CUPTI_SUCCESS)
        return NVPA_STATUS_INVALID_ARGUMENT;
    while (forms[i].form != form)
        i++;
    *pParams->pMetricEvalRequest = (NVPW_MetricEvalRequest){.metricIndex = index_of(metric),
                                                            .metricType = (uint8_t)metric->type,
                                                            .rollupOp = forms[i].rollup,
                                                            .submetric = forms[i].submetric};
    return NVPA_STATUS_SUCCESS;
}

bool evaluator_read(const NVPW_MetricEvalRequest *request, const struct metric **metric,
                    enum metric_form *form)
{
    const struct metric *found = evaluator_metric(request->metricType, request->metricIndex);
    bool is_ratio = request->metricType == NVPW_METRIC_TYPE_RATIO;

    for (size_t i = 0; found && i < FORMS; i++) {
        if (forms[i].submetric != request->submetric ||
            (!is_ratio && forms[i].rollup != request->rollupOp) ||
            !metric_has_form(found, forms[i].form))
            continue;
        *metric = found;
        *form = forms[i].form;
        return true;
    }
    return false;
}

NVPA_Status NVPW_MetricsEvaluator_SetUserData(NVPW_MetricsEvaluator_SetUserData_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_MetricsEvaluator_SetUserData_Params) ||
        !evaluator_is_live(pParams->pMetricsEvaluator))
        return NVPA_STATUS_INVALID_ARGUMENT;
    return NVPA_STATUS_SUCCESS; /* no metric is about frames or regions */
}

/* Counter data knows its device. */
NVPA_Status
NVPW_MetricsEvaluator_SetDeviceAttributes(NVPW_MetricsEvaluator_SetDeviceAttributes_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_MetricsEvaluator_SetDeviceAttributes_Params) ||
        !evaluator_is_live(pParams->pMetricsEvaluator) ||
        !counter_data_is_valid(pParams->pCounterDataImage, pParams->counterDataImageSize))
        return NVPA_STATUS_INVALID_ARGUMENT;
    return NVPA_STATUS_SUCCESS;
}

/* The i-th of requests that may be larger than this library knows them. */
static const NVPW_MetricEvalRequest *request_at(const NVPW_MetricEvalRequest *requests,
                                                size_t stride, size_t i)
{
    return (const NVPW_MetricEvalRequest *)((const char *)requests + i * stride);
}

static bool are_readable(const NVPW_MetricEvalRequest *requests, size_t count, size_t bytes,
                         size_t stride)
{
    const struct metric *metric;
    enum metric_form form;

    if ((!requests && count > 0) || bytes < NVPW_MetricEvalRequest_STRUCT_SIZE || stride < bytes)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!evaluator_read(request_at(requests, stride, i), &metric, &form))
            return false;
    return true;
}

NVPA_Status
NVPW_MetricsEvaluator_EvaluateToGpuValues(NVPW_MetricsEvaluator_EvaluateToGpuValues_Params *pParams)
{
    struct counted_range range;
    const struct metric *metric;
    enum metric_form form;

    if (!PARAMS_GIVEN(pParams, NVPW_MetricsEvaluator_EvaluateToGpuValues_Params) ||
        !evaluator_is_live(pParams->pMetricsEvaluator) || !pParams->pMetricValues ||
        !are_readable(pParams->pMetricEvalRequests, pParams->numMetricEvalRequests,
                      pParams->metricEvalRequestStructSize, pParams->metricEvalRequestStrideSize) ||
        !counter_data_is_valid(pParams->pCounterDataImage, pParams->counterDataImageSize) ||
        pParams->rangeIndex >= counter_data_count(pParams->pCounterDataImage))
        return NVPA_STATUS_INVALID_ARGUMENT;
    counter_data_read(pParams->pCounterDataImage, pParams->rangeIndex, &range);
    for (size_t i = 0; i < pParams->numMetricEvalRequests; i++) {
        evaluator_read(
            request_at(pParams->pMetricEvalRequests, pParams->metricEvalRequestStrideSize, i),
            &metric, &form);
        pParams->pMetricValues[i] = metric_value(
            metric, form, &range.counted, counter_data_multiprocessors(pParams->pCounterDataImage));
    }
    return NVPA_STATUS_SUCCESS;
}

/* Each metric depends on itself alone; those of several requests are told once. */
NVPA_Status NVPW_MetricsEvaluator_GetMetricRawDependencies(
    NVPW_MetricsEvaluator_GetMetricRawDependencies_Params *pParams)
{
    bool is_told[NAMES_MAX] = {false};
    size_t count = 0;

    if (!PARAMS_GIVEN(pParams, NVPW_MetricsEvaluator_GetMetricRawDependencies_Params) ||
        !evaluator_is_live(pParams->pMetricsEvaluator) ||
        !are_readable(pParams->pMetricEvalRequests, pParams->numMetricEvalRequests,
                      pParams->metricEvalRequestStructSize, pParams->metricEvalRequestStrideSize))
        return NVPA_STATUS_INVALID_ARGUMENT;
    for (size_t i = 0; i < pParams->numMetricEvalRequests; i++) {
        const NVPW_MetricEvalRequest *request =
            request_at(pParams->pMetricEvalRequests, pParams->metricEvalRequestStrideSize, i);
        const struct metric *metric = evaluator_metric(request->metricType, request->metricIndex);
        bool *told = &is_told[metric - metric_at(0)];

        if (*told || (pParams->ppRawDependencies && count == pParams->numRawDependencies))
            continue;
        if (pParams->ppRawDependencies)
            pParams->ppRawDependencies[count] = metric->name;
        *told = true;
        count++;
    }
    pParams->numRawDependencies = count;
    pParams->numOptionalRawDependencies = 0;
    return NVPA_STATUS_SUCCESS;
}
