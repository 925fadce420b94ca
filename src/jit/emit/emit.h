/* SPDX-License-Identifier: MIT */
/* One instruction, in the variant that is being emitted. */
#ifndef CUP_JIT_EMIT_EMIT_H
#define CUP_JIT_EMIT_EMIT_H

#include "ptx/program.h"

struct jit_emitter;

void jit_emit_instruction(struct jit_emitter *e, const struct ptx_instruction *instruction);
/* The same of an instruction that jit_instruction_is_pure. */
void jit_emit_pure(struct jit_emitter *e, const struct ptx_instruction *instruction);

#endif
