/* SPDX-License-Identifier: MIT */
/* The heap's space in chunks: who takes some has them alone until it gives them back. Large and
 * shared allocations, shards that need another chunk, and those to whom memory is reserved do. */
#include "memory/heap.h"

#include "core/compiler.h"
#include "device/access.h"
#include "memory/share.h"
#include "os/reserve.h"

static void give_locked(struct cup_heap *heap, uint32_t chunk, uint32_t count)
{
    uint32_t first;

    if (!count)
        return;
    uint32_t free_count =
        cup_extents_give(&heap->space, chunk, count, 0, heap->chunk_count, &first);
    cup_heap_forget_locked(heap, chunk, count, first, free_count);
}

/* Chunks that were shared with other processes rest until the next such ones come: NVIDIA's driver
 * does not hand them out again at once, either, and a late message about them then means nothing.
 */
static void rest_locked(struct cup_heap *heap, uint32_t chunk, uint32_t count)
{
    give_locked(heap, heap->resting_first, heap->resting_count);
    heap->resting_first = chunk;
    heap->resting_count = count;
}

/* Chunks up to here are used from now on. */
static void raise_high_locked(struct cup_heap *heap, uint32_t end)
{
    uint32_t high = atomic_load(&heap->chunk_high);

    if (end <= high)
        return;
    if (heap->device)
        cup_access_mark(cup_heap_address(heap, high * CUP_CHUNK_GRANULES),
                        (uint64_t)(end - high) << CUP_CHUNK_SHIFT,
                        cup_access_class_of_device(heap->device));
    atomic_store(&heap->chunk_high, end);
}

uint32_t cup_heap_chunks_take(struct cup_heap *heap, uint32_t count)
{
    cup_lock_acquire(&heap->space_lock);
    uint32_t chunk = cup_extents_take(&heap->space, count);
    if (cup_unlikely(chunk == CUP_EXTENT_NONE) && heap->resting_count) {
        rest_locked(heap, 0, 0);
        chunk = cup_extents_take(&heap->space, count);
    }
    if (chunk != CUP_EXTENT_NONE)
        raise_high_locked(heap, chunk + count);
    cup_lock_release(&heap->space_lock);
    return chunk;
}

void cup_heap_chunks_return(struct cup_heap *heap, uint32_t chunk, uint32_t count)
{
    void *memory = (void *)(uintptr_t)cup_heap_address(heap, chunk * CUP_CHUNK_GRANULES);
    size_t bytes = (size_t)count << CUP_CHUNK_SHIFT;
    bool was_shared = false;

    if (heap->fd < 0)
        cup_reserve_discard_private(memory, bytes);
    else if (cup_share_drop(heap, (uint64_t)(uintptr_t)memory, bytes, &was_shared))
        cup_reserve_discard_shared(memory, bytes);
    else
        return; /* the system has no mapping for it: the addresses are lost, the memory is not */
    cup_lock_acquire(&heap->space_lock);
    if (was_shared)
        rest_locked(heap, chunk, count);
    else
        give_locked(heap, chunk, count);
    cup_lock_release(&heap->space_lock);
}

/* The extent found, if it happens to begin right. Else takes what is surely enough, and gives back
 * what lies before and behind the aligned part. */
static uint32_t take_aligned_locked(struct cup_heap *heap, uint32_t count, uint32_t align)
{
    uint32_t taken = count + align - 1, unused, first = cup_extents_take(&heap->space, count);

    if (first == CUP_EXTENT_NONE || first % align == 0)
        return first;
    cup_extents_give(&heap->space, first, count, 0, heap->chunk_count, &unused);
    first = cup_extents_take(&heap->space, taken);
    if (first == CUP_EXTENT_NONE)
        return first;
    uint32_t start = (first + align - 1) & ~(align - 1), end = start + count;
    if (start > first)
        cup_extents_give(&heap->space, first, start - first, 0, heap->chunk_count, &unused);
    if (first + taken > end)
        cup_extents_give(&heap->space, end, first + taken - end, 0, heap->chunk_count, &unused);
    return start;
}

static uint32_t units_take_aligned(struct cup_heap *heap, uint32_t count, uint32_t align)
{
    cup_lock_acquire(&heap->space_lock);
    rest_locked(heap, 0, 0);
    uint32_t first = take_aligned_locked(heap, count, align);
    if (first != CUP_EXTENT_NONE)
        raise_high_locked(heap, first + count);
    cup_lock_release(&heap->space_lock);
    return first;
}

/* Charged already; what could not be had is charged no more. */
static bool reserved(struct cup_heap *heap, uint32_t first, uint64_t size_bytes, uint64_t *offset)
{
    if (first == CUP_EXTENT_NONE) {
        cup_heap_discharge(heap, size_bytes);
        return false;
    }
    *offset = (uint64_t)first << CUP_CHUNK_SHIFT;
    return true;
}

bool cup_heap_reserve_chunks(struct cup_heap *heap, uint64_t size_bytes, uint64_t *offset)
{
    uint32_t count = (uint32_t)(size_bytes >> CUP_CHUNK_SHIFT);

    if (size_bytes > heap->limit_bytes || !cup_heap_charge(heap, size_bytes))
        return false;
    return reserved(heap, cup_heap_chunks_take(heap, count), size_bytes, offset);
}

bool cup_heap_reserve_chunks_aligned(struct cup_heap *heap, uint64_t size_bytes,
                                     uint32_t align_chunks, uint64_t *offset)
{
    uint32_t count = (uint32_t)(size_bytes >> CUP_CHUNK_SHIFT);

    if (size_bytes > heap->limit_bytes || !cup_heap_charge(heap, size_bytes))
        return false;
    return reserved(heap, units_take_aligned(heap, count, align_chunks), size_bytes, offset);
}

void cup_heap_return_chunks(struct cup_heap *heap, uint64_t offset, uint64_t size_bytes)
{
    cup_heap_chunks_return(heap, (uint32_t)(offset >> CUP_CHUNK_SHIFT),
                           (uint32_t)(size_bytes >> CUP_CHUNK_SHIFT));
    cup_heap_discharge(heap, size_bytes);
}
