/* SPDX-License-Identifier: MIT */
/* Products of matrices, and loads and stores of them, which a warp executes collectively. See
 * struct cup_abi_warp_call in abi/warp.h. */
#ifndef CUP_EXEC_MATRIX_MATRIX_H
#define CUP_EXEC_MATRIX_MATRIX_H

#include "abi/launch.h"
#include "abi/matrix.h"
#include "abi/warp.h"
#include "exec/matrix/operands.h"

#include <stdbool.h>

/* D = A B + C, of .f64. */
void cup_matrix_multiply(const struct cup_abi_warp_call *call, uint64_t *words);
void cup_matrix_load(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                     const struct cup_abi_warp_call *call, uint64_t *words);
void cup_matrix_store(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                      const struct cup_abi_warp_call *call, const uint64_t *words);

/* The service `matrix_run`. */
void cup_matrix_run(struct cup_abi_block *block, uint32_t warp,
                    const struct cup_abi_matrix_run *run, const uint32_t *words, float *tiles);

/* The products of a warp of a warpgroup: its 16 rows. */
void cup_matrix_group(struct cup_matrix_operands *operands, struct cup_abi_block *block,
                      uint32_t warp, const struct cup_abi_matrix_run *run, const uint32_t *words,
                      cup_mma_columns *tiles);

#endif
