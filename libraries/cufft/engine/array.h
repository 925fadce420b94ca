/* SPDX-License-Identifier: MIT */
/* Strided arrays of transforms: their extent, and copies between two layouts with a conversion of
 * the elements. */
#ifndef CUFFT_ARRAY_H
#define CUFFT_ARRAY_H

#include "engine.h"

/* Copies or converts `count` elements of `size` components (or bytes, if nothing is converted);
 * strides count elements. */
typedef void fft_row(void *to, ptrdiff_t to_stride, const void *from, ptrdiff_t from_stride,
                     size_t count, size_t size);

fft_row fft_same_row;
fft_row fft_widen_half_row, fft_widen_bfloat_row;   /* to float */
fft_row fft_narrow_half_row, fft_narrow_bfloat_row; /* from float */

struct fft_copy {
    const struct fft_transform *transform; /* has the lengths of the axes */
    size_t (*length)(const struct fft_transform *transform, int axis);
    void *to;
    const ptrdiff_t *to_stride;
    const void *from;
    const ptrdiff_t *from_stride;
    size_t size;
    fft_row *row;
};

void fft_copy_elements(const struct fft_copy *copy);

#endif
