/* SPDX-License-Identifier: MIT */
/* Texture references: what is set, and what is asked. Most of what can be set is not looked at
 * before a kernel uses it. */
#include "bodies.h"
#include "core/error.h"
#include "device/context.h"
#include "image/texture_reference.h"

#include <string.h>

enum { KNOWN_FLAGS = 0x3f, AXES = 3 };

/* Finds it, and holds its lock. */
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
    return end(reference, cup_error(CUDA_ERROR_INVALID_VALUE, "the reference is not set so"));
}

CUresult body_cuTexRefCreate(CUtexref *pTexRef)
{
    if (!pTexRef)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no place for the reference");
    return cup_reference_create(CUP_OBJECT_TEXTURE_REFERENCE, cup_context_current(), false,
                                pTexRef);
}

/* A module's stays with the module. */
CUresult body_cuTexRefDestroy(CUtexref hTexRef)
{
    struct CUtexref_st *reference;
    CUresult result = cup_reference_find(CUP_OBJECT_TEXTURE_REFERENCE, hTexRef, &reference);

    if (result != CUDA_SUCCESS)
        return result;
    if (!reference->of_module)
        cup_reference_end(reference, CUP_FATE_DESTROYED);
    cup_reference_unref(reference);
    return CUDA_SUCCESS;
}

/* ---- How it is sampled ---- */

CUresult body_cuTexRefSetAddressMode(CUtexref hTexRef, int dim, CUaddress_mode am)
{
    struct CUtexref_st *reference;
    CUresult result = begin(hTexRef, &reference);

    if (result != CUDA_SUCCESS)
        return result;
    if (dim < 0 || dim >= AXES)
        return refuse(reference);
    reference->texture.addressMode[dim] = am;
    return end_changed(reference);
}

CUresult body_cuTexRefGetAddressMode(CUaddress_mode *pam, CUtexref hTexRef, int dim)
{
    struct CUtexref_st *reference;
    CUresult result = begin(hTexRef, &reference);

    if (result != CUDA_SUCCESS)
        return result;
    if (!pam || dim < 0 || dim >= AXES)
        return refuse(reference);
    *pam = reference->texture.addressMode[dim];
    return end(reference, CUDA_SUCCESS);
}

CUresult body_cuTexRefSetFilterMode(CUtexref hTexRef, CUfilter_mode fm)
{
    struct CUtexref_st *reference;
    CUresult result = begin(hTexRef, &reference);

    if (result != CUDA_SUCCESS)
        return result;
    reference->texture.filterMode = fm;
    return end_changed(reference);
}

CUresult body_cuTexRefGetFilterMode(CUfilter_mode *pfm, CUtexref hTexRef)
{
    struct CUtexref_st *reference;
    CUresult result = begin(hTexRef, &reference);

    if (result != CUDA_SUCCESS)
        return result;
    if (!pfm)
        return refuse(reference);
    *pfm = reference->texture.filterMode;
    return end(reference, CUDA_SUCCESS);
}

CUresult body_cuTexRefSetMipmapFilterMode(CUtexref hTexRef, CUfilter_mode fm)
{
    struct CUtexref_st *reference;
    CUresult result = begin(hTexRef, &reference);

    if (result != CUDA_SUCCESS)
        return result;
    if ((unsigned)fm > CU_TR_FILTER_MODE_LINEAR)
        return refuse(reference);
    reference->texture.mipmapFilterMode = fm;
    return end_changed(reference);
}

CUresult body_cuTexRefGetMipmapFilterMode(CUfilter_mode *pfm, CUtexref hTexRef)
{
    struct CUtexref_st *reference;
    CUresult result = begin(hTexRef, &reference);

    if (result != CUDA_SUCCESS)
        return result;
    if (!pfm)
        return refuse(reference);
    *pfm = reference->texture.mipmapFilterMode;
    return end(reference, CUDA_SUCCESS);
}

CUresult body_cuTexRefSetMipmapLevelBias(CUtexref hTexRef, float bias)
{
    struct CUtexref_st *reference;
    CUresult result = begin(hTexRef, &reference);

    if (result != CUDA_SUCCESS)
        return result;
    reference->texture.mipmapLevelBias = bias;
    return end_changed(reference);
}

CUresult body_cuTexRefGetMipmapLevelBias(float *pbias, CUtexref hTexRef)
{
    struct CUtexref_st *reference;
    CUresult result = begin(hTexRef, &reference);

    if (result != CUDA_SUCCESS)
        return result;
    if (!pbias)
        return refuse(reference);
    *pbias = reference->texture.mipmapLevelBias;
    return end(reference, CUDA_SUCCESS);
}

CUresult body_cuTexRefSetMipmapLevelClamp(CUtexref hTexRef, float minMipmapLevelClamp,
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

CUresult body_cuTexRefGetMipmapLevelClamp(float *pminMipmapLevelClamp, float *pmaxMipmapLevelClamp,
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

CUresult body_cuTexRefSetMaxAnisotropy(CUtexref hTexRef, unsigned int maxAniso)
{
    struct CUtexref_st *reference;
    CUresult result = begin(hTexRef, &reference);

    if (result != CUDA_SUCCESS)
        return result;
    reference->texture.maxAnisotropy = maxAniso;
    return end_changed(reference);
}

CUresult body_cuTexRefGetMaxAnisotropy(int *pmaxAniso, CUtexref hTexRef)
{
    struct CUtexref_st *reference;
    CUresult result = begin(hTexRef, &reference);

    if (result != CUDA_SUCCESS)
        return result;
    if (!pmaxAniso)
        return refuse(reference);
    *pmaxAniso = (int)reference->texture.maxAnisotropy;
    return end(reference, CUDA_SUCCESS);
}

CUresult body_cuTexRefSetBorderColor(CUtexref hTexRef, float *pBorderColor)
{
    struct CUtexref_st *reference;
    CUresult result = begin(hTexRef, &reference);

    if (result != CUDA_SUCCESS)
        return result;
    if (!pBorderColor)
        return refuse(reference);
    memcpy(reference->texture.borderColor, pBorderColor, sizeof(reference->texture.borderColor));
    return end_changed(reference);
}

CUresult body_cuTexRefGetBorderColor(float *pBorderColor, CUtexref hTexRef)
{
    struct CUtexref_st *reference;
    CUresult result = begin(hTexRef, &reference);

    if (result != CUDA_SUCCESS)
        return result;
    if (!pBorderColor)
        return refuse(reference);
    memcpy(pBorderColor, reference->texture.borderColor, sizeof(reference->texture.borderColor));
    return end(reference, CUDA_SUCCESS);
}

CUresult body_cuTexRefSetFlags(CUtexref hTexRef, unsigned int Flags)
{
    struct CUtexref_st *reference;
    CUresult result = begin(hTexRef, &reference);

    if (result != CUDA_SUCCESS)
        return result;
    if (Flags & ~(unsigned)KNOWN_FLAGS)
        return refuse(reference);
    reference->texture.flags = Flags;
    return end_changed(reference);
}

CUresult body_cuTexRefGetFlags(unsigned int *pFlags, CUtexref hTexRef)
{
    struct CUtexref_st *reference;
    CUresult result = begin(hTexRef, &reference);

    if (result != CUDA_SUCCESS)
        return result;
    if (!pFlags)
        return refuse(reference);
    *pFlags = reference->texture.flags;
    return end(reference, CUDA_SUCCESS);
}

CUresult body_cuTexRefSetFormat(CUtexref hTexRef, CUarray_format fmt, int NumPackedComponents)
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

CUresult body_cuTexRefGetFormat(CUarray_format *pFormat, int *pNumChannels, CUtexref hTexRef)
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
