/* SPDX-License-Identifier: MIT */
/*
 * The occupancy functions of cuda_runtime.h: the C functions with a kernel of any type, and the
 * search for the block size that keeps most threads on a multiprocessor.
 */
#ifndef __CUDART_OCCUPANCY_H__
#define __CUDART_OCCUPANCY_H__

#include "cuda_runtime_api.h"

template <class T>
static __inline__ __host__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *numBlocks, T func, int blockSize, size_t dynamicSMemSize, unsigned int flags)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks, (const void *)func, blockSize, dynamicSMemSize, flags);
}

template <class T>
static __inline__ __host__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *numBlocks, T func, int blockSize, size_t dynamicSMemSize)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks, (const void *)func, blockSize, dynamicSMemSize, cudaOccupancyDefault);
}

template <class T>
static __inline__ __host__ cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(
    size_t *dynamicSmemSize, T *func, int numBlocks, int blockSize)
{
    return ::cudaOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize, (const void *)func,
                                                       numBlocks, blockSize);
}

template <class T>
static __inline__ __host__ cudaError_t
cudaOccupancyMaxPotentialClusterSize(int *clusterSize, T *func, const cudaLaunchConfig_t *config)
{
    return ::cudaOccupancyMaxPotentialClusterSize(clusterSize, (const void *)func, config);
}

template <class T>
static __inline__ __host__ cudaError_t
cudaOccupancyMaxActiveClusters(int *numClusters, T *func, const cudaLaunchConfig_t *config)
{
    return ::cudaOccupancyMaxActiveClusters(numClusters, (const void *)func, config);
}

/* What the search needs to know of the current device and of the kernel. */
struct __cudart_block_limits {
    int threads_per_multiprocessor;
    int multiprocessors;
    int warp;
    int largest_block;
};

static __inline__ __host__ cudaError_t __cudart_get_block_limits(__cudart_block_limits *limits,
                                                                 const void *func)
{
    struct cudaFuncAttributes kernel;
    int device = 0;
    cudaError_t error = ::cudaGetDevice(&device);

    if (error == cudaSuccess)
        error = ::cudaDeviceGetAttribute(&limits->threads_per_multiprocessor,
                                         cudaDevAttrMaxThreadsPerMultiProcessor, device);
    if (error == cudaSuccess)
        error = ::cudaDeviceGetAttribute(&limits->multiprocessors, cudaDevAttrMultiProcessorCount,
                                         device);
    if (error == cudaSuccess)
        error = ::cudaDeviceGetAttribute(&limits->warp, cudaDevAttrWarpSize, device);
    if (error == cudaSuccess)
        error =
            ::cudaDeviceGetAttribute(&limits->largest_block, cudaDevAttrMaxThreadsPerBlock, device);
    if (error == cudaSuccess)
        error = ::cudaFuncGetAttributes(&kernel, func);
    if (error == cudaSuccess && kernel.maxThreadsPerBlock < limits->largest_block)
        limits->largest_block = kernel.maxThreadsPerBlock;
    return error;
}

/* Tries whole warps from the largest block down; of equally good sizes the largest stays. */
template <typename UnaryFunction, class T>
static __inline__ __host__ cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
    int *minGridSize, int *blockSize, T func, UnaryFunction blockSizeToDynamicSMemSize,
    int blockSizeLimit = 0, unsigned int flags = 0)
{
    __cudart_block_limits limits;
    int best_threads = 0, best_blocks = 0, best_size = 0;
    cudaError_t error;

    if (!minGridSize || !blockSize || !func)
        return cudaErrorInvalidValue;
    error = __cudart_get_block_limits(&limits, (const void *)func);
    if (error != cudaSuccess)
        return error;
    if (blockSizeLimit > 0 && blockSizeLimit < limits.largest_block)
        limits.largest_block = blockSizeLimit;

    for (int warps = (limits.largest_block + limits.warp - 1) / limits.warp; warps > 0; warps--) {
        int size = warps * limits.warp, blocks = 0;

        if (size > limits.largest_block)
            size = limits.largest_block;
        error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &blocks, (const void *)func, size, blockSizeToDynamicSMemSize(size), flags);
        if (error != cudaSuccess)
            return error;
        if (blocks * size > best_threads) {
            best_threads = blocks * size;
            best_blocks = blocks;
            best_size = size;
        }
        if (best_threads == limits.threads_per_multiprocessor)
            break;
    }
    *minGridSize = best_blocks * limits.multiprocessors;
    *blockSize = best_size;
    return cudaSuccess;
}

template <typename UnaryFunction, class T>
static __inline__ __host__ cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(
    int *minGridSize, int *blockSize, T func, UnaryFunction blockSizeToDynamicSMemSize,
    int blockSizeLimit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        minGridSize, blockSize, func, blockSizeToDynamicSMemSize, blockSizeLimit,
        cudaOccupancyDefault);
}

/* Shared memory that does not depend on the block size. */
struct __cudart_constant_size {
    size_t size_bytes;
    __host__ size_t operator()(int) const
    {
        return size_bytes;
    }
};

template <class T>
static __inline__ __host__ cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(
    int *minGridSize, int *blockSize, T func, size_t dynamicSMemSize = 0, int blockSizeLimit = 0,
    unsigned int flags = 0)
{
    __cudart_constant_size size = {dynamicSMemSize};

    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(minGridSize, blockSize, func,
                                                                   size, blockSizeLimit, flags);
}

template <class T>
static __inline__ __host__ cudaError_t cudaOccupancyMaxPotentialBlockSize(
    int *minGridSize, int *blockSize, T func, size_t dynamicSMemSize = 0, int blockSizeLimit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(
        minGridSize, blockSize, func, dynamicSMemSize, blockSizeLimit, cudaOccupancyDefault);
}

#endif
