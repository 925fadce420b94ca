/* SPDX-License-Identifier: MIT */
/*
 * What clang's -x cuda needs of a runtime where no toolkit is installed (-nocudainc): the call
 * behind
 * <<<>>>, threadIdx and the like, and printf. Device code has clang's builtins beside that;
 * mathematical functions need the libdevice of a toolkit.
 */
#ifndef __CUDART_CLANG_H__
#define __CUDART_CLANG_H__

#include "vector_types.h"

#include <stddef.h>

extern "C" unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem = 0,
                                                void *stream = 0);
extern "C" __device__ int printf(const char *format, ...);

#include <__clang_cuda_builtin_vars.h>

__device__ inline __cuda_builtin_threadIdx_t::operator dim3() const
{
    return dim3(x, y, z);
}

__device__ inline __cuda_builtin_threadIdx_t::operator uint3() const
{
    return {x, y, z};
}

__device__ inline __cuda_builtin_blockIdx_t::operator dim3() const
{
    return dim3(x, y, z);
}

__device__ inline __cuda_builtin_blockIdx_t::operator uint3() const
{
    return {x, y, z};
}

__device__ inline __cuda_builtin_blockDim_t::operator dim3() const
{
    return dim3(x, y, z);
}

__device__ inline __cuda_builtin_blockDim_t::operator uint3() const
{
    return {x, y, z};
}

__device__ inline __cuda_builtin_gridDim_t::operator dim3() const
{
    return dim3(x, y, z);
}

__device__ inline __cuda_builtin_gridDim_t::operator uint3() const
{
    return {x, y, z};
}

#endif
