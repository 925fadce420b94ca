/* SPDX-License-Identifier: MIT */
/* Allocating and freeing. Two levels of the same kind (extents.h): units of the heap's space
 * (heap_units.c), and cells of the units that small requests share. The bookkeeping is kept apart
 * from the memory it describes, in arrays over the whole heap that are committed only where they
 * are used. */
#include "memory/heap.h"

#include "core/compiler.h"
#include "core/error.h"
#include "core/thread.h"
#include "device/notification.h"
#include "memory/heap_guard.h"
#include "memory/share.h"

enum {
    EMPTY_UNITS_KEPT =
        1,      /* a shard's: so that allocating and freeing in turn needs no system call */
    ANY_ID = 0, /* of no allocation: ids begin with 1 */
};

uint64_t cup_heap_free_bytes(struct cup_heap *heap)
{
    uint64_t used = atomic_load(&heap->charged_bytes);

    for (int i = 0; i < CUP_HEAP_SHARDS; i++)
        used -= (uint64_t)atomic_load_explicit(&heap->shards[i].empty_units, memory_order_relaxed)
                << CUP_UNIT_SHIFT;
    return heap->limit_bytes - used;
}

/* Counts memory as used; false when it would be more than there is. */
static bool charge_once(struct cup_heap *heap, uint64_t bytes)
{
    uint64_t charged = atomic_load_explicit(&heap->charged_bytes, memory_order_relaxed);

    do {
        if (bytes > heap->limit_bytes - charged)
            return false;
    } while (!atomic_compare_exchange_weak(&heap->charged_bytes, &charged, charged + bytes));
    if (cup_unlikely(heap->budget_bytes != 0) && charged <= heap->budget_bytes &&
        charged + bytes > heap->budget_bytes)
        cup_notification_over_budget(heap->device, charged + bytes - heap->budget_bytes);
    return true;
}

void cup_heap_discharge(struct cup_heap *heap, uint64_t bytes)
{
    atomic_fetch_sub(&heap->charged_bytes, bytes);
}

struct request {
    uint64_t size_bytes;
    uint32_t owner;
    unsigned flags;
};

/* Writes an allocation's facts and, last, the bit that makes it one. A unit's words are changed
 * under its shard's lock, or by the one thread that has just taken the unit. */
void cup_heap_publish(struct cup_heap *heap, uint32_t cell, uint64_t size_bytes, uint32_t owner,
                      unsigned flags)
{
    uint64_t bit = UINT64_C(1) << (cell % 64);
    _Atomic(uint64_t) *word = &heap->start_bits[cell / 64];
    uint32_t size = size_bytes <= CUP_SMALL_BYTES_MAX ? (uint32_t)size_bytes : 0;

    heap->units[cell / CUP_UNIT_CELLS].written++;
    atomic_store_explicit(&heap->hot[cell], flags << CUP_HOT_SIZE_BITS | size,
                          memory_order_release);
    atomic_store_explicit(&heap->buffer_ids[cell], cup_map_next_id(), memory_order_release);
    atomic_store_explicit(&heap->owners[cell], owner, memory_order_release);
    atomic_store_explicit(word, atomic_load_explicit(word, memory_order_relaxed) | bit,
                          memory_order_release);
}

static void publish(struct cup_heap *heap, uint32_t cell, const struct request *request)
{
    cup_heap_publish(heap, cell, request->size_bytes, request->owner, request->flags);
}

bool cup_heap_unpublish(struct cup_heap *heap, uint32_t cell)
{
    uint64_t bit = UINT64_C(1) << (cell % 64);
    _Atomic(uint64_t) *word = &heap->start_bits[cell / 64];
    uint64_t bits = atomic_load_explicit(word, memory_order_relaxed);

    if (!(bits & bit))
        return false;
    atomic_store_explicit(word, bits & ~bit, memory_order_release);
    return true;
}

static void count_empty_locked(struct cup_shard *shard, int by)
{
    uint32_t empty = atomic_load_explicit(&shard->empty_units, memory_order_relaxed);

    atomic_store_explicit(&shard->empty_units, empty + (uint32_t)by, memory_order_relaxed);
}

/* A fresh unit for the shard's small requests, charged. */
static bool shard_grow_locked(struct cup_heap *heap, uint32_t index)
{
    struct cup_shard *shard = &heap->shards[index];
    uint32_t first;

    if (!charge_once(heap, CUP_UNIT_BYTES))
        return false;
    uint32_t unit = cup_heap_units_take(heap, 1);
    if (unit == CUP_EXTENT_NONE) {
        cup_heap_discharge(heap, CUP_UNIT_BYTES);
        return false;
    }
    atomic_store_explicit(&heap->units[unit].shard, index, memory_order_relaxed);
    heap->units[unit].used_cells = 0;
    atomic_store_explicit(&heap->units[unit].id, cup_map_next_block_id(), memory_order_relaxed);
    atomic_store_explicit(&heap->units[unit].role, CUP_UNIT_SMALL, memory_order_release);
    cup_extents_give(&shard->cells, unit * CUP_UNIT_CELLS, CUP_UNIT_CELLS, unit * CUP_UNIT_CELLS,
                     (unit + 1) * CUP_UNIT_CELLS, &first);
    count_empty_locked(shard, 1);
    return true;
}

static uint32_t cells_take_locked(struct cup_heap *heap, struct cup_shard *shard, uint32_t count)
{
    uint32_t cell = cup_extents_take(&shard->cells, count);

    if (cell == CUP_EXTENT_NONE)
        return cell;
    struct cup_unit *unit = &heap->units[cell / CUP_UNIT_CELLS];
    if (unit->used_cells == 0)
        count_empty_locked(shard, -1);
    unit->used_cells += count;
    return cell;
}

/* An empty unit leaves the shard. Once the lock is released it is to be given back. */
static void unit_leave_locked(struct cup_heap *heap, struct cup_shard *shard, uint32_t unit)
{
    cup_extents_remove(&shard->cells, unit * CUP_UNIT_CELLS);
    atomic_store_explicit(&heap->units[unit].role, CUP_UNIT_FREE, memory_order_release);
}

static uint32_t cell_count(uint64_t size_bytes)
{
    return (uint32_t)((size_bytes + CUP_CELL_BYTES - 1) >> CUP_CELL_SHIFT);
}

static uint32_t small_cells(uint64_t size_bytes)
{
    return cup_unlikely(cup_heap_guarded) ? cup_guard_small_cells(size_bytes)
                                          : cell_count(size_bytes);
}

static uint64_t large_bytes(uint64_t size_bytes)
{
    return cup_unlikely(cup_heap_guarded)
               ? cup_guard_large_bytes(size_bytes)
               : (size_bytes + CUP_UNIT_BYTES - 1) & ~(uint64_t)(CUP_UNIT_BYTES - 1);
}

/* One attempt in one shard. */
static bool allocate_in_shard(struct cup_heap *heap, uint32_t index, bool may_grow,
                              const struct request *request, uint64_t *address)
{
    struct cup_shard *shard = &heap->shards[index];
    uint32_t count = small_cells(request->size_bytes);

    cup_lock_acquire(&shard->lock);
    uint32_t cell = cells_take_locked(heap, shard, count);
    if (cup_unlikely(cell == CUP_EXTENT_NONE) && may_grow && shard_grow_locked(heap, index))
        cell = cells_take_locked(heap, shard, count);
    if (cup_likely(cell != CUP_EXTENT_NONE)) {
        if (cup_unlikely(cup_heap_guarded)) {
            cell += cup_guard_lead(request->size_bytes);
            cup_guard_close(heap, cup_heap_address(heap, cell), request->size_bytes, request->flags,
                            false);
        }
        publish(heap, cell, request);
        *address = cup_heap_address(heap, cell);
    }
    cup_lock_release(&shard->lock);
    return cell != CUP_EXTENT_NONE;
}

/* Where a thread's requests for a context go. Contexts, and flags within one, are kept apart:
 * NVIDIA's driver never lets them share a unit, here they seldom do. */
static uint32_t home_shard(const struct request *request)
{
    uint64_t mixed =
        ((uint64_t)request->owner << 32 | request->flags) * UINT64_C(0x9e3779b97f4a7c15);

    return (cup_thread_id() + (uint32_t)(mixed >> 60)) % CUP_HEAP_SHARDS;
}

/* Gives back the units shards keep empty: memory is short. True if there were any. */
static bool shards_trim(struct cup_heap *heap)
{
    bool trimmed = false;

    for (uint32_t index = 0; index < CUP_HEAP_SHARDS; index++) {
        struct cup_shard *shard = &heap->shards[index];
        uint32_t cell = CUP_EXTENT_NONE;
        cup_lock_acquire(&shard->lock);
        if (atomic_load_explicit(&shard->empty_units, memory_order_relaxed)) {
            cell = cup_extents_take(&shard->cells, CUP_UNIT_CELLS); /* the whole unit */
            count_empty_locked(shard, -1);
            atomic_store_explicit(&heap->units[cell / CUP_UNIT_CELLS].role, CUP_UNIT_FREE,
                                  memory_order_release);
        }
        cup_lock_release(&shard->lock);
        if (cell == CUP_EXTENT_NONE)
            continue;
        cup_heap_units_give(heap, cell / CUP_UNIT_CELLS, 1);
        cup_heap_discharge(heap, CUP_UNIT_BYTES);
        trimmed = true;
    }
    return trimmed;
}

static bool allocate_small(struct cup_heap *heap, const struct request *request, uint64_t *address)
{
    uint32_t home = home_shard(request);

    if (cup_likely(allocate_in_shard(heap, home, true, request, address)))
        return true;
    /* The heap is full: the other shards may have room in units they already hold. */
    for (uint32_t i = 1; i < CUP_HEAP_SHARDS; i++) {
        if (allocate_in_shard(heap, (home + i) % CUP_HEAP_SHARDS, false, request, address))
            return true;
    }
    return false;
}

bool cup_heap_charge(struct cup_heap *heap, uint64_t bytes)
{
    while (!charge_once(heap, bytes)) {
        if (!shards_trim(heap))
            return false;
    }
    return true;
}

static bool allocate_large(struct cup_heap *heap, const struct request *request, uint64_t *address)
{
    uint64_t bytes = large_bytes(request->size_bytes);
    uint32_t count = (uint32_t)(bytes >> CUP_UNIT_SHIFT);

    if (bytes < request->size_bytes || bytes > heap->limit_bytes || !cup_heap_charge(heap, bytes))
        return false;
    uint32_t first = cup_heap_units_take(heap, count);
    if (first == CUP_EXTENT_NONE) {
        cup_heap_discharge(heap, bytes);
        return false;
    }
    atomic_store_explicit(&heap->units[first].id, cup_map_next_block_id(), memory_order_relaxed);
    atomic_store_explicit(&heap->units[first].large_bytes, request->size_bytes,
                          memory_order_release);
    uint32_t cell = first * CUP_UNIT_CELLS;
    if (cup_unlikely(cup_heap_guarded)) {
        cell += cup_guard_lead(request->size_bytes);
        cup_guard_close(heap, cup_heap_address(heap, cell), request->size_bytes, request->flags,
                        true);
    }
    *address = cup_heap_address(heap, cell);
    publish(heap, cell, request);
    for (uint32_t unit = first; unit < first + count; unit++) {
        atomic_store_explicit(&heap->units[unit].start, first, memory_order_relaxed);
        atomic_store_explicit(&heap->units[unit].role, CUP_UNIT_LARGE, memory_order_release);
    }
    return true;
}

CUresult cup_heap_allocate(struct cup_heap *heap, uint64_t size_bytes, uint32_t owner,
                           unsigned flags, uint64_t *address)
{
    struct request request = {size_bytes, owner, flags};
    bool large = size_bytes > CUP_SMALL_BYTES_MAX;

    if (cup_likely(large ? allocate_large(heap, &request, address)
                         : allocate_small(heap, &request, address)))
        return CUDA_SUCCESS;
    if (cup_heap_guarded && cup_guard_give_up())
        return cup_heap_allocate(heap, size_bytes, owner, flags, address);
    return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "%llu bytes asked for, %llu of %llu free",
                     (unsigned long long)size_bytes, (unsigned long long)cup_heap_free_bytes(heap),
                     (unsigned long long)heap->limit_bytes);
}

/* The shard a unit of small requests belongs to, locked; NULL when the unit is no longer such a
 * unit. It stays one while the lock is held. */
static struct cup_shard *shard_of_unit_acquire(struct cup_heap *heap, struct cup_unit *unit)
{
    uint32_t index = atomic_load_explicit(&unit->shard, memory_order_relaxed);
    struct cup_shard *shard = &heap->shards[index % CUP_HEAP_SHARDS];

    if (cup_unlikely(index >= CUP_HEAP_SHARDS))
        return NULL; /* a pool's */
    cup_lock_acquire(&shard->lock);
    if (atomic_load_explicit(&unit->role, memory_order_relaxed) == CUP_UNIT_SMALL &&
        atomic_load_explicit(&unit->shard, memory_order_relaxed) == index)
        return shard;
    cup_lock_release(&shard->lock);
    return NULL;
}

/* The cells are free again; what is to be done when the lock is released, if the unit is. */
static bool cells_give_locked(struct cup_heap *heap, struct cup_shard *shard, uint32_t cell,
                              uint32_t count)
{
    uint32_t unit = cell / CUP_UNIT_CELLS, low = unit * CUP_UNIT_CELLS, first;
    bool release = false;

    cup_extents_give(&shard->cells, cell, count, low, low + CUP_UNIT_CELLS, &first);
    heap->units[unit].used_cells -= count;
    if (heap->units[unit].used_cells == 0) {
        release =
            atomic_load_explicit(&shard->empty_units, memory_order_relaxed) >= EMPTY_UNITS_KEPT;
        if (release)
            unit_leave_locked(heap, shard, unit);
        else
            count_empty_locked(shard, 1);
    }
    return release;
}

static void unit_release(struct cup_heap *heap, uint32_t unit)
{
    cup_heap_units_give(heap, unit, 1);
    cup_heap_discharge(heap, CUP_UNIT_BYTES);
}

/* The bit is read first: what has just begun there has written its id before it. */
static bool is_exactly(const struct cup_heap *heap, uint32_t cell, uint64_t buffer_id)
{
    uint64_t bits = atomic_load_explicit(&heap->start_bits[cell / 64], memory_order_acquire);

    return (bits >> (cell % 64) & 1) &&
           atomic_load_explicit(&heap->buffer_ids[cell], memory_order_relaxed) == buffer_id;
}

/* Under the lock it ends under, which keeps an allocation that is there. */
static bool unpublish_locked(struct cup_heap *heap, uint32_t cell, uint64_t buffer_id)
{
    if (cup_unlikely(buffer_id != ANY_ID) && !is_exactly(heap, cell, buffer_id))
        return false;
    return cup_heap_unpublish(heap, cell);
}

static bool free_small(struct cup_heap *heap, uint32_t cell, uint64_t buffer_id)
{
    uint32_t unit = cell / CUP_UNIT_CELLS;
    struct cup_shard *shard = shard_of_unit_acquire(heap, &heap->units[unit]);
    bool release = false;
    uint64_t size = 0;

    if (!shard)
        return false;
    bool was_there = unpublish_locked(heap, cell, buffer_id);
    if (was_there) {
        uint32_t hot = atomic_load_explicit(&heap->hot[cell], memory_order_relaxed);
        size = cup_hot_size(hot);
        if (cup_likely(!cup_heap_guarded))
            release = cells_give_locked(heap, shard, cell, cell_count(size));
        if (cup_unlikely(cup_hot_flags(hot) & CUP_RANGE_EXPORTED))
            cup_share_freed(heap, cup_heap_address(heap, cell));
    }
    cup_lock_release(&shard->lock);
    if (release)
        unit_release(heap, unit);
    if (cup_unlikely(cup_heap_guarded) && was_there)
        cup_guard_keep_of_heap(heap, cup_heap_address(heap, cell), size, false);
    return was_there;
}

static void large_release(struct cup_heap *heap, uint32_t first, uint64_t size_bytes)
{
    uint64_t bytes = large_bytes(size_bytes);
    uint32_t count = (uint32_t)(bytes >> CUP_UNIT_SHIFT);

    for (uint32_t unit = first; unit < first + count; unit++)
        atomic_store_explicit(&heap->units[unit].role, CUP_UNIT_FREE, memory_order_release);
    cup_heap_units_give(heap, first, count);
    cup_heap_discharge(heap, bytes);
}

static bool free_large(struct cup_heap *heap, uint32_t cell, uint64_t buffer_id)
{
    uint32_t first = cell / CUP_UNIT_CELLS;

    cup_lock_acquire(&heap->space_lock);
    bool was_there = unpublish_locked(heap, cell, buffer_id);
    cup_lock_release(&heap->space_lock);
    if (!was_there)
        return false;
    uint64_t size = atomic_load_explicit(&heap->units[first].large_bytes, memory_order_relaxed);
    if (cup_likely(!cup_heap_guarded)) {
        large_release(heap, first, size);
        return true;
    }
    if (cup_hot_flags(atomic_load(&heap->hot[cell])) & CUP_RANGE_EXPORTED)
        cup_share_freed(heap, cup_heap_address(heap, cell));
    cup_guard_keep_of_heap(heap, cup_heap_address(heap, cell), size, true);
    return true;
}

void cup_heap_release(struct cup_heap *heap, uint64_t address, uint64_t size_bytes, bool large)
{
    uint32_t cell = (uint32_t)((address - heap->region.base) >> CUP_CELL_SHIFT);

    if (large) {
        large_release(heap, cell / CUP_UNIT_CELLS, size_bytes);
        return;
    }
    struct cup_shard *shard = shard_of_unit_acquire(heap, &heap->units[cell / CUP_UNIT_CELLS]);
    if (!shard)
        return; /* cannot be: the unit is its shard's while something in it is in use */
    bool release = cells_give_locked(heap, shard, cell - cup_guard_lead(size_bytes),
                                     cup_guard_small_cells(size_bytes));
    cup_lock_release(&shard->lock);
    if (release)
        unit_release(heap, cell / CUP_UNIT_CELLS);
}

bool cup_heap_free_exactly(struct cup_heap *heap, uint64_t address, uint64_t buffer_id)
{
    uint64_t offset = address - heap->region.base;

    if (offset >= heap->region.size_bytes || offset % CUP_CELL_BYTES != 0)
        return false;
    struct cup_unit *unit = &heap->units[offset >> CUP_UNIT_SHIFT];
    switch (atomic_load_explicit(&unit->role, memory_order_acquire)) {
    case CUP_UNIT_SMALL:
        return free_small(heap, (uint32_t)(offset >> CUP_CELL_SHIFT), buffer_id);
    case CUP_UNIT_LARGE:
        return (offset % CUP_UNIT_BYTES == 0 || cup_heap_guarded) &&
               free_large(heap, (uint32_t)(offset >> CUP_CELL_SHIFT), buffer_id);
    default:
        return false;
    }
}

bool cup_heap_free(struct cup_heap *heap, uint64_t address)
{
    return cup_heap_free_exactly(heap, address, ANY_ID);
}

/* The lock under which the allocation at the cell ends: while it is held, one that is there stays.
 */
static struct cup_lock *end_lock_acquire(struct cup_heap *heap, uint32_t cell)
{
    struct cup_unit *unit = &heap->units[cell / CUP_UNIT_CELLS];

    if (atomic_load_explicit(&unit->role, memory_order_acquire) == CUP_UNIT_SMALL) {
        struct cup_shard *shard = shard_of_unit_acquire(heap, unit);
        return shard ? &shard->lock : NULL;
    }
    cup_lock_acquire(&heap->space_lock);
    return &heap->space_lock;
}

/* The allocation is found without a lock; under the lock its id says whether it is still the same
 * one. */
bool cup_heap_set_flag(struct cup_region *region, uint64_t address, unsigned flag, bool on)
{
    struct cup_heap *heap = (struct cup_heap *)region;
    struct cup_range found, now;

    if (!cup_heap_describe(region, address, &found))
        return false;
    uint32_t cell = (uint32_t)((found.base - region->base) >> CUP_CELL_SHIFT);
    /* What is a pool's ends under a lock of the pool; there a flag that comes too late does no
     * harm. */
    bool pooled = found.flags & CUP_RANGE_POOL;
    struct cup_lock *lock = pooled ? NULL : end_lock_acquire(heap, cell);
    if (!lock && !pooled)
        return false;
    bool same = cup_heap_describe(region, address, &now) && now.buffer_id == found.buffer_id;
    if (same && on)
        atomic_fetch_or_explicit(&heap->hot[cell], flag << CUP_HOT_SIZE_BITS, memory_order_relaxed);
    else if (same)
        atomic_fetch_and_explicit(&heap->hot[cell], ~(flag << CUP_HOT_SIZE_BITS),
                                  memory_order_relaxed);
    if (lock)
        cup_lock_release(lock);
    return same;
}

void cup_heap_free_owned(struct cup_heap *heap, uint32_t owner)
{
    struct cup_range range;

    for (uint32_t word = 0; word < atomic_load(&heap->unit_high) * (CUP_UNIT_CELLS / 64); word++) {
        if (atomic_load_explicit(&heap->units[word / (CUP_UNIT_CELLS / 64)].role,
                                 memory_order_acquire) == CUP_UNIT_FREE) {
            word |= CUP_UNIT_CELLS / 64 - 1; /* to the unit's last word */
            continue;
        }
        uint64_t bits = atomic_load_explicit(&heap->start_bits[word], memory_order_acquire);
        for (; bits; bits &= bits - 1) {
            uint64_t at = cup_heap_address(heap, word * 64 + (uint32_t)__builtin_ctzll(bits));
            /* A module's go with the module: somebody may still be using it. */
            if (cup_heap_describe(&heap->region, at, &range) && range.base == at &&
                range.owner == owner && !(range.flags & CUP_RANGE_VARIABLE))
                cup_heap_free_exactly(heap, at, range.buffer_id);
        }
    }
}
