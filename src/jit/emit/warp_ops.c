/* SPDX-License-Identifier: MIT */
/* Instructions in which the lanes of a warp exchange values: shuffles, votes, matches, reductions.
 * Kernels with any of them are compiled with vectors of 32 lanes, so that a vector is a warp.
 * Inactive lanes take no part; a shuffle that names one gets 0, as on the device, whether that lane
 * has exited, is elsewhere or never existed.
 *
 * Lanes may name different members in one instruction: each lane then sees its own members. If
 * members are elsewhere, the runtime executes the instruction when all have arrived
 * (divergent_ends.c). */
#include "jit/emit/warp_ops.h"

#include "jit/analysis/constants.h"
#include "jit/analysis/instruction.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/lanes.h"
#include "jit/emit/mask.h"
#include "jit/emit/operands.h"
#include "jit/variants/bailout.h"

static LLVMValueRef splat32(struct jit_emitter *e, uint32_t value)
{
    return jit_build_splat(e, jit_i32(e->unit, value));
}

static LLVMValueRef lane_ids(struct jit_emitter *e)
{
    return jit_value_vector(e, jit_scalar(jit_i32(e->unit, 0), 1));
}

/* Makes a varying operand uniform in the uniform variant. If the lanes disagree, the uniform
 * variant bails out to the divergent one. */
static struct jit_value agreed(struct jit_emitter *e, const struct ptx_instruction *i,
                               struct jit_value value)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef lanes, first, same;

    if (e->divergent || jit_value_is_uniform(&value))
        return value;
    lanes = jit_value_vector(e, value);
    first = LLVMBuildExtractElement(b, lanes, jit_i32(e->unit, 0), "");
    same = LLVMBuildICmp(b, LLVMIntEQ, lanes, jit_build_splat(e, first), "");
    same = LLVMBuildICmp(b, LLVMIntEQ, jit_build_bits(e, same), e->vector.full, "");
    jit_bailout_unless(e, same, (uint32_t)(i - e->function->ptx->instructions));
    return jit_scalar(first, 0);
}

/* The active lanes in the instruction's member mask: one mask, or one per lane. */
static struct jit_value members(struct jit_emitter *e, const struct ptx_instruction *i)
{
    struct jit_value named;
    LLVMValueRef here = jit_mask_bits(e);
    int source = jit_sync_member_source(i);

    if (source < 0)
        return jit_scalar(here, 0);
    named = agreed(e, i, jit_operand_read(e, &i->src[source], PTX_B32));
    if (jit_value_is_uniform(&named))
        return jit_scalar(LLVMBuildAnd(e->builder, here, named.value, ""), 0);
    return jit_vector(
        LLVMBuildAnd(e->builder, jit_value_vector(e, named), jit_build_splat(e, here), ""));
}

/* A scalar, or a vector of it if `other` is a vector. */
static LLVMValueRef alike(struct jit_emitter *e, LLVMValueRef scalar, struct jit_value other)
{
    return other.vector ? jit_build_splat(e, scalar) : scalar;
}

static struct jit_value as(LLVMValueRef value, struct jit_value other)
{
    return (struct jit_value){value, 0, other.vector, 0};
}

/* A shuffle whose distance and segments are numbers. */
struct constant_shuffle {
    const struct ptx_instruction *instruction;
    uint32_t by, segment, clamp;
};

static bool is_constant(const struct jit_emitter *e, const struct ptx_instruction *i,
                        struct constant_shuffle *shuffle)
{
    uint32_t by, segments;

    /* other instructions that share an outlined operation have other numbers in their registers,
     * and debuggers change registers */
    if ((e->outlined || e->unit->request->debugger) &&
        (i->src[1].kind != PTX_OPERAND_IMMEDIATE || i->src[2].kind != PTX_OPERAND_IMMEDIATE))
        return false;
    if (!jit_operand_is_constant(e->function, &i->src[1], &by) ||
        !jit_operand_is_constant(e->function, &i->src[2], &segments))
        return false;
    *shuffle = (struct constant_shuffle){i, by & 31, segments >> 8 & 31, segments & 31};
    return true;
}

/* The lane that `lane` reads from, which is itself if the other is outside of its segment. */
static unsigned constant_source(const struct constant_shuffle *s, unsigned lane, bool *in_range)
{
    unsigned most = (lane & s->segment) | (s->clamp & ~s->segment), from;

    if (ptx_has(s->instruction, PTX_MOD_UP)) {
        *in_range = (int)(lane - s->by) >= (int)most;
        from = lane - s->by;
    } else if (ptx_has(s->instruction, PTX_MOD_DOWN)) {
        *in_range = lane + s->by <= most;
        from = lane + s->by;
    } else if (ptx_has(s->instruction, PTX_MOD_BFLY)) {
        *in_range = (lane ^ s->by) <= most;
        from = lane ^ s->by;
    } else {
        from = (lane & s->segment) | (s->by & ~s->segment);
        *in_range = from <= most;
    }
    return *in_range ? from : lane;
}

static bool shuffle_constant(struct jit_emitter *e, const struct ptx_instruction *i,
                             LLVMValueRef values)
{
    LLVMValueRef indices[32], ranges[32];
    struct constant_shuffle shuffle;

    if (!is_constant(e, i, &shuffle))
        return false;
    for (unsigned lane = 0; lane < e->width; lane++) {
        bool in_range;

        indices[lane] = jit_i32(e->unit, constant_source(&shuffle, lane, &in_range) & 31);
        ranges[lane] = LLVMConstInt(e->unit->i1, in_range, false);
    }
    values = LLVMBuildShuffleVector(e->builder, values, LLVMGetPoison(LLVMTypeOf(values)),
                                    LLVMConstVector(indices, e->width), "");
    jit_operand_write(e, &i->dst[0], PTX_B32, jit_vector(values));
    jit_operand_write(e, &i->dst[1], PTX_PRED, jit_vector(LLVMConstVector(ranges, e->width)));
    return true;
}

/* The lane that each lane reads from, and whether that lane is inside its segment. */
static LLVMValueRef source_lanes(struct jit_emitter *e, const struct ptx_instruction *i,
                                 LLVMValueRef *in_range)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef lane = lane_ids(e), thirty_one = splat32(e, 31);
    LLVMValueRef by = jit_value_vector(e, jit_operand_read(e, &i->src[1], PTX_B32));
    LLVMValueRef c = jit_value_vector(e, jit_operand_read(e, &i->src[2], PTX_B32));
    LLVMValueRef segment, clamp, outside, least, most, from;

    by = LLVMBuildAnd(b, by, thirty_one, "");
    clamp = LLVMBuildAnd(b, c, thirty_one, "");
    segment = LLVMBuildAnd(b, LLVMBuildLShr(b, c, splat32(e, 8), ""), thirty_one, "");
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

/* The values that lanes give: 0 where they are inactive. */
static LLVMValueRef given_values(struct jit_emitter *e, const struct ptx_operand *operand)
{
    LLVMValueRef values = jit_value_vector(e, jit_operand_read(e, operand, PTX_B32));

    if (!jit_emitter_is_masked(e))
        return values;
    return LLVMBuildSelect(e->builder, jit_build_lanes(e, jit_mask_bits(e)), values,
                           LLVMConstNull(LLVMTypeOf(values)), "");
}

static void emit_shuffle(struct jit_emitter *e, const struct ptx_instruction *i)
{
    struct jit_unit *unit = e->unit;
    LLVMValueRef values = given_values(e, &i->src[0]), from, in_range, result;

    if (shuffle_constant(e, i, values))
        return;
    from = source_lanes(e, i, &in_range);
    jit_scratch_fill(e, 0, values);
    result = LLVMGetPoison(LLVMTypeOf(values));
    for (unsigned lane = 0; lane < e->width; lane++) {
        LLVMValueRef index = LLVMBuildExtractElement(e->builder, from, jit_i32(unit, lane), "");
        LLVMValueRef one =
            LLVMBuildLoad2(e->builder, unit->i32, jit_scratch_lane(e, 0, unit->i32, index), "");

        result = LLVMBuildInsertElement(e->builder, result, one, jit_i32(unit, lane), "");
    }
    jit_operand_write(e, &i->dst[0], PTX_B32, jit_vector(result));
    jit_operand_write(e, &i->dst[1], PTX_PRED, jit_vector(in_range));
}

static void emit_vote(struct jit_emitter *e, const struct ptx_instruction *i)
{
    LLVMBuilderRef b = e->builder;
    struct jit_value who = members(e, i);
    LLVMValueRef none = alike(e, jit_i32(e->unit, 0), who), yes, all, any, result;

    yes = jit_predicate_bits(e, jit_operand_read(e, &i->src[0], PTX_PRED), false);
    yes = LLVMBuildAnd(b, alike(e, yes, who), who.value, "");
    if (ptx_has(i, PTX_MOD_BALLOT)) {
        jit_operand_write(e, &i->dst[0], PTX_B32, as(yes, who));
        return;
    }
    any = LLVMBuildICmp(b, LLVMIntNE, yes, none, "");
    all = LLVMBuildICmp(b, LLVMIntEQ, yes, who.value, "");
    if (ptx_has(i, PTX_MOD_ANY))
        result = any;
    else if (ptx_has(i, PTX_MOD_ALL))
        result = all;
    else
        result = LLVMBuildOr(b, all, LLVMBuildNot(b, any, ""), "");
    jit_operand_write(e, &i->dst[0], PTX_PRED, as(result, who));
}

static void emit_elect(struct jit_emitter *e, const struct ptx_instruction *i)
{
    LLVMBuilderRef b = e->builder;
    struct jit_value who = members(e, i);
    LLVMValueRef arguments[2], leader, lanes;

    arguments[0] = who.value;
    arguments[1] = LLVMConstInt(e->unit->i1, 0, false);
    leader = jit_build_call(e, "llvm.cttz", LLVMTypeOf(who.value), arguments, 2);
    lanes = who.vector ? leader : jit_build_splat(e, leader);
    jit_operand_write(e, &i->dst[0], PTX_B32, as(leader, who));
    jit_operand_write(e, &i->dst[1], PTX_PRED,
                      jit_vector(LLVMBuildICmp(b, LLVMIntEQ, lane_ids(e), lanes, "")));
}

struct match {
    struct jit_value value;
    LLVMValueRef vector;
};

/* Compares one lane's value with all lanes: stores the mask of equal ones. */
static void match_lane(struct jit_emitter *e, LLVMValueRef lane, void *context)
{
    struct match *m = context;
    LLVMValueRef own = jit_value_of_lane(e, m->value, 0, lane).value;
    LLVMValueRef same =
        LLVMBuildICmp(e->builder, LLVMIntEQ, m->vector, jit_build_splat(e, own), "");

    LLVMBuildStore(e->builder, jit_build_bits(e, same), jit_scratch_lane(e, 1, e->unit->i32, lane));
}

static void emit_match(struct jit_emitter *e, const struct ptx_instruction *i)
{
    LLVMBuilderRef b = e->builder;
    uint8_t type = i->types[i->type_count - 1];
    struct jit_value who = members(e, i);
    struct match m = {.vector = NULL};
    LLVMValueRef named = jit_value_vector(e, who), same, equal;

    m.vector = jit_value_vector(e, jit_operand_read(e, &i->src[0], type));
    m.value = jit_vector(m.vector);
    jit_scratch_fill(e, 0, m.vector);
    jit_emit_lane_loop(e, jit_mask_bits(e), match_lane, &m);
    same = LLVMBuildAnd(b, jit_scratch_read(e, 1, e->unit->i32), named, "");
    if (ptx_has(i, PTX_MOD_ANY)) {
        jit_operand_write(e, &i->dst[0], PTX_B32, jit_vector(same));
        return;
    }
    equal = LLVMBuildICmp(b, LLVMIntEQ, same, named, "");
    jit_operand_write(
        e, &i->dst[0], PTX_B32,
        jit_vector(LLVMBuildSelect(b, equal, named, LLVMConstNull(LLVMTypeOf(named)), "")));
    jit_operand_write(e, &i->dst[1], PTX_PRED, jit_vector(equal));
}

struct redux {
    const char *name;
    LLVMValueRef values, neutral, named;
    struct jit_value who;
};

static LLVMValueRef reduce(struct jit_emitter *e, const struct redux *r, LLVMValueRef who)
{
    LLVMValueRef values =
        LLVMBuildSelect(e->builder, jit_build_lanes(e, who), r->values, r->neutral, "");

    return jit_build_call(e, r->name, LLVMTypeOf(values), &values, 1);
}

static void reduce_lane(struct jit_emitter *e, LLVMValueRef lane, void *context)
{
    struct redux *r = context;
    LLVMValueRef who =
        LLVMBuildLoad2(e->builder, e->unit->i32, jit_scratch_lane(e, 0, e->unit->i32, lane), "");
    LLVMValueRef result = reduce(e, r, who);

    LLVMBuildStore(e->builder, result, jit_scratch_lane(e, 1, LLVMTypeOf(result), lane));
}

/* Maps floats to integers of the same order: the bits, with the magnitude inverted below zero. nan:
 * the lanes with a NaN, which the caller replaces. */
static LLVMValueRef float_keys(struct jit_emitter *e, const struct ptx_instruction *i,
                               LLVMValueRef values, LLVMValueRef *nan)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef magnitude = LLVMBuildAnd(b, values, splat32(e, 0x7fffffffu), ""), flipped;

    *nan = LLVMBuildICmp(b, LLVMIntUGT, magnitude, splat32(e, 0x7f800000u), "");
    if (ptx_has(i, PTX_MOD_ABS))
        values = magnitude;
    flipped =
        LLVMBuildAnd(b, LLVMBuildAShr(b, values, splat32(e, 31), ""), splat32(e, 0x7fffffffu), "");
    return LLVMBuildXor(b, values, flipped, "");
}

static LLVMValueRef float_of_key(struct jit_emitter *e, LLVMValueRef key, bool vector)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef high = vector ? splat32(e, 31) : jit_i32(e->unit, 31),
                 low = vector ? splat32(e, 0x7fffffffu) : jit_i32(e->unit, 0x7fffffffu);

    return LLVMBuildXor(b, key, LLVMBuildAnd(b, LLVMBuildAShr(b, key, high, ""), low, ""), "");
}

static void choose_redux(struct jit_emitter *e, const struct ptx_instruction *i, struct redux *r)
{
    LLVMTypeRef lanes = jit_vector_type(e, e->unit->i32);
    uint8_t type = i->types[i->type_count - 1];
    bool is_signed = ptx_type_is_signed(type) || type == PTX_F32;

    r->neutral = LLVMConstNull(lanes);
    if (ptx_has(i, PTX_MOD_ADD)) {
        r->name = "llvm.vector.reduce.add";
    } else if (ptx_has(i, PTX_MOD_OR)) {
        r->name = "llvm.vector.reduce.or";
    } else if (ptx_has(i, PTX_MOD_XOR)) {
        r->name = "llvm.vector.reduce.xor";
    } else if (ptx_has(i, PTX_MOD_AND)) {
        r->name = "llvm.vector.reduce.and";
        r->neutral = LLVMConstAllOnes(lanes);
    } else if (ptx_has(i, PTX_MOD_MIN)) {
        r->name = is_signed ? "llvm.vector.reduce.smin" : "llvm.vector.reduce.umin";
        r->neutral = splat32(e, is_signed ? 0x7fffffffu : 0xffffffffu);
    } else {
        r->name = is_signed ? "llvm.vector.reduce.smax" : "llvm.vector.reduce.umax";
        r->neutral = splat32(e, is_signed ? 0x80000000u : 0);
    }
}

static void emit_redux(struct jit_emitter *e, const struct ptx_instruction *i)
{
    LLVMBuilderRef b = e->builder;
    struct redux r = {.who = members(e, i)};
    bool is_float = i->types[i->type_count - 1] == PTX_F32, nans = ptx_has(i, PTX_MOD_NAN);
    LLVMValueRef nan = NULL, result;

    r.values = jit_value_vector(e, jit_operand_read(e, &i->src[0], PTX_B32));
    choose_redux(e, i, &r);
    if (is_float) {
        /* A NaN is the neutral element, or with .NaN beats all numbers: either way its key is one
         * that no number has. */
        bool top = nans == ptx_has(i, PTX_MOD_MAX);

        r.values = float_keys(e, i, r.values, &nan);
        r.values =
            LLVMBuildSelect(b, nan, splat32(e, top ? 0x7fffffffu : 0x80000000u), r.values, "");
    }
    if (r.who.vector) {
        jit_scratch_fill(e, 0, r.who.value);
        jit_emit_lane_loop(e, jit_mask_bits(e), reduce_lane, &r);
        result = jit_scratch_read(e, 1, e->unit->i32);
    } else {
        result = reduce(e, &r, r.who.value);
    }
    if (is_float) {
        LLVMValueRef top = alike(e, jit_i32(e->unit, 0x7fffffffu), r.who),
                     bottom = alike(e, jit_i32(e->unit, 0x80000000u), r.who);
        LLVMValueRef odd = LLVMBuildOr(b, LLVMBuildICmp(b, LLVMIntEQ, result, top, ""),
                                       LLVMBuildICmp(b, LLVMIntEQ, result, bottom, ""), "");

        result = LLVMBuildSelect(b, odd, top, float_of_key(e, result, r.who.vector), "");
    }
    jit_operand_write(e, &i->dst[0], PTX_B32, as(result, r.who));
}

bool jit_emit_warp_op(struct jit_emitter *e, const struct ptx_instruction *i)
{
    switch (i->op) {
    case PTX_OP_shfl:
        emit_shuffle(e, i);
        return true;
    case PTX_OP_vote:
        emit_vote(e, i);
        return true;
    case PTX_OP_match:
        emit_match(e, i);
        return true;
    case PTX_OP_redux:
        emit_redux(e, i);
        return true;
    case PTX_OP_elect:
        emit_elect(e, i);
        return true;
    case PTX_OP_activemask:
        jit_operand_write(e, &i->dst[0], PTX_B32, jit_scalar(jit_mask_bits(e), 0));
        return true;
    default:
        return false;
    }
}
