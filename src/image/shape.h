/* SPDX-License-Identifier: MIT */
/* The shape of an image: what a descriptor means, with everything settled that the descriptor
 * leaves to be concluded. Whether an application may have an array of that shape is asked here,
 * too. */
#ifndef CUP_IMAGE_SHAPE_H
#define CUP_IMAGE_SHAPE_H

#include "image/format.h"

#include <cuda.h>
#include <stdbool.h>

struct cup_device;

/* No extent of a mipmap's is larger than 2^17. */
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
    unsigned layers;               /* at least 1; the faces of cubes are layers */
    unsigned levels;               /* 1 for what is no mipmap */
    bool is_mipmap;
};

/* One level in elements: blocks where the format has blocks. */
struct cup_level {
    unsigned width, height, depth; /* at least 1 */
};

/* NVIDIA's driver looks at the lower half of each extent only; so does everything from here on. */
void cup_descriptor_truncate(CUDA_ARRAY3D_DESCRIPTOR *descriptor);

/* INVALID_VALUE, or NOT_SUPPORTED for a surface of a format that cannot be one. The levels are as
 * many as were asked for. */
CUresult cup_shape_check(const struct cup_device *device, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                         bool is_mipmap, unsigned levels);

/* Of a descriptor that passed the check. Of the levels asked for it has as many as there can be,
 * and at least one. */
void cup_shape_init(struct cup_shape *shape, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                    bool is_mipmap, unsigned levels);

struct cup_level cup_shape_level(const struct cup_shape *shape, unsigned level);

struct cup_shape cup_shape_plane(const struct cup_shape *shape, unsigned plane);

/* The descriptor of a part: a mipmap's level, a planar format's plane. */
CUDA_ARRAY3D_DESCRIPTOR cup_level_descriptor(const CUDA_ARRAY3D_DESCRIPTOR *whole, unsigned level);
CUDA_ARRAY3D_DESCRIPTOR cup_plane_descriptor(const CUDA_ARRAY3D_DESCRIPTOR *whole, unsigned plane);

#endif
