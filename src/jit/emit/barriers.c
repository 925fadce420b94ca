/* SPDX-License-Identifier: MIT */
/* The operands and results of barriers. */
#include "jit/emit/barriers.h"

#include "abi/services.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"
#include "jit/emit/operands.h"

/* A barrier's operands are the same in all lanes, as PTX requires: takes the first active
 * lane's. */
static LLVMValueRef one_of(struct jit_emitter *e, struct jit_value value)
{
    struct jit_unit *unit = e->unit;
    LLVMValueRef arguments[2], lane;

    if (jit_value_is_uniform(&value))
        return value.value;
    arguments[0] = jit_mask_bits(e);
    arguments[1] = LLVMConstInt(unit->i1, 0, false);
    lane = jit_build_call(e, "llvm.cttz", unit->i32, arguments, 2);
    lane = LLVMBuildAnd(e->builder, lane, jit_i32(unit, e->width - 1), "");
    return LLVMBuildExtractElement(e->builder, jit_value_vector(e, value), lane, "");
}

/* wgmma.commit_group, wgmma.wait_group N. */
static void read_products(struct jit_emitter *e, const struct ptx_instruction *i,
                          struct jit_barrier_operands *barrier)
{
    bool waits = ptx_has(i, PTX_MOD_WAIT_GROUP);

    barrier->id = jit_i32(e->unit, CUP_ABI_BARRIER_PRODUCTS);
    barrier->threads = jit_i32(e->unit, waits ? (uint32_t)i->src[0].value : 0);
    barrier->predicate = jit_i32(e->unit, 0);
    barrier->reduce = 0;
}

/* Reads the operands of bar.sync a{, b} and bar.red.op d, a{, b}, {!}c. barrier.cluster has
 * none. */
void jit_barrier_read(struct jit_emitter *e, const struct ptx_instruction *i,
                      struct jit_barrier_operands *barrier)
{
    struct jit_unit *unit = e->unit;
    bool reduces = ptx_has(i, PTX_MOD_RED);
    unsigned plain = i->source_count - (reduces && i->source_count ? 1u : 0u);

    if (i->op == PTX_OP_wgmma) {
        read_products(e, i, barrier);
        return;
    }
    barrier->id = jit_i32(unit, ptx_has(i, PTX_MOD_SCOPE_CLUSTER) ? CUP_ABI_BARRIER_CLUSTER : 0);
    barrier->threads = jit_i32(unit, 0);
    barrier->predicate = jit_i32(unit, 0);
    barrier->reduce = 0;
    if (plain > 0)
        barrier->id = one_of(e, jit_operand_read(e, &i->src[0], PTX_U32));
    if (plain > 1)
        barrier->threads = one_of(e, jit_operand_read(e, &i->src[1], PTX_U32));
    if (reduces) {
        barrier->reduce = ptx_has(i, PTX_MOD_POPC) ? 1 : ptx_has(i, PTX_MOD_AND) ? 2 : 3;
        barrier->predicate =
            jit_predicate_bits(e, jit_operand_read(e, &i->src[plain], PTX_PRED), false);
    }
}

void jit_barrier_result(struct jit_emitter *e, const struct ptx_instruction *i, LLVMValueRef result)
{
    bool vector = LLVMGetTypeKind(LLVMTypeOf(result)) == LLVMVectorTypeKind;

    if (!ptx_has(i, PTX_MOD_RED))
        return;
    if (ptx_has(i, PTX_MOD_POPC)) {
        jit_operand_write(e, &i->dst[0], PTX_U32, (struct jit_value){result, 0, vector, 0});
        return;
    }
    result = LLVMBuildICmp(e->builder, LLVMIntNE, result, LLVMConstNull(LLVMTypeOf(result)), "");
    jit_operand_write(e, &i->dst[0], PTX_PRED, (struct jit_value){result, 0, vector, 0});
}
