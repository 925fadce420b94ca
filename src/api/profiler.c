/* SPDX-License-Identifier: MIT */
/* Start and stop of the profiler are marks in the trace (CUPIPE_TRACE). They need not be paired.
 * With CUPIPE_CAPTURE_RANGE=profiler they turn the trace and the profile on and off. */
#include "impl.h"
#include "core/collection.h"
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
static CUresult check_context(void)
{
    struct CUctx_st *context = cup_context_current();

    if (!context)
        return cup_error(CUDA_ERROR_INVALID_CONTEXT, "no context is current");
    if (!context->is_primary || cup_context_is_live(context)) {
        CUresult result = cup_context_usable(context);
        if (result != CUDA_SUCCESS)
            return result;
    }
    return CUDA_SUCCESS;
}

/* Work belongs to the range in which it was submitted, so both ends wait for the work before. What
 * failed is reported by the calls that report it anyway. */
static void set_collection(bool on)
{
    struct CUctx_st *context = cup_context_current();

    if (!cup_collection_is_ranged() || on == cup_collection_is_on())
        return;
    if (cup_context_is_live(context))
        cup_context_synchronize(context);
    cup_collection_set(on);
}

CUresult impl_cuProfilerStart(void)
{
    CUresult result = check_context();

    if (result != CUDA_SUCCESS)
        return result;
    set_collection(true);
    cup_trace_mark("profiler start");
    return CUDA_SUCCESS;
}

CUresult impl_cuProfilerStop(void)
{
    CUresult result = check_context();

    if (result != CUDA_SUCCESS)
        return result;
    cup_trace_mark("profiler stop");
    set_collection(false);
    return CUDA_SUCCESS;
}
