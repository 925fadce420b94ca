/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=init: which bytes of device memory nothing has written since they were allocated.
 *
 * A heap of device memory has a shadow with one byte for each word of four bytes; its lower four
 * bits are set where a byte was written. A shadow is reserved when the heap first allocates, and
 * committed where it is written. Memory of other kinds (managed, pinned, mapped by cuMemMap,
 * imported, of other drivers) has no shadow: others may write it, so it counts as written. */
#ifndef CUP_CHECK_MEMORY_UNINITIALISED_H
#define CUP_CHECK_MEMORY_UNINITIALISED_H

#include "core/compiler.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CUP_UNWRITTEN_SLOT_SHIFT = 28, /* the slots of the address map */
    CUP_UNWRITTEN_SLOTS = 1 << (48 - CUP_UNWRITTEN_SLOT_SHIFT),
    CUP_UNWRITTEN_WORD_BYTES = 4,
    CUP_UNWRITTEN_NONE = 0xf, /* the shadow of a word that is written */
};

/* By slot: the number that gives, added to a quarter of an address, the address of its shadow; 0:
 * the slot has none. NULL: the check is off. Compiled code reads the table. */
extern _Atomic(uint64_t) *cup_unwritten_slots;

/* Returns false if there is no address space for the table. */
bool cup_unwritten_start(void);

/* A part of the address space that has a shadow from now on: multiples of a slot. */
void cup_unwritten_add_space(uint64_t base, uint64_t size_bytes);

/* The memory was allocated: nothing has written it. It begins with a word, and no other allocation
 * has a part of its last word. */
void cup_unwritten_begin(uint64_t address, uint64_t size_bytes);

/* It was written, or someone else may write it from now on. */
void cup_unwritten_end(uint64_t address, uint64_t size_bytes);

/* It was copied: what was not written at the source is not written at the destination. */
void cup_unwritten_copy(uint64_t to, uint64_t from, uint64_t size_bytes);

/* Returns how many bytes from the address on are written, up to size_bytes. */
uint64_t cup_unwritten_find(uint64_t address, uint64_t size_bytes);

/* The shadow of a word that begins with the address; NULL: it has none. */
static inline uint8_t *cup_unwritten_shadow(uint64_t address)
{
    uint64_t slot = (address >> CUP_UNWRITTEN_SLOT_SHIFT) & (CUP_UNWRITTEN_SLOTS - 1);
    uint64_t distance = atomic_load_explicit(&cup_unwritten_slots[slot], memory_order_acquire);

    return distance ? (uint8_t *)(uintptr_t)(distance + (address >> 2)) : NULL;
}

/* Of a shadow, for memory that begins `offset` bytes behind its first word: sets bytes as written;
 * counts the first ones that are. */
void cup_unwritten_set(uint8_t *shadow, uint64_t offset, uint64_t size_bytes);
uint64_t cup_unwritten_count(const uint8_t *shadow, uint64_t offset, uint64_t size_bytes);

#endif
