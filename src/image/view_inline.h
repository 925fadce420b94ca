/* SPDX-License-Identifier: MIT */
/* Views that compiled kernels can sample inline, without a call to the texture unit. */
#ifndef CUP_IMAGE_VIEW_INLINE_H
#define CUP_IMAGE_VIEW_INLINE_H

#include "image/texture.h"

/* The result of an inline sample: the 32-bit texel at a 2D position with clamped edges. Coordinates
 * are in texels and rounded down; NaN is 0. */
enum cup_view_inline_kind {
    CUP_VIEW_NOT_INLINE,
    CUP_VIEW_WORDS,   /* the word, and zeros for the other components */
    CUP_VIEW_BYTES,   /* the four bytes as integers */
    CUP_VIEW_UNORM,   /* the four bytes as normalised floats */
    CUP_VIEW_SURFACE, /* a 2D surface */
};

struct cup_view_inline {
    const uint8_t *base;
    size_t row_bytes;
    int32_t last[2]; /* last column (byte for surfaces) and row */
};

/* Returns false if the view cannot be sampled this way. */
bool cup_view_inline_find(const struct cup_view *view, enum cup_view_inline_kind kind,
                          struct cup_view_inline *inlined);

#endif
