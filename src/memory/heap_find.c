/* SPDX-License-Identifier: MIT */
/* Looking an address up in a heap, against threads that allocate and free at the same time.
 *
 * An allocation is there from the moment its start bit is set until it is cleared; its facts are
 * written before (only its flags may change while it lives), and its buffer id is never used again.
 * So: find the start bit, read the id, read the facts, and see that bit and id are still the same.
 * No lock, no retry. The facts are stored with release: a reader that saw a newer one also sees the
 * bit that was cleared before it. */
#include "memory/heap.h"

#include "core/compiler.h"

#include "device/context.h"
#include "memory/pool.h"

/* The first cell of the allocation that may contain the cell, or CUP_EXTENT_NONE. Allocations do
 * not cross units, so the search ends at the unit's first word. */
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

/* The first cell of the allocation the offset may be in, or CUP_EXTENT_NONE. */
static uint32_t first_cell(const struct cup_heap *heap, uint64_t offset, uint32_t *role)
{
    const struct cup_unit *unit = &heap->units[offset >> CUP_UNIT_SHIFT];

    *role = atomic_load_explicit(&unit->role, memory_order_relaxed);
    if (cup_likely(*role == CUP_UNIT_SMALL))
        return start_at_or_before(heap, (uint32_t)(offset >> CUP_CELL_SHIFT));
    if (*role == CUP_UNIT_FREE)
        return CUP_EXTENT_NONE;
    uint32_t first = atomic_load_explicit(&unit->start, memory_order_relaxed);
    uint32_t cell = first * CUP_UNIT_CELLS;
    if (cup_unlikely(cup_heap_guarded))
        cell += cup_heap_lead(
            heap, atomic_load_explicit(&heap->units[first].large_bytes, memory_order_relaxed));
    return is_start(heap, cell) ? cell : CUP_EXTENT_NONE;
}

static uint64_t size_at(const struct cup_heap *heap, uint32_t cell, uint32_t role, uint32_t hot)
{
    if (cup_likely(role == CUP_UNIT_SMALL))
        return cup_hot_size(hot);
    return atomic_load_explicit(&heap->units[cell / CUP_UNIT_CELLS].large_bytes,
                                memory_order_relaxed);
}

/* Size and flags come in one word, so that whichever allocation they are of, they belong together.
 */
bool cup_heap_find(struct cup_region *region, uint64_t address, struct cup_span *span)
{
    struct cup_heap *heap = (struct cup_heap *)region;
    uint64_t offset = address - region->base;
    uint32_t role, cell = first_cell(heap, offset, &role);

    if (cell == CUP_EXTENT_NONE)
        return false;
    uint32_t hot = atomic_load_explicit(&heap->hot[cell], memory_order_relaxed);
    span->base = cup_heap_address(heap, cell);
    span->size_bytes = size_at(heap, cell, role, hot);
    span->kind = heap->kind;
    span->flags = cup_hot_flags(hot);
    return address - span->base < span->size_bytes && !(span->flags & CUP_RANGE_HIDDEN);
}

static void fill_block(const struct cup_heap *heap, uint32_t cell, struct cup_range *range)
{
    const struct cup_unit *unit = &heap->units[cell / CUP_UNIT_CELLS];
    uint64_t unit_mask = CUP_UNIT_BYTES - 1;

    range->block_base = range->base & ~unit_mask;
    range->block_bytes =
        (range->base - range->block_base + range->size_bytes + unit_mask) & ~unit_mask;
    range->block_id = atomic_load_explicit(&unit->id, memory_order_relaxed);
}

static struct cup_device *owner_device(uint32_t owner)
{
    return ((struct CUctx_st *)cup_object_at(owner))->device;
}

bool cup_heap_describe(struct cup_region *region, uint64_t address, struct cup_range *range)
{
    struct cup_heap *heap = (struct cup_heap *)region;
    struct cup_span span;

    if (!cup_heap_find(region, address, &span))
        return false;
    uint32_t cell = (uint32_t)((span.base - region->base) >> CUP_CELL_SHIFT);
    range->buffer_id = atomic_load_explicit(&heap->buffer_ids[cell], memory_order_relaxed);
    cup_load_fence();
    if (!cup_heap_find(region, address, &span) || span.base != cup_heap_address(heap, cell))
        return false; /* freed since */
    range->base = span.base;
    range->size_bytes = span.size_bytes;
    range->kind = span.kind;
    range->flags = span.flags;
    range->owner = atomic_load_explicit(&heap->owners[cell], memory_order_relaxed);
    fill_block(heap, cell, range);
    if (range->flags & CUP_RANGE_POOL)
        cup_pool_describe(range);
    else
        range->device = heap->device                     ? heap->device
                        : range->owner == CUP_OWNER_NONE ? cup_device_get(0)
                                                         : owner_device(range->owner);
    cup_load_fence();
    return is_start(heap, cell) &&
           atomic_load_explicit(&heap->buffer_ids[cell], memory_order_relaxed) == range->buffer_id;
}
