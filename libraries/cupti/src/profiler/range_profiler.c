/* SPDX-License-Identifier: MIT */
/* The range profiler: a session and the program's image. */
#include "profiler/params.h"
#include "profiler/session.h"

#include <cupti_range_profiler.h>
#include <string.h>

/* The program's handle is the session. NULL: it is none. */
static struct session *session_from(CUpti_RangeProfiler_Object *object)
{
    struct session *session = (struct session *)object;

    return session_is_live(session) ? session : NULL;
}

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params *pParams)
{
    struct session *made;
    CUptiResult result;

    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_RangeProfiler_Enable_Params))
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (!pParams->ctx)
        return CUPTI_ERROR_INVALID_OPERATION;
    result = session_create(pParams->ctx, &made);
    if (result == CUPTI_SUCCESS)
        pParams->pRangeProfilerObject = (CUpti_RangeProfiler_Object *)made;
    return result;
}

CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params *pParams)
{
    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_RangeProfiler_Disable_Params) ||
        !session_from(pParams->pRangeProfilerObject))
        return CUPTI_ERROR_INVALID_PARAMETER;
    session_destroy(session_from(pParams->pRangeProfilerObject));
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params *pParams)
{
    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_RangeProfiler_SetConfig_Params) ||
        !session_from(pParams->pRangeProfilerObject) ||
        !config_image_is_valid(pParams->pConfig, pParams->configSize) ||
        !counter_data_is_valid(pParams->pCounterDataImage, pParams->counterDataImageSize) ||
        !session_is_mode(pParams->range, pParams->replayMode))
        return CUPTI_ERROR_INVALID_PARAMETER;
    return session_configure(
        session_from(pParams->pRangeProfilerObject),
        &(struct session_config){.range = pParams->range,
                                 .ranges_max = pParams->maxRangesPerPass,
                                 .levels = pParams->numNestingLevels,
                                 .image = pParams->pCounterDataImage,
                                 .image_bytes = pParams->counterDataImageSize});
}

CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params *pParams)
{
    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_RangeProfiler_Start_Params) ||
        !session_from(pParams->pRangeProfilerObject))
        return CUPTI_ERROR_INVALID_PARAMETER;
    return session_start(session_from(pParams->pRangeProfilerObject));
}

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params *pParams)
{
    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_RangeProfiler_Stop_Params) ||
        !session_from(pParams->pRangeProfilerObject))
        return CUPTI_ERROR_INVALID_PARAMETER;
    CUptiResult result = session_stop(session_from(pParams->pRangeProfilerObject));
    if (result == CUPTI_SUCCESS) {
        pParams->passIndex = 0;
        pParams->targetNestingLevel = 1;
        pParams->isAllPassSubmitted = 1;
    }
    return result;
}

CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params *pParams)
{
    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_RangeProfiler_PushRange_Params) ||
        !session_from(pParams->pRangeProfilerObject) || !pParams->pRangeName)
        return CUPTI_ERROR_INVALID_PARAMETER;
    return session_push(session_from(pParams->pRangeProfilerObject), pParams->pRangeName,
                        strlen(pParams->pRangeName));
}

CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params *pParams)
{
    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_RangeProfiler_PopRange_Params) ||
        !session_from(pParams->pRangeProfilerObject))
        return CUPTI_ERROR_INVALID_PARAMETER;
    return session_pop(session_from(pParams->pRangeProfilerObject));
}

CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params *pParams)
{
    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_RangeProfiler_DecodeData_Params) ||
        !session_from(pParams->pRangeProfilerObject))
        return CUPTI_ERROR_INVALID_PARAMETER;
    return session_decode(session_from(pParams->pRangeProfilerObject), &pParams->numOfRangeDropped);
}

CUptiResult
cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params *pParams)
{
    const struct metric *metric;
    enum metric_form form;

    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_RangeProfiler_GetCounterDataSize_Params) ||
        !session_from(pParams->pRangeProfilerObject) || !pParams->pMetricNames ||
        pParams->numMetrics == 0)
        return CUPTI_ERROR_INVALID_PARAMETER;
    for (size_t i = 0; i < pParams->numMetrics; i++)
        if (metric_parse(pParams->pMetricNames[i], &metric, &form) != CUPTI_SUCCESS)
            return CUPTI_ERROR_INVALID_PARAMETER;
    pParams->counterDataSize = counter_data_bytes(pParams->maxNumOfRanges);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params *pParams)
{
    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_RangeProfiler_CounterDataImage_Initialize_Params) ||
        !session_from(pParams->pRangeProfilerObject) || !pParams->pCounterData)
        return CUPTI_ERROR_INVALID_PARAMETER;
    const struct session *session = session_from(pParams->pRangeProfilerObject);
    return counter_data_make(pParams->pCounterData, pParams->counterDataSize,
                             session_multiprocessors(session))
               ? CUPTI_SUCCESS
               : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult
cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params *pParams)
{
    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_RangeProfiler_GetCounterDataInfo_Params) ||
        !counter_data_is_valid(pParams->pCounterDataImage, pParams->counterDataImageSize))
        return CUPTI_ERROR_INVALID_PARAMETER;
    pParams->numTotalRanges = counter_data_count(pParams->pCounterDataImage);
    return CUPTI_SUCCESS;
}
