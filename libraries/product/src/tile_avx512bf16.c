/* SPDX-License-Identifier: MIT */
/* A tile of bf16 by AVX-512's dot product of pairs. */
#include "isa.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

enum { VECTORS = 3, COLUMNS = 8, ROWS = VECTORS * 16 };

static void run(size_t units, const void *left, const void *right, void *sums, size_t ld)
{
    const uint32_t *a = left, *b = right;
    float *c = sums;
    __m512 sum[COLUMNS][VECTORS];

#pragma GCC unroll 16
    for (int j = 0; j < COLUMNS; j++)
#pragma GCC unroll 4
        for (int v = 0; v < VECTORS; v++)
            sum[j][v] = _mm512_loadu_ps(c + (size_t)j * ld + v * 16);
    for (; units; b += COLUMNS * CHUNK_UNITS) {
        size_t some = units < CHUNK_UNITS ? units : CHUNK_UNITS;

        units -= some;
        for (size_t u = 0; u < some; u++, a += ROWS) {
            __m512bh x[VECTORS];

#pragma GCC unroll 4
            for (int v = 0; v < VECTORS; v++)
                x[v] = (__m512bh)_mm512_loadu_si512(a + v * 16);
#pragma GCC unroll 16
            for (int j = 0; j < COLUMNS; j++) {
                __m512bh y = (__m512bh)_mm512_set1_epi32((int)b[j * CHUNK_UNITS + u]);

#pragma GCC unroll 4
                for (int v = 0; v < VECTORS; v++)
                    sum[j][v] = _mm512_dpbf16_ps(sum[j][v], x[v], y);
            }
        }
    }
#pragma GCC unroll 16
    for (int j = 0; j < COLUMNS; j++)
#pragma GCC unroll 4
        for (int v = 0; v < VECTORS; v++)
            _mm512_storeu_ps(c + (size_t)j * ld + v * 16, sum[j][v]);
}

const struct product_tile product_tile_avx512bf16 = {run, ROWS, COLUMNS, NULL, NULL};
#endif
