/* SPDX-License-Identifier: MIT */
/* Which memory is mapped to which part of an image that brings none of its own.
 *
 * An image's storage is address space that reads as zero, in rows. Two ways lead memory there:
 *
 *   - A deferred image is bound whole. Its rows are the memory's bytes, at one place: the memory is
 *     mapped over the storage and truly shared, also between several images.
 *   - A sparse image has tiles, which are not contiguous in its rows. So a tile holds the memory's
 *     bytes while they are mapped: mapping brings them in, unmapping brings them back and leaves
 *     zeros. Bytes stay in the memory while nothing is mapped and appear wherever it is mapped
 * next.
 *
 * A page of memory (64 KiB) that is mapped to several tiles at once belongs to the one mapped last,
 * which starts with the bytes of the one before. That one keeps a copy of them; what is written to
 * it from then on is dropped when it is unmapped.
 *
 * What is written where nothing is mapped is dropped: at once by copies (cup_tiles_drop), otherwise
 * when memory is mapped there. The memory of tile pools cannot be mapped to addresses, so images
 * are the only ones who see it, and how bytes lie in a page is nobody else's business. */
#ifndef CUP_IMAGE_TILES_H
#define CUP_IMAGE_TILES_H

#include "image/array.h"
#include "image/layout.h"
#include "image/sparse.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct cup_copy;
struct cup_physical;

enum { CUP_TILE_BYTES = CUP_LAYOUT_PAGE_BYTES };

/* What is mapped to a tile; a deferred image is one tile. */
struct cup_tile {
    struct cup_physical *physical; /* a reference, or NULL: nothing */
    uint64_t page;                 /* where in it */
};

struct cup_tiles {
    _Atomic(uint32_t) refs;
    bool whole; /* a deferred image */
    uint64_t address, size_bytes;
    struct cup_shape shape;
    struct cup_sparse sparse;
    struct cup_level tile; /* in elements */
    struct cup_box boxes[CUP_LEVELS_MAX];
    uint64_t first[CUP_LEVELS_MAX + 1]; /* the first tile of a level; of the tail */
    uint64_t tail_pages;                /* of one tail */
    uint64_t count;
    struct cup_tile *tiles; /* guarded by the one lock of all tiles */
    uint64_t mapped;        /* likewise; of a deferred image not counted */
};

/* Tiles side by side in one layer of a level, or pages of a layer's tail. */
struct cup_tile_region {
    bool is_tail;
    unsigned level, layer;
    unsigned x, y, z, width, height, depth; /* in tiles; of a tail x and width alone, in pages */
};

/* How many tiles a level of one layer has in each direction. */
struct cup_level cup_tiles_in_level(const struct cup_tiles *tiles, unsigned level);

/* Those of an image, made when first asked for. The boxes are those of the shape's levels. No
 * reference is taken: the storage has one until it is destroyed. */
CUresult cup_tiles_get(struct cup_storage *storage, const struct cup_shape *shape, bool whole,
                       const struct cup_box *boxes, struct cup_tiles **tiles);

/* The same without making them: NULL when nothing was ever mapped. */
struct cup_tiles *cup_tiles_find(struct cup_storage *storage);

/* Is memory mapped to the element at that place of a level? The slice counts layers or depth. */
bool cup_tiles_is_mapped(struct cup_storage *storage, unsigned level, unsigned x, unsigned y,
                         unsigned slice);

/* Makes the memory ready to be mapped to tiles. */
CUresult cup_tiles_prepare(struct cup_physical *physical);

/* Maps consecutive pages of memory to the region, x first, then y, then z; NULL unmaps. For a
 * deferred image the region does not count. False when the system has no room for the mapping. */
bool cup_tiles_map(struct cup_tiles *tiles, const struct cup_tile_region *region,
                   struct cup_physical *physical, uint64_t page);

/* The end of the image: bytes go back to the memory, references are given up. NULL is no tiles. */
void cup_tiles_destroy(struct cup_tiles *tiles);

/* Zeroes what a copy wrote to a level where nothing is mapped; NULL: to an image that never had
 * any. */
void cup_tiles_drop(struct cup_tiles *tiles, unsigned level, const struct cup_copy *written);

#endif
