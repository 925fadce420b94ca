/* SPDX-License-Identifier: MIT */
/* Blocks of LARGE bytes and more are mapped; growing one of them moves pages and copies nothing. */
#include "ptx/block.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LARGE = 128 << 10 };

static void *map(size_t bytes)
{
    void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return block == MAP_FAILED ? NULL : block;
}

void *ptx_block_resize(void *block, size_t from, size_t to)
{
    void *moved;

    if (from >= LARGE && to >= LARGE) {
        moved = mremap(block, from, to, MREMAP_MAYMOVE);
        return moved == MAP_FAILED ? NULL : moved;
    }
    if (from < LARGE && to < LARGE)
        return realloc(block, to);
    moved = to >= LARGE ? map(to) : malloc(to);
    if (!moved)
        return NULL;
    if (block)
        memcpy(moved, block, from < to ? from : to);
    ptx_block_free(block, from);
    return moved;
}

void *ptx_block_zeros(size_t bytes)
{
    return bytes >= LARGE ? map(bytes) : calloc(1, bytes);
}

void ptx_block_free(void *block, size_t bytes)
{
    if (bytes >= LARGE)
        munmap(block, bytes);
    else
        free(block);
}
