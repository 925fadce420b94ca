/* SPDX-License-Identifier: MIT */
/* The address map: which memory does an address belong to? One map for the process and for every kind
 * of memory; everything that takes a pointer begins here.
 *
 * The address space is cut into slots of 256 MiB. A slot belongs to one region, or to none: a heap's
 * reservation, or the page table for memory the application brought itself. A look-up is a load from
 * the table of slots and a look into the region. It takes no lock and waits for nobody; its cost does
 * not depend on how many ranges there are. */
#ifndef CUP_MEMORY_MAP_H
#define CUP_MEMORY_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cup_device;

enum cup_range_kind {
    CUP_RANGE_DEVICE,     /* cuMemAlloc and its like */
    CUP_RANGE_PINNED,     /* cuMemHostAlloc */
    CUP_RANGE_REGISTERED, /* the application's own, by cuMemHostRegister */
};

/* What may be said of a range while it lives; kept beside the flags of the call that made it. */
enum {
    CUP_RANGE_SYNC_MEMOPS = 1 << 10, /* synchronous operations on it always wait */
    CUP_RANGE_FLAG_BITS = 11,
};

/* What most calls want to know, as it was at one moment: found with one or two loads. */
struct cup_span {
    uint64_t base;
    uint64_t size_bytes; /* as asked for, not as rounded */
    enum cup_range_kind kind;
    unsigned flags; /* those of the call that made it, and CUP_RANGE_ flags */
};

/* All that is known. */
struct cup_range {
    uint64_t base;
    uint64_t size_bytes;
    enum cup_range_kind kind;
    unsigned flags;
    uint32_t owner;            /* the context it was made in: cup_object_index */
    uint64_t buffer_id;        /* never used twice */
    struct cup_device *device; /* where it lives, or for host memory where its context lives */
    uint64_t block_base;       /* the mapping it is part of */
    uint64_t block_bytes;
    uint64_t block_id;
};

enum { CUP_MAP_SLOT_SHIFT = 28 };
#define CUP_MAP_SLOT_BYTES (UINT64_C(1) << CUP_MAP_SLOT_SHIFT)

/* Part of the address space with a way to look into it. Regions are never taken away. */
struct cup_region {
    uint64_t base;
    uint64_t size_bytes;
    bool (*find)(struct cup_region *region, uint64_t address, struct cup_span *span);
    bool (*describe)(struct cup_region *region, uint64_t address, struct cup_range *range);
    bool (*set_flag)(struct cup_region *region, uint64_t address, unsigned flag, bool on);
};

/* Base and size must be multiples of a slot, and the slots free. */
void cup_map_add(struct cup_region *region);

/* The region a slot belongs to, or NULL. */
struct cup_region *cup_map_region(uint64_t address);

/* False when the address belongs to no range; the output is then undefined. */
bool cup_map_find(uint64_t address, struct cup_span *span);
bool cup_map_describe(uint64_t address, struct cup_range *range);

/* Sets or clears one of the CUP_RANGE_ flags; false when the address belongs to no range. */
bool cup_map_set_flag(uint64_t address, unsigned flag, bool on);

/* The next buffer id, for the calling thread, and the next id of a block. */
uint64_t cup_map_next_id(void);
uint64_t cup_map_next_block_id(void);

#endif
