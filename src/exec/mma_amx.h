/* SPDX-License-Identifier: MIT */
/* Fast products with AMX, the processor's own unit for matrices, which multiplies .bf16 and adds
 * .f32: an element of .f16 is the sum of two of .bf16, exactly, so a product of .f16 is two
 * instructions. Sums are rounded to nearest after each pair of products, and numbers below the
 * normal ones of .bf16 and .f32 count as 0. */
#ifndef CUP_EXEC_MMA_AMX_H
#define CUP_EXEC_MMA_AMX_H

#include "abi/matrix.h"
#include "exec/mma.h"

enum { CUP_MMA_AMX_A_BYTES = 2048, CUP_MMA_AMX_B_BYTES = 512 };

/* Whether the processor has it and the kernel lets this process use it: asks once. */
bool cup_mma_amx_is_there(void);
/* Turns AMX off, or on again where it is there, for tests. */
void cup_mma_amx_allow(bool allowed);

/* Decode 16 rows of A or 8 columns of B, of .f16 or .bf16; false: an element is infinite or a NaN,
 * and the product must be computed otherwise. */
bool cup_mma_amx_decode_a(const struct cup_mma_rule *rule, const uint8_t *cores, uint8_t *tiles);
bool cup_mma_amx_decode_b(const struct cup_mma_rule *rule, const uint8_t *cores, uint8_t *tile);

/* Makes the unit ready: comes before decoding and multiplying. Its registers have shapes, which
 * take as long to load as a few products: *has_shapes says whether this thread's have. */
void cup_mma_amx_wake(bool *has_shapes);

/* Tiles of C += A B, in this order; numbers count from the first of each. */
void cup_mma_amx_multiply(const struct cup_mma_rule *rule, const uint8_t *a, const uint8_t *b,
                          const struct cup_abi_matrix_product *products, unsigned count,
                          cup_mma_columns *c);

#endif
