/* SPDX-License-Identifier: MIT */
/* A heap hands out memory as NVIDIA's driver is seen to: addresses are multiples of 512; requests up to
 * 1 MiB share units of 2 MiB and lie one behind the other; larger ones take whole units; free memory is
 * counted in units.
 *
 * Each device has one, backed by a memory file so that any part of it can be shared with other processes;
 * pinned host memory is another one. A heap's address space is twice its memory, so that memory that is
 * free is never lost to fragmentation. Pages are committed when touched and go back when freed. */
#ifndef CUP_MEMORY_HEAP_H
#define CUP_MEMORY_HEAP_H

#include "core/compiler.h"
#include "core/lock.h"
#include "memory/extents.h"
#include "memory/map.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdint.h>

enum {
    CUP_CELL_SHIFT = 9,
    CUP_CELL_BYTES = 1 << CUP_CELL_SHIFT, /* 512: what an address is a multiple of */
    CUP_UNIT_SHIFT = 21,
    CUP_UNIT_BYTES = 1 << CUP_UNIT_SHIFT,
    CUP_UNIT_CELLS = CUP_UNIT_BYTES / CUP_CELL_BYTES,
    CUP_SMALL_BYTES_MAX = 1 << 20, /* larger requests take whole units */
    CUP_HEAP_SHARDS = 16,
};

enum cup_unit_role {
    CUP_UNIT_FREE,
    CUP_UNIT_SMALL, /* cut into cells */
    CUP_UNIT_LARGE, /* part of one allocation */
};

/* What is known of 2 MiB. */
struct cup_unit {
    _Atomic(uint32_t) role;
    _Atomic(uint32_t) start; /* LARGE: the first unit of the allocation */
    _Atomic(uint32_t) shard; /* SMALL: whose it is */
    uint32_t used_cells;     /* SMALL: guarded by the shard's lock */
    _Atomic(uint64_t) large_bytes; /* first unit of a LARGE allocation */
    _Atomic(uint64_t) id;          /* the block's */
};

/* Threads are spread over the shards; each has its own units, so threads rarely meet. */
struct cup_shard {
    struct cup_lock lock;
    _Atomic(uint32_t) empty_units; /* kept for the next request, and charged; changed under lock */
    struct cup_extents cells; /* guarded by lock */
} __attribute__((aligned(CUP_CACHE_LINE)));

struct cup_heap {
    struct cup_region region; /* first: the map knows a heap by it */
    enum cup_range_kind kind;
    struct cup_device *device; /* NULL: the host's */
    int fd;                    /* the file behind the memory; -1: private memory */
    uint32_t unit_count;

    uint64_t limit_bytes;
    _Atomic(uint64_t) charged_bytes; /* in whole units: in use, or kept empty by a shard */

    struct cup_unit *units;
    /* One entry a cell; an allocation's facts stand at its first cell. */
    _Atomic(uint64_t) *start_bits;
    _Atomic(uint32_t) *hot; /* size (of a small one) and flags in one word: what most look-ups want */
    _Atomic(uint64_t) *buffer_ids;
    _Atomic(uint32_t) *owners; /* context index */

    struct cup_shard shards[CUP_HEAP_SHARDS];
    struct cup_lock space_lock;
    struct cup_extents space; /* free units; guarded by space_lock */
    struct cup_extent_node *cell_nodes;
    uint64_t *cell_first_bits, *cell_last_bits;
};

/* Both sizes are multiples of 2 MiB. What is reserved counts as used from the start. */
CUresult cup_heap_create(enum cup_range_kind kind, struct cup_device *device, uint64_t memory_bytes,
                         uint64_t reserved_bytes, struct cup_heap **heap);

/* size_bytes is not 0. OUT_OF_MEMORY changes nothing. */
CUresult cup_heap_allocate(struct cup_heap *heap, uint64_t size_bytes, uint32_t owner,
                           unsigned flags, uint64_t *address);

/* The context an allocation was made in: cup_object_index. The address is its first. */
static inline uint32_t cup_heap_owner(const struct cup_heap *heap, uint64_t address)
{
    return atomic_load_explicit(&heap->owners[(address - heap->region.base) >> CUP_CELL_SHIFT],
                                memory_order_relaxed);
}

/* False when no allocation begins there (any more). */
bool cup_heap_free(struct cup_heap *heap, uint64_t address);

/* Frees whatever belongs to a context. */
void cup_heap_free_owned(struct cup_heap *heap, uint32_t owner);

uint64_t cup_heap_free_bytes(struct cup_heap *heap);

/* What the map asks of a region; see map.h. */
bool cup_heap_find(struct cup_region *region, uint64_t address, struct cup_span *span);
bool cup_heap_describe(struct cup_region *region, uint64_t address, struct cup_range *range);
bool cup_heap_set_flag(struct cup_region *region, uint64_t address, unsigned flag, bool on);

/* The word at an allocation's first cell: 21 bits of size, enough for the largest small one. */
enum { CUP_HOT_SIZE_BITS = 32 - CUP_RANGE_FLAG_BITS };

static inline uint32_t cup_hot_size(uint32_t hot)
{
    return hot & ((1u << CUP_HOT_SIZE_BITS) - 1);
}

static inline unsigned cup_hot_flags(uint32_t hot)
{
    return hot >> CUP_HOT_SIZE_BITS;
}

static inline uint64_t cup_heap_address(const struct cup_heap *heap, uint32_t cell)
{
    return heap->region.base + ((uint64_t)cell << CUP_CELL_SHIFT);
}

#endif
