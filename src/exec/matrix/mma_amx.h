/* SPDX-License-Identifier: MIT */
/* Fast products with AMX, the processor's own unit for matrices, which multiplies .bf16 and adds
 * .f32: an element of .f16 is the sum of two of .bf16, exactly, so a product of .f16 is two
 * instructions. Sums are rounded to nearest after each pair of products, and numbers below the
 * normal ones of .bf16 and .f32 count as 0. */
#ifndef CUP_EXEC_MATRIX_MMA_AMX_H
#define CUP_EXEC_MATRIX_MMA_AMX_H

#include "abi/matrix.h"
#include "exec/matrix/mma.h"

enum { CUP_MMA_AMX_A_BYTES = 2048, CUP_MMA_AMX_B_BYTES = 512 };

/* Whether the processor has it and the kernel lets this process use it: asks once. */
bool cup_mma_amx_is_there(void);
/* Turns AMX off, or on again where it is there, for tests. */
void cup_mma_amx_allow(bool allowed);

/* Where 16 rows of A or 8 columns of B are: two chunks of 16 bytes each. */
struct cup_mma_source {
    const uint8_t *rows;
    /* NULL: cores follow each other, all those of the first chunk before those of the second.
     * Otherwise the places of 8 rows of each chunk; eight rows further, they are `stride` bytes
     * further. */
    const uint16_t (*places)[8];
    uint32_t stride;
};

/* Decode 16 rows of A or 8 columns of B, of .f16 or .bf16; false: an element is infinite or a NaN,
 * and the product must be computed otherwise. */
bool cup_mma_amx_decode_a(const struct cup_mma_rule *rule, const struct cup_mma_source *source,
                          uint8_t *tiles);
bool cup_mma_amx_decode_b(const struct cup_mma_rule *rule, const struct cup_mma_source *source,
                          uint8_t *tile);

/* Copies 8 columns as they lie, of chunks that lie side by side, and compares them with a copy. */
void cup_mma_amx_copy(const struct cup_mma_source *source, uint8_t *copy);
bool cup_mma_amx_is_copy(const struct cup_mma_source *source, const uint8_t *copy);

/* Makes the unit ready, or keeps it so: comes before decoding, and now and then while nothing is
 * multiplied. Its registers have shapes, which
 * take as long to load as a few products: *has_shapes says whether this thread's have. */
void cup_mma_amx_wake(bool *has_shapes);

/* Products of up to four pairs of tiles: loads their C into the unit, adds A B to it as often as
 * wanted, and stores it. A pair is 16 columns: two tiles one behind the other of B and of C. The
 * unit works while this thread does something else. */
enum { CUP_MMA_AMX_PAIRS = 4 };

void cup_mma_amx_load(const cup_mma_columns *c, unsigned pairs);
void cup_mma_amx_multiply(const struct cup_mma_rule *rule, const uint8_t *a, const uint8_t *b,
                          unsigned pairs);
void cup_mma_amx_store(cup_mma_columns *c, unsigned pairs);

/* Products of one or two A with pairs of tiles: holds A, and adds A B to the C of each. Without a
 * second A it is NULL, and so is its C. */
void cup_mma_amx_hold(const struct cup_mma_rule *rule, const uint8_t *first, const uint8_t *second);
void cup_mma_amx_add(const struct cup_mma_rule *rule, const uint8_t *b, cup_mma_columns *first,
                     cup_mma_columns *second);

#endif
