/* SPDX-License-Identifier: MIT */
/* Creating and destroying a heap: finding a place for its memory in the address map, and setting up
 * its metadata and its arena. */
#include "core/align.h"
#include "core/compiler.h"
#include "device/device.h"
#include "device/usage.h"
#include "memory/heap.h"
#include "memory/heap_file.h"
#include "os/reserve.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SPACE_FACTOR = 2,
    GRANULE_COUNT_MAX_SHIFT = 31,
    PLACES_TRIED_MAX = 16,
};

#define HEAP_ARENA_ID UINT32_MAX /* no pool's: those have the index of an object */

static void *memory_reserve(struct cup_heap *heap, uint64_t size_bytes)
{
    if (heap->on_file)
        return cup_reserve_file(heap->fd, size_bytes, CUP_MAP_SLOT_BYTES);
    heap->fd = -1;
    if (heap->metadata.kind == CUP_RANGE_DEVICE)
        return cup_reserve_shared("cupipe device memory", size_bytes, CUP_MAP_SLOT_BYTES,
                                  &heap->fd);
    return cup_reserve_private(size_bytes, CUP_MAP_SLOT_BYTES);
}

/* Maps memory in slots of the map that are free. Places in taken slots stay mapped until a free one
 * is found. */
static void *address_find(struct cup_heap *heap, uint64_t size_bytes)
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
        uint64_t bytes = cup_align_up(memory_bytes * factor, CUP_MAP_SLOT_BYTES);
        if (bytes >> (CUP_GRANULE_SHIFT + GRANULE_COUNT_MAX_SHIFT))
            continue;
        void *base = address_find(heap, bytes);
        if (base) {
            heap->region.base = heap->metadata.base = (uint64_t)(uintptr_t)base;
            heap->region.size_bytes = bytes;
            heap->metadata.chunk_count = (uint32_t)(bytes >> CUP_CHUNK_SHIFT);
            return true;
        }
    }
    return false;
}

/* fd is -1 for a heap without a file. The map does not contain the heap yet. */
static CUresult heap_make(enum cup_range_kind kind, struct cup_device *device,
                          uint64_t memory_bytes, uint64_t reserved_bytes, int fd,
                          struct cup_heap **heap)
{
    struct cup_heap *made = NULL;
    uint32_t first;

    if (posix_memalign((void **)&made, CUP_CACHE_LINE, sizeof(*made)) != 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memset(made, 0, sizeof(*made));
    made->metadata.kind = kind;
    made->device = device;
    made->fd = fd;
    made->on_file = made->metadata.large_at_chunk = fd >= 0;
    made->limit_bytes = memory_bytes;
    atomic_store(&made->charged_bytes, reserved_bytes);
    /* Release the space, so that a smaller heap can be tried. */
    if (!space_create(made, memory_bytes) || !cup_metadata_create(&made->metadata)) {
        if (made->region.size_bytes)
            cup_reserve_release((void *)(uintptr_t)made->region.base, made->region.size_bytes);
        if (made->fd >= 0 && !made->on_file)
            close(made->fd);
        free(made);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    cup_arena_init(&made->arena, &cup_heap_arena_ops, &made->metadata, HEAP_ARENA_ID,
                   (struct cup_arena_ranks){.shard = CUP_RANK_HEAP, .chunks = CUP_RANK_SPACE},
                   made->metadata.chunk_nodes, made->metadata.chunk_bits);
    cup_extents_give(&made->arena.chunks, 0, made->metadata.chunk_count, 0,
                     made->metadata.chunk_count, &first);
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

    if (result != CUDA_SUCCESS)
        return result;
    if (device) {
        (*heap)->published_bytes = &device->usage->used_bytes;
        atomic_store((*heap)->published_bytes, reserved_bytes);
    }
    cup_map_add(&(*heap)->region);
    return CUDA_SUCCESS;
}

static void unmake(struct cup_heap *heap)
{
    cup_metadata_destroy(&heap->metadata);
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

/* Removes the heap from the map first: while its addresses are mapped, no other region can use its
 * slots. */
void cup_heap_destroy(struct cup_heap *heap)
{
    if (cup_heap_file_remove(heap->in_map))
        unmake(heap);
}
