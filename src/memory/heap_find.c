/* SPDX-License-Identifier: MIT */
/* Looking an address up in a heap, against threads that allocate and free at the same time.
 *
 * An allocation is there from the moment its start bit is set until it is cleared; its facts are written
 * before (only its flags may change while it lives), and its buffer id is never used again. So: find the
 * start bit, read the id, read the facts, and see that bit and id are still the same. No lock, no retry.
 * The facts are stored with release: a reader that saw a newer one also sees the bit that was cleared
 * before it. */
#include "memory/heap.h"

#include "device/context.h"

/* The first cell of the allocation that may contain the cell, or CUP_EXTENT_NONE. Allocations do not cross
 * units, so the search ends at the unit's first word. */
static uint32_t start_at_or_before(const struct cup_heap *heap, uint32_t cell)
{
    uint32_t word = cell / 64, first_word = cell / CUP_UNIT_CELLS * (CUP_UNIT_CELLS / 64);
    uint64_t bits = atomic_load_explicit(&heap->start_bits[word], memory_order_acquire) &
                    (~UINT64_C(0) >> (63 - cell % 64));

    while (!bits) {
        if (word == first_word)
            return CUP_EXTENT_NONE;
        bits = atomic_load_explicit(&heap->start_bits[--word], memory_order_acquire);
    }
    return word * 64 + 63 - (uint32_t)__builtin_clzll(bits);
}

static bool is_start(const struct cup_heap *heap, uint32_t cell)
{
    return atomic_load_explicit(&heap->start_bits[cell / 64], memory_order_acquire) >> (cell % 64) &
           1;
}

static void fill_range(const struct cup_heap *heap, uint32_t cell, uint64_t size_bytes,
                       struct cup_range *range)
{
    uint64_t owner = atomic_load_explicit(&heap->owners[cell], memory_order_relaxed);
    const struct cup_unit *unit = &heap->units[cell / CUP_UNIT_CELLS];

    range->base = cup_heap_address(heap, cell);
    range->size_bytes = size_bytes;
    range->kind = heap->kind;
    range->flags = (unsigned)owner;
    range->owner = (uint32_t)(owner >> 32);
    range->device = heap->device ? heap->device
                                 : ((struct CUctx_st *)cup_object_at(range->owner))->device;
    range->block_base = range->base & ~(uint64_t)(CUP_UNIT_BYTES - 1);
    range->block_bytes = (size_bytes + CUP_UNIT_BYTES - 1) & ~(uint64_t)(CUP_UNIT_BYTES - 1);
    range->block_id = unit->id;
}

bool cup_heap_find(struct cup_region *region, uint64_t address, struct cup_range *range)
{
    struct cup_heap *heap = (struct cup_heap *)region;
    uint64_t offset = address - region->base;
    struct cup_unit *unit = &heap->units[offset >> CUP_UNIT_SHIFT];
    uint32_t role = atomic_load_explicit(&unit->role, memory_order_acquire), cell;
    uint64_t size_bytes;

    if (role == CUP_UNIT_FREE)
        return false;
    if (role == CUP_UNIT_SMALL) {
        cell = start_at_or_before(heap, (uint32_t)(offset >> CUP_CELL_SHIFT));
    } else {
        cell = atomic_load_explicit(&unit->start, memory_order_relaxed) * CUP_UNIT_CELLS;
        if (!is_start(heap, cell))
            return false;
    }
    if (cell == CUP_EXTENT_NONE)
        return false;
    uint64_t id = atomic_load_explicit(&heap->buffer_ids[cell], memory_order_relaxed);
    if (role == CUP_UNIT_SMALL)
        size_bytes = atomic_load_explicit(&heap->sizes[cell], memory_order_relaxed);
    else
        size_bytes = atomic_load_explicit(&heap->units[cell / CUP_UNIT_CELLS].large_bytes,
                                          memory_order_relaxed);
    if (offset - ((uint64_t)cell << CUP_CELL_SHIFT) >= size_bytes)
        return false;
    fill_range(heap, cell, size_bytes, range);
    range->buffer_id = id;
    atomic_thread_fence(memory_order_acquire);
    return is_start(heap, cell) &&
           atomic_load_explicit(&heap->buffer_ids[cell], memory_order_relaxed) == id;
}
