/* SPDX-License-Identifier: MIT */
/* Properties of metrics: descriptions, the parts of a GPU that count, dimensions. */
#include "evaluator.h"

#include <string.h>

struct unit {
    uint32_t number;
    const char *singular, *plural;
};
#define HW_UNIT(name, value, text) {value, text, text},
#define DIM_UNIT(name, value, singular, plural)
static const struct unit hw_units[] = {
#include <nvperf_units.def>
};
#undef HW_UNIT
#undef DIM_UNIT
#define HW_UNIT(name, value, text)
#define DIM_UNIT(name, value, singular, plural) {value, singular, plural},
static const struct unit dim_units[] = {
#include <nvperf_units.def>
};
#undef HW_UNIT
#undef DIM_UNIT
#define COUNT(units) (sizeof(units) / sizeof(*(units)))

static const struct unit *find(const struct unit *units, size_t count, uint32_t number)
{
    for (size_t i = 0; i < count; i++)
        if (units[i].number == number)
            return &units[i];
    return NULL;
}

/* The unit whose text is the first `length` characters. */
static const struct unit *find_text(const struct unit *units, size_t count, const char *text,
                                    size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(units[i].singular) == length && memcmp(units[i].singular, text, length) == 0)
            return &units[i];
    return NULL;
}

static uint32_t hw_unit_of(const struct metric *metric)
{
    const char *name = metric_unit_name(metric);

    return find_text(hw_units, COUNT(hw_units), name, strlen(name))->number;
}

NVPA_Status
NVPW_MetricsEvaluator_HwUnitToString(NVPW_MetricsEvaluator_HwUnitToString_Params *pParams)
{
    const struct unit *unit;

    if (!PARAMS_GIVEN(pParams, NVPW_MetricsEvaluator_HwUnitToString_Params) ||
        !evaluator_is_live(pParams->pMetricsEvaluator))
        return NVPA_STATUS_INVALID_ARGUMENT;
    unit = find(hw_units, COUNT(hw_units), pParams->hwUnit);
    if (!unit)
        return NVPA_STATUS_INVALID_ARGUMENT;
    pParams->pHwUnitName = unit->singular;
    return NVPA_STATUS_SUCCESS;
}

NVPA_Status
NVPW_MetricsEvaluator_DimUnitToString(NVPW_MetricsEvaluator_DimUnitToString_Params *pParams)
{
    const struct unit *unit;

    if (!PARAMS_GIVEN(pParams, NVPW_MetricsEvaluator_DimUnitToString_Params) ||
        !evaluator_is_live(pParams->pMetricsEvaluator))
        return NVPA_STATUS_INVALID_ARGUMENT;
    unit = find(dim_units, COUNT(dim_units), pParams->dimUnit);
    if (!unit)
        return NVPA_STATUS_INVALID_ARGUMENT;
    pParams->pSingularName = unit->singular;
    pParams->pPluralName = unit->plural;
    return NVPA_STATUS_SUCCESS;
}

NVPA_Status NVPW_MetricsEvaluator_GetCounterProperties(
    NVPW_MetricsEvaluator_GetCounterProperties_Params *pParams)
{
    const struct metric *metric;

    if (!PARAMS_GIVEN(pParams, NVPW_MetricsEvaluator_GetCounterProperties_Params) ||
        !evaluator_is_live(pParams->pMetricsEvaluator))
        return NVPA_STATUS_INVALID_ARGUMENT;
    metric = evaluator_metric(NVPW_METRIC_TYPE_COUNTER, pParams->counterIndex);
    if (!metric)
        return NVPA_STATUS_INVALID_ARGUMENT;
    pParams->pDescription = metric->description;
    pParams->hwUnit = hw_unit_of(metric);
    return NVPA_STATUS_SUCCESS;
}

NVPA_Status NVPW_MetricsEvaluator_GetRatioMetricProperties(
    NVPW_MetricsEvaluator_GetRatioMetricProperties_Params *pParams)
{
    const struct metric *metric;

    if (!PARAMS_GIVEN(pParams, NVPW_MetricsEvaluator_GetRatioMetricProperties_Params) ||
        !evaluator_is_live(pParams->pMetricsEvaluator))
        return NVPA_STATUS_INVALID_ARGUMENT;
    metric = evaluator_metric(NVPW_METRIC_TYPE_RATIO, pParams->ratioMetricIndex);
    if (!metric)
        return NVPA_STATUS_INVALID_ARGUMENT;
    pParams->pDescription = metric->description;
    pParams->hwUnit = hw_unit_of(metric);
    return NVPA_STATUS_SUCCESS;
}

/* There is no throughput, so each number is too large. */
NVPA_Status NVPW_MetricsEvaluator_GetThroughputMetricProperties(
    NVPW_MetricsEvaluator_GetThroughputMetricProperties_Params *pParams)
{
    (void)pParams;
    return NVPA_STATUS_INVALID_ARGUMENT;
}

NVPA_Status NVPW_MetricsEvaluator_GetSupportedSubmetrics(
    NVPW_MetricsEvaluator_GetSupportedSubmetrics_Params *pParams)
{
    static const uint16_t of_counters[] = {NVPW_SUBMETRIC_NONE};
    static const uint16_t of_ratios[] = {NVPW_SUBMETRIC_MAX_RATE, NVPW_SUBMETRIC_PCT,
                                         NVPW_SUBMETRIC_RATIO};
    static const struct {
        const uint16_t *list;
        size_t count;
    } submetrics[NVPW_METRIC_TYPE__COUNT] = {
        [NVPW_METRIC_TYPE_COUNTER] = {of_counters, COUNT(of_counters)},
        [NVPW_METRIC_TYPE_RATIO] = {of_ratios, COUNT(of_ratios)},
    };

    if (!PARAMS_GIVEN(pParams, NVPW_MetricsEvaluator_GetSupportedSubmetrics_Params) ||
        !evaluator_is_live(pParams->pMetricsEvaluator) ||
        pParams->metricType >= NVPW_METRIC_TYPE__COUNT)
        return NVPA_STATUS_INVALID_ARGUMENT;
    pParams->pSupportedSubmetrics = submetrics[pParams->metricType].list;
    pParams->numSupportedSubmetrics = submetrics[pParams->metricType].count;
    return NVPA_STATUS_SUCCESS;
}

enum { FACTORS_MAX = 2 };

/* A dimension is a unit, or one divided by another. Returns how many factors it has. */
static size_t factors_of(const struct metric *metric, enum metric_form form,
                         NVPW_DimUnitFactor *factors)
{
    const char *text = metric->dimension;
    size_t count = 0;

    if (form == FORM_PCT) {
        factors[0] = (NVPW_DimUnitFactor){NVPW_DIM_UNIT_PERCENT, 1};
        return 1;
    }
    while (*text && count < FACTORS_MAX) {
        size_t length = strcspn(text, "/");
        const struct unit *unit = find_text(dim_units, COUNT(dim_units), text, length);

        if (unit)
            factors[count++] =
                (NVPW_DimUnitFactor){unit->number, text == metric->dimension ? 1 : -1};
        text += length + (text[length] == '/');
    }
    return count;
}

/* Without an array it tells how many factors there are. */
NVPA_Status
NVPW_MetricsEvaluator_GetMetricDimUnits(NVPW_MetricsEvaluator_GetMetricDimUnits_Params *pParams)
{
    NVPW_DimUnitFactor factors[FACTORS_MAX];
    const struct metric *metric;
    enum metric_form form;
    size_t count;

    if (!PARAMS_GIVEN(pParams, NVPW_MetricsEvaluator_GetMetricDimUnits_Params) ||
        !evaluator_is_live(pParams->pMetricsEvaluator) || !pParams->pMetricEvalRequest ||
        pParams->metricEvalRequestStructSize < NVPW_MetricEvalRequest_STRUCT_SIZE ||
        pParams->dimUnitFactorStructSize < NVPW_DimUnitFactor_STRUCT_SIZE ||
        !evaluator_read(pParams->pMetricEvalRequest, &metric, &form))
        return NVPA_STATUS_INVALID_ARGUMENT;
    count = factors_of(metric, form, factors);
    if (pParams->pDimUnits) {
        if (count > pParams->numDimUnits)
            count = pParams->numDimUnits;
        memcpy(pParams->pDimUnits, factors, count * sizeof(*factors));
    }
    pParams->numDimUnits = count;
    return NVPA_STATUS_SUCCESS;
}
