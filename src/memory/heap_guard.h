/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=memory: every allocation of a heap has pages around it that nobody may touch, and
 * what was freed stays where it was for a while, untouchable too. So a kernel, a copy, or the
 * program itself that leaves its memory, or uses it too late, faults there, and the address tells
 * which memory it was about.
 *
 *     small:  page | slack, data up to the next 512 | page      the data lies at the end
 *     large:  data, slack | the rest of its units                and at the beginning of its units
 *
 * Slack that is less than a page is filled with a pattern, and looked at when the memory is freed.
 * Memory of pools and of cuMemCreate has no guards. */
#ifndef CUP_MEMORY_HEAP_GUARD_H
#define CUP_MEMORY_HEAP_GUARD_H

#include <stdbool.h>
#include <stdint.h>

struct cup_heap;

extern bool cup_heap_guarded; /* set once, by cup_memory_init */

/* How many cells a small allocation takes, and how many of them lie before its data. */
uint32_t cup_guard_small_cells(uint64_t size_bytes);
uint32_t cup_guard_small_lead(uint64_t size_bytes);

/* How many bytes of whole units a large one takes. */
uint64_t cup_guard_large_bytes(uint64_t size_bytes);

/* Puts the guards around what was just allocated. */
void cup_guard_close(uint64_t address, uint64_t size_bytes, bool large);

/* The memory is no longer an allocation: looks at its slack, makes it untouchable and keeps it.
 * What has been kept for long is given back with cup_heap_release. */
void cup_guard_keep(struct cup_heap *heap, uint64_t address, uint64_t size_bytes, bool large);

/* Gives back all that is kept; false when that is nothing. */
bool cup_guard_give_up(void);

#endif
