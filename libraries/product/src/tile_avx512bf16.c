/* SPDX-License-Identifier: MIT */
/* A tile of bf16 by AVX-512's dot product of pairs, and its conversion. */
#include "isa.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

enum { VECTORS = 3, COLUMNS = 8, ROWS = VECTORS * 16 };

static void run(size_t units, const void *left, const void *right, void *sums, size_t ld, bool adds)
{
    const uint32_t *a = left, *b = right;
    float *c = sums;
    __m512 sum[COLUMNS][VECTORS];

#pragma GCC unroll 16
    for (int j = 0; j < COLUMNS; j++)
#pragma GCC unroll 4
        for (int v = 0; v < VECTORS; v++)
            sum[j][v] = adds ? _mm512_loadu_ps(c + (size_t)j * ld + v * 16) : _mm512_setzero_ps();
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

void product_to_bf16_avx512bf16(uint16_t *out, const float *in, size_t count)
{
    size_t i = 0;

    for (; i + 16 <= count; i += 16)
        _mm256_storeu_si256((void *)(out + i),
                            (__m256i)_mm512_cvtneps_pbh(_mm512_loadu_ps(in + i)));
    if (i < count) {
        __mmask16 rest = (__mmask16)((1u << (count - i)) - 1);

        _mm256_mask_storeu_epi16(out + i, rest,
                                 (__m256i)_mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(rest, in + i)));
    }
}

const struct product_tile product_tile_avx512bf16 = {run, ROWS, COLUMNS, NULL, NULL};
#endif
