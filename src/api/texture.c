/* SPDX-License-Identifier: MIT */
/* Texture and surface objects. A number refers to an object of the current context; destroying an
 * unknown number is no error. */
#include "impl.h"
#include "core/error.h"
#include "device/context.h"
#include "image/texture_object.h"

#include <string.h>

CUresult impl_cuTexObjectCreate(CUtexObject *pTexObject, const CUDA_RESOURCE_DESC *pResDesc,
                                const CUDA_TEXTURE_DESC *pTexDesc,
                                const CUDA_RESOURCE_VIEW_DESC *pResViewDesc)
{
    struct cup_texture *texture;

    if (!pTexObject || !pResDesc || !pTexDesc)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the descriptor or the pointer for the texture is NULL");
    CUresult result =
        cup_texture_create(cup_context_current(), pResDesc, pTexDesc, pResViewDesc, &texture);
    if (result == CUDA_ERROR_INVALID_VALUE && pResViewDesc &&
        cup_texture_view_lacks_format_only(cup_context_current(), pResDesc, pTexDesc, pResViewDesc))
        *pTexObject = 0; /* NVIDIA's driver validates the format last */
    if (result != CUDA_SUCCESS)
        return result;
    *pTexObject = texture->number;
    cup_texture_unref(texture);
    return CUDA_SUCCESS;
}

static CUresult destroy(enum cup_object_type type, uint64_t number)
{
    struct cup_texture *texture;

    if (cup_texture_find(type, cup_context_current(), number, &texture) == CUDA_SUCCESS) {
        cup_texture_destroy(texture, CUP_RETIRED_DESTROYED);
        cup_texture_unref(texture);
    }
    return CUDA_SUCCESS;
}

CUresult impl_cuTexObjectDestroy(CUtexObject texObject)
{
    return destroy(CUP_OBJECT_TEXTURE, texObject);
}

/* Finds the object of a query; fails if the output is NULL. */
static CUresult find_to_ask(enum cup_object_type type, uint64_t number, const void *place,
                            struct cup_texture **texture)
{
    if (!place)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the pointer for the descriptor is NULL");
    return cup_texture_find(type, cup_context_current(), number, texture);
}

/* A destroyed array is not returned. */
static CUresult get_resource(enum cup_object_type type, uint64_t number,
                             CUDA_RESOURCE_DESC *resource)
{
    struct cup_texture *texture;
    struct cup_object *image;
    CUresult result = find_to_ask(type, number, resource, &texture);

    if (result != CUDA_SUCCESS)
        return result;
    *resource = texture->resource;
    if (texture->image) {
        if (cup_object_find(texture->image->type, texture->image, &image) == CUDA_SUCCESS)
            cup_object_unref(image);
        else
            resource->res.array.hArray = NULL;
    }
    cup_texture_unref(texture);
    return CUDA_SUCCESS;
}

CUresult impl_cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUtexObject texObject)
{
    return get_resource(CUP_OBJECT_TEXTURE, texObject, pResDesc);
}

/* The border colour and the fields after it are not written. */
CUresult impl_cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *pTexDesc, CUtexObject texObject)
{
    struct cup_texture *texture;
    CUresult result = find_to_ask(CUP_OBJECT_TEXTURE, texObject, pTexDesc, &texture);

    if (result != CUDA_SUCCESS)
        return result;
    memcpy(pTexDesc, &texture->texture, offsetof(CUDA_TEXTURE_DESC, borderColor));
    cup_texture_unref(texture);
    return CUDA_SUCCESS;
}

/* Without a view nothing is written. */
CUresult impl_cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *pResViewDesc,
                                             CUtexObject texObject)
{
    struct cup_texture *texture;
    CUresult result = find_to_ask(CUP_OBJECT_TEXTURE, texObject, pResViewDesc, &texture);

    if (result != CUDA_SUCCESS)
        return result;
    if (texture->has_view_desc)
        *pResViewDesc = texture->view_desc;
    cup_texture_unref(texture);
    return CUDA_SUCCESS;
}

CUresult impl_cuSurfObjectCreate(CUsurfObject *pSurfObject, const CUDA_RESOURCE_DESC *pResDesc)
{
    struct cup_texture *surface;

    if (!pSurfObject || !pResDesc)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the descriptor or the pointer for the surface is NULL");
    CUresult result = cup_surface_create(cup_context_current(), pResDesc, &surface);
    if (result != CUDA_SUCCESS)
        return result;
    *pSurfObject = surface->number;
    cup_texture_unref(surface);
    return CUDA_SUCCESS;
}

CUresult impl_cuSurfObjectDestroy(CUsurfObject surfObject)
{
    return destroy(CUP_OBJECT_SURFACE, surfObject);
}

CUresult impl_cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUsurfObject surfObject)
{
    return get_resource(CUP_OBJECT_SURFACE, surfObject, pResDesc);
}
