/* SPDX-License-Identifier: MIT */
/* Address space and the memory behind it. */
#ifndef CUP_OS_RESERVE_H
#define CUP_OS_RESERVE_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed memory that costs nothing until it is touched, not even a promise to the kernel: shared memory
 * of this process alone. *fd, if wanted, is the file behind it, else that is closed. NULL when the
 * address space is not to be had. */
void *cup_reserve_shared(const char *name, size_t size_bytes, size_t alignment, int *fd);

/* The same, private: a forked child gets a copy. */
void *cup_reserve_private(size_t size_bytes, size_t alignment);

/* Gives the pages back to the system; the next touch finds zeros. */
void cup_reserve_discard_shared(void *address, size_t size_bytes);
void cup_reserve_discard_private(void *address, size_t size_bytes);

void cup_reserve_release(void *address, size_t size_bytes);

#endif
