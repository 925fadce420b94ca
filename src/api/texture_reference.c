/* SPDX-License-Identifier: MIT */
/* Texture references: setters and getters. Most settings are not validated until a kernel uses
 * them. */
#include "impl.h"
#include "core/error.h"
#include "device/context.h"
#include "image/texture_reference.h"

#include <stddef.h>
#include <string.h>

enum { KNOWN_FLAGS = 0x3f, AXES = 3 };

/* Finds the reference and acquires its lock. */
static CUresult begin(CUtexref handle, struct CUtexref_st **reference)
{
    CUresult result = cup_reference_find(CUP_OBJECT_TEXTURE_REFERENCE, handle, reference);

    if (result == CUDA_SUCCESS)
        cup_lock_acquire(&(*reference)->lock);
    return result;
}

static CUresult end(struct CUtexref_st *reference, CUresult result)
{
    cup_lock_release(&reference->lock);
    cup_reference_unref(reference);
    return result;
}

static CUresult end_changed(struct CUtexref_st *reference)
{
    cup_reference_changed_locked(reference);
    return end(reference, CUDA_SUCCESS);
}

static CUresult refuse(struct CUtexref_st *reference)
{
    return end(reference,
               cup_error(CUDA_ERROR_INVALID_VALUE,
                         "invalid setting for the texture reference, or a pointer is NULL"));
}

CUresult impl_cuTexRefCreate(CUtexref *pTexRef)
{
    if (!pTexRef)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the reference is NULL");
    return cup_reference_create(CUP_OBJECT_TEXTURE_REFERENCE, cup_context_current(), false,
                                pTexRef);
}

/* A reference of a module is not destroyed; it ends with the module. */
CUresult impl_cuTexRefDestroy(CUtexref hTexRef)
{
    struct CUtexref_st *reference;
    CUresult result = cup_reference_find(CUP_OBJECT_TEXTURE_REFERENCE, hTexRef, &reference);

    if (result != CUDA_SUCCESS)
        return result;
    if (!reference->of_module)
        cup_reference_destroy(reference, CUP_RETIRED_DESTROYED);
    cup_reference_unref(reference);
    return CUDA_SUCCESS;
}

static CUresult change(CUtexref handle, bool valid, size_t offset, const void *value, size_t bytes)
{
    struct CUtexref_st *reference;
    CUresult result = begin(handle, &reference);

    if (result != CUDA_SUCCESS)
        return result;
    if (!valid)
        return refuse(reference);
    memcpy((char *)&reference->texture + offset, value, bytes);
    return end_changed(reference);
}

static CUresult answer(CUtexref handle, size_t offset, void *value, size_t bytes)
{
    struct CUtexref_st *reference;
    CUresult result = begin(handle, &reference);

    if (result != CUDA_SUCCESS)
        return result;
    if (!value)
        return refuse(reference);
    memcpy(value, (const char *)&reference->texture + offset, bytes);
    return end(reference, CUDA_SUCCESS);
}

#define FIELD(name) offsetof(CUDA_TEXTURE_DESC, name)

static bool is_axis(int dim)
{
    return dim >= 0 && dim < AXES;
}

static size_t address_mode_field(int dim)
{
    return FIELD(addressMode) + (size_t)dim * sizeof(CUaddress_mode);
}

CUresult impl_cuTexRefSetAddressMode(CUtexref hTexRef, int dim, CUaddress_mode am)
{
    return change(hTexRef, is_axis(dim), address_mode_field(dim), &am, sizeof(am));
}

CUresult impl_cuTexRefGetAddressMode(CUaddress_mode *pam, CUtexref hTexRef, int dim)
{
    return answer(hTexRef, address_mode_field(dim), is_axis(dim) ? pam : NULL, sizeof(*pam));
}

CUresult impl_cuTexRefSetFilterMode(CUtexref hTexRef, CUfilter_mode fm)
{
    return change(hTexRef, true, FIELD(filterMode), &fm, sizeof(fm));
}

CUresult impl_cuTexRefGetFilterMode(CUfilter_mode *pfm, CUtexref hTexRef)
{
    return answer(hTexRef, FIELD(filterMode), pfm, sizeof(*pfm));
}

CUresult impl_cuTexRefSetMipmapFilterMode(CUtexref hTexRef, CUfilter_mode fm)
{
    bool valid = (unsigned)fm <= CU_TR_FILTER_MODE_LINEAR;

    return change(hTexRef, valid, FIELD(mipmapFilterMode), &fm, sizeof(fm));
}

CUresult impl_cuTexRefGetMipmapFilterMode(CUfilter_mode *pfm, CUtexref hTexRef)
{
    return answer(hTexRef, FIELD(mipmapFilterMode), pfm, sizeof(*pfm));
}

CUresult impl_cuTexRefSetMipmapLevelBias(CUtexref hTexRef, float bias)
{
    return change(hTexRef, true, FIELD(mipmapLevelBias), &bias, sizeof(bias));
}

CUresult impl_cuTexRefGetMipmapLevelBias(float *pbias, CUtexref hTexRef)
{
    return answer(hTexRef, FIELD(mipmapLevelBias), pbias, sizeof(*pbias));
}

CUresult impl_cuTexRefSetMaxAnisotropy(CUtexref hTexRef, unsigned int maxAniso)
{
    return change(hTexRef, true, FIELD(maxAnisotropy), &maxAniso, sizeof(maxAniso));
}

CUresult impl_cuTexRefGetMaxAnisotropy(int *pmaxAniso, CUtexref hTexRef)
{
    return answer(hTexRef, FIELD(maxAnisotropy), pmaxAniso, sizeof(*pmaxAniso));
}

enum { BORDER_BYTES = sizeof(((CUDA_TEXTURE_DESC *)0)->borderColor) };

CUresult impl_cuTexRefSetBorderColor(CUtexref hTexRef, float *pBorderColor)
{
    return change(hTexRef, pBorderColor != NULL, FIELD(borderColor), pBorderColor, BORDER_BYTES);
}

CUresult impl_cuTexRefGetBorderColor(float *pBorderColor, CUtexref hTexRef)
{
    return answer(hTexRef, FIELD(borderColor), pBorderColor, BORDER_BYTES);
}

CUresult impl_cuTexRefSetFlags(CUtexref hTexRef, unsigned int Flags)
{
    bool valid = (Flags & ~(unsigned)KNOWN_FLAGS) == 0;

    return change(hTexRef, valid, FIELD(flags), &Flags, sizeof(Flags));
}

CUresult impl_cuTexRefGetFlags(unsigned int *pFlags, CUtexref hTexRef)
{
    return answer(hTexRef, FIELD(flags), pFlags, sizeof(*pFlags));
}

CUresult impl_cuTexRefSetMipmapLevelClamp(CUtexref hTexRef, float minMipmapLevelClamp,
                                          float maxMipmapLevelClamp)
{
    struct CUtexref_st *reference;
    CUresult result = begin(hTexRef, &reference);

    if (result != CUDA_SUCCESS)
        return result;
    reference->texture.minMipmapLevelClamp = minMipmapLevelClamp;
    reference->texture.maxMipmapLevelClamp = maxMipmapLevelClamp;
    return end_changed(reference);
}

CUresult impl_cuTexRefGetMipmapLevelClamp(float *pminMipmapLevelClamp, float *pmaxMipmapLevelClamp,
                                          CUtexref hTexRef)
{
    struct CUtexref_st *reference;
    CUresult result = begin(hTexRef, &reference);

    if (result != CUDA_SUCCESS)
        return result;
    if (!pminMipmapLevelClamp || !pmaxMipmapLevelClamp)
        return refuse(reference);
    *pminMipmapLevelClamp = reference->texture.minMipmapLevelClamp;
    *pmaxMipmapLevelClamp = reference->texture.maxMipmapLevelClamp;
    return end(reference, CUDA_SUCCESS);
}

CUresult impl_cuTexRefSetFormat(CUtexref hTexRef, CUarray_format fmt, int NumPackedComponents)
{
    struct CUtexref_st *reference;
    CUresult result = begin(hTexRef, &reference);

    if (result != CUDA_SUCCESS)
        return result;
    if (NumPackedComponents < 0 || NumPackedComponents == 3 || NumPackedComponents > 4)
        return refuse(reference);
    reference->format = fmt;
    reference->channels = (unsigned)NumPackedComponents;
    return end_changed(reference);
}

CUresult impl_cuTexRefGetFormat(CUarray_format *pFormat, int *pNumChannels, CUtexref hTexRef)
{
    struct CUtexref_st *reference;
    CUresult result = begin(hTexRef, &reference);

    if (result != CUDA_SUCCESS)
        return result;
    if (!pFormat || !pNumChannels)
        return refuse(reference);
    *pFormat = reference->format;
    *pNumChannels = (int)reference->channels;
    return end(reference, CUDA_SUCCESS);
}
