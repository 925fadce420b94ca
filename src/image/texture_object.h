/* SPDX-License-Identifier: MIT */
/* Texture and surface objects: a view of memory behind a number that kernels receive as a
 * parameter.
 *
 * An object holds a reference on the array that it was created from. It does not keep linear memory
 * alive: a kernel that samples freed memory faults. If an object is destroyed while its context has
 * work in flight, kernels can use it until that work completes. */
#ifndef CUP_IMAGE_TEXTURE_OBJECT_H
#define CUP_IMAGE_TEXTURE_OBJECT_H

#include "core/object.h"
#include "device/context.h"
#include "image/texture.h"

#include <cuda.h>

struct cup_texture {
    struct cup_object base;
    struct CUctx_st *context; /* holds a reference */
    struct cup_context_child child;
    struct cup_view *view;
    bool of_reference;      /* created for a texture reference of a module */
    uint32_t number;        /* the handle; 0: not published yet */
    _Atomic(bool) released; /* the number was returned to the handle table */
    struct cup_texture *next_retired;
    struct cup_object *image; /* the array or mipmapped array (holds a reference), or NULL */
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC texture;         /* textures only */
    CUDA_RESOURCE_VIEW_DESC view_desc; /* textures only */
    bool has_view_desc;
};

void cup_texture_register(void);

/* Validates the descriptors and creates a texture object. `view_desc` may be NULL. The caller gets
 * a reference in addition to the handle's. */
CUresult cup_texture_create(struct CUctx_st *context, const CUDA_RESOURCE_DESC *resource,
                            const CUDA_TEXTURE_DESC *texture,
                            const CUDA_RESOURCE_VIEW_DESC *view_desc, struct cup_texture **made);
/* True if the only reason to reject these descriptors is a view descriptor without a format. */
bool cup_texture_view_lacks_format_only(struct CUctx_st *context,
                                        const CUDA_RESOURCE_DESC *resource,
                                        const CUDA_TEXTURE_DESC *texture,
                                        const CUDA_RESOURCE_VIEW_DESC *view_desc);
CUresult cup_surface_create(struct CUctx_st *context, const CUDA_RESOURCE_DESC *resource,
                            struct cup_texture **made);

/* Looks up a handle for the API: a live object of the context. Takes a reference. `type` is
 * CUP_OBJECT_TEXTURE or CUP_OBJECT_SURFACE. Returns INVALID_VALUE if there is none. */
CUresult cup_texture_find(enum cup_object_type type, const struct CUctx_st *context,
                          uint64_t number, struct cup_texture **texture);

/* Looks up a handle for a kernel of the context: a live object, or a destroyed one that is kept for
 * work in flight. Takes a reference. Returns NULL if there is none; *bad is set if the number was
 * never assigned. */
struct cup_texture *cup_texture_for_kernel(enum cup_object_type type,
                                           const struct CUctx_st *context, uint64_t number,
                                           bool *bad);

/* Retires the handle. Returns false if another thread did so first. */
bool cup_texture_destroy(struct cup_texture *texture, enum cup_retire_reason reason);

static inline void cup_texture_unref(struct cup_texture *texture)
{
    cup_object_unref(&texture->base);
}

#endif
