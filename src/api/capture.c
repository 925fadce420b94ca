/* SPDX-License-Identifier: MIT */
/* Stream capture. The outputs, the mode and the graph are validated before the stream. */
#include "impl.h"
#include "core/call.h"
#include "core/error.h"
#include "core/precondition.h"
#include "core/thread.h"
#include "graph/capture.h"
#include "graph/capture_state.h"
#include "os/guard.h"
#include "stream/stream.h"

static bool mode_valid(CUstreamCaptureMode mode)
{
    return mode == CU_STREAM_CAPTURE_MODE_GLOBAL || mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL ||
           mode == CU_STREAM_CAPTURE_MODE_RELAXED;
}

CUresult impl_cuStreamBeginCapture(CUstream hStream)
{
    return impl_cuStreamBeginCapture_v2(hStream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

CUresult impl_cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode)
{
    struct CUstream_st *stream;

    if (!mode_valid(mode))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid capture mode %d", (int)mode);
    CUresult result = cup_stream_find(hStream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_capture_begin(stream, mode, NULL, NULL, NULL, 0);
    cup_stream_unref(stream);
    return result;
}

/* The stream and the graph of a capture into that graph, with a reference each. */
static CUresult find_target(CUstream hStream, CUgraph hGraph, CUstreamCaptureMode mode,
                            struct CUstream_st **stream, struct CUgraph_st **graph)
{
    if (!mode_valid(mode))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid capture mode %d", (int)mode);
    CUresult result = cup_graph_find(hGraph, graph);
    if (result != CUDA_SUCCESS)
        return result;
    result = cup_stream_find(hStream, stream);
    if (result != CUDA_SUCCESS)
        cup_graph_unref(*graph);
    return result;
}

CUresult impl_cuStreamBeginCaptureToGraph(CUstream hStream, CUgraph hGraph,
                                          const CUgraphNode *dependencies,
                                          const CUgraphEdgeData *dependencyData,
                                          size_t numDependencies, CUstreamCaptureMode mode)
{
    struct CUstream_st *stream;
    struct CUgraph_st *graph;
    CUresult result = find_target(hStream, hGraph, mode, &stream, &graph);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_capture_begin(stream, mode, graph, dependencies, dependencyData, numDependencies);
    cup_stream_unref(stream);
    cup_graph_unref(graph);
    return result;
}

CUresult impl_cuStreamBeginRecaptureToGraph(CUstream hStream, CUstreamCaptureMode mode,
                                            CUgraph hGraph, CUgraphRecaptureCallback callbackFunc,
                                            void *userData)
{
    struct CUstream_st *stream;
    struct CUgraph_st *graph;
    CUresult result = find_target(hStream, hGraph, mode, &stream, &graph);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_recapture_begin(stream, mode, graph, callbackFunc, userData);
    cup_stream_unref(stream);
    cup_graph_unref(graph);
    return result;
}

/* Captures into command lists of Direct3D 12, which does not exist on Linux. The device attribute
 * D3D12_CIG_STREAMS_SUPPORTED is 0, and no context can be created for it. */
CUresult impl_cuStreamBeginCaptureToCig(CUstream hStream,
                                        CUstreamCigCaptureParams *streamCigCaptureParams)
{
    CUstreamCigParam given;
    struct CUstream_st *stream;

    if (!streamCigCaptureParams || !streamCigCaptureParams->streamCigParams ||
        !cup_guard_copy(&given, streamCigCaptureParams->streamCigParams, sizeof(given)))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no parameters of the graphics API");
    if (given.streamSharedDataType != STREAM_CIG_DATA_TYPE_D3D12_COMMAND_LIST ||
        !given.streamSharedData)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "type %d at %p is not a command list",
                         (int)given.streamSharedDataType, given.streamSharedData);
    CUresult result = cup_stream_find(hStream, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    cup_stream_unref(stream);
    return cup_error(CUDA_ERROR_NOT_SUPPORTED,
                     "the device cannot capture into Direct3D 12 command lists");
}

/* No stream is ever in such a capture. */
CUresult impl_cuStreamEndCaptureToCig(CUstream hStream)
{
    struct CUstream_st *stream;
    CUresult result = cup_stream_find(hStream, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    cup_stream_unref(stream);
    return cup_error(CUDA_ERROR_INVALID_VALUE, "the stream does not capture into a command list");
}

/* If the output is NULL the application gets no handle of the graph, but the capture still ends. */
CUresult impl_cuStreamEndCapture(CUstream hStream, CUgraph *phGraph)
{
    struct CUstream_st *stream;
    struct CUgraph_st *graph;
    CUresult result = cup_stream_find(hStream, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_capture_end(stream, &graph);
    if (phGraph)
        *phGraph = graph;
    cup_stream_unref(stream);
    return result;
}

/* A query of the legacy stream fails while the stream cannot be used, but invalidates no capture.
 * The outputs are validated even before cuInit, so the check for cuInit is here. */
static CUresult ask(CUstream handle, struct cup_capture_info *info)
{
    struct CUstream_st *stream;
    CUresult result = cup_precondition_handle();

    if (result != CUDA_SUCCESS)
        return result;
    if ((!handle || handle == CU_STREAM_LEGACY) && cup_context_current() &&
        (cup_call_hooks_load() & CUP_HOOK_CAPTURE))
        result = cup_capture_ask_legacy(cup_context_current());
    if (result == CUDA_SUCCESS)
        result = cup_stream_find(handle, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    cup_capture_get_info(stream, info);
    cup_stream_unref(stream);
    return CUDA_SUCCESS;
}

CUresult impl_cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus)
{
    return impl_cuStreamGetCaptureInfo(hStream, captureStatus, NULL);
}

CUresult impl_cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                     cuuint64_t *id_out)
{
    return impl_cuStreamGetCaptureInfo_v3(hStream, captureStatus_out, id_out, NULL, NULL, NULL,
                                          NULL);
}

CUresult impl_cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                        cuuint64_t *id_out, CUgraph *graph_out,
                                        const CUgraphNode **dependencies_out,
                                        size_t *numDependencies_out)
{
    return impl_cuStreamGetCaptureInfo_v3(hStream, captureStatus_out, id_out, graph_out,
                                          dependencies_out, NULL, numDependencies_out);
}

/* Outputs are written one after the other, up to what is refused: edges without dependencies, and
 * dependencies whose edges have data that is not requested. */
CUresult impl_cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                        cuuint64_t *id_out, CUgraph *graph_out,
                                        const CUgraphNode **dependencies_out,
                                        const CUgraphEdgeData **edgeData_out,
                                        size_t *numDependencies_out)
{
    struct cup_capture_info info;

    if (!captureStatus_out)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the status is NULL");
    CUresult result = ask(hStream, &info);
    if (result != CUDA_SUCCESS)
        return result;
    *captureStatus_out = info.status;
    if (info.status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
        return CUDA_SUCCESS;
    if (id_out)
        *id_out = info.id;
    if (graph_out)
        *graph_out = info.graph;
    if (edgeData_out && !dependencies_out)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the dependencies is NULL");
    if (dependencies_out)
        *dependencies_out = info.nodes;
    if (info.has_edge_data && dependencies_out && !edgeData_out)
        return cup_error(CUDA_ERROR_LOSSY_QUERY,
                         "dependencies have edge data, and the pointer for it is NULL");
    if (edgeData_out)
        *edgeData_out = info.edges;
    if (numDependencies_out)
        *numDependencies_out = info.count;
    return CUDA_SUCCESS;
}

CUresult impl_cuStreamUpdateCaptureDependencies(CUstream hStream, CUgraphNode *dependencies,
                                                size_t numDependencies, unsigned int flags)
{
    return impl_cuStreamUpdateCaptureDependencies_v2(hStream, dependencies, NULL, numDependencies,
                                                     flags);
}

CUresult impl_cuStreamUpdateCaptureDependencies_v2(CUstream hStream, CUgraphNode *dependencies,
                                                   const CUgraphEdgeData *dependencyData,
                                                   size_t numDependencies, unsigned int flags)
{
    struct CUstream_st *stream;
    CUresult result = cup_stream_find(hStream, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    if (flags != CU_STREAM_ADD_CAPTURE_DEPENDENCIES && flags != CU_STREAM_SET_CAPTURE_DEPENDENCIES)
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "invalid update flags 0x%x", flags);
    else
        result = cup_capture_update(stream, dependencies, dependencyData, numDependencies,
                                    flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES);
    cup_stream_unref(stream);
    return result;
}

/* Accepts any mode, as NVIDIA's driver does; an unknown mode forbids nothing. */
CUresult impl_cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    struct cup_capture_thread *self = cup_thread_capture(cup_thread_self());

    if (!mode)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the mode is NULL");
    CUstreamCaptureMode before = (CUstreamCaptureMode)self->mode;
    self->mode = (int)*mode;
    *mode = before;
    return CUDA_SUCCESS;
}
