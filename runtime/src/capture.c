/* SPDX-License-Identifier: MIT */
/* Stream capture. */
#include "context.h"
#include "driver.h"
#include "runtime_impl.h"

#include <stdint.h>

cudaError_t impl_cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    return rt_result(rt_driver.cuStreamBeginCapture_v2(stream, (CUstreamCaptureMode)mode));
}

cudaError_t impl_cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                               const cudaGraphNode_t *dependencies,
                                               const cudaGraphEdgeData *dependencyData,
                                               size_t numDependencies,
                                               enum cudaStreamCaptureMode mode)
{
    return rt_result(rt_driver.cuStreamBeginCaptureToGraph(
        stream, graph, dependencies, (const CUgraphEdgeData *)(const void *)dependencyData,
        numDependencies, (CUstreamCaptureMode)mode));
}

cudaError_t impl_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph)
{
    return rt_result(rt_driver.cuStreamEndCapture(stream, pGraph));
}

cudaError_t impl_cudaStreamIsCapturing(cudaStream_t stream,
                                       enum cudaStreamCaptureStatus *pCaptureStatus)
{
    return rt_result(
        rt_driver.cuStreamIsCapturing(stream, (CUstreamCaptureStatus *)(void *)pCaptureStatus));
}

cudaError_t impl_cudaStreamGetCaptureInfo(cudaStream_t stream,
                                          enum cudaStreamCaptureStatus *captureStatus_out,
                                          unsigned long long *id_out, cudaGraph_t *graph_out,
                                          const cudaGraphNode_t **dependencies_out,
                                          const cudaGraphEdgeData **edgeData_out,
                                          size_t *numDependencies_out)
{
    return rt_result(rt_driver.cuStreamGetCaptureInfo_v3(
        stream, (CUstreamCaptureStatus *)(void *)captureStatus_out, (cuuint64_t *)(void *)id_out,
        graph_out, dependencies_out, (const CUgraphEdgeData **)(const void *)edgeData_out,
        numDependencies_out));
}

cudaError_t impl_cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                     cudaGraphNode_t *dependencies,
                                                     const cudaGraphEdgeData *dependencyData,
                                                     size_t numDependencies, unsigned int flags)
{
    return rt_result(rt_driver.cuStreamUpdateCaptureDependencies_v2(
        stream, dependencies, (const CUgraphEdgeData *)(const void *)dependencyData,
        numDependencies, flags));
}

cudaError_t impl_cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    cudaError_t result;

    if (!mode)
        return cudaErrorInvalidValue;
    result = rt_context_bind();
    return result == cudaSuccess ? rt_result(rt_driver.cuThreadExchangeStreamCaptureMode(
                                       (CUstreamCaptureMode *)(void *)mode))
                                 : result;
}
