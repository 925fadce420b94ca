/* SPDX-License-Identifier: MIT */
/* Host functions and callbacks as stream work. Their arguments are validated before the stream. */
#include "impl.h"
#include "core/error.h"
#include "graph/capture.h"
#include "stream/callback.h"
#include "stream/stream.h"

CUresult impl_cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData)
{
    return impl_cuLaunchHostFunc_v2(hStream, fn, userData, CU_HOST_TASK_BLOCKING);
}

CUresult impl_cuLaunchHostFunc_v2(CUstream hStream, CUhostFn fn, void *userData,
                                  unsigned int syncMode)
{
    struct CUstream_st *stream;

    if (!fn)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the host function is NULL");
    CUresult result = cup_callback_check_mode(syncMode);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_stream_find(hStream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    result = CUP_STREAM_NOT_CAPTURING;
    if (cup_stream_is_capturing(stream)) {
        CUgraphNodeParams node = {.type = CU_GRAPH_NODE_TYPE_HOST,
                                  .host = {.fn = fn, .userData = userData, .syncMode = syncMode}};
        result = cup_capture_add(stream, &node);
    }
    if (result == CUP_STREAM_NOT_CAPTURING)
        result = cup_callback_submit_function(stream, fn, userData);
    cup_stream_unref(stream);
    return result;
}

CUresult impl_cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData,
                                  unsigned int flags)
{
    struct CUstream_st *stream;

    if (!callback || flags)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the host function is NULL, or flags 0x%x are not 0", flags);
    CUresult result = cup_stream_find(hStream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_callback_submit(stream, hStream, callback, userData);
    cup_stream_unref(stream);
    return result;
}
