/* SPDX-License-Identifier: MIT */
/* The allocator of heaps (heap.h) and pools (pool_arena.h). Requests up to 1 MiB share chunks of
 * 2 MiB and take granules of 512 bytes; larger ones take whole chunks. Small requests go to one of
 * 16 shards by thread; each shard has a lock and chunks of its own, so threads rarely meet.
 *
 * Where chunks come from and how bytes are counted are operations of the instance. Chunks of
 * several arenas lie in one address space and share its metadata (metadata.h).
 *
 * Ending an allocation and returning its memory are two steps. Between them the memory is held: it
 * is no allocation, and can be made one again without having been free. */
#ifndef CUP_MEMORY_ARENA_H
#define CUP_MEMORY_ARENA_H

#include "core/align.h"
#include "core/compiler.h"
#include "core/lock.h"
#include "memory/extents.h"
#include "memory/metadata.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { CUP_ARENA_SHARDS = 16 };

/* Matches any allocation where a buffer id is expected; ids begin with 1. */
enum { CUP_BUFFER_ANY = 0 };

struct cup_arena;

struct cup_arena_ops {
    /* Returns the first of `count` adjacent chunks, or CUP_EXTENT_NONE. Without `may_grow` it uses
     * only chunks that the instance already has. A shard's lock may be held. */
    uint32_t (*chunks_take)(struct cup_arena *arena, uint32_t count, bool may_grow);

    /* Returns chunks that no longer hold an allocation. No lock of the arena is held. */
    void (*chunks_return)(struct cup_arena *arena, uint32_t first, uint32_t count);

    /* Counts bytes as used when a shard has no credit for them. NULL: the instance does not count.
     * A shard's lock may be held. */
    void (*count_used)(struct cup_arena *arena, uint64_t bytes);

    /* Called when an allocation with CUP_RANGE_EXPORTED has ended and its memory is still held.
     * NULL: not needed. A shard's lock may be held. */
    void (*exported_ended)(struct cup_arena *arena, uint64_t address);

    /* Called when a shard is about to keep an empty chunk in which an exported allocation has
     * ended. Returns false if its memory cannot be used again: the chunk is then lost. NULL if
     * exported_ended is. The shard's lock is held. */
    bool (*chunk_emptied)(struct cup_arena *arena, uint32_t chunk);
};

struct cup_shard {
    struct cup_lock lock;
    _Atomic(uint32_t) empty_chunks; /* kept for the next request; changed under lock */
    /* Bytes freed here that ops->count_used still counts as used (see cup_arena_collect_credit). */
    _Atomic(uint64_t) credit_bytes;
    struct cup_extents granules; /* guarded by lock */
} __attribute__((aligned(CUP_CACHE_LINE)));

struct cup_arena {
    struct cup_arena_ops ops;
    struct cup_metadata *metadata;
    uint32_t id; /* unique among the arenas that share the metadata */

    /* Large allocations end under this lock. It has a cache line apart from the fields that every
     * small allocation reads. */
    struct cup_lock lock __attribute__((aligned(CUP_CACHE_LINE)));
    struct cup_extents chunks; /* free chunks, for the operations; guarded by lock */

    struct cup_shard shards[CUP_ARENA_SHARDS];
};

struct cup_arena_ranks {
    enum cup_lock_rank shard, chunks;
};

/* The arena must be zeroed. The storage holds one node and two bits for each chunk of the
 * metadata. */
void cup_arena_init(struct cup_arena *arena, const struct cup_arena_ops *ops,
                    struct cup_metadata *metadata, uint32_t id, struct cup_arena_ranks ranks,
                    struct cup_extent_node *chunk_nodes, uint64_t *chunk_bits);

struct cup_arena_request {
    uint64_t size_bytes; /* not 0 */
    uint32_t owner;      /* cup_object_index of a context or pool */
    unsigned flags;
    bool in_stream_order; /* what its memory held ends later: CUPIPE_CHECK=init */
};

/* Returns false if out of memory. */
bool cup_arena_allocate(struct cup_arena *arena, const struct cup_arena_request *request,
                        bool may_grow, uint64_t *address);

/* Ends an allocation. From then on its memory, *held_bytes of it, is held. `counts` says that its
 * bytes no longer count as used. Returns false if the arena has no allocation there, or one with
 * another id. */
bool cup_arena_end(struct cup_arena *arena, uint64_t address, uint64_t buffer_id, bool counts,
                   uint64_t *held_bytes);

/* Frees held memory, or part of it. */
void cup_arena_return(struct cup_arena *arena, uint64_t address, uint64_t held_bytes);

/* Ends an allocation and returns its memory. With redzones the memory goes through the
 * quarantine. */
bool cup_arena_free(struct cup_arena *arena, uint64_t address, uint64_t buffer_id, bool counts);

/* Creates an allocation at the beginning of held memory; it takes cup_arena_held_bytes(). */
void cup_arena_reuse(struct cup_arena *arena, const struct cup_arena_request *request,
                     uint64_t address);

/* Publishes an allocation that another process created in memory that both have mapped. Returns
 * false if an allocation already covers the address. */
bool cup_arena_adopt(struct cup_arena *arena, const struct cup_arena_request *request,
                     uint64_t address);

/* Returns the chunks that shards keep empty. Returns false if there are none. */
bool cup_arena_trim(struct cup_arena *arena);
uint64_t cup_arena_empty_bytes(const struct cup_arena *arena);

/* Removes the credit of all shards and returns the sum. A small request spends the credit of its
 * shard before it calls ops->count_used, so threads share no counter. The bytes in use are
 * therefore what count_used counted, less all credit. */
uint64_t cup_arena_collect_credit(struct cup_arena *arena);

/* Acquires and returns the lock under which the allocation at the granule ends; NULL if it does not
 * belong to this arena. */
struct cup_lock *cup_arena_end_lock_acquire(struct cup_arena *arena, uint32_t granule);

/* The memory around an allocation. CUPIPE_CHECK=memory sets it before the first allocation: data
 * takes whole pages, between two pages without access (check/memory/redzone.h). */
struct cup_arena_padding {
    uint64_t unit_bytes;    /* data takes whole units; a power of two */
    uint64_t redzone_bytes; /* before and behind them */
};

extern struct cup_arena_padding cup_arena_padding;

/* The memory that an allocation takes, padding included. Less than size_bytes if that exceeds 64
 * bits. */
static inline uint64_t cup_arena_held_bytes(uint64_t size_bytes)
{
    uint64_t padded = cup_align_up(size_bytes, cup_arena_padding.unit_bytes) +
                      2 * cup_arena_padding.redzone_bytes;

    return cup_size_is_large(size_bytes) ? cup_align_up(padded, CUP_CHUNK_BYTES) : padded;
}

/* Where that memory begins. */
static inline uint64_t cup_arena_held_begin(uint64_t address, uint64_t held_bytes)
{
    return held_bytes >= CUP_CHUNK_BYTES ? cup_align_down(address, CUP_CHUNK_BYTES)
                                         : cup_align_down(address, cup_arena_padding.unit_bytes) -
                                               cup_arena_padding.redzone_bytes;
}

/* The number of granules of that memory before the allocation, whose last granule is the last one
 * before the second redzone. In memory that other processes map, large allocations begin at a chunk
 * boundary, because the other processes expect them there. */
static inline uint32_t cup_arena_leading_granules(const struct cup_metadata *metadata,
                                                  uint64_t size_bytes)
{
    uint64_t slack = cup_align_up(size_bytes, cup_arena_padding.unit_bytes) -
                     cup_align_up(size_bytes, CUP_GRANULE_BYTES);

    if (metadata->large_at_chunk && cup_size_is_large(size_bytes))
        return 0;
    return (uint32_t)((cup_arena_padding.redzone_bytes + slack) >> CUP_GRANULE_SHIFT);
}

#endif
