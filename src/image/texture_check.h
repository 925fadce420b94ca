/* SPDX-License-Identifier: MIT */
/* Validates the descriptors of textures and surfaces against each other and the device. */
#ifndef CUP_IMAGE_TEXTURE_CHECK_H
#define CUP_IMAGE_TEXTURE_CHECK_H

#include "core/object.h"
#include "image/format.h"

#include <cuda.h>

struct CUctx_st;

/* The resource that a descriptor names, and its properties. */
struct cup_texture_source {
    struct cup_object *image; /* the array or mipmapped array (holds a reference), or NULL */
    CUDA_ARRAY3D_DESCRIPTOR descriptor; /* the image's, or one synthesised for linear memory */
    const struct cup_format *format;
    unsigned levels, layers; /* at least 1 */
    unsigned axes;           /* 1, 2 or 3 */
    bool is_mipmap;
};

/* Validates the resource descriptor and looks the resource up. Holds no reference on failure. */
CUresult cup_texture_source_find(const struct CUctx_st *context, const CUDA_RESOURCE_DESC *resource,
                                 struct cup_texture_source *source);
void cup_texture_source_release(struct cup_texture_source *source);

CUresult cup_texture_check(const struct cup_texture_source *source,
                           const CUDA_TEXTURE_DESC *texture,
                           const CUDA_RESOURCE_VIEW_DESC *view_desc);

/* Returns the view descriptor with level and layer ranges clamped to the image: descriptors may
 * name levels and layers that do not exist. */
CUDA_RESOURCE_VIEW_DESC cup_texture_view_within(const struct cup_texture_source *source,
                                                const CUDA_RESOURCE_VIEW_DESC *view_desc);

#endif
