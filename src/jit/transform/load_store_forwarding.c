/* SPDX-License-Identifier: MIT */
/* A few loads are remembered, until one of their registers is written or the node ends. */
#include "jit/transform/load_store_forwarding.h"

#include "jit/emit/body.h"
#include "jit/emit/ir.h"
#include "jit/emit/operands.h"

/* Fills in the operand's registers; false: it has others, or of another size. */
static bool registers_of(const struct jit_body *body, const struct ptx_operand *operand,
                         unsigned count, unsigned bits, uint32_t *registers)
{
    if (jit_body_is_masked(body) || body->unit->outlines || body->guard.value || count < 2 ||
        count > JIT_FORWARDED_PARTS || jit_operand_part_count(operand) != count)
        return false;
    for (unsigned part = 0; part < count; part++) {
        const struct ptx_operand *one = jit_operand_part(body, operand, part);

        if (one->kind != PTX_OPERAND_REGISTER ||
            ptx_type_bits(body->function->registers[one->index].type) != bits ||
            body->registers.uniformity[0][one->index].kind != JIT_VARYING)
            return false;
        registers[part] = one->index;
    }
    return true;
}

static unsigned bits_of(LLVMTypeRef element)
{
    switch (LLVMGetTypeKind(element)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(element);
    case LLVMFloatTypeKind:
        return 32;
    case LLVMDoubleTypeKind:
        return 64;
    default:
        return 0;
    }
}

void jit_forwarding_note(struct jit_body *body, const struct ptx_operand *operand, LLVMValueRef all,
                         unsigned count)
{
    struct jit_forwarded_load one = {
        .node = body->alignment.report.node, .all = all, .count = count};

    if (registers_of(body, operand, count, bits_of(LLVMGetElementType(LLVMTypeOf(all))),
                     one.registers))
        body->forwarding.items[body->forwarding.next++ % JIT_FORWARDED_LOADS] = one;
}

LLVMValueRef jit_forwarding_find(struct jit_body *body, const struct ptx_operand *operand,
                                 unsigned count, LLVMTypeRef element)
{
    uint32_t registers[JIT_FORWARDED_PARTS];

    if (!registers_of(body, operand, count, bits_of(element), registers))
        return NULL;
    for (unsigned k = 0; k < JIT_FORWARDED_LOADS; k++) {
        const struct jit_forwarded_load *one = &body->forwarding.items[k];
        unsigned same = 0;

        if (one->node != body->alignment.report.node || one->count != count)
            continue;
        while (same < count && one->registers[same] == registers[same])
            same++;
        if (same == count)
            return LLVMBuildBitCast(
                body->builder, one->all,
                LLVMVectorType(element, LLVMGetVectorSize(LLVMTypeOf(one->all))), "");
    }
    return NULL;
}

void jit_forwarding_forget(struct jit_body *body, uint32_t reg)
{
    for (unsigned k = 0; k < JIT_FORWARDED_LOADS; k++) {
        struct jit_forwarded_load *one = &body->forwarding.items[k];

        for (unsigned part = 0; part < one->count; part++)
            if (one->registers[part] == reg)
                one->node = 0;
    }
}
