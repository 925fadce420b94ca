/* SPDX-License-Identifier: MIT */
/* Instructions that a warp does as one: products of matrices, moving their parts about; and rare
 * ones that are not worth compiling. See struct cup_warp_call of abi.h. */
#ifndef CUP_EXEC_MATRIX_H
#define CUP_EXEC_MATRIX_H

#include "exec/abi.h"

/* The service. */
void cup_warp_call(struct cup_block *block, uint32_t warp, uint32_t mask,
                   const struct cup_warp_call *call, uint64_t *words);

/* Ends what a block's lanes have taken with alloca. */
void cup_lane_stacks_free(struct cup_block *block);

/* D = A B + C. */
void cup_matrix_multiply(struct cup_block *block, uint32_t warp, uint32_t mask,
                         const struct cup_warp_call *call, uint64_t *words);
void cup_matrix_load(uint32_t mask, const struct cup_warp_call *call, uint64_t *words);
void cup_matrix_store(uint32_t mask, const struct cup_warp_call *call, const uint64_t *words);

#endif
