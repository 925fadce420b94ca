/* SPDX-License-Identifier: MIT */
/* The arena of a pool. Its chunks come in blocks of 32 MiB that a heap reserves for it, and that
 * stay until the arena is trimmed. It counts the bytes in use exactly, and their highest value.
 * Its allocations are in the heap's metadata, so look-ups find them as they find the heap's own. */
#ifndef CUP_MEMORY_POOL_ARENA_H
#define CUP_MEMORY_POOL_ARENA_H

#include "memory/arena.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct cup_heap;

enum {
    CUP_BLOCK_SHIFT = 25,
    CUP_BLOCK_BYTES = 1 << CUP_BLOCK_SHIFT, /* 32 MiB: what the arena grows and shrinks by */
    CUP_BLOCK_CHUNKS = CUP_BLOCK_BYTES / CUP_CHUNK_BYTES,
};

struct cup_pool_arena {
    struct cup_arena arena;
    struct cup_heap *heap;    /* where the blocks lie */
    struct cup_heap *charged; /* where they also count as used; NULL: nowhere */
    uint64_t limit_bytes;     /* a multiple of a block */
    /* Which devices may access the memory, by ordinal; NULL: all that may access the heap. */
    const _Atomic(uint64_t) *accessible; /* guarded by arena.lock */

    struct cup_extent_node *chunk_nodes;
    uint64_t *chunk_bits; /* two bits a chunk */
    uint8_t *block_used;  /* chunks in use in each block of the heap; guarded by arena.lock */
    uint64_t *block_free; /* a bit a block: ours, and all of its chunks free; guarded likewise */
    uint64_t reserved_bytes, reserved_high; /* guarded by arena.lock */
    uint64_t used_bytes, used_high; /* guarded by arena.lock; with the credit of all shards */
};

/* The pool arena must be zeroed. `owner` is the cup_object_index of the pool. Limits are rounded up
 * to blocks. Returns false if out of memory; the caller must then finish it, too. */
bool cup_pool_arena_init(struct cup_pool_arena *pool_arena, struct cup_heap *heap,
                         struct cup_heap *charged, uint32_t owner, uint64_t limit_bytes);

/* Returns all blocks. Nothing may be allocated or held. Safe to call on a zeroed arena. */
void cup_pool_arena_finish(struct cup_pool_arena *pool_arena);

/* Returns free blocks to the heap, as long as keep_bytes stay reserved. Returns true if there were
 * any. */
bool cup_pool_arena_trim(struct cup_pool_arena *pool_arena, uint64_t keep_bytes);

/* Sets which devices may access the memory. Call it again when the word has changed. */
void cup_pool_arena_set_access(struct cup_pool_arena *pool_arena,
                               const _Atomic(uint64_t) *accessible);

struct cup_pool_arena_counters {
    uint64_t reserved_bytes, reserved_high, used_bytes, used_high;
};

struct cup_pool_arena_counters cup_pool_arena_count(struct cup_pool_arena *pool_arena);
void cup_pool_arena_reset_high(struct cup_pool_arena *pool_arena, bool reserved);

/* A request of the pool: allocations belong to the pool, not to a context. */
static inline struct cup_arena_request
cup_pool_arena_request(const struct cup_pool_arena *pool_arena, uint64_t size_bytes)
{
    return (struct cup_arena_request){
        .size_bytes = size_bytes, .owner = pool_arena->arena.id, .flags = CUP_RANGE_POOL};
}

#endif
