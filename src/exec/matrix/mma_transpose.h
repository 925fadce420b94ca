/* SPDX-License-Identifier: MIT */
/* Transposes rows of A with AVX-512, for the code that decodes them. */
#ifndef CUP_EXEC_MATRIX_MMA_TRANSPOSE_H
#define CUP_EXEC_MATRIX_MMA_TRANSPOSE_H

#ifdef __x86_64__
#include <immintrin.h>

#define CUP_MMA_AVX512 "avx512f,avx512bw,avx512dq,avx512vl"

/* 16 rows of 4 pairs of elements, four rows a vector, become 4 vectors of 16 rows. */
__attribute__((target(CUP_MMA_AVX512))) static inline void cup_mma_turn_pairs(const __m512i *rows,
                                                                              __m512i *pairs)
{
    const __m512i low = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29),
                  high =
                      _mm512_setr_epi32(2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31);
    __m512i a = _mm512_permutex2var_epi32(rows[0], low, rows[1]),
            b = _mm512_permutex2var_epi32(rows[2], low, rows[3]),
            c = _mm512_permutex2var_epi32(rows[0], high, rows[1]),
            d = _mm512_permutex2var_epi32(rows[2], high, rows[3]);

    pairs[0] = _mm512_shuffle_i64x2(a, b, 0x44);
    pairs[1] = _mm512_shuffle_i64x2(a, b, 0xee);
    pairs[2] = _mm512_shuffle_i64x2(c, d, 0x44);
    pairs[3] = _mm512_shuffle_i64x2(c, d, 0xee);
}
#endif

#endif
