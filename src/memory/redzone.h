/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=memory: pages without access (redzones) surround every allocation of a heap or a
 * pool, and freed memory stays in quarantine for a while, without access too. A kernel, a copy or
 * the application that leaves its memory, or uses it after the free, faults there, and the address
 * tells which memory it was.
 *
 *     page | slack, data up to the next 512 | page        small: whole granules
 *     page | slack, data up to the next 512 | pages       large: whole chunks
 *
 * Slack is filled with a pattern, which is checked when the application synchronises, when the
 * memory is freed, and at exit. An allocation has no redzones when the system has no mapping left
 * for them. */
#ifndef CUP_MEMORY_REDZONE_H
#define CUP_MEMORY_REDZONE_H

#include <stdbool.h>
#include <stdint.h>

extern bool cup_redzones_enabled; /* set once, by cup_redzone_init */

void cup_redzone_init(bool guarded, uint64_t quarantined_bytes_max);

/* The granules that a small allocation takes, and the bytes of whole chunks that a large one
 * takes. */
uint32_t cup_redzone_small_granules(uint64_t size_bytes);
uint64_t cup_redzone_large_bytes(uint64_t size_bytes);

/* The number of granules before the data of either. */
uint32_t cup_redzone_leading_granules(uint64_t size_bytes);

/* Where the memory of an allocation begins, redzone included, and how many bytes it takes. */
uint64_t cup_redzone_begin(uint64_t address, bool large);
uint64_t cup_redzone_total_bytes(uint64_t size_bytes, bool large);

/* Places redzones around an allocation. `what` names its kind in reports; it is not copied. */
void cup_redzone_add(uint64_t address, uint64_t size_bytes, bool large, const char *what);

/* Freed memory in quarantine. */
struct cup_quarantined {
    struct cup_quarantined *next;
    uint64_t address, size_bytes; /* as the program knew it */
    uint64_t begin, end;          /* without access until released; may be empty */
    void *owner;
    void (*release)(const struct cup_quarantined *quarantined); /* returns it; no lock is held */
};

/* Checks the slack of freed memory, removes access to it and puts it into quarantine. May be called
 * under any lock. */
void cup_redzone_quarantine(const struct cup_quarantined *freed);

/* Releases the memory that exceeds the limit, oldest first. No lock may be held. */
void cup_redzone_evict(void);

/* Releases everything in quarantine, because memory is out. Returns false if there is nothing. */
bool cup_redzone_evict_all(void);

/* Checks the slack of all live allocations. */
void cup_redzone_check(void);

/* Something wrote to the slack at the address, and that was reported: cup_redzone_check() does not
 * report it again. */
void cup_redzone_reported(uint64_t address);

/* Protects the redzones in memory that was mapped again with access. */
void cup_redzone_reprotect(uint64_t address, uint64_t size_bytes);

/* Allocates memory with redzones outside any heap; NULL if out of memory. Protecting it removes
 * access. Pointers that were not returned by cup_redzone_alloc() are ignored. */
void *cup_redzone_alloc(uint64_t size_bytes);
void cup_redzone_free(void *memory);
void cup_redzone_protect(void *memory);
void cup_redzone_unprotect(void *memory);

#endif
