/* SPDX-License-Identifier: MIT */
/* Metadata of a heap's address space: one record per chunk, and one entry per granule in each of
 * several tables. The tables lie apart from the memory they describe, cover the whole heap, and are
 * committed only where they are used. All arenas that allocate in a heap share its metadata, so one
 * look-up finds the allocations of all of them. */
#ifndef CUP_MEMORY_METADATA_H
#define CUP_MEMORY_METADATA_H

#include "core/compiler.h"
#include "memory/extents.h"
#include "memory/granule.h"
#include "memory/map.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum cup_chunk_role {
    CUP_CHUNK_FREE,  /* holds no allocation: free, or reserved without an address */
    CUP_CHUNK_SMALL, /* cut into granules */
    CUP_CHUNK_LARGE, /* part of one allocation */
};

/* Neighbouring chunks may belong to two shards, so each record has a cache line of its own. */
struct cup_chunk {
    _Atomic(uint32_t) role;
    _Atomic(uint32_t) start;           /* LARGE: the first chunk of the allocation */
    _Atomic(uint64_t) shard;           /* the shard whose lock guards it (arena.c) */
    uint32_t used_granules;            /* SMALL: guarded by the shard's lock */
    uint32_t first_owner, first_flags; /* SMALL: of the allocation that found it empty; likewise */
    uint32_t published;                /* allocations published since the chunk was taken */
    bool had_exported;                 /* SMALL: an exported allocation has ended; likewise */
    _Atomic(uint64_t) large_bytes;     /* size of the LARGE allocation that begins here */
    _Atomic(uint64_t) id;              /* the block's */
} __attribute__((aligned(CUP_CACHE_LINE)));

struct cup_metadata {
    uint64_t base; /* of the memory described */
    uint32_t chunk_count;
    enum cup_range_kind kind;
    bool large_at_chunk; /* large allocations begin with a chunk, redzones or not */

    struct cup_chunk *chunks;
    /* Tables with one entry a granule. The entries of an allocation stand at its first granule. */
    _Atomic(uint64_t) *start_bits; /* set while an allocation begins there */
    _Atomic(uint32_t) *size_flags; /* size (of a small one) and flags: most look-ups need no more */
    _Atomic(uint64_t) *buffer_ids;
    _Atomic(uint32_t) *owners; /* cup_object_index of a context or pool */

    /* Storage for extents.h: of granules, shared by the shards of all arenas; and of chunks. */
    struct cup_extent_node *granule_nodes, *chunk_nodes;
    uint64_t *granule_first_bits, *granule_last_bits, *chunk_bits;

    uint8_t *dirty_groups; /* see cup_metadata_chunks_freed */
    void *tables;          /* the mapping that holds all tables except size_flags */
    uint64_t tables_bytes;
};

/* Reserves the tables. The caller has set base, chunk_count and kind. Returns false if address
 * space is out. */
bool cup_metadata_create(struct cup_metadata *metadata);
void cup_metadata_destroy(struct cup_metadata *metadata);

/* Publish records an allocation; unpublish removes it. One thread at a time per chunk: the caller
 * holds the lock of the chunk's shard, or owns the chunk exclusively. */
void cup_metadata_publish(struct cup_metadata *metadata, uint32_t granule, uint64_t size_bytes,
                          uint32_t owner, unsigned flags);
bool cup_metadata_unpublish(struct cup_metadata *metadata, uint32_t granule); /* false: none */

/* Called when `count` chunks became free, as part of the given free extent. Returns pages of the
 * tables to the system if that is worth a system call. One thread at a time. */
void cup_metadata_chunks_freed(struct cup_metadata *metadata, uint32_t chunk, uint32_t count,
                               uint32_t free_first, uint32_t free_count);

/* An entry of size_flags: 21 bits of size, enough for the largest small allocation, then flags. */
enum { CUP_SIZE_FLAGS_SIZE_BITS = 32 - CUP_RANGE_FLAG_BITS };

static inline uint32_t cup_size_flags_size(uint32_t size_flags)
{
    return size_flags & ((1u << CUP_SIZE_FLAGS_SIZE_BITS) - 1);
}

static inline unsigned cup_size_flags_flags(uint32_t size_flags)
{
    return size_flags >> CUP_SIZE_FLAGS_SIZE_BITS;
}

static inline uint64_t cup_metadata_address(const struct cup_metadata *metadata, uint32_t granule)
{
    return metadata->base + ((uint64_t)granule << CUP_GRANULE_SHIFT);
}

static inline uint32_t cup_metadata_granule(const struct cup_metadata *metadata, uint64_t address)
{
    return (uint32_t)((address - metadata->base) >> CUP_GRANULE_SHIFT);
}

/* True if an allocation begins at the granule. */
static inline bool cup_metadata_is_start(const struct cup_metadata *metadata, uint32_t granule)
{
    return atomic_load_explicit(&metadata->start_bits[granule / 64], memory_order_acquire) >>
               (granule % 64) &
           1;
}

#endif
