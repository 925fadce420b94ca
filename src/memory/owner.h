/* SPDX-License-Identifier: MIT */
/* The owner of memory is a context, or the pool that it comes from. It is named by its
 * cup_object_index, which look-ups return with the allocation. Without a reference the owner may
 * end at any time; its slot stays readable. */
#ifndef CUP_MEMORY_OWNER_H
#define CUP_MEMORY_OWNER_H

#include "memory/map.h"

#include <stdint.h>

/* Fills in the properties that a range takes from its owner: its device and, for memory of a pool,
 * access rights, handle types and block. */
void cup_owner_describe(struct cup_range *range);

/* Waits for the work of a context, before memory that the work may use is freed. */
void cup_owner_wait(uint32_t owner);

#endif
