/* SPDX-License-Identifier: MIT */
/* Products with a sparse A: of each four elements of a row two are stored, and metadata says which.
 * Tiles of 16 rows and 8 columns, as in mma.h. */
#ifndef CUP_EXEC_MATRIX_SPARSE_H
#define CUP_EXEC_MATRIX_SPARSE_H

#include "abi/matrix.h"
#include "exec/matrix/mma.h"

enum { CUP_MMA_SPARSE_DEPTH = 128 };

struct cup_mma_sparse {
    const struct cup_abi_matrix_call *call;
    float a[CUP_MMA_ROWS][CUP_MMA_SPARSE_DEPTH / 2];
    float b[CUP_MMA_COLUMNS][CUP_MMA_SPARSE_DEPTH];
    uint8_t places[CUP_MMA_ROWS]
                  [CUP_MMA_SPARSE_DEPTH / 2]; /* in a row of B, of each element of A */
};

/* Sets A: its cores, as cup_mma_set_a() has them, and a row of metadata by lane. */
void cup_mma_sparse_set_a(struct cup_mma_sparse *sparse, const struct cup_abi_matrix_call *call,
                          const struct cup_mma_rule *rule, const uint8_t *cores,
                          const uint32_t *metadata);
/* D = A B + C; C and D are in `tensor`, B is cores. */
void cup_mma_sparse_multiply(struct cup_mma_sparse *sparse, const uint8_t *cores,
                             struct cup_mma *tensor);

#endif
