/* SPDX-License-Identifier: MIT */
/* Immediates and lines: constants, or parameters of an outlined operation. */
#include "jit/emit/immediates.h"

#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"

LLVMValueRef jit_immediate_of(struct jit_emitter *e, const struct ptx_operand *operand,
                              LLVMTypeRef type)
{
    for (unsigned n = 0; e->outlined && n < e->outlined->count; n++)
        if (e->outlined->operands[n] == operand)
            return LLVMBuildTruncOrBitCast(e->builder, e->outlined->immediates[n], type, "");
    return LLVMConstInt(type, operand->value, false);
}

LLVMValueRef jit_line_of(struct jit_emitter *e, uint32_t line)
{
    return e->outlined ? e->outlined->line : jit_i32(e->unit, line);
}
