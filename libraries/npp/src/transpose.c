/* SPDX-License-Identifier: MIT */
/* A square of as many rows as a vector of 16 bytes has pixels is transposed by as many steps as
 * its side has bits: each interleaves row i with row i + side / 2. Pixels of other sizes, and what
 * is left of a tile, are copied one by one. */
#include "transpose.h"

#include "strided.h"

#include <stdint.h>
#include <string.h>

/* `low` and `high` interleave the lower and the upper halves of two vectors. */
#define SQUARE(name, type, side, low, high)                                                        \
    typedef type name##_row __attribute__((vector_size(16), aligned(1), may_alias));               \
                                                                                                   \
    static inline void name##_square(char *to, ptrdiff_t to_step, const char *from,                \
                                     ptrdiff_t from_step)                                          \
    {                                                                                              \
        name##_row rows[side], next[side];                                                         \
                                                                                                   \
        _Pragma("GCC unroll 16") for (int i = 0; i < (side); i++) rows[i] =                        \
            *(const name##_row *)(from + i * from_step);                                           \
        _Pragma("GCC unroll 4") for (int step = 1; step < (side); step *= 2)                       \
        {                                                                                          \
            _Pragma("GCC unroll 8") for (int i = 0; i < (side) / 2; i++)                           \
            {                                                                                      \
                next[2 * i] = low(rows[i], rows[i + (side) / 2]);                                  \
                next[2 * i + 1] = high(rows[i], rows[i + (side) / 2]);                             \
            }                                                                                      \
            _Pragma("GCC unroll 16") for (int i = 0; i < (side); i++) rows[i] = next[i];           \
        }                                                                                          \
        _Pragma("GCC unroll 16") for (int i = 0; i < (side); i++) *                                \
            (name##_row *)(to + i * to_step) = rows[i];                                            \
    }                                                                                              \
                                                                                                   \
    /* The squares of a tile; `columns` and `rows` are made multiples of their side. */            \
    static void name##_squares(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step, \
                               size_t *columns, size_t *rows)                                      \
    {                                                                                              \
        const ptrdiff_t pixel = sizeof(type);                                                      \
                                                                                                   \
        *columns -= *columns % (side);                                                             \
        *rows -= *rows % (side);                                                                   \
        for (ptrdiff_t y = 0; y < (ptrdiff_t)*rows; y += (side))                                   \
            for (ptrdiff_t x = 0; x < (ptrdiff_t)*columns; x += (side))                            \
                name##_square(to + x * to_step + y * pixel, to_step,                               \
                              from + y * from_step + x * pixel, from_step);                        \
    }

#define LOW_16(a, b)                                                                               \
    __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH_16(a, b)                                                                              \
    __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define LOW_8(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_8(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define LOW_4(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define HIGH_4(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define LOW_2(a, b) __builtin_shufflevector(a, b, 0, 2)
#define HIGH_2(a, b) __builtin_shufflevector(a, b, 1, 3)

SQUARE(bytes, uint8_t, 16, LOW_16, HIGH_16)
SQUARE(halves, uint16_t, 8, LOW_8, HIGH_8)
SQUARE(words, uint32_t, 4, LOW_4, HIGH_4)
SQUARE(longs, uint64_t, 2, LOW_2, HIGH_2)

/* Pixels of sizes that no vector has, but for the last column: each is read and written with some
 * bytes of the next one, which its own pixel overwrites. The last of a row is copied alone. */
#define WIDER(name, bytes, wide)                                                                   \
    static void name##_wider(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step,   \
                             size_t columns, size_t rows)                                          \
    {                                                                                              \
        for (size_t x = 0; x < columns; x++) {                                                     \
            const char *in = from + x * (bytes);                                                   \
            char *out = to + (ptrdiff_t)x * to_step;                                               \
                                                                                                   \
            for (size_t y = 1; y < rows; y++, in += from_step, out += (bytes))                     \
                memcpy(out, memcpy((char[wide]){0}, in, wide), wide);                              \
            memcpy(out, in, bytes);                                                                \
        }                                                                                          \
    }

WIDER(three, 3, 4)
WIDER(six, 6, 8)
WIDER(twelve, 12, 16)
WIDER(sixteen, 16, 16)

/* Columns from `first` on, and rows from `low` on. */
static void copy_rest(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step,
                      size_t bytes, size_t first, size_t columns, size_t low, size_t rows)
{
    for (size_t x = first; x < columns && low < rows; x++)
        npp_copy_strided(to + (ptrdiff_t)x * to_step + (ptrdiff_t)(low * bytes), (ptrdiff_t)bytes,
                         from + (ptrdiff_t)low * from_step + (ptrdiff_t)(x * bytes), from_step,
                         bytes, rows - low);
}

void npp_transpose_tile(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step,
                        size_t bytes, size_t columns, size_t rows)
{
    size_t whole_columns = columns, whole_rows = rows;

    if (bytes == sizeof(uint8_t))
        bytes_squares(to, to_step, from, from_step, &whole_columns, &whole_rows);
    else if (bytes == sizeof(uint16_t))
        halves_squares(to, to_step, from, from_step, &whole_columns, &whole_rows);
    else if (bytes == sizeof(uint32_t))
        words_squares(to, to_step, from, from_step, &whole_columns, &whole_rows);
    else if (bytes == sizeof(uint64_t))
        longs_squares(to, to_step, from, from_step, &whole_columns, &whole_rows);
    else if (rows == 0 || columns == 0)
        return;
    else if (bytes == 3)
        three_wider(to, to_step, from, from_step, --whole_columns, rows);
    else if (bytes == 6)
        six_wider(to, to_step, from, from_step, --whole_columns, rows);
    else if (bytes == 12)
        twelve_wider(to, to_step, from, from_step, --whole_columns, rows);
    else if (bytes == 16)
        sixteen_wider(to, to_step, from, from_step, --whole_columns, rows);
    else
        whole_columns = 0;
    copy_rest(to, to_step, from, from_step, bytes, 0, whole_columns, whole_rows, rows);
    copy_rest(to, to_step, from, from_step, bytes, whole_columns, columns, 0, rows);
}
