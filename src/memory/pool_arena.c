/* SPDX-License-Identifier: MIT */
/* Granules of chunks, as in heap.c, and the two steps in which allocations end. */
#include "memory/pool_arena.h"

#include "core/thread.h"
#include "memory/pool_arena_chunks.h"

#include <stdlib.h>

enum { EMPTY_CHUNKS_KEPT = 1 }; /* a shard's */

bool cup_pool_arena_init(struct cup_pool_arena *pool_arena, struct cup_heap *heap,
                         struct cup_heap *charged, uint32_t owner, uint64_t limit_bytes)
{
    uint64_t words = (heap->chunk_count + 63) / 64;

    cup_lock_init(&pool_arena->lock, CUP_RANK_POOL_ARENA);
    for (int i = 0; i < CUP_POOL_ARENA_SHARDS; i++) {
        cup_lock_init(&pool_arena->shards[i].lock, CUP_RANK_POOL_ARENA_SHARD);
        cup_extents_init(&pool_arena->shards[i].granules, heap->granule_nodes,
                         heap->granule_first_bits, heap->granule_last_bits);
    }
    pool_arena->heap = heap;
    pool_arena->charged = charged;
    pool_arena->owner = owner;
    pool_arena->limit_bytes =
        (limit_bytes + CUP_BLOCK_BYTES - 1) & ~(uint64_t)(CUP_BLOCK_BYTES - 1);
    pool_arena->chunk_nodes = calloc(heap->chunk_count, sizeof(*pool_arena->chunk_nodes));
    pool_arena->chunk_bits = calloc(2 * words, sizeof(*pool_arena->chunk_bits));
    pool_arena->block_used = calloc(cup_pool_arena_block_count(pool_arena) + 1, 1);
    pool_arena->block_free =
        calloc(cup_pool_arena_block_count(pool_arena) / 64 + 1, sizeof(*pool_arena->block_free));
    if (!pool_arena->chunk_nodes || !pool_arena->chunk_bits || !pool_arena->block_used ||
        !pool_arena->block_free)
        return false;
    cup_extents_init(&pool_arena->chunks, pool_arena->chunk_nodes, pool_arena->chunk_bits,
                     pool_arena->chunk_bits + words);
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

static uint32_t chunk_of(const struct cup_pool_arena *pool_arena, uint64_t address)
{
    return (uint32_t)((address - pool_arena->heap->region.base) >> CUP_CHUNK_SHIFT);
}

static uint32_t granule_of(const struct cup_pool_arena *pool_arena, uint64_t address)
{
    return (uint32_t)((address - pool_arena->heap->region.base) >> CUP_GRANULE_SHIFT);
}

/* Puts guards around an allocation that takes the memory from the granule on, if there are to be
 * any. How many granules behind that it begins. */
static uint32_t guard(struct cup_pool_arena *pool_arena, uint32_t granule, uint64_t size_bytes)
{
    if (cup_likely(!cup_redzones_enabled))
        return 0;
    uint32_t lead = cup_heap_redzone_granules(pool_arena->heap, size_bytes);
    cup_redzone_place(pool_arena->heap, cup_heap_address(pool_arena->heap, granule + lead),
                      size_bytes, CUP_RANGE_POOL, cup_pool_arena_is_large(size_bytes));
    return lead;
}

/* Large allocations. */

static void set_roles(struct cup_heap *heap, uint32_t first, uint32_t count,
                      enum cup_chunk_role role)
{
    for (uint32_t chunk = first; chunk < first + count; chunk++) {
        atomic_store_explicit(&heap->chunks[chunk].start, first, memory_order_relaxed);
        atomic_store_explicit(&heap->chunks[chunk].role, role, memory_order_release);
    }
}

static void publish_large(struct cup_pool_arena *pool_arena, uint32_t granule, uint64_t size_bytes)
{
    uint32_t first = granule / CUP_CHUNK_GRANULES;

    atomic_store_explicit(&pool_arena->heap->chunks[first].large_bytes, size_bytes,
                          memory_order_release);
    cup_heap_publish(pool_arena->heap, granule, size_bytes, pool_arena->owner, CUP_RANGE_POOL);
    set_roles(pool_arena->heap, first,
              (uint32_t)(cup_pool_arena_held_bytes(size_bytes) >> CUP_CHUNK_SHIFT),
              CUP_CHUNK_LARGE);
}

static bool allocate_large(struct cup_pool_arena *pool_arena, uint64_t size_bytes, bool may_grow,
                           uint64_t *address)
{
    uint64_t holds = cup_pool_arena_held_bytes(size_bytes);

    if (holds < size_bytes || holds > pool_arena->limit_bytes ||
        holds > pool_arena->heap->region.size_bytes)
        return false;
    cup_lock_acquire(&pool_arena->lock);
    uint32_t first = cup_pool_arena_chunks_take_locked(
        pool_arena, (uint32_t)(holds >> CUP_CHUNK_SHIFT), may_grow);
    if (first != CUP_EXTENT_NONE) {
        uint32_t granule =
            first * CUP_CHUNK_GRANULES + guard(pool_arena, first * CUP_CHUNK_GRANULES, size_bytes);
        cup_pool_arena_count_used_locked(pool_arena, size_bytes);
        publish_large(pool_arena, granule, size_bytes);
        *address = cup_heap_address(pool_arena->heap, granule);
    }
    cup_lock_release(&pool_arena->lock);
    return first != CUP_EXTENT_NONE;
}

/* Is the allocation that begins at the granule ours? One that is stays while its lock is held. */
static bool is_ours(const struct cup_pool_arena *pool_arena, uint32_t granule)
{
    return atomic_load_explicit(&pool_arena->heap->owners[granule], memory_order_relaxed) ==
           pool_arena->owner;
}

static bool end_large_locked(struct cup_pool_arena *pool_arena, uint32_t granule, bool counts,
                             uint64_t *held_bytes)
{
    uint32_t first = granule / CUP_CHUNK_GRANULES;
    struct cup_chunk *chunk = &pool_arena->heap->chunks[first];

    if (atomic_load_explicit(&chunk->role, memory_order_relaxed) != CUP_CHUNK_LARGE ||
        !is_ours(pool_arena, granule) || !cup_heap_unpublish(pool_arena->heap, granule))
        return false;
    uint64_t size = atomic_load_explicit(&chunk->large_bytes, memory_order_relaxed);
    *held_bytes = cup_pool_arena_held_bytes(size);
    set_roles(pool_arena->heap, first, (uint32_t)(*held_bytes >> CUP_CHUNK_SHIFT), CUP_CHUNK_FREE);
    if (counts)
        pool_arena->used_bytes -= size;
    return true;
}

/* Small allocations. */

static void count_empty_locked(struct cup_pool_arena_shard *shard, int by)
{
    uint32_t empty = atomic_load_explicit(&shard->empty_chunks, memory_order_relaxed);

    atomic_store_explicit(&shard->empty_chunks, empty + (uint32_t)by, memory_order_relaxed);
}

static bool shard_grow_locked(struct cup_pool_arena *pool_arena, uint32_t index, bool may_grow)
{
    struct cup_pool_arena_shard *shard = &pool_arena->shards[index];
    uint32_t unused;

    cup_lock_acquire(&pool_arena->lock);
    uint32_t chunk = cup_pool_arena_chunks_take_locked(pool_arena, 1, may_grow);
    cup_lock_release(&pool_arena->lock);
    if (chunk == CUP_EXTENT_NONE)
        return false;
    struct cup_chunk *fresh = &pool_arena->heap->chunks[chunk];
    atomic_store_explicit(&fresh->shard, CUP_HEAP_SHARDS + index, memory_order_relaxed);
    fresh->used_granules = 0;
    atomic_store_explicit(&fresh->role, CUP_CHUNK_SMALL, memory_order_release);
    cup_extents_give(&shard->granules, chunk * CUP_CHUNK_GRANULES, CUP_CHUNK_GRANULES,
                     chunk * CUP_CHUNK_GRANULES, (chunk + 1) * CUP_CHUNK_GRANULES, &unused);
    count_empty_locked(shard, 1);
    return true;
}

static uint32_t granules_take_locked(struct cup_pool_arena *pool_arena,
                                     struct cup_pool_arena_shard *shard, uint32_t granule_count)
{
    uint32_t granule = cup_extents_take(&shard->granules, granule_count);

    if (granule == CUP_EXTENT_NONE)
        return granule;
    struct cup_chunk *chunk = &pool_arena->heap->chunks[granule / CUP_CHUNK_GRANULES];
    if (chunk->used_granules == 0)
        count_empty_locked(shard, -1);
    chunk->used_granules += granule_count;
    return granule;
}

enum growth { NO_UNIT, CHUNK_IN_POOL_ARENA, UNIT_FROM_HEAP };

static bool allocate_in_shard(struct cup_pool_arena *pool_arena, uint32_t index,
                              uint64_t size_bytes, enum growth growth, uint64_t *address)
{
    struct cup_pool_arena_shard *shard = &pool_arena->shards[index];
    uint32_t granule_count = (uint32_t)(cup_pool_arena_held_bytes(size_bytes) >> CUP_GRANULE_SHIFT);

    cup_lock_acquire(&shard->lock);
    uint32_t granule = granules_take_locked(pool_arena, shard, granule_count);
    if (cup_unlikely(granule == CUP_EXTENT_NONE) && growth != NO_UNIT &&
        shard_grow_locked(pool_arena, index, growth == UNIT_FROM_HEAP))
        granule = granules_take_locked(pool_arena, shard, granule_count);
    if (cup_likely(granule != CUP_EXTENT_NONE)) {
        granule += guard(pool_arena, granule, size_bytes);
        cup_pool_arena_count_used(pool_arena, shard, size_bytes);
        cup_heap_publish(pool_arena->heap, granule, size_bytes, pool_arena->owner, CUP_RANGE_POOL);
        *address = cup_heap_address(pool_arena->heap, granule);
    }
    cup_lock_release(&shard->lock);
    return granule != CUP_EXTENT_NONE;
}

static bool allocate_small(struct cup_pool_arena *pool_arena, uint64_t size_bytes, bool may_grow,
                           uint64_t *address)
{
    uint32_t home = cup_thread_id() % CUP_POOL_ARENA_SHARDS;

    if (cup_likely(allocate_in_shard(pool_arena, home, size_bytes, CHUNK_IN_POOL_ARENA, address)))
        return true;
    for (uint32_t i = 1; i < CUP_POOL_ARENA_SHARDS; i++) {
        if (allocate_in_shard(pool_arena, (home + i) % CUP_POOL_ARENA_SHARDS, size_bytes, NO_UNIT,
                              address))
            return true;
    }
    return may_grow && allocate_in_shard(pool_arena, home, size_bytes, UNIT_FROM_HEAP, address);
}

bool cup_pool_arena_allocate(struct cup_pool_arena *pool_arena, uint64_t size_bytes, bool may_grow,
                             uint64_t *address)
{
    if (cup_pool_arena_is_large(size_bytes))
        return allocate_large(pool_arena, size_bytes, may_grow, address);
    return allocate_small(pool_arena, size_bytes, may_grow, address);
}

/* The shard a chunk of small allocations belongs to, locked. Whether the chunk is still ours is not
 * yet known: the owner of what begins in it says so. */
static struct cup_pool_arena_shard *shard_acquire(struct cup_pool_arena *pool_arena, uint32_t chunk)
{
    struct cup_chunk *found = &pool_arena->heap->chunks[chunk];
    uint32_t index = atomic_load_explicit(&found->shard, memory_order_relaxed);
    struct cup_pool_arena_shard *shard = &pool_arena->shards[index % CUP_POOL_ARENA_SHARDS];

    if (cup_unlikely(index < CUP_HEAP_SHARDS))
        return NULL;
    cup_lock_acquire(&shard->lock);
    if (atomic_load_explicit(&found->role, memory_order_relaxed) == CUP_CHUNK_SMALL &&
        atomic_load_explicit(&found->shard, memory_order_relaxed) == index)
        return shard;
    cup_lock_release(&shard->lock);
    return NULL;
}

static bool end_small_locked(struct cup_pool_arena *pool_arena, struct cup_pool_arena_shard *shard,
                             uint32_t granule, bool counts, uint64_t *held_bytes)
{
    if (!is_ours(pool_arena, granule) || !cup_heap_unpublish(pool_arena->heap, granule))
        return false;
    uint64_t size = cup_size_flags_size(
        atomic_load_explicit(&pool_arena->heap->size_flags[granule], memory_order_relaxed));
    if (counts)
        atomic_fetch_add_explicit(&shard->credit_bytes, size, memory_order_relaxed);
    *held_bytes = cup_pool_arena_held_bytes(size);
    return true;
}

/* True when the chunk is empty and to leave the shard. */
static bool granules_return_locked(struct cup_pool_arena *pool_arena,
                                   struct cup_pool_arena_shard *shard, uint32_t granule,
                                   uint32_t granule_count)
{
    uint32_t index = granule / CUP_CHUNK_GRANULES, low = index * CUP_CHUNK_GRANULES, unused;
    struct cup_chunk *chunk = &pool_arena->heap->chunks[index];

    cup_extents_give(&shard->granules, granule, granule_count, low, low + CUP_CHUNK_GRANULES,
                     &unused);
    chunk->used_granules -= granule_count;
    if (chunk->used_granules != 0)
        return false;
    if (atomic_load_explicit(&shard->empty_chunks, memory_order_relaxed) >= EMPTY_CHUNKS_KEPT)
        return true;
    count_empty_locked(shard, 1);
    return false;
}

static void chunk_leave_locked(struct cup_pool_arena *pool_arena,
                               struct cup_pool_arena_shard *shard, uint32_t chunk)
{
    cup_extents_remove(&shard->granules, chunk * CUP_CHUNK_GRANULES);
    atomic_store_explicit(&pool_arena->heap->chunks[chunk].role, CUP_CHUNK_FREE,
                          memory_order_release);
    cup_lock_acquire(&pool_arena->lock);
    cup_pool_arena_chunks_return_locked(pool_arena, chunk, 1);
    cup_lock_release(&pool_arena->lock);
}

/* The two ways out, for both sizes. */

static bool is_small_chunk(const struct cup_pool_arena *pool_arena, uint32_t chunk)
{
    return atomic_load_explicit(&pool_arena->heap->chunks[chunk].role, memory_order_acquire) ==
           CUP_CHUNK_SMALL;
}

bool cup_pool_arena_end(struct cup_pool_arena *pool_arena, uint64_t address, bool counts,
                        uint64_t *held_bytes)
{
    uint32_t chunk = chunk_of(pool_arena, address);
    bool ended;

    if (is_small_chunk(pool_arena, chunk)) {
        struct cup_pool_arena_shard *shard = shard_acquire(pool_arena, chunk);
        if (!shard)
            return false;
        ended = end_small_locked(pool_arena, shard, granule_of(pool_arena, address), counts,
                                 held_bytes);
        cup_lock_release(&shard->lock);
    } else {
        cup_lock_acquire(&pool_arena->lock);
        ended = end_large_locked(pool_arena, granule_of(pool_arena, address), counts, held_bytes);
        cup_lock_release(&pool_arena->lock);
    }
    return ended;
}

void cup_pool_arena_return(struct cup_pool_arena *pool_arena, uint64_t address, uint64_t held_bytes)
{
    uint32_t chunk = chunk_of(pool_arena, address);

    if (is_small_chunk(pool_arena, chunk)) {
        struct cup_pool_arena_shard *shard = shard_acquire(pool_arena, chunk);
        if (granules_return_locked(pool_arena, shard, granule_of(pool_arena, address),
                                   (uint32_t)(held_bytes >> CUP_GRANULE_SHIFT)))
            chunk_leave_locked(pool_arena, shard, chunk);
        cup_lock_release(&shard->lock);
    } else {
        cup_lock_acquire(&pool_arena->lock);
        cup_pool_arena_chunks_return_locked(pool_arena, chunk,
                                            (uint32_t)(held_bytes >> CUP_CHUNK_SHIFT));
        cup_lock_release(&pool_arena->lock);
    }
}

bool cup_pool_arena_free(struct cup_pool_arena *pool_arena, uint64_t address, bool counts)
{
    uint32_t chunk = chunk_of(pool_arena, address), granule = granule_of(pool_arena, address);
    uint64_t held;

    if (cup_unlikely(!is_small_chunk(pool_arena, chunk))) {
        if (!cup_pool_arena_end(pool_arena, address, counts, &held))
            return false;
        cup_pool_arena_return(pool_arena, address, held);
        return true;
    }
    struct cup_pool_arena_shard *shard = shard_acquire(pool_arena, chunk);
    if (!shard)
        return false;
    bool ended = end_small_locked(pool_arena, shard, granule, counts, &held);
    if (ended &&
        granules_return_locked(pool_arena, shard, granule, (uint32_t)(held >> CUP_GRANULE_SHIFT)))
        chunk_leave_locked(pool_arena, shard, chunk);
    cup_lock_release(&shard->lock);
    return ended;
}

void cup_pool_arena_reuse(struct cup_pool_arena *pool_arena, uint64_t address, uint64_t size_bytes)
{
    uint32_t chunk = chunk_of(pool_arena, address);

    if (!cup_pool_arena_is_large(size_bytes)) {
        struct cup_pool_arena_shard *shard = shard_acquire(pool_arena, chunk);
        cup_pool_arena_count_used(pool_arena, shard, size_bytes);
        cup_heap_publish(pool_arena->heap, granule_of(pool_arena, address), size_bytes,
                         pool_arena->owner, CUP_RANGE_POOL);
        cup_lock_release(&shard->lock);
    } else {
        cup_lock_acquire(&pool_arena->lock);
        cup_pool_arena_count_used_locked(pool_arena, size_bytes);
        publish_large(pool_arena, chunk * CUP_CHUNK_GRANULES, size_bytes);
        cup_lock_release(&pool_arena->lock);
    }
}

bool cup_pool_arena_adopt(struct cup_pool_arena *pool_arena, uint64_t address, uint64_t size_bytes)
{
    uint32_t chunk = chunk_of(pool_arena, address), granule = granule_of(pool_arena, address);
    struct cup_pool_arena_shard *shard = &pool_arena->shards[0];
    struct cup_span found;

    cup_lock_acquire(&shard->lock);
    bool is_new = !cup_map_find(address, &found);
    if (is_new && cup_pool_arena_is_large(size_bytes)) {
        cup_lock_acquire(&pool_arena->lock);
        publish_large(pool_arena, granule, size_bytes);
        cup_lock_release(&pool_arena->lock);
    } else if (is_new) {
        struct cup_chunk *shared = &pool_arena->heap->chunks[chunk];
        cup_heap_publish(pool_arena->heap, granule, size_bytes, pool_arena->owner, CUP_RANGE_POOL);
        atomic_store_explicit(&shared->shard, CUP_HEAP_SHARDS, memory_order_relaxed);
        atomic_store_explicit(&shared->role, CUP_CHUNK_SMALL, memory_order_release);
    }
    cup_lock_release(&shard->lock);
    return is_new;
}

/* Leaves the shards their chunks but not those that are empty. */
static void flush_empty_units(struct cup_pool_arena *pool_arena)
{
    for (uint32_t i = 0; i < CUP_POOL_ARENA_SHARDS; i++) {
        struct cup_pool_arena_shard *shard = &pool_arena->shards[i];
        if (atomic_load_explicit(&shard->empty_chunks, memory_order_relaxed) == 0)
            continue;
        cup_lock_acquire(&shard->lock);
        while (atomic_load_explicit(&shard->empty_chunks, memory_order_relaxed)) {
            uint32_t granule =
                cup_extents_take(&shard->granules, CUP_CHUNK_GRANULES); /* a whole chunk */
            uint32_t chunk = granule / CUP_CHUNK_GRANULES;
            count_empty_locked(shard, -1);
            atomic_store_explicit(&pool_arena->heap->chunks[chunk].role, CUP_CHUNK_FREE,
                                  memory_order_release);
            cup_lock_acquire(&pool_arena->lock);
            cup_pool_arena_chunks_return_locked(pool_arena, chunk, 1);
            cup_lock_release(&pool_arena->lock);
        }
        cup_lock_release(&shard->lock);
    }
}

bool cup_pool_arena_trim(struct cup_pool_arena *pool_arena, uint64_t keep_bytes)
{
    bool trimmed = false;

    if (!cup_pool_arena_has_excess(pool_arena, keep_bytes))
        return false;
    flush_empty_units(pool_arena);
    while (cup_pool_arena_block_release(pool_arena, keep_bytes))
        trimmed = true;
    return trimmed;
}
