/* SPDX-License-Identifier: MIT */
/*
 * cudaGraphAddNode and its siblings: one struct for nodes of every type. Kernels, copies, memsets
 * and conditional nodes differ from the driver's struct; the other members are the same.
 */
#include "context.h"
#include "graph_work.h"
#include "runtime_impl.h"

#include <string.h>

_Static_assert(sizeof(struct cudaGraphNodeParams) == sizeof(CUgraphNodeParams),
               "parameters of nodes are as large as the driver's");

static cudaError_t convert_kernel(const struct cudaKernelNodeParamsV2 *from,
                                  CUDA_KERNEL_NODE_PARAMS_v3 *to)
{
    struct cudaKernelNodeParams params = {from->func,           from->gridDim,      from->blockDim,
                                          from->sharedMemBytes, from->kernelParams, from->extra};
    CUDA_KERNEL_NODE_PARAMS converted;
    cudaError_t result = rt_node_kernel(&params, &converted);

    if (result == cudaSuccess)
        memcpy(to, &converted, sizeof converted);
    return result;
}

static cudaError_t convert_memset(const struct cudaMemsetParamsV2 *from,
                                  CUDA_MEMSET_NODE_PARAMS_v2 *to)
{
    struct cudaMemsetParams params = {from->dst,         from->pitch, from->value,
                                      from->elementSize, from->width, from->height};
    CUDA_MEMSET_NODE_PARAMS converted;

    rt_node_memset(&params, &converted);
    memcpy(to, &converted, sizeof converted);
    return rt_context_current(&to->ctx);
}

static cudaError_t convert(const struct cudaGraphNodeParams *from, CUgraphNodeParams *to)
{
    cudaError_t result;

    memset(to, 0, sizeof *to);
    to->type = (CUgraphNodeType)from->type;
    memcpy(to->reserved0, from->reserved0, sizeof to->reserved0);
    to->reserved2 = from->reserved2;
    switch (from->type) {
    case cudaGraphNodeTypeKernel:
        return convert_kernel(&from->kernel, &to->kernel);
    case cudaGraphNodeTypeMemcpy:
        to->memcpy.flags = from->memcpy.flags;
        result = rt_node_copy(&from->memcpy.copyParams, &to->memcpy.copyParams);
        return result == cudaSuccess ? rt_context_current(&to->memcpy.copyCtx) : result;
    case cudaGraphNodeTypeMemset:
        return convert_memset(&from->memset, &to->memset);
    case cudaGraphNodeTypeConditional:
        to->conditional.handle = from->conditional.handle;
        to->conditional.type = (CUgraphConditionalNodeType)from->conditional.type;
        to->conditional.size = from->conditional.size;
        return rt_context_current(&to->conditional.ctx);
    default:
        memcpy(to->reserved1, from->reserved1, sizeof to->reserved1);
        return cudaSuccess;
    }
}

cudaError_t impl_cudaGraphAddNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                  const cudaGraphNode_t *pDependencies,
                                  const cudaGraphEdgeData *dependencyData, size_t numDependencies,
                                  struct cudaGraphNodeParams *nodeParams)
{
    CUgraphNodeParams params;
    cudaError_t result;

    if (!nodeParams)
        return cudaErrorInvalidValue;
    result = convert(nodeParams, &params);
    if (result == cudaSuccess)
        result = rt_result(rt_driver.cuGraphAddNode_v2(
            pGraphNode, graph, pDependencies, (const CUgraphEdgeData *)(const void *)dependencyData,
            numDependencies, &params));
    if (result != cudaSuccess)
        return result;
    /* Returns the results of the call other than the node. */
    if (nodeParams->type == cudaGraphNodeTypeConditional)
        nodeParams->conditional.phGraph_out = params.conditional.phGraph_out;
    else if (nodeParams->type == cudaGraphNodeTypeMemAlloc)
        memcpy(&nodeParams->alloc.dptr, &params.alloc.dptr, sizeof nodeParams->alloc.dptr);
    return cudaSuccess;
}

cudaError_t impl_cudaGraphNodeSetParams(cudaGraphNode_t node,
                                        struct cudaGraphNodeParams *nodeParams)
{
    CUgraphNodeParams params;
    cudaError_t result;

    if (!nodeParams)
        return cudaErrorInvalidValue;
    result = convert(nodeParams, &params);
    return result == cudaSuccess ? rt_result(rt_driver.cuGraphNodeSetParams(node, &params))
                                 : result;
}

cudaError_t impl_cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node,
                                            struct cudaGraphNodeParams *nodeParams)
{
    CUgraphNodeParams params;
    cudaError_t result;

    if (!nodeParams)
        return cudaErrorInvalidValue;
    result = convert(nodeParams, &params);
    return result == cudaSuccess
               ? rt_result(rt_driver.cuGraphExecNodeSetParams(graphExec, node, &params))
               : result;
}
