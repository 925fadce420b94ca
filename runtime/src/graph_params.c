/* SPDX-License-Identifier: MIT */
/*
 * cudaGraphAddNode and its siblings: one struct for nodes of every type. Kernels, copies, memsets
 * and conditional nodes differ from the driver's struct; the other members are the same.
 */
#include "execution.h"
#include "graph_work.h"
#include "registry.h"
#include "runtime_impl.h"

#include <string.h>

_Static_assert(sizeof(struct cudaGraphNodeParams) == sizeof(CUgraphNodeParams),
               "parameters of nodes are as large as the driver's");
_Static_assert(sizeof(struct cudaHostNodeParamsV2) == sizeof(CUDA_HOST_NODE_PARAMS_v2) &&
                   sizeof(struct cudaEventRecordNodeParams) ==
                       sizeof(CUDA_EVENT_RECORD_NODE_PARAMS) &&
                   sizeof(struct cudaConditionalNodeParams) ==
                       sizeof(CUDA_CONDITIONAL_NODE_PARAMS) &&
                   sizeof(struct cudaExternalSemaphoreSignalNodeParamsV2) ==
                       sizeof(CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2),
               "parameters of these nodes are the driver's");

/* The handle that the program names, or that of a host function. */
static cudaError_t convert_function(const struct cudaKernelNodeParamsV2 *from,
                                    CUDA_KERNEL_NODE_PARAMS *to)
{
    struct cudaKernelNodeParams params = {from->func,           from->gridDim,      from->blockDim,
                                          from->sharedMemBytes, from->kernelParams, from->extra};
    cudaError_t result;

    if ((unsigned)from->functionType > cudaKernelFunctionTypeFunction)
        return cudaErrorInvalidValue;
    if (from->functionType == cudaKernelFunctionTypeDeviceEntry &&
        !rt_registry_is_kernel(from->func))
        return cudaErrorInvalidDeviceFunction;
    result = rt_node_kernel(&params, to);
    if (result == cudaSuccess && from->functionType == cudaKernelFunctionTypeKernel) {
        to->kern = from->kern;
        to->func = NULL;
    } else if (result == cudaSuccess && from->functionType == cudaKernelFunctionTypeFunction) {
        to->kern = NULL;
        to->func = from->cuFunc;
    }
    return result;
}

static cudaError_t convert_kernel(const struct cudaKernelNodeParamsV2 *from,
                                  CUDA_KERNEL_NODE_PARAMS_v3 *to)
{
    CUDA_KERNEL_NODE_PARAMS converted;
    cudaError_t result = convert_function(from, &converted);

    if (result == cudaSuccess) {
        converted.ctx = rt_execution_context(from->ctx);
        memcpy(to, &converted, sizeof converted);
    }
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
    return rt_execution_or_current(from->ctx, &to->ctx);
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
        return result == cudaSuccess
                   ? rt_execution_or_current(from->memcpy.ctx, &to->memcpy.copyCtx)
                   : result;
    case cudaGraphNodeTypeMemset:
        return convert_memset(&from->memset, &to->memset);
    case cudaGraphNodeTypeConditional:
        to->conditional.handle = from->conditional.handle;
        to->conditional.type = (CUgraphConditionalNodeType)from->conditional.type;
        to->conditional.size = from->conditional.size;
        return rt_execution_or_current(from->conditional.ctx, &to->conditional.ctx);
    default:
        memcpy(to->reserved1, from->reserved1, sizeof to->reserved1);
        return cudaSuccess;
    }
}

static void kernel_back(const CUDA_KERNEL_NODE_PARAMS_v3 *from, struct cudaKernelNodeParamsV2 *to)
{
    CUDA_KERNEL_NODE_PARAMS params;
    struct cudaKernelNodeParams converted;

    memcpy(&params, from, sizeof params);
    rt_node_kernel_back(&params, &converted);
    to->func = converted.func;
    to->gridDim = converted.gridDim;
    to->blockDim = converted.blockDim;
    to->sharedMemBytes = converted.sharedMemBytes;
    to->kernelParams = converted.kernelParams;
    to->extra = converted.extra;
    to->ctx = rt_execution_handle(from->ctx);
    if (!from->kern)
        to->functionType = cudaKernelFunctionTypeFunction;
    else
        to->functionType = rt_registry_is_kernel(to->func) ? cudaKernelFunctionTypeDeviceEntry
                                                           : cudaKernelFunctionTypeKernel;
}

static void memset_back(const CUDA_MEMSET_NODE_PARAMS_v2 *from, struct cudaMemsetParamsV2 *to)
{
    CUDA_MEMSET_NODE_PARAMS params;
    struct cudaMemsetParams converted;

    memcpy(&params, from, sizeof params);
    rt_node_memset_back(&params, &converted);
    memcpy(to, &converted, sizeof converted);
    to->ctx = rt_execution_handle(from->ctx);
}

cudaError_t rt_node_params_back(const CUgraphNodeParams *from, struct cudaGraphNodeParams *to)
{
    memset(to, 0, sizeof *to);
    to->type = (enum cudaGraphNodeType)from->type;
    if (from->type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP)
        return cudaErrorNotSupported;
    if ((unsigned)from->type > CU_GRAPH_NODE_TYPE_CONDITIONAL)
        return cudaErrorVersionTranslation;
    switch (to->type) {
    case cudaGraphNodeTypeKernel:
        kernel_back(&from->kernel, &to->kernel);
        break;
    case cudaGraphNodeTypeMemcpy:
        to->memcpy.flags = from->memcpy.flags;
        to->memcpy.ctx = rt_execution_handle(from->memcpy.copyCtx);
        rt_node_copy_back(&from->memcpy.copyParams, &to->memcpy.copyParams);
        break;
    case cudaGraphNodeTypeMemset:
        memset_back(&from->memset, &to->memset);
        break;
    default:
        memcpy(to->reserved1, from->reserved1, sizeof to->reserved1);
        break;
    }
    return cudaSuccess;
}

cudaError_t impl_cudaGraphNodeGetParams(cudaGraphNode_t node,
                                        struct cudaGraphNodeParams *nodeParams)
{
    struct cudaGraphNodeParams converted;
    CUgraphNodeParams params;
    cudaError_t result;

    if (!nodeParams)
        return cudaErrorInvalidValue;
    memset(&params, 0, sizeof params);
    result = rt_result(rt_driver.cuGraphNodeGetParams(node, &params));
    if (result == cudaSuccess)
        result = rt_node_params_back(&params, &converted);
    if (result == cudaSuccess)
        *nodeParams = converted;
    return result;
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
