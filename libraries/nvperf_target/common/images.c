/* SPDX-License-Identifier: MIT */
/* What images tell. These functions are not told where an image ends, so the program has to give
 * one that is whole. */
#include "params.h"
#include "profiling/counter_data.h"

#include <nvperf_target.h>

NVPA_Status NVPW_CounterData_GetNumRanges(NVPW_CounterData_GetNumRanges_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_CounterData_GetNumRanges_Params) ||
        !counter_data_is_valid(pParams->pCounterDataImage, SIZE_MAX))
        return NVPA_STATUS_INVALID_ARGUMENT;
    pParams->numRanges = counter_data_count(pParams->pCounterDataImage);
    return NVPA_STATUS_SUCCESS;
}

/* `*count` becomes the number of names; so many are written as `names` has room for. */
static NVPA_Status describe(const uint8_t *image, size_t index, size_t *count, const char **names)
{
    const char *name;
    size_t levels = 0;

    if (!counter_data_is_valid(image, SIZE_MAX) || index >= counter_data_count(image))
        return NVPA_STATUS_INVALID_ARGUMENT;
    for (; (name = counter_data_level(image, index, levels)); levels++) {
        if (names && levels == *count)
            break;
        if (names)
            names[levels] = name;
    }
    *count = levels;
    return NVPA_STATUS_SUCCESS;
}

NVPA_Status
NVPW_CounterData_GetRangeDescriptions(NVPW_CounterData_GetRangeDescriptions_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_CounterData_GetRangeDescriptions_Params))
        return NVPA_STATUS_INVALID_ARGUMENT;
    return describe(pParams->pCounterDataImage, pParams->rangeIndex, &pParams->numDescriptions,
                    pParams->ppDescriptions);
}

NVPA_Status NVPW_Profiler_CounterData_GetRangeDescriptions(
    NVPW_Profiler_CounterData_GetRangeDescriptions_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_Profiler_CounterData_GetRangeDescriptions_Params))
        return NVPA_STATUS_INVALID_ARGUMENT;
    return describe(pParams->pCounterDataImage, pParams->rangeIndex, &pParams->numDescriptions,
                    pParams->ppDescriptions);
}

static bool is_config(const uint8_t *image)
{
    return image && config_image_has_head(image);
}

NVPA_Status NVPW_Config_GetNumPasses(NVPW_Config_GetNumPasses_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_Config_GetNumPasses_Params) || !is_config(pParams->pConfig))
        return NVPA_STATUS_INVALID_ARGUMENT;
    pParams->numPipelinedPasses = 1;
    pParams->numIsolatedPasses = 0;
    return NVPA_STATUS_SUCCESS;
}

NVPA_Status NVPW_Config_GetNumPasses_V2(NVPW_Config_GetNumPasses_V2_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_Config_GetNumPasses_V2_Params) || !is_config(pParams->pConfig))
        return NVPA_STATUS_INVALID_ARGUMENT;
    pParams->numPasses = 1;
    return NVPA_STATUS_SUCCESS;
}
