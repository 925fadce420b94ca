/* SPDX-License-Identifier: MIT */
/* A pool's memory: blocks of 32 MiB reserved by a heap, cut into allocations as a heap cuts its own
 * (heap.h): requests up to 1 MiB share chunks of 2 MiB, larger ones take whole chunks. Look-ups
 * find them as they find all that lies in the heap.
 *
 * Blocks stay with the pool_arena until it is trimmed. Threads are spread over shards, each with
 * chunks of its own. To end an allocation and to give its memory back are two steps: in between the
 * memory is held, and may be given out again without having been free. */
#ifndef CUP_MEMORY_POOL_ARENA_H
#define CUP_MEMORY_POOL_ARENA_H

#include "core/compiler.h"
#include "core/lock.h"
#include "memory/extents.h"
#include "memory/heap.h"
#include "memory/redzone.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    CUP_BLOCK_SHIFT = 25,
    CUP_BLOCK_BYTES = 1 << CUP_BLOCK_SHIFT, /* 32 MiB: what a pool_arena grows and shrinks by */
    CUP_BLOCK_CHUNKS = CUP_BLOCK_BYTES / CUP_CHUNK_BYTES,
    CUP_POOL_ARENA_SHARDS = 16,
};

struct cup_pool_arena_shard {
    struct cup_lock lock;
    _Atomic(uint32_t) empty_chunks; /* changed under lock */
    /* What was freed here and still counts as used in the pool_arena (pool_arena.c). */
    _Atomic(uint64_t) credit_bytes;
    struct cup_extents granules; /* guarded by lock */
} __attribute__((aligned(CUP_CACHE_LINE)));

struct cup_pool_arena {
    struct cup_heap *heap;    /* where the blocks lie */
    struct cup_heap *charged; /* where they count as used, too; NULL: nowhere */
    uint32_t owner;           /* what allocations are said to belong to: cup_object_index */
    uint64_t limit_bytes;     /* a multiple of a block */
    /* Which devices may touch the memory, by ordinal; NULL: all of them, as far as the heap's
     * memory is open to them. */
    const _Atomic(uint64_t) *accessible; /* guarded by lock */

    struct cup_lock lock;
    struct cup_extents chunks; /* free chunks; guarded by lock */
    struct cup_extent_node *chunk_nodes;
    uint64_t *chunk_bits; /* twice a bit a chunk */
    uint8_t *block_used;  /* chunks in use, of each block of the heap; guarded by lock */
    uint64_t *block_free; /* a bit a block: ours, and all of its chunks free; guarded by lock */
    uint64_t reserved_bytes, reserved_high; /* guarded by lock */
    uint64_t used_bytes, used_high;         /* guarded by lock; with the credit of all shards */

    struct cup_pool_arena_shard shards[CUP_POOL_ARENA_SHARDS];
};

/* Limits are rounded up to blocks. False when memory is out; it is to be finished then, too. */
bool cup_pool_arena_init(struct cup_pool_arena *pool_arena, struct cup_heap *heap,
                         struct cup_heap *charged, uint32_t owner, uint64_t limit_bytes);

/* Gives all blocks back; nothing is allocated or held any more. What was never more than zeros has
 * nothing to finish. */
void cup_pool_arena_finish(struct cup_pool_arena *pool_arena);

/* size_bytes is not 0. Without `may_grow`, out of the blocks it has. */
bool cup_pool_arena_allocate(struct cup_pool_arena *pool_arena, uint64_t size_bytes, bool may_grow,
                             uint64_t *address);

/* Ends an allocation; its memory is held from then on. *held_bytes is how much that is. `counts`:
 * it no longer counts as used. False when none begins there (any more). */
bool cup_pool_arena_end(struct cup_pool_arena *pool_arena, uint64_t address, bool counts,
                        uint64_t *held_bytes);

/* Ends an allocation and gives its memory back. */
bool cup_pool_arena_free(struct cup_pool_arena *pool_arena, uint64_t address, bool counts);

/* Gives held memory back, or part of it. */
void cup_pool_arena_return(struct cup_pool_arena *pool_arena, uint64_t address,
                           uint64_t held_bytes);

/* Makes an allocation at the beginning of held memory, of which it takes
 * cup_pool_arena_held_bytes(size_bytes). */
void cup_pool_arena_reuse(struct cup_pool_arena *pool_arena, uint64_t address, uint64_t size_bytes);

/* Announces an allocation of another process in a heap that is a file of that process's. False when
 * one begins there already. */
bool cup_pool_arena_adopt(struct cup_pool_arena *pool_arena, uint64_t address, uint64_t size_bytes);

/* Gives free blocks back to the heap, as long as so much stays reserved. True if there were any. */
bool cup_pool_arena_trim(struct cup_pool_arena *pool_arena, uint64_t keep_bytes);

/* Which devices may touch the memory has been settled, or has changed. */
void cup_pool_arena_set_access(struct cup_pool_arena *pool_arena,
                               const _Atomic(uint64_t) *accessible);

struct cup_pool_arena_counters {
    uint64_t reserved_bytes, reserved_high, used_bytes, used_high;
};

struct cup_pool_arena_counters cup_pool_arena_count(struct cup_pool_arena *pool_arena);
void cup_pool_arena_reset_high(struct cup_pool_arena *pool_arena, bool reserved);

static inline bool cup_pool_arena_is_large(uint64_t size_bytes)
{
    return size_bytes > CUP_SMALL_BYTES_MAX;
}

/* How much memory an allocation takes; 0 if that is no number. With guards around it (redzone.h)
 * its own address is not that of the memory it takes: held memory is named by its first byte. */
static inline uint64_t cup_pool_arena_held_bytes(uint64_t size_bytes)
{
    if (cup_unlikely(cup_redzones_enabled))
        return cup_redzone_total_bytes(size_bytes, cup_pool_arena_is_large(size_bytes));
    uint64_t mask = (cup_pool_arena_is_large(size_bytes) ? CUP_CHUNK_BYTES : CUP_GRANULE_BYTES) - 1;

    return (size_bytes + mask) & ~mask;
}

#endif
