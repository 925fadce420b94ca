/* SPDX-License-Identifier: MIT */
/* Reserving address space and mapping memory into it. */
#ifndef CUP_OS_RESERVE_H
#define CUP_OS_RESERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maps zeroed shared memory that is committed on first touch and does not count against the
 * overcommit limit. *fd receives the file if `fd` is not NULL. Returns NULL if there is no address
 * space. */
void *cup_reserve_shared(const char *name, size_t size_bytes, size_t alignment, int *fd);

/* Maps an array of the library's own, in the same way. cup_reserve_release() takes it back. */
void *cup_reserve_array(uint64_t count, size_t entry_bytes);

/* Maps the beginning of an existing file, shared. */
void *cup_reserve_file(int fd, size_t size_bytes, size_t alignment);

/* Maps zeroed private memory: a forked child gets a copy. */
void *cup_reserve_private(size_t size_bytes, size_t alignment);

/* Return the pages to the system; the next access reads zeros. */
void cup_reserve_discard_shared(void *address, size_t size_bytes);
void cup_reserve_discard_private(void *address, size_t size_bytes);

/* Disables huge pages for the range: for tables of which little is used. */
void cup_reserve_in_small_pages(void *address, size_t size_bytes);

void cup_reserve_release(void *address, size_t size_bytes);

/* Reserve inaccessible address space, at any address or at the given one if it is free. */
void *cup_reserve_space(size_t size_bytes, size_t alignment);
bool cup_reserve_space_at(void *address, size_t size_bytes);

/* Map part of a file into reserved space without access rights, and replace it with reserved space
 * again. Both fail without effect if the process has too many mappings. */
bool cup_reserve_attach(void *address, size_t size_bytes, int fd, uint64_t offset);
bool cup_reserve_detach(void *address, size_t size_bytes);

/* Like detach, for a range that will soon be used again: the kernel does not merge the mapping with
 * its neighbours and need not split it again, which is the most expensive part. */
bool cup_reserve_vacate(void *address, size_t size_bytes);

/* Sets the access rights of an attached range. Write access includes read access. */
bool cup_reserve_protect(void *address, size_t size_bytes, bool read, bool write);

#endif
