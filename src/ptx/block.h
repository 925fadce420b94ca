/* SPDX-License-Identifier: MIT */
/* Blocks of memory for the parser. Large ones are mapped and not taken from malloc: freeing a large
 * block makes the C library keep as much again of every heap, for good. */
#ifndef CUP_PTX_BLOCK_H
#define CUP_PTX_BLOCK_H

#include <stddef.h>

/* Makes the block `to` bytes large and returns it; NULL: memory is out, and the block stays. A
 * block of 0 bytes is NULL. Bytes that are added are arbitrary. */
void *ptx_block_resize(void *block, size_t from, size_t to);
/* A new block of zeros. */
void *ptx_block_zeros(size_t bytes);
void ptx_block_free(void *block, size_t bytes);

#endif
