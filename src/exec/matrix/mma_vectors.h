/* SPDX-License-Identifier: MIT */
/* Macros of mma.c and its parts: names of functions for one kind of processor, and permutations. */
#ifndef CUP_EXEC_MATRIX_MMA_VECTORS_H
#define CUP_EXEC_MATRIX_MMA_VECTORS_H

#include <stdint.h>

#define JOIN_TOKENS(a, b) a##b
#define JOIN(a, b) JOIN_TOKENS(a, b)

typedef uint16_t chunk_halves __attribute__((vector_size(16), aligned(2)));
typedef uint16_t four_chunks __attribute__((vector_size(64), aligned(2)));
typedef uint16_t line_halves __attribute__((vector_size(32)));
typedef int32_t lanes_unaligned __attribute__((vector_size(64), aligned(4)));
typedef int32_t quad __attribute__((vector_size(16), aligned(4)));
typedef float quad_floats __attribute__((vector_size(16)));

/* Transposes four vectors of four. */
#define TURN_QUADS(a, b, c, d, first, second, third, fourth)                                       \
    do {                                                                                           \
        quad low = __builtin_shufflevector(a, b, 0, 4, 1, 5),                                      \
             high = __builtin_shufflevector(a, b, 2, 6, 3, 7),                                     \
             low_more = __builtin_shufflevector(c, d, 0, 4, 1, 5),                                 \
             high_more = __builtin_shufflevector(c, d, 2, 6, 3, 7);                                \
                                                                                                   \
        first = __builtin_shufflevector(low, low_more, 0, 1, 4, 5);                                \
        second = __builtin_shufflevector(low, low_more, 2, 3, 6, 7);                               \
        third = __builtin_shufflevector(high, high_more, 0, 1, 4, 5);                              \
        fourth = __builtin_shufflevector(high, high_more, 2, 3, 6, 7);                             \
    } while (0)

#define JOIN_HALVES(a, b)                                                                          \
    __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
/* Transposes 8 rows of 8 halves, of which each vector has four: columns k to k + 3. */
#define TURN_ROWS(a, b, k)                                                                         \
    __builtin_shufflevector(a, b, k, k + 8, k + 16, k + 24, k + 32, k + 40, k + 48, k + 56, k + 1, \
                            k + 9, k + 17, k + 25, k + 33, k + 41, k + 49, k + 57, k + 2, k + 10,  \
                            k + 18, k + 26, k + 34, k + 42, k + 50, k + 58, k + 3, k + 11, k + 19, \
                            k + 27, k + 35, k + 43, k + 51, k + 59)
/* The same of columns, in the order of fragments: even ones, then odd ones. */
#define TURN_COLUMNS(a, b, k)                                                                      \
    __builtin_shufflevector(a, b, k, k + 16, k + 32, k + 48, k + 8, k + 24, k + 40, k + 56, k + 1, \
                            k + 17, k + 33, k + 49, k + 9, k + 25, k + 41, k + 57, k + 2, k + 18,  \
                            k + 34, k + 50, k + 10, k + 26, k + 42, k + 58, k + 3, k + 19, k + 35, \
                            k + 51, k + 11, k + 27, k + 43, k + 59)
/* Columns i / 8 and i / 8 + 1 of `a`, each followed by that of `b`. */
#define JOIN_ROWS(a, b, i)                                                                         \
    __builtin_shufflevector(a, b, i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7, i + 32,      \
                            i + 33, i + 34, i + 35, i + 36, i + 37, i + 38, i + 39, i + 8, i + 9,  \
                            i + 10, i + 11, i + 12, i + 13, i + 14, i + 15, i + 40, i + 41,        \
                            i + 42, i + 43, i + 44, i + 45, i + 46, i + 47)
/* Lanes i to i + 3 of 16, each four times. */
#define SPREAD_LANES(a, i)                                                                         \
    __builtin_shufflevector(a, a, i, i, i, i, i + 1, i + 1, i + 1, i + 1, i + 2, i + 2, i + 2,     \
                            i + 2, i + 3, i + 3, i + 3, i + 3)
/* 16 halves of 32, from half i on. */
#define PART_OF_HALVES(a, i)                                                                       \
    __builtin_shufflevector(a, a, i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7, i + 8,       \
                            i + 9, i + 10, i + 11, i + 12, i + 13, i + 14, i + 15)
/* Lanes j, j + 4, ... and j + 1, j + 5, ... of 32. */
#define TURN_LANES(a, b, j)                                                                        \
    __builtin_shufflevector(a, b, j, j + 4, j + 8, j + 12, j + 16, j + 20, j + 24, j + 28, j + 1,  \
                            j + 5, j + 9, j + 13, j + 17, j + 21, j + 25, j + 29)
/* The reverse: lanes 4 r, of rows r from `r` on, of columns j and j + 1 (a), j + 2 and j + 3 (b).
 */
#define RETURN_LANES(a, b, r)                                                                      \
    __builtin_shufflevector(a, b, r, r + 8, r + 16, r + 24, r + 1, r + 9, r + 17, r + 25, r + 2,   \
                            r + 10, r + 18, r + 26, r + 3, r + 11, r + 19, r + 27)
#define JOIN_LANES(a, b, i)                                                                        \
    __builtin_shufflevector(a, b, i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7, i + 16,      \
                            i + 17, i + 18, i + 19, i + 20, i + 21, i + 22, i + 23)

#endif
