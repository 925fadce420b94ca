/* SPDX-License-Identifier: MIT */
/* Arrays and mipmapped arrays: creating, destroying, querying. */
#include "array.h"

#include "context.h"
#include "runtime_impl.h"

RT_EXPORT struct cudaChannelFormatDesc CUDARTAPI cudaCreateChannelDesc(int x, int y, int z, int w,
                                                                       enum cudaChannelFormatKind f)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

enum { NEEDS_3D = cudaArrayLayered | cudaArrayCubemap };

static cudaError_t describe(const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                            unsigned flags, CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
    cudaError_t result;

    *descriptor = (CUDA_ARRAY3D_DESCRIPTOR){
        .Width = extent.width, .Height = extent.height, .Depth = extent.depth, .Flags = flags};
    result = rt_array_format(desc, &descriptor->Format, &descriptor->NumChannels);
    return result;
}

static cudaError_t create(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                          struct cudaExtent extent, unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    CUarray created = NULL;
    cudaError_t result;

    *array = NULL;
    result = describe(desc, extent, flags, &descriptor);
    if (result == cudaSuccess)
        result = rt_result(rt_driver.cuArray3DCreate_v2(&created, &descriptor));
    if (result == cudaSuccess)
        *array = (cudaArray_t)(void *)created;
    return result;
}

cudaError_t impl_cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                                 size_t width, size_t height, unsigned int flags)
{
    if (!array || !desc)
        return cudaErrorInvalidValue;
    if (flags & NEEDS_3D) {
        *array = NULL;
        return cudaErrorInvalidValue;
    }
    return create(array, desc, (struct cudaExtent){width, height, 0}, flags);
}

cudaError_t impl_cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                                   struct cudaExtent extent, unsigned int flags)
{
    if (!array || !desc)
        return cudaErrorInvalidValue;
    return create(array, desc, extent, flags);
}

cudaError_t impl_cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmappedArray,
                                          const struct cudaChannelFormatDesc *desc,
                                          struct cudaExtent extent, unsigned int numLevels,
                                          unsigned int flags)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    CUmipmappedArray created = NULL;
    cudaError_t result;

    if (!mipmappedArray || !desc)
        return cudaErrorInvalidValue;
    *mipmappedArray = NULL;
    result = describe(desc, extent, flags, &descriptor);
    if (result == cudaSuccess)
        result = rt_result(rt_driver.cuMipmappedArrayCreate(&created, &descriptor, numLevels));
    if (result == cudaSuccess)
        *mipmappedArray = (cudaMipmappedArray_t)(void *)created;
    return result;
}

cudaError_t impl_cudaFreeArray(cudaArray_t array)
{
    if (!array)
        return rt_context_bind();
    return rt_result(rt_driver.cuArrayDestroy(rt_array_handle(array)));
}

cudaError_t impl_cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray)
{
    if (!mipmappedArray)
        return rt_context_bind();
    return rt_result(rt_driver.cuMipmappedArrayDestroy(rt_mipmap_handle(mipmappedArray)));
}

cudaError_t impl_cudaGetMipmappedArrayLevel(cudaArray_t *levelArray,
                                            cudaMipmappedArray_const_t mipmappedArray,
                                            unsigned int level)
{
    CUarray array;
    cudaError_t result;

    if (!levelArray && mipmappedArray)
        return cudaErrorInvalidValue;
    result = rt_result(
        rt_driver.cuMipmappedArrayGetLevel(&array, rt_mipmap_handle(mipmappedArray), level));
    if (result == cudaSuccess)
        *levelArray = (cudaArray_t)(void *)array;
    return result;
}

/* Queries about arrays. */

cudaError_t impl_cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                                  unsigned int *flags, cudaArray_t array)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    cudaError_t result =
        rt_result(rt_driver.cuArray3DGetDescriptor_v2(&descriptor, rt_array_handle(array)));

    if (result != cudaSuccess)
        return result;
    if (desc)
        *desc = rt_array_channels(descriptor.Format, descriptor.NumChannels);
    if (extent)
        *extent = (struct cudaExtent){descriptor.Width, descriptor.Height, descriptor.Depth};
    if (flags)
        *flags = descriptor.Flags;
    return cudaSuccess;
}

cudaError_t impl_cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
    if (!desc)
        return cudaErrorInvalidValue;
    return impl_cudaArrayGetInfo(desc, NULL, NULL, (cudaArray_t)(uintptr_t)array);
}

cudaError_t impl_cudaArrayGetPlane(cudaArray_t *pPlaneArray, cudaArray_t hArray,
                                   unsigned int planeIdx)
{
    CUarray plane;
    cudaError_t result;

    if (!pPlaneArray && hArray)
        return cudaErrorInvalidValue;
    result = rt_result(rt_driver.cuArrayGetPlane(&plane, rt_array_handle(hArray), planeIdx));
    if (result == cudaSuccess)
        *pPlaneArray = (cudaArray_t)(void *)plane;
    return result;
}

/* The structs that follow have the driver's layout. */

_Static_assert(sizeof(struct cudaArrayMemoryRequirements) ==
                       sizeof(CUDA_ARRAY_MEMORY_REQUIREMENTS) &&
                   sizeof(struct cudaArraySparseProperties) == sizeof(CUDA_ARRAY_SPARSE_PROPERTIES),
               "answers about arrays are the driver's");

cudaError_t
impl_cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *memoryRequirements,
                                    cudaArray_t array, int device)
{
    return rt_result(rt_driver.cuArrayGetMemoryRequirements(
        (CUDA_ARRAY_MEMORY_REQUIREMENTS *)(void *)memoryRequirements, rt_array_handle(array),
        device));
}

cudaError_t
impl_cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *memoryRequirements,
                                             cudaMipmappedArray_t mipmap, int device)
{
    return rt_result(rt_driver.cuMipmappedArrayGetMemoryRequirements(
        (CUDA_ARRAY_MEMORY_REQUIREMENTS *)(void *)memoryRequirements, rt_mipmap_handle(mipmap),
        device));
}

cudaError_t impl_cudaArrayGetSparseProperties(struct cudaArraySparseProperties *sparseProperties,
                                              cudaArray_t array)
{
    return rt_result(rt_driver.cuArrayGetSparseProperties(
        (CUDA_ARRAY_SPARSE_PROPERTIES *)(void *)sparseProperties, rt_array_handle(array)));
}

cudaError_t
impl_cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *sparseProperties,
                                           cudaMipmappedArray_t mipmap)
{
    return rt_result(rt_driver.cuMipmappedArrayGetSparseProperties(
        (CUDA_ARRAY_SPARSE_PROPERTIES *)(void *)sparseProperties, rt_mipmap_handle(mipmap)));
}
