/* SPDX-License-Identifier: MIT */
/* A heap hands out memory as NVIDIA's driver is seen to: addresses are multiples of 512; requests
 * up to 1 MiB share chunks of 2 MiB and lie one behind the other; larger ones take whole chunks;
 * free memory is counted in chunks.
 *
 * Each device has one, backed by a memory file; pinned host memory, managed memory and shared pools
 * have theirs. A device's address space is twice its memory, so that memory that is free is never
 * lost to fragmentation. Pages are committed when touched and go back when freed. */
#ifndef CUP_MEMORY_HEAP_H
#define CUP_MEMORY_HEAP_H

#include "core/compiler.h"
#include "core/lock.h"
#include "memory/extents.h"
#include "memory/heap_file.h"
#include "memory/redzone.h"
#include "memory/map.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdint.h>

enum {
    CUP_GRANULE_SHIFT = 9,
    CUP_GRANULE_BYTES = 1 << CUP_GRANULE_SHIFT, /* 512: what an address is a multiple of */
    CUP_CHUNK_SHIFT = 21,
    CUP_CHUNK_BYTES = 1 << CUP_CHUNK_SHIFT,
    CUP_CHUNK_GRANULES = CUP_CHUNK_BYTES / CUP_GRANULE_BYTES,
    CUP_SMALL_BYTES_MAX = 1 << 20, /* larger requests take whole chunks */
    CUP_HEAP_SHARDS = 16,
    CUP_GROUP_CHUNKS = 16, /* whose bookkeeping goes back to the system together */
};

enum cup_chunk_role {
    CUP_CHUNK_FREE,  /* no allocation in it: free, or reserved out without an address */
    CUP_CHUNK_SMALL, /* cut into granules */
    CUP_CHUNK_LARGE, /* part of one allocation */
};

/* What is known of 2 MiB. Neighbours may belong to two shards, which must not meet in one cache
 * line. */
struct cup_chunk {
    _Atomic(uint32_t) role;
    _Atomic(uint32_t) start; /* LARGE: the first chunk of the allocation */
    _Atomic(uint32_t)
        shard; /* SMALL: whose it is; from CUP_HEAP_SHARDS on, a pool's (pool_arena.h) */
    uint32_t used_granules;        /* SMALL: guarded by the shard's lock */
    uint32_t written;              /* allocations announced since it was taken */
    _Atomic(uint64_t) large_bytes; /* first chunk of a LARGE allocation */
    _Atomic(uint64_t) id;          /* the block's */
} __attribute__((aligned(CUP_CACHE_LINE)));

/* Threads are spread over the shards; each has its own chunks, so threads rarely meet. */
struct cup_shard {
    struct cup_lock lock;
    _Atomic(uint32_t) empty_chunks; /* kept for the next request, and charged; changed under lock */
    struct cup_extents granules;    /* guarded by lock */
} __attribute__((aligned(CUP_CACHE_LINE)));

struct cup_heap {
    struct cup_region region; /* first: the map knows a heap by it, unless it is on a file */
    enum cup_range_kind kind;
    struct cup_device *device; /* NULL: the host's */
    int fd;                    /* the file behind the memory; -1: private memory */
    bool on_file;              /* the file was there first; the heap is its beginning */
    uint32_t chunk_count;

    uint64_t limit_bytes;
    uint64_t budget_bytes;           /* who wants to, is told when more is used; 0: no budget */
    _Atomic(uint64_t) charged_bytes; /* in whole chunks: in use, or kept empty by a shard */

    struct cup_chunk *chunks;
    /* One entry a granule; an allocation's facts stand at its first granule. */
    _Atomic(uint64_t) *start_bits;
    _Atomic(uint32_t)
        *size_flags; /* size (of a small one) and flags in one word: what most look-ups want */
    _Atomic(uint64_t) *buffer_ids;
    _Atomic(uint32_t) *owners; /* context index */

    struct cup_shard shards[CUP_HEAP_SHARDS];
    struct cup_lock space_lock;
    _Atomic(uint32_t)
        chunk_high;           /* chunks from here on were never used; written under space_lock */
    struct cup_extents space; /* free chunks; guarded by space_lock */
    uint32_t resting_first, resting_count; /* free, but handed out last; guarded by space_lock */
    struct cup_extent_node *granule_nodes;
    uint64_t *granule_first_bits, *granule_last_bits;
    uint8_t *recorded_groups; /* 1: much has been written about the group; guarded by space_lock */

    struct cup_heap_file *in_map; /* of a heap on a file (heap_file.h) */
    void *tables;                 /* the mapping that all tables but `size_flags` are in */
    uint64_t tables_bytes;
};

/* Both sizes are multiples of 2 MiB. What is reserved counts as used from the start. */
CUresult cup_heap_create(enum cup_range_kind kind, struct cup_device *device, uint64_t memory_bytes,
                         uint64_t reserved_bytes, struct cup_heap **heap);

/* A heap whose memory is the beginning of a file; not to be asked to allocate, only to reserve.
 * memory_bytes is a multiple of a slot of the map. The descriptor stays the caller's, and open
 * while the heap is there. */
CUresult cup_heap_create_on_file(enum cup_range_kind kind, struct cup_device *device,
                                 uint64_t memory_bytes, int fd, struct cup_heap **heap);

/* Ends such a heap: nothing is reserved any more. Other threads may look up addresses in it. */
void cup_heap_destroy(struct cup_heap *heap);

/* What the map asks of a region; see map.h. */
bool cup_heap_find(struct cup_region *region, uint64_t address, struct cup_span *span);
bool cup_heap_describe(struct cup_region *region, uint64_t address, struct cup_range *range);
bool cup_heap_set_flag(struct cup_region *region, uint64_t address, unsigned flag, bool on);

/* size_bytes is not 0. OUT_OF_MEMORY changes nothing. */
CUresult cup_heap_allocate(struct cup_heap *heap, uint64_t size_bytes, uint32_t owner,
                           unsigned flags, uint64_t *address);

/* The context an allocation was made in: cup_object_index. The address is its first. */
static inline uint32_t cup_heap_owner(const struct cup_heap *heap, uint64_t address)
{
    return atomic_load_explicit(&heap->owners[(address - heap->region.base) >> CUP_GRANULE_SHIFT],
                                memory_order_relaxed);
}

/* False when no allocation begins there (any more). */
bool cup_heap_free(struct cup_heap *heap, uint64_t address);

/* For whoever found the allocation a while ago, and does not own it: another thread may have ended
 * it since, and yet another may have been given its place. */
bool cup_heap_free_exactly(struct cup_heap *heap, uint64_t address, uint64_t buffer_id);

/* The second half of freeing, where redzone.c comes between: the first has made it no
 * allocation.
 */
void cup_heap_release(struct cup_heap *heap, uint64_t address, uint64_t size_bytes, bool large);

/* Frees whatever belongs to a context. */
void cup_heap_free_owned(struct cup_heap *heap, uint32_t owner);

uint64_t cup_heap_free_bytes(struct cup_heap *heap);

/* Memory without an address: whole chunks of the heap's file, zeroed and charged, that no look-up
 * finds. The size is a multiple of a chunk and not 0; false when there is not as much. */
bool cup_heap_reserve_chunks(struct cup_heap *heap, uint64_t size_bytes, uint64_t *offset);
void cup_heap_return_chunks(struct cup_heap *heap, uint64_t offset, uint64_t size_bytes);

/* The same from a multiple of so many chunks on, a power of two. Whoever has them may cut
 * allocations out of them (pool_arena.h): gives the chunks their roles and announces what begins
 * and ends there, one thread at a time for each chunk. */
bool cup_heap_reserve_chunks_aligned(struct cup_heap *heap, uint64_t size_bytes,
                                     uint32_t align_chunks, uint64_t *offset);
void cup_heap_publish(struct cup_heap *heap, uint32_t granule, uint64_t size_bytes, uint32_t owner,
                      unsigned flags);
bool cup_heap_unpublish(struct cup_heap *heap, uint32_t granule); /* false: nothing began there */

/* Chunks of the heap's space (heap_chunks.c): CUP_EXTENT_NONE when there is no such extent. What is
 * given goes to the space, and its pages back to the system. Neither is charged here. */
uint32_t cup_heap_chunks_take(struct cup_heap *heap, uint32_t count);
void cup_heap_chunks_return(struct cup_heap *heap, uint32_t chunk, uint32_t count);

/* Chunks became free, and with them an extent: what was written about it is forgotten, if that is
 * worth it (heap_metadata.c). */
void cup_heap_forget_locked(struct cup_heap *heap, uint32_t chunk, uint32_t count,
                            uint32_t free_first, uint32_t free_count);

/* Counts memory that lies elsewhere as used here; false when there is not as much. */
bool cup_heap_charge(struct cup_heap *heap, uint64_t size_bytes);
void cup_heap_discharge(struct cup_heap *heap, uint64_t size_bytes);

/* The word at an allocation's first granule: 21 bits of size, enough for the largest small one. */
enum { CUP_SIZE_FLAGS_SIZE_BITS = 32 - CUP_RANGE_FLAG_BITS };

static inline uint32_t cup_size_flags_size(uint32_t size_flags)
{
    return size_flags & ((1u << CUP_SIZE_FLAGS_SIZE_BITS) - 1);
}

static inline unsigned cup_size_flags_flags(uint32_t size_flags)
{
    return size_flags >> CUP_SIZE_FLAGS_SIZE_BITS;
}

/* How many granules of what an allocation takes lie before it: a guard (redzone.h). Large ones in a
 * file that others see begin with a chunk, as those others expect. */
static inline uint32_t cup_heap_redzone_granules(const struct cup_heap *heap, uint64_t size_bytes)
{
    if (cup_likely(!cup_redzones_enabled) || (heap->on_file && size_bytes > CUP_SMALL_BYTES_MAX))
        return 0;
    return cup_redzone_leading_granules(size_bytes);
}

static inline uint64_t cup_heap_address(const struct cup_heap *heap, uint32_t granule)
{
    return heap->region.base + ((uint64_t)granule << CUP_GRANULE_SHIFT);
}

#endif
