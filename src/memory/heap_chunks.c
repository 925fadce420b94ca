/* SPDX-License-Identifier: MIT */
/* The chunks of a heap: its arena takes some for allocations, and others have some reserved. Chunks
 * in use are charged against the heap's limit; the pages of returned ones go back to the system. */
#include "memory/heap.h"

#include "core/align.h"
#include "core/compiler.h"
#include "core/lock.h"
#include "device/access.h"
#include "device/device.h"
#include "device/notification.h"
#include "memory/share_piece.h"
#include "os/reserve.h"

#include <stddef.h>

/* Returns false if nothing was idle. Locks of any rank may be held. */
static bool give_idle_back(struct cup_heap *heap)
{
    uint64_t idle = cup_heap_charge_idle_take(heap, UINT64_MAX);

    cup_heap_discharge(heap, idle);
    return idle != 0;
}

/* Releases idle memory before a request fails that the heap could ever satisfy. */
static bool charge_once(struct cup_heap *heap, uint64_t bytes)
{
    uint64_t charged = atomic_load_explicit(&heap->charged_bytes, memory_order_relaxed);

    do {
        while (cup_unlikely(bytes > heap->limit_bytes - charged)) {
            if (bytes > heap->limit_bytes || !give_idle_back(heap))
                return false;
            charged = atomic_load_explicit(&heap->charged_bytes, memory_order_relaxed);
        }
    } while (!atomic_compare_exchange_weak(&heap->charged_bytes, &charged, charged + bytes));
    if (heap->published_bytes)
        atomic_fetch_add_explicit(heap->published_bytes, bytes, memory_order_relaxed);
    if (cup_unlikely(heap->budget_bytes != 0) && charged <= heap->budget_bytes &&
        charged + bytes > heap->budget_bytes)
        cup_notification_over_budget(heap->device, charged + bytes - heap->budget_bytes);
    return true;
}

bool cup_heap_charge(struct cup_heap *heap, uint64_t bytes)
{
    while (!charge_once(heap, bytes)) {
        if (!cup_arena_trim(&heap->arena))
            return false;
    }
    return true;
}

void cup_heap_discharge(struct cup_heap *heap, uint64_t bytes)
{
    atomic_fetch_sub(&heap->charged_bytes, bytes);
    if (heap->published_bytes)
        atomic_fetch_sub_explicit(heap->published_bytes, bytes, memory_order_relaxed);
}

void cup_heap_charge_idle(struct cup_heap *heap, uint64_t bytes)
{
    atomic_fetch_add(&heap->idle_bytes, bytes);
}

uint64_t cup_heap_charge_idle_take(struct cup_heap *heap, uint64_t bytes)
{
    uint64_t idle = atomic_load(&heap->idle_bytes), taken;

    do {
        taken = idle < bytes ? idle : bytes;
    } while (!atomic_compare_exchange_weak(&heap->idle_bytes, &idle, idle - taken));
    return taken;
}

uint64_t cup_heap_free_bytes(struct cup_heap *heap)
{
    uint64_t used = atomic_load(&heap->charged_bytes);

    return heap->limit_bytes - (used - cup_arena_empty_bytes(&heap->arena));
}

static void give_locked(struct cup_heap *heap, uint32_t chunk, uint32_t count)
{
    cup_lock_assert_held(&heap->arena.lock);
    uint32_t first;

    if (!count)
        return;
    uint32_t free_count =
        cup_extents_give(&heap->arena.chunks, chunk, count, 0, heap->metadata.chunk_count, &first);
    cup_metadata_chunks_freed(&heap->metadata, chunk, count, first, free_count);
}

/* Chunks that were shared with other processes are not reused until the next such chunks are
 * returned: NVIDIA's driver does not reuse them at once either, and a late message about them then
 * has no effect. */
static void rest_locked(struct cup_heap *heap, uint32_t chunk, uint32_t count)
{
    cup_lock_assert_held(&heap->arena.lock);
    give_locked(heap, heap->resting_first, heap->resting_count);
    heap->resting_first = chunk;
    heap->resting_count = count;
}

/* Chunks up to `end` are used from now on. */
static void raise_high_locked(struct cup_heap *heap, uint32_t end)
{
    cup_lock_assert_held(&heap->arena.lock);
    uint32_t high = atomic_load(&heap->chunk_high);

    if (end <= high)
        return;
    if (heap->device)
        cup_access_mark(cup_metadata_address(&heap->metadata, high * CUP_CHUNK_GRANULES),
                        (uint64_t)(end - high) << CUP_CHUNK_SHIFT,
                        cup_access_class_of_device(heap->device));
    atomic_store(&heap->chunk_high, end);
}

static uint32_t take(struct cup_heap *heap, uint32_t count)
{
    cup_lock_acquire(&heap->arena.lock);
    uint32_t chunk = cup_extents_take(&heap->arena.chunks, count);
    if (cup_unlikely(chunk == CUP_EXTENT_NONE) && heap->resting_count) {
        rest_locked(heap, 0, 0);
        chunk = cup_extents_take(&heap->arena.chunks, count);
    }
    if (chunk != CUP_EXTENT_NONE)
        raise_high_locked(heap, chunk + count);
    cup_lock_release(&heap->arena.lock);
    return chunk;
}

struct cup_share_backing cup_heap_backing(const struct cup_heap *heap)
{
    return (struct cup_share_backing){
        .fd = heap->fd,
        .base = heap->region.base,
        .device_uuid = heap->device ? &heap->device->uuid : NULL,
    };
}

static void give_back(struct cup_heap *heap, uint32_t chunk, uint32_t count)
{
    void *memory =
        (void *)(uintptr_t)cup_metadata_address(&heap->metadata, chunk * CUP_CHUNK_GRANULES);
    size_t bytes = (size_t)count << CUP_CHUNK_SHIFT;
    struct cup_share_backing backing = cup_heap_backing(heap);
    bool was_shared = false;

    if (heap->fd < 0)
        cup_reserve_discard_private(memory, bytes);
    else if (cup_share_drop(&backing, (uint64_t)(uintptr_t)memory, bytes, &was_shared))
        cup_reserve_discard_shared(memory, bytes);
    else
        return; /* the system has no mapping for it: the addresses are lost, the memory is not */
    cup_lock_acquire(&heap->arena.lock);
    if (was_shared)
        rest_locked(heap, chunk, count);
    else
        give_locked(heap, chunk, count);
    cup_lock_release(&heap->arena.lock);
}

/* An extent that is already aligned need not be longer than the request. */
static uint32_t take_aligned_locked(struct cup_heap *heap, uint32_t count, uint32_t align)
{
    cup_lock_assert_held(&heap->arena.lock);
    struct cup_extents *chunks = &heap->arena.chunks;
    uint32_t first = cup_extents_take(chunks, count), unused;

    if (first == CUP_EXTENT_NONE || cup_is_aligned(first, align))
        return first;
    cup_extents_give(chunks, first, count, 0, heap->metadata.chunk_count, &unused);
    return cup_extents_take_aligned(chunks, count, align, heap->metadata.chunk_count);
}

static uint32_t take_aligned(struct cup_heap *heap, uint32_t count, uint32_t align)
{
    cup_lock_acquire(&heap->arena.lock);
    rest_locked(heap, 0, 0);
    uint32_t first = take_aligned_locked(heap, count, align);
    if (first != CUP_EXTENT_NONE)
        raise_high_locked(heap, first + count);
    cup_lock_release(&heap->arena.lock);
    return first;
}

bool cup_heap_reserve_chunks_aligned(struct cup_heap *heap, uint64_t size_bytes,
                                     uint32_t align_chunks, uint64_t *offset)
{
    uint32_t count = (uint32_t)(size_bytes >> CUP_CHUNK_SHIFT);

    if (size_bytes > heap->limit_bytes || !cup_heap_charge(heap, size_bytes))
        return false;
    uint32_t first = align_chunks > 1 ? take_aligned(heap, count, align_chunks) : take(heap, count);
    if (first == CUP_EXTENT_NONE) {
        cup_heap_discharge(heap, size_bytes);
        return false;
    }
    *offset = (uint64_t)first << CUP_CHUNK_SHIFT;
    return true;
}

static bool take_at(struct cup_heap *heap, uint32_t first, uint32_t count)
{
    cup_lock_acquire(&heap->arena.lock);
    bool taken = cup_extents_take_at(&heap->arena.chunks, first, count);
    if (taken)
        raise_high_locked(heap, first + count);
    cup_lock_release(&heap->arena.lock);
    return taken;
}

bool cup_heap_reserve_chunks_at(struct cup_heap *heap, uint64_t size_bytes, uint64_t offset)
{
    uint32_t count = (uint32_t)(size_bytes >> CUP_CHUNK_SHIFT);
    uint64_t first = offset >> CUP_CHUNK_SHIFT;

    if (first + count > heap->metadata.chunk_count || size_bytes > heap->limit_bytes ||
        !cup_heap_charge(heap, size_bytes))
        return false;
    if (take_at(heap, (uint32_t)first, count))
        return true;
    cup_heap_discharge(heap, size_bytes);
    return false;
}

bool cup_heap_reserve_chunks(struct cup_heap *heap, uint64_t size_bytes, uint64_t *offset)
{
    return cup_heap_reserve_chunks_aligned(heap, size_bytes, 1, offset);
}

void cup_heap_return_chunks(struct cup_heap *heap, uint64_t offset, uint64_t size_bytes)
{
    give_back(heap, (uint32_t)(offset >> CUP_CHUNK_SHIFT),
              (uint32_t)(size_bytes >> CUP_CHUNK_SHIFT));
    cup_heap_discharge(heap, size_bytes);
}

static struct cup_heap *heap_of(struct cup_arena *arena)
{
    return (struct cup_heap *)((char *)arena - offsetof(struct cup_heap, arena));
}

/* A heap has all its chunks from the start and never grows. Charging must not trim here: the lock
 * of a shard may be held. */
static uint32_t chunks_take(struct cup_arena *arena, uint32_t count, bool may_grow)
{
    struct cup_heap *heap = heap_of(arena);
    uint64_t bytes = (uint64_t)count << CUP_CHUNK_SHIFT;

    (void)may_grow;
    if (!charge_once(heap, bytes))
        return CUP_EXTENT_NONE;
    uint32_t first = take(heap, count);
    if (first == CUP_EXTENT_NONE)
        cup_heap_discharge(heap, bytes);
    else
        atomic_store_explicit(&heap->metadata.chunks[first].id, cup_map_next_block_id(),
                              memory_order_relaxed);
    return first;
}

static void chunks_return(struct cup_arena *arena, uint32_t first, uint32_t count)
{
    give_back(heap_of(arena), first, count);
    cup_heap_discharge(heap_of(arena), (uint64_t)count << CUP_CHUNK_SHIFT);
}

static void exported_ended(struct cup_arena *arena, uint64_t address)
{
    (void)arena;
    cup_share_freed(address);
}

/* Memory that is shared leaves its file when the last allocation of the chunk ends: handles of the
 * next ones differ, and peers that still have the file do not see them. */
static bool chunk_emptied(struct cup_arena *arena, uint32_t chunk)
{
    struct cup_heap *heap = heap_of(arena);
    struct cup_share_backing backing = cup_heap_backing(heap);
    uint64_t address = cup_metadata_address(&heap->metadata, chunk * CUP_CHUNK_GRANULES);
    bool was_shared;

    if (heap->fd < 0 || cup_share_drop(&backing, address, CUP_CHUNK_BYTES, &was_shared))
        return true;
    cup_heap_discharge(heap, CUP_CHUNK_BYTES); /* the addresses are lost, the memory is not */
    return false;
}

const struct cup_arena_ops cup_heap_arena_ops = {
    .chunks_take = chunks_take,
    .chunks_return = chunks_return,
    .exported_ended = exported_ended,
    .chunk_emptied = chunk_emptied,
};
