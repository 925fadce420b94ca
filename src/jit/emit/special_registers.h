/* SPDX-License-Identifier: MIT */
/* Special registers: %tid, %ctaid, %laneid, %clock and so on. */
#ifndef CUP_JIT_EMIT_SPECIAL_REGISTERS_H
#define CUP_JIT_EMIT_SPECIAL_REGISTERS_H

#include "jit/emit/value.h"

struct jit_value jit_special_read(struct jit_emitter *e, const struct ptx_operand *operand,
                                  enum ptx_type type);
/* %tid.x, .y or .z as a vector. */
LLVMValueRef jit_thread_lanes(struct jit_emitter *e, unsigned axis);

#endif
