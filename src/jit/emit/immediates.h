/* SPDX-License-Identifier: MIT */
/* Immediates of operands, and lines of instructions for messages: constants, or parameters of the
 * outlined operation that is being emitted. */
#ifndef CUP_JIT_EMIT_IMMEDIATES_H
#define CUP_JIT_EMIT_IMMEDIATES_H

#include "ptx/program.h"

#include <llvm-c/Core.h>

struct jit_emitter;

enum { JIT_OUTLINED_IMMEDIATES = 8 }; /* of an instruction */

/* The parameters of an outlined operation. */
struct jit_outlined {
    LLVMValueRef line;
    const struct ptx_operand *operands[JIT_OUTLINED_IMMEDIATES];
    LLVMValueRef immediates[JIT_OUTLINED_IMMEDIATES]; /* i64 */
    unsigned count;
};

/* The immediate of an operand, or the offset of an address. */
LLVMValueRef jit_immediate_of(struct jit_emitter *e, const struct ptx_operand *operand,
                              LLVMTypeRef type);
/* The line of an instruction (i32). */
LLVMValueRef jit_line_of(struct jit_emitter *e, uint32_t line);

#endif
