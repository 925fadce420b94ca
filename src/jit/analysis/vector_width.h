/* SPDX-License-Identifier: MIT */
/* Vectors of two registers each. */
#ifndef CUP_JIT_ANALYSIS_VECTOR_WIDTH_H
#define CUP_JIT_ANALYSIS_VECTOR_WIDTH_H

#include <stdbool.h>

struct jit_unit;

/* Whether vectors of whole warps suit the kernel better than vectors that fit one register of the
 * processor. The layout of its variables is known. */
bool jit_width_is_warp(struct jit_unit *unit);

#endif
