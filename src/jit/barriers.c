/* SPDX-License-Identifier: MIT */
/* The operands and results of barriers. */
#include "jit/compile.h"

/* Barriers are named by numbers that all lanes agree upon; a vector's first active lane speaks. */
static LLVMValueRef one_of(struct cup_body *body, struct cup_value value)
{
    struct cup_unit *unit = body->unit;
    LLVMValueRef arguments[2], lane;

    if (cup_value_is_uniform(&value))
        return value.value;
    arguments[0] = cup_mask_bits(body);
    arguments[1] = LLVMConstInt(unit->i1, 0, false);
    lane = cup_build_call(body, "llvm.cttz", unit->i32, arguments, 2);
    lane = LLVMBuildAnd(body->builder, lane, cup_i32(unit, body->width - 1), "");
    return LLVMBuildExtractElement(body->builder, cup_value_vector(body, value), lane, "");
}

/* bar.sync a{, b}; bar.red.op d, a{, b}, {!}c; barrier.cluster has none of them: with clusters of
 * one block it is one more barrier of the block. */
void cup_barrier_read(struct cup_body *body, const struct ptx_instruction *i,
                      struct cup_barrier_operands *barrier)
{
    struct cup_unit *unit = body->unit;
    bool reduces = ptx_has(i, PTX_MOD_RED);
    unsigned plain = i->source_count - (reduces && i->source_count ? 1u : 0u);

    barrier->id = cup_i32(unit, ptx_has(i, PTX_MOD_SCOPE_CLUSTER) ? 15 : 0);
    barrier->threads = cup_i32(unit, 0);
    barrier->predicate = cup_i32(unit, 0);
    barrier->reduce = 0;
    if (plain > 0)
        barrier->id = one_of(body, cup_operand_read(body, &i->src[0], PTX_U32));
    if (plain > 1)
        barrier->threads = one_of(body, cup_operand_read(body, &i->src[1], PTX_U32));
    if (reduces) {
        barrier->reduce = ptx_has(i, PTX_MOD_POPC) ? 1 : ptx_has(i, PTX_MOD_AND) ? 2 : 3;
        barrier->predicate =
            cup_predicate_bits(body, cup_operand_read(body, &i->src[plain], PTX_PRED), false);
    }
}

void cup_barrier_result(struct cup_body *body, const struct ptx_instruction *i, LLVMValueRef result)
{
    bool vector = LLVMGetTypeKind(LLVMTypeOf(result)) == LLVMVectorTypeKind;

    if (!ptx_has(i, PTX_MOD_RED))
        return;
    if (ptx_has(i, PTX_MOD_POPC)) {
        cup_operand_write(body, &i->dst[0], PTX_U32, (struct cup_value){result, 0, vector, 0});
        return;
    }
    result = LLVMBuildICmp(body->builder, LLVMIntNE, result, LLVMConstNull(LLVMTypeOf(result)), "");
    cup_operand_write(body, &i->dst[0], PTX_PRED, (struct cup_value){result, 0, vector, 0});
}
