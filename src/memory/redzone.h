/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=memory: every allocation of a heap or a pool has pages around it that nobody may
 * touch, and what was freed stays where it was for a while, untouchable too. So a kernel, a copy,
 * or the program itself that leaves its memory, or uses it too late, faults there, and the address
 * tells which memory it was about.
 *
 *     page | slack, data up to the next 512 | page        small: whole granules
 *     page | slack, data up to the next 512 | pages       large: whole chunks
 *
 * Slack is filled with a pattern, which is looked at when the program synchronises, when the memory
 * is freed, and at the end. Where the system has no mapping left for one more guard, an allocation
 * goes without. */
#ifndef CUP_MEMORY_REDZONE_H
#define CUP_MEMORY_REDZONE_H

#include <stdbool.h>
#include <stdint.h>

extern bool cup_redzones_enabled; /* set once, by cup_redzone_init */

void cup_redzone_init(bool guarded, uint64_t quarantined_bytes_max);

/* How many granules a small allocation takes, and how many bytes of whole chunks a large one. */
uint32_t cup_redzone_small_granules(uint64_t size_bytes);
uint64_t cup_redzone_large_bytes(uint64_t size_bytes);

/* How many granules of either lie before its data. */
uint32_t cup_redzone_leading_granules(uint64_t size_bytes);

/* Where the memory of an allocation begins, guard and all, and what it takes. */
uint64_t cup_redzone_begin(uint64_t address, bool large);
uint64_t cup_redzone_total_bytes(uint64_t size_bytes, bool large);

/* Places redzones around an allocation. `what` names its kind in reports; it is not copied. */
void cup_redzone_place(uint64_t address, uint64_t size_bytes, bool large, const char *what);

/* Something that was freed and is to stay a while. */
struct cup_quarantined {
    struct cup_quarantined *next;
    uint64_t address, size_bytes; /* as the program knew it */
    uint64_t begin, end;          /* untouchable until then; may be empty */
    void *owner;
    void (*release)(const struct cup_quarantined *quarantined); /* gives it back; no lock is held */
};

/* The memory is no longer an allocation: looks at its slack, makes it untouchable and keeps it. May
 * be called under any lock. */
void cup_redzone_quarantine(const struct cup_quarantined *freed);

/* Gives back what is beyond the limit; no lock is held. */
void cup_redzone_evict(void);

/* Gives back all that is quarantined, as memory is short; false when that is nothing. */
bool cup_redzone_evict_all(void);

/* Looks at the slack of all memory that is there. */
void cup_redzone_check(void);

/* The memory has got new pages, which anybody can touch: the guards in it are put back. */
void cup_redzone_reprotect(uint64_t address, uint64_t size_bytes);

/* Memory in guards that is in no heap; NULL when there is none. It can be protected, and opened
 * again: what is protected cannot be touched. What these were not given by the first they do not
 * mind. */
void *cup_redzone_alloc(uint64_t size_bytes);
void cup_redzone_free(void *memory);
void cup_redzone_protect(void *memory);
void cup_redzone_unprotect(void *memory);

#endif
