/* SPDX-License-Identifier: MIT */
/* Chunks are taken and returned as in a heap (extents.h). Chunks returned last are taken first, so
 * memory that is closed and opened again tends to get the same address. */
#include "memory/import_space.h"

#include "core/align.h"
#include "os/reserve.h"

#include <stdlib.h>

enum { ARENA_BYTES_LEAST = 1 << 30 };

static struct cup_import_arena *arenas;

static void array_release(void *array, uint64_t count, size_t entry_bytes)
{
    if (array)
        cup_reserve_release(array, count * entry_bytes);
}

struct cup_import_arena *cup_import_arena_at(uint64_t address)
{
    struct cup_import_arena *arena = arenas;

    while (arena && address - arena->region.base >= arena->region.size_bytes)
        arena = arena->next;
    return arena;
}

static bool arena_init(struct cup_import_arena *arena, const struct cup_region *functions,
                       uint64_t base, uint64_t bytes)
{
    uint32_t chunks = (uint32_t)(bytes >> CUP_CHUNK_SHIFT), first;
    struct cup_extent_node *nodes = cup_reserve_array(chunks, sizeof(*nodes));
    uint64_t *bits = cup_reserve_array((chunks + 63) / 64 * 2, sizeof(*bits));

    arena->heads = cup_reserve_array(chunks, sizeof(*arena->heads));
    arena->areas = cup_reserve_array(chunks, sizeof(*arena->areas));
    if (!nodes || !bits || !arena->heads || !arena->areas) {
        array_release(nodes, chunks, sizeof(*nodes));
        array_release(bits, (chunks + 63) / 64 * 2, sizeof(*bits));
        array_release(arena->heads, chunks, sizeof(*arena->heads));
        array_release(arena->areas, chunks, sizeof(*arena->areas));
        return false;
    }
    arena->chunk_count = chunks;
    cup_extents_init(&arena->free, nodes, bits, bits + (chunks + 63) / 64);
    cup_extents_give(&arena->free, 0, chunks, 0, chunks, &first);
    arena->region = *functions;
    arena->region.base = base;
    arena->region.size_bytes = bytes;
    return true;
}

/* Adds an arena of at least this size. */
static struct cup_import_arena *arena_create(const struct cup_region *functions,
                                             uint64_t size_bytes)
{
    uint64_t least = size_bytes > ARENA_BYTES_LEAST ? size_bytes : ARENA_BYTES_LEAST;
    uint64_t bytes = cup_align_up(least, CUP_MAP_SLOT_BYTES);
    struct cup_import_arena *arena = calloc(1, sizeof(*arena));
    void *space = arena ? cup_reserve_space(bytes, CUP_MAP_SLOT_BYTES) : NULL;

    if (!space || !cup_map_is_free((uint64_t)(uintptr_t)space, bytes) ||
        !arena_init(arena, functions, (uint64_t)(uintptr_t)space, bytes)) {
        if (space)
            cup_reserve_release(space, bytes);
        free(arena);
        return NULL;
    }
    arena->next = arenas;
    arenas = arena;
    cup_map_add(&arena->region);
    return arena;
}

static uint64_t take_from(struct cup_import_arena *arena, uint32_t count)
{
    uint32_t chunk = cup_extents_take(&arena->free, count);

    if (chunk == CUP_EXTENT_NONE)
        return 0;
    return arena->region.base + ((uint64_t)chunk << CUP_CHUNK_SHIFT);
}

uint64_t cup_import_space_take(const struct cup_region *functions, uint64_t size_bytes)
{
    uint32_t count = (uint32_t)(size_bytes >> CUP_CHUNK_SHIFT);
    uint64_t address = 0;

    for (struct cup_import_arena *arena = arenas; arena && !address; arena = arena->next)
        address = take_from(arena, count);
    if (address)
        return address;
    struct cup_import_arena *made = arena_create(functions, size_bytes);
    return made ? take_from(made, count) : 0;
}

void cup_import_space_give(uint64_t address, uint64_t size_bytes)
{
    struct cup_import_arena *arena = cup_import_arena_at(address);
    uint32_t first;

    cup_extents_give(&arena->free, cup_import_chunk(arena, address),
                     (uint32_t)(size_bytes >> CUP_CHUNK_SHIFT), 0, arena->chunk_count, &first);
}
