/* SPDX-License-Identifier: MIT */
/* Sparse images: memory is mapped to tiles of 64 KiB. Levels smaller than a tile lie together in
 * the tail, which is mapped as plain bytes. */
#ifndef CUP_IMAGE_SPARSE_H
#define CUP_IMAGE_SPARSE_H

#include "image/shape.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

struct cup_sparse {
    struct cup_level tile; /* of the first plane, in pixels; 64 KiB of memory each */
    unsigned tail_first; /* the first level of the tail; the number of levels where there is none */
    uint64_t tail_bytes; /* of each layer's tail, or of the only one */
    bool single_tail;    /* one tail for all layers: it begins with level 0 */
};

/* The tile of an image without planes, in elements. */
struct cup_level cup_sparse_tile(const struct cup_shape *shape);

void cup_sparse_init(struct cup_sparse *sparse, const struct cup_shape *shape);

/* The same as applications see it. */
void cup_sparse_properties(const struct cup_shape *shape, CUDA_ARRAY_SPARSE_PROPERTIES *properties);

#endif
