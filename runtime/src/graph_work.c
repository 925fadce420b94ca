/* SPDX-License-Identifier: MIT */
/* Kernel, copy and memset nodes: their parameters have host functions, symbols and kinds of copies,
 * which the driver does not have. */
#include "graph_work.h"

#include "array.h"
#include "context.h"
#include "copy.h"
#include "registry.h"
#include "runtime_impl.h"

#include <stdint.h>
#include <string.h>

/* Kernels. */

/* Addresses that are no host functions may be handles. The driver tells kernels from functions; it
 * refuses anything else as a function. */
static bool is_kernel(const void *address, CUkernel handle)
{
    const char *name;

    return rt_registry_is_kernel(address) ||
           rt_driver.cuKernelGetName(&name, handle) == CUDA_SUCCESS;
}

cudaError_t rt_node_kernel(const struct cudaKernelNodeParams *from, CUDA_KERNEL_NODE_PARAMS *to)
{
    CUkernel kernel;
    cudaError_t result;

    if (!from)
        return cudaErrorInvalidValue;
    result = rt_registry_kernel(from->func, &kernel);
    if (result != cudaSuccess)
        return result;
    *to = (CUDA_KERNEL_NODE_PARAMS){
        .gridDimX = from->gridDim.x,
        .gridDimY = from->gridDim.y,
        .gridDimZ = from->gridDim.z,
        .blockDimX = from->blockDim.x,
        .blockDimY = from->blockDim.y,
        .blockDimZ = from->blockDim.z,
        .sharedMemBytes = from->sharedMemBytes,
        .kernelParams = from->kernelParams,
        .extra = from->extra,
    };
    if (is_kernel(from->func, kernel))
        to->kern = kernel;
    else
        to->func = (CUfunction)(void *)kernel;
    return cudaSuccess;
}

void rt_node_kernel_back(const CUDA_KERNEL_NODE_PARAMS *from, struct cudaKernelNodeParams *to)
{
    memset(to, 0, sizeof *to);
    to->func = from->kern ? rt_registry_host_function(from->kern) : (void *)from->func;
    to->gridDim = (dim3){from->gridDimX, from->gridDimY, from->gridDimZ};
    to->blockDim = (dim3){from->blockDimX, from->blockDimY, from->blockDimZ};
    to->sharedMemBytes = from->sharedMemBytes;
    to->kernelParams = from->kernelParams;
    to->extra = from->extra;
}

cudaError_t impl_cudaGraphAddKernelNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                        const cudaGraphNode_t *pDependencies,
                                        size_t numDependencies,
                                        const struct cudaKernelNodeParams *pNodeParams)
{
    CUDA_KERNEL_NODE_PARAMS params;
    cudaError_t result = rt_node_kernel(pNodeParams, &params);

    if (result != cudaSuccess)
        return result;
    return rt_result(rt_driver.cuGraphAddKernelNode_v2(pGraphNode, graph, pDependencies,
                                                       numDependencies, &params));
}

cudaError_t impl_cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                              struct cudaKernelNodeParams *pNodeParams)
{
    CUDA_KERNEL_NODE_PARAMS params;
    cudaError_t result;

    if (!pNodeParams)
        return cudaErrorInvalidValue;
    result = rt_result(rt_driver.cuGraphKernelNodeGetParams_v2(node, &params));
    if (result != cudaSuccess)
        return result;
    rt_node_kernel_back(&params, pNodeParams);
    return cudaSuccess;
}

cudaError_t impl_cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                              const struct cudaKernelNodeParams *pNodeParams)
{
    CUDA_KERNEL_NODE_PARAMS params;
    cudaError_t result = rt_node_kernel(pNodeParams, &params);

    return result != cudaSuccess
               ? result
               : rt_result(rt_driver.cuGraphKernelNodeSetParams_v2(node, &params));
}

cudaError_t impl_cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                  const struct cudaKernelNodeParams *pNodeParams)
{
    CUDA_KERNEL_NODE_PARAMS params;
    cudaError_t result = rt_node_kernel(pNodeParams, &params);

    return result != cudaSuccess
               ? result
               : rt_result(rt_driver.cuGraphExecKernelNodeSetParams_v2(hGraphExec, node, &params));
}

/* Copies. */

cudaError_t rt_node_copy(const struct cudaMemcpy3DParms *from, CUDA_MEMCPY3D *to)
{
    return from ? rt_copy_3d_parameters(from, to) : cudaErrorInvalidValue;
}

static enum cudaMemcpyKind kind_of(CUmemorytype source, CUmemorytype destination)
{
    bool from_host = source == CU_MEMORYTYPE_HOST, to_host = destination == CU_MEMORYTYPE_HOST;

    if (source == CU_MEMORYTYPE_UNIFIED || destination == CU_MEMORYTYPE_UNIFIED)
        return cudaMemcpyDefault;
    if (from_host)
        return to_host ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
    return to_host ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

void rt_node_copy_back(const CUDA_MEMCPY3D *from, struct cudaMemcpy3DParms *to)
{
    bool source_array = from->srcMemoryType == CU_MEMORYTYPE_ARRAY;
    bool destination_array = from->dstMemoryType == CU_MEMORYTYPE_ARRAY;
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    size_t bytes = 1;

    if ((source_array || destination_array) &&
        rt_driver.cuArray3DGetDescriptor_v2(
            &descriptor, source_array ? from->srcArray : from->dstArray) == CUDA_SUCCESS)
        bytes = rt_array_element_bytes(&descriptor);
    memset(to, 0, sizeof *to);
    to->srcPos = (struct cudaPos){from->srcXInBytes / bytes, from->srcY, from->srcZ};
    to->dstPos = (struct cudaPos){from->dstXInBytes / bytes, from->dstY, from->dstZ};
    if (source_array)
        to->srcArray = (cudaArray_t)(void *)from->srcArray;
    else
        to->srcPtr = (struct cudaPitchedPtr){from->srcMemoryType == CU_MEMORYTYPE_HOST
                                                 ? (void *)(uintptr_t)from->srcHost
                                                 : (void *)(uintptr_t)from->srcDevice,
                                             from->srcPitch, 0, from->srcHeight};
    if (destination_array)
        to->dstArray = (cudaArray_t)(void *)from->dstArray;
    else
        to->dstPtr = (struct cudaPitchedPtr){from->dstMemoryType == CU_MEMORYTYPE_HOST
                                                 ? from->dstHost
                                                 : (void *)(uintptr_t)from->dstDevice,
                                             from->dstPitch, 0, from->dstHeight};
    to->extent = (struct cudaExtent){from->WidthInBytes / bytes, from->Height, from->Depth};
    to->kind = kind_of(from->srcMemoryType, from->dstMemoryType);
}

/* The action of a copy node call, with the driver's parameters. */
struct copy_target {
    enum { COPY_ADD, COPY_SET, COPY_SET_EXEC } action;
    cudaGraphNode_t *added;
    cudaGraph_t graph;
    const cudaGraphNode_t *dependencies;
    size_t dependency_count;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
};

static cudaError_t apply_copy(const struct copy_target *target, const CUDA_MEMCPY3D *copy)
{
    CUcontext context = NULL;
    cudaError_t result = cudaSuccess;

    if (target->action != COPY_SET)
        result = rt_context_current(&context);
    if (result != cudaSuccess)
        return result;
    switch (target->action) {
    case COPY_ADD:
        return rt_result(rt_driver.cuGraphAddMemcpyNode(target->added, target->graph,
                                                        target->dependencies,
                                                        target->dependency_count, copy, context));
    case COPY_SET:
        return rt_result(rt_driver.cuGraphMemcpyNodeSetParams(target->node, copy));
    default:
        return rt_result(
            rt_driver.cuGraphExecMemcpyNodeSetParams(target->exec, target->node, copy, context));
    }
}

static cudaError_t copy_3d(const struct copy_target *target, const struct cudaMemcpy3DParms *p)
{
    CUDA_MEMCPY3D copy;
    cudaError_t result = rt_node_copy(p, &copy);

    return result == cudaSuccess ? apply_copy(target, &copy) : result;
}

static cudaError_t copy_1d(const struct copy_target *target, void *dst, const void *src,
                           size_t count, enum cudaMemcpyKind kind)
{
    CUDA_MEMCPY3D copy = {
        .srcHost = src,
        .srcDevice = (CUdeviceptr)(uintptr_t)src,
        .srcPitch = count,
        .srcHeight = 1,
        .dstHost = dst,
        .dstDevice = (CUdeviceptr)(uintptr_t)dst,
        .dstPitch = count,
        .dstHeight = 1,
        .WidthInBytes = count,
        .Height = 1,
        .Depth = 1,
    };

    if (!rt_copy_kind_is_valid(kind))
        return cudaErrorInvalidMemcpyDirection;
    copy.srcMemoryType = rt_copy_source_type(kind);
    copy.dstMemoryType = rt_copy_destination_type(kind);
    return apply_copy(target, &copy);
}

static cudaError_t copy_from_symbol(const struct copy_target *target, void *dst, const void *symbol,
                                    size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    CUdeviceptr address;
    size_t bytes;
    cudaError_t result = rt_registry_symbol(symbol, &address, &bytes);

    if (result != cudaSuccess)
        return result;
    if (offset > bytes || count > bytes - offset)
        return cudaErrorInvalidValue;
    if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    return copy_1d(target, dst, (void *)(uintptr_t)(address + offset), count, kind);
}

static cudaError_t copy_to_symbol(const struct copy_target *target, const void *symbol,
                                  const void *src, size_t count, size_t offset,
                                  enum cudaMemcpyKind kind)
{
    CUdeviceptr address;
    size_t bytes;
    cudaError_t result = rt_registry_symbol(symbol, &address, &bytes);

    if (result != cudaSuccess)
        return result;
    if (offset > bytes || count > bytes - offset)
        return cudaErrorInvalidValue;
    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    return copy_1d(target, (void *)(uintptr_t)(address + offset), src, count, kind);
}

#define ADD_COPY                                                                                   \
    (&(struct copy_target){.action = COPY_ADD,                                                     \
                           .added = pGraphNode,                                                    \
                           .graph = graph,                                                         \
                           .dependencies = pDependencies,                                          \
                           .dependency_count = numDependencies})
#define SET_COPY (&(struct copy_target){.action = COPY_SET, .node = node})
#define SET_EXEC_COPY                                                                              \
    (&(struct copy_target){.action = COPY_SET_EXEC, .node = node, .exec = hGraphExec})

cudaError_t impl_cudaGraphAddMemcpyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                        const cudaGraphNode_t *pDependencies,
                                        size_t numDependencies,
                                        const struct cudaMemcpy3DParms *pCopyParams)
{
    return copy_3d(ADD_COPY, pCopyParams);
}

cudaError_t impl_cudaGraphAddMemcpyNode1D(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                          const cudaGraphNode_t *pDependencies,
                                          size_t numDependencies, void *dst, const void *src,
                                          size_t count, enum cudaMemcpyKind kind)
{
    return copy_1d(ADD_COPY, dst, src, count, kind);
}

cudaError_t impl_cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                                  const cudaGraphNode_t *pDependencies,
                                                  size_t numDependencies, void *dst,
                                                  const void *symbol, size_t count, size_t offset,
                                                  enum cudaMemcpyKind kind)
{
    return copy_from_symbol(ADD_COPY, dst, symbol, count, offset, kind);
}

cudaError_t impl_cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                                const cudaGraphNode_t *pDependencies,
                                                size_t numDependencies, const void *symbol,
                                                const void *src, size_t count, size_t offset,
                                                enum cudaMemcpyKind kind)
{
    return copy_to_symbol(ADD_COPY, symbol, src, count, offset, kind);
}

cudaError_t impl_cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node,
                                              struct cudaMemcpy3DParms *pNodeParams)
{
    CUDA_MEMCPY3D copy;
    cudaError_t result;

    if (!pNodeParams)
        return cudaErrorInvalidValue;
    result = rt_result(rt_driver.cuGraphMemcpyNodeGetParams(node, &copy));
    if (result == cudaSuccess)
        rt_node_copy_back(&copy, pNodeParams);
    return result;
}

cudaError_t impl_cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                              const struct cudaMemcpy3DParms *pNodeParams)
{
    return copy_3d(SET_COPY, pNodeParams);
}

cudaError_t impl_cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src,
                                                size_t count, enum cudaMemcpyKind kind)
{
    return copy_1d(SET_COPY, dst, src, count, kind);
}

cudaError_t impl_cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst,
                                                        const void *symbol, size_t count,
                                                        size_t offset, enum cudaMemcpyKind kind)
{
    return copy_from_symbol(SET_COPY, dst, symbol, count, offset, kind);
}

cudaError_t impl_cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol,
                                                      const void *src, size_t count, size_t offset,
                                                      enum cudaMemcpyKind kind)
{
    return copy_to_symbol(SET_COPY, symbol, src, count, offset, kind);
}

cudaError_t impl_cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                  const struct cudaMemcpy3DParms *pNodeParams)
{
    return copy_3d(SET_EXEC_COPY, pNodeParams);
}

cudaError_t impl_cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec,
                                                    cudaGraphNode_t node, void *dst,
                                                    const void *src, size_t count,
                                                    enum cudaMemcpyKind kind)
{
    return copy_1d(SET_EXEC_COPY, dst, src, count, kind);
}

cudaError_t impl_cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec,
                                                            cudaGraphNode_t node, void *dst,
                                                            const void *symbol, size_t count,
                                                            size_t offset, enum cudaMemcpyKind kind)
{
    return copy_from_symbol(SET_EXEC_COPY, dst, symbol, count, offset, kind);
}

cudaError_t impl_cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec,
                                                          cudaGraphNode_t node, const void *symbol,
                                                          const void *src, size_t count,
                                                          size_t offset, enum cudaMemcpyKind kind)
{
    return copy_to_symbol(SET_EXEC_COPY, symbol, src, count, offset, kind);
}

/* Memsets. */

void rt_node_memset(const struct cudaMemsetParams *from, CUDA_MEMSET_NODE_PARAMS *to)
{
    *to = (CUDA_MEMSET_NODE_PARAMS){
        .dst = (CUdeviceptr)(uintptr_t)from->dst,
        .pitch = from->pitch,
        .value = from->value,
        .elementSize = from->elementSize,
        .width = from->width,
        .height = from->height,
    };
}

void rt_node_memset_back(const CUDA_MEMSET_NODE_PARAMS *from, struct cudaMemsetParams *to)
{
    *to = (struct cudaMemsetParams){(void *)(uintptr_t)from->dst,
                                    from->pitch,
                                    from->value,
                                    from->elementSize,
                                    from->width,
                                    from->height};
}

cudaError_t impl_cudaGraphAddMemsetNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                        const cudaGraphNode_t *pDependencies,
                                        size_t numDependencies,
                                        const struct cudaMemsetParams *pMemsetParams)
{
    CUDA_MEMSET_NODE_PARAMS params;
    CUcontext context;
    cudaError_t result;

    if (!pMemsetParams)
        return cudaErrorInvalidValue;
    result = rt_context_current(&context);
    if (result != cudaSuccess)
        return result;
    rt_node_memset(pMemsetParams, &params);
    return rt_result(rt_driver.cuGraphAddMemsetNode(pGraphNode, graph, pDependencies,
                                                    numDependencies, &params, context));
}

cudaError_t impl_cudaGraphMemsetNodeGetParams(cudaGraphNode_t node,
                                              struct cudaMemsetParams *pNodeParams)
{
    CUDA_MEMSET_NODE_PARAMS params;
    cudaError_t result;

    if (!pNodeParams)
        return cudaErrorInvalidValue;
    result = rt_result(rt_driver.cuGraphMemsetNodeGetParams(node, &params));
    if (result == cudaSuccess)
        rt_node_memset_back(&params, pNodeParams);
    return result;
}

cudaError_t impl_cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                              const struct cudaMemsetParams *pNodeParams)
{
    CUDA_MEMSET_NODE_PARAMS params;

    if (!pNodeParams)
        return cudaErrorInvalidValue;
    rt_node_memset(pNodeParams, &params);
    return rt_result(rt_driver.cuGraphMemsetNodeSetParams(node, &params));
}

cudaError_t impl_cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                  const struct cudaMemsetParams *pNodeParams)
{
    CUDA_MEMSET_NODE_PARAMS params;
    CUcontext context;
    cudaError_t result;

    if (!pNodeParams)
        return cudaErrorInvalidValue;
    result = rt_context_current(&context);
    if (result != cudaSuccess)
        return result;
    rt_node_memset(pNodeParams, &params);
    return rt_result(rt_driver.cuGraphExecMemsetNodeSetParams(hGraphExec, node, &params, context));
}
