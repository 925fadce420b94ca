/* SPDX-License-Identifier: MIT */
#include "memory/metadata.h"

#include "core/align.h"
#include "os/reserve.h"

#include <string.h>

enum {
    TABLE_ALIGN = 1 << 16,
    TABLES_MAX = 12,
    COLOURS = 4,
    COLOUR_BYTES = 4096,
    HUGE_PAGE_BYTES = 2 << 20,

    GROUP_CHUNKS = 16,
    GROUP_GRANULES = GROUP_CHUNKS * CUP_CHUNK_GRANULES,
    DIRTY_MIN = 128, /* allocations in a chunk */
};

struct metadata_table {
    void *pointer; /* to the pointer to the table */
    uint64_t bytes;
};

/* Lists the tables that share one mapping; returns their number. */
static size_t tables_list(struct cup_metadata *metadata, struct metadata_table tables[TABLES_MAX])
{
    uint64_t chunks = metadata->chunk_count, granules = chunks * CUP_CHUNK_GRANULES;
    const struct metadata_table all[] = {
        {&metadata->chunks, chunks * sizeof(*metadata->chunks)},
        {&metadata->start_bits, granules / 64 * 8},
        {&metadata->buffer_ids, granules * sizeof(*metadata->buffer_ids)},
        {&metadata->owners, granules * sizeof(*metadata->owners)},
        {&metadata->granule_nodes, granules * sizeof(*metadata->granule_nodes)},
        {&metadata->granule_first_bits, granules / 64 * 8},
        {&metadata->granule_last_bits, granules / 64 * 8},
        {&metadata->dirty_groups, chunks / GROUP_CHUNKS + 1},
        {&metadata->chunk_nodes, chunks * sizeof(*metadata->chunk_nodes)},
        {&metadata->chunk_bits, (chunks + 63) / 64 * 2 * 8},
    };

    memcpy(tables, all, sizeof(all));
    return CUP_ARRAY_COUNT(all);
}

/* The offset of a table in its reserved space. One call reads the same entry of most tables, and
 * tables that begin at equal offsets would evict each other from the processor's cache. */
static uint64_t table_colour(size_t index)
{
    return (index + 1) % COLOURS * COLOUR_BYTES;
}

static uint64_t table_room(const struct metadata_table *table)
{
    return cup_align_up(table->bytes + (COLOURS - 1) * COLOUR_BYTES, TABLE_ALIGN);
}

static uint64_t size_flags_bytes(const struct cup_metadata *metadata)
{
    return (uint64_t)metadata->chunk_count * CUP_CHUNK_GRANULES * sizeof(*metadata->size_flags);
}

bool cup_metadata_create(struct cup_metadata *metadata)
{
    struct metadata_table tables[TABLES_MAX];
    size_t count = tables_list(metadata, tables);
    uint64_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        bytes += table_room(&tables[i]);
    char *at = cup_reserve_shared("cupipe bookkeeping", bytes, TABLE_ALIGN, NULL);
    if (!at)
        return false;
    /* Use huge pages if available, except for the first one, for heaps that are hardly used. */
    metadata->size_flags = cup_reserve_private(size_flags_bytes(metadata), HUGE_PAGE_BYTES);
    if (!metadata->size_flags) {
        cup_reserve_release(at, bytes);
        return false;
    }
    cup_reserve_in_small_pages((void *)metadata->size_flags, HUGE_PAGE_BYTES);
    metadata->tables = at;
    metadata->tables_bytes = bytes;
    for (size_t i = 0; i < count; i++) {
        char *table = at + table_colour(i);
        memcpy(tables[i].pointer, &table, sizeof(table));
        at += table_room(&tables[i]);
    }
    return true;
}

void cup_metadata_destroy(struct cup_metadata *metadata)
{
    cup_reserve_release((void *)metadata->size_flags, size_flags_bytes(metadata));
    cup_reserve_release(metadata->tables, metadata->tables_bytes);
}

/* The start bit comes last: it makes the rest valid. */
void cup_metadata_publish(struct cup_metadata *metadata, uint32_t granule, uint64_t size_bytes,
                          uint32_t owner, unsigned flags)
{
    uint64_t bit = UINT64_C(1) << (granule % 64);
    _Atomic(uint64_t) *word = &metadata->start_bits[granule / 64];
    uint32_t size = cup_size_is_large(size_bytes) ? 0 : (uint32_t)size_bytes;

    metadata->chunks[granule / CUP_CHUNK_GRANULES].published++;
    atomic_store_explicit(&metadata->size_flags[granule], flags << CUP_SIZE_FLAGS_SIZE_BITS | size,
                          memory_order_release);
    atomic_store_explicit(&metadata->buffer_ids[granule], cup_map_next_id(), memory_order_release);
    atomic_store_explicit(&metadata->owners[granule], owner, memory_order_release);
    atomic_store_explicit(word, atomic_load_explicit(word, memory_order_relaxed) | bit,
                          memory_order_release);
}

bool cup_metadata_unpublish(struct cup_metadata *metadata, uint32_t granule)
{
    uint64_t bit = UINT64_C(1) << (granule % 64);
    _Atomic(uint64_t) *word = &metadata->start_bits[granule / 64];
    uint64_t bits = atomic_load_explicit(word, memory_order_relaxed);

    if (!(bits & bit))
        return false;
    atomic_store_explicit(word, bits & ~bit, memory_order_release);
    return true;
}

/* No thread writes entries of free granules, and a look-up finds no start bit there. */
static void group_discard(struct cup_metadata *metadata, uint32_t group)
{
    size_t granule = (size_t)group * GROUP_GRANULES;

    cup_reserve_discard_private((void *)&metadata->size_flags[granule],
                                GROUP_GRANULES * sizeof(*metadata->size_flags));
    cup_reserve_discard_shared((void *)&metadata->buffer_ids[granule],
                               GROUP_GRANULES * sizeof(*metadata->buffer_ids));
    cup_reserve_discard_shared((void *)&metadata->owners[granule],
                               GROUP_GRANULES * sizeof(*metadata->owners));
    cup_reserve_discard_shared(&metadata->granule_nodes[granule],
                               GROUP_GRANULES * sizeof(*metadata->granule_nodes));
    metadata->dirty_groups[group] = 0;
}

/* Metadata takes 32 bytes a granule and stays when the granules are free. A group of 16 chunks is
 * discarded when all of them are free and one of them held many allocations: a few system calls for
 * 32 MiB of small allocations, and none for large ones. */
void cup_metadata_chunks_freed(struct cup_metadata *metadata, uint32_t chunk, uint32_t count,
                               uint32_t free_first, uint32_t free_count)
{
    for (uint32_t each = chunk; each < chunk + count; each++) {
        if (metadata->chunks[each].published >= DIRTY_MIN)
            metadata->dirty_groups[each / GROUP_CHUNKS] = 1;
        metadata->chunks[each].published = 0;
    }
    for (uint32_t group = chunk / GROUP_CHUNKS; group <= (chunk + count - 1) / GROUP_CHUNKS;
         group++) {
        uint32_t first = group * GROUP_CHUNKS;

        if (metadata->dirty_groups[group] && first >= free_first &&
            first + GROUP_CHUNKS <= free_first + free_count)
            group_discard(metadata, group);
    }
}
