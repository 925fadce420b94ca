/* SPDX-License-Identifier: MIT */
/* The element formats of arrays, one table row each. Other code uses the row's fields and does not
 * compare format numbers. */
#ifndef CUP_IMAGE_FORMAT_H
#define CUP_IMAGE_FORMAT_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

enum { CUP_PLANES_MAX = 3 };

/* A plane of a planar format. Each plane is an array with a format of its own. */
struct cup_plane {
    CUarray_format format;
    uint8_t channels;
    uint8_t x_shift, y_shift; /* log2 of the factor by which the plane is smaller than the image */
};

/* Restrictions of a format. */
enum cup_format_limit {
    CUP_FORMAT_NO_1D = 1 << 0,
    CUP_FORMAT_NO_SURFACE = 1 << 1,
    CUP_FORMAT_VIDEO = 1 << 2, /* a video frame; cup_shape_check() has the rules */
};

struct cup_format {
    uint8_t channel_mask;  /* bit n: n channels are allowed; 0: no such format */
    uint8_t channel_bytes; /* 0 if the element does not consist of channels */
    uint8_t element_bytes; /* if channel_bytes is 0: size of an element (all channels) or block */
    uint8_t block;         /* pixels along each side of a compressed block, otherwise 1 */
    uint8_t pair;          /* adjacent pixels that share an element: 2 for YUY2, otherwise 1 */
    uint8_t limits;        /* bits of enum cup_format_limit */
    uint8_t plane_count;   /* 0: not planar */
    struct cup_plane planes[CUP_PLANES_MAX];
};

/* Returns NULL if there is no such format, or the driver is too old to know it. Only the lowest
 * byte of the number is significant. */
const struct cup_format *cup_format_find(CUarray_format id);

static inline bool cup_format_has_channels(const struct cup_format *format, unsigned channels)
{
    return channels < 8 && (format->channel_mask >> channels & 1);
}

/* Returns the size of an element or block. A planar format has no elements of its own; the result
 * is that of its first plane. */
unsigned cup_format_element_bytes(const struct cup_format *format, unsigned channels);

#endif
