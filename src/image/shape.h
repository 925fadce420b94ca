/* SPDX-License-Identifier: MIT */
/* The shape of an image: the properties that a descriptor implies, computed once. cup_shape_check()
 * validates descriptors. */
#ifndef CUP_IMAGE_SHAPE_H
#define CUP_IMAGE_SHAPE_H

#include "image/format.h"

#include <cuda.h>
#include <stdbool.h>

struct cup_device;

/* Extents of mipmapped arrays are at most 2^17. */
enum { CUP_LEVELS_MAX = 18 };

enum cup_dimensions {
    CUP_IMAGE_1D,
    CUP_IMAGE_2D,
    CUP_IMAGE_3D,
    CUP_IMAGE_1D_LAYERED,
    CUP_IMAGE_2D_LAYERED,
    CUP_IMAGE_CUBE,
    CUP_IMAGE_CUBE_LAYERED,
    CUP_IMAGE_DIMENSIONS,
};

struct cup_shape {
    const struct cup_format *format;
    enum cup_dimensions dimensions;
    unsigned element_bytes;
    unsigned width, height, depth; /* in pixels, at least 1; the depth is 1 unless 3D */
    unsigned layers;               /* at least 1; cube faces count as layers */
    unsigned levels;               /* 1 unless it is a mipmap */
    bool is_mipmap;
};

/* Extents of one level in elements: in blocks for block-compressed formats. */
struct cup_level {
    unsigned width, height, depth; /* at least 1 */
};

/* Truncates each extent to its lower 32 bits, the part that NVIDIA's driver reads. All functions
 * below expect a truncated descriptor. */
void cup_descriptor_truncate(CUDA_ARRAY3D_DESCRIPTOR *descriptor);

/* Validates a descriptor. Returns INVALID_VALUE, or NOT_SUPPORTED for a surface of a format without
 * surfaces. `levels` is the number that the application requested. */
CUresult cup_shape_check(const struct cup_device *device, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                         bool is_mipmap, unsigned levels);

/* Initialises the shape from a descriptor that passed the check. The number of levels is clamped to
 * what the extents allow, and is at least 1. */
void cup_shape_init(struct cup_shape *shape, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                    bool is_mipmap, unsigned levels);

/* An extent in pixels at a level, at least 1; cup_shape_level() counts elements. */
static inline unsigned cup_shape_extent_at(unsigned extent, unsigned level)
{
    return extent >> level ? extent >> level : 1;
}

struct cup_level cup_shape_level(const struct cup_shape *shape, unsigned level);

struct cup_shape cup_shape_plane(const struct cup_shape *shape, unsigned plane);

/* Return the descriptor of a level of a mipmap, or of a plane of a planar format. */
CUDA_ARRAY3D_DESCRIPTOR cup_level_descriptor(const CUDA_ARRAY3D_DESCRIPTOR *whole, unsigned level);
CUDA_ARRAY3D_DESCRIPTOR cup_plane_descriptor(const CUDA_ARRAY3D_DESCRIPTOR *whole, unsigned plane);

#endif
