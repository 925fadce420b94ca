/* SPDX-License-Identifier: MIT */
/* Registers that hold one number wherever they are read. */
#ifndef CUP_JIT_ANALYSIS_CONSTANTS_H
#define CUP_JIT_ANALYSIS_CONSTANTS_H

#include "jit/analysis/function.h"

void jit_constants_find(struct jit_function *function);

/* Whether the operand is a number, or a register that holds one. */
bool jit_operand_is_constant(const struct jit_function *function, const struct ptx_operand *operand,
                             uint32_t *value);

#endif
