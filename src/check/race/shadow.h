/* SPDX-License-Identifier: MIT */
/* The stamps of the last accesses to each four bytes of memory. Shared memory has its own, which
 * belong to a unit (unit.h); global memory has one table for the process, whose parts exist
 * where kernels access memory. */
#ifndef CUP_CHECK_RACE_SHADOW_H
#define CUP_CHECK_RACE_SHADOW_H

#include "check/race/epoch.h"

#include <stdatomic.h>
#include <stddef.h>

enum { CUP_RACE_WORD_BYTES = 4, CUP_RACE_LINE_WORDS = 32 };

/* The stamps of a line that whole warps access. Each stands for all words of the line. A row of
 * lanes has the lane of the first word, and in place of the bytes the number of words that a lane
 * accesses, as a power of two. A read of single words by all lanes (cup_race_stamp_several), which
 * only shared memory has, is in `read`, with a bit for each of them in `read_words`. */
struct cup_race_line {
    _Atomic(cup_race_stamp) write; /* from CUP_RACE_LINE_BUSY on: the stamps of words count */
    _Atomic(cup_race_stamp) read, other_read;
    /* Reads of the line change nothing in the launch, or in the interval of the block, that has
     * this tag: each word was read by two warps that are not ordered, and not written. */
    _Atomic(uint32_t) tag;
    _Atomic(uint32_t) read_words;
};

#define CUP_RACE_LINE_BUSY (UINT64_MAX - 1) /* a thread copies the line's stamps to the words */
#define CUP_RACE_LINE_IN_WORDS UINT64_MAX

static inline bool cup_race_line_is_whole(struct cup_race_line *line)
{
    return atomic_load_explicit(&line->write, memory_order_acquire) < CUP_RACE_LINE_BUSY;
}

/* Stamps of consecutive words: the last write, and two reads of threads that are not ordered. */
struct cup_race_cells {
    _Atomic(cup_race_stamp) *write, *read, *other_read;
    struct cup_race_line *line; /* that has the first word */
    uint32_t in_line;           /* the first word's index there */
};

/* Memory for the stamps of so many words, all 0, a multiple of CUP_RACE_LINE_WORDS; NULL fields if
 * there is none. */
struct cup_race_cells cup_race_cells_create(size_t words);
void cup_race_cells_destroy(struct cup_race_cells *cells, size_t words);

/* Creates the table of global memory at the first call. False: there is no memory. */
bool cup_race_shadow_start(void);
/* The stamps of the word at an address of global memory, and of the words behind it as far as
 * `*words` says; NULL fields if there is no memory. */
struct cup_race_cells cup_race_shadow_at(uint64_t address, size_t *words);
/* The words of the lines from the first one on count from now on, not the lines. */
void cup_race_cells_use_words(const struct cup_race_cells *cells, size_t words);

/* For compiled code: a table of pointers to the lines of every 2 MiB, by address modulo 2^48, which
 * are NULL where there are none yet. */
const void *const *cup_race_shadow_table(void);

#endif
