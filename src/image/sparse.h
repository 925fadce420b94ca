/* SPDX-License-Identifier: MIT */
/* Sparse images: memory is mapped in tiles of 64 KiB. Levels smaller than a tile form the mip tail,
 * which is mapped as plain bytes. */
#ifndef CUP_IMAGE_SPARSE_H
#define CUP_IMAGE_SPARSE_H

#include "image/shape.h"

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

struct cup_sparse {
    struct cup_level tile; /* of the first plane, in pixels; a tile has 64 KiB */
    unsigned tail_first; /* the first level of the tail; the number of levels if there is no tail */
    uint64_t tail_bytes; /* of each layer's tail, or of the single tail */
    bool single_tail;    /* all layers share one tail; it starts at level 0 */
};

/* Returns the tile size, in elements, of an image that is not planar. */
struct cup_level cup_sparse_tile(const struct cup_shape *shape);

void cup_sparse_init(struct cup_sparse *sparse, const struct cup_shape *shape);

/* Fills the struct that cuArrayGetSparseProperties() returns. */
void cup_sparse_properties(const struct cup_shape *shape, CUDA_ARRAY_SPARSE_PROPERTIES *properties);

#endif
