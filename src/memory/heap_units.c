/* SPDX-License-Identifier: MIT */
/* The heap's space in units: who takes some has them alone until it gives them back. Large and
 * shared allocations, shards that need another unit, and those to whom memory is lent do. */
#include "memory/heap.h"

#include "core/compiler.h"
#include "device/access.h"
#include "memory/share.h"
#include "os/reserve.h"

static void give_locked(struct cup_heap *heap, uint32_t unit, uint32_t count)
{
    uint32_t first;

    if (!count)
        return;
    uint32_t free_count = cup_extents_give(&heap->space, unit, count, 0, heap->unit_count, &first);
    cup_heap_forget_locked(heap, unit, count, first, free_count);
}

/* Units that were shared with other processes rest until the next such ones come: NVIDIA's driver
 * does not hand them out again at once, either, and a late message about them then means nothing.
 */
static void rest_locked(struct cup_heap *heap, uint32_t unit, uint32_t count)
{
    give_locked(heap, heap->resting_first, heap->resting_count);
    heap->resting_first = unit;
    heap->resting_count = count;
}

/* Units up to here are used from now on. */
static void raise_high_locked(struct cup_heap *heap, uint32_t end)
{
    uint32_t high = atomic_load(&heap->unit_high);

    if (end <= high)
        return;
    if (heap->device)
        cup_access_mark(cup_heap_address(heap, high * CUP_UNIT_CELLS),
                        (uint64_t)(end - high) << CUP_UNIT_SHIFT,
                        cup_access_class_of_device(heap->device));
    atomic_store(&heap->unit_high, end);
}

uint32_t cup_heap_units_take(struct cup_heap *heap, uint32_t count)
{
    cup_lock_acquire(&heap->space_lock);
    uint32_t unit = cup_extents_take(&heap->space, count);
    if (cup_unlikely(unit == CUP_EXTENT_NONE) && heap->resting_count) {
        rest_locked(heap, 0, 0);
        unit = cup_extents_take(&heap->space, count);
    }
    if (unit != CUP_EXTENT_NONE)
        raise_high_locked(heap, unit + count);
    cup_lock_release(&heap->space_lock);
    return unit;
}

void cup_heap_units_give(struct cup_heap *heap, uint32_t unit, uint32_t count)
{
    void *memory = (void *)(uintptr_t)cup_heap_address(heap, unit * CUP_UNIT_CELLS);
    size_t bytes = (size_t)count << CUP_UNIT_SHIFT;
    bool was_shared = false;

    if (heap->fd < 0)
        cup_reserve_discard_private(memory, bytes);
    else if (cup_share_drop(heap, (uint64_t)(uintptr_t)memory, bytes, &was_shared))
        cup_reserve_discard_shared(memory, bytes);
    else
        return; /* the system has no mapping for it: the addresses are lost, the memory is not */
    cup_lock_acquire(&heap->space_lock);
    if (was_shared)
        rest_locked(heap, unit, count);
    else
        give_locked(heap, unit, count);
    cup_lock_release(&heap->space_lock);
}

/* The extent found, if it happens to begin right. Else takes what is surely enough, and gives back
 * what lies before and behind the aligned part. */
static uint32_t take_aligned_locked(struct cup_heap *heap, uint32_t count, uint32_t align)
{
    uint32_t taken = count + align - 1, unused, first = cup_extents_take(&heap->space, count);

    if (first == CUP_EXTENT_NONE || first % align == 0)
        return first;
    cup_extents_give(&heap->space, first, count, 0, heap->unit_count, &unused);
    first = cup_extents_take(&heap->space, taken);
    if (first == CUP_EXTENT_NONE)
        return first;
    uint32_t start = (first + align - 1) & ~(align - 1), end = start + count;
    if (start > first)
        cup_extents_give(&heap->space, first, start - first, 0, heap->unit_count, &unused);
    if (first + taken > end)
        cup_extents_give(&heap->space, end, first + taken - end, 0, heap->unit_count, &unused);
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
static bool lent(struct cup_heap *heap, uint32_t first, uint64_t size_bytes, uint64_t *offset)
{
    if (first == CUP_EXTENT_NONE) {
        cup_heap_discharge(heap, size_bytes);
        return false;
    }
    *offset = (uint64_t)first << CUP_UNIT_SHIFT;
    return true;
}

bool cup_heap_lend(struct cup_heap *heap, uint64_t size_bytes, uint64_t *offset)
{
    uint32_t count = (uint32_t)(size_bytes >> CUP_UNIT_SHIFT);

    if (size_bytes > heap->limit_bytes || !cup_heap_charge(heap, size_bytes))
        return false;
    return lent(heap, cup_heap_units_take(heap, count), size_bytes, offset);
}

bool cup_heap_lend_aligned(struct cup_heap *heap, uint64_t size_bytes, uint32_t align_units,
                           uint64_t *offset)
{
    uint32_t count = (uint32_t)(size_bytes >> CUP_UNIT_SHIFT);

    if (size_bytes > heap->limit_bytes || !cup_heap_charge(heap, size_bytes))
        return false;
    return lent(heap, units_take_aligned(heap, count, align_units), size_bytes, offset);
}

void cup_heap_take_back(struct cup_heap *heap, uint64_t offset, uint64_t size_bytes)
{
    cup_heap_units_give(heap, (uint32_t)(offset >> CUP_UNIT_SHIFT),
                        (uint32_t)(size_bytes >> CUP_UNIT_SHIFT));
    cup_heap_discharge(heap, size_bytes);
}
