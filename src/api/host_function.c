/* SPDX-License-Identifier: MIT */
/* Host functions and callbacks as stream work. Their arguments are validated before the stream. */
#include "impl.h"
#include "core/error.h"
#include "graph/work_submit.h"
#include "stream/callback.h"
#include "stream/stream.h"

struct host_work {
    CUhostFn function;
    void *data;
    unsigned sync_mode;
};

static CUresult host_describe(struct CUstream_st *stream, void *work,
                              struct cup_captured_work *captured)
{
    const struct host_work *given = work;
    CUgraphNodeParams node = {
        .type = CU_GRAPH_NODE_TYPE_HOST,
        .host = {.fn = given->function, .userData = given->data, .syncMode = given->sync_mode}};

    (void)stream;
    return cup_work_node(&node, captured);
}

static CUresult host_run(struct CUstream_st *stream, void *work)
{
    const struct host_work *given = work;

    return cup_callback_submit_function(stream, given->function, given->data);
}

static const struct cup_work_type host_type = {host_describe, host_run};

CUresult impl_cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData)
{
    return impl_cuLaunchHostFunc_v2(hStream, fn, userData, CU_HOST_TASK_BLOCKING);
}

CUresult impl_cuLaunchHostFunc_v2(CUstream hStream, CUhostFn fn, void *userData,
                                  unsigned int syncMode)
{
    struct host_work work = {fn, userData, syncMode};
    struct CUstream_st *stream;

    if (!fn)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the host function is NULL");
    CUresult result = cup_callback_check_mode(syncMode);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_stream_find(hStream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_work_submit(stream, &host_type, &work);
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
