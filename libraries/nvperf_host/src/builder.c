/* SPDX-License-Identifier: MIT */
/* The prefix of counter data: an image of the metrics that it is to have. */
#include "objects.h"

#include <stdlib.h>

struct NVPA_CounterDataBuilder {
    struct object object;
    struct metric_list metrics;
};

static NVPA_Status create(const char *chip, const uint8_t *availability,
                          NVPA_CounterDataBuilder **builder)
{
    NVPA_Status status = check_chip(chip, availability);
    NVPA_CounterDataBuilder *made;

    if (status != NVPA_STATUS_SUCCESS)
        return status;
    made = calloc(1, sizeof(*made));
    if (!made)
        return NVPA_STATUS_OUT_OF_MEMORY;
    object_add(&made->object, OBJECT_BUILDER);
    *builder = made;
    return NVPA_STATUS_SUCCESS;
}

NVPA_Status NVPW_CounterDataBuilder_Create(NVPW_CounterDataBuilder_Create_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_CounterDataBuilder_Create_Params))
        return NVPA_STATUS_INVALID_ARGUMENT;
    return create(pParams->pChipName, NULL, &pParams->pCounterDataBuilder);
}

NVPA_Status NVPW_CUDA_CounterDataBuilder_Create(NVPW_CUDA_CounterDataBuilder_Create_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_CUDA_CounterDataBuilder_Create_Params))
        return NVPA_STATUS_INVALID_ARGUMENT;
    return create(pParams->pChipName, pParams->pCounterAvailabilityImage,
                  &pParams->pCounterDataBuilder);
}

NVPA_Status NVPW_CounterDataBuilder_Destroy(NVPW_CounterDataBuilder_Destroy_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_CounterDataBuilder_Destroy_Params) ||
        !object_remove(pParams->pCounterDataBuilder, OBJECT_BUILDER))
        return NVPA_STATUS_INVALID_ARGUMENT;
    metric_list_finish(&pParams->pCounterDataBuilder->metrics);
    free(pParams->pCounterDataBuilder);
    return NVPA_STATUS_SUCCESS;
}

NVPA_Status NVPW_CounterDataBuilder_AddMetrics(NVPW_CounterDataBuilder_AddMetrics_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_CounterDataBuilder_AddMetrics_Params) ||
        !object_is_live(pParams->pCounterDataBuilder, OBJECT_BUILDER))
        return NVPA_STATUS_INVALID_ARGUMENT;
    return metric_list_add(&pParams->pCounterDataBuilder->metrics, pParams->pRawMetricRequests,
                           pParams->numMetricRequests);
}

NVPA_Status NVPW_CounterDataBuilder_GetCounterDataPrefix(
    NVPW_CounterDataBuilder_GetCounterDataPrefix_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_CounterDataBuilder_GetCounterDataPrefix_Params) ||
        !object_is_live(pParams->pCounterDataBuilder, OBJECT_BUILDER))
        return NVPA_STATUS_INVALID_ARGUMENT;
    return metric_list_write(&pParams->pCounterDataBuilder->metrics, pParams->pBuffer,
                             pParams->bytesAllocated, &pParams->bytesCopied);
}
