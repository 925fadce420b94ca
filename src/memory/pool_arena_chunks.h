/* SPDX-License-Identifier: MIT */
/* The lower half of a pool_arena, for pool_arena.c alone: its count of what is used, its free
 * chunks, and the blocks it gets from the heap and gives back. */
#ifndef CUP_MEMORY_POOL_ARENA_CHUNKS_H
#define CUP_MEMORY_POOL_ARENA_CHUNKS_H

#include "memory/pool_arena.h"

#include <stdbool.h>
#include <stdint.h>

/* So many bytes more are used: out of the shard's credit, if it has as much. */
void cup_pool_arena_count_used(struct cup_pool_arena *pool_arena,
                               struct cup_pool_arena_shard *shard, uint64_t bytes);
void cup_pool_arena_count_used_locked(struct cup_pool_arena *pool_arena, uint64_t bytes);

/* The first of so many chunks in a row; CUP_EXTENT_NONE when there are none. */
uint32_t cup_pool_arena_chunks_take_locked(struct cup_pool_arena *pool_arena, uint32_t count,
                                           bool may_grow);
void cup_pool_arena_chunks_return_locked(struct cup_pool_arena *pool_arena, uint32_t chunk,
                                         uint32_t count);

/* Is more reserved than is to be kept? And one free block goes back to the heap, if it is. */
bool cup_pool_arena_has_excess(struct cup_pool_arena *pool_arena, uint64_t keep_bytes);
bool cup_pool_arena_block_release(struct cup_pool_arena *pool_arena, uint64_t keep_bytes);

/* Of the whole heap. */
static inline uint32_t cup_pool_arena_block_count(const struct cup_pool_arena *pool_arena)
{
    return pool_arena->heap->chunk_count / CUP_BLOCK_CHUNKS;
}

#endif
