/* SPDX-License-Identifier: MIT */
/* Instructions with .sync whose members are not all here: the lanes leave their operands with the
 * runtime, and take their results from it when all have come (slow.c, src/exec/warp_sync.c). */
#include "jit/compile.h"

#include <stddef.h>

LLVMValueRef cup_sync_missing(struct cup_body *body, const struct ptx_instruction *i)
{
    LLVMBuilderRef b = body->builder;
    LLVMValueRef here = cup_mask_bits(body), named, live, on;
    struct cup_value value = cup_operand_read(body, &i->src[cup_sync_member_source(i)], PTX_B32);

    if (cup_value_is_uniform(&value)) {
        named = value.value;
    } else {
        on = cup_build_lanes(body, here);
        named = cup_value_vector(body, value);
        named = LLVMBuildSelect(b, on, named, LLVMConstNull(LLVMTypeOf(named)), "");
        named = cup_build_call(body, "llvm.vector.reduce.or", LLVMTypeOf(named), &named, 1);
    }
    live = LLVMBuildLoad2(b, body->unit->i32, body->live, "live");
    return LLVMBuildAnd(b, LLVMBuildAnd(b, named, live, ""), LLVMBuildNot(b, here, ""), "");
}

static uint32_t sync_operation(const struct ptx_instruction *i)
{
    uint8_t type = i->type_count ? i->types[i->type_count - 1] : PTX_TYPE_NONE;
    uint32_t how = 0;

    switch (i->op) {
    case PTX_OP_shfl:
        return ptx_has(i, PTX_MOD_UP)     ? CUP_SYNC_SHUFFLE_UP
               : ptx_has(i, PTX_MOD_DOWN) ? CUP_SYNC_SHUFFLE_DOWN
               : ptx_has(i, PTX_MOD_BFLY) ? CUP_SYNC_SHUFFLE_XOR
                                          : CUP_SYNC_SHUFFLE_INDEX;
    case PTX_OP_vote:
        return ptx_has(i, PTX_MOD_BALLOT) ? CUP_SYNC_BALLOT
               : ptx_has(i, PTX_MOD_ANY)  ? CUP_SYNC_VOTE_ANY
               : ptx_has(i, PTX_MOD_ALL)  ? CUP_SYNC_VOTE_ALL
                                          : CUP_SYNC_VOTE_SAME;
    case PTX_OP_match:
        return (ptx_has(i, PTX_MOD_ANY) ? CUP_SYNC_MATCH_ANY : CUP_SYNC_MATCH_ALL) |
               (type == PTX_B64 ? CUP_SYNC_WIDE : 0u);
    case PTX_OP_elect:
        return CUP_SYNC_ELECT;
    case PTX_OP_redux:
        how = type == PTX_F32 ? CUP_SYNC_FLOAT : ptx_type_is_signed(type) ? CUP_SYNC_SIGNED : 0u;
        how |= ptx_has(i, PTX_MOD_ABS) ? CUP_SYNC_ABSOLUTE : 0u;
        how |= ptx_has(i, PTX_MOD_NAN) ? CUP_SYNC_NAN : 0u;
        return how | (ptx_has(i, PTX_MOD_ADD)   ? CUP_SYNC_ADD
                      : ptx_has(i, PTX_MOD_AND) ? CUP_SYNC_AND
                      : ptx_has(i, PTX_MOD_OR)  ? CUP_SYNC_OR
                      : ptx_has(i, PTX_MOD_XOR) ? CUP_SYNC_XOR
                      : ptx_has(i, PTX_MOD_MIN) ? CUP_SYNC_MIN
                                                : CUP_SYNC_MAX);
    default:
        return CUP_SYNC_BARRIER;
    }
}

/* Puts the active lanes' values where they are kept; the others' stay. */
static void keep_lanes(struct cup_body *body, LLVMValueRef call, size_t offset, LLVMValueRef values)
{
    LLVMBuilderRef b = body->builder;
    LLVMValueRef place = cup_build_offset(body, call, cup_i64(body->unit, offset)), old;

    old = cup_build_load(body, LLVMTypeOf(values), place, 8);
    values = LLVMBuildSelect(b, cup_build_lanes(body, cup_mask_bits(body)), values, old, "");
    cup_build_store(body, values, place, 8);
}

uint32_t cup_sync_operands(struct cup_body *body, const struct ptx_instruction *i,
                           LLVMValueRef call)
{
    LLVMBuilderRef b = body->builder;
    struct cup_unit *unit = body->unit;
    uint32_t operation = sync_operation(i);
    LLVMTypeRef wide = cup_vector_type(body, unit->i64);
    LLVMValueRef lanes;

    lanes =
        cup_value_vector(body, cup_operand_read(body, &i->src[cup_sync_member_source(i)], PTX_B32));
    keep_lanes(body, call, offsetof(struct cup_sync_call, members), lanes);
    if (i->op == PTX_OP_vote) {
        lanes = cup_predicate_bits(body, cup_operand_read(body, &i->src[0], PTX_PRED), false);
        cup_build_store(
            body, LLVMBuildAnd(b, lanes, cup_mask_bits(body), ""),
            cup_build_offset(body, call, cup_i64(unit, offsetof(struct cup_sync_call, yes))), 4);
    } else if (i->op == PTX_OP_shfl || i->op == PTX_OP_match || i->op == PTX_OP_redux) {
        enum ptx_type type = operation & CUP_SYNC_WIDE ? PTX_B64 : PTX_B32;

        lanes = cup_value_vector(body, cup_operand_read(body, &i->src[0], type));
        if (type == PTX_B32)
            lanes = LLVMBuildZExt(b, lanes, wide, "");
        keep_lanes(body, call, offsetof(struct cup_sync_call, values), lanes);
    }
    if (i->op == PTX_OP_shfl) {
        lanes = cup_value_vector(body, cup_operand_read(body, &i->src[1], PTX_B32));
        keep_lanes(body, call, offsetof(struct cup_sync_call, by), lanes);
        lanes = cup_value_vector(body, cup_operand_read(body, &i->src[2], PTX_B32));
        keep_lanes(body, call, offsetof(struct cup_sync_call, limits), lanes);
    }
    return operation;
}

void cup_sync_results(struct cup_body *body, const struct ptx_instruction *i, LLVMValueRef call)
{
    LLVMBuilderRef b = body->builder;
    struct cup_unit *unit = body->unit;
    LLVMValueRef results, yes;

    if (i->op == PTX_OP_bar)
        return;
    yes = cup_build_field(body, call, offsetof(struct cup_sync_call, yes), unit->i32, false, "yes");
    yes = cup_build_lanes(body, yes);
    if (i->op == PTX_OP_vote && !ptx_has(i, PTX_MOD_BALLOT)) {
        cup_operand_write(body, &i->dst[0], PTX_PRED, cup_vector(yes));
        return;
    }
    results = cup_build_load(
        body, cup_vector_type(body, unit->i64),
        cup_build_offset(body, call, cup_i64(unit, offsetof(struct cup_sync_call, results))), 8);
    results = LLVMBuildTrunc(b, results, cup_vector_type(body, unit->i32), "");
    cup_operand_write(body, &i->dst[0], PTX_B32, cup_vector(results));
    if (i->op == PTX_OP_shfl || i->op == PTX_OP_match || i->op == PTX_OP_elect)
        cup_operand_write(body, &i->dst[1], PTX_PRED, cup_vector(yes));
}
