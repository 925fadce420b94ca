/* SPDX-License-Identifier: MIT */
/* Cells of units, as in heap.c, and the two steps in which allocations end. */
#include "memory/stock.h"

#include "core/thread.h"
#include "memory/stock_units.h"

#include <stdlib.h>

enum { EMPTY_UNITS_KEPT = 1 }; /* a shard's */

bool cup_stock_init(struct cup_stock *stock, struct cup_heap *heap, struct cup_heap *charged,
                    uint32_t owner, uint64_t limit_bytes)
{
    uint64_t words = (heap->unit_count + 63) / 64;

    cup_lock_init(&stock->lock, CUP_RANK_STOCK);
    for (int i = 0; i < CUP_STOCK_SHARDS; i++) {
        cup_lock_init(&stock->shards[i].lock, CUP_RANK_STOCK_SHARD);
        cup_extents_init(&stock->shards[i].cells, heap->cell_nodes, heap->cell_first_bits,
                         heap->cell_last_bits);
    }
    stock->heap = heap;
    stock->charged = charged;
    stock->owner = owner;
    stock->limit_bytes = (limit_bytes + CUP_BLOCK_BYTES - 1) & ~(uint64_t)(CUP_BLOCK_BYTES - 1);
    stock->unit_nodes = calloc(heap->unit_count, sizeof(*stock->unit_nodes));
    stock->unit_bits = calloc(2 * words, sizeof(*stock->unit_bits));
    stock->block_used = calloc(cup_stock_block_count(stock) + 1, 1);
    stock->block_free = calloc(cup_stock_block_count(stock) / 64 + 1, sizeof(*stock->block_free));
    if (!stock->unit_nodes || !stock->unit_bits || !stock->block_used || !stock->block_free)
        return false;
    cup_extents_init(&stock->units, stock->unit_nodes, stock->unit_bits, stock->unit_bits + words);
    return true;
}

void cup_stock_finish(struct cup_stock *stock)
{
    if (stock->reserved_bytes)
        cup_stock_trim(stock, 0);
    free(stock->unit_nodes);
    free(stock->unit_bits);
    free(stock->block_used);
    free(stock->block_free);
}

static uint32_t unit_of(const struct cup_stock *stock, uint64_t address)
{
    return (uint32_t)((address - stock->heap->region.base) >> CUP_UNIT_SHIFT);
}

static uint32_t cell_of(const struct cup_stock *stock, uint64_t address)
{
    return (uint32_t)((address - stock->heap->region.base) >> CUP_CELL_SHIFT);
}

/* Puts guards around an allocation that takes the memory from the cell on, if there are to be any.
 * How many cells behind that it begins. */
static uint32_t guard(struct cup_stock *stock, uint32_t cell, uint64_t size_bytes)
{
    if (cup_likely(!cup_heap_guarded))
        return 0;
    uint32_t lead = cup_heap_lead(stock->heap, size_bytes);
    cup_guard_close(stock->heap, cup_heap_address(stock->heap, cell + lead), size_bytes,
                    CUP_RANGE_POOL, cup_stock_is_large(size_bytes));
    return lead;
}

/* Large allocations. */

static void set_roles(struct cup_heap *heap, uint32_t first, uint32_t count,
                      enum cup_unit_role role)
{
    for (uint32_t unit = first; unit < first + count; unit++) {
        atomic_store_explicit(&heap->units[unit].start, first, memory_order_relaxed);
        atomic_store_explicit(&heap->units[unit].role, role, memory_order_release);
    }
}

static void publish_large(struct cup_stock *stock, uint32_t cell, uint64_t size_bytes)
{
    uint32_t first = cell / CUP_UNIT_CELLS;

    atomic_store_explicit(&stock->heap->units[first].large_bytes, size_bytes, memory_order_release);
    cup_heap_publish(stock->heap, cell, size_bytes, stock->owner, CUP_RANGE_POOL);
    set_roles(stock->heap, first, (uint32_t)(cup_stock_holds(size_bytes) >> CUP_UNIT_SHIFT),
              CUP_UNIT_LARGE);
}

static bool allocate_large(struct cup_stock *stock, uint64_t size_bytes, bool may_grow,
                           uint64_t *address)
{
    uint64_t holds = cup_stock_holds(size_bytes);

    if (holds < size_bytes || holds > stock->limit_bytes || holds > stock->heap->region.size_bytes)
        return false;
    cup_lock_acquire(&stock->lock);
    uint32_t first =
        cup_stock_units_take_locked(stock, (uint32_t)(holds >> CUP_UNIT_SHIFT), may_grow);
    if (first != CUP_EXTENT_NONE) {
        uint32_t cell = first * CUP_UNIT_CELLS + guard(stock, first * CUP_UNIT_CELLS, size_bytes);
        cup_stock_count_used_locked(stock, size_bytes);
        publish_large(stock, cell, size_bytes);
        *address = cup_heap_address(stock->heap, cell);
    }
    cup_lock_release(&stock->lock);
    return first != CUP_EXTENT_NONE;
}

/* Is the allocation that begins at the cell ours? One that is stays while its lock is held. */
static bool is_ours(const struct cup_stock *stock, uint32_t cell)
{
    return atomic_load_explicit(&stock->heap->owners[cell], memory_order_relaxed) == stock->owner;
}

static bool end_large_locked(struct cup_stock *stock, uint32_t cell, bool counts,
                             uint64_t *held_bytes)
{
    uint32_t first = cell / CUP_UNIT_CELLS;
    struct cup_unit *unit = &stock->heap->units[first];

    if (atomic_load_explicit(&unit->role, memory_order_relaxed) != CUP_UNIT_LARGE ||
        !is_ours(stock, cell) || !cup_heap_unpublish(stock->heap, cell))
        return false;
    uint64_t size = atomic_load_explicit(&unit->large_bytes, memory_order_relaxed);
    *held_bytes = cup_stock_holds(size);
    set_roles(stock->heap, first, (uint32_t)(*held_bytes >> CUP_UNIT_SHIFT), CUP_UNIT_FREE);
    if (counts)
        stock->used_bytes -= size;
    return true;
}

/* Small allocations. */

static void count_empty_locked(struct cup_stock_shard *shard, int by)
{
    uint32_t empty = atomic_load_explicit(&shard->empty_units, memory_order_relaxed);

    atomic_store_explicit(&shard->empty_units, empty + (uint32_t)by, memory_order_relaxed);
}

static bool shard_grow_locked(struct cup_stock *stock, uint32_t index, bool may_grow)
{
    struct cup_stock_shard *shard = &stock->shards[index];
    uint32_t unused;

    cup_lock_acquire(&stock->lock);
    uint32_t unit = cup_stock_units_take_locked(stock, 1, may_grow);
    cup_lock_release(&stock->lock);
    if (unit == CUP_EXTENT_NONE)
        return false;
    struct cup_unit *fresh = &stock->heap->units[unit];
    atomic_store_explicit(&fresh->shard, CUP_HEAP_SHARDS + index, memory_order_relaxed);
    fresh->used_cells = 0;
    atomic_store_explicit(&fresh->role, CUP_UNIT_SMALL, memory_order_release);
    cup_extents_give(&shard->cells, unit * CUP_UNIT_CELLS, CUP_UNIT_CELLS, unit * CUP_UNIT_CELLS,
                     (unit + 1) * CUP_UNIT_CELLS, &unused);
    count_empty_locked(shard, 1);
    return true;
}

static uint32_t cells_take_locked(struct cup_stock *stock, struct cup_stock_shard *shard,
                                  uint32_t cell_count)
{
    uint32_t cell = cup_extents_take(&shard->cells, cell_count);

    if (cell == CUP_EXTENT_NONE)
        return cell;
    struct cup_unit *unit = &stock->heap->units[cell / CUP_UNIT_CELLS];
    if (unit->used_cells == 0)
        count_empty_locked(shard, -1);
    unit->used_cells += cell_count;
    return cell;
}

enum growth { NO_UNIT, UNIT_IN_STOCK, UNIT_FROM_HEAP };

static bool allocate_in_shard(struct cup_stock *stock, uint32_t index, uint64_t size_bytes,
                              enum growth growth, uint64_t *address)
{
    struct cup_stock_shard *shard = &stock->shards[index];
    uint32_t cell_count = (uint32_t)(cup_stock_holds(size_bytes) >> CUP_CELL_SHIFT);

    cup_lock_acquire(&shard->lock);
    uint32_t cell = cells_take_locked(stock, shard, cell_count);
    if (cup_unlikely(cell == CUP_EXTENT_NONE) && growth != NO_UNIT &&
        shard_grow_locked(stock, index, growth == UNIT_FROM_HEAP))
        cell = cells_take_locked(stock, shard, cell_count);
    if (cup_likely(cell != CUP_EXTENT_NONE)) {
        cell += guard(stock, cell, size_bytes);
        cup_stock_count_used(stock, shard, size_bytes);
        cup_heap_publish(stock->heap, cell, size_bytes, stock->owner, CUP_RANGE_POOL);
        *address = cup_heap_address(stock->heap, cell);
    }
    cup_lock_release(&shard->lock);
    return cell != CUP_EXTENT_NONE;
}

static bool allocate_small(struct cup_stock *stock, uint64_t size_bytes, bool may_grow,
                           uint64_t *address)
{
    uint32_t home = cup_thread_id() % CUP_STOCK_SHARDS;

    if (cup_likely(allocate_in_shard(stock, home, size_bytes, UNIT_IN_STOCK, address)))
        return true;
    for (uint32_t i = 1; i < CUP_STOCK_SHARDS; i++) {
        if (allocate_in_shard(stock, (home + i) % CUP_STOCK_SHARDS, size_bytes, NO_UNIT, address))
            return true;
    }
    return may_grow && allocate_in_shard(stock, home, size_bytes, UNIT_FROM_HEAP, address);
}

bool cup_stock_allocate(struct cup_stock *stock, uint64_t size_bytes, bool may_grow,
                        uint64_t *address)
{
    if (cup_stock_is_large(size_bytes))
        return allocate_large(stock, size_bytes, may_grow, address);
    return allocate_small(stock, size_bytes, may_grow, address);
}

/* The shard a unit of small allocations belongs to, locked. Whether the unit is still ours is not
 * yet known: the owner of what begins in it says so. */
static struct cup_stock_shard *shard_acquire(struct cup_stock *stock, uint32_t unit)
{
    struct cup_unit *found = &stock->heap->units[unit];
    uint32_t index = atomic_load_explicit(&found->shard, memory_order_relaxed);
    struct cup_stock_shard *shard = &stock->shards[index % CUP_STOCK_SHARDS];

    if (cup_unlikely(index < CUP_HEAP_SHARDS))
        return NULL;
    cup_lock_acquire(&shard->lock);
    if (atomic_load_explicit(&found->role, memory_order_relaxed) == CUP_UNIT_SMALL &&
        atomic_load_explicit(&found->shard, memory_order_relaxed) == index)
        return shard;
    cup_lock_release(&shard->lock);
    return NULL;
}

static bool end_small_locked(struct cup_stock *stock, struct cup_stock_shard *shard, uint32_t cell,
                             bool counts, uint64_t *held_bytes)
{
    if (!is_ours(stock, cell) || !cup_heap_unpublish(stock->heap, cell))
        return false;
    uint64_t size =
        cup_hot_size(atomic_load_explicit(&stock->heap->hot[cell], memory_order_relaxed));
    if (counts)
        atomic_fetch_add_explicit(&shard->credit_bytes, size, memory_order_relaxed);
    *held_bytes = cup_stock_holds(size);
    return true;
}

/* True when the unit is empty and to leave the shard. */
static bool cells_give_locked(struct cup_stock *stock, struct cup_stock_shard *shard, uint32_t cell,
                              uint32_t cell_count)
{
    uint32_t index = cell / CUP_UNIT_CELLS, low = index * CUP_UNIT_CELLS, unused;
    struct cup_unit *unit = &stock->heap->units[index];

    cup_extents_give(&shard->cells, cell, cell_count, low, low + CUP_UNIT_CELLS, &unused);
    unit->used_cells -= cell_count;
    if (unit->used_cells != 0)
        return false;
    if (atomic_load_explicit(&shard->empty_units, memory_order_relaxed) >= EMPTY_UNITS_KEPT)
        return true;
    count_empty_locked(shard, 1);
    return false;
}

static void unit_leave_locked(struct cup_stock *stock, struct cup_stock_shard *shard, uint32_t unit)
{
    cup_extents_remove(&shard->cells, unit * CUP_UNIT_CELLS);
    atomic_store_explicit(&stock->heap->units[unit].role, CUP_UNIT_FREE, memory_order_release);
    cup_lock_acquire(&stock->lock);
    cup_stock_units_give_locked(stock, unit, 1);
    cup_lock_release(&stock->lock);
}

/* The two ways out, for both sizes. */

static bool is_small_unit(const struct cup_stock *stock, uint32_t unit)
{
    return atomic_load_explicit(&stock->heap->units[unit].role, memory_order_acquire) ==
           CUP_UNIT_SMALL;
}

bool cup_stock_end(struct cup_stock *stock, uint64_t address, bool counts, uint64_t *held_bytes)
{
    uint32_t unit = unit_of(stock, address);
    bool ended;

    if (is_small_unit(stock, unit)) {
        struct cup_stock_shard *shard = shard_acquire(stock, unit);
        if (!shard)
            return false;
        ended = end_small_locked(stock, shard, cell_of(stock, address), counts, held_bytes);
        cup_lock_release(&shard->lock);
    } else {
        cup_lock_acquire(&stock->lock);
        ended = end_large_locked(stock, cell_of(stock, address), counts, held_bytes);
        cup_lock_release(&stock->lock);
    }
    return ended;
}

void cup_stock_give(struct cup_stock *stock, uint64_t address, uint64_t held_bytes)
{
    uint32_t unit = unit_of(stock, address);

    if (is_small_unit(stock, unit)) {
        struct cup_stock_shard *shard = shard_acquire(stock, unit);
        if (cells_give_locked(stock, shard, cell_of(stock, address),
                              (uint32_t)(held_bytes >> CUP_CELL_SHIFT)))
            unit_leave_locked(stock, shard, unit);
        cup_lock_release(&shard->lock);
    } else {
        cup_lock_acquire(&stock->lock);
        cup_stock_units_give_locked(stock, unit, (uint32_t)(held_bytes >> CUP_UNIT_SHIFT));
        cup_lock_release(&stock->lock);
    }
}

bool cup_stock_free(struct cup_stock *stock, uint64_t address, bool counts)
{
    uint32_t unit = unit_of(stock, address), cell = cell_of(stock, address);
    uint64_t held;

    if (cup_unlikely(!is_small_unit(stock, unit))) {
        if (!cup_stock_end(stock, address, counts, &held))
            return false;
        cup_stock_give(stock, address, held);
        return true;
    }
    struct cup_stock_shard *shard = shard_acquire(stock, unit);
    if (!shard)
        return false;
    bool ended = end_small_locked(stock, shard, cell, counts, &held);
    if (ended && cells_give_locked(stock, shard, cell, (uint32_t)(held >> CUP_CELL_SHIFT)))
        unit_leave_locked(stock, shard, unit);
    cup_lock_release(&shard->lock);
    return ended;
}

void cup_stock_renew(struct cup_stock *stock, uint64_t address, uint64_t size_bytes)
{
    uint32_t unit = unit_of(stock, address);

    if (!cup_stock_is_large(size_bytes)) {
        struct cup_stock_shard *shard = shard_acquire(stock, unit);
        cup_stock_count_used(stock, shard, size_bytes);
        cup_heap_publish(stock->heap, cell_of(stock, address), size_bytes, stock->owner,
                         CUP_RANGE_POOL);
        cup_lock_release(&shard->lock);
    } else {
        cup_lock_acquire(&stock->lock);
        cup_stock_count_used_locked(stock, size_bytes);
        publish_large(stock, unit * CUP_UNIT_CELLS, size_bytes);
        cup_lock_release(&stock->lock);
    }
}

bool cup_stock_adopt(struct cup_stock *stock, uint64_t address, uint64_t size_bytes)
{
    uint32_t unit = unit_of(stock, address), cell = cell_of(stock, address);
    struct cup_stock_shard *shard = &stock->shards[0];
    struct cup_span found;

    cup_lock_acquire(&shard->lock);
    bool is_new = !cup_map_find(address, &found);
    if (is_new && cup_stock_is_large(size_bytes)) {
        cup_lock_acquire(&stock->lock);
        publish_large(stock, cell, size_bytes);
        cup_lock_release(&stock->lock);
    } else if (is_new) {
        struct cup_unit *shared = &stock->heap->units[unit];
        cup_heap_publish(stock->heap, cell, size_bytes, stock->owner, CUP_RANGE_POOL);
        atomic_store_explicit(&shared->shard, CUP_HEAP_SHARDS, memory_order_relaxed);
        atomic_store_explicit(&shared->role, CUP_UNIT_SMALL, memory_order_release);
    }
    cup_lock_release(&shard->lock);
    return is_new;
}

/* Leaves the shards their units but not those that are empty. */
static void flush_empty_units(struct cup_stock *stock)
{
    for (uint32_t i = 0; i < CUP_STOCK_SHARDS; i++) {
        struct cup_stock_shard *shard = &stock->shards[i];
        if (atomic_load_explicit(&shard->empty_units, memory_order_relaxed) == 0)
            continue;
        cup_lock_acquire(&shard->lock);
        while (atomic_load_explicit(&shard->empty_units, memory_order_relaxed)) {
            uint32_t cell = cup_extents_take(&shard->cells, CUP_UNIT_CELLS); /* a whole unit */
            uint32_t unit = cell / CUP_UNIT_CELLS;
            count_empty_locked(shard, -1);
            atomic_store_explicit(&stock->heap->units[unit].role, CUP_UNIT_FREE,
                                  memory_order_release);
            cup_lock_acquire(&stock->lock);
            cup_stock_units_give_locked(stock, unit, 1);
            cup_lock_release(&stock->lock);
        }
        cup_lock_release(&shard->lock);
    }
}

bool cup_stock_trim(struct cup_stock *stock, uint64_t keep_bytes)
{
    bool trimmed = false;

    if (!cup_stock_has_excess(stock, keep_bytes))
        return false;
    flush_empty_units(stock);
    while (cup_stock_block_release(stock, keep_bytes))
        trimmed = true;
    return trimmed;
}
