/* SPDX-License-Identifier: MIT */
/* The record of a mapping (virtual.c), for those who change its rights (virtual_access.c). */
#ifndef CUP_MEMORY_VIRTUAL_MAPPING_H
#define CUP_MEMORY_VIRTUAL_MAPPING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct cup_device;
struct cup_physical;

struct cup_mapping {
    _Atomic(uint64_t) id; /* the buffer id; 0: not in use */
    _Atomic(uint64_t) base, size_bytes;
    _Atomic(uint64_t) read_by, write_by; /* devices by ordinal */
    _Atomic(uint64_t) block_id;
    _Atomic(uint32_t) flags; /* CUP_RANGE_ */
    _Atomic(uint32_t) handle_types;
    _Atomic(struct cup_device *) device;
    struct cup_physical *physical; /* a reference; guarded by cup_virtual_lock */
    uint32_t next;                 /* in a list of unused ones; guarded by cup_virtual_lock */
};

/* Finds the first mapping that begins or continues in [*at, end), and moves *at past it; NULL if
 * there is none. */
struct cup_mapping *cup_mapping_next_locked(uint64_t *at, uint64_t end);

static inline bool cup_mapping_is_inside(const struct cup_mapping *mapping, uint64_t address,
                                         uint64_t end)
{
    return mapping->base >= address && mapping->base + mapping->size_bytes <= end;
}

static inline void cup_mapping_change_flag(struct cup_mapping *mapping, unsigned flag, bool on)
{
    if (on)
        atomic_fetch_or_explicit(&mapping->flags, flag, memory_order_relaxed);
    else
        atomic_fetch_and_explicit(&mapping->flags, ~flag, memory_order_relaxed);
}

#endif
