/* SPDX-License-Identifier: MIT */
/* Making a heap, and ending one: a place for its memory in the address map, and tables for what is
 * written about it, of the size of the whole and committed only where they are used. */
#include "core/compiler.h"
#include "memory/heap.h"
#include "os/reserve.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SPACE_FACTOR = 2,
    GRANULE_COUNT_MAX_SHIFT = 31,
    PLACES_TRIED_MAX = 16,
};

enum { TABLE_ALIGN = 1 << 16, TABLES_MAX = 12, COLOURS = 4, COLOUR_BYTES = 4096 };

/* A table of the bookkeeping, and the pointer to it. */
struct heap_table {
    void *pointer;
    uint64_t bytes;
};

/* Those that lie in one mapping, one behind the other; their number. */
static size_t tables_list(struct cup_heap *heap, struct cup_extent_node **chunk_nodes,
                          uint64_t **chunk_bits, struct heap_table tables[TABLES_MAX])
{
    uint64_t chunks = heap->chunk_count, granules = chunks * CUP_CHUNK_GRANULES;
    const struct heap_table all[] = {
        {&heap->chunks, chunks * sizeof(*heap->chunks)},
        {&heap->start_bits, granules / 64 * 8},
        {&heap->buffer_ids, granules * sizeof(*heap->buffer_ids)},
        {&heap->owners, granules * sizeof(*heap->owners)},
        {&heap->granule_nodes, granules * sizeof(*heap->granule_nodes)},
        {&heap->granule_first_bits, granules / 64 * 8},
        {&heap->granule_last_bits, granules / 64 * 8},
        {&heap->recorded_groups, chunks / CUP_GROUP_CHUNKS + 1},
        {chunk_nodes, chunks * sizeof(**chunk_nodes)},
        {chunk_bits, (chunks + 63) / 64 * 2 * 8},
    };

    memcpy(tables, all, sizeof(all));
    return CUP_ARRAY_COUNT(all);
}

/* Where in its room a table begins. One call looks at the same entry of most tables: if all began
 * at like addresses, those would be in each other's way in the processor's cache. */
static uint64_t table_colour(size_t index)
{
    return (index + 1) % COLOURS * COLOUR_BYTES;
}

static uint64_t table_room(const struct heap_table *table)
{
    uint64_t bytes = table->bytes + (COLOURS - 1) * COLOUR_BYTES;

    return (bytes + TABLE_ALIGN - 1) & ~(uint64_t)(TABLE_ALIGN - 1);
}

static uint64_t size_flags_bytes(const struct cup_heap *heap)
{
    return (uint64_t)heap->chunk_count * CUP_CHUNK_GRANULES * sizeof(*heap->size_flags);
}

/* Reserves the bookkeeping. */
static bool tables_create(struct cup_heap *heap, struct cup_extent_node **chunk_nodes,
                          uint64_t **chunk_bits)
{
    struct heap_table tables[TABLES_MAX];
    size_t count = tables_list(heap, chunk_nodes, chunk_bits, tables);
    uint64_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        bytes += table_room(&tables[i]);
    char *at = cup_reserve_shared("cupipe bookkeeping", bytes, TABLE_ALIGN, NULL);
    if (!at)
        return false;
    /* In huge pages, if any; but a heap of which little is used is to cost little. */
    heap->size_flags = cup_reserve_private(size_flags_bytes(heap), 2 << 20);
    if (!heap->size_flags) {
        cup_reserve_release(at, bytes);
        return false;
    }
    cup_reserve_in_small_pages((void *)heap->size_flags, 2 << 20);
    heap->tables = at;
    heap->tables_bytes = bytes;
    for (size_t i = 0; i < count; i++) {
        char *table = at + table_colour(i);
        memcpy(tables[i].pointer, &table, sizeof(table));
        at += table_room(&tables[i]);
    }
    return true;
}

static void *memory_reserve(struct cup_heap *heap, uint64_t size_bytes)
{
    if (heap->on_file)
        return cup_reserve_file(heap->fd, size_bytes, CUP_MAP_SLOT_BYTES);
    heap->fd = -1;
    if (heap->kind == CUP_RANGE_DEVICE)
        return cup_reserve_shared("cupipe device memory", size_bytes, CUP_MAP_SLOT_BYTES,
                                  &heap->fd);
    return cup_reserve_private(size_bytes, CUP_MAP_SLOT_BYTES);
}

/* Memory in slots of the map that nobody has. Places where somebody once was are held until another
 * one is found. */
static void *place_find(struct cup_heap *heap, uint64_t size_bytes)
{
    void *held[PLACES_TRIED_MAX], *found = NULL;
    int tried = 0;

    while (!found && tried < PLACES_TRIED_MAX) {
        void *place = memory_reserve(heap, size_bytes);
        if (!place)
            break;
        if (cup_map_is_free((uint64_t)(uintptr_t)place, size_bytes)) {
            found = place;
        } else {
            held[tried++] = place;
            if (!heap->on_file && heap->fd >= 0)
                close(heap->fd); /* a new place has a new file */
            heap->fd = heap->on_file ? heap->fd : -1;
        }
    }
    while (tried > 0)
        cup_reserve_release(held[--tried], size_bytes);
    return found;
}

/* Reserves the space: as much as wanted, or what the address space still has, but never less than
 * the memory itself. */
static bool space_create(struct cup_heap *heap, uint64_t memory_bytes)
{
    for (uint64_t factor = heap->on_file ? 1 : SPACE_FACTOR; factor >= 1; factor--) {
        uint64_t bytes =
            (memory_bytes * factor + CUP_MAP_SLOT_BYTES - 1) & ~(CUP_MAP_SLOT_BYTES - 1);
        if (bytes >> (CUP_GRANULE_SHIFT + GRANULE_COUNT_MAX_SHIFT))
            continue;
        void *base = place_find(heap, bytes);
        if (base) {
            heap->region.base = (uint64_t)(uintptr_t)base;
            heap->region.size_bytes = bytes;
            heap->chunk_count = (uint32_t)(bytes >> CUP_CHUNK_SHIFT);
            return true;
        }
    }
    return false;
}

/* Without a file, fd is -1. The map does not know of it yet. */
static CUresult heap_make(enum cup_range_kind kind, struct cup_device *device,
                          uint64_t memory_bytes, uint64_t reserved_bytes, int fd,
                          struct cup_heap **heap)
{
    struct cup_heap *made = NULL;
    struct cup_extent_node *chunk_nodes = NULL;
    uint64_t *chunk_bits = NULL;
    uint32_t first;

    if (posix_memalign((void **)&made, CUP_CACHE_LINE, sizeof(*made)) != 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memset(made, 0, sizeof(*made));
    made->kind = kind;
    made->device = device;
    made->fd = fd;
    made->on_file = fd >= 0;
    made->limit_bytes = memory_bytes;
    atomic_store(&made->charged_bytes, reserved_bytes);
    /* The space goes back, for a smaller heap to try. */
    if (!space_create(made, memory_bytes) || !tables_create(made, &chunk_nodes, &chunk_bits)) {
        if (made->region.size_bytes)
            cup_reserve_release((void *)(uintptr_t)made->region.base, made->region.size_bytes);
        if (made->fd >= 0 && !made->on_file)
            close(made->fd);
        free(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    for (int i = 0; i < CUP_HEAP_SHARDS; i++) {
        cup_lock_init(&made->shards[i].lock, CUP_RANK_HEAP);
        cup_extents_init(&made->shards[i].granules, made->granule_nodes, made->granule_first_bits,
                         made->granule_last_bits);
    }
    cup_lock_init(&made->space_lock, CUP_RANK_SPACE);
    cup_extents_init(&made->space, chunk_nodes, chunk_bits,
                     chunk_bits + (made->chunk_count + 63) / 64);
    cup_extents_give(&made->space, 0, made->chunk_count, 0, made->chunk_count, &first);
    made->region.find = cup_heap_find;
    made->region.describe = cup_heap_describe;
    made->region.set_flag = cup_heap_set_flag;
    *heap = made;
    return CUDA_SUCCESS;
}

CUresult cup_heap_create(enum cup_range_kind kind, struct cup_device *device, uint64_t memory_bytes,
                         uint64_t reserved_bytes, struct cup_heap **heap)
{
    CUresult result = heap_make(kind, device, memory_bytes, reserved_bytes, -1, heap);

    if (result == CUDA_SUCCESS)
        cup_map_add(&(*heap)->region);
    return result;
}

static void unmake(struct cup_heap *heap)
{
    cup_reserve_release((void *)heap->size_flags, size_flags_bytes(heap));
    cup_reserve_release(heap->tables, heap->tables_bytes);
    cup_reserve_release((void *)(uintptr_t)heap->region.base, heap->region.size_bytes);
    free(heap);
}

CUresult cup_heap_create_on_file(enum cup_range_kind kind, struct cup_device *device,
                                 uint64_t memory_bytes, int fd, struct cup_heap **heap)
{
    struct cup_heap *made;
    CUresult result = heap_make(kind, device, memory_bytes, 0, fd, &made);

    if (result != CUDA_SUCCESS)
        return result;
    made->in_map = cup_heap_file_add(made);
    if (!made->in_map) {
        unmake(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *heap = made;
    return CUDA_SUCCESS;
}

/* Out of the map first: while the addresses are ours, nobody else comes into its slots. */
void cup_heap_destroy(struct cup_heap *heap)
{
    if (cup_heap_file_remove(heap->in_map))
        unmake(heap);
}
