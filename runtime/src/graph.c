/* SPDX-License-Identifier: MIT */
/* Graphs: creating, editing, querying; user objects. Nodes are in graph_node.c. */
#include "context.h"
#include "driver.h"
#include "execution.h"
#include "runtime_impl.h"

#include <stdint.h>

cudaError_t impl_cudaGraphCreate(cudaGraph_t *pGraph, unsigned int flags)
{
    cudaError_t result;

    if (!pGraph)
        return cudaErrorInvalidValue;
    result = rt_context_bind();
    return result == cudaSuccess ? rt_result(rt_driver.cuGraphCreate(pGraph, flags)) : result;
}

cudaError_t impl_cudaGraphDestroy(cudaGraph_t graph)
{
    return rt_result(rt_driver.cuGraphDestroy(graph));
}

cudaError_t impl_cudaGraphClone(cudaGraph_t *pGraphClone, cudaGraph_t originalGraph)
{
    return rt_result(rt_driver.cuGraphClone(pGraphClone, originalGraph));
}

cudaError_t impl_cudaGraphNodeFindInClone(cudaGraphNode_t *pNode, cudaGraphNode_t originalNode,
                                          cudaGraph_t clonedGraph)
{
    return rt_result(rt_driver.cuGraphNodeFindInClone(pNode, originalNode, clonedGraph));
}

cudaError_t impl_cudaGraphDestroyNode(cudaGraphNode_t node)
{
    return rt_result(rt_driver.cuGraphDestroyNode(node));
}

cudaError_t impl_cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *pType)
{
    return rt_result(rt_driver.cuGraphNodeGetType(node, (CUgraphNodeType *)(void *)pType));
}

cudaError_t impl_cudaGraphNodeGetContainingGraph(cudaGraphNode_t hNode, cudaGraph_t *phGraph)
{
    return rt_result(rt_driver.cuGraphNodeGetContainingGraph(hNode, phGraph));
}

cudaError_t impl_cudaGraphNodeGetLocalId(cudaGraphNode_t hNode, unsigned int *nodeId)
{
    return rt_result(rt_driver.cuGraphNodeGetLocalId(hNode, nodeId));
}

cudaError_t impl_cudaGraphNodeGetToolsId(cudaGraphNode_t hNode, unsigned long long *toolsNodeId)
{
    return rt_result(rt_driver.cuGraphNodeGetToolsId(hNode, toolsNodeId));
}

cudaError_t impl_cudaGraphGetId(cudaGraph_t hGraph, unsigned int *graphID)
{
    return rt_result(rt_driver.cuGraphGetId(hGraph, graphID));
}

cudaError_t impl_cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *numNodes)
{
    return rt_result(rt_driver.cuGraphGetNodes(graph, nodes, numNodes));
}

cudaError_t impl_cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *pRootNodes,
                                       size_t *pNumRootNodes)
{
    return rt_result(rt_driver.cuGraphGetRootNodes(graph, pRootNodes, pNumRootNodes));
}

cudaError_t impl_cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                   cudaGraphEdgeData *edgeData, size_t *numEdges)
{
    return rt_result(rt_driver.cuGraphGetEdges_v2(graph, from, to,
                                                  (CUgraphEdgeData *)(void *)edgeData, numEdges));
}

cudaError_t impl_cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *pDependencies,
                                              cudaGraphEdgeData *edgeData, size_t *pNumDependencies)
{
    return rt_result(rt_driver.cuGraphNodeGetDependencies_v2(
        node, pDependencies, (CUgraphEdgeData *)(void *)edgeData, pNumDependencies));
}

cudaError_t impl_cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
                                                cudaGraphNode_t *pDependentNodes,
                                                cudaGraphEdgeData *edgeData,
                                                size_t *pNumDependentNodes)
{
    return rt_result(rt_driver.cuGraphNodeGetDependentNodes_v2(
        node, pDependentNodes, (CUgraphEdgeData *)(void *)edgeData, pNumDependentNodes));
}

cudaError_t impl_cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                          const cudaGraphNode_t *to,
                                          const cudaGraphEdgeData *edgeData, size_t numDependencies)
{
    return rt_result(rt_driver.cuGraphAddDependencies_v2(
        graph, from, to, (const CUgraphEdgeData *)(const void *)edgeData, numDependencies));
}

cudaError_t impl_cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                             const cudaGraphNode_t *to,
                                             const cudaGraphEdgeData *edgeData,
                                             size_t numDependencies)
{
    return rt_result(rt_driver.cuGraphRemoveDependencies_v2(
        graph, from, to, (const CUgraphEdgeData *)(const void *)edgeData, numDependencies));
}

cudaError_t impl_cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
    return rt_result(rt_driver.cuGraphDebugDotPrint(
        graph, path, flags | CU_GRAPH_DEBUG_DOT_FLAGS_RUNTIME_TYPES));
}

cudaError_t impl_cudaUserObjectCreate(cudaUserObject_t *object_out, void *ptr, cudaHostFn_t destroy,
                                      unsigned int initialRefcount, unsigned int flags)
{
    return rt_result(
        rt_driver.cuUserObjectCreate(object_out, ptr, destroy, initialRefcount, flags));
}

cudaError_t impl_cudaUserObjectRetain(cudaUserObject_t object, unsigned int count)
{
    return rt_result(rt_driver.cuUserObjectRetain(object, count));
}

cudaError_t impl_cudaUserObjectRelease(cudaUserObject_t object, unsigned int count)
{
    return rt_result(rt_driver.cuUserObjectRelease(object, count));
}

cudaError_t impl_cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                           unsigned int count, unsigned int flags)
{
    return rt_result(rt_driver.cuGraphRetainUserObject(graph, object, count, flags));
}

cudaError_t impl_cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                            unsigned int count)
{
    return rt_result(rt_driver.cuGraphReleaseUserObject(graph, object, count));
}

cudaError_t impl_cudaDeviceGraphMemTrim(int device)
{
    return rt_result(rt_driver.cuDeviceGraphMemTrim((CUdevice)device));
}

cudaError_t impl_cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr,
                                                void *value)
{
    return rt_result(rt_driver.cuDeviceGetGraphMemAttribute((CUdevice)device,
                                                            (CUgraphMem_attribute)attr, value));
}

cudaError_t impl_cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr,
                                                void *value)
{
    return rt_result(rt_driver.cuDeviceSetGraphMemAttribute((CUdevice)device,
                                                            (CUgraphMem_attribute)attr, value));
}

cudaError_t impl_cudaGraphConditionalHandleCreate_v2(cudaGraphConditionalHandle *pHandle_out,
                                                     cudaGraph_t graph, cudaExecutionContext_t ctx,
                                                     unsigned int defaultLaunchValue,
                                                     unsigned int flags)
{
    CUgraphConditionalHandle handle;
    CUcontext context;
    cudaError_t result;

    if (!pHandle_out)
        return cudaErrorInvalidValue;
    result = rt_execution_or_current(ctx, &context);
    if (result == cudaSuccess)
        result = rt_result(rt_driver.cuGraphConditionalHandleCreate(&handle, graph, context,
                                                                    defaultLaunchValue, flags));
    if (result == cudaSuccess)
        *pHandle_out = handle;
    return result;
}

cudaError_t impl_cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *pHandle_out,
                                                  cudaGraph_t graph,
                                                  unsigned int defaultLaunchValue,
                                                  unsigned int flags)
{
    return impl_cudaGraphConditionalHandleCreate_v2(pHandle_out, graph, NULL, defaultLaunchValue,
                                                    flags);
}
