/* SPDX-License-Identifier: MIT */
/* Memory and semaphores of other APIs. */
#include "array.h"
#include "driver.h"
#include "runtime_impl.h"

#include <stdint.h>

_Static_assert(sizeof(struct cudaExternalMemoryHandleDesc) ==
                       sizeof(CUDA_EXTERNAL_MEMORY_HANDLE_DESC) &&
                   sizeof(struct cudaExternalMemoryBufferDesc) ==
                       sizeof(CUDA_EXTERNAL_MEMORY_BUFFER_DESC) &&
                   sizeof(struct cudaExternalSemaphoreHandleDesc) ==
                       sizeof(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC) &&
                   sizeof(struct cudaExternalSemaphoreSignalParams) ==
                       sizeof(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS) &&
                   sizeof(struct cudaExternalSemaphoreWaitParams) ==
                       sizeof(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS),
               "descriptions of external objects are the driver's");

cudaError_t impl_cudaImportExternalMemory(cudaExternalMemory_t *extMem_out,
                                          const struct cudaExternalMemoryHandleDesc *memHandleDesc)
{
    return rt_result(rt_driver.cuImportExternalMemory(
        (CUexternalMemory *)(void *)extMem_out,
        (const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *)(const void *)memHandleDesc));
}

cudaError_t impl_cudaDestroyExternalMemory(cudaExternalMemory_t extMem)
{
    return rt_result(rt_driver.cuDestroyExternalMemory((CUexternalMemory)(void *)extMem));
}

cudaError_t
impl_cudaExternalMemoryGetMappedBuffer(void **devPtr, cudaExternalMemory_t extMem,
                                       const struct cudaExternalMemoryBufferDesc *bufferDesc)
{
    return rt_result(rt_driver.cuExternalMemoryGetMappedBuffer(
        (CUdeviceptr *)(void *)devPtr, (CUexternalMemory)(void *)extMem,
        (const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *)(const void *)bufferDesc));
}

cudaError_t impl_cudaExternalMemoryGetMappedMipmappedArray(
    cudaMipmappedArray_t *mipmap, cudaExternalMemory_t extMem,
    const struct cudaExternalMemoryMipmappedArrayDesc *mipmapDesc)
{
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC desc = {0};
    cudaError_t result;

    if (!mipmap || !mipmapDesc)
        return cudaErrorInvalidValue;
    desc.offset = mipmapDesc->offset;
    desc.numLevels = mipmapDesc->numLevels;
    desc.arrayDesc.Width = mipmapDesc->extent.width;
    desc.arrayDesc.Height = mipmapDesc->extent.height;
    desc.arrayDesc.Depth = mipmapDesc->extent.depth;
    desc.arrayDesc.Flags = mipmapDesc->flags;
    result = rt_array_format(&mipmapDesc->formatDesc, &desc.arrayDesc.Format,
                             &desc.arrayDesc.NumChannels);
    if (result != cudaSuccess)
        return result;
    return rt_result(rt_driver.cuExternalMemoryGetMappedMipmappedArray(
        (CUmipmappedArray *)(void *)mipmap, (CUexternalMemory)(void *)extMem, &desc));
}

cudaError_t
impl_cudaImportExternalSemaphore(cudaExternalSemaphore_t *extSem_out,
                                 const struct cudaExternalSemaphoreHandleDesc *semHandleDesc)
{
    return rt_result(rt_driver.cuImportExternalSemaphore(
        (CUexternalSemaphore *)(void *)extSem_out,
        (const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *)(const void *)semHandleDesc));
}

cudaError_t impl_cudaDestroyExternalSemaphore(cudaExternalSemaphore_t extSem)
{
    return rt_result(rt_driver.cuDestroyExternalSemaphore((CUexternalSemaphore)(void *)extSem));
}

cudaError_t
impl_cudaSignalExternalSemaphoresAsync(const cudaExternalSemaphore_t *extSemArray,
                                       const struct cudaExternalSemaphoreSignalParams *paramsArray,
                                       unsigned int numExtSems, cudaStream_t stream)
{
    return rt_result(rt_driver.cuSignalExternalSemaphoresAsync(
        (const CUexternalSemaphore *)(const void *)extSemArray,
        (const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *)(const void *)paramsArray, numExtSems,
        stream));
}

cudaError_t
impl_cudaWaitExternalSemaphoresAsync(const cudaExternalSemaphore_t *extSemArray,
                                     const struct cudaExternalSemaphoreWaitParams *paramsArray,
                                     unsigned int numExtSems, cudaStream_t stream)
{
    return rt_result(rt_driver.cuWaitExternalSemaphoresAsync(
        (const CUexternalSemaphore *)(const void *)extSemArray,
        (const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *)(const void *)paramsArray, numExtSems,
        stream));
}
