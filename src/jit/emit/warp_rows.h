/* SPDX-License-Identifier: MIT */
/* Calls of the runtime for instructions of a whole warp (abi/warp.h). Operands are stored to rows
 * of 32 words on the stack, and results are loaded from there. `row` is the number of the next row.
 */
#ifndef CUP_JIT_EMIT_WARP_ROWS_H
#define CUP_JIT_EMIT_WARP_ROWS_H

#include "jit/emit/value.h"

struct cup_abi_warp_call;

void jit_row_put(struct jit_emitter *e, unsigned *row, struct jit_value value);
/* The elements of a vector operand are rows of their own. */
void jit_row_put_operand(struct jit_emitter *e, unsigned *row, const struct ptx_operand *operand,
                         enum ptx_type type);
void jit_row_put_address(struct jit_emitter *e, unsigned *row, const struct ptx_operand *operand,
                         uint8_t space);
void jit_row_put_number(struct jit_emitter *e, unsigned *row, uint64_t number);
struct jit_value jit_row_get(struct jit_emitter *e, unsigned row, enum ptx_type type);
void jit_row_get_operand(struct jit_emitter *e, unsigned row, const struct ptx_operand *operand,
                         enum ptx_type type);

/* Calls the runtime for the active lanes. instruction: NULL if the call belongs to none. */
void jit_row_call(struct jit_emitter *e, const struct ptx_instruction *instruction,
                  const struct cup_abi_warp_call *about);

#endif
