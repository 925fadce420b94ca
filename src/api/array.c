/* SPDX-License-Identifier: MIT */
/* CUDA arrays: create, describe, get levels and planes, destroy. Most of these calls validate the
 * handle first, as NVIDIA's driver does: they have no precondition, and NULL is an invalid handle
 * even before cuInit. */
#include "api/image.h"
#include "api/refuse_32bit.h"
#include "core/checks.h"
#include "core/error.h"
#include "core/precondition.h"
#include "device/context.h"
#include "image/array.h"
#include "image/layout.h"
#include "image/sparse.h"
#include "impl.h"

#include <string.h>

CUresult cup_api_image_bad_handle(enum cup_object_type type, const void *handle, CUresult found)
{
    if (found == CUDA_ERROR_INVALID_HANDLE && handle && !cup_object_was(type, handle))
        return CUDA_ERROR_INVALID_CONTEXT;
    return found;
}

CUresult cup_api_image_bad_handle_in_query(enum cup_object_type type, const void *handle,
                                           CUresult found)
{
    if (found == CUDA_ERROR_INVALID_CONTEXT)
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return cup_api_image_bad_handle(type, handle, found);
}

CUresult cup_api_image_wait(struct CUctx_st *context)
{
    if (atomic_load(&context->busy_streams) != 0 || cup_checks.streams)
        return cup_context_synchronize(context);
    return cup_device_look(context->device);
}

static CUresult find_to_ask(CUarray handle, struct CUarray_st **array)
{
    CUresult result = cup_array_find(handle, array);

    if (result != CUDA_SUCCESS)
        return cup_api_image_bad_handle_in_query(CUP_OBJECT_ARRAY, handle, result);
    result = cup_precondition_handle(); /* a forked child sees its parent's arrays */
    if (result != CUDA_SUCCESS)
        cup_array_unref(*array);
    return result;
}

CUresult impl_cuArray3DCreate_v2(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray)
{
    struct CUctx_st *context = cup_context_current();

    if (!pHandle || !pAllocateArray)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the descriptor or the pointer for the array is NULL");
    CUDA_ARRAY3D_DESCRIPTOR descriptor = *pAllocateArray;
    cup_descriptor_truncate(&descriptor);
    CUresult result = cup_shape_check(context->device, &descriptor, false, 1);
    return result == CUDA_SUCCESS ? cup_array_create(context, &descriptor, pHandle) : result;
}

CUresult impl_cuArrayCreate_v2(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *pAllocateArray)
{
    if (!pAllocateArray)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the descriptor of the array is NULL");
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {
        .Width = pAllocateArray->Width,
        .Height = pAllocateArray->Height,
        .Format = pAllocateArray->Format,
        .NumChannels = pAllocateArray->NumChannels,
    };
    return impl_cuArray3DCreate_v2(pHandle, &descriptor);
}

CUresult impl_cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *pArrayDescriptor, CUarray hArray)
{
    struct CUarray_st *array;
    CUresult result = find_to_ask(hArray, &array);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_device_report(array->context->device);
    if (result == CUDA_SUCCESS && pArrayDescriptor)
        *pArrayDescriptor = array->descriptor;
    else if (result == CUDA_SUCCESS)
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the descriptor is NULL");
    cup_array_unref(array);
    return result;
}

CUresult impl_cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *pArrayDescriptor, CUarray hArray)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    CUresult result = impl_cuArray3DGetDescriptor_v2(&descriptor, hArray);

    if (result != CUDA_SUCCESS)
        return result;
    if (!pArrayDescriptor)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the descriptor is NULL");
    pArrayDescriptor->Width = descriptor.Width;
    pArrayDescriptor->Height = descriptor.Height;
    pArrayDescriptor->Format = descriptor.Format;
    pArrayDescriptor->NumChannels = descriptor.NumChannels;
    return CUDA_SUCCESS;
}

/* A level or a plane belongs to the whole: destroying one does nothing, and succeeds. */
CUresult impl_cuArrayDestroy(CUarray hArray)
{
    struct CUarray_st *array;
    CUresult result = cup_array_find(hArray, &array);

    if (result != CUDA_SUCCESS)
        return cup_api_image_bad_handle(CUP_OBJECT_ARRAY, hArray, result);
    if (!array->parent) {
        result = cup_api_image_wait(array->context);
        if (result == CUDA_SUCCESS && !cup_array_destroy(array, CUP_RETIRED_DESTROYED))
            result =
                cup_error(CUDA_ERROR_INVALID_HANDLE, "another thread destroyed %p", (void *)hArray);
    }
    cup_array_unref(array);
    return result;
}

CUresult impl_cuArrayGetPlane(CUarray *pPlaneArray, CUarray hArray, unsigned int planeIdx)
{
    struct CUarray_st *array;
    CUresult result = find_to_ask(hArray, &array);

    if (result != CUDA_SUCCESS)
        return result;
    if (!pPlaneArray)
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the plane is NULL");
    else if (planeIdx >= array->format->plane_count)
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "plane %u of %u", planeIdx,
                           array->format->plane_count);
    else
        *pPlaneArray = array->planes[planeIdx];
    cup_array_unref(array);
    return result;
}

/* Finds an array, or a plane of one, that has one of the flags; CUDA_ERROR_INVALID_VALUE for
 * anything else. */
static CUresult find_with_flag(CUarray handle, unsigned flag, const void *output,
                               struct CUarray_st **array)
{
    if (!output || find_to_ask(handle, array) != CUDA_SUCCESS)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the array or the pointer for the result is NULL");
    if (((*array)->descriptor.Flags & flag) && !cup_array_is_level(*array))
        return CUDA_SUCCESS;
    cup_array_unref(*array);
    return cup_error(CUDA_ERROR_INVALID_VALUE, "the array was not created with flag 0x%x", flag);
}

void cup_api_image_requirements(const struct cup_shape *shape,
                                CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements)
{
    memset(requirements, 0, sizeof(*requirements));
    requirements->size = cup_layout_required_bytes(shape);
    requirements->alignment = CUP_LAYOUT_PAGE_BYTES;
}

/* The requirements are the same for every device; NVIDIA's driver does not check that the device
 * exists. */
CUresult impl_cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *memoryRequirements,
                                           CUarray array, CUdevice device)
{
    struct CUarray_st *found;
    CUresult result =
        find_with_flag(array, CUDA_ARRAY3D_DEFERRED_MAPPING, memoryRequirements, &found);

    (void)device;
    if (result != CUDA_SUCCESS)
        return result;
    cup_api_image_requirements(&found->shape, memoryRequirements);
    cup_array_unref(found);
    return CUDA_SUCCESS;
}

CUresult impl_cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *sparseProperties,
                                         CUarray array)
{
    struct CUarray_st *found;
    CUresult result = find_with_flag(array, CUDA_ARRAY3D_SPARSE, sparseProperties, &found);

    if (result != CUDA_SUCCESS)
        return result;
    cup_sparse_properties(&found->shape, sparseProperties);
    cup_array_unref(found);
    return CUDA_SUCCESS;
}

/* The first forms, with 32-bit descriptors. The array is looked up before the library's state and
 * the context are. */
static CUresult refuse_description(CUarray handle)
{
    struct CUarray_st *array;
    CUresult result = cup_array_find(handle, &array);

    if (result != CUDA_SUCCESS)
        return result;
    cup_array_unref(array);
    result = cup_precondition_context();
    return result == CUDA_SUCCESS ? cup_api_refuse_32bit() : result;
}

CUresult impl_cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR_v1 *pArrayDescriptor, CUarray hArray)
{
    (void)pArrayDescriptor;
    return refuse_description(hArray);
}

CUresult impl_cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR_v1 *pArrayDescriptor, CUarray hArray)
{
    (void)pArrayDescriptor;
    return refuse_description(hArray);
}
