/* SPDX-License-Identifier: MIT */
/* Work that is done lane by lane: loops over the active lanes, arrays of lanes in memory that such
 * loops index, and gathers and scatters. */
#include "jit/emit/lanes.h"

#include "abi/launch.h"
#include "jit/emit/peer_access.h"
#include "jit/emit/address.h"
#include "jit/emit/alignment.h"
#include "jit/emit/body.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"
#include "jit/emit/fake_uses.h"

static LLVMValueRef scratch(struct jit_body *body, unsigned which)
{
    if (!body->scratch.lanes[which]) {
        body->scratch.lanes[which] =
            jit_build_alloca(body, body->unit->i64, 2 * body->width, "scratch");
        LLVMSetAlignment(body->scratch.lanes[which], 64);
    }
    return body->scratch.lanes[which];
}

LLVMValueRef jit_scratch_lane(struct jit_body *body, unsigned which, LLVMTypeRef element,
                              LLVMValueRef lane)
{
    LLVMValueRef index = LLVMBuildZExt(body->builder, lane, body->unit->i64, "");

    return LLVMBuildGEP2(body->builder, element, scratch(body, which), &index, 1, "");
}

void jit_scratch_fill(struct jit_body *body, unsigned which, LLVMValueRef vector)
{
    jit_build_store(body, vector, scratch(body, which), 16);
}

/* Elements of lanes that were not written are uninitialised: freeze makes them arbitrary but
 * fixed. */
LLVMValueRef jit_scratch_read(struct jit_body *body, unsigned which, LLVMTypeRef element)
{
    LLVMValueRef load =
        jit_build_load(body, jit_vector_type(body, element), scratch(body, which), 16);

    return LLVMBuildFreeze(body->builder, load, "");
}

struct jit_value jit_value_of_lane(struct jit_body *body, struct jit_value value, unsigned which,
                                   LLVMValueRef lane)
{
    LLVMTypeRef type = LLVMTypeOf(value.value);

    if (value.vector) {
        type = LLVMGetElementType(type);
        return jit_scalar(
            LLVMBuildLoad2(body->builder, type, jit_scratch_lane(body, which, type, lane), ""), 0);
    }
    if (!jit_value_is_uniform(&value)) {
        LLVMValueRef step = LLVMBuildZExtOrBitCast(body->builder, lane, type, "");

        step =
            LLVMBuildMul(body->builder, step, LLVMConstInt(type, (uint64_t)value.stride, true), "");
        if (value.jump) {
            LLVMValueRef upper =
                LLVMBuildICmp(body->builder, LLVMIntUGE, lane, jit_i32(body->unit, 16), "");

            upper = LLVMBuildSelect(body->builder, upper,
                                    LLVMConstInt(type, (uint64_t)value.jump, true),
                                    LLVMConstNull(type), "");
            step = LLVMBuildAdd(body->builder, step, upper, "");
        }
        return jit_scalar(LLVMBuildAdd(body->builder, value.value, step, ""), 0);
    }
    return value;
}

void jit_emit_lane_loop(struct jit_body *body, LLVMValueRef bits, jit_lane_function *emit,
                        void *context)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef before = jit_build_here(body), loop = jit_build_block(body, "lanes"),
                      after = jit_build_block(body, "lanes.end"), end;
    LLVMValueRef left, arguments[2], lane, rest, values[2];
    LLVMBasicBlockRef from[2];

    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, bits, jit_i32(unit, 0), ""), after, loop);
    jit_build_at(body, loop);
    left = LLVMBuildPhi(b, unit->i32, "left");
    arguments[0] = left;
    arguments[1] = LLVMConstInt(unit->i1, 1, false);
    lane = jit_build_call(body, "llvm.cttz", unit->i32, arguments, 2);
    emit(body, lane, context);
    rest = LLVMBuildAnd(b, left, LLVMBuildSub(b, left, jit_i32(unit, 1), ""), "");
    end = jit_build_here(body);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, rest, jit_i32(unit, 0), ""), after, loop);
    values[0] = bits;
    values[1] = rest;
    from[0] = before;
    from[1] = end;
    LLVMAddIncoming(left, values, from, 2);
    jit_build_at(body, after);
}

struct each {
    const struct jit_access *access;
    const LLVMValueRef *values;
    bool store;
};

static LLVMValueRef pointer_of_part(struct jit_body *body, const struct jit_access *access,
                                    LLVMValueRef address, unsigned part)
{
    if (part)
        address = LLVMBuildAdd(body->builder, address,
                               jit_i64(body->unit, (uint64_t)part * access->bytes), "");
    return LLVMBuildIntToPtr(body->builder, address, body->unit->ptr, "");
}

static void qualify(const struct jit_body *body, const struct jit_access *access, LLVMValueRef op)
{
    LLVMSetAlignment(op, 1);
    if (access->strong && access->bytes == 16) {
        LLVMSetAlignment(op, 16);
        LLVMSetOrdering(op, LLVMAtomicOrderingMonotonic);
    } else if (access->strong) {
        LLVMSetAlignment(op, access->bytes);
        LLVMSetVolatile(op, true);
    }
    if (access->invariant)
        LLVMSetMetadata(op, body->unit->invariant_kind, body->unit->invariant);
}

static LLVMValueRef load_part(struct jit_body *body, const struct jit_access *access,
                              LLVMValueRef address, unsigned part)
{
    LLVMValueRef load = LLVMBuildLoad2(body->builder, access->element,
                                       pointer_of_part(body, access, address, part), "");

    qualify(body, access, load);
    if (access->demanded)
        jit_fake_use_add(body, load);
    return load;
}

static void store_part(struct jit_body *body, const struct jit_access *access, LLVMValueRef address,
                       unsigned part, LLVMValueRef value)
{
    qualify(body, access,
            LLVMBuildStore(body->builder, value, pointer_of_part(body, access, address, part)));
}

bool jit_lanes_are_whole(const struct jit_body *body, const struct jit_access *access)
{
    return access->count > 1 && !access->strong && !body->unit->outlines &&
           access->bytes * access->count <= 16;
}

/* Moves all elements of a lane between memory and array 1. */
static void move_lane(struct jit_body *body, const struct jit_access *access, LLVMValueRef address,
                      LLVMValueRef lane, bool store)
{
    LLVMTypeRef type = LLVMVectorType(access->element, access->count);
    LLVMValueRef place = jit_scratch_lane(body, 1, type, lane),
                 memory = pointer_of_part(body, access, address, 0), load, other;

    load = LLVMBuildLoad2(body->builder, type, store ? place : memory, "");
    other = LLVMBuildStore(body->builder, load, store ? memory : place);
    LLVMSetAlignment(store ? load : other, access->bytes * access->count);
    qualify(body, access, store ? other : load);
    if (access->demanded && !store)
        jit_fake_use_add(body, load);
}

/* The access of one lane. Scratch array 0 has the addresses, array 1 and those after it the
 * elements. */
static void one_lane(struct jit_body *body, LLVMValueRef lane, void *context)
{
    const struct each *each = context;
    const struct jit_access *access = each->access;
    LLVMValueRef address = jit_value_of_lane(body, access->address, 0, lane).value;

    if (access->shared && !access->address.vector)
        address = jit_shared_wrap(body, address);
    if (access->each)
        jit_alignment_check_lane(body, lane, address, access->bytes * access->count, access->line);
    if (access->checked)
        jit_access_check_lane(body, lane, address, access->bytes * access->count,
                              each->store ? CUP_MAY_WRITE : CUP_MAY_READ, access->line);
    if (jit_lanes_are_whole(body, access)) {
        move_lane(body, access, address, lane, each->store);
        return;
    }
    for (unsigned part = 0; part < access->count; part++) {
        LLVMValueRef place = jit_scratch_lane(body, 1 + part, access->element, lane);

        if (each->store)
            store_part(body, access, address, part,
                       LLVMBuildLoad2(body->builder, access->element, place, ""));
        else
            LLVMBuildStore(body->builder, load_part(body, access, address, part), place);
    }
}

static LLVMValueRef lane_of_address(struct jit_body *body, const struct jit_access *access,
                                    unsigned lane)
{
    struct jit_value address = access->address;
    LLVMValueRef one;

    if (address.vector)
        return LLVMBuildExtractElement(body->builder, address.value, jit_i32(body->unit, lane), "");
    one = LLVMBuildAdd(body->builder, address.value,
                       jit_i64(body->unit, (uint64_t)(address.stride * (int64_t)lane +
                                                      (lane >= 16 ? address.jump : 0))),
                       "");
    return access->shared ? jit_shared_wrap(body, one) : one;
}

static void check_inline(struct jit_body *body, const struct jit_access *access, unsigned wanted)
{
    LLVMValueRef addresses[32];

    if (!access->checked)
        return;
    for (unsigned lane = 0; lane < body->width; lane++)
        addresses[lane] = lane_of_address(body, access, lane);
    jit_access_check_each(body, addresses, access->bytes * access->count, wanted, access->line);
}

static bool is_inline(const struct jit_body *body, const struct jit_access *access)
{
    return (!jit_body_is_masked(body) || access->own) && body->width * access->count <= 32 &&
           body->width < 32;
}

static void loop_over_lanes(struct jit_body *body, struct each *each)
{
    if (each->access->address.vector)
        jit_scratch_fill(body, 0, each->access->address.value);
    jit_emit_lane_loop(body, jit_mask_bits(body), one_lane, each);
}

LLVMValueRef jit_emit_whole_gather(struct jit_body *body, const struct jit_access *access)
{
    struct each each = {access, NULL, false};
    LLVMTypeRef type = LLVMVectorType(access->element, body->width * access->count);

    loop_over_lanes(body, &each);
    return LLVMBuildFreeze(body->builder, jit_build_load(body, type, scratch(body, 1), 16), "");
}

void jit_emit_gather(struct jit_body *body, const struct jit_access *access, LLVMValueRef *values)
{
    struct each each = {access, NULL, false};

    if (is_inline(body, access)) {
        check_inline(body, access, CUP_MAY_READ);
        for (unsigned part = 0; part < access->count; part++)
            values[part] = LLVMGetPoison(jit_vector_type(body, access->element));
        for (unsigned lane = 0; lane < body->width; lane++) {
            LLVMValueRef address = lane_of_address(body, access, lane);

            for (unsigned part = 0; part < access->count; part++)
                values[part] = LLVMBuildInsertElement(body->builder, values[part],
                                                      load_part(body, access, address, part),
                                                      jit_i32(body->unit, lane), "");
        }
        return;
    }
    if (jit_lanes_are_whole(body, access)) {
        LLVMValueRef all = jit_emit_whole_gather(body, access);

        for (unsigned part = 0; part < access->count; part++)
            values[part] = jit_parts_take(body, all, part, access->count);
        return;
    }
    loop_over_lanes(body, &each);
    for (unsigned part = 0; part < access->count; part++)
        values[part] = jit_scratch_read(body, 1 + part, access->element);
}

void jit_emit_gather_otherwise(struct jit_body *body, const struct jit_access *access,
                               LLVMBasicBlockRef other, LLVMValueRef *values)
{
    LLVMBasicBlockRef after = jit_build_block(body, "load.end"), from[2];
    LLVMValueRef gathered[8];

    from[0] = jit_build_here(body);
    LLVMBuildBr(body->builder, after);
    jit_build_at(body, other);
    jit_emit_gather(body, access, gathered);
    from[1] = jit_build_here(body);
    LLVMBuildBr(body->builder, after);
    jit_build_at(body, after);
    for (unsigned part = 0; part < access->count; part++) {
        LLVMValueRef both[2] = {values[part], gathered[part]};

        values[part] = LLVMBuildPhi(body->builder, LLVMTypeOf(both[0]), "");
        LLVMAddIncoming(values[part], both, from, 2);
    }
}

void jit_emit_scatter(struct jit_body *body, const struct jit_access *access,
                      const LLVMValueRef *values)
{
    struct each each = {access, values, true};

    if (!jit_body_is_masked(body) && is_inline(body, access)) {
        check_inline(body, access, CUP_MAY_WRITE);
        for (unsigned lane = 0; lane < body->width; lane++) {
            LLVMValueRef address = lane_of_address(body, access, lane);

            for (unsigned part = 0; part < access->count; part++)
                store_part(body, access, address, part,
                           LLVMBuildExtractElement(body->builder, values[part],
                                                   jit_i32(body->unit, lane), ""));
        }
        return;
    }
    if (jit_lanes_are_whole(body, access))
        jit_scratch_fill(body, 1,
                         access->all ? access->all : jit_parts_join(body, values, access->count));
    else
        for (unsigned part = 0; part < access->count; part++)
            jit_scratch_fill(body, 1 + part, values[part]);
    loop_over_lanes(body, &each);
}
