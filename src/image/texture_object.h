/* SPDX-License-Identifier: MIT */
/* Texture and surface objects: a view of memory, behind a number that kernels pass about.
 *
 * What an object was made of stays while it lives, where that is an array; linear memory is the
 * program's own affair, and a kernel that samples what was freed faults. An object that is
 * destroyed while work is under way in its context stays for kernels until that work is done. */
#ifndef CUP_IMAGE_TEXTURE_OBJECT_H
#define CUP_IMAGE_TEXTURE_OBJECT_H

#include "core/object.h"
#include "device/context.h"
#include "image/texture.h"

#include <cuda.h>

struct cup_texture {
    struct cup_object base;
    struct CUctx_st *context; /* a reference is held */
    struct cup_context_child child;
    struct cup_view *view;
    bool of_reference;      /* a module's reference made it */
    uint32_t number;        /* the handle; 0: none yet */
    _Atomic(bool) released; /* the number was taken back */
    struct cup_texture *next_retired;
    struct cup_object *image; /* the array or mipmapped array, with a reference, or NULL */
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC texture;         /* of textures */
    CUDA_RESOURCE_VIEW_DESC view_desc; /* of textures */
    bool has_view_desc;
};

void cup_texture_register(void);

/* Descriptors that do not fit are an error. The view descriptor may be NULL. The caller gets a
 * reference besides the handle's. */
CUresult cup_texture_create(struct CUctx_st *context, const CUDA_RESOURCE_DESC *resource,
                            const CUDA_TEXTURE_DESC *texture,
                            const CUDA_RESOURCE_VIEW_DESC *view_desc, struct cup_texture **made);
/* Was it refused for the one reason that the view names no format? */
bool cup_texture_view_lacks_format_only(struct CUctx_st *context,
                                        const CUDA_RESOURCE_DESC *resource,
                                        const CUDA_TEXTURE_DESC *texture,
                                        const CUDA_RESOURCE_VIEW_DESC *view_desc);
CUresult cup_surface_create(struct CUctx_st *context, const CUDA_RESOURCE_DESC *resource,
                            struct cup_texture **made);

/* For programs: a texture of the context that was not destroyed; takes a reference. type:
 * CUP_OBJECT_TEXTURE or CUP_OBJECT_SURFACE. INVALID_VALUE: there is none. */
CUresult cup_texture_find(enum cup_object_type type, const struct CUctx_st *context,
                          uint64_t number, struct cup_texture **texture);

/* For kernels of the context: also one that was destroyed not long ago; takes a reference. NULL:
 * nothing is behind the number. *bad: nothing ever was. */
struct cup_texture *cup_texture_for_kernel(enum cup_object_type type,
                                           const struct CUctx_st *context, uint64_t number,
                                           bool *bad);

/* Ends the handle; false when another thread was quicker. */
bool cup_texture_destroy(struct cup_texture *texture, enum cup_retire_reason reason);

static inline void cup_texture_unref(struct cup_texture *texture)
{
    cup_object_unref(&texture->base);
}

#endif
