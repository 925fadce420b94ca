/* SPDX-License-Identifier: MIT */
/* The element formats of arrays: one row each, and nothing elsewhere in the library asks which
 * format it has before it. */
#ifndef CUP_IMAGE_FORMAT_H
#define CUP_IMAGE_FORMAT_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

enum { CUP_PLANES_MAX = 3 };

/* A plane of a planar format: an array of its own, with its own format. */
struct cup_plane {
    CUarray_format format;
    uint8_t channels;
    uint8_t x_shift, y_shift; /* how much smaller than the whole, as powers of two */
};

/* What a format cannot be. */
enum cup_format_limit {
    CUP_FORMAT_NO_1D = 1 << 0,
    CUP_FORMAT_NO_SURFACE = 1 << 1,
    CUP_FORMAT_VIDEO = 1 << 2, /* a video frame: see cup_shape_check for the rules */
};

struct cup_format {
    uint8_t channel_mask;  /* bit n: it may have n channels; 0: there is no such format */
    uint8_t channel_bytes; /* 0 where the element is not made of channels */
    uint8_t element_bytes; /* of all channels together, or of a block, where channel_bytes is 0 */
    uint8_t block;         /* pixels along each side of a compressed block, else 1 */
    uint8_t pair;          /* pixels side by side that share an element: 2 for YUY2, else 1 */
    uint8_t limits;        /* of enum cup_format_limit */
    uint8_t plane_count;   /* 0: not planar */
    struct cup_plane planes[CUP_PLANES_MAX];
};

/* NULL when there is no such format. Only the lowest byte of the number counts. */
const struct cup_format *cup_format_find(CUarray_format id);

static inline bool cup_format_has_channels(const struct cup_format *format, unsigned channels)
{
    return channels < 8 && (format->channel_mask >> channels & 1);
}

/* Of one element, or of one block. A planar format has no elements of its own: its first plane's.
 */
unsigned cup_format_element_bytes(const struct cup_format *format, unsigned channels);

#endif
