/* SPDX-License-Identifier: MIT */
/*
 * The CUDA 13.4 runtime API for C++: what cuda_runtime_api.h declares, and templates that spare
 * casts. Programs compiled by nvcc see the header of its toolkit instead; this one serves host
 * compilers, and clang -x cuda where no toolkit is installed.
 */
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

#include "host_defines.h"

#include "builtin_types.h"
#include "cuda_runtime_api.h"
#include "driver_functions.h"
#include "vector_functions.h"

#if defined(__cplusplus)
#include "channel_descriptor.h"

/* Memory */

template <class T> static __inline__ __host__ cudaError_t cudaMalloc(T **devPtr, size_t size)
{
    return ::cudaMalloc((void **)(void *)devPtr, size);
}

template <class T>
static __inline__ __host__ cudaError_t cudaMallocPitch(T **devPtr, size_t *pitch, size_t width,
                                                       size_t height)
{
    return ::cudaMallocPitch((void **)(void *)devPtr, pitch, width, height);
}

template <class T>
static __inline__ __host__ cudaError_t cudaMallocManaged(T **devPtr, size_t size,
                                                         unsigned int flags = cudaMemAttachGlobal)
{
    return ::cudaMallocManaged((void **)(void *)devPtr, size, flags);
}

/* The C function has no flags; this form passes them to cudaHostAlloc. */
static __inline__ __host__ cudaError_t cudaMallocHost(void **ptr, size_t size, unsigned int flags)
{
    return ::cudaHostAlloc(ptr, size, flags);
}

template <class T>
static __inline__ __host__ cudaError_t cudaMallocHost(T **ptr, size_t size, unsigned int flags = 0)
{
    return ::cudaHostAlloc((void **)(void *)ptr, size, flags);
}

template <class T>
static __inline__ __host__ cudaError_t cudaHostAlloc(T **ptr, size_t size, unsigned int flags)
{
    return ::cudaHostAlloc((void **)(void *)ptr, size, flags);
}

template <class T>
static __inline__ __host__ cudaError_t cudaHostGetDevicePointer(T **pDevice, void *pHost,
                                                                unsigned int flags)
{
    return ::cudaHostGetDevicePointer((void **)(void *)pDevice, pHost, flags);
}

template <class T>
static __inline__ __host__ cudaError_t cudaMallocAsync(T **ptr, size_t size, cudaStream_t stream)
{
    return ::cudaMallocAsync((void **)(void *)ptr, size, stream);
}

template <class T>
static __inline__ __host__ cudaError_t cudaMallocFromPoolAsync(T **ptr, size_t size,
                                                               cudaMemPool_t memPool,
                                                               cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync((void **)(void *)ptr, size, memPool, stream);
}

static __inline__ __host__ cudaError_t cudaMallocAsync(void **ptr, size_t size,
                                                       cudaMemPool_t memPool, cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync(ptr, size, memPool, stream);
}

template <class T>
static __inline__ __host__ cudaError_t cudaMallocAsync(T **ptr, size_t size, cudaMemPool_t memPool,
                                                       cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync((void **)(void *)ptr, size, memPool, stream);
}

template <class T>
static __inline__ __host__ cudaError_t cudaStreamAttachMemAsync(
    cudaStream_t stream, T *devPtr, size_t length = 0, unsigned int flags = cudaMemAttachSingle)
{
    return ::cudaStreamAttachMemAsync(stream, (void *)devPtr, length, flags);
}

template <typename T, typename U>
static __inline__ __host__ cudaError_t cudaMemcpyBatchAsync(T *const *dsts, U *const *srcs,
                                                            const size_t *sizes, size_t count,
                                                            struct cudaMemcpyAttributes *attrs,
                                                            size_t *attrsIdxs, size_t numAttrs,
                                                            cudaStream_t hStream)
{
    return ::cudaMemcpyBatchAsync((void *const *)dsts, (const void *const *)srcs, sizes, count,
                                  attrs, attrsIdxs, numAttrs, hStream);
}

template <typename T, typename U>
static __inline__ __host__ cudaError_t cudaMemcpyAsync(T dst, U src, const size_t size,
                                                       struct cudaMemcpyAttributes *attr,
                                                       cudaStream_t hStream)
{
    return ::cudaMemcpyWithAttributesAsync((void *)dst, (const void *)src, size, attr, hStream);
}

/* The same attributes for every copy. */
template <typename T, typename U>
static __inline__ __host__ cudaError_t cudaMemcpyBatchAsync(T *const *dsts, U *const *srcs,
                                                            const size_t *sizes, size_t count,
                                                            struct cudaMemcpyAttributes attr,
                                                            cudaStream_t hStream)
{
    size_t first = 0;

    return ::cudaMemcpyBatchAsync(dsts, srcs, sizes, count, &attr, &first, 1, hStream);
}

template <typename T>
static __inline__ __host__ cudaError_t cudaMemPrefetchBatchAsync(
    T **dptrs, size_t *sizes, size_t count, struct cudaMemLocation *prefetchLocs,
    size_t *prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags, cudaStream_t stream)
{
    return ::cudaMemPrefetchBatchAsync((void **)(void *)dptrs, sizes, count, prefetchLocs,
                                       prefetchLocIdxs, numPrefetchLocs, flags, stream);
}

template <typename T>
static __inline__ __host__ cudaError_t cudaMemPrefetchBatchAsync(
    T **dptrs, size_t *sizes, size_t count, struct cudaMemLocation prefetchLocs,
    unsigned long long flags, cudaStream_t stream)
{
    size_t first = 0;

    return ::cudaMemPrefetchBatchAsync(dptrs, sizes, count, &prefetchLocs, &first, 1, flags,
                                       stream);
}

template <typename T>
static __inline__ __host__ cudaError_t cudaMemDiscardAndPrefetchBatchAsync(
    T **dptrs, size_t *sizes, size_t count, struct cudaMemLocation *prefetchLocs,
    size_t *prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags, cudaStream_t stream)
{
    return ::cudaMemDiscardAndPrefetchBatchAsync((void **)(void *)dptrs, sizes, count, prefetchLocs,
                                                 prefetchLocIdxs, numPrefetchLocs, flags, stream);
}

template <typename T>
static __inline__ __host__ cudaError_t cudaMemDiscardAndPrefetchBatchAsync(
    T **dptrs, size_t *sizes, size_t count, struct cudaMemLocation prefetchLocs,
    unsigned long long flags, cudaStream_t stream)
{
    size_t first = 0;

    return ::cudaMemDiscardAndPrefetchBatchAsync(dptrs, sizes, count, &prefetchLocs, &first, 1,
                                                 flags, stream);
}

/* Events and graphs */

static __inline__ __host__ cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
    return ::cudaEventCreateWithFlags(event, flags);
}

/* The form of CUDA 11: neither the node nor the log is written. */
static __inline__ __host__ cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec,
                                                            cudaGraph_t graph,
                                                            cudaGraphNode_t *pErrorNode,
                                                            char *pLogBuffer, size_t bufferSize)
{
    (void)pErrorNode;
    (void)pLogBuffer;
    (void)bufferSize;
    return ::cudaGraphInstantiate(pGraphExec, graph, 0);
}

/* Launches */

template <class T>
static __inline__ __host__ cudaError_t cudaLaunchKernel(T *func, dim3 gridDim, dim3 blockDim,
                                                        void **args, size_t sharedMem = 0,
                                                        cudaStream_t stream = 0)
{
    return ::cudaLaunchKernel((const void *)func, gridDim, blockDim, args, sharedMem, stream);
}

template <class T>
static __inline__ __host__ cudaError_t cudaLaunchCooperativeKernel(T *func, dim3 gridDim,
                                                                   dim3 blockDim, void **args,
                                                                   size_t sharedMem = 0,
                                                                   cudaStream_t stream = 0)
{
    return ::cudaLaunchCooperativeKernel((const void *)func, gridDim, blockDim, args, sharedMem,
                                         stream);
}

#if __cplusplus >= 201103L
/* Takes the arguments by value as the kernel's parameters, so that each is converted to the
 * parameter's type, and launches with their addresses. */
template <typename... Parameters> struct __cudart_launch {
    static cudaError_t with(const cudaLaunchConfig_t *config, const void *kernel,
                            Parameters... values)
    {
        void *addresses[sizeof...(values) + 1] = {
            (void *)&reinterpret_cast<const char &>(values)...};

        return ::cudaLaunchKernelExC(config, kernel, addresses);
    }
};

template <typename... ExpTypes, typename... ActTypes>
static __inline__ __host__ cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                                          void (*kernel)(ExpTypes...),
                                                          ActTypes &&...args)
{
    return __cudart_launch<ExpTypes...>::with(config, (const void *)kernel,
                                              static_cast<ActTypes &&>(args)...);
}

/* Nothing is known of the parameters of a handle's kernel: the arguments go as they are. */
template <typename... ActTypes>
static __inline__ __host__ cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                                          const cudaKernel_t kernel,
                                                          ActTypes &&...args)
{
    void *addresses[sizeof...(args) + 1] = {(void *)&reinterpret_cast<const char &>(args)...};

    return ::cudaLaunchKernelExC(config, (const void *)kernel, addresses);
}
#endif

#include "cudart_occupancy.h"

#if defined(__CUDACC__) || defined(__CUDA__)
#include "cudart_symbol.h"
#endif
#if defined(__clang__) && defined(__CUDA__) && !defined(__CLANG_CUDA_RUNTIME_WRAPPER_H__)
#include "cudart_clang.h"
#endif

#endif
#endif
