/* SPDX-License-Identifier: MIT */
#include "memory/map.h"

#include "core/compiler.h"
#include "core/thread.h"

#include <stdatomic.h>

enum {
    ADDRESS_BITS = 48,
    SLOT_COUNT = 1 << (ADDRESS_BITS - CUP_MAP_SLOT_SHIFT),
    ID_BATCH = 256,
};

static _Atomic(struct cup_region *) slots[SLOT_COUNT];

void cup_map_add(struct cup_region *region)
{
    uint64_t first = region->base >> CUP_MAP_SLOT_SHIFT;
    uint64_t count = region->size_bytes >> CUP_MAP_SLOT_SHIFT;

    for (uint64_t slot = first; slot < first + count; slot++)
        atomic_store_explicit(&slots[slot], region, memory_order_release);
}

void cup_map_remove(struct cup_region *region)
{
    uint64_t first = region->base >> CUP_MAP_SLOT_SHIFT;
    uint64_t count = region->size_bytes >> CUP_MAP_SLOT_SHIFT;

    for (uint64_t slot = first; slot < first + count; slot++)
        atomic_store(&slots[slot], NULL);
}

bool cup_map_has(const struct cup_region *region, uint64_t address)
{
    return atomic_load(&slots[address >> CUP_MAP_SLOT_SHIFT]) == region;
}

bool cup_map_is_free(uint64_t base, uint64_t size_bytes)
{
    for (uint64_t at = base; at < base + size_bytes; at += CUP_MAP_SLOT_BYTES) {
        if (cup_map_region(at))
            return false;
    }
    return true;
}

struct cup_region *cup_map_region(uint64_t address)
{
    uint64_t slot = address >> CUP_MAP_SLOT_SHIFT;

    if (slot >= SLOT_COUNT)
        return NULL;
    /* Acquire: the region was written before this pointer to it. */
    return atomic_load_explicit(&slots[slot], CUP_ORDER_DEPENDENT);
}

bool cup_map_find(uint64_t address, struct cup_span *span)
{
    struct cup_region *region = cup_map_region(address);

    return region && region->find(region, address, span);
}

bool cup_map_describe(uint64_t address, struct cup_range *range)
{
    struct cup_region *region = cup_map_region(address);

    return region && region->describe(region, address, range);
}

bool cup_map_holds_beyond(const struct cup_span *span, uint64_t address, uint64_t size_bytes,
                          unsigned forbidden)
{
    struct cup_span next = *span;

    for (;;) {
        uint64_t here = next.size_bytes - (address - next.base);
        if (next.flags & forbidden)
            return false;
        if (size_bytes <= here)
            return true;
        address += here;
        size_bytes -= here;
        if (!cup_map_find(address, &next) || next.kind != CUP_RANGE_VIRTUAL)
            return false;
    }
}

bool cup_map_allows(uint64_t address, uint64_t size_bytes, bool written)
{
    unsigned forbidden =
        CUP_RANGE_NO_READ | CUP_RANGE_MULTICAST | (written ? CUP_RANGE_NO_WRITE : 0);
    struct cup_span span;

    return cup_map_find(address, &span) && cup_map_holds(&span, address, size_bytes, forbidden);
}

uint64_t cup_map_misalignment(uint64_t address, uint64_t alignment)
{
    struct cup_span span;

    if (cup_map_find(address, &span) && span.kind == CUP_RANGE_GRAPHICS)
        address -= span.base;
    return address % alignment;
}

bool cup_map_set_flag(uint64_t address, unsigned flag, bool on)
{
    struct cup_region *region = cup_map_region(address);

    return region && region->set_flag(region, address, flag, on);
}

void cup_map_reserve_ids(struct cup_map_ids *ids)
{
    static _Atomic(uint64_t) next_batch = 1;

    ids->next = atomic_fetch_add(&next_batch, ID_BATCH);
    ids->left = ID_BATCH;
}

uint64_t cup_map_next_block_id(void)
{
    static _Atomic(uint64_t) next = 1;

    return atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
}
