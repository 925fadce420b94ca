/* SPDX-License-Identifier: MIT */
/* Instructions with .sync whose members have not all arrived: the lanes leave their operands with
 * the runtime and take their results from it when all have arrived (divergent_parked.c,
 * src/exec/services/warp_sync.c). */
#include "jit/emit/warp_ops.h"

#include "abi/services.h"
#include "abi/sync.h"
#include "jit/emit/body.h"
#include "jit/emit/ir.h"
#include "jit/analysis/instruction.h"
#include "jit/emit/mask.h"
#include "jit/emit/operands.h"

#include <stddef.h>

/* The lanes that each lane names. Without an operand, they are all lanes of the warp. */
static struct jit_value named_members(struct jit_body *body, const struct ptx_instruction *i)
{
    int source = jit_sync_member_source(i);

    return source < 0 ? jit_scalar(jit_i32(body->unit, UINT32_MAX), 0)
                      : jit_operand_read(body, &i->src[source], PTX_B32);
}

LLVMValueRef jit_sync_missing(struct jit_body *body, const struct ptx_instruction *i)
{
    LLVMBuilderRef b = body->builder;
    LLVMValueRef here = jit_mask_bits(body), named, live, on;
    struct jit_value value = named_members(body, i);

    if (jit_value_is_uniform(&value)) {
        named = value.value;
    } else {
        on = jit_build_lanes(body, here);
        named = jit_value_vector(body, value);
        named = LLVMBuildSelect(b, on, named, LLVMConstNull(LLVMTypeOf(named)), "");
        named = jit_build_call(body, "llvm.vector.reduce.or", LLVMTypeOf(named), &named, 1);
    }
    live = LLVMBuildLoad2(b, body->unit->i32, body->masks.live, "live");
    return LLVMBuildAnd(b, LLVMBuildAnd(b, named, live, ""), LLVMBuildNot(b, here, ""), "");
}

static uint32_t sync_operation(const struct ptx_instruction *i)
{
    uint8_t type = i->type_count ? i->types[i->type_count - 1] : PTX_TYPE_NONE;
    uint32_t how = 0;

    switch (i->op) {
    case PTX_OP_shfl:
        return ptx_has(i, PTX_MOD_UP)     ? CUP_ABI_SYNC_SHUFFLE_UP
               : ptx_has(i, PTX_MOD_DOWN) ? CUP_ABI_SYNC_SHUFFLE_DOWN
               : ptx_has(i, PTX_MOD_BFLY) ? CUP_ABI_SYNC_SHUFFLE_XOR
                                          : CUP_ABI_SYNC_SHUFFLE_INDEX;
    case PTX_OP_vote:
        return ptx_has(i, PTX_MOD_BALLOT) ? CUP_ABI_SYNC_BALLOT
               : ptx_has(i, PTX_MOD_ANY)  ? CUP_ABI_SYNC_VOTE_ANY
               : ptx_has(i, PTX_MOD_ALL)  ? CUP_ABI_SYNC_VOTE_ALL
                                          : CUP_ABI_SYNC_VOTE_SAME;
    case PTX_OP_match:
        return (ptx_has(i, PTX_MOD_ANY) ? CUP_ABI_SYNC_MATCH_ANY : CUP_ABI_SYNC_MATCH_ALL) |
               (type == PTX_B64 ? CUP_ABI_SYNC_WIDE : 0u);
    case PTX_OP_elect:
        return CUP_ABI_SYNC_ELECT;
    case PTX_OP_redux:
        how = type == PTX_F32            ? CUP_ABI_SYNC_FLOAT
              : ptx_type_is_signed(type) ? CUP_ABI_SYNC_SIGNED
                                         : 0u;
        how |= ptx_has(i, PTX_MOD_ABS) ? CUP_ABI_SYNC_ABSOLUTE : 0u;
        how |= ptx_has(i, PTX_MOD_NAN) ? CUP_ABI_SYNC_NAN : 0u;
        return how | (ptx_has(i, PTX_MOD_ADD)   ? CUP_ABI_SYNC_ADD
                      : ptx_has(i, PTX_MOD_AND) ? CUP_ABI_SYNC_AND
                      : ptx_has(i, PTX_MOD_OR)  ? CUP_ABI_SYNC_OR
                      : ptx_has(i, PTX_MOD_XOR) ? CUP_ABI_SYNC_XOR
                      : ptx_has(i, PTX_MOD_MIN) ? CUP_ABI_SYNC_MIN
                                                : CUP_ABI_SYNC_MAX);
    default:
        return CUP_ABI_SYNC_BARRIER;
    }
}

/* Stores the values of the active lanes to the call's structure; those of other lanes stay. */
static void keep_lanes(struct jit_body *body, LLVMValueRef call, size_t offset, LLVMValueRef values)
{
    LLVMBuilderRef b = body->builder;
    LLVMValueRef place = jit_build_offset(body, call, jit_i64(body->unit, offset)), old;

    old = jit_build_load(body, LLVMTypeOf(values), place, 8);
    values = LLVMBuildSelect(b, jit_build_lanes(body, jit_mask_bits(body)), values, old, "");
    jit_build_store(body, values, place, 8);
}

static uint32_t sync_operands(struct jit_body *body, const struct ptx_instruction *i,
                              LLVMValueRef call)
{
    LLVMBuilderRef b = body->builder;
    struct jit_unit *unit = body->unit;
    uint32_t operation = sync_operation(i);
    LLVMTypeRef wide = jit_vector_type(body, unit->i64);
    LLVMValueRef lanes;

    lanes = jit_value_vector(body, named_members(body, i));
    keep_lanes(body, call, offsetof(struct cup_abi_sync_call, members), lanes);
    if (i->op == PTX_OP_vote) {
        lanes = jit_predicate_bits(body, jit_operand_read(body, &i->src[0], PTX_PRED), false);
        jit_build_store(
            body, LLVMBuildAnd(b, lanes, jit_mask_bits(body), ""),
            jit_build_offset(body, call, jit_i64(unit, offsetof(struct cup_abi_sync_call, yes))),
            4);
    } else if (i->op == PTX_OP_shfl || i->op == PTX_OP_match || i->op == PTX_OP_redux) {
        enum ptx_type type = operation & CUP_ABI_SYNC_WIDE ? PTX_B64 : PTX_B32;

        lanes = jit_value_vector(body, jit_operand_read(body, &i->src[0], type));
        if (type == PTX_B32)
            lanes = LLVMBuildZExt(b, lanes, wide, "");
        keep_lanes(body, call, offsetof(struct cup_abi_sync_call, values), lanes);
    }
    if (i->op == PTX_OP_shfl) {
        lanes = jit_value_vector(body, jit_operand_read(body, &i->src[1], PTX_B32));
        keep_lanes(body, call, offsetof(struct cup_abi_sync_call, by), lanes);
        lanes = jit_value_vector(body, jit_operand_read(body, &i->src[2], PTX_B32));
        keep_lanes(body, call, offsetof(struct cup_abi_sync_call, limits), lanes);
    }
    return operation;
}

void jit_sync_begin(struct jit_body *body, const struct ptx_instruction *i, LLVMValueRef call)
{
    LLVMValueRef arguments[5];

    arguments[2] = jit_i32(body->unit, sync_operands(body, i, call));
    arguments[0] = body->abi.block;
    arguments[1] = body->vector.warp;
    arguments[3] = jit_mask_bits(body);
    arguments[4] = call;
    jit_build_service(body, offsetof(struct cup_abi_services, sync_begin), body->unit->nothing,
                      arguments, 5);
}

void jit_sync_results(struct jit_body *body, const struct ptx_instruction *i, LLVMValueRef call)
{
    LLVMBuilderRef b = body->builder;
    struct jit_unit *unit = body->unit;
    LLVMValueRef results, yes;

    if (i->op == PTX_OP_bar || i->op == PTX_OP_wgmma)
        return;
    yes = jit_build_field(body, call, offsetof(struct cup_abi_sync_call, yes), unit->i32, false,
                          "yes");
    yes = jit_build_lanes(body, yes);
    if (i->op == PTX_OP_vote && !ptx_has(i, PTX_MOD_BALLOT)) {
        jit_operand_write(body, &i->dst[0], PTX_PRED, jit_vector(yes));
        return;
    }
    results = jit_build_load(
        body, jit_vector_type(body, unit->i64),
        jit_build_offset(body, call, jit_i64(unit, offsetof(struct cup_abi_sync_call, results))),
        8);
    results = LLVMBuildTrunc(b, results, jit_vector_type(body, unit->i32), "");
    jit_operand_write(body, &i->dst[0], PTX_B32, jit_vector(results));
    if (i->op == PTX_OP_shfl || i->op == PTX_OP_match || i->op == PTX_OP_elect)
        jit_operand_write(body, &i->dst[1], PTX_PRED, jit_vector(yes));
}
