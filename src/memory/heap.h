/* SPDX-License-Identifier: MIT */
/* A heap is an address space of memory and the arena that allocates in it. Each device has one,
 * backed by a memory file; pinned host memory, managed memory and shared pools have theirs. Used
 * memory is counted in chunks, as NVIDIA's driver was recorded to.
 *
 * A device's address space is twice its memory, so that fragmentation never makes free memory
 * unusable. Pages are committed when touched and go back to the system when freed. */
#ifndef CUP_MEMORY_HEAP_H
#define CUP_MEMORY_HEAP_H

#include "memory/arena.h"
#include "memory/map.h"
#include "memory/metadata.h"
#include "memory/share_piece.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct cup_device;
struct cup_heap_file;

struct cup_heap {
    struct cup_region region; /* first member: the map refers to it, unless the heap is on a file */
    struct cup_metadata metadata;
    struct cup_device *device; /* NULL: the host's */
    int fd;                    /* the file behind the memory; -1: private memory */
    bool on_file;              /* the file existed before; the heap is its beginning */

    uint64_t limit_bytes;
    uint64_t budget_bytes;              /* exceeding it sends a notification; 0: no budget */
    _Atomic(uint64_t) charged_bytes;    /* in whole chunks: in use, or kept empty by a shard */
    _Atomic(uint64_t) *published_bytes; /* charged_bytes, for monitors; NULL: not a device's heap */
    _Atomic(uint64_t) idle_bytes; /* the part of these that is unused and released on demand */

    struct cup_arena arena;
    _Atomic(uint32_t)
        chunk_high; /* no chunk from here on was ever used; written under arena.lock */
    /* Free chunks that are used again last; guarded by arena.lock. */
    uint32_t resting_first, resting_count;

    struct cup_heap_file *in_map; /* of a heap on a file (heap_file.h) */
};

/* Creates a heap. Both sizes are multiples of 2 MiB. Reserved bytes count as used from the
 * start. */
CUresult cup_heap_create(enum cup_range_kind kind, struct cup_device *device, uint64_t memory_bytes,
                         uint64_t reserved_bytes, struct cup_heap **heap);

/* Creates a heap whose memory is the beginning of a file. It reserves chunks for others and
 * allocates nothing itself. memory_bytes is a multiple of a slot of the map. The caller keeps the
 * descriptor and must leave it open while the heap exists. */
CUresult cup_heap_create_on_file(enum cup_range_kind kind, struct cup_device *device,
                                 uint64_t memory_bytes, int fd, struct cup_heap **heap);

/* Destroys a heap on a file, none of whose chunks may be reserved. Other threads may be looking up
 * addresses in it. */
void cup_heap_destroy(struct cup_heap *heap);

/* The functions of a heap's region (map.h). */
bool cup_heap_find(struct cup_region *region, uint64_t address, struct cup_span *span);
bool cup_heap_describe(struct cup_region *region, uint64_t address, struct cup_range *range);
bool cup_heap_set_flag(struct cup_region *region, uint64_t address, unsigned flag, bool on);

/* Allocates. size_bytes must not be 0. CUDA_ERROR_OUT_OF_MEMORY changes nothing. */
CUresult cup_heap_allocate(struct cup_heap *heap, uint64_t size_bytes, uint32_t owner,
                           unsigned flags, uint64_t *address);

/* The cup_object_index of the context or pool that owns the allocation at its first address. */
static inline uint32_t cup_heap_owner(const struct cup_heap *heap, uint64_t address)
{
    return atomic_load_explicit(
        &heap->metadata.owners[cup_metadata_granule(&heap->metadata, address)],
        memory_order_relaxed);
}

/* Returns false if no allocation of the heap begins there (any more). */
bool cup_heap_free(struct cup_heap *heap, uint64_t address);

/* Frees the allocation with that buffer id only. For callers that found it earlier and do not own
 * it: another thread may have freed it since, and a third may have allocated there. */
bool cup_heap_free_exactly(struct cup_heap *heap, uint64_t address, uint64_t buffer_id);

/* Frees all allocations of a context. */
void cup_heap_free_owned(struct cup_heap *heap, uint32_t owner);

uint64_t cup_heap_free_bytes(struct cup_heap *heap);

/* Reserves whole chunks of the heap's file, zeroed and charged, as memory without an address: no
 * look-up finds it. The size is a multiple of a chunk and not 0. Returns false if not enough is
 * free. */
bool cup_heap_reserve_chunks(struct cup_heap *heap, uint64_t size_bytes, uint64_t *offset);
void cup_heap_return_chunks(struct cup_heap *heap, uint64_t offset, uint64_t size_bytes);

/* The same, beginning at a multiple of align_chunks, a power of two. The caller may allocate in the
 * chunks with an arena on the heap's metadata (pool_arena.h). */
bool cup_heap_reserve_chunks_aligned(struct cup_heap *heap, uint64_t size_bytes,
                                     uint32_t align_chunks, uint64_t *offset);

/* The same, beginning at this offset. Returns false as well if some of the chunks are in use. */
bool cup_heap_reserve_chunks_at(struct cup_heap *heap, uint64_t size_bytes, uint64_t offset);

/* Charges memory that lies elsewhere to this heap. Returns false if not enough is free. */
bool cup_heap_charge(struct cup_heap *heap, uint64_t size_bytes);
void cup_heap_discharge(struct cup_heap *heap, uint64_t size_bytes);

/* Marks charged memory as idle: it stays charged, but a charge that finds too little free memory
 * discharges it. cup_heap_charge_idle_take() makes up to size_bytes of it used again and returns
 * how many bytes those are. */
void cup_heap_charge_idle(struct cup_heap *heap, uint64_t size_bytes);
uint64_t cup_heap_charge_idle_take(struct cup_heap *heap, uint64_t size_bytes);

/* The file that holds the memory while it is not shared; only a device's heap has one. */
struct cup_share_backing cup_heap_backing(const struct cup_heap *heap);

/* The operations of a heap's arena. */
extern const struct cup_arena_ops cup_heap_arena_ops;

#endif
