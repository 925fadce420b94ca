/* SPDX-License-Identifier: MIT */
/* mma and wgmma whose sums stay in memory: several products at once. See abi/matrix.h. */
#ifndef CUP_EXEC_MATRIX_RUN_H
#define CUP_EXEC_MATRIX_RUN_H

#include "abi/launch.h"
#include "abi/matrix.h"

/* The service `matrix_run`. */
void cup_matrix_run(struct cup_abi_block *block, uint32_t warp,
                    const struct cup_abi_matrix_run *run, const uint32_t *words, float *tiles);

#endif
