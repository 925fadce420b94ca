/* SPDX-License-Identifier: MIT */
/* How much is used is wanted to the byte, and its high, but no counter may be shared by threads
 * that each work in their own shard. So what is freed stays counted, as credit of the shard, and
 * the next allocation there uses it up. Only who has no credit goes to the stock's own count. A new
 * high is possible only when that count, credit and all, would pass the old one: then the credit is
 * collected first, and the count is exact. (The credit is only a number, and whoever changes it
 * changes the latest one: it needs no order.) At any other moment what is really used is no more
 * than the count, and that no more than the high. */
#include "memory/stock_units.h"

#include "device/access.h"

/* Counting. */

static void collect_credit_locked(struct cup_stock *stock)
{
    for (int i = 0; i < CUP_STOCK_SHARDS; i++) {
        if (atomic_load_explicit(&stock->shards[i].credit_bytes, memory_order_relaxed))
            stock->used_bytes -=
                atomic_exchange_explicit(&stock->shards[i].credit_bytes, 0, memory_order_relaxed);
    }
}

void cup_stock_count_used_locked(struct cup_stock *stock, uint64_t bytes)
{
    if (stock->used_bytes + bytes > stock->used_high)
        collect_credit_locked(stock);
    stock->used_bytes += bytes;
    if (stock->used_bytes > stock->used_high)
        stock->used_high = stock->used_bytes;
}

void cup_stock_count_used(struct cup_stock *stock, struct cup_stock_shard *shard, uint64_t bytes)
{
    uint64_t credit = atomic_load_explicit(&shard->credit_bytes, memory_order_relaxed);

    while (credit >= bytes) {
        if (cup_likely(atomic_compare_exchange_weak_explicit(&shard->credit_bytes, &credit,
                                                             credit - bytes, memory_order_relaxed,
                                                             memory_order_relaxed)))
            return;
    }
    cup_lock_acquire(&stock->lock);
    cup_stock_count_used_locked(stock, bytes);
    cup_lock_release(&stock->lock);
}

struct cup_stock_count cup_stock_count(struct cup_stock *stock)
{
    cup_lock_acquire(&stock->lock);
    collect_credit_locked(stock);
    struct cup_stock_count now = {
        .reserved_bytes = stock->reserved_bytes,
        .reserved_high = stock->reserved_high,
        .used_bytes = stock->used_bytes,
        .used_high = stock->used_high,
    };
    cup_lock_release(&stock->lock);
    return now;
}

void cup_stock_reset_high(struct cup_stock *stock, bool reserved)
{
    cup_lock_acquire(&stock->lock);
    collect_credit_locked(stock);
    if (reserved)
        stock->reserved_high = stock->reserved_bytes;
    else
        stock->used_high = stock->used_bytes;
    cup_lock_release(&stock->lock);
}

/* Units and blocks. */

/* Counts units of each block they lie in as used, or as free again. */
static void note_units_locked(struct cup_stock *stock, uint32_t first, uint32_t count, bool used)
{
    for (uint32_t end = first + count; first < end;) {
        uint32_t block = first / CUP_BLOCK_UNITS, next = (block + 1) * CUP_BLOCK_UNITS;
        uint32_t here = (next < end ? next : end) - first;
        uint64_t bit = UINT64_C(1) << (block % 64);
        stock->block_used[block] = (uint8_t)(stock->block_used[block] + (used ? here : -here));
        if (stock->block_used[block] == 0)
            stock->block_free[block / 64] |= bit;
        else
            stock->block_free[block / 64] &= ~bit;
        first += here;
    }
}

/* Access. A heap on a file is the stock's alone. */

static void mark_access(const struct cup_stock *stock, uint32_t unit, uint64_t bytes)
{
    uint64_t by;

    if (!stock->accessible || !cup_access_is_limited())
        return;
    by = atomic_load(stock->accessible);
    cup_access_mark(cup_heap_address(stock->heap, unit * CUP_UNIT_CELLS), bytes,
                    cup_access_class_of_set(by, by));
}

static void mark_blocks_locked(const struct cup_stock *stock)
{
    for (uint32_t block = 0; block < cup_stock_block_count(stock); block++) {
        if (stock->block_used[block] || stock->block_free[block / 64] >> (block % 64) & 1)
            mark_access(stock, block * CUP_BLOCK_UNITS, CUP_BLOCK_BYTES);
    }
}

void cup_stock_set_access(struct cup_stock *stock, const _Atomic(uint64_t) *accessible)
{
    cup_lock_acquire(&stock->lock);
    stock->accessible = accessible;
    if (stock->heap->on_file)
        mark_access(stock, 0, stock->heap->region.size_bytes);
    else if (cup_access_is_limited())
        mark_blocks_locked(stock);
    cup_lock_release(&stock->lock);
}

/* What goes back to a heap is again what the rest of it is. */
static void unmark_access(const struct cup_stock *stock, uint32_t unit)
{
    if (stock->accessible && !stock->heap->on_file)
        cup_access_mark(cup_heap_address(stock->heap, unit * CUP_UNIT_CELLS), CUP_BLOCK_BYTES,
                        cup_access_class_of_device(stock->heap->device));
}

/* More blocks, one behind the other. */
static bool grow_locked(struct cup_stock *stock, uint32_t unit_count)
{
    uint64_t bytes = ((uint64_t)unit_count << CUP_UNIT_SHIFT) + CUP_BLOCK_BYTES - 1, offset, id = 0;
    uint32_t unused;

    bytes &= ~(uint64_t)(CUP_BLOCK_BYTES - 1);
    if (bytes > stock->limit_bytes - stock->reserved_bytes)
        return false;
    if (stock->charged && !cup_heap_charge(stock->charged, bytes))
        return false;
    if (!cup_heap_lend_aligned(stock->heap, bytes, CUP_BLOCK_UNITS, &offset)) {
        if (stock->charged)
            cup_heap_discharge(stock->charged, bytes);
        return false;
    }
    uint32_t first = (uint32_t)(offset >> CUP_UNIT_SHIFT),
             count = (uint32_t)(bytes >> CUP_UNIT_SHIFT);
    for (uint32_t unit = first; unit < first + count; unit++) {
        if (unit % CUP_BLOCK_UNITS == 0)
            id = cup_map_next_block_id();
        atomic_store_explicit(&stock->heap->units[unit].id, id, memory_order_relaxed);
    }
    mark_access(stock, first, bytes);
    cup_extents_give(&stock->units, first, count, 0, stock->heap->unit_count, &unused);
    note_units_locked(stock, first, count,
                      true); /* blocks begin with a count of 0: used, then free */
    note_units_locked(stock, first, count, false);
    stock->reserved_bytes += bytes;
    if (stock->reserved_bytes > stock->reserved_high)
        stock->reserved_high = stock->reserved_bytes;
    return true;
}

uint32_t cup_stock_units_take_locked(struct cup_stock *stock, uint32_t count, bool may_grow)
{
    uint32_t unit = cup_extents_take(&stock->units, count);

    if (unit == CUP_EXTENT_NONE && may_grow && grow_locked(stock, count))
        unit = cup_extents_take(&stock->units, count);
    if (unit != CUP_EXTENT_NONE)
        note_units_locked(stock, unit, count, true);
    return unit;
}

void cup_stock_units_give_locked(struct cup_stock *stock, uint32_t unit, uint32_t count)
{
    uint32_t unused;

    cup_extents_give(&stock->units, unit, count, 0, stock->heap->unit_count, &unused);
    note_units_locked(stock, unit, count, false);
}

/* The last block that is free leaves the stock; CUP_EXTENT_NONE when none is. */
static uint32_t block_take_locked(struct cup_stock *stock)
{
    for (uint32_t word = cup_stock_block_count(stock) / 64 + 1; word-- > 0;) {
        if (!stock->block_free[word])
            continue;
        uint32_t bit = 63 - (uint32_t)__builtin_clzll(stock->block_free[word]);
        uint32_t first = (word * 64 + bit) * CUP_BLOCK_UNITS;
        stock->block_free[word] &= ~(UINT64_C(1) << bit);
        cup_extents_take_at(&stock->units, first, CUP_BLOCK_UNITS);
        stock->reserved_bytes -= CUP_BLOCK_BYTES;
        return first;
    }
    return CUP_EXTENT_NONE;
}

/* Could a block go and enough still stay? */
static bool is_excess_locked(const struct cup_stock *stock, uint64_t keep_bytes)
{
    return stock->reserved_bytes >= CUP_BLOCK_BYTES &&
           stock->reserved_bytes - CUP_BLOCK_BYTES >= keep_bytes;
}

bool cup_stock_has_excess(struct cup_stock *stock, uint64_t keep_bytes)
{
    cup_lock_acquire(&stock->lock);
    bool excess = is_excess_locked(stock, keep_bytes);
    cup_lock_release(&stock->lock);
    return excess;
}

bool cup_stock_block_release(struct cup_stock *stock, uint64_t keep_bytes)
{
    cup_lock_acquire(&stock->lock);
    uint32_t first =
        is_excess_locked(stock, keep_bytes) ? block_take_locked(stock) : CUP_EXTENT_NONE;
    cup_lock_release(&stock->lock);
    if (first == CUP_EXTENT_NONE)
        return false;
    unmark_access(stock, first);
    cup_heap_take_back(stock->heap, (uint64_t)first << CUP_UNIT_SHIFT, CUP_BLOCK_BYTES);
    if (stock->charged)
        cup_heap_discharge(stock->charged, CUP_BLOCK_BYTES);
    return true;
}
