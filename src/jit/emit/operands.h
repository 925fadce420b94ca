/* SPDX-License-Identifier: MIT */
/* Operands of instructions: registers, immediates, special registers, addresses, and packed
 * vectors. */
#ifndef CUP_JIT_EMIT_OPERANDS_H
#define CUP_JIT_EMIT_OPERANDS_H

#include "jit/emit/value.h"

/* Reads an operand in the representation of a type. */
struct jit_value jit_operand_read(struct jit_emitter *e, const struct ptx_operand *operand,
                                  enum ptx_type type);
/* Writes a result that is in the representation of a type. */
void jit_operand_write(struct jit_emitter *e, const struct ptx_operand *operand, enum ptx_type type,
                       struct jit_value value);

#endif
