/* SPDX-License-Identifier: MIT */
/* Views that are so simple to read that compiled code can do it without asking. */
#ifndef CUP_IMAGE_VIEW_WORDS_H
#define CUP_IMAGE_VIEW_WORDS_H

#include "image/texture.h"

struct cup_view_words {
    const uint8_t *base;
    size_t row_bytes;
    int32_t last[2]; /* column and row */
};

/* Is a sample of it nothing but the 32-bit word at a place, the edges repeated, and zeros for the
 * other components? Coordinates are in texels, rounded down; a NaN is 0. */
bool cup_view_words(const struct cup_view *view, struct cup_view_words *words);

#endif
