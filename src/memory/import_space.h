/* SPDX-License-Identifier: MIT */
/* Address space for memory that others made, in arenas that are regions of the address map and stay
 * for ever. Everything here needs the lock of import_records.c, but for a look at the heads of the
 * lists. */
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

/* The arena of an address; NULL when it is in none. */
struct cup_import_arena *cup_import_arena_at(uint64_t address);

static inline uint32_t cup_import_chunk(const struct cup_import_arena *arena, uint64_t address)
{
    return (uint32_t)((address - arena->region.base) >> CUP_CHUNK_SHIFT);
}

/* Free addresses, a multiple of a chunk; 0 when there are none. The functions are those of a new
 * region. */
uint64_t cup_import_space_take(const struct cup_region *functions, uint64_t size_bytes);
void cup_import_space_give(uint64_t address, uint64_t size_bytes);

#endif
