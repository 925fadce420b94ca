/* SPDX-License-Identifier: MIT */
/*
 * The templates of cuda_runtime.h that take a variable or a kernel of device code by its name: they
 * pass its address, which is what is registered. Only a CUDA compiler sees them: to a host
 * compiler, "const T &" would take a pointer to a variable for the variable.
 */
#ifndef __CUDART_SYMBOL_H__
#define __CUDART_SYMBOL_H__

#include "cuda_runtime_api.h"

/* Variables */

template <class T>
static __inline__ __host__ cudaError_t cudaGetSymbolAddress(void **devPtr, const T &symbol)
{
    return ::cudaGetSymbolAddress(devPtr, (const void *)&symbol);
}

template <class T>
static __inline__ __host__ cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol)
{
    return ::cudaGetSymbolSize(size, (const void *)&symbol);
}

template <class T>
static __inline__ __host__ cudaError_t
cudaMemcpyToSymbol(const T &symbol, const void *src, size_t count, size_t offset = 0,
                   enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return ::cudaMemcpyToSymbol((const void *)&symbol, src, count, offset, kind);
}

template <class T>
static __inline__ __host__ cudaError_t
cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t count, size_t offset = 0,
                        enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{
    return ::cudaMemcpyToSymbolAsync((const void *)&symbol, src, count, offset, kind, stream);
}

template <class T>
static __inline__ __host__ cudaError_t
cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t count, size_t offset = 0,
                     enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return ::cudaMemcpyFromSymbol(dst, (const void *)&symbol, count, offset, kind);
}

template <class T>
static __inline__ __host__ cudaError_t cudaMemcpyFromSymbolAsync(
    void *dst, const T &symbol, size_t count, size_t offset = 0,
    enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0)
{
    return ::cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, count, offset, kind, stream);
}

template <class T>
static __inline__ __host__ cudaError_t cudaGraphAddMemcpyNodeToSymbol(
    cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
    size_t numDependencies, const T &symbol, const void *src, size_t count, size_t offset,
    enum cudaMemcpyKind kind)
{
    return ::cudaGraphAddMemcpyNodeToSymbol(pGraphNode, graph, pDependencies, numDependencies,
                                            (const void *)&symbol, src, count, offset, kind);
}

template <class T>
static __inline__ __host__ cudaError_t cudaGraphAddMemcpyNodeFromSymbol(
    cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
    size_t numDependencies, void *dst, const T &symbol, size_t count, size_t offset,
    enum cudaMemcpyKind kind)
{
    return ::cudaGraphAddMemcpyNodeFromSymbol(pGraphNode, graph, pDependencies, numDependencies,
                                              dst, (const void *)&symbol, count, offset, kind);
}

template <class T>
static __inline__ __host__ cudaError_t
cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const T &symbol, const void *src,
                                     size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    return ::cudaGraphMemcpyNodeSetParamsToSymbol(node, (const void *)&symbol, src, count, offset,
                                                  kind);
}

template <class T>
static __inline__ __host__ cudaError_t
cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst, const T &symbol,
                                       size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    return ::cudaGraphMemcpyNodeSetParamsFromSymbol(node, dst, (const void *)&symbol, count, offset,
                                                    kind);
}

template <class T>
static __inline__ __host__ cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t node, const T &symbol, const void *src,
    size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    return ::cudaGraphExecMemcpyNodeSetParamsToSymbol(hGraphExec, node, (const void *)&symbol, src,
                                                      count, offset, kind);
}

template <class T>
static __inline__ __host__ cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void *dst, const T &symbol, size_t count,
    size_t offset, enum cudaMemcpyKind kind)
{
    return ::cudaGraphExecMemcpyNodeSetParamsFromSymbol(hGraphExec, node, dst,
                                                        (const void *)&symbol, count, offset, kind);
}

/* Kernels and libraries */

template <class T>
static __inline__ __host__ cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr,
                                                             T *entry)
{
    return ::cudaFuncGetAttributes(attr, (const void *)entry);
}

template <class T>
static __inline__ __host__ cudaError_t cudaFuncSetAttribute(T *func, enum cudaFuncAttribute attr,
                                                            int value)
{
    return ::cudaFuncSetAttribute((const void *)func, attr, value);
}

template <class T>
static __inline__ __host__ cudaError_t cudaFuncSetCacheConfig(T *func,
                                                              enum cudaFuncCache cacheConfig)
{
    return ::cudaFuncSetCacheConfig((const void *)func, cacheConfig);
}

template <class T>
static __inline__ __host__ cudaError_t cudaFuncGetName(const char **name, T *func)
{
    return ::cudaFuncGetName(name, (const void *)func);
}

template <class T>
static __inline__ __host__ cudaError_t cudaGetKernel(cudaKernel_t *kernelPtr, T *func)
{
    return ::cudaGetKernel(kernelPtr, (const void *)func);
}

template <class T>
static __inline__ __host__ cudaError_t cudaLibraryGetGlobal(T **dptr, size_t *bytes,
                                                            cudaLibrary_t library, const char *name)
{
    return ::cudaLibraryGetGlobal((void **)(void *)dptr, bytes, library, name);
}

template <class T>
static __inline__ __host__ cudaError_t cudaLibraryGetManaged(T **dptr, size_t *bytes,
                                                             cudaLibrary_t library,
                                                             const char *name)
{
    return ::cudaLibraryGetManaged((void **)(void *)dptr, bytes, library, name);
}

template <class T>
static __inline__ __host__ cudaError_t cudaLibraryGetUnifiedFunction(T **fptr,
                                                                     cudaLibrary_t library,
                                                                     const char *symbol)
{
    return ::cudaLibraryGetUnifiedFunction((void **)(void *)fptr, library, symbol);
}

/* Objects that live as long as a graph needs them */

template <class T> static __host__ void CUDART_CB __cudart_delete(void *object)
{
    delete (T *)object;
}

template <class T>
static __inline__ __host__ cudaError_t cudaUserObjectCreate(cudaUserObject_t *object_out,
                                                            T *objectToWrap,
                                                            unsigned int initialRefcount,
                                                            unsigned int flags)
{
    return ::cudaUserObjectCreate(object_out, objectToWrap, __cudart_delete<T>, initialRefcount,
                                  flags);
}

template <class T>
static __inline__ __host__ cudaError_t cudaUserObjectCreate(cudaUserObject_t *object_out,
                                                            T *objectToWrap,
                                                            unsigned int initialRefcount,
                                                            cudaUserObjectFlags flags)
{
    return cudaUserObjectCreate(object_out, objectToWrap, initialRefcount, (unsigned int)flags);
}

#endif
