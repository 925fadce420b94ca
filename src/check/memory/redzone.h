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
#ifndef CUP_CHECK_MEMORY_REDZONE_H
#define CUP_CHECK_MEMORY_REDZONE_H

#include "core/checks.h"

#include <stdbool.h>
#include <stdint.h>

/* Gives allocations their padding. quarantined_bytes_max: of freed memory that is kept. */
void cup_redzone_start(uint64_t quarantined_bytes_max);

/* Places redzones around an allocation. `what` names its kind in reports; it is not copied. */
void cup_redzone_add(uint64_t address, uint64_t size_bytes, const char *what);

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
