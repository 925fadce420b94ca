/* SPDX-License-Identifier: MIT */
/* Copies of pixels that lie at distances from each other, of whatever size. */
#ifndef NPP_STRIDED_H
#define NPP_STRIDED_H

#include <stdbool.h>
#include <stddef.h>

/* Copies pixels of `bytes` bytes; distances are in bytes and may be negative. */
void npp_copy_strided(void *to, ptrdiff_t to_distance, const void *from, ptrdiff_t from_distance,
                      size_t bytes, size_t count);

/* Pixels of `bytes` bytes at places of a row, which are counted in pixels; `distance` bytes lie
 * between the begins of pixels on both sides. */
void npp_copy_places(void *to, const void *from, const int *places, size_t bytes, size_t distance,
                     size_t count);

/* Takes pixels of three channels apart, or puts them together; false: channels are of other sizes
 * than 1, 2 and 4 bytes. */
bool npp_split(void *const to[3], const void *from, size_t bytes, size_t count);
bool npp_join(void *to, const void *const from[3], size_t bytes, size_t count);

/* Fills memory with a pixel that stands at its begin. */
void npp_repeat(void *memory, size_t bytes, size_t count);

#endif
