/* SPDX-License-Identifier: MIT */
/* Copies of pixels that lie at distances from each other, of whatever size. */
#ifndef NPP_STRIDED_H
#define NPP_STRIDED_H

#include <stddef.h>

/* Copies pixels of `bytes` bytes; distances are in bytes and may be negative. */
void npp_copy_strided(void *to, ptrdiff_t to_distance, const void *from, ptrdiff_t from_distance,
                      size_t bytes, size_t count);

/* Fills memory with a pixel that stands at its begin. */
void npp_repeat(void *memory, size_t bytes, size_t count);

#endif
