/* SPDX-License-Identifier: MIT */
/* The memory of an image. It is device memory that no pointer query finds or, for images that get
 * memory by mapping, reserved address space that reads as zero and uses no memory until it is
 * written. */
#ifndef CUP_IMAGE_STORAGE_H
#define CUP_IMAGE_STORAGE_H

#include <cuda.h>
#include <stdint.h>

struct CUctx_st;
struct cup_heap;
struct cup_tiles;

struct cup_storage {
    uint64_t address; /* 0: no storage */
    uint64_t size_bytes;
    struct cup_heap *heap; /* the heap it was allocated from; NULL: reserved address space */
    /* what is mapped to the reserved address space, see tiles.h; NULL: nothing was mapped yet */
    struct cup_tiles *tiles;
};

/* Allocates or reserves the storage for an image with these descriptor flags. */
CUresult cup_storage_create(struct cup_storage *storage, struct CUctx_st *context, unsigned flags,
                            uint64_t size_bytes);

/* Safe to call on a zero-initialised storage. */
void cup_storage_destroy(struct cup_storage *storage);

#endif
