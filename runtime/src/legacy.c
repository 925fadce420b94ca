/* SPDX-License-Identifier: MIT */
/* The functions that only libcudart.so.12 has: older forms, implemented by the current ones. */
#include "context.h"
#include "driver.h"
#include "properties.h"
#include "registry.h"
#include "runtime_impl.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static cudaError_t properties(struct cudaDeviceProp_v12 *prop, int device, size_t bytes)
{
    struct cudaDeviceProp_v12 found;
    CUdevice handle;
    cudaError_t result;

    if (!prop)
        return cudaErrorInvalidValue;
    result = rt_result(rt_driver.cuDeviceGet(&handle, device));
    if (result == cudaSuccess)
        result = rt_properties_read_v12(handle, &found);
    if (result == cudaSuccess)
        memcpy(prop, &found, bytes);
    return result;
}

cudaError_t impl_cudaGetDeviceProperties_v2(struct cudaDeviceProp_v12 *prop, int device)
{
    return properties(prop, device, offsetof(struct cudaDeviceProp_v12, reserved2));
}

cudaError_t impl_cudaGetDeviceProperties_v12(struct cudaDeviceProp_v12 *prop, int device)
{
    return properties(prop, device, offsetof(struct cudaDeviceProp_v12, hostRegisterSupported));
}

/* Graphs without data on their edges. */

cudaError_t impl_cudaGraphAddDependencies_v12(cudaGraph_t graph, const cudaGraphNode_t *from,
                                              const cudaGraphNode_t *to, size_t numDependencies)
{
    return impl_cudaGraphAddDependencies(graph, from, to, NULL, numDependencies);
}

cudaError_t impl_cudaGraphRemoveDependencies_v12(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                 const cudaGraphNode_t *to, size_t numDependencies)
{
    return impl_cudaGraphRemoveDependencies(graph, from, to, NULL, numDependencies);
}

cudaError_t impl_cudaGraphAddNode_v12(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                      const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                      struct cudaGraphNodeParams *nodeParams)
{
    return impl_cudaGraphAddNode(pGraphNode, graph, pDependencies, NULL, numDependencies,
                                 nodeParams);
}

cudaError_t impl_cudaGraphGetEdges_v12(cudaGraph_t graph, cudaGraphNode_t *from,
                                       cudaGraphNode_t *to, size_t *numEdges)
{
    return impl_cudaGraphGetEdges(graph, from, to, NULL, numEdges);
}

cudaError_t impl_cudaGraphNodeGetDependencies_v12(cudaGraphNode_t node,
                                                  cudaGraphNode_t *pDependencies,
                                                  size_t *pNumDependencies)
{
    return impl_cudaGraphNodeGetDependencies(node, pDependencies, NULL, pNumDependencies);
}

cudaError_t impl_cudaGraphNodeGetDependentNodes_v12(cudaGraphNode_t node,
                                                    cudaGraphNode_t *pDependentNodes,
                                                    size_t *pNumDependentNodes)
{
    return impl_cudaGraphNodeGetDependentNodes(node, pDependentNodes, NULL, pNumDependentNodes);
}

/* Capture. */

cudaError_t impl_cudaStreamGetCaptureInfo_v12(cudaStream_t stream,
                                              enum cudaStreamCaptureStatus *pCaptureStatus,
                                              unsigned long long *pId)
{
    return impl_cudaStreamGetCaptureInfo(stream, pCaptureStatus, pId, NULL, NULL, NULL, NULL);
}

cudaError_t impl_cudaStreamGetCaptureInfo_v2(cudaStream_t stream,
                                             enum cudaStreamCaptureStatus *captureStatus_out,
                                             unsigned long long *id_out, cudaGraph_t *graph_out,
                                             const cudaGraphNode_t **dependencies_out,
                                             size_t *numDependencies_out)
{
    return impl_cudaStreamGetCaptureInfo(stream, captureStatus_out, id_out, graph_out,
                                         dependencies_out, NULL, numDependencies_out);
}

cudaError_t impl_cudaStreamUpdateCaptureDependencies_v12(cudaStream_t stream,
                                                         cudaGraphNode_t *dependencies,
                                                         size_t numDependencies, unsigned int flags)
{
    return impl_cudaStreamUpdateCaptureDependencies(stream, dependencies, NULL, numDependencies,
                                                    flags);
}

/* Managed memory by device numbers; one of them is the host. */

static struct cudaMemLocation location_of(int device)
{
    if (device == cudaCpuDeviceId)
        return (struct cudaMemLocation){.type = cudaMemLocationTypeHost};
    return (struct cudaMemLocation){.type = cudaMemLocationTypeDevice, .id = device};
}

cudaError_t impl_cudaMemAdvise_v12(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                                   int device)
{
    return impl_cudaMemAdvise(devPtr, count, advice, location_of(device));
}

cudaError_t impl_cudaMemPrefetchAsync_v12(const void *devPtr, size_t count, int dstDevice,
                                          cudaStream_t stream)
{
    return impl_cudaMemPrefetchAsync(devPtr, count, location_of(dstDevice), 0, stream);
}

/* 12.x returned the index of the copy that failed. The driver no longer does, so *failIdx is
 * SIZE_MAX, which means no particular one. */

cudaError_t impl_cudaMemcpyBatchAsync_v12(void **dsts, void **srcs, size_t *sizes, size_t count,
                                          struct cudaMemcpyAttributes *attrs, size_t *attrsIdxs,
                                          size_t numAttrs, size_t *failIdx, cudaStream_t stream)
{
    cudaError_t result = impl_cudaMemcpyBatchAsync(dsts, (const void *const *)srcs, sizes, count,
                                                   attrs, attrsIdxs, numAttrs, stream);

    if (result != cudaSuccess && failIdx)
        *failIdx = SIZE_MAX;
    return result;
}

cudaError_t impl_cudaMemcpy3DBatchAsync_v12(size_t numOps, struct cudaMemcpy3DBatchOp *opList,
                                            size_t *failIdx, unsigned long long flags,
                                            cudaStream_t stream)
{
    cudaError_t result = impl_cudaMemcpy3DBatchAsync(numOps, opList, flags, stream);

    if (result != cudaSuccess && failIdx)
        *failIdx = SIZE_MAX;
    return result;
}

/* External semaphores. */

cudaError_t impl_cudaSignalExternalSemaphoresAsync_v12(
    const cudaExternalSemaphore_t *extSemArray,
    const struct cudaExternalSemaphoreSignalParams_v12 *paramsArray, unsigned int numExtSems,
    cudaStream_t stream)
{
    struct cudaExternalSemaphoreSignalParams *params;
    cudaError_t result;

    if (!paramsArray)
        return cudaErrorInvalidValue;
    params = calloc(numExtSems + 1, sizeof *params);
    if (!params)
        return cudaErrorMemoryAllocation;
    for (unsigned i = 0; i < numExtSems; i++) {
        params[i].params.fence.value = paramsArray[i].params.fence.value;
        params[i].params.nvSciSync.reserved = paramsArray[i].params.nvSciSync.reserved;
        params[i].params.keyedMutex.key = paramsArray[i].params.keyedMutex.key;
        params[i].flags = paramsArray[i].flags;
    }
    result = impl_cudaSignalExternalSemaphoresAsync(extSemArray, params, numExtSems, stream);
    free(params);
    return result;
}

cudaError_t impl_cudaWaitExternalSemaphoresAsync_v12(
    const cudaExternalSemaphore_t *extSemArray,
    const struct cudaExternalSemaphoreWaitParams_v12 *paramsArray, unsigned int numExtSems,
    cudaStream_t stream)
{
    struct cudaExternalSemaphoreWaitParams *params;
    cudaError_t result;

    if (!paramsArray)
        return cudaErrorInvalidValue;
    params = calloc(numExtSems + 1, sizeof *params);
    if (!params)
        return cudaErrorMemoryAllocation;
    for (unsigned i = 0; i < numExtSems; i++) {
        params[i].params.fence.value = paramsArray[i].params.fence.value;
        params[i].params.nvSciSync.reserved = paramsArray[i].params.nvSciSync.reserved;
        params[i].params.keyedMutex.key = paramsArray[i].params.keyedMutex.key;
        params[i].params.keyedMutex.timeoutMs = paramsArray[i].params.keyedMutex.timeoutMs;
        params[i].flags = paramsArray[i].flags;
    }
    result = impl_cudaWaitExternalSemaphoresAsync(extSemArray, params, numExtSems, stream);
    free(params);
    return result;
}

/* One grid over several devices. */
cudaError_t
impl_cudaLaunchCooperativeKernelMultiDevice(struct cudaLaunchParams_v12 *launchParamsList,
                                            unsigned int numDevices, unsigned int flags)
{
    CUDA_LAUNCH_PARAMS *params;
    cudaError_t result = cudaSuccess;

    if (!launchParamsList || numDevices == 0)
        return cudaErrorInvalidValue;
    params = calloc(numDevices, sizeof *params);
    if (!params)
        return cudaErrorMemoryAllocation;
    for (unsigned i = 0; i < numDevices && result == cudaSuccess; i++) {
        const struct cudaLaunchParams_v12 *from = &launchParamsList[i];
        CUkernel kernel;

        result = rt_registry_kernel(from->func, &kernel);
        params[i] = (CUDA_LAUNCH_PARAMS){
            .function = result == cudaSuccess ? (CUfunction)(void *)kernel : NULL,
            .gridDimX = from->gridDim.x,
            .gridDimY = from->gridDim.y,
            .gridDimZ = from->gridDim.z,
            .blockDimX = from->blockDim.x,
            .blockDimY = from->blockDim.y,
            .blockDimZ = from->blockDim.z,
            .sharedMemBytes = (unsigned)from->sharedMem,
            .hStream = from->stream,
            .kernelParams = from->args,
        };
    }
    if (result == cudaSuccess)
        result =
            rt_result(rt_driver.cuLaunchCooperativeKernelMultiDevice(params, numDevices, flags));
    free(params);
    return result;
}

/* All devices support double: nothing to convert. */

cudaError_t impl_cudaSetDoubleForDevice(double *d)
{
    return d ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t impl_cudaSetDoubleForHost(double *d)
{
    return d ? cudaSuccess : cudaErrorInvalidValue;
}
