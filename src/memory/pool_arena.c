/* SPDX-License-Identifier: MIT */
/* The operations of a pool's arena: blocks from the heap as its source of chunks, and the count of
 * used bytes.
 *
 * The count and its highest value are exact, yet threads that work in their own shards share no
 * counter. Freed bytes stay counted, as credit of a shard, and the next allocation there spends
 * them; only without credit it comes here. A new high is possible only when the count with all
 * credit would exceed the old one: then the credit is collected first. At any other time the bytes
 * in use are at most the count, and the count at most the high. */
#include "memory/pool_arena.h"

#include "core/lock.h"
#include "device/access.h"
#include "memory/heap.h"

#include <stddef.h>
#include <stdlib.h>

static struct cup_pool_arena *pool_arena_of(struct cup_arena *arena)
{
    return (struct cup_pool_arena *)((char *)arena - offsetof(struct cup_pool_arena, arena));
}

/* Counting. */

static void count_used(struct cup_arena *arena, uint64_t bytes)
{
    struct cup_pool_arena *pool_arena = pool_arena_of(arena);

    cup_lock_acquire(&arena->lock);
    if (pool_arena->used_bytes + bytes > pool_arena->used_high)
        pool_arena->used_bytes -= cup_arena_collect_credit(arena);
    pool_arena->used_bytes += bytes;
    if (pool_arena->used_bytes > pool_arena->used_high)
        pool_arena->used_high = pool_arena->used_bytes;
    cup_lock_release(&arena->lock);
}

struct cup_pool_arena_counters cup_pool_arena_count(struct cup_pool_arena *pool_arena)
{
    cup_lock_acquire(&pool_arena->arena.lock);
    pool_arena->used_bytes -= cup_arena_collect_credit(&pool_arena->arena);
    struct cup_pool_arena_counters now = {
        .reserved_bytes = pool_arena->reserved_bytes,
        .reserved_high = pool_arena->reserved_high,
        .used_bytes = pool_arena->used_bytes,
        .used_high = pool_arena->used_high,
    };
    cup_lock_release(&pool_arena->arena.lock);
    return now;
}

void cup_pool_arena_reset_high(struct cup_pool_arena *pool_arena, bool reserved)
{
    cup_lock_acquire(&pool_arena->arena.lock);
    pool_arena->used_bytes -= cup_arena_collect_credit(&pool_arena->arena);
    if (reserved)
        pool_arena->reserved_high = pool_arena->reserved_bytes;
    else
        pool_arena->used_high = pool_arena->used_bytes;
    cup_lock_release(&pool_arena->arena.lock);
}

/* Blocks. */

static uint32_t block_count(const struct cup_pool_arena *pool_arena)
{
    return pool_arena->heap->metadata.chunk_count / CUP_BLOCK_CHUNKS;
}

/* Counts chunks as used, or as free again, in each block they lie in. */
static void count_chunks_locked(struct cup_pool_arena *pool_arena, uint32_t first, uint32_t count,
                                bool used)
{
    cup_lock_assert_held(&pool_arena->arena.lock);
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

static void give_locked(struct cup_pool_arena *pool_arena, uint32_t first, uint32_t count)
{
    cup_lock_assert_held(&pool_arena->arena.lock);
    uint32_t unused;

    cup_extents_give(&pool_arena->arena.chunks, first, count, 0,
                     pool_arena->heap->metadata.chunk_count, &unused);
    count_chunks_locked(pool_arena, first, count, false);
}

static uint64_t chunk_address(const struct cup_pool_arena *pool_arena, uint32_t chunk)
{
    return cup_metadata_address(&pool_arena->heap->metadata, chunk * CUP_CHUNK_GRANULES);
}

static void mark_access(const struct cup_pool_arena *pool_arena, uint32_t chunk, uint64_t bytes)
{
    if (!pool_arena->accessible || !cup_access_is_limited())
        return;
    uint64_t by = atomic_load(pool_arena->accessible);
    cup_access_mark(chunk_address(pool_arena, chunk), bytes, cup_access_class_of_set(by, by));
}

/* A heap on a file belongs to one pool. */
void cup_pool_arena_set_access(struct cup_pool_arena *pool_arena,
                               const _Atomic(uint64_t) *accessible)
{
    cup_lock_acquire(&pool_arena->arena.lock);
    pool_arena->accessible = accessible;
    if (pool_arena->heap->on_file)
        mark_access(pool_arena, 0, pool_arena->heap->region.size_bytes);
    for (uint32_t block = 0;
         !pool_arena->heap->on_file && cup_access_is_limited() && block < block_count(pool_arena);
         block++) {
        if (pool_arena->block_used[block] || pool_arena->block_free[block / 64] >> (block % 64) & 1)
            mark_access(pool_arena, block * CUP_BLOCK_CHUNKS, CUP_BLOCK_BYTES);
    }
    cup_lock_release(&pool_arena->arena.lock);
}

/* Assigns ids to the chunks of new blocks. */
static void identify_blocks(struct cup_pool_arena *pool_arena, uint32_t first, uint32_t count)
{
    uint64_t id = 0;

    for (uint32_t chunk = first; chunk < first + count; chunk++) {
        if (chunk % CUP_BLOCK_CHUNKS == 0)
            id = cup_map_next_block_id();
        atomic_store_explicit(&pool_arena->heap->metadata.chunks[chunk].id, id,
                              memory_order_relaxed);
    }
}

/* The chunk behind the arena's last block; 0 if it has no block. */
static uint32_t end_chunk_locked(const struct cup_pool_arena *pool_arena)
{
    cup_lock_assert_held(&pool_arena->arena.lock);
    if (pool_arena->reserved_bytes == 0)
        return 0;
    for (uint32_t block = block_count(pool_arena); block-- > 0;)
        if (pool_arena->block_used[block] || pool_arena->block_free[block / 64] >> (block % 64) & 1)
            return (block + 1) * CUP_BLOCK_CHUNKS;
    return 0;
}

/* Charges for blocks. */
static bool charge_locked(struct cup_pool_arena *pool_arena, uint64_t bytes)
{
    cup_lock_assert_held(&pool_arena->arena.lock);
    if (bytes > pool_arena->limit_bytes - pool_arena->reserved_bytes)
        return false;
    return !pool_arena->charged || cup_heap_charge(pool_arena->charged, bytes);
}

/* Reserves blocks at this offset, or with UINT64_MAX anywhere. */
static bool reserve_locked(struct cup_pool_arena *pool_arena, uint64_t bytes, uint64_t offset)
{
    cup_lock_assert_held(&pool_arena->arena.lock);
    if (!charge_locked(pool_arena, bytes))
        return false;
    bool reserved =
        offset == UINT64_MAX
            ? cup_heap_reserve_chunks_aligned(pool_arena->heap, bytes, CUP_BLOCK_CHUNKS, &offset)
            : cup_heap_reserve_chunks_at(pool_arena->heap, bytes, offset);
    if (!reserved) {
        if (pool_arena->charged)
            cup_heap_discharge(pool_arena->charged, bytes);
        return false;
    }
    uint32_t first = (uint32_t)(offset >> CUP_CHUNK_SHIFT),
             count = (uint32_t)(bytes >> CUP_CHUNK_SHIFT);
    identify_blocks(pool_arena, first, count);
    mark_access(pool_arena, first, bytes);
    count_chunks_locked(pool_arena, first, count, true); /* the count was 0: used, then free */
    give_locked(pool_arena, first, count);
    pool_arena->reserved_bytes += bytes;
    if (pool_arena->reserved_bytes > pool_arena->reserved_high)
        pool_arena->reserved_high = pool_arena->reserved_bytes;
    return true;
}

static uint64_t block_bytes(uint32_t chunk_count)
{
    return cup_align_up((uint64_t)chunk_count << CUP_CHUNK_SHIFT, CUP_BLOCK_BYTES);
}

/* Adds memory until that many adjacent chunks are free. As in NVIDIA's driver the arena grows at
 * its end, so that free chunks there are used; if the heap has no room after it, blocks elsewhere
 * are added. */
static bool grow_locked(struct cup_pool_arena *pool_arena, uint32_t chunk_count)
{
    cup_lock_assert_held(&pool_arena->arena.lock);
    uint32_t end = end_chunk_locked(pool_arena);
    uint32_t tail = cup_extents_free_before(&pool_arena->arena.chunks, end);

    if (end != 0 && reserve_locked(pool_arena, block_bytes(chunk_count - tail),
                                   (uint64_t)end << CUP_CHUNK_SHIFT))
        return true;
    return reserve_locked(pool_arena, block_bytes(chunk_count), UINT64_MAX);
}

static uint32_t chunks_take(struct cup_arena *arena, uint32_t count, bool may_grow)
{
    struct cup_pool_arena *pool_arena = pool_arena_of(arena);

    cup_lock_acquire(&arena->lock);
    uint32_t chunk = cup_extents_take(&arena->chunks, count);
    if (chunk == CUP_EXTENT_NONE && may_grow && grow_locked(pool_arena, count))
        chunk = cup_extents_take(&arena->chunks, count);
    if (chunk != CUP_EXTENT_NONE)
        count_chunks_locked(pool_arena, chunk, count, true);
    cup_lock_release(&arena->lock);
    return chunk;
}

static void chunks_return(struct cup_arena *arena, uint32_t first, uint32_t count)
{
    cup_lock_acquire(&arena->lock);
    give_locked(pool_arena_of(arena), first, count);
    cup_lock_release(&arena->lock);
}

/* Takes the last free block; CUP_EXTENT_NONE if there is none, or if too little would remain. */
static uint32_t block_take_locked(struct cup_pool_arena *pool_arena, uint64_t keep_bytes)
{
    cup_lock_assert_held(&pool_arena->arena.lock);
    if (pool_arena->reserved_bytes < CUP_BLOCK_BYTES ||
        pool_arena->reserved_bytes - CUP_BLOCK_BYTES < keep_bytes)
        return CUP_EXTENT_NONE;
    for (uint32_t word = block_count(pool_arena) / 64 + 1; word-- > 0;) {
        if (!pool_arena->block_free[word])
            continue;
        uint32_t bit = 63 - (uint32_t)__builtin_clzll(pool_arena->block_free[word]);
        uint32_t first = (word * 64 + bit) * CUP_BLOCK_CHUNKS;
        pool_arena->block_free[word] &= ~(UINT64_C(1) << bit);
        cup_extents_take_at(&pool_arena->arena.chunks, first, CUP_BLOCK_CHUNKS);
        pool_arena->reserved_bytes -= CUP_BLOCK_BYTES;
        return first;
    }
    return CUP_EXTENT_NONE;
}

/* A block that is returned to the heap gets the access rights of the rest of the heap. */
static bool block_return(struct cup_pool_arena *pool_arena, uint64_t keep_bytes)
{
    cup_lock_acquire(&pool_arena->arena.lock);
    uint32_t first = block_take_locked(pool_arena, keep_bytes);
    cup_lock_release(&pool_arena->arena.lock);
    if (first == CUP_EXTENT_NONE)
        return false;
    if (pool_arena->accessible && !pool_arena->heap->on_file)
        cup_access_mark(chunk_address(pool_arena, first), CUP_BLOCK_BYTES,
                        cup_access_class_of_device(pool_arena->heap->device));
    cup_heap_return_chunks(pool_arena->heap, (uint64_t)first << CUP_CHUNK_SHIFT, CUP_BLOCK_BYTES);
    if (pool_arena->charged)
        cup_heap_discharge(pool_arena->charged, CUP_BLOCK_BYTES);
    return true;
}

static bool has_excess(struct cup_pool_arena *pool_arena, uint64_t keep_bytes)
{
    cup_lock_acquire(&pool_arena->arena.lock);
    uint64_t reserved = pool_arena->reserved_bytes;
    cup_lock_release(&pool_arena->arena.lock);
    return reserved >= CUP_BLOCK_BYTES && reserved - CUP_BLOCK_BYTES >= keep_bytes;
}

bool cup_pool_arena_trim(struct cup_pool_arena *pool_arena, uint64_t keep_bytes)
{
    bool trimmed = false;

    if (!has_excess(pool_arena, keep_bytes))
        return false;
    cup_arena_trim(&pool_arena->arena);
    while (block_return(pool_arena, keep_bytes))
        trimmed = true;
    return trimmed;
}

static const struct cup_arena_ops ops = {
    .chunks_take = chunks_take,
    .chunks_return = chunks_return,
    .count_used = count_used,
};

bool cup_pool_arena_init(struct cup_pool_arena *pool_arena, struct cup_heap *heap,
                         struct cup_heap *charged, uint32_t owner, uint64_t limit_bytes)
{
    uint32_t chunks = heap->metadata.chunk_count;

    pool_arena->heap = heap;
    pool_arena->charged = charged;
    pool_arena->limit_bytes = cup_align_up(limit_bytes, CUP_BLOCK_BYTES);
    pool_arena->chunk_nodes = calloc(chunks, sizeof(*pool_arena->chunk_nodes));
    pool_arena->chunk_bits = calloc((chunks + 63) / 64 * 2, sizeof(*pool_arena->chunk_bits));
    pool_arena->block_used = calloc(block_count(pool_arena) + 1, 1);
    pool_arena->block_free =
        calloc(block_count(pool_arena) / 64 + 1, sizeof(*pool_arena->block_free));
    if (!pool_arena->chunk_nodes || !pool_arena->chunk_bits || !pool_arena->block_used ||
        !pool_arena->block_free)
        return false;
    cup_arena_init(
        &pool_arena->arena, &ops, &heap->metadata, owner,
        (struct cup_arena_ranks){.shard = CUP_RANK_POOL_ARENA_SHARD, .chunks = CUP_RANK_POOL_ARENA},
        pool_arena->chunk_nodes, pool_arena->chunk_bits);
    return true;
}

void cup_pool_arena_finish(struct cup_pool_arena *pool_arena)
{
    if (pool_arena->reserved_bytes)
        cup_pool_arena_trim(pool_arena, 0);
    free(pool_arena->chunk_nodes);
    free(pool_arena->chunk_bits);
    free(pool_arena->block_used);
    free(pool_arena->block_free);
}
