/* SPDX-License-Identifier: MIT */
/* Products of 16 elements of .f16 or .bf16 a row, added to .f32 as an H200 does, with AVX-512. The
 * rule is that of mma.c; here a whole tile is one function, and operands are decoded to what it
 * reads. */
#ifndef CUP_EXEC_MATRIX_MMA_AVX512_H
#define CUP_EXEC_MATRIX_MMA_AVX512_H

#include "exec/matrix/mma.h"

/* Decode operands to `tile`. */
void cup_mma_avx512_decode_a(const struct cup_mma_rule *rule, const uint8_t *cores,
                             struct cup_mma_a *a);
void cup_mma_avx512_decode_b(const struct cup_mma_rule *rule, const uint8_t *cores,
                             struct cup_mma_b *b);

/* C += A B of operands without infinities and NaNs. Returns a mask of rows that it cannot do, which
 * keep C. */
uint32_t cup_mma_avx512_multiply(const struct cup_mma_a *a, const struct cup_mma_b *b,
                                 cup_mma_columns *c);

#endif
