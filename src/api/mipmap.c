/* SPDX-License-Identifier: MIT */
/* Mipmapped arrays, by the same rules as array.c. */
#include "api/image.h"
#include "core/error.h"
#include "core/precondition.h"
#include "device/context.h"
#include "image/mipmap.h"
#include "image/sparse.h"
#include "impl.h"

static CUresult find_to_ask(CUmipmappedArray handle, struct CUmipmappedArray_st **mipmap)
{
    CUresult result = cup_mipmap_find(handle, mipmap);

    if (result != CUDA_SUCCESS)
        return cup_api_image_bad_handle_in_query(CUP_OBJECT_MIPMAP, handle, result);
    result = cup_precondition_handle(); /* a forked child sees its parent's mipmaps */
    if (result != CUDA_SUCCESS)
        cup_mipmap_unref(*mipmap);
    return result;
}

CUresult impl_cuMipmappedArrayCreate(CUmipmappedArray *pHandle,
                                     const CUDA_ARRAY3D_DESCRIPTOR *pMipmappedArrayDesc,
                                     unsigned int numMipmapLevels)
{
    struct CUctx_st *context = cup_context_current();

    if (!pHandle || !pMipmappedArrayDesc)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the descriptor or the pointer for the array is NULL");
    CUDA_ARRAY3D_DESCRIPTOR descriptor = *pMipmappedArrayDesc;
    cup_descriptor_truncate(&descriptor);
    CUresult result = cup_shape_check(context->device, &descriptor, true, numMipmapLevels);
    if (result != CUDA_SUCCESS)
        return result;
    return cup_mipmap_create(context, &descriptor, numMipmapLevels, pHandle);
}

CUresult impl_cuMipmappedArrayGetLevel(CUarray *pLevelArray, CUmipmappedArray hMipmappedArray,
                                       unsigned int level)
{
    struct CUmipmappedArray_st *mipmap;
    CUresult result = find_to_ask(hMipmappedArray, &mipmap);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_device_report(mipmap->context->device);
    if (result == CUDA_SUCCESS && !pLevelArray)
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the level is NULL");
    else if (result == CUDA_SUCCESS && level >= mipmap->shape.levels)
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "level %u of %u", level, mipmap->shape.levels);
    else if (result == CUDA_SUCCESS)
        *pLevelArray = mipmap->levels[level];
    cup_mipmap_unref(mipmap);
    return result;
}

/* An array on the memory of a graphics resource ends with the resource: destroying it does nothing,
 * and succeeds. */
CUresult impl_cuMipmappedArrayDestroy(CUmipmappedArray hMipmappedArray)
{
    struct CUmipmappedArray_st *mipmap;
    CUresult result = cup_mipmap_find(hMipmappedArray, &mipmap);

    if (result != CUDA_SUCCESS)
        return cup_api_image_bad_handle(CUP_OBJECT_MIPMAP, hMipmappedArray, result);
    if (!mipmap->owner) {
        result = cup_api_image_wait(mipmap->context);
        if (result == CUDA_SUCCESS && !cup_mipmap_destroy(mipmap, CUP_RETIRED_DESTROYED))
            result = cup_error(CUDA_ERROR_INVALID_HANDLE, "another thread destroyed %p",
                               (void *)hMipmappedArray);
    }
    cup_mipmap_unref(mipmap);
    return result;
}

/* Returns INVALID_VALUE for anything but a mipmapped array created with the flag. */
static CUresult find_with_flag(CUmipmappedArray handle, unsigned flag, const void *output,
                               struct CUmipmappedArray_st **mipmap)
{
    if (!output || find_to_ask(handle, mipmap) != CUDA_SUCCESS)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the mipmapped array or the pointer for the result is NULL");
    if ((*mipmap)->descriptor.Flags & flag)
        return CUDA_SUCCESS;
    cup_mipmap_unref(*mipmap);
    return cup_error(CUDA_ERROR_INVALID_VALUE, "the mipmapped array was not created with flag 0x%x",
                     flag);
}

CUresult
impl_cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *memoryRequirements,
                                           CUmipmappedArray mipmap, CUdevice device)
{
    struct CUmipmappedArray_st *found;
    CUresult result =
        find_with_flag(mipmap, CUDA_ARRAY3D_DEFERRED_MAPPING, memoryRequirements, &found);

    (void)device;
    if (result != CUDA_SUCCESS)
        return result;
    cup_api_image_requirements(&found->shape, memoryRequirements);
    cup_mipmap_unref(found);
    return CUDA_SUCCESS;
}

CUresult impl_cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *sparseProperties,
                                                  CUmipmappedArray mipmap)
{
    struct CUmipmappedArray_st *found;
    CUresult result = find_with_flag(mipmap, CUDA_ARRAY3D_SPARSE, sparseProperties, &found);

    if (result != CUDA_SUCCESS)
        return result;
    cup_sparse_properties(&found->shape, sparseProperties);
    cup_mipmap_unref(found);
    return CUDA_SUCCESS;
}
