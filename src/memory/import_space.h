/* SPDX-License-Identifier: MIT */
/* Address space for imported memory, in arenas that are regions of the address map and are never
 * freed. All functions need the lock of import_records.c; only the list heads may be read without
 * it. */
#ifndef CUP_MEMORY_IMPORT_SPACE_H
#define CUP_MEMORY_IMPORT_SPACE_H

#include "memory/extents.h"
#include "memory/heap.h"
#include "memory/map.h"

#include <stdatomic.h>
#include <stdint.h>

struct cup_import_area;

struct cup_import_arena {
    struct cup_region region; /* first: the map knows an arena by it */
    struct cup_import_arena *next;
    struct cup_extents free; /* chunks of 2 MiB */
    uint32_t chunk_count;
    _Atomic(uint32_t) *heads;       /* of each chunk: its first record */
    struct cup_import_area **areas; /* of each chunk */
};

/* The arena that contains the address; NULL if none. */
struct cup_import_arena *cup_import_arena_at(uint64_t address);

static inline uint32_t cup_import_chunk(const struct cup_import_arena *arena, uint64_t address)
{
    return (uint32_t)((address - arena->region.base) >> CUP_CHUNK_SHIFT);
}

/* Takes free addresses, a multiple of a chunk; 0 if there are none. `functions` are the functions
 * of a new region. */
uint64_t cup_import_space_take(const struct cup_region *functions, uint64_t size_bytes);
void cup_import_space_give(uint64_t address, uint64_t size_bytes);

#endif
