/* SPDX-License-Identifier: MIT */
/* The memory behind an image: the device's, which no address look-up finds, or, for images that
 * memory is mapped to later, address space that reads as zero and costs nothing until it is
 * touched. */
#ifndef CUP_IMAGE_STORAGE_H
#define CUP_IMAGE_STORAGE_H

#include <cuda.h>
#include <stdint.h>

struct CUctx_st;
struct cup_heap;
struct cup_tiles;

struct cup_storage {
    uint64_t address; /* 0: none */
    uint64_t size_bytes;
    struct cup_heap *heap;   /* where it is from; NULL: address space alone */
    struct cup_tiles *tiles; /* what is mapped to that; NULL: nothing was yet; see tiles.h */
};

/* For an image with these flags. */
CUresult cup_storage_create(struct cup_storage *storage, struct CUctx_st *context, unsigned flags,
                            uint64_t size_bytes);

/* Does nothing for a storage that is all zero. */
void cup_storage_destroy(struct cup_storage *storage);

#endif
