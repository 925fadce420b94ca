/* SPDX-License-Identifier: MIT */
/* Memory pools and stream-ordered allocation. */
#include "driver.h"
#include "runtime_impl.h"

#include <stdint.h>

_Static_assert(sizeof(struct cudaMemPoolProps) == sizeof(CUmemPoolProps) &&
                   sizeof(struct cudaMemAccessDesc) == sizeof(CUmemAccessDesc) &&
                   sizeof(struct cudaMemPoolPtrExportData) == sizeof(CUmemPoolPtrExportData),
               "descriptions of pools are the driver's");

cudaError_t impl_cudaMemPoolCreate(cudaMemPool_t *memPool, const struct cudaMemPoolProps *poolProps)
{
    return rt_result(
        rt_driver.cuMemPoolCreate(memPool, (const CUmemPoolProps *)(const void *)poolProps));
}

cudaError_t impl_cudaMemPoolDestroy(cudaMemPool_t memPool)
{
    return rt_result(rt_driver.cuMemPoolDestroy(memPool));
}

cudaError_t impl_cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep)
{
    return rt_result(rt_driver.cuMemPoolTrimTo(memPool, minBytesToKeep));
}

cudaError_t impl_cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr,
                                         void *value)
{
    return rt_result(rt_driver.cuMemPoolGetAttribute(memPool, (CUmemPool_attribute)attr, value));
}

cudaError_t impl_cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr,
                                         void *value)
{
    return rt_result(rt_driver.cuMemPoolSetAttribute(memPool, (CUmemPool_attribute)attr, value));
}

cudaError_t impl_cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t memPool,
                                      struct cudaMemLocation *location)
{
    return rt_result(rt_driver.cuMemPoolGetAccess((CUmemAccess_flags *)(void *)flags, memPool,
                                                  (CUmemLocation *)(void *)location));
}

cudaError_t impl_cudaMemPoolSetAccess(cudaMemPool_t memPool,
                                      const struct cudaMemAccessDesc *descList, size_t count)
{
    if (memPool && count == 0)
        return cudaSuccess;
    if (!descList)
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++)
        if (descList[i].location.type != cudaMemLocationTypeDevice)
            return cudaErrorNotSupported;
    return rt_result(rt_driver.cuMemPoolSetAccess(
        memPool, (const CUmemAccessDesc *)(const void *)descList, count));
}

cudaError_t impl_cudaMemPoolExportToShareableHandle(void *shareableHandle, cudaMemPool_t memPool,
                                                    enum cudaMemAllocationHandleType handleType,
                                                    unsigned int flags)
{
    return rt_result(rt_driver.cuMemPoolExportToShareableHandle(
        shareableHandle, memPool, (CUmemAllocationHandleType)handleType,
        (unsigned long long)flags));
}

cudaError_t impl_cudaMemPoolImportFromShareableHandle(cudaMemPool_t *memPool, void *shareableHandle,
                                                      enum cudaMemAllocationHandleType handleType,
                                                      unsigned int flags)
{
    return rt_result(rt_driver.cuMemPoolImportFromShareableHandle(
        memPool, shareableHandle, (CUmemAllocationHandleType)handleType,
        (unsigned long long)flags));
}

cudaError_t impl_cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *exportData, void *ptr)
{
    return rt_result(rt_driver.cuMemPoolExportPointer((CUmemPoolPtrExportData *)(void *)exportData,
                                                      (CUdeviceptr)(uintptr_t)ptr));
}

cudaError_t impl_cudaMemPoolImportPointer(void **ptr, cudaMemPool_t memPool,
                                          struct cudaMemPoolPtrExportData *exportData)
{
    return rt_result(rt_driver.cuMemPoolImportPointer(
        (CUdeviceptr *)(void *)ptr, memPool, (CUmemPoolPtrExportData *)(void *)exportData));
}

cudaError_t impl_cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device)
{
    return rt_result(rt_driver.cuDeviceGetDefaultMemPool(memPool, (CUdevice)device));
}

/* An invalid device is cudaErrorInvalidValue here. */
static cudaError_t pool_result(CUresult result)
{
    return result == CUDA_ERROR_INVALID_DEVICE ? cudaErrorInvalidValue : rt_result(result);
}

cudaError_t impl_cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device)
{
    return pool_result(rt_driver.cuDeviceGetMemPool(memPool, (CUdevice)device));
}

cudaError_t impl_cudaDeviceSetMemPool(int device, cudaMemPool_t memPool)
{
    return pool_result(rt_driver.cuDeviceSetMemPool((CUdevice)device, memPool));
}

cudaError_t impl_cudaMemGetDefaultMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
                                          enum cudaMemAllocationType type)
{
    return rt_result(rt_driver.cuMemGetDefaultMemPool(memPool, (CUmemLocation *)(void *)location,
                                                      (CUmemAllocationType)type));
}

cudaError_t impl_cudaMemGetMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
                                   enum cudaMemAllocationType type)
{
    return rt_result(rt_driver.cuMemGetMemPool(memPool, (CUmemLocation *)(void *)location,
                                               (CUmemAllocationType)type));
}

cudaError_t impl_cudaMemSetMemPool(struct cudaMemLocation *location,
                                   enum cudaMemAllocationType type, cudaMemPool_t memPool)
{
    return rt_result(rt_driver.cuMemSetMemPool((CUmemLocation *)(void *)location,
                                               (CUmemAllocationType)type, memPool));
}

cudaError_t impl_cudaMallocAsync(void **devPtr, size_t size, cudaStream_t hStream)
{
    if (!devPtr)
        return cudaErrorInvalidValue;
    *devPtr = NULL;
    return rt_result(rt_driver.cuMemAllocAsync((CUdeviceptr *)(void *)devPtr, size, hStream));
}

cudaError_t impl_cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t memPool,
                                         cudaStream_t stream)
{
    if (!ptr)
        return cudaErrorInvalidValue;
    *ptr = NULL;
    return rt_result(
        rt_driver.cuMemAllocFromPoolAsync((CUdeviceptr *)(void *)ptr, size, memPool, stream));
}

cudaError_t impl_cudaFreeAsync(void *devPtr, cudaStream_t hStream)
{
    return rt_result(rt_driver.cuMemFreeAsync((CUdeviceptr)(uintptr_t)devPtr, hStream));
}
