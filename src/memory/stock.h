/* SPDX-License-Identifier: MIT */
/* A pool's memory: blocks of 32 MiB lent by a heap, cut into allocations as a heap cuts its own
 * (heap.h): requests up to 1 MiB share units of 2 MiB, larger ones take whole units. Look-ups find
 * them as they find all that lies in the heap.
 *
 * Blocks stay with the stock until it is trimmed. Threads are spread over shards, each with units
 * of its own. To end an allocation and to give its memory back are two steps: in between the memory
 * is held, and may be given out again without having been free. */
#ifndef CUP_MEMORY_STOCK_H
#define CUP_MEMORY_STOCK_H

#include "core/compiler.h"
#include "core/lock.h"
#include "memory/extents.h"
#include "memory/heap.h"
#include "memory/heap_guard.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    CUP_BLOCK_SHIFT = 25,
    CUP_BLOCK_BYTES = 1 << CUP_BLOCK_SHIFT, /* 32 MiB: what a stock grows and shrinks by */
    CUP_BLOCK_UNITS = CUP_BLOCK_BYTES / CUP_UNIT_BYTES,
    CUP_STOCK_SHARDS = 16,
};

struct cup_stock_shard {
    struct cup_lock lock;
    _Atomic(uint32_t) empty_units; /* changed under lock */
    /* What was freed here and still counts as used in the stock (stock.c). */
    _Atomic(uint64_t) credit_bytes;
    struct cup_extents cells; /* guarded by lock */
} __attribute__((aligned(CUP_CACHE_LINE)));

struct cup_stock {
    struct cup_heap *heap;    /* where the blocks lie */
    struct cup_heap *charged; /* where they count as used, too; NULL: nowhere */
    uint32_t owner;           /* what allocations are said to belong to: cup_object_index */
    uint64_t limit_bytes;     /* a multiple of a block */
    /* Which devices may touch the memory, by ordinal; NULL: all of them, as far as the heap's
     * memory is open to them. */
    const _Atomic(uint64_t) *accessible; /* guarded by lock */

    struct cup_lock lock;
    struct cup_extents units; /* free units; guarded by lock */
    struct cup_extent_node *unit_nodes;
    uint64_t *unit_bits;  /* twice a bit a unit */
    uint8_t *block_used;  /* units in use, of each block of the heap; guarded by lock */
    uint64_t *block_free; /* a bit a block: ours, and all of its units free; guarded by lock */
    uint64_t reserved_bytes, reserved_high; /* guarded by lock */
    uint64_t used_bytes, used_high;         /* guarded by lock; with the credit of all shards */

    struct cup_stock_shard shards[CUP_STOCK_SHARDS];
};

/* Limits are rounded up to blocks. False when memory is out; it is to be finished then, too. */
bool cup_stock_init(struct cup_stock *stock, struct cup_heap *heap, struct cup_heap *charged,
                    uint32_t owner, uint64_t limit_bytes);

/* Gives all blocks back; nothing is allocated or held any more. What was never more than zeros has
 * nothing to finish. */
void cup_stock_finish(struct cup_stock *stock);

/* size_bytes is not 0. Without `may_grow`, out of the blocks it has. */
bool cup_stock_allocate(struct cup_stock *stock, uint64_t size_bytes, bool may_grow,
                        uint64_t *address);

/* Ends an allocation; its memory is held from then on. *held_bytes is how much that is. `counts`:
 * it no longer counts as used. False when none begins there (any more). */
bool cup_stock_end(struct cup_stock *stock, uint64_t address, bool counts, uint64_t *held_bytes);

/* Ends an allocation and gives its memory back. */
bool cup_stock_free(struct cup_stock *stock, uint64_t address, bool counts);

/* Gives held memory back, or part of it. */
void cup_stock_give(struct cup_stock *stock, uint64_t address, uint64_t held_bytes);

/* Makes an allocation at the beginning of held memory, of which it takes
 * cup_stock_holds(size_bytes). */
void cup_stock_renew(struct cup_stock *stock, uint64_t address, uint64_t size_bytes);

/* Announces an allocation of another process in a heap that is a file of that process's. False when
 * one begins there already. */
bool cup_stock_adopt(struct cup_stock *stock, uint64_t address, uint64_t size_bytes);

/* Gives free blocks back to the heap, as long as so much stays reserved. True if there were any. */
bool cup_stock_trim(struct cup_stock *stock, uint64_t keep_bytes);

/* Which devices may touch the memory has been settled, or has changed. */
void cup_stock_set_access(struct cup_stock *stock, const _Atomic(uint64_t) *accessible);

struct cup_stock_count {
    uint64_t reserved_bytes, reserved_high, used_bytes, used_high;
};

struct cup_stock_count cup_stock_count(struct cup_stock *stock);
void cup_stock_reset_high(struct cup_stock *stock, bool reserved);

static inline bool cup_stock_is_large(uint64_t size_bytes)
{
    return size_bytes > CUP_SMALL_BYTES_MAX;
}

/* How much memory an allocation takes; 0 if that is no number. With guards around it (heap_guard.h)
 * its own address is not that of the memory it takes: held memory is named by its first byte. */
static inline uint64_t cup_stock_holds(uint64_t size_bytes)
{
    if (cup_unlikely(cup_heap_guarded))
        return cup_guard_bytes(size_bytes, cup_stock_is_large(size_bytes));
    uint64_t mask = (cup_stock_is_large(size_bytes) ? CUP_UNIT_BYTES : CUP_CELL_BYTES) - 1;

    return (size_bytes + mask) & ~mask;
}

#endif
