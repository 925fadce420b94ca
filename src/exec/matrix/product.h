/* SPDX-License-Identifier: MIT */
/* mma and wgmma: gather the operands of a warp and multiply them. See abi/matrix.h. */
#ifndef CUP_EXEC_MATRIX_PRODUCT_H
#define CUP_EXEC_MATRIX_PRODUCT_H

#include "abi/launch.h"
#include "abi/matrix.h"

/* The service `matrix_call`. */
void cup_matrix_product(struct cup_abi_block *block, uint32_t warp,
                        const struct cup_abi_matrix_call *call, uint32_t *words);

/* mma.m8n8k4 of .f16. */
void cup_matrix_quads(const struct cup_abi_matrix_call *call, uint32_t *words);

#endif
