/* SPDX-License-Identifier: MIT */
/* Tracks which memory is mapped to which part of an image that was created without memory.
 *
 * The storage of such an image is address space that reads as zero, in rows. Memory gets there in
 * two ways:
 *
 *   - A deferred image is bound as a whole. Its rows are the bytes of the memory at one offset:
 *     the memory is mapped over the storage and is really shared, also between several images.
 *   - A sparse image has tiles, which are not contiguous in its rows. A tile therefore holds
 *     the bytes of its memory page while it is mapped: mapping copies them in, unmapping copies
 *     them back and leaves zeros. While no tile is mapped, the bytes stay in the memory; they
 *     appear in the tile that it is mapped to next.
 *
 * If a page of memory (64 KiB) is mapped to several tiles at once, the tile that was mapped last
 * owns it and starts with the bytes of the previous owner. The previous owner keeps a copy; later
 * writes to it are dropped when it is unmapped.
 *
 * Writes to unmapped tiles are dropped: at once by copies (cup_tiles_drop), otherwise when memory
 * is mapped there. The memory of tile pools cannot be mapped to addresses, so only images see it
 * and the layout of bytes inside a page is private to tiles.c. */
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

/* The mapping of a tile. A deferred image has one tile. */
struct cup_tile {
    struct cup_physical *physical; /* holds a reference; NULL: unmapped */
    uint64_t page;                 /* page index in that memory */
};

struct cup_tiles {
    _Atomic(uint32_t) refs;
    bool whole; /* a deferred image */
    uint64_t address, size_bytes;
    struct cup_shape shape;
    struct cup_sparse sparse;
    struct cup_level tile; /* size of a tile in elements */
    struct cup_box boxes[CUP_LEVELS_MAX];
    uint64_t first[CUP_LEVELS_MAX + 1]; /* index of the first tile of each level, and of the tail */
    uint64_t tail_pages;                /* of one tail */
    uint64_t count;
    struct cup_tile *tiles; /* guarded by the lock in tiles.c */
    uint64_t mapped;        /* number of mapped tiles; likewise; not counted for a deferred image */
};

/* A box of tiles in one layer of a level, or pages of a layer's tail. */
struct cup_tile_region {
    bool is_tail;
    unsigned level, layer;
    unsigned x, y, z, width, height, depth; /* in tiles; a tail uses x and width only, in pages */
};

/* Number of tiles of a level, in one layer, along each axis. */
struct cup_level cup_tiles_in_level(const struct cup_tiles *tiles, unsigned level);

/* Returns the tiles of an image and creates them on the first call. `boxes` are the boxes of the
 * shape's levels. Takes no reference: the storage holds one until it is destroyed. */
CUresult cup_tiles_get(struct cup_storage *storage, const struct cup_shape *shape, bool whole,
                       const struct cup_box *boxes, struct cup_tiles **tiles);

/* Returns NULL if nothing was ever mapped. */
struct cup_tiles *cup_tiles_find(struct cup_storage *storage);

/* True if memory is mapped to the element at this position of a level. `slice` counts layers or
 * depth. */
bool cup_tiles_is_mapped(struct cup_storage *storage, unsigned level, unsigned x, unsigned y,
                         unsigned slice);

/* True if memory is bound to a deferred image. */
bool cup_tiles_is_bound(struct cup_storage *storage);

/* Prepares memory for mapping to tiles. */
CUresult cup_tiles_prepare(struct cup_physical *physical);

/* Maps consecutive pages of memory to the tiles of the region, in the order x, y, z. `physical`
 * NULL unmaps. The region is ignored for a deferred image. Returns false if mmap() fails. */
bool cup_tiles_map(struct cup_tiles *tiles, const struct cup_tile_region *region,
                   struct cup_physical *physical, uint64_t page);

/* Destroys the tiles of an image: copies bytes back to the memory and drops the references. NULL is
 * ignored. */
void cup_tiles_destroy(struct cup_tiles *tiles);

/* Zeroes the bytes that a copy wrote to unmapped tiles of a level. `tiles` NULL: nothing was ever
 * mapped to the image. */
void cup_tiles_drop(struct cup_tiles *tiles, unsigned level, const struct cup_copy *written);

#endif
