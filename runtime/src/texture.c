/* SPDX-License-Identifier: MIT */
/* Texture and surface objects: converts descriptors to the driver's and back. */
#include "array.h"
#include "context.h"
#include "driver.h"
#include "runtime_impl.h"

#include <stdint.h>
#include <string.h>

_Static_assert(sizeof(struct cudaResourceViewDesc) == sizeof(CUDA_RESOURCE_VIEW_DESC),
               "resource views are the driver's");

static cudaError_t driver_resource(const struct cudaResourceDesc *from, CUDA_RESOURCE_DESC *to)
{
    memset(to, 0, sizeof *to);
    to->resType = (CUresourcetype)from->resType;
    to->flags = from->flags;
    switch (from->resType) {
    case cudaResourceTypeArray:
        to->res.array.hArray = rt_array_handle(from->res.array.array);
        return cudaSuccess;
    case cudaResourceTypeMipmappedArray:
        to->res.mipmap.hMipmappedArray = rt_mipmap_handle(from->res.mipmap.mipmap);
        return cudaSuccess;
    case cudaResourceTypeLinear:
        to->res.linear.devPtr = (CUdeviceptr)(uintptr_t)from->res.linear.devPtr;
        to->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
        return rt_array_format(&from->res.linear.desc, &to->res.linear.format,
                               &to->res.linear.numChannels);
    case cudaResourceTypePitch2D:
        to->res.pitch2D.devPtr = (CUdeviceptr)(uintptr_t)from->res.pitch2D.devPtr;
        to->res.pitch2D.width = from->res.pitch2D.width;
        to->res.pitch2D.height = from->res.pitch2D.height;
        to->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
        return rt_array_format(&from->res.pitch2D.desc, &to->res.pitch2D.format,
                               &to->res.pitch2D.numChannels);
    default:
        return cudaErrorInvalidValue;
    }
}

static void runtime_resource(const CUDA_RESOURCE_DESC *from, struct cudaResourceDesc *to)
{
    memset(to, 0, sizeof *to);
    to->resType = (enum cudaResourceType)from->resType;
    to->flags = from->flags;
    switch (from->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        to->res.array.array = (cudaArray_t)(void *)from->res.array.hArray;
        break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        to->res.mipmap.mipmap = (cudaMipmappedArray_t)(void *)from->res.mipmap.hMipmappedArray;
        break;
    case CU_RESOURCE_TYPE_LINEAR:
        to->res.linear.devPtr = (void *)(uintptr_t)from->res.linear.devPtr;
        to->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
        to->res.linear.desc =
            rt_array_channels(from->res.linear.format, from->res.linear.numChannels);
        break;
    default:
        to->res.pitch2D.devPtr = (void *)(uintptr_t)from->res.pitch2D.devPtr;
        to->res.pitch2D.width = from->res.pitch2D.width;
        to->res.pitch2D.height = from->res.pitch2D.height;
        to->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
        to->res.pitch2D.desc =
            rt_array_channels(from->res.pitch2D.format, from->res.pitch2D.numChannels);
        break;
    }
}

/* The format of the resource that a texture reads. */
static cudaError_t resource_format(const CUDA_RESOURCE_DESC *resource, CUarray_format *format)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    CUarray array = resource->res.array.hArray;
    CUresult result = CUDA_SUCCESS;

    switch (resource->resType) {
    case CU_RESOURCE_TYPE_LINEAR:
        *format = resource->res.linear.format;
        return cudaSuccess;
    case CU_RESOURCE_TYPE_PITCH2D:
        *format = resource->res.pitch2D.format;
        return cudaSuccess;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        result =
            rt_driver.cuMipmappedArrayGetLevel(&array, resource->res.mipmap.hMipmappedArray, 0);
        break;
    default:
        break;
    }
    if (result == CUDA_SUCCESS)
        result = rt_driver.cuArray3DGetDescriptor_v2(&descriptor, array);
    if (result == CUDA_SUCCESS)
        *format = descriptor.Format;
    return rt_result(result);
}

static bool is_integer(CUarray_format format)
{
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT32:
        return true;
    default:
        return false;
    }
}

static bool is_wide(CUarray_format format)
{
    return format == CU_AD_FORMAT_UNSIGNED_INT32 || format == CU_AD_FORMAT_SIGNED_INT32;
}

/* Only 8- and 16-bit integers can be read as normalised floats, and textures read as integers
 * cannot be filtered. */
static cudaError_t check_reading(const CUDA_RESOURCE_DESC *resource,
                                 const struct cudaTextureDesc *texture)
{
    CUarray_format format;
    cudaError_t result = resource_format(resource, &format);

    if (result != cudaSuccess)
        return result;
    if (texture->filterMode == cudaFilterModeLinear && is_integer(format) &&
        (texture->readMode == cudaReadModeElementType || is_wide(format)))
        return cudaErrorInvalidFilterSetting;
    if (texture->readMode == cudaReadModeNormalizedFloat &&
        (format == CU_AD_FORMAT_UNSIGNED_INT32 || format == CU_AD_FORMAT_SIGNED_INT32 ||
         format == CU_AD_FORMAT_FLOAT || format == CU_AD_FORMAT_HALF))
        return cudaErrorInvalidNormSetting;
    return cudaSuccess;
}

/* Checks the maximum width of a linear texture. */
static cudaError_t check_width(const struct cudaResourceDesc *resource)
{
    const struct cudaChannelFormatDesc *desc = &resource->res.linear.desc;
    /* The program's numbers, which may be any. */
    size_t element_bytes =
        ((unsigned)desc->x + (unsigned)desc->y + (unsigned)desc->z + (unsigned)desc->w) / 8;
    CUdevice device;
    int limit;
    cudaError_t result;

    if (resource->resType != cudaResourceTypeLinear || element_bytes == 0)
        return cudaSuccess;
    result = rt_context_device(&device);
    if (result == cudaSuccess)
        result = rt_result(rt_driver.cuDeviceGetAttribute(
            &limit, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH, device));
    if (result != cudaSuccess)
        return result;
    return resource->res.linear.sizeInBytes / element_bytes > (size_t)limit ? cudaErrorInvalidValue
                                                                            : cudaSuccess;
}

static void driver_texture(const struct cudaTextureDesc *from, CUDA_TEXTURE_DESC *to)
{
    memset(to, 0, sizeof *to);
    for (int i = 0; i < 3; i++)
        to->addressMode[i] = (CUaddress_mode)from->addressMode[i];
    to->filterMode = (CUfilter_mode)from->filterMode;
    if (from->readMode == cudaReadModeElementType)
        to->flags |= CU_TRSF_READ_AS_INTEGER;
    if (from->normalizedCoords)
        to->flags |= CU_TRSF_NORMALIZED_COORDINATES;
    if (from->sRGB)
        to->flags |= CU_TRSF_SRGB;
    if (from->disableTrilinearOptimization)
        to->flags |= CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
    if (from->seamlessCubemap)
        to->flags |= CU_TRSF_SEAMLESS_CUBEMAP;
    to->maxAnisotropy = from->maxAnisotropy;
    to->mipmapFilterMode = (CUfilter_mode)from->mipmapFilterMode;
    to->mipmapLevelBias = from->mipmapLevelBias;
    to->minMipmapLevelClamp = from->minMipmapLevelClamp;
    to->maxMipmapLevelClamp = from->maxMipmapLevelClamp;
    memcpy(to->borderColor, from->borderColor, sizeof to->borderColor);
}

cudaError_t impl_cudaCreateTextureObject(cudaTextureObject_t *pTexObject,
                                         const struct cudaResourceDesc *pResDesc,
                                         const struct cudaTextureDesc *pTexDesc,
                                         const struct cudaResourceViewDesc *pResViewDesc)
{
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC texture;
    cudaError_t result;

    if (!pTexObject || !pResDesc)
        return cudaErrorInvalidValue;
    if (!pTexDesc)
        return cudaErrorInvalidResourceHandle;
    result = driver_resource(pResDesc, &resource);
    if (result == cudaSuccess)
        result = check_width(pResDesc);
    if (result == cudaSuccess)
        result = check_reading(&resource, pTexDesc);
    if (result != cudaSuccess)
        return result;
    driver_texture(pTexDesc, &texture);
    return rt_result(
        rt_driver.cuTexObjectCreate(pTexObject, &resource, &texture,
                                    (const CUDA_RESOURCE_VIEW_DESC *)(const void *)pResViewDesc));
}

cudaError_t impl_cudaDestroyTextureObject(cudaTextureObject_t texObject)
{
    return rt_result(rt_driver.cuTexObjectDestroy(texObject));
}

cudaError_t impl_cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *pResDesc,
                                                  cudaTextureObject_t texObject)
{
    CUDA_RESOURCE_DESC resource;
    cudaError_t result;

    if (!pResDesc)
        return cudaErrorInvalidValue;
    result = rt_result(rt_driver.cuTexObjectGetResourceDesc(&resource, texObject));
    if (result == cudaSuccess)
        runtime_resource(&resource, pResDesc);
    return result;
}

cudaError_t impl_cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *pTexDesc,
                                                 cudaTextureObject_t texObject)
{
    CUDA_TEXTURE_DESC texture;
    cudaError_t result;

    if (!pTexDesc)
        return cudaErrorInvalidResourceHandle;
    result = rt_result(rt_driver.cuTexObjectGetTextureDesc(&texture, texObject));
    if (result != cudaSuccess)
        return result;
    memset(pTexDesc, 0, sizeof *pTexDesc);
    for (int i = 0; i < 3; i++)
        pTexDesc->addressMode[i] = (enum cudaTextureAddressMode)texture.addressMode[i];
    pTexDesc->filterMode = (enum cudaTextureFilterMode)texture.filterMode;
    pTexDesc->readMode = texture.flags & CU_TRSF_READ_AS_INTEGER ? cudaReadModeElementType
                                                                 : cudaReadModeNormalizedFloat;
    pTexDesc->sRGB = !!(texture.flags & CU_TRSF_SRGB);
    memcpy(pTexDesc->borderColor, texture.borderColor, sizeof pTexDesc->borderColor);
    pTexDesc->normalizedCoords = !!(texture.flags & CU_TRSF_NORMALIZED_COORDINATES);
    pTexDesc->maxAnisotropy = texture.maxAnisotropy;
    pTexDesc->mipmapFilterMode = (enum cudaTextureFilterMode)texture.mipmapFilterMode;
    pTexDesc->mipmapLevelBias = texture.mipmapLevelBias;
    pTexDesc->minMipmapLevelClamp = texture.minMipmapLevelClamp;
    pTexDesc->maxMipmapLevelClamp = texture.maxMipmapLevelClamp;
    pTexDesc->disableTrilinearOptimization =
        !!(texture.flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION);
    pTexDesc->seamlessCubemap = !!(texture.flags & CU_TRSF_SEAMLESS_CUBEMAP);
    return cudaSuccess;
}

cudaError_t impl_cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *pResViewDesc,
                                                      cudaTextureObject_t texObject)
{
    return rt_result(rt_driver.cuTexObjectGetResourceViewDesc(
        (CUDA_RESOURCE_VIEW_DESC *)(void *)pResViewDesc, texObject));
}

static bool lacks_array(const struct cudaResourceDesc *resource)
{
    return (resource->resType == cudaResourceTypeArray && !resource->res.array.array) ||
           (resource->resType == cudaResourceTypeMipmappedArray && !resource->res.mipmap.mipmap);
}

cudaError_t impl_cudaCreateSurfaceObject(cudaSurfaceObject_t *pSurfObject,
                                         const struct cudaResourceDesc *pResDesc)
{
    CUDA_RESOURCE_DESC resource;
    cudaError_t result;

    if (!pSurfObject || !pResDesc)
        return cudaErrorInvalidValue;
    if (lacks_array(pResDesc))
        return cudaErrorInvalidResourceHandle;
    result = driver_resource(pResDesc, &resource);
    return result != cudaSuccess ? result
                                 : rt_result(rt_driver.cuSurfObjectCreate(pSurfObject, &resource));
}

cudaError_t impl_cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject)
{
    return rt_result(rt_driver.cuSurfObjectDestroy(surfObject));
}

cudaError_t impl_cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *pResDesc,
                                                  cudaSurfaceObject_t surfObject)
{
    CUDA_RESOURCE_DESC resource;
    cudaError_t result;

    if (!pResDesc)
        return cudaErrorInvalidDevice;
    result = rt_result(rt_driver.cuSurfObjectGetResourceDesc(&resource, surfObject));
    if (result == cudaSuccess)
        runtime_resource(&resource, pResDesc);
    return result;
}

/* The maximum number of elements of a format in a linear texture. */
cudaError_t impl_cudaDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements,
                                                      const struct cudaChannelFormatDesc *fmtDesc,
                                                      int device)
{
    CUarray_format format;
    unsigned channels;
    cudaError_t result;

    if (!maxWidthInElements || !fmtDesc)
        return cudaErrorInvalidValue;
    result = rt_array_format(fmtDesc, &format, &channels);
    if (result != cudaSuccess)
        return result;
    return rt_result(
        rt_driver.cuDeviceGetTexture1DLinearMaxWidth(maxWidthInElements, format, channels, device));
}
