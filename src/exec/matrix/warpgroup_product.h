/* SPDX-License-Identifier: MIT */
/* wgmma whose sums stay in memory: several products that are added to the same tiles. */
#ifndef CUP_EXEC_MATRIX_WARPGROUP_PRODUCT_H
#define CUP_EXEC_MATRIX_WARPGROUP_PRODUCT_H

#include "abi/launch.h"
#include "exec/matrix/operands.h"

/* The products of a warp of a warpgroup: its 16 rows. */
void cup_matrix_group(struct cup_matrix_operands *operands, struct cup_abi_block *block,
                      uint32_t warp, const struct cup_abi_matrix_run *run, const uint32_t *words,
                      cup_mma_columns *tiles);

#endif
