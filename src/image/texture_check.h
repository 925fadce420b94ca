/* SPDX-License-Identifier: MIT */
/* Do the descriptors of a texture or surface fit together, and the device? */
#ifndef CUP_IMAGE_TEXTURE_CHECK_H
#define CUP_IMAGE_TEXTURE_CHECK_H

#include "core/object.h"
#include "image/format.h"

#include <cuda.h>

struct CUctx_st;

/* What the descriptor names, and what is to be known of it. */
struct cup_texture_source {
    struct cup_object *image; /* the array or mipmapped array, with a reference, or NULL */
    CUDA_ARRAY3D_DESCRIPTOR descriptor; /* its, or one made up for linear memory */
    const struct cup_format *format;
    unsigned levels, layers; /* at least 1 */
    unsigned axes;           /* 1, 2 or 3 */
    bool is_mipmap;
};

/* Judges the resource alone, and finds it. On failure no reference is held. */
CUresult cup_texture_source_find(const struct CUctx_st *context, const CUDA_RESOURCE_DESC *resource,
                                 struct cup_texture_source *source);
void cup_texture_source_release(struct cup_texture_source *source);

CUresult cup_texture_check(const struct cup_texture_source *source,
                           const CUDA_TEXTURE_DESC *texture,
                           const CUDA_RESOURCE_VIEW_DESC *view_desc);

/* A view may name levels and layers that are not there: the view without them. */
CUDA_RESOURCE_VIEW_DESC cup_texture_view_within(const struct cup_texture_source *source,
                                                const CUDA_RESOURCE_VIEW_DESC *view_desc);

#endif
