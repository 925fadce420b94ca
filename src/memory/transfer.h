/* SPDX-License-Identifier: MIT */
/* Executes copies in the calling thread, with the help of idle workers for large ones. It does not
 * know streams; the fault guard covers all accesses. */
#ifndef CUP_MEMORY_TRANSFER_H
#define CUP_MEMORY_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>

struct cup_copy;

/* Copies overlapping rows as if through a buffer, one after the other. Returns false if an address
 * was bad; part may have been copied. */
bool cup_transfer(const struct cup_copy *copy);

/* The same for several copies, in any order. */
bool cup_transfer_many(const struct cup_copy *copies, size_t count);

#endif
