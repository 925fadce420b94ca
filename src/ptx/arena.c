/* SPDX-License-Identifier: MIT */
/* The arena is a list of zeroed blocks; allocations come from the newest one, in order of
 * addresses. An allocation that is too large for a block gets a block of its own, behind the
 * newest. With ASan every allocation does, so that ASan sees its bounds.
 *
 * Of large blocks the system is asked for many pages at once, ahead of their use: a fault for each
 * page would take a third of the time of a large text. */
#include "ptx/arena.h"

#include "core/align.h"
#include "ptx/block.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define ALL_APART true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ALL_APART true
#endif
#endif
#ifndef ALL_APART
#define ALL_APART false
#endif

enum {
    FIRST_BLOCK = 16 << 10,
    LAST_BLOCK = 4 << 20,
    ALIGNMENT = 16,
    PAGE = 4096,
    AHEAD = 256 << 10,
};

struct arena_block {
    struct arena_block *next;
    size_t bytes; /* with this header, which keeps the memory after it aligned */
};

struct ptx_arena {
    struct arena_block *blocks;
    char *at, *end;
    char *backed; /* up to here the newest block has pages */
    size_t block_size;
};

struct ptx_arena *ptx_arena_create(void)
{
    struct ptx_arena *arena = calloc(1, sizeof(*arena));

    if (arena)
        arena->block_size = FIRST_BLOCK;
    return arena;
}

void ptx_arena_destroy(struct ptx_arena *arena)
{
    if (!arena)
        return;
    for (struct arena_block *block = arena->blocks; block;) {
        struct arena_block *next = block->next;

        ptx_block_free(block, block->bytes);
        block = next;
    }
    free(arena);
}

static struct arena_block *add_block(struct ptx_arena *arena, size_t size)
{
    struct arena_block *block = ptx_block_zeros(sizeof(*block) + size);

    if (block) {
        block->bytes = sizeof(*block) + size;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    return block;
}

/* Asks for the pages of this memory. It is no matter if the system refuses: they come one by one
 * then. */
static void ask_for_pages(const char *from, const char *end)
{
#ifdef MADV_POPULATE_WRITE
    char *start = (char *)cup_align_up((uintptr_t)from, PAGE);
    int saved = errno;

    if (end - start >= PAGE)
        madvise(start, (size_t)(end - start) / PAGE * PAGE, MADV_POPULATE_WRITE);
    errno = saved;
#else
    (void)from, (void)end;
#endif
}

/* The next part of the newest block. */
static void back(struct ptx_arena *arena)
{
    char *end = arena->end - arena->backed < AHEAD ? arena->end : arena->backed + AHEAD;

    ask_for_pages(arena->backed, end);
    arena->backed = end;
}

static void *take_apart(struct ptx_arena *arena, size_t size)
{
    struct arena_block *block = add_block(arena, size);

    if (!block)
        return NULL;
    if (size >= AHEAD)
        ask_for_pages((char *)(block + 1), (char *)(block + 1) + size);
    return block + 1;
}

void *ptx_arena_take(struct ptx_arena *arena, size_t size)
{
    struct arena_block *block;
    char *piece;

    if (size > PTRDIFF_MAX / 2)
        return NULL;
    if (ALL_APART)
        return take_apart(arena, size);
    size = cup_align_up(size, ALIGNMENT);
    if (size > (size_t)(arena->end - arena->at)) {
        if (size > arena->block_size / 4)
            return take_apart(arena, size);
        block = add_block(arena, arena->block_size);
        if (!block)
            return NULL;
        arena->at = (char *)(block + 1);
        arena->end = arena->at + arena->block_size;
        arena->backed = arena->block_size < AHEAD ? arena->end : arena->at;
        if (arena->block_size < LAST_BLOCK)
            arena->block_size *= 2;
    }
    piece = arena->at;
    arena->at += size;
    while (arena->at > arena->backed)
        back(arena);
    return piece;
}
