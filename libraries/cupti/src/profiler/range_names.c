/* SPDX-License-Identifier: MIT */
/* The names of ranges in an image: those of their levels, with the program's delimiter between
 * them. */
#include "profiling/counter_data.h"
#include "profiler/params.h"
#include "tool.h"

#include <cupti_range_profiler.h>
#include <string.h>

enum { JOINED_BYTES = 4096 };

/* The text stays valid as long as the process. */
static CUptiResult name_of(const uint8_t *image, size_t bytes, size_t index, const char *delimiter,
                           const char **name)
{
    struct counted_range range;
    char joined[JOINED_BYTES] = "";

    if (!counter_data_is_valid(image, bytes) || index >= counter_data_count(image) || !delimiter ||
        strlen(delimiter) > 64)
        return CUPTI_ERROR_INVALID_PARAMETER;
    counter_data_read(image, index, &range);
    const char *level = range.name;
    for (uint64_t i = 0; i < range.levels; i++, level += strlen(level) + 1) {
        if (i > 0)
            strncat(joined, delimiter, JOINED_BYTES - strlen(joined) - 1);
        strncat(joined, level, JOINED_BYTES - strlen(joined) - 1);
    }
    *name = tool_text(joined);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetRangeName(CUpti_Profiler_Host_GetRangeName_Params *pParams)
{
    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_Profiler_Host_GetRangeName_Params))
        return CUPTI_ERROR_INVALID_PARAMETER;
    return name_of(pParams->pCounterDataImage, pParams->counterDataImageSize, pParams->rangeIndex,
                   pParams->delimiter, &pParams->pRangeName);
}

CUptiResult cuptiRangeProfilerCounterDataGetRangeInfo(
    CUpti_RangeProfiler_CounterData_GetRangeInfo_Params *pParams)
{
    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_RangeProfiler_CounterData_GetRangeInfo_Params))
        return CUPTI_ERROR_INVALID_PARAMETER;
    return name_of(pParams->pCounterDataImage, pParams->counterDataImageSize, pParams->rangeIndex,
                   pParams->rangeDelimiter, &pParams->rangeName);
}
