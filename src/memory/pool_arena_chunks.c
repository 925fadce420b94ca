/* SPDX-License-Identifier: MIT */
/* How much is used is wanted to the byte, and its high, but no counter may be shared by threads
 * that each work in their own shard. So what is freed stays counted, as credit of the shard, and
 * the next allocation there uses it up. Only who has no credit goes to the pool_arena's own count.
 * A new high is possible only when that count, credit and all, would pass the old one: then the
 * credit is collected first, and the count is exact. (The credit is only a number, and whoever
 * changes it changes the latest one: it needs no order.) At any other moment what is really used is
 * no more than the count, and that no more than the high. */
#include "memory/pool_arena_chunks.h"

#include "device/access.h"

/* Counting. */

static void collect_credit_locked(struct cup_pool_arena *pool_arena)
{
    for (int i = 0; i < CUP_POOL_ARENA_SHARDS; i++) {
        if (atomic_load_explicit(&pool_arena->shards[i].credit_bytes, memory_order_relaxed))
            pool_arena->used_bytes -= atomic_exchange_explicit(&pool_arena->shards[i].credit_bytes,
                                                               0, memory_order_relaxed);
    }
}

void cup_pool_arena_count_used_locked(struct cup_pool_arena *pool_arena, uint64_t bytes)
{
    if (pool_arena->used_bytes + bytes > pool_arena->used_high)
        collect_credit_locked(pool_arena);
    pool_arena->used_bytes += bytes;
    if (pool_arena->used_bytes > pool_arena->used_high)
        pool_arena->used_high = pool_arena->used_bytes;
}

void cup_pool_arena_count_used(struct cup_pool_arena *pool_arena,
                               struct cup_pool_arena_shard *shard, uint64_t bytes)
{
    uint64_t credit = atomic_load_explicit(&shard->credit_bytes, memory_order_relaxed);

    while (credit >= bytes) {
        if (cup_likely(atomic_compare_exchange_weak_explicit(&shard->credit_bytes, &credit,
                                                             credit - bytes, memory_order_relaxed,
                                                             memory_order_relaxed)))
            return;
    }
    cup_lock_acquire(&pool_arena->lock);
    cup_pool_arena_count_used_locked(pool_arena, bytes);
    cup_lock_release(&pool_arena->lock);
}

struct cup_pool_arena_counters cup_pool_arena_count(struct cup_pool_arena *pool_arena)
{
    cup_lock_acquire(&pool_arena->lock);
    collect_credit_locked(pool_arena);
    struct cup_pool_arena_counters now = {
        .reserved_bytes = pool_arena->reserved_bytes,
        .reserved_high = pool_arena->reserved_high,
        .used_bytes = pool_arena->used_bytes,
        .used_high = pool_arena->used_high,
    };
    cup_lock_release(&pool_arena->lock);
    return now;
}

void cup_pool_arena_reset_high(struct cup_pool_arena *pool_arena, bool reserved)
{
    cup_lock_acquire(&pool_arena->lock);
    collect_credit_locked(pool_arena);
    if (reserved)
        pool_arena->reserved_high = pool_arena->reserved_bytes;
    else
        pool_arena->used_high = pool_arena->used_bytes;
    cup_lock_release(&pool_arena->lock);
}

/* Chunks and blocks. */

/* Counts chunks of each block they lie in as used, or as free again. */
static void note_chunks_locked(struct cup_pool_arena *pool_arena, uint32_t first, uint32_t count,
                               bool used)
{
    for (uint32_t end = first + count; first < end;) {
        uint32_t block = first / CUP_BLOCK_CHUNKS, next = (block + 1) * CUP_BLOCK_CHUNKS;
        uint32_t here = (next < end ? next : end) - first;
        uint64_t bit = UINT64_C(1) << (block % 64);
        pool_arena->block_used[block] =
            (uint8_t)(pool_arena->block_used[block] + (used ? here : -here));
        if (pool_arena->block_used[block] == 0)
            pool_arena->block_free[block / 64] |= bit;
        else
            pool_arena->block_free[block / 64] &= ~bit;
        first += here;
    }
}

/* Access. A heap on a file is the pool_arena's alone. */

static void mark_access(const struct cup_pool_arena *pool_arena, uint32_t chunk, uint64_t bytes)
{
    uint64_t by;

    if (!pool_arena->accessible || !cup_access_is_limited())
        return;
    by = atomic_load(pool_arena->accessible);
    cup_access_mark(cup_heap_address(pool_arena->heap, chunk * CUP_CHUNK_GRANULES), bytes,
                    cup_access_class_of_set(by, by));
}

static void mark_blocks_locked(const struct cup_pool_arena *pool_arena)
{
    for (uint32_t block = 0; block < cup_pool_arena_block_count(pool_arena); block++) {
        if (pool_arena->block_used[block] || pool_arena->block_free[block / 64] >> (block % 64) & 1)
            mark_access(pool_arena, block * CUP_BLOCK_CHUNKS, CUP_BLOCK_BYTES);
    }
}

void cup_pool_arena_set_access(struct cup_pool_arena *pool_arena,
                               const _Atomic(uint64_t) *accessible)
{
    cup_lock_acquire(&pool_arena->lock);
    pool_arena->accessible = accessible;
    if (pool_arena->heap->on_file)
        mark_access(pool_arena, 0, pool_arena->heap->region.size_bytes);
    else if (cup_access_is_limited())
        mark_blocks_locked(pool_arena);
    cup_lock_release(&pool_arena->lock);
}

/* What goes back to a heap is again what the rest of it is. */
static void unmark_access(const struct cup_pool_arena *pool_arena, uint32_t chunk)
{
    if (pool_arena->accessible && !pool_arena->heap->on_file)
        cup_access_mark(cup_heap_address(pool_arena->heap, chunk * CUP_CHUNK_GRANULES),
                        CUP_BLOCK_BYTES, cup_access_class_of_device(pool_arena->heap->device));
}

/* More blocks, one behind the other. */
static bool grow_locked(struct cup_pool_arena *pool_arena, uint32_t chunk_count)
{
    uint64_t bytes = ((uint64_t)chunk_count << CUP_CHUNK_SHIFT) + CUP_BLOCK_BYTES - 1, offset,
             id = 0;
    uint32_t unused;

    bytes &= ~(uint64_t)(CUP_BLOCK_BYTES - 1);
    if (bytes > pool_arena->limit_bytes - pool_arena->reserved_bytes)
        return false;
    if (pool_arena->charged && !cup_heap_charge(pool_arena->charged, bytes))
        return false;
    if (!cup_heap_reserve_chunks_aligned(pool_arena->heap, bytes, CUP_BLOCK_CHUNKS, &offset)) {
        if (pool_arena->charged)
            cup_heap_discharge(pool_arena->charged, bytes);
        return false;
    }
    uint32_t first = (uint32_t)(offset >> CUP_CHUNK_SHIFT),
             count = (uint32_t)(bytes >> CUP_CHUNK_SHIFT);
    for (uint32_t chunk = first; chunk < first + count; chunk++) {
        if (chunk % CUP_BLOCK_CHUNKS == 0)
            id = cup_map_next_block_id();
        atomic_store_explicit(&pool_arena->heap->chunks[chunk].id, id, memory_order_relaxed);
    }
    mark_access(pool_arena, first, bytes);
    cup_extents_give(&pool_arena->chunks, first, count, 0, pool_arena->heap->chunk_count, &unused);
    note_chunks_locked(pool_arena, first, count,
                       true); /* blocks begin with a count of 0: used, then free */
    note_chunks_locked(pool_arena, first, count, false);
    pool_arena->reserved_bytes += bytes;
    if (pool_arena->reserved_bytes > pool_arena->reserved_high)
        pool_arena->reserved_high = pool_arena->reserved_bytes;
    return true;
}

uint32_t cup_pool_arena_chunks_take_locked(struct cup_pool_arena *pool_arena, uint32_t count,
                                           bool may_grow)
{
    uint32_t chunk = cup_extents_take(&pool_arena->chunks, count);

    if (chunk == CUP_EXTENT_NONE && may_grow && grow_locked(pool_arena, count))
        chunk = cup_extents_take(&pool_arena->chunks, count);
    if (chunk != CUP_EXTENT_NONE)
        note_chunks_locked(pool_arena, chunk, count, true);
    return chunk;
}

void cup_pool_arena_chunks_return_locked(struct cup_pool_arena *pool_arena, uint32_t chunk,
                                         uint32_t count)
{
    uint32_t unused;

    cup_extents_give(&pool_arena->chunks, chunk, count, 0, pool_arena->heap->chunk_count, &unused);
    note_chunks_locked(pool_arena, chunk, count, false);
}

/* The last block that is free leaves the pool_arena; CUP_EXTENT_NONE when none is. */
static uint32_t block_take_locked(struct cup_pool_arena *pool_arena)
{
    for (uint32_t word = cup_pool_arena_block_count(pool_arena) / 64 + 1; word-- > 0;) {
        if (!pool_arena->block_free[word])
            continue;
        uint32_t bit = 63 - (uint32_t)__builtin_clzll(pool_arena->block_free[word]);
        uint32_t first = (word * 64 + bit) * CUP_BLOCK_CHUNKS;
        pool_arena->block_free[word] &= ~(UINT64_C(1) << bit);
        cup_extents_take_at(&pool_arena->chunks, first, CUP_BLOCK_CHUNKS);
        pool_arena->reserved_bytes -= CUP_BLOCK_BYTES;
        return first;
    }
    return CUP_EXTENT_NONE;
}

/* Could a block go and enough still stay? */
static bool is_excess_locked(const struct cup_pool_arena *pool_arena, uint64_t keep_bytes)
{
    return pool_arena->reserved_bytes >= CUP_BLOCK_BYTES &&
           pool_arena->reserved_bytes - CUP_BLOCK_BYTES >= keep_bytes;
}

bool cup_pool_arena_has_excess(struct cup_pool_arena *pool_arena, uint64_t keep_bytes)
{
    cup_lock_acquire(&pool_arena->lock);
    bool excess = is_excess_locked(pool_arena, keep_bytes);
    cup_lock_release(&pool_arena->lock);
    return excess;
}

bool cup_pool_arena_block_release(struct cup_pool_arena *pool_arena, uint64_t keep_bytes)
{
    cup_lock_acquire(&pool_arena->lock);
    uint32_t first =
        is_excess_locked(pool_arena, keep_bytes) ? block_take_locked(pool_arena) : CUP_EXTENT_NONE;
    cup_lock_release(&pool_arena->lock);
    if (first == CUP_EXTENT_NONE)
        return false;
    unmark_access(pool_arena, first);
    cup_heap_return_chunks(pool_arena->heap, (uint64_t)first << CUP_CHUNK_SHIFT, CUP_BLOCK_BYTES);
    if (pool_arena->charged)
        cup_heap_discharge(pool_arena->charged, CUP_BLOCK_BYTES);
    return true;
}
