/* SPDX-License-Identifier: MIT */
/* Transposes tiles of pixels in vector registers. */
#ifndef NPP_TRANSPOSE_H
#define NPP_TRANSPOSE_H

#include <stddef.h>

/* Writes `columns` rows of `rows` pixels of `bytes` bytes: pixel (x, y) of `from` becomes (y, x) of
 * `to`. The steps are from row to row, in bytes. */
void npp_transpose_tile(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step,
                        size_t bytes, size_t columns, size_t rows);

#endif
