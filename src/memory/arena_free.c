/* SPDX-License-Identifier: MIT */
/* Ending allocations, and returning their memory to the shard or, as whole chunks, to the instance.
 * A shard keeps one empty chunk, so that allocating and freeing in turn needs no system call. */
#include "memory/arena.h"

#include "core/checks.h"
#include "memory/arena_shard.h"

enum { EMPTY_CHUNKS_KEPT = 1 }; /* by a shard */

static void count_freed(struct cup_shard *shard, uint64_t bytes)
{
    atomic_fetch_add_explicit(&shard->credit_bytes, bytes, memory_order_relaxed);
}

/* `lock` is the shard's for a small allocation, the arena's for a large one. The bit is read
 * before the id: an allocation writes its id before it sets the bit. */
static bool unpublish_locked(const struct cup_lock *lock, struct cup_metadata *metadata,
                             uint32_t granule, uint64_t buffer_id)
{
    cup_lock_assert_held(lock);
    if (cup_unlikely(buffer_id != CUP_BUFFER_ANY) &&
        (!cup_metadata_is_start(metadata, granule) ||
         atomic_load_explicit(&metadata->buffer_ids[granule], memory_order_relaxed) != buffer_id))
        return false;
    return cup_metadata_unpublish(metadata, granule);
}

/* True if the allocation was exported. */
static bool exported_ended(struct cup_arena *arena, uint32_t granule, uint32_t size_flags)
{
    if (cup_likely(!(cup_size_flags_flags(size_flags) & CUP_RANGE_EXPORTED)) ||
        !arena->ops.exported_ended)
        return false;
    arena->ops.exported_ended(arena, cup_metadata_address(arena->metadata, granule));
    return true;
}

static inline bool end_small_locked(struct cup_arena *arena, struct cup_shard *shard,
                                    uint32_t granule, uint64_t buffer_id, bool counts,
                                    uint64_t *size_bytes)
{
    cup_lock_assert_held(&shard->lock);
    struct cup_metadata *metadata = arena->metadata;

    if (!unpublish_locked(&shard->lock, metadata, granule, buffer_id))
        return false;
    uint32_t size_flags =
        atomic_load_explicit(&metadata->size_flags[granule], memory_order_relaxed);
    *size_bytes = cup_size_flags_size(size_flags);
    if (counts)
        count_freed(shard, *size_bytes);
    if (exported_ended(arena, granule, size_flags))
        metadata->chunks[granule / CUP_CHUNK_GRANULES].had_exported = true;
    return true;
}

/* Under the lock, a chunk of this arena that is LARGE and has its start bit set is a live
 * allocation: chunks become free before they are returned, and only then can they be used again. */
static bool end_large(struct cup_arena *arena, uint32_t granule, uint64_t buffer_id, bool counts,
                      uint64_t *size_bytes)
{
    uint32_t first = granule / CUP_CHUNK_GRANULES;
    struct cup_chunk *chunk = &arena->metadata->chunks[first];

    cup_lock_acquire(&arena->lock);
    bool ended = cup_chunk_role_of(chunk, memory_order_relaxed) == CUP_CHUNK_LARGE &&
                 atomic_load_explicit(&chunk->shard, memory_order_relaxed) ==
                     cup_arena_shard_word(arena, 0) &&
                 unpublish_locked(&arena->lock, arena->metadata, granule, buffer_id);
    cup_lock_release(&arena->lock);
    if (!ended)
        return false;
    *size_bytes = atomic_load_explicit(&chunk->large_bytes, memory_order_relaxed);
    if (counts)
        count_freed(&arena->shards[0], *size_bytes);
    exported_ended(arena, granule, atomic_load(&arena->metadata->size_flags[granule]));
    cup_arena_set_roles(arena, first,
                        (uint32_t)(cup_arena_held_bytes(*size_bytes) >> CUP_CHUNK_SHIFT),
                        CUP_CHUNK_FREE);
    return true;
}

static bool can_be_kept_locked(struct cup_arena *arena, const struct cup_shard *shard,
                               struct cup_chunk *chunk, bool *lost)
{
    cup_lock_assert_held(&shard->lock);
    bool had_exported = chunk->had_exported;

    chunk->had_exported = false;
    if (atomic_load_explicit(&shard->empty_chunks, memory_order_relaxed) >= EMPTY_CHUNKS_KEPT)
        return false;
    *lost = cup_unlikely(had_exported) &&
            !arena->ops.chunk_emptied(arena, (uint32_t)(chunk - arena->metadata->chunks));
    return !*lost;
}

/* True if the chunk is empty and was removed from the shard; the caller must then return it. */
static bool granules_return_locked(struct cup_arena *arena, struct cup_shard *shard,
                                   uint32_t granule, uint32_t count)
{
    cup_lock_assert_held(&shard->lock);
    uint32_t index = granule / CUP_CHUNK_GRANULES, low = index * CUP_CHUNK_GRANULES, unused;
    struct cup_chunk *chunk = &arena->metadata->chunks[index];
    bool lost = false;

    cup_extents_give(&shard->granules, granule, count, low, low + CUP_CHUNK_GRANULES, &unused);
    chunk->used_granules -= count;
    if (chunk->used_granules != 0)
        return false;
    if (can_be_kept_locked(arena, shard, chunk, &lost)) {
        cup_shard_count_empty_locked(shard, 1);
        return false;
    }
    cup_extents_remove(&shard->granules, low);
    atomic_store_explicit(&chunk->role, CUP_CHUNK_FREE, memory_order_release);
    return !lost;
}

bool cup_arena_end(struct cup_arena *arena, uint64_t address, uint64_t buffer_id, bool counts,
                   uint64_t *held_bytes)
{
    uint32_t granule = cup_metadata_granule(arena->metadata, address);
    struct cup_chunk *chunk = &arena->metadata->chunks[granule / CUP_CHUNK_GRANULES];
    uint64_t size_bytes = 0;
    bool ended = false;

    if (cup_chunk_role_of(chunk, memory_order_acquire) == CUP_CHUNK_SMALL) {
        struct cup_shard *shard = cup_arena_shard_acquire(arena, chunk);
        if (shard) {
            ended = end_small_locked(arena, shard, granule, buffer_id, counts, &size_bytes);
            cup_lock_release(&shard->lock);
        }
    } else {
        ended = end_large(arena, granule, buffer_id, counts, &size_bytes);
    }
    *held_bytes = cup_arena_held_bytes(size_bytes);
    return ended;
}

void cup_arena_return(struct cup_arena *arena, uint64_t address, uint64_t held_bytes)
{
    uint32_t granule = cup_metadata_granule(arena->metadata, address),
             index = granule / CUP_CHUNK_GRANULES;
    struct cup_chunk *chunk = &arena->metadata->chunks[index];

    if (cup_chunk_role_of(chunk, memory_order_acquire) == CUP_CHUNK_SMALL) {
        struct cup_shard *shard =
            cup_arena_shard_acquire(arena, chunk); /* held memory keeps the chunk */
        bool left = granules_return_locked(arena, shard, granule,
                                           (uint32_t)(held_bytes >> CUP_GRANULE_SHIFT));
        cup_lock_release(&shard->lock);
        if (left)
            arena->ops.chunks_return(arena, index, 1);
    } else {
        arena->ops.chunks_return(arena, index, (uint32_t)(held_bytes >> CUP_CHUNK_SHIFT));
    }
}

static void quarantine_release(const struct cup_quarantined *quarantined)
{
    cup_arena_return(quarantined->owner, quarantined->begin, quarantined->end - quarantined->begin);
}

static bool free_guarded(struct cup_arena *arena, uint64_t address, uint64_t buffer_id, bool counts)
{
    struct cup_quarantined freed = {
        .address = address, .owner = arena, .release = quarantine_release};
    uint64_t held_bytes;

    if (!cup_arena_end(arena, address, buffer_id, counts, &held_bytes))
        return false;
    freed.begin = cup_arena_held_begin(address, held_bytes);
    freed.end = freed.begin + held_bytes;
    cup_check_quarantined(&freed);
    return true;
}

static bool free_small(struct cup_arena *arena, uint32_t granule, uint64_t buffer_id, bool counts)
{
    uint32_t index = granule / CUP_CHUNK_GRANULES;
    struct cup_shard *shard = cup_arena_shard_acquire(arena, &arena->metadata->chunks[index]);
    uint64_t size_bytes;
    bool left = false;

    if (!shard)
        return false;
    bool ended = end_small_locked(arena, shard, granule, buffer_id, counts, &size_bytes);
    if (ended)
        left = granules_return_locked(
            arena, shard, granule,
            (uint32_t)(cup_arena_held_bytes(size_bytes) >> CUP_GRANULE_SHIFT));
    cup_lock_release(&shard->lock);
    if (left)
        arena->ops.chunks_return(arena, index, 1);
    return ended;
}

bool cup_arena_free(struct cup_arena *arena, uint64_t address, uint64_t buffer_id, bool counts)
{
    uint32_t granule = cup_metadata_granule(arena->metadata, address),
             index = granule / CUP_CHUNK_GRANULES;
    uint64_t size_bytes;

    if (cup_unlikely(cup_checks.redzones))
        return free_guarded(arena, address, buffer_id, counts);
    if (cup_chunk_role_of(&arena->metadata->chunks[index], memory_order_acquire) == CUP_CHUNK_SMALL)
        return free_small(arena, granule, buffer_id, counts);
    if (!end_large(arena, granule, buffer_id, counts, &size_bytes))
        return false;
    arena->ops.chunks_return(arena, index,
                             (uint32_t)(cup_arena_held_bytes(size_bytes) >> CUP_CHUNK_SHIFT));
    return true;
}

/* Removes an empty chunk from the shard; CUP_EXTENT_NONE if it keeps none. */
static uint32_t empty_chunk_take(struct cup_arena *arena, struct cup_shard *shard)
{
    uint32_t chunk = CUP_EXTENT_NONE;

    if (atomic_load_explicit(&shard->empty_chunks, memory_order_relaxed) == 0)
        return chunk;
    cup_lock_acquire(&shard->lock);
    if (atomic_load_explicit(&shard->empty_chunks, memory_order_relaxed)) {
        chunk = cup_extents_take(&shard->granules, CUP_CHUNK_GRANULES) / CUP_CHUNK_GRANULES;
        cup_shard_count_empty_locked(shard, -1);
        atomic_store_explicit(&arena->metadata->chunks[chunk].role, CUP_CHUNK_FREE,
                              memory_order_release);
    }
    cup_lock_release(&shard->lock);
    return chunk;
}

bool cup_arena_trim(struct cup_arena *arena)
{
    uint32_t chunk;
    bool trimmed = false;

    for (uint32_t i = 0; i < CUP_ARENA_SHARDS; i++) {
        while ((chunk = empty_chunk_take(arena, &arena->shards[i])) != CUP_EXTENT_NONE) {
            arena->ops.chunks_return(arena, chunk, 1);
            trimmed = true;
        }
    }
    return trimmed;
}

struct cup_lock *cup_arena_end_lock_acquire(struct cup_arena *arena, uint32_t granule)
{
    struct cup_chunk *chunk = &arena->metadata->chunks[granule / CUP_CHUNK_GRANULES];

    if (cup_chunk_role_of(chunk, memory_order_acquire) == CUP_CHUNK_SMALL) {
        struct cup_shard *shard = cup_arena_shard_acquire(arena, chunk);
        return shard ? &shard->lock : NULL;
    }
    cup_lock_acquire(&arena->lock);
    return &arena->lock;
}
