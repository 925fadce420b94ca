/* SPDX-License-Identifier: MIT */
/* Views that are so simple to read that compiled code can do it without asking. */
#ifndef CUP_IMAGE_VIEW_INLINE_H
#define CUP_IMAGE_VIEW_INLINE_H

#include "image/texture.h"

/* What a sample is, but for surfaces: the 32-bit texel at a place of two dimensions, the edges
 * repeated. Coordinates are in texels, rounded down; a NaN is 0. */
enum cup_view_inline_kind {
    CUP_VIEW_NOT_INLINE,
    CUP_VIEW_WORDS,   /* the word itself, and zeros for the other components */
    CUP_VIEW_BYTES,   /* its four bytes */
    CUP_VIEW_UNORM,   /* its four bytes as fractions */
    CUP_VIEW_SURFACE, /* a surface of two dimensions */
};

struct cup_view_inline {
    const uint8_t *base;
    size_t row_bytes;
    int32_t last[2]; /* column (of surfaces: byte) and row */
};

/* Can the view be read so? */
bool cup_view_inline_find(const struct cup_view *view, enum cup_view_inline_kind kind,
                          struct cup_view_inline *place);

#endif
