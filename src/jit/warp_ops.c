/* SPDX-License-Identifier: MIT */
/* What lanes of a warp do together: shuffles, votes, matches, reductions. Kernels with any of these
 * are compiled with vectors of 32 lanes, so that a vector is a warp. Lanes that are off take no
 * part; what they hold is never read, save by a shuffle that names one, which PTX leaves open. */
#include "jit/compile.h"

static LLVMValueRef splat32(struct cup_body *body, uint32_t value)
{
    return cup_build_splat(body, cup_i32(body->unit, value));
}

static LLVMValueRef lane_ids(struct cup_body *body)
{
    return cup_value_vector(body, cup_scalar(cup_i32(body->unit, 0), 1));
}

/* The lanes named by the instruction's member mask that are here. */
static LLVMValueRef members(struct cup_body *body, const struct ptx_instruction *i, unsigned source)
{
    struct cup_value named;
    LLVMValueRef here = cup_mask_bits(body);

    if (!ptx_has(i, PTX_MOD_SYNC) || source >= i->source_count)
        return here;
    named = cup_operand_read(body, &i->src[source], PTX_B32);
    if (named.vector) { /* lanes that name different members: each group sees those here */
        return here;
    }
    return LLVMBuildAnd(body->builder, here, named.value, "");
}

/* ---- shfl ---- */

static bool constant_source(const struct ptx_instruction *i, unsigned lane, unsigned *from,
                            bool *in_range)
{
    uint32_t b, c, segment, clamp, most;

    if (i->src[1].kind != PTX_OPERAND_IMMEDIATE || i->src[2].kind != PTX_OPERAND_IMMEDIATE)
        return false;
    b = i->src[1].value & 31;
    c = (uint32_t)i->src[2].value;
    segment = c >> 8 & 31;
    clamp = c & 31;
    most = (lane & segment) | (clamp & ~segment);
    if (ptx_has(i, PTX_MOD_UP)) {
        *in_range = (int)(lane - b) >= (int)most;
        *from = lane - b;
    } else if (ptx_has(i, PTX_MOD_DOWN)) {
        *in_range = lane + b <= most;
        *from = lane + b;
    } else if (ptx_has(i, PTX_MOD_BFLY)) {
        *in_range = (lane ^ b) <= most;
        *from = lane ^ b;
    } else {
        *from = (lane & segment) | (b & ~segment);
        *in_range = *from <= most;
    }
    if (!*in_range)
        *from = lane;
    return true;
}

static bool shuffle_constant(struct cup_body *body, const struct ptx_instruction *i,
                             LLVMValueRef values)
{
    LLVMValueRef indices[32], ranges[32];

    for (unsigned lane = 0; lane < body->width; lane++) {
        unsigned from = 0;
        bool in_range = false;

        if (!constant_source(i, lane, &from, &in_range))
            return false;
        indices[lane] = cup_i32(body->unit, from & 31);
        ranges[lane] = LLVMConstInt(body->unit->i1, in_range, false);
    }
    values = LLVMBuildShuffleVector(body->builder, values, LLVMGetPoison(LLVMTypeOf(values)),
                                    LLVMConstVector(indices, body->width), "");
    cup_operand_write(body, &i->dst[0], PTX_B32, cup_vector(values));
    cup_operand_write(body, &i->dst[1], PTX_PRED, cup_vector(LLVMConstVector(ranges, body->width)));
    return true;
}

/* The lane each reads from, and whether that is one of its segment. */
static LLVMValueRef source_lanes(struct cup_body *body, const struct ptx_instruction *i,
                                 LLVMValueRef *in_range)
{
    LLVMBuilderRef b = body->builder;
    LLVMValueRef lane = lane_ids(body), thirty_one = splat32(body, 31);
    LLVMValueRef by = cup_value_vector(body, cup_operand_read(body, &i->src[1], PTX_B32));
    LLVMValueRef c = cup_value_vector(body, cup_operand_read(body, &i->src[2], PTX_B32));
    LLVMValueRef segment, clamp, outside, least, most, from;

    by = LLVMBuildAnd(b, by, thirty_one, "");
    clamp = LLVMBuildAnd(b, c, thirty_one, "");
    segment = LLVMBuildAnd(b, LLVMBuildLShr(b, c, splat32(body, 8), ""), thirty_one, "");
    outside = LLVMBuildNot(b, segment, "");
    least = LLVMBuildAnd(b, lane, segment, "");
    most = LLVMBuildOr(b, least, LLVMBuildAnd(b, clamp, outside, ""), "");
    if (ptx_has(i, PTX_MOD_UP)) {
        from = LLVMBuildSub(b, lane, by, "");
        *in_range = LLVMBuildICmp(b, LLVMIntSGE, from, most, "");
    } else {
        if (ptx_has(i, PTX_MOD_DOWN))
            from = LLVMBuildAdd(b, lane, by, "");
        else if (ptx_has(i, PTX_MOD_BFLY))
            from = LLVMBuildXor(b, lane, by, "");
        else
            from = LLVMBuildOr(b, least, LLVMBuildAnd(b, by, outside, ""), "");
        *in_range = LLVMBuildICmp(b, LLVMIntSLE, from, most, "");
    }
    from = LLVMBuildSelect(b, *in_range, from, lane, "");
    return LLVMBuildAnd(b, from, thirty_one, "");
}

static void emit_shuffle(struct cup_body *body, const struct ptx_instruction *i)
{
    struct cup_unit *unit = body->unit;
    struct cup_value value = cup_operand_read(body, &i->src[0], PTX_B32);
    LLVMValueRef values = cup_value_vector(body, value), from, in_range, result;

    if (shuffle_constant(body, i, values))
        return;
    from = source_lanes(body, i, &in_range);
    cup_scratch_fill(body, 0, values);
    result = LLVMGetPoison(LLVMTypeOf(values));
    for (unsigned lane = 0; lane < body->width; lane++) {
        LLVMValueRef index = LLVMBuildExtractElement(body->builder, from, cup_i32(unit, lane), "");
        LLVMValueRef one = LLVMBuildLoad2(body->builder, unit->i32,
                                          cup_scratch_lane(body, 0, unit->i32, index), "");

        result = LLVMBuildInsertElement(body->builder, result, one, cup_i32(unit, lane), "");
    }
    cup_operand_write(body, &i->dst[0], PTX_B32, cup_vector(result));
    cup_operand_write(body, &i->dst[1], PTX_PRED, cup_vector(in_range));
}

/* ---- vote, activemask, elect ---- */

static void emit_vote(struct cup_body *body, const struct ptx_instruction *i)
{
    LLVMBuilderRef b = body->builder;
    LLVMValueRef none = cup_i32(body->unit, 0), who = members(body, i, 1), yes, all, any, result;

    yes = cup_predicate_bits(body, cup_operand_read(body, &i->src[0], PTX_PRED), false);
    yes = LLVMBuildAnd(b, yes, who, "");
    if (ptx_has(i, PTX_MOD_BALLOT)) {
        cup_operand_write(body, &i->dst[0], PTX_B32, cup_scalar(yes, 0));
        return;
    }
    any = LLVMBuildICmp(b, LLVMIntNE, yes, none, "");
    all = LLVMBuildICmp(b, LLVMIntEQ, yes, who, "");
    if (ptx_has(i, PTX_MOD_ANY))
        result = any;
    else if (ptx_has(i, PTX_MOD_ALL))
        result = all;
    else
        result = LLVMBuildOr(b, all, LLVMBuildNot(b, any, ""), "");
    cup_operand_write(body, &i->dst[0], PTX_PRED, cup_scalar(result, 0));
}

static void emit_elect(struct cup_body *body, const struct ptx_instruction *i)
{
    LLVMBuilderRef b = body->builder;
    LLVMValueRef who = cup_operand_read(body, &i->src[0], PTX_B32).value, arguments[2], leader;

    if (LLVMGetTypeKind(LLVMTypeOf(who)) == LLVMVectorTypeKind)
        who = cup_mask_bits(body);
    who = LLVMBuildAnd(b, who, cup_mask_bits(body), "");
    arguments[0] = who;
    arguments[1] = LLVMConstInt(body->unit->i1, 0, false);
    leader = cup_build_call(body, "llvm.cttz", body->unit->i32, arguments, 2);
    cup_operand_write(body, &i->dst[0], PTX_B32, cup_scalar(leader, 0));
    cup_operand_write(
        body, &i->dst[1], PTX_PRED,
        cup_vector(LLVMBuildICmp(b, LLVMIntEQ, lane_ids(body), cup_build_splat(body, leader), "")));
}

/* ---- match ---- */

struct match {
    struct cup_value value;
    LLVMTypeRef type;
    LLVMValueRef vector, who;
};

/* One lane's value against all: the bits of those that have it. */
static void match_lane(struct cup_body *body, LLVMValueRef lane, void *context)
{
    struct match *m = context;
    LLVMValueRef own = cup_value_of_lane(body, m->value, 0, lane).value;
    LLVMValueRef same =
        LLVMBuildICmp(body->builder, LLVMIntEQ, m->vector, cup_build_splat(body, own), "");

    same = LLVMBuildAnd(body->builder, cup_build_bits(body, same), m->who, "");
    LLVMBuildStore(body->builder, same, cup_scratch_lane(body, 1, body->unit->i32, lane));
}

static void emit_match(struct cup_body *body, const struct ptx_instruction *i)
{
    LLVMBuilderRef b = body->builder;
    uint8_t type = i->types[i->type_count - 1];
    struct match m = {.who = members(body, i, 1)};
    LLVMValueRef first, same, equal, arguments[2];

    m.value = cup_operand_read(body, &i->src[0], type);
    m.vector = cup_value_vector(body, m.value);
    m.value = cup_vector(m.vector);
    cup_scratch_fill(body, 0, m.vector);
    if (ptx_has(i, PTX_MOD_ANY)) {
        cup_emit_lane_loop(body, cup_mask_bits(body), match_lane, &m);
        cup_operand_write(body, &i->dst[0], PTX_B32,
                          cup_vector(cup_scratch_read(body, 1, body->unit->i32)));
        return;
    }
    arguments[0] = m.who;
    arguments[1] = LLVMConstInt(body->unit->i1, 0, false);
    first = cup_build_call(body, "llvm.cttz", body->unit->i32, arguments, 2);
    first = LLVMBuildAnd(b, first, cup_i32(body->unit, body->width - 1), "");
    first = cup_value_of_lane(body, m.value, 0, first).value;
    same = LLVMBuildICmp(b, LLVMIntEQ, m.vector, cup_build_splat(body, first), "");
    same = LLVMBuildAnd(b, cup_build_bits(body, same), m.who, "");
    equal = LLVMBuildICmp(b, LLVMIntEQ, same, m.who, "");
    cup_operand_write(body, &i->dst[0], PTX_B32,
                      cup_scalar(LLVMBuildSelect(b, equal, m.who, cup_i32(body->unit, 0), ""), 0));
    cup_operand_write(body, &i->dst[1], PTX_PRED, cup_scalar(equal, 0));
}

/* ---- redux ---- */

static void emit_redux(struct cup_body *body, const struct ptx_instruction *i)
{
    uint8_t type = i->types[i->type_count - 1];
    LLVMTypeRef lanes = cup_vector_type(body, body->unit->i32);
    LLVMValueRef values = cup_value_vector(body, cup_operand_read(body, &i->src[0], PTX_B32));
    LLVMValueRef neutral = LLVMConstNull(lanes), on, result;
    bool is_signed = ptx_type_is_signed(type);
    const char *name;

    if (type == PTX_F32) {
        cup_unit_fail(body->unit, i, "redux on .f32 is not supported");
        return;
    }
    if (ptx_has(i, PTX_MOD_ADD)) {
        name = "llvm.vector.reduce.add";
    } else if (ptx_has(i, PTX_MOD_OR)) {
        name = "llvm.vector.reduce.or";
    } else if (ptx_has(i, PTX_MOD_XOR)) {
        name = "llvm.vector.reduce.xor";
    } else if (ptx_has(i, PTX_MOD_AND)) {
        name = "llvm.vector.reduce.and";
        neutral = LLVMConstAllOnes(lanes);
    } else if (ptx_has(i, PTX_MOD_MIN)) {
        name = is_signed ? "llvm.vector.reduce.smin" : "llvm.vector.reduce.umin";
        neutral = splat32(body, is_signed ? 0x7fffffffu : 0xffffffffu);
    } else {
        name = is_signed ? "llvm.vector.reduce.smax" : "llvm.vector.reduce.umax";
        neutral = splat32(body, is_signed ? 0x80000000u : 0);
    }
    on = cup_build_lanes(body, members(body, i, 1));
    values = LLVMBuildSelect(body->builder, on, values, neutral, "");
    result = cup_build_call(body, name, lanes, &values, 1);
    cup_operand_write(body, &i->dst[0], PTX_B32, cup_scalar(result, 0));
}

bool cup_emit_warp_op(struct cup_body *body, const struct ptx_instruction *i)
{
    switch (i->op) {
    case PTX_OP_shfl:
        emit_shuffle(body, i);
        return true;
    case PTX_OP_vote:
        emit_vote(body, i);
        return true;
    case PTX_OP_match:
        emit_match(body, i);
        return true;
    case PTX_OP_redux:
        emit_redux(body, i);
        return true;
    case PTX_OP_elect:
        emit_elect(body, i);
        return true;
    case PTX_OP_activemask:
        cup_operand_write(body, &i->dst[0], PTX_B32, cup_scalar(cup_mask_bits(body), 0));
        return true;
    default:
        return false;
    }
}
