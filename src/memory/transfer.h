/* SPDX-License-Identifier: MIT */
/* Moving the bytes of copies, now and in the calling thread, with the help of idle workers if there
 * is much to move. Knows nothing of streams; the fault guard watches over all of it. */
#ifndef CUP_MEMORY_TRANSFER_H
#define CUP_MEMORY_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>

struct cup_copy;

/* Rows that overlap are moved as if through a buffer, one after the other. False when an address
 * was bad; part may have been moved. */
bool cup_transfer(const struct cup_copy *copy);

/* The same for many, in any order. */
bool cup_transfer_many(const struct cup_copy *copies, size_t count);

#endif
