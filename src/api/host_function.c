/* SPDX-License-Identifier: MIT */
/* The application's own functions as work of a stream. */
#include "bodies.h"
#include "core/error.h"
#include "stream/callback.h"
#include "stream/stream.h"

CUresult body_cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData)
{
    struct CUstream_st *stream;
    CUresult result = cup_stream_find(hStream, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    if (fn)
        result = cup_callback_submit_function(stream, fn, userData);
    else
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "no function to call");
    cup_stream_unref(stream);
    return result;
}

CUresult body_cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData,
                                  unsigned int flags)
{
    struct CUstream_st *stream;
    CUresult result = cup_stream_find(hStream, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    if (callback && flags == 0)
        result = cup_callback_submit(stream, hStream, callback, userData);
    else
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "no function to call, or flags");
    cup_stream_unref(stream);
    return result;
}
