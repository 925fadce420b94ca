/* SPDX-License-Identifier: MIT */
/* Stream capture. */
#include "context.h"
#include "driver.h"
#include "graph_work.h"
#include "runtime_impl.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

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

/* Recapture. The driver calls back with its own parameters of nodes, so the program's callback is
 * called through one of ours, whose data lives until the capture ends. */
struct recapture {
    struct recapture *next;
    unsigned long long stream_id;
    struct cudaGraphRecaptureCallbackData program;
};

static pthread_mutex_t recaptures_lock = PTHREAD_MUTEX_INITIALIZER;
static struct recapture *recaptures; /* guarded by recaptures_lock */
static atomic_uint recapture_count;

static CUresult CUDA_CB recapture_callback(void *data, CUgraphNode node,
                                           const CUgraphNodeParams *originalParams,
                                           const CUgraphNodeParams *recaptureParams,
                                           CUgraphRecaptureStatus status)
{
    const struct recapture *recapture = data;
    struct cudaGraphNodeParams original, replaced;
    cudaError_t result = rt_node_params_back(originalParams, &original);

    if (result == cudaSuccess)
        result = rt_node_params_back(recaptureParams, &replaced);
    if (result == cudaSuccess)
        result = recapture->program.callbackFunc(recapture->program.userData, node, &original,
                                                 &replaced, (enum cudaGraphRecaptureStatus)status);
    return (CUresult)result;
}

static void remember_recapture(struct recapture *recapture)
{
    pthread_mutex_lock(&recaptures_lock);
    recapture->next = recaptures;
    recaptures = recapture;
    atomic_fetch_add(&recapture_count, 1);
    pthread_mutex_unlock(&recaptures_lock);
}

/* After a capture on the stream was to end; it goes on if the wrong thread asked for that. */
static void forget_recapture(cudaStream_t stream)
{
    CUstreamCaptureStatus status;
    struct recapture *found = NULL;
    unsigned long long id;

    if (rt_driver.cuStreamIsCapturing(stream, &status) != CUDA_SUCCESS ||
        status != CU_STREAM_CAPTURE_STATUS_NONE ||
        rt_driver.cuStreamGetId(stream, &id) != CUDA_SUCCESS)
        return;
    pthread_mutex_lock(&recaptures_lock);
    for (struct recapture **link = &recaptures; *link; link = &(*link)->next) {
        if ((*link)->stream_id != id)
            continue;
        found = *link;
        *link = found->next;
        atomic_fetch_sub(&recapture_count, 1);
        break;
    }
    pthread_mutex_unlock(&recaptures_lock);
    free(found);
}

cudaError_t
impl_cudaStreamBeginRecaptureToGraph(cudaStream_t stream, enum cudaStreamCaptureMode mode,
                                     cudaGraph_t graph,
                                     struct cudaGraphRecaptureCallbackData *callbackData)
{
    struct recapture *recapture;
    unsigned long long stream_id;
    CUresult result;

    if (!callbackData || !callbackData->callbackFunc)
        return rt_result(rt_driver.cuStreamBeginRecaptureToGraph(stream, (CUstreamCaptureMode)mode,
                                                                 graph, NULL, NULL));
    /* The driver refuses this question while the stream captures. */
    result = rt_driver.cuStreamGetId(stream, &stream_id);
    if (result != CUDA_SUCCESS)
        return rt_result(result);
    recapture = malloc(sizeof *recapture);
    if (!recapture)
        return cudaErrorMemoryAllocation;
    recapture->program = *callbackData;
    recapture->stream_id = stream_id;
    result = rt_driver.cuStreamBeginRecaptureToGraph(stream, (CUstreamCaptureMode)mode, graph,
                                                     recapture_callback, recapture);
    if (result != CUDA_SUCCESS) {
        free(recapture);
        return rt_result(result);
    }
    remember_recapture(recapture);
    return cudaSuccess;
}

cudaError_t impl_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph)
{
    cudaError_t result = rt_result(rt_driver.cuStreamEndCapture(stream, pGraph));

    if (rt_unlikely(atomic_load_explicit(&recapture_count, memory_order_relaxed)))
        forget_recapture(stream);
    return result;
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
