/* SPDX-License-Identifier: MIT */
/* Resources of graphics APIs: mapping, unmapping, access to mapped ones. */
#include "driver.h"
#include "runtime_impl.h"

#include <stdint.h>

cudaError_t impl_cudaGraphicsMapResources(int count, cudaGraphicsResource_t *resources,
                                          cudaStream_t stream)
{
    return rt_result(rt_driver.cuGraphicsMapResources(
        (unsigned int)count, (CUgraphicsResource *)(void *)resources, stream));
}

cudaError_t impl_cudaGraphicsUnmapResources(int count, cudaGraphicsResource_t *resources,
                                            cudaStream_t stream)
{
    return rt_result(rt_driver.cuGraphicsUnmapResources(
        (unsigned int)count, (CUgraphicsResource *)(void *)resources, stream));
}

cudaError_t impl_cudaGraphicsUnregisterResource(cudaGraphicsResource_t resource)
{
    return rt_result(rt_driver.cuGraphicsUnregisterResource((CUgraphicsResource)(void *)resource));
}

cudaError_t impl_cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t resource,
                                                 unsigned int flags)
{
    return rt_result(
        rt_driver.cuGraphicsResourceSetMapFlags_v2((CUgraphicsResource)(void *)resource, flags));
}

cudaError_t impl_cudaGraphicsResourceGetMappedPointer(void **devPtr, size_t *size,
                                                      cudaGraphicsResource_t resource)
{
    return rt_result(rt_driver.cuGraphicsResourceGetMappedPointer_v2(
        (CUdeviceptr *)(void *)devPtr, size, (CUgraphicsResource)(void *)resource));
}

cudaError_t impl_cudaGraphicsSubResourceGetMappedArray(cudaArray_t *array,
                                                       cudaGraphicsResource_t resource,
                                                       unsigned int arrayIndex,
                                                       unsigned int mipLevel)
{
    return rt_result(rt_driver.cuGraphicsSubResourceGetMappedArray(
        (CUarray *)(void *)array, (CUgraphicsResource)(void *)resource, arrayIndex, mipLevel));
}

cudaError_t impl_cudaGraphicsResourceGetMappedMipmappedArray(cudaMipmappedArray_t *mipmappedArray,
                                                             cudaGraphicsResource_t resource)
{
    return rt_result(rt_driver.cuGraphicsResourceGetMappedMipmappedArray(
        (CUmipmappedArray *)(void *)mipmappedArray, (CUgraphicsResource)(void *)resource));
}
