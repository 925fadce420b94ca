/* SPDX-License-Identifier: MIT */
/* The chunks and shards of an arena, as allocating (arena.c) and freeing (arena_free.c) see them.
 * Inline, because a small allocation takes less time than a few calls. */
#ifndef CUP_MEMORY_ARENA_SHARD_H
#define CUP_MEMORY_ARENA_SHARD_H

#include "memory/arena.h"

#include "core/lock.h"

/* The value of a chunk's `shard` field for a shard of this arena. */
static inline uint64_t cup_arena_shard_word(const struct cup_arena *arena, uint32_t index)
{
    return (uint64_t)arena->id << 32 | index;
}

static inline uint32_t cup_chunk_role_of(const struct cup_chunk *chunk, memory_order order)
{
    return atomic_load_explicit(&chunk->role, order);
}

static inline void cup_arena_set_roles(struct cup_arena *arena, uint32_t first, uint32_t count,
                                       enum cup_chunk_role role)
{
    struct cup_chunk *chunks = arena->metadata->chunks;

    for (uint32_t chunk = first; chunk < first + count; chunk++) {
        atomic_store_explicit(&chunks[chunk].start, first, memory_order_relaxed);
        atomic_store_explicit(&chunks[chunk].role, role, memory_order_release);
    }
}

static inline void cup_shard_count_empty_locked(struct cup_shard *shard, int by)
{
    cup_lock_assert_held(&shard->lock);
    uint32_t empty = atomic_load_explicit(&shard->empty_chunks, memory_order_relaxed);

    atomic_store_explicit(&shard->empty_chunks, empty + (uint32_t)by, memory_order_relaxed);
}

/* Locks the shard that owns the chunk; NULL if it belongs to no shard of this arena or is no longer
 * divided into granules. That does not change while the lock is held. */
static inline struct cup_shard *cup_arena_shard_acquire(struct cup_arena *arena,
                                                        struct cup_chunk *chunk)
{
    uint64_t word = atomic_load_explicit(&chunk->shard, memory_order_relaxed);
    struct cup_shard *shard = &arena->shards[word % CUP_ARENA_SHARDS];

    if (cup_unlikely(word >> 32 != arena->id))
        return NULL;
    cup_lock_acquire(&shard->lock);
    if (cup_chunk_role_of(chunk, memory_order_relaxed) == CUP_CHUNK_SMALL &&
        atomic_load_explicit(&chunk->shard, memory_order_relaxed) == word)
        return shard;
    cup_lock_release(&shard->lock);
    return NULL;
}

#endif
