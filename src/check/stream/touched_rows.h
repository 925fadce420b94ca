/* SPDX-License-Identifier: MIT */
/* Bytes in rows of one length at one distance: how kernels mostly touch memory, so that few numbers
 * tell what a whole launch touches. */
#ifndef CUP_CHECK_STREAM_TOUCHED_ROWS_H
#define CUP_CHECK_STREAM_TOUCHED_ROWS_H

#include <stdbool.h>
#include <stdint.h>

/* Rows of `bytes` bytes, the first at `first`, each `step` bytes behind the one before. There is a
 * gap between any two: step > bytes. One row has no step. */
struct cup_touched_rows {
    uint64_t first, bytes, step, count;
};

/* Makes such rows of any: step may be negative, and rows may overlap. */
struct cup_touched_rows cup_touched_rows_make(uint64_t first, uint64_t bytes, int64_t step,
                                              uint64_t count);

/* Adds rows to others if both are rows again, else returns false. The first is for as many rows
 * that lie beside the others and make them longer, and for rows that are there already; the second
 * for rows of the same length, of which there are more then. */
bool cup_touched_rows_widen(struct cup_touched_rows *rows, const struct cup_touched_rows *more);
bool cup_touched_rows_extend(struct cup_touched_rows *rows, const struct cup_touched_rows *more);

/* The end of the last row. */
static inline uint64_t cup_touched_rows_end(const struct cup_touched_rows *rows)
{
    return rows->first + (rows->count - 1) * rows->step + rows->bytes;
}

#endif
