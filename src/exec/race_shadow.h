/* SPDX-License-Identifier: MIT */
/* The stamps of the last accesses to each four bytes of memory. Shared memory has its own, which
 * belong to a unit (race_unit.h); global memory has one table for the process, whose parts exist
 * where kernels access memory. */
#ifndef CUP_EXEC_RACE_SHADOW_H
#define CUP_EXEC_RACE_SHADOW_H

#include "exec/race_epoch.h"

#include <stdatomic.h>
#include <stddef.h>

enum { CUP_RACE_WORD_BYTES = 4 };

/* Stamps of consecutive words: the last write, and two reads of threads that are not ordered. */
struct cup_race_cells {
    _Atomic(cup_race_stamp) *write, *read, *other_read;
};

/* Memory for the stamps of so many words, all 0; NULL fields if there is none. */
struct cup_race_cells cup_race_cells_create(size_t words);
void cup_race_cells_destroy(struct cup_race_cells *cells, size_t words);

/* Creates the table of global memory at the first call. False: there is no memory. */
bool cup_race_shadow_start(void);
/* The stamps of the word at an address of global memory, and of the words behind it as far as
 * `*words` says; NULL fields if there is no memory. */
struct cup_race_cells cup_race_shadow_at(uint64_t address, size_t *words);

#endif
