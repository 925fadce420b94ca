/* SPDX-License-Identifier: MIT */
/* Variables of device code, by the address of their host shadow. */
#include "copy.h"
#include "registry.h"
#include "runtime_impl.h"

#include <stdint.h>

cudaError_t impl_cudaGetSymbolAddress(void **devPtr, const void *symbol)
{
    CUdeviceptr address;
    cudaError_t result;

    result = rt_registry_symbol(symbol, &address, NULL);
    if (result != cudaSuccess)
        return result;
    if (!devPtr)
        return cudaErrorInvalidValue;
    *devPtr = (void *)(uintptr_t)address;
    return cudaSuccess;
}

cudaError_t impl_cudaGetSymbolSize(size_t *size, const void *symbol)
{
    size_t bytes;
    cudaError_t result = rt_registry_symbol(symbol, NULL, &bytes);

    if (result != cudaSuccess)
        return result;
    if (!size)
        return cudaErrorInvalidValue;
    *size = bytes;
    return cudaSuccess;
}

/* The address of `count` bytes at `offset` of a symbol. */
static cudaError_t find_part(const void *symbol, size_t count, size_t offset, void **address)
{
    CUdeviceptr base;
    size_t bytes;
    cudaError_t result = rt_registry_symbol(symbol, &base, &bytes);

    if (result != cudaSuccess)
        return result;
    if (offset > bytes || count > bytes - offset)
        return cudaErrorInvalidValue;
    *address = (void *)(uintptr_t)(base + offset);
    return cudaSuccess;
}

static cudaError_t copy_to_symbol(const void *symbol, const void *src, size_t count, size_t offset,
                                  enum cudaMemcpyKind kind, struct rt_submission submission)
{
    void *address;
    cudaError_t result;

    if (count == 0)
        return rt_copy_nothing();
    result = find_part(symbol, count, offset, &address);
    if (result != cudaSuccess)
        return result;
    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    return rt_copy_linear(address, src, count, kind, submission);
}

static cudaError_t copy_from_symbol(void *dst, const void *symbol, size_t count, size_t offset,
                                    enum cudaMemcpyKind kind, struct rt_submission submission)
{
    void *address;
    cudaError_t result;

    if (count == 0)
        return rt_copy_nothing();
    result = find_part(symbol, count, offset, &address);
    if (result != cudaSuccess)
        return result;
    if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    return rt_copy_linear(dst, address, count, kind, submission);
}

cudaError_t impl_cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count,
                                    size_t offset, enum cudaMemcpyKind kind,
                                    cudaStream_t default_stream)
{
    return copy_to_symbol(symbol, src, count, offset, kind, RT_COPY_SYNC(default_stream));
}

cudaError_t impl_cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count,
                                         size_t offset, enum cudaMemcpyKind kind,
                                         cudaStream_t stream)
{
    return copy_to_symbol(symbol, src, count, offset, kind, RT_COPY_ASYNC(stream));
}

cudaError_t impl_cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t default_stream)
{
    return copy_from_symbol(dst, symbol, count, offset, kind, RT_COPY_SYNC(default_stream));
}

cudaError_t impl_cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count,
                                           size_t offset, enum cudaMemcpyKind kind,
                                           cudaStream_t stream)
{
    return copy_from_symbol(dst, symbol, count, offset, kind, RT_COPY_ASYNC(stream));
}
