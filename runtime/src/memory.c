/* SPDX-License-Identifier: MIT */
/* Device memory and host memory: allocating, registering, freeing, querying. */
#include "context.h"
#include "driver.h"
#include "runtime_impl.h"
#include "version.h"

#include <stdint.h>

static CUdeviceptr address_of(const void *pointer)
{
    return (CUdeviceptr)(uintptr_t)pointer;
}

/* Unlike the driver, the runtime accepts a size of 0 and returns NULL. */
cudaError_t impl_cudaMalloc(void **devPtr, size_t size)
{
    CUdeviceptr address = 0;
    cudaError_t result;

    if (!devPtr)
        return cudaErrorInvalidValue;
    if (rt_unlikely(size == 0)) {
        result = rt_context_bind();
        if (result == cudaSuccess)
            *devPtr = NULL;
        return result;
    }
    result = rt_result(rt_driver.cuMemAlloc_v2(&address, size));
    if (rt_unlikely(result != cudaSuccess))
        return rt_context_failed(devPtr, result);
    *devPtr = (void *)(uintptr_t)address;
    return cudaSuccess;
}

/* Programs call cudaFree(0) to create a context. */
cudaError_t impl_cudaFree(void *devPtr)
{
    if (!devPtr) {
        cudaError_t result = rt_context_bind();
        size_t free_bytes, total_bytes;

        /* One driver call checks what a capture forbids, the other whether the context is
         * usable. */
        if (result == cudaSuccess)
            result = rt_result(rt_driver.cuMemFree_v2(0));
        return result != cudaSuccess
                   ? result
                   : rt_result(rt_driver.cuMemGetInfo_v2(&free_bytes, &total_bytes));
    }
    return rt_result(rt_driver.cuMemFree_v2(address_of(devPtr)));
}

cudaError_t impl_cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height)
{
    CUdeviceptr address = 0;
    cudaError_t result;

    if (!devPtr || !pitch)
        return cudaErrorInvalidValue;
    if (width == 0 || height == 0) {
        result = rt_context_bind();
        if (result == cudaSuccess) {
            *devPtr = NULL;
            *pitch = 0;
        }
        return result;
    }
    result = rt_context_bind();
    if (result != cudaSuccess)
        return result;
    result = rt_result(rt_driver.cuMemAllocPitch_v2(&address, pitch, width, height, 4));
    *devPtr = (void *)(uintptr_t)address;
    return result;
}

cudaError_t impl_cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr, struct cudaExtent extent)
{
    size_t rows;
    cudaError_t result;

    if (!pitchedDevPtr)
        return cudaErrorInvalidValue;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
        rows = SIZE_MAX;
    result = impl_cudaMallocPitch(&pitchedDevPtr->ptr, &pitchedDevPtr->pitch, extent.width, rows);
    if (result != cudaSuccess)
        return result;
    pitchedDevPtr->xsize = extent.width;
    pitchedDevPtr->ysize = extent.height;
    return cudaSuccess;
}

cudaError_t impl_cudaMemGetInfo(size_t *free, size_t *total)
{
    return rt_result(rt_driver.cuMemGetInfo_v2(free, total));
}

/* Host memory. */

cudaError_t impl_cudaHostAlloc(void **pHost, size_t size, unsigned int flags)
{
    void *memory;
    cudaError_t result;

    if (!pHost)
        return cudaErrorInvalidValue;
    if (size == 0) {
        result = rt_context_bind();
        if (result == cudaSuccess)
            *pHost = NULL;
        return result;
    }
    result = rt_result(rt_driver.cuMemHostAlloc(&memory, size, flags));
    if (result != cudaSuccess)
        return rt_context_failed(pHost, result);
    *pHost = memory;
    return cudaSuccess;
}

cudaError_t impl_cudaMallocHost(void **ptr, size_t size)
{
    return impl_cudaHostAlloc(ptr, size, cudaHostAllocDefault);
}

cudaError_t impl_cudaFreeHost(void *ptr)
{
    if (!ptr)
        return rt_context_bind();
    return rt_result(rt_driver.cuMemFreeHost(ptr));
}

cudaError_t impl_cudaHostRegister(void *ptr, size_t size, unsigned int flags)
{
    return rt_result(rt_driver.cuMemHostRegister_v2(ptr, size, flags));
}

cudaError_t impl_cudaHostUnregister(void *ptr)
{
    return rt_result(rt_driver.cuMemHostUnregister(ptr));
}

cudaError_t impl_cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned int flags)
{
    CUdeviceptr address;
    cudaError_t result;

    if (!pDevice)
        return cudaErrorInvalidValue;
    result = rt_result(rt_driver.cuMemHostGetDevicePointer_v2(&address, pHost, flags));
    if (result != cudaSuccess)
        return pHost ? rt_context_failed(pDevice, result) : result;
    *pDevice = (void *)(uintptr_t)address;
    return cudaSuccess;
}

cudaError_t impl_cudaHostGetFlags(unsigned int *pFlags, void *pHost)
{
    return rt_result(rt_driver.cuMemHostGetFlags(pFlags, pHost));
}

/* Only devices with locality domains have memory that is local to one. Before 13.4 the field was
 * reserved, and stayed as it was. */
static void read_locality(struct cudaPointerAttributes *attributes, const void *ptr)
{
    int ordinal = -1;

    if (rt_version() < 13040 || rt_driver_version < 13040)
        return;
    if (attributes->type != cudaMemoryTypeDevice ||
        rt_driver.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_LOCALITY_DOMAIN_ORDINAL,
                                        address_of(ptr)) != CUDA_SUCCESS)
        ordinal = -1;
    attributes->localityDomainOrdinal = ordinal;
}

/* Memory that CUDA does not know is ordinary host memory, not an error. */
cudaError_t impl_cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr)
{
    unsigned type = 0, managed = 0;
    int device = -2;
    CUdeviceptr device_pointer = 0;
    void *host_pointer = NULL;
    CUpointer_attribute asked[] = {
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE,    CU_POINTER_ATTRIBUTE_IS_MANAGED,
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
        CU_POINTER_ATTRIBUTE_HOST_POINTER,
    };
    void *answers[] = {&type, &managed, &device, &device_pointer, &host_pointer};
    cudaError_t result;

    if (!attributes)
        return cudaErrorInvalidValue;
    result = rt_result(rt_driver.cuPointerGetAttributes(sizeof asked / sizeof *asked, asked,
                                                        answers, address_of(ptr)));
    if (result != cudaSuccess)
        return result;
    /* The reserved fields stay as they are. */
    attributes->type = managed                        ? cudaMemoryTypeManaged
                       : type == CU_MEMORYTYPE_HOST   ? cudaMemoryTypeHost
                       : type == CU_MEMORYTYPE_DEVICE ? cudaMemoryTypeDevice
                                                      : cudaMemoryTypeUnregistered;
    attributes->device = device;
    attributes->devicePointer = (void *)(uintptr_t)device_pointer;
    attributes->hostPointer = host_pointer;
    if (attributes->type == cudaMemoryTypeUnregistered) {
        attributes->device = cudaInvalidDeviceId;
        attributes->hostPointer = (void *)(uintptr_t)ptr;
    }
    read_locality(attributes, ptr);
    return cudaSuccess;
}
