/* SPDX-License-Identifier: MIT */
/* Address space and the memory behind it. */
#ifndef CUP_OS_RESERVE_H
#define CUP_OS_RESERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed memory that costs nothing until it is touched, not even a promise to the kernel: shared
 * memory of this process alone. *fd, if wanted, is the file behind it, else that is closed. NULL
 * when the address space is not to be had. */
void *cup_reserve_shared(const char *name, size_t size_bytes, size_t alignment, int *fd);

/* The beginning of a file that is there already, shared with whoever else has it. */
void *cup_reserve_file(int fd, size_t size_bytes, size_t alignment);

/* The same, private: a forked child gets a copy. */
void *cup_reserve_private(size_t size_bytes, size_t alignment);

/* Gives the pages back to the system; the next touch finds zeros. */
void cup_reserve_discard_shared(void *address, size_t size_bytes);
void cup_reserve_discard_private(void *address, size_t size_bytes);

/* Not in huge pages there: for tables of which little is used. */
void cup_reserve_in_small_pages(void *address, size_t size_bytes);

void cup_reserve_release(void *address, size_t size_bytes);

/* Address space with nothing behind it: whoever touches it faults. At a place of the system's
 * choice, or at the given one if nothing is there yet. */
void *cup_reserve_space(size_t size_bytes, size_t alignment);
bool cup_reserve_space_at(void *address, size_t size_bytes);

/* Puts part of a file into such space, without access to it; takes it out again. Both fail, and
 * change nothing, when the system has no room for one more mapping. */
bool cup_reserve_attach(void *address, size_t size_bytes, int fd, uint64_t offset);
bool cup_reserve_detach(void *address, size_t size_bytes);

/* The same as detach for a place that is soon to be used again: the system does not join it with
 * the space around it, and need not part them again, which takes longer than all the rest. */
bool cup_reserve_vacate(void *address, size_t size_bytes);

/* Access to what was attached. To write is to read, too. */
bool cup_reserve_protect(void *address, size_t size_bytes, bool read, bool write);

#endif
