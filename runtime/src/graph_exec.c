/* SPDX-License-Identifier: MIT */
/* Executable graphs: instantiating, launching, updating. */
#include "driver.h"
#include "runtime_impl.h"

#include <stdint.h>

_Static_assert(sizeof(cudaGraphInstantiateParams) == sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS) &&
                   sizeof(cudaGraphExecUpdateResultInfo) == sizeof(CUgraphExecUpdateResultInfo),
               "structs of executable graphs are the driver's");

cudaError_t impl_cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                      unsigned long long flags)
{
    return rt_result(rt_driver.cuGraphInstantiateWithFlags(pGraphExec, graph, flags));
}

cudaError_t impl_cudaGraphInstantiateWithFlags(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                               unsigned long long flags)
{
    return rt_result(rt_driver.cuGraphInstantiateWithFlags(pGraphExec, graph, flags));
}

cudaError_t impl_cudaGraphExecDestroy(cudaGraphExec_t graphExec)
{
    return rt_result(rt_driver.cuGraphExecDestroy(graphExec));
}

cudaError_t impl_cudaGraphExecGetFlags(cudaGraphExec_t graphExec, unsigned long long *flags)
{
    return rt_result(rt_driver.cuGraphExecGetFlags(graphExec, (cuuint64_t *)(void *)flags));
}

cudaError_t impl_cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                     cudaGraphExecUpdateResultInfo *resultInfo)
{
    return rt_result(rt_driver.cuGraphExecUpdate_v2(
        hGraphExec, hGraph, (CUgraphExecUpdateResultInfo *)(void *)resultInfo));
}

cudaError_t impl_cudaGraphNodeGetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                         unsigned int *isEnabled)
{
    return rt_result(rt_driver.cuGraphNodeGetEnabled(hGraphExec, hNode, isEnabled));
}

cudaError_t impl_cudaGraphNodeSetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                         unsigned int isEnabled)
{
    return rt_result(rt_driver.cuGraphNodeSetEnabled(hGraphExec, hNode, isEnabled));
}

cudaError_t impl_cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t hGraphExec,
                                                      cudaGraphNode_t node, cudaGraph_t childGraph)
{
    return rt_result(rt_driver.cuGraphExecChildGraphNodeSetParams(hGraphExec, node, childGraph));
}

cudaError_t impl_cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t hGraphExec,
                                                      cudaGraphNode_t hNode, cudaEvent_t event)
{
    return rt_result(rt_driver.cuGraphExecEventRecordNodeSetEvent(hGraphExec, hNode, event));
}

cudaError_t impl_cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t hGraphExec,
                                                    cudaGraphNode_t hNode, cudaEvent_t event)
{
    return rt_result(rt_driver.cuGraphExecEventWaitNodeSetEvent(hGraphExec, hNode, event));
}

cudaError_t impl_cudaGraphExecExternalSemaphoresSignalNodeSetParams(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
    const struct cudaExternalSemaphoreSignalNodeParams *nodeParams)
{
    return rt_result(rt_driver.cuGraphExecExternalSemaphoresSignalNodeSetParams(
        hGraphExec, hNode, (const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *)(const void *)nodeParams));
}

cudaError_t impl_cudaGraphExecExternalSemaphoresWaitNodeSetParams(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
    const struct cudaExternalSemaphoreWaitNodeParams *nodeParams)
{
    return rt_result(rt_driver.cuGraphExecExternalSemaphoresWaitNodeSetParams(
        hGraphExec, hNode, (const CUDA_EXT_SEM_WAIT_NODE_PARAMS *)(const void *)nodeParams));
}

cudaError_t impl_cudaGraphExecHostNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                const struct cudaHostNodeParams *pNodeParams)
{
    return rt_result(rt_driver.cuGraphExecHostNodeSetParams(
        hGraphExec, node, (const CUDA_HOST_NODE_PARAMS *)(const void *)pNodeParams));
}

cudaError_t impl_cudaGraphInstantiateWithParams(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                                cudaGraphInstantiateParams *instantiateParams,
                                                cudaStream_t default_stream)
{
    cudaStream_t given;
    cudaError_t result;

    if (!instantiateParams)
        return cudaErrorInvalidValue;
    given = instantiateParams->uploadStream;
    if (default_stream == cudaStreamPerThread && !given)
        instantiateParams->uploadStream = cudaStreamPerThread;
    result = rt_result(rt_driver.cuGraphInstantiateWithParams(
        pGraphExec, graph, (CUDA_GRAPH_INSTANTIATE_PARAMS *)(void *)instantiateParams));
    instantiateParams->uploadStream = given;
    return result;
}

cudaError_t impl_cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream)
{
    return rt_result(rt_driver.cuGraphLaunch(graphExec, stream));
}

cudaError_t impl_cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream)
{
    return rt_result(rt_driver.cuGraphUpload(graphExec, stream));
}

cudaError_t impl_cudaGraphExecGetId(cudaGraphExec_t hGraphExec, unsigned int *graphID)
{
    return rt_result(rt_driver.cuGraphExecGetId(hGraphExec, graphID));
}
