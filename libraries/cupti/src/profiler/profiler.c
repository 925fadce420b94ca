/* SPDX-License-Identifier: MIT */
/* The profiler before the range profiler: a session of a context, which functions find by the
 * context. Its images are those of the range profiler; the prefix of the counter data is an image
 * of cuptiProfilerHostGetConfigImage. A pass counts everything, so each is the last. */
#include "profiler/params.h"
#include "profiler/session.h"

#include <string.h>

CUptiResult cuptiProfilerCounterDataImageCalculateSize(
    CUpti_Profiler_CounterDataImage_CalculateSize_Params *pParams)
{
    const CUpti_Profiler_CounterDataImageOptions *options;

    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_Profiler_CounterDataImage_CalculateSize_Params) ||
        !pParams->pOptions)
        return CUPTI_ERROR_INVALID_PARAMETER;
    options = pParams->pOptions;
    if (!config_image_is_valid(options->pCounterDataPrefix, options->counterDataPrefixSize))
        return CUPTI_ERROR_INVALID_PARAMETER;
    pParams->counterDataImageSize = counter_data_bytes(options->maxNumRanges);
    return CUPTI_SUCCESS;
}

/* The session tells how many multiprocessors there are, when the image is given to it. */
CUptiResult
cuptiProfilerCounterDataImageInitialize(CUpti_Profiler_CounterDataImage_Initialize_Params *pParams)
{
    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_Profiler_CounterDataImage_Initialize_Params) ||
        !pParams->pOptions || !pParams->pCounterDataImage ||
        pParams->counterDataImageSize < counter_data_bytes(pParams->pOptions->maxNumRanges))
        return CUPTI_ERROR_INVALID_PARAMETER;
    counter_data_make(pParams->pCounterDataImage,
                      counter_data_bytes(pParams->pOptions->maxNumRanges), 0);
    return CUPTI_SUCCESS;
}

/* No scratch memory is needed, and none of size 0 is asked for. */
enum { SCRATCH_BYTES = 8 };

CUptiResult cuptiProfilerCounterDataImageCalculateScratchBufferSize(
    CUpti_Profiler_CounterDataImage_CalculateScratchBufferSize_Params *pParams)
{
    if (!PROFILER_PARAMS_GIVEN(pParams,
                               CUpti_Profiler_CounterDataImage_CalculateScratchBufferSize_Params) ||
        !counter_data_is_valid(pParams->pCounterDataImage, pParams->counterDataImageSize))
        return CUPTI_ERROR_INVALID_PARAMETER;
    pParams->counterDataScratchBufferSize = SCRATCH_BYTES;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerCounterDataImageInitializeScratchBuffer(
    CUpti_Profiler_CounterDataImage_InitializeScratchBuffer_Params *pParams)
{
    if (!PROFILER_PARAMS_GIVEN(pParams,
                               CUpti_Profiler_CounterDataImage_InitializeScratchBuffer_Params) ||
        !counter_data_is_valid(pParams->pCounterDataImage, pParams->counterDataImageSize) ||
        !pParams->pCounterDataScratchBuffer ||
        pParams->counterDataScratchBufferSize < SCRATCH_BYTES)
        return CUPTI_ERROR_INVALID_PARAMETER;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerBeginSession(CUpti_Profiler_BeginSession_Params *pParams)
{
    struct session *session;
    CUptiResult result;
    CUcontext context;

    if (!PROFILER_PARAMS_GIVEN(pParams, CUpti_Profiler_BeginSession_Params) ||
        !counter_data_is_valid(pParams->pCounterDataImage, pParams->counterDataImageSize) ||
        !session_is_mode(pParams->range, pParams->replayMode))
        return CUPTI_ERROR_INVALID_PARAMETER;
    context = session_context(pParams->ctx);
    if (!context)
        return CUPTI_ERROR_INVALID_CONTEXT;
    if (session_of(context))
        return CUPTI_ERROR_INVALID_OPERATION;
    result = session_create(context, &session);
    if (result != CUPTI_SUCCESS)
        return result;
    counter_data_set_multiprocessors(pParams->pCounterDataImage, session_multiprocessors(session));
    session_prepare(session,
                    &(struct session_config){.range = pParams->range,
                                             .replay = pParams->replayMode,
                                             .ranges_max = pParams->maxRangesPerPass,
                                             .image = pParams->pCounterDataImage,
                                             .image_bytes = pParams->counterDataImageSize});
    return CUPTI_SUCCESS;
}

/* The session of the context that a call names. */
#define FIND_SESSION(pParams, type, session)                                                       \
    (!PROFILER_PARAMS_GIVEN(pParams, type)      ? CUPTI_ERROR_INVALID_PARAMETER                    \
     : ((session) = session_of((pParams)->ctx)) ? CUPTI_SUCCESS                                    \
                                                : CUPTI_ERROR_INVALID_OPERATION)

CUptiResult cuptiProfilerEndSession(CUpti_Profiler_EndSession_Params *pParams)
{
    struct session *session;
    CUptiResult result = FIND_SESSION(pParams, CUpti_Profiler_EndSession_Params, session);

    if (result == CUPTI_SUCCESS)
        session_destroy(session);
    return result;
}

CUptiResult cuptiProfilerSetConfig(CUpti_Profiler_SetConfig_Params *pParams)
{
    struct session *session;
    CUptiResult result = FIND_SESSION(pParams, CUpti_Profiler_SetConfig_Params, session);

    if (result != CUPTI_SUCCESS)
        return result;
    if (!config_image_is_valid(pParams->pConfig, pParams->configSize))
        return CUPTI_ERROR_INVALID_PARAMETER;
    struct session_config config = session_prepared(session);
    config.levels = pParams->numNestingLevels;
    return session_configure(session, &config);
}

CUptiResult cuptiProfilerUnsetConfig(CUpti_Profiler_UnsetConfig_Params *pParams)
{
    struct session *session;
    CUptiResult result = FIND_SESSION(pParams, CUpti_Profiler_UnsetConfig_Params, session);

    return result == CUPTI_SUCCESS ? session_unconfigure(session) : result;
}

CUptiResult cuptiProfilerBeginPass(CUpti_Profiler_BeginPass_Params *pParams)
{
    struct session *session;

    return FIND_SESSION(pParams, CUpti_Profiler_BeginPass_Params, session);
}

CUptiResult cuptiProfilerEndPass(CUpti_Profiler_EndPass_Params *pParams)
{
    struct session *session;
    CUptiResult result = FIND_SESSION(pParams, CUpti_Profiler_EndPass_Params, session);

    if (result != CUPTI_SUCCESS)
        return result;
    pParams->targetNestingLevel = 1;
    pParams->passIndex = 0;
    pParams->allPassesSubmitted = 1;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerEnableProfiling(CUpti_Profiler_EnableProfiling_Params *pParams)
{
    struct session *session;
    CUptiResult result = FIND_SESSION(pParams, CUpti_Profiler_EnableProfiling_Params, session);

    return result == CUPTI_SUCCESS ? session_start(session) : result;
}

/* With replays of each kernel, counts are in the program's image as soon as kernels have ended, and
 * programs do not flush. */
CUptiResult cuptiProfilerDisableProfiling(CUpti_Profiler_DisableProfiling_Params *pParams)
{
    struct session *session;
    CUptiResult result = FIND_SESSION(pParams, CUpti_Profiler_DisableProfiling_Params, session);

    if (result == CUPTI_SUCCESS)
        result = session_stop(session);
    if (result != CUPTI_SUCCESS || session_prepared(session).replay != CUPTI_KernelReplay)
        return result;
    size_t dropped;
    return session_decode(session, &dropped);
}

CUptiResult cuptiProfilerIsPassCollected(CUpti_Profiler_IsPassCollected_Params *pParams)
{
    struct session *session;
    CUptiResult result = FIND_SESSION(pParams, CUpti_Profiler_IsPassCollected_Params, session);

    if (result != CUPTI_SUCCESS)
        return result;
    pParams->numRangesDropped = pParams->numTraceBytesDropped = 0;
    pParams->onePassCollected = pParams->allPassesCollected = 1;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerFlushCounterData(CUpti_Profiler_FlushCounterData_Params *pParams)
{
    struct session *session;
    CUptiResult result = FIND_SESSION(pParams, CUpti_Profiler_FlushCounterData_Params, session);

    if (result != CUPTI_SUCCESS)
        return result;
    pParams->numTraceBytesDropped = 0;
    return session_decode(session, &pParams->numRangesDropped);
}

/* Without a length the name ends with its terminator. */
CUptiResult cuptiProfilerPushRange(CUpti_Profiler_PushRange_Params *pParams)
{
    struct session *session;
    CUptiResult result = FIND_SESSION(pParams, CUpti_Profiler_PushRange_Params, session);

    if (result != CUPTI_SUCCESS)
        return result;
    if (!pParams->pRangeName)
        return CUPTI_ERROR_INVALID_PARAMETER;
    return session_push(session, pParams->pRangeName,
                        pParams->rangeNameLength ? pParams->rangeNameLength
                                                 : strlen(pParams->pRangeName));
}

CUptiResult cuptiProfilerPopRange(CUpti_Profiler_PopRange_Params *pParams)
{
    struct session *session;
    CUptiResult result = FIND_SESSION(pParams, CUpti_Profiler_PopRange_Params, session);

    return result == CUPTI_SUCCESS ? session_pop(session) : result;
}
