/* SPDX-License-Identifier: MIT */
/* Instructions with .sync whose members have not all arrived: the lanes leave their operands with
 * the runtime and take their results from it when all have arrived (divergent_parked.c,
 * src/exec/services/warp_sync.c). */
#include "jit/emit/warp_ops.h"

#include "abi/services.h"
#include "abi/sync.h"
#include "jit/analysis/instruction.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"
#include "jit/emit/operands.h"

#include <stddef.h>

/* The lanes that each lane names. Without an operand, they are all lanes of the warp. */
static struct jit_value named_members(struct jit_emitter *e, const struct ptx_instruction *i)
{
    int source = jit_sync_member_source(i);

    return source < 0 ? jit_scalar(jit_i32(e->unit, UINT32_MAX), 0)
                      : jit_operand_read(e, &i->src[source], PTX_B32);
}

LLVMValueRef jit_sync_missing(struct jit_emitter *e, const struct ptx_instruction *i)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef here = jit_mask_bits(e), named, live, on;
    struct jit_value value = named_members(e, i);

    if (jit_value_is_uniform(&value)) {
        named = value.value;
    } else {
        on = jit_build_lanes(e, here);
        named = jit_value_vector(e, value);
        named = LLVMBuildSelect(b, on, named, LLVMConstNull(LLVMTypeOf(named)), "");
        named = jit_build_call(e, "llvm.vector.reduce.or", LLVMTypeOf(named), &named, 1);
    }
    live = LLVMBuildLoad2(b, e->unit->i32, e->masks->live, "live");
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
static void keep_lanes(struct jit_emitter *e, LLVMValueRef call, size_t offset, LLVMValueRef values)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef place = jit_build_offset(e, call, jit_i64(e->unit, offset)), old;

    old = jit_build_load(e, LLVMTypeOf(values), place, 8);
    values = LLVMBuildSelect(b, jit_build_lanes(e, jit_mask_bits(e)), values, old, "");
    jit_build_store(e, values, place, 8);
}

static uint32_t sync_operands(struct jit_emitter *e, const struct ptx_instruction *i,
                              LLVMValueRef call)
{
    LLVMBuilderRef b = e->builder;
    struct jit_unit *unit = e->unit;
    uint32_t operation = sync_operation(i);
    LLVMTypeRef wide = jit_vector_type(e, unit->i64);
    LLVMValueRef lanes;

    lanes = jit_value_vector(e, named_members(e, i));
    keep_lanes(e, call, offsetof(struct cup_abi_sync_call, members), lanes);
    if (i->op == PTX_OP_vote) {
        lanes = jit_predicate_bits(e, jit_operand_read(e, &i->src[0], PTX_PRED), false);
        jit_build_store(
            e, LLVMBuildAnd(b, lanes, jit_mask_bits(e), ""),
            jit_build_offset(e, call, jit_i64(unit, offsetof(struct cup_abi_sync_call, yes))), 4);
    } else if (i->op == PTX_OP_shfl || i->op == PTX_OP_match || i->op == PTX_OP_redux) {
        enum ptx_type type = operation & CUP_ABI_SYNC_WIDE ? PTX_B64 : PTX_B32;

        lanes = jit_value_vector(e, jit_operand_read(e, &i->src[0], type));
        if (type == PTX_B32)
            lanes = LLVMBuildZExt(b, lanes, wide, "");
        keep_lanes(e, call, offsetof(struct cup_abi_sync_call, values), lanes);
    }
    if (i->op == PTX_OP_shfl) {
        lanes = jit_value_vector(e, jit_operand_read(e, &i->src[1], PTX_B32));
        keep_lanes(e, call, offsetof(struct cup_abi_sync_call, by), lanes);
        lanes = jit_value_vector(e, jit_operand_read(e, &i->src[2], PTX_B32));
        keep_lanes(e, call, offsetof(struct cup_abi_sync_call, limits), lanes);
    }
    return operation;
}

void jit_sync_begin(struct jit_emitter *e, const struct ptx_instruction *i, LLVMValueRef call)
{
    LLVMValueRef arguments[5];

    arguments[2] = jit_i32(e->unit, sync_operands(e, i, call));
    arguments[0] = e->abi.block;
    arguments[1] = e->vector.warp;
    arguments[3] = jit_mask_bits(e);
    arguments[4] = call;
    jit_build_service(e, offsetof(struct cup_abi_services, sync_begin), e->unit->nothing, arguments,
                      5);
}

void jit_sync_results(struct jit_emitter *e, const struct ptx_instruction *i, LLVMValueRef call)
{
    LLVMBuilderRef b = e->builder;
    struct jit_unit *unit = e->unit;
    LLVMValueRef results, yes;

    if (i->op == PTX_OP_bar || i->op == PTX_OP_wgmma)
        return;
    yes =
        jit_build_field(e, call, offsetof(struct cup_abi_sync_call, yes), unit->i32, false, "yes");
    yes = jit_build_lanes(e, yes);
    if (i->op == PTX_OP_vote && !ptx_has(i, PTX_MOD_BALLOT)) {
        jit_operand_write(e, &i->dst[0], PTX_PRED, jit_vector(yes));
        return;
    }
    results = jit_build_load(
        e, jit_vector_type(e, unit->i64),
        jit_build_offset(e, call, jit_i64(unit, offsetof(struct cup_abi_sync_call, results))), 8);
    results = LLVMBuildTrunc(b, results, jit_vector_type(e, unit->i32), "");
    jit_operand_write(e, &i->dst[0], PTX_B32, jit_vector(results));
    if (i->op == PTX_OP_shfl || i->op == PTX_OP_match || i->op == PTX_OP_elect)
        jit_operand_write(e, &i->dst[1], PTX_PRED, jit_vector(yes));
}
