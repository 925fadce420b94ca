/* SPDX-License-Identifier: MIT */
/* Nodes whose parameters have the driver's structs. */
#include "driver.h"
#include "runtime_impl.h"

#include <stdint.h>

_Static_assert(sizeof(struct cudaHostNodeParams) == sizeof(CUDA_HOST_NODE_PARAMS) &&
                   sizeof(struct cudaMemAllocNodeParams) == sizeof(CUDA_MEM_ALLOC_NODE_PARAMS) &&
                   sizeof(struct cudaExternalSemaphoreSignalNodeParams) ==
                       sizeof(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS) &&
                   sizeof(struct cudaExternalSemaphoreWaitNodeParams) ==
                       sizeof(CUDA_EXT_SEM_WAIT_NODE_PARAMS),
               "parameters of these nodes are the driver's");

cudaError_t impl_cudaGraphAddEmptyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                       const cudaGraphNode_t *pDependencies, size_t numDependencies)
{
    return rt_result(
        rt_driver.cuGraphAddEmptyNode(pGraphNode, graph, pDependencies, numDependencies));
}

cudaError_t impl_cudaGraphAddChildGraphNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                            const cudaGraphNode_t *pDependencies,
                                            size_t numDependencies, cudaGraph_t childGraph)
{
    return rt_result(rt_driver.cuGraphAddChildGraphNode(pGraphNode, graph, pDependencies,
                                                        numDependencies, childGraph));
}

cudaError_t impl_cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *pGraph)
{
    return rt_result(rt_driver.cuGraphChildGraphNodeGetGraph(node, pGraph));
}

cudaError_t impl_cudaGraphAddEventRecordNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                             const cudaGraphNode_t *pDependencies,
                                             size_t numDependencies, cudaEvent_t event)
{
    return rt_result(rt_driver.cuGraphAddEventRecordNode(pGraphNode, graph, pDependencies,
                                                         numDependencies, event));
}

cudaError_t impl_cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event_out)
{
    return rt_result(rt_driver.cuGraphEventRecordNodeGetEvent(node, event_out));
}

cudaError_t impl_cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    return rt_result(rt_driver.cuGraphEventRecordNodeSetEvent(node, event));
}

cudaError_t impl_cudaGraphAddEventWaitNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t *pDependencies,
                                           size_t numDependencies, cudaEvent_t event)
{
    return rt_result(rt_driver.cuGraphAddEventWaitNode(pGraphNode, graph, pDependencies,
                                                       numDependencies, event));
}

cudaError_t impl_cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event_out)
{
    return rt_result(rt_driver.cuGraphEventWaitNodeGetEvent(node, event_out));
}

cudaError_t impl_cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    return rt_result(rt_driver.cuGraphEventWaitNodeSetEvent(node, event));
}

cudaError_t impl_cudaGraphAddExternalSemaphoresSignalNode(
    cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
    size_t numDependencies, const struct cudaExternalSemaphoreSignalNodeParams *nodeParams)
{
    return rt_result(rt_driver.cuGraphAddExternalSemaphoresSignalNode(
        pGraphNode, graph, pDependencies, numDependencies,
        (const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *)(const void *)nodeParams));
}

cudaError_t impl_cudaGraphExternalSemaphoresSignalNodeGetParams(
    cudaGraphNode_t hNode, struct cudaExternalSemaphoreSignalNodeParams *params_out)
{
    return rt_result(rt_driver.cuGraphExternalSemaphoresSignalNodeGetParams(
        hNode, (CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *)(void *)params_out));
}

cudaError_t impl_cudaGraphExternalSemaphoresSignalNodeSetParams(
    cudaGraphNode_t hNode, const struct cudaExternalSemaphoreSignalNodeParams *nodeParams)
{
    return rt_result(rt_driver.cuGraphExternalSemaphoresSignalNodeSetParams(
        hNode, (const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *)(const void *)nodeParams));
}

cudaError_t impl_cudaGraphAddExternalSemaphoresWaitNode(
    cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
    size_t numDependencies, const struct cudaExternalSemaphoreWaitNodeParams *nodeParams)
{
    return rt_result(rt_driver.cuGraphAddExternalSemaphoresWaitNode(
        pGraphNode, graph, pDependencies, numDependencies,
        (const CUDA_EXT_SEM_WAIT_NODE_PARAMS *)(const void *)nodeParams));
}

cudaError_t impl_cudaGraphExternalSemaphoresWaitNodeGetParams(
    cudaGraphNode_t hNode, struct cudaExternalSemaphoreWaitNodeParams *params_out)
{
    return rt_result(rt_driver.cuGraphExternalSemaphoresWaitNodeGetParams(
        hNode, (CUDA_EXT_SEM_WAIT_NODE_PARAMS *)(void *)params_out));
}

cudaError_t impl_cudaGraphExternalSemaphoresWaitNodeSetParams(
    cudaGraphNode_t hNode, const struct cudaExternalSemaphoreWaitNodeParams *nodeParams)
{
    return rt_result(rt_driver.cuGraphExternalSemaphoresWaitNodeSetParams(
        hNode, (const CUDA_EXT_SEM_WAIT_NODE_PARAMS *)(const void *)nodeParams));
}

cudaError_t impl_cudaGraphAddHostNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                      const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                      const struct cudaHostNodeParams *pNodeParams)
{
    return rt_result(
        rt_driver.cuGraphAddHostNode(pGraphNode, graph, pDependencies, numDependencies,
                                     (const CUDA_HOST_NODE_PARAMS *)(const void *)pNodeParams));
}

cudaError_t impl_cudaGraphHostNodeGetParams(cudaGraphNode_t node,
                                            struct cudaHostNodeParams *pNodeParams)
{
    return rt_result(
        rt_driver.cuGraphHostNodeGetParams(node, (CUDA_HOST_NODE_PARAMS *)(void *)pNodeParams));
}

cudaError_t impl_cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                            const struct cudaHostNodeParams *pNodeParams)
{
    return rt_result(rt_driver.cuGraphHostNodeSetParams(
        node, (const CUDA_HOST_NODE_PARAMS *)(const void *)pNodeParams));
}

cudaError_t impl_cudaGraphAddMemAllocNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                          const cudaGraphNode_t *pDependencies,
                                          size_t numDependencies,
                                          struct cudaMemAllocNodeParams *nodeParams)
{
    return rt_result(
        rt_driver.cuGraphAddMemAllocNode(pGraphNode, graph, pDependencies, numDependencies,
                                         (CUDA_MEM_ALLOC_NODE_PARAMS *)(void *)nodeParams));
}

cudaError_t impl_cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                                struct cudaMemAllocNodeParams *params_out)
{
    return rt_result(rt_driver.cuGraphMemAllocNodeGetParams(
        node, (CUDA_MEM_ALLOC_NODE_PARAMS *)(void *)params_out));
}

cudaError_t impl_cudaGraphAddMemFreeNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                         const cudaGraphNode_t *pDependencies,
                                         size_t numDependencies, void *dptr)
{
    return rt_result(rt_driver.cuGraphAddMemFreeNode(
        pGraphNode, graph, pDependencies, numDependencies, (CUdeviceptr)(uintptr_t)dptr));
}

cudaError_t impl_cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *dptr_out)
{
    return rt_result(rt_driver.cuGraphMemFreeNodeGetParams(node, (CUdeviceptr *)(void *)dptr_out));
}

cudaError_t impl_cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t hDst, cudaGraphNode_t hSrc)
{
    return rt_result(rt_driver.cuGraphKernelNodeCopyAttributes(hDst, hSrc));
}

cudaError_t impl_cudaGraphKernelNodeGetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                                 cudaLaunchAttributeValue *value_out)
{
    return rt_result(rt_driver.cuGraphKernelNodeGetAttribute(
        hNode, (CUkernelNodeAttrID)attr, (CUkernelNodeAttrValue *)(void *)value_out));
}

cudaError_t impl_cudaGraphKernelNodeSetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                                 const cudaLaunchAttributeValue *value)
{
    return rt_result(rt_driver.cuGraphKernelNodeSetAttribute(
        hNode, (CUkernelNodeAttrID)attr, (const CUkernelNodeAttrValue *)(const void *)value));
}
