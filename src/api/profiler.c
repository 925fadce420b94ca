/* SPDX-License-Identifier: MIT */
/* Start and stop of the profiler are marks in the trace (CUPIPE_TRACE). They need not be paired. */
#include "impl.h"
#include "core/error.h"
#include "core/trace.h"
#include "device/context.h"

/* CUDA 12 removed the profiler that this configured. */
CUresult impl_cuProfilerInitialize(const char *configFile, const char *outputFile,
                                   CUoutput_mode outputMode)
{
    (void)configFile;
    (void)outputFile;
    return cup_error(CUDA_ERROR_NOT_SUPPORTED, "there is no profiler to initialise (mode %d)",
                     (int)outputMode);
}

/* A primary context that was reset or released is accepted, a destroyed context is not. */
static CUresult mark(const char *name)
{
    struct CUctx_st *context = cup_context_current();

    if (!context)
        return cup_error(CUDA_ERROR_INVALID_CONTEXT, "no context is current");
    if (!context->is_primary || cup_context_is_live(context)) {
        CUresult result = cup_context_usable(context);
        if (result != CUDA_SUCCESS)
            return result;
    }
    cup_trace_mark(name);
    return CUDA_SUCCESS;
}

CUresult impl_cuProfilerStart(void)
{
    return mark("profiler start");
}

CUresult impl_cuProfilerStop(void)
{
    return mark("profiler stop");
}
