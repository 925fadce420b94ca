/* SPDX-License-Identifier: MIT */
/* Texture and surface references: look-up in a module, and binding. */
#include "impl.h"
#include "api/refuse_32bit.h"
#include "core/error.h"
#include "device/context.h"
#include "device/device.h"
#include "image/array.h"
#include "image/mipmap.h"
#include "image/texture_reference.h"
#include "memory/map.h"
#include "module/function.h"
#include "module/references.h"

static CUresult find_in_module(CUmodule handle, const char *name, const void *place,
                               enum cup_object_type type, struct CUtexref_st **reference)
{
    struct CUmod_st *module;
    CUresult result = cup_module_find(handle, &module);

    if (result != CUDA_SUCCESS)
        return result;
    if (!place || !name || !*name)
        result = cup_error(CUDA_ERROR_INVALID_VALUE,
                           "the pointer for the reference is NULL, or the name is NULL or empty");
    else
        result = cup_module_reference(module, name, type, reference);
    cup_module_unref(module);
    return result;
}

CUresult impl_cuModuleGetTexRef(CUtexref *pTexRef, CUmodule hmod, const char *name)
{
    return find_in_module(hmod, name, pTexRef, CUP_OBJECT_TEXTURE_REFERENCE, pTexRef);
}

CUresult impl_cuModuleGetSurfRef(CUsurfref *pSurfRef, CUmodule hmod, const char *name)
{
    struct CUtexref_st *reference;
    CUresult result =
        find_in_module(hmod, name, pSurfRef, CUP_OBJECT_SURFACE_REFERENCE, &reference);

    if (result == CUDA_SUCCESS)
        *pSurfRef = (struct CUsurfref_st *)reference;
    return result;
}

/* Kernels find their references by name, so there is nothing to pass. */
CUresult impl_cuParamSetTexRef(CUfunction hfunc, int texunit, CUtexref hTexRef)
{
    struct CUfunc_st *function;
    struct CUtexref_st *reference;
    CUresult result = cup_function_find(hfunc, &function);

    if (result != CUDA_SUCCESS)
        return result;
    cup_function_unref(function);
    result = cup_reference_find(CUP_OBJECT_TEXTURE_REFERENCE, hTexRef, &reference);
    if (result != CUDA_SUCCESS)
        return result;
    cup_reference_unref(reference);
    return texunit == CU_PARAM_TR_DEFAULT
               ? CUDA_SUCCESS
               : cup_error(CUDA_ERROR_INVALID_VALUE, "texture unit %d", texunit);
}

static CUresult bind_image(CUtexref handle, enum cup_binding binding, struct cup_object *image,
                           const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                           const CUDA_RESOURCE_DESC *resource, unsigned flags)
{
    struct CUtexref_st *reference;
    CUresult result = cup_reference_find(CUP_OBJECT_TEXTURE_REFERENCE, handle, &reference);

    if (result == CUDA_SUCCESS && (flags & ~(unsigned)CU_TRSA_OVERRIDE_FORMAT)) {
        cup_reference_unref(reference);
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "flags 0x%x", flags);
    }
    if (result != CUDA_SUCCESS) {
        cup_object_unref(image);
        return result;
    }
    cup_lock_acquire(&reference->lock);
    reference->format = descriptor->Format;
    reference->channels = descriptor->NumChannels;
    cup_lock_release(&reference->lock);
    cup_reference_bind(reference, binding, image, resource);
    cup_reference_unref(reference);
    return CUDA_SUCCESS;
}

CUresult impl_cuTexRefSetArray(CUtexref hTexRef, CUarray hArray, unsigned int Flags)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
    struct CUarray_st *array;
    CUresult result = cup_array_find(hArray, &array);

    if (result != CUDA_SUCCESS)
        return result;
    resource.res.array.hArray = hArray;
    return bind_image(hTexRef, CUP_BOUND_TO_ARRAY, &array->base, &array->descriptor, &resource,
                      Flags);
}

CUresult impl_cuTexRefSetMipmappedArray(CUtexref hTexRef, CUmipmappedArray hMipmappedArray,
                                        unsigned int Flags)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY};
    struct CUmipmappedArray_st *mipmap;
    CUresult result = cup_mipmap_find(hMipmappedArray, &mipmap);

    if (result != CUDA_SUCCESS)
        return result;
    resource.res.mipmap.hMipmappedArray = hMipmappedArray;
    return bind_image(hTexRef, CUP_BOUND_TO_MIPMAP, &mipmap->base, &mipmap->descriptor, &resource,
                      Flags);
}

/* Returns what the reference is bound to, if it is of this kind. */
static CUresult get_bound(enum cup_object_type type, const void *handle, enum cup_binding binding,
                          const void *place, CUDA_RESOURCE_DESC *resource)
{
    struct CUtexref_st *reference;
    CUresult result = cup_reference_find(type, handle, &reference);

    if (result != CUDA_SUCCESS)
        return result;
    cup_lock_acquire(&reference->lock);
    if (!place || reference->binding != binding)
        result =
            cup_error(CUDA_ERROR_INVALID_VALUE, "the reference is not bound to such an object");
    else
        *resource = reference->resource;
    cup_lock_release(&reference->lock);
    cup_reference_unref(reference);
    return result;
}

static CUresult get_array(enum cup_object_type type, const void *handle, CUarray *array)
{
    CUDA_RESOURCE_DESC resource;
    CUresult result = get_bound(type, handle, CUP_BOUND_TO_ARRAY, array, &resource);

    if (result == CUDA_SUCCESS)
        *array = resource.res.array.hArray;
    return result;
}

CUresult impl_cuTexRefGetArray(CUarray *phArray, CUtexref hTexRef)
{
    return get_array(CUP_OBJECT_TEXTURE_REFERENCE, hTexRef, phArray);
}

CUresult impl_cuTexRefGetMipmappedArray(CUmipmappedArray *phMipmappedArray, CUtexref hTexRef)
{
    CUDA_RESOURCE_DESC resource;
    CUresult result = get_bound(CUP_OBJECT_TEXTURE_REFERENCE, hTexRef, CUP_BOUND_TO_MIPMAP,
                                phMipmappedArray, &resource);

    if (result == CUDA_SUCCESS)
        *phMipmappedArray = resource.res.mipmap.hMipmappedArray;
    return result;
}

CUresult impl_cuSurfRefSetArray(CUsurfref hSurfRef, CUarray hArray, unsigned int Flags)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
    struct CUtexref_st *reference;
    struct CUarray_st *array;
    CUresult result = cup_reference_find(CUP_OBJECT_SURFACE_REFERENCE, hSurfRef, &reference);

    if (result != CUDA_SUCCESS)
        return result;
    result = cup_array_find(hArray, &array);
    if (result == CUDA_SUCCESS &&
        (Flags != 0 || !(array->descriptor.Flags & CUDA_ARRAY3D_SURFACE_LDST))) {
        cup_array_unref(array);
        result = cup_error(CUDA_ERROR_INVALID_VALUE,
                           "flags are not 0, or the array cannot be a surface");
    }
    if (result == CUDA_SUCCESS) {
        resource.res.array.hArray = hArray;
        cup_reference_bind(reference, CUP_BOUND_TO_ARRAY, &array->base, &resource);
    }
    cup_reference_unref(reference);
    return result;
}

CUresult impl_cuSurfRefGetArray(CUarray *phArray, CUsurfref hSurfRef)
{
    return get_array(CUP_OBJECT_SURFACE_REFERENCE, hSurfRef, phArray);
}

static size_t property(CUdevice_attribute attribute)
{
    return (size_t)cup_device_property(cup_device_get(0), attribute);
}

/* An unaligned address is rounded down and the kernel adds the offset, so the output for the offset
 * is required. */
CUresult impl_cuTexRefSetAddress_v2(size_t *ByteOffset, CUtexref hTexRef, CUdeviceptr dptr,
                                    size_t bytes)
{
    size_t rest = cup_map_misalignment(dptr, property(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT));
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR};
    struct CUtexref_st *reference;
    CUresult result = cup_reference_find(CUP_OBJECT_TEXTURE_REFERENCE, hTexRef, &reference);

    if (result != CUDA_SUCCESS)
        return result;
    if (rest && !ByteOffset) {
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx is not aligned for a texture", dptr);
    } else {
        if (ByteOffset)
            *ByteOffset = rest;
        resource.res.linear.devPtr = dptr - rest;
        resource.res.linear.sizeInBytes = bytes + rest;
        cup_reference_bind(reference, dptr ? CUP_BOUND_TO_LINEAR : CUP_BOUND_TO_NOTHING, NULL,
                           &resource);
    }
    cup_reference_unref(reference);
    return result;
}

CUresult impl_cuTexRefSetAddress2D_v3(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR *desc,
                                      CUdeviceptr dptr, size_t Pitch)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_PITCH2D};
    struct CUtexref_st *reference;
    CUresult result = cup_reference_find(CUP_OBJECT_TEXTURE_REFERENCE, hTexRef, &reference);
    const struct cup_format *format = desc ? cup_format_find(desc->Format) : NULL;

    if (result != CUDA_SUCCESS)
        return result;
    if (!format || !cup_format_has_channels(format, desc->NumChannels) ||
        cup_map_misalignment(dptr, property(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT)) != 0 ||
        Pitch % property(CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT) != 0 ||
        Pitch / cup_format_element_bytes(format, desc->NumChannels) < desc->Width) {
        result = cup_error(CUDA_ERROR_INVALID_VALUE,
                           "the description of the image is invalid, or it is not aligned");
    } else {
        resource.res.pitch2D.devPtr = dptr;
        resource.res.pitch2D.format = desc->Format;
        resource.res.pitch2D.numChannels = desc->NumChannels;
        resource.res.pitch2D.width = desc->Width;
        resource.res.pitch2D.height = desc->Height;
        resource.res.pitch2D.pitchInBytes = Pitch;
        cup_reference_bind(reference, CUP_BOUND_TO_PITCHED, NULL, &resource);
    }
    cup_reference_unref(reference);
    return result;
}

CUresult impl_cuTexRefSetAddress2D_v2(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR *desc,
                                      CUdeviceptr dptr, size_t Pitch)
{
    return impl_cuTexRefSetAddress2D_v3(hTexRef, desc, dptr, Pitch);
}

CUresult impl_cuTexRefGetAddress_v2(CUdeviceptr *pdptr, CUtexref hTexRef)
{
    struct CUtexref_st *reference;
    CUresult result = cup_reference_find(CUP_OBJECT_TEXTURE_REFERENCE, hTexRef, &reference);

    if (result != CUDA_SUCCESS)
        return result;
    if (!pdptr) {
        cup_reference_unref(reference);
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the address is NULL");
    }
    cup_lock_acquire(&reference->lock);
    if (reference->binding == CUP_BOUND_TO_LINEAR)
        *pdptr = reference->resource.res.linear.devPtr;
    else if (reference->binding == CUP_BOUND_TO_PITCHED)
        *pdptr = reference->resource.res.pitch2D.devPtr;
    else
        *pdptr = 0;
    if (*pdptr == 0)
        result = cup_error(CUDA_ERROR_INVALID_VALUE, "the reference is not bound to an address");
    cup_lock_release(&reference->lock);
    cup_reference_unref(reference);
    return result;
}

/* The first forms, with 32-bit addresses. The output is cleared before the reference is looked
 * up. */
static CUresult refuse_reference(CUtexref handle, unsigned int *output)
{
    struct CUtexref_st *reference;

    if (output)
        *output = 0;
    CUresult result = cup_reference_find(CUP_OBJECT_TEXTURE_REFERENCE, handle, &reference);
    if (result != CUDA_SUCCESS)
        return result;
    cup_reference_unref(reference);
    return cup_api_refuse_32bit();
}

CUresult impl_cuTexRefGetAddress(CUdeviceptr_v1 *pdptr, CUtexref hTexRef)
{
    return refuse_reference(hTexRef, pdptr);
}

CUresult impl_cuTexRefSetAddress(unsigned int *ByteOffset, CUtexref hTexRef, CUdeviceptr_v1 dptr,
                                 unsigned int bytes)
{
    (void)dptr;
    (void)bytes;
    return refuse_reference(hTexRef, ByteOffset);
}

CUresult impl_cuTexRefSetAddress2D(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR_v1 *desc,
                                   CUdeviceptr_v1 dptr, unsigned int Pitch)
{
    (void)desc;
    (void)dptr;
    (void)Pitch;
    return refuse_reference(hTexRef, NULL);
}
