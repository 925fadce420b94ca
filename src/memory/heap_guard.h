/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=memory: every allocation of a heap or a pool has pages around it that nobody may
 * touch, and what was freed stays where it was for a while, untouchable too. So a kernel, a copy,
 * or the program itself that leaves its memory, or uses it too late, faults there, and the address
 * tells which memory it was about.
 *
 *     page | slack, data up to the next 512 | page        small: whole cells
 *     page | slack, data up to the next 512 | pages       large: whole units
 *
 * Slack is filled with a pattern, which is looked at when the program synchronises, when the memory
 * is freed, and at the end. Where the system has no mapping left for one more guard, an allocation
 * goes without. */
#ifndef CUP_MEMORY_HEAP_GUARD_H
#define CUP_MEMORY_HEAP_GUARD_H

#include <stdbool.h>
#include <stdint.h>

struct cup_heap;

extern bool cup_heap_guarded; /* set once, by cup_guard_start */

void cup_guard_start(bool guarded, uint64_t kept_bytes_max);

/* How many cells a small allocation takes, and how many bytes of whole units a large one. */
uint32_t cup_guard_small_cells(uint64_t size_bytes);
uint64_t cup_guard_large_bytes(uint64_t size_bytes);

/* How many cells of either lie before its data. */
uint32_t cup_guard_lead(uint64_t size_bytes);

/* Where the memory of an allocation begins, guard and all, and what it takes. */
uint64_t cup_guard_begin(uint64_t address, bool large);
uint64_t cup_guard_bytes(uint64_t size_bytes, bool large);

/* Puts the guards around what was just allocated. */
void cup_guard_close(struct cup_heap *heap, uint64_t address, uint64_t size_bytes, unsigned flags,
                     bool large);

/* Something that was freed and is to stay a while. */
struct cup_kept {
    struct cup_kept *next;
    uint64_t address, size_bytes; /* as the program knew it */
    uint64_t begin, end;          /* untouchable until then; may be empty */
    bool large;
    void *owner;
    void (*release)(const struct cup_kept *kept); /* gives it back; no lock is held */
};

/* The memory is no longer an allocation: looks at its slack, makes it untouchable and keeps it. May
 * be called under any lock. */
void cup_guard_keep(const struct cup_kept *freed);
void cup_guard_keep_of_heap(struct cup_heap *heap, uint64_t address, uint64_t size_bytes,
                            bool large);

/* Gives back what is beyond the limit; no lock is held. */
void cup_guard_tidy(void);

/* Gives back all that is kept, as memory is short; false when that is nothing. */
bool cup_guard_give_up(void);

/* Looks at the slack of all memory that is there. */
void cup_guard_look(void);

/* The memory has got new pages, which anybody can touch: the guards in it are put back. */
void cup_guard_renew(uint64_t address, uint64_t size_bytes);

/* Memory in guards that is in no heap; NULL when there is none. It can be shut, and opened again:
 * what is shut cannot be touched. What these were not given by the first they do not mind. */
void *cup_guard_make(uint64_t size_bytes);
void cup_guard_unmake(void *memory);
void cup_guard_shut(void *memory);
void cup_guard_open(void *memory);

#endif
