/* SPDX-License-Identifier: MIT */
/* Work that is done lane by lane: loops over the active lanes, arrays of lanes in memory that such
 * loops index, and gathers and scatters. */
#include "jit/emit/lanes.h"

#include "abi/launch.h"
#include "jit/emit/address.h"
#include "jit/emit/alignment.h"
#include "jit/emit/emitter.h"
#include "jit/emit/fake_uses.h"
#include "jit/emit/gather.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"
#include "jit/emit/peer_access.h"

static LLVMValueRef scratch(struct jit_emitter *e, unsigned which)
{
    if (!e->scratch[JIT_SCRATCH_LANES + which]) {
        e->scratch[JIT_SCRATCH_LANES + which] =
            jit_build_alloca(e, e->unit->i64, 2 * e->width, "scratch");
        LLVMSetAlignment(e->scratch[JIT_SCRATCH_LANES + which], 64);
    }
    return e->scratch[JIT_SCRATCH_LANES + which];
}

LLVMValueRef jit_scratch_lane(struct jit_emitter *e, unsigned which, LLVMTypeRef element,
                              LLVMValueRef lane)
{
    LLVMValueRef index = LLVMBuildZExt(e->builder, lane, e->unit->i64, "");

    return LLVMBuildGEP2(e->builder, element, scratch(e, which), &index, 1, "");
}

void jit_scratch_fill(struct jit_emitter *e, unsigned which, LLVMValueRef vector)
{
    jit_build_store(e, vector, scratch(e, which), 16);
}

/* Elements of lanes that were not written are uninitialised: freeze makes them arbitrary but
 * fixed. */
LLVMValueRef jit_scratch_read(struct jit_emitter *e, unsigned which, LLVMTypeRef element)
{
    LLVMValueRef load = jit_build_load(e, jit_vector_type(e, element), scratch(e, which), 16);

    return LLVMBuildFreeze(e->builder, load, "");
}

struct jit_value jit_value_of_lane(struct jit_emitter *e, struct jit_value value, unsigned which,
                                   LLVMValueRef lane)
{
    LLVMTypeRef type = LLVMTypeOf(value.value);

    if (value.vector) {
        type = LLVMGetElementType(type);
        return jit_scalar(
            LLVMBuildLoad2(e->builder, type, jit_scratch_lane(e, which, type, lane), ""), 0);
    }
    if (!jit_value_is_uniform(&value)) {
        LLVMValueRef step = LLVMBuildZExtOrBitCast(e->builder, lane, type, "");

        step = LLVMBuildMul(e->builder, step, LLVMConstInt(type, (uint64_t)value.stride, true), "");
        if (value.jump) {
            LLVMValueRef upper =
                LLVMBuildICmp(e->builder, LLVMIntUGE, lane, jit_i32(e->unit, 16), "");

            upper =
                LLVMBuildSelect(e->builder, upper, LLVMConstInt(type, (uint64_t)value.jump, true),
                                LLVMConstNull(type), "");
            step = LLVMBuildAdd(e->builder, step, upper, "");
        }
        return jit_scalar(LLVMBuildAdd(e->builder, value.value, step, ""), 0);
    }
    return value;
}

void jit_emit_lane_loop(struct jit_emitter *e, LLVMValueRef bits, jit_lane_function *emit,
                        void *context)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef before = jit_build_here(e), loop = jit_build_block(e, "lanes"),
                      after = jit_build_block(e, "lanes.end"), end;
    LLVMValueRef left, arguments[2], lane, rest, values[2];
    LLVMBasicBlockRef from[2];

    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, bits, jit_i32(unit, 0), ""), after, loop);
    jit_build_at(e, loop);
    left = LLVMBuildPhi(b, unit->i32, "left");
    arguments[0] = left;
    arguments[1] = LLVMConstInt(unit->i1, 1, false);
    lane = jit_build_call(e, "llvm.cttz", unit->i32, arguments, 2);
    emit(e, lane, context);
    rest = LLVMBuildAnd(b, left, LLVMBuildSub(b, left, jit_i32(unit, 1), ""), "");
    end = jit_build_here(e);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, rest, jit_i32(unit, 0), ""), after, loop);
    values[0] = bits;
    values[1] = rest;
    from[0] = before;
    from[1] = end;
    LLVMAddIncoming(left, values, from, 2);
    jit_build_at(e, after);
}

struct each {
    const struct jit_access *access;
    const LLVMValueRef *values;
    bool store;
};

static LLVMValueRef pointer_of_part(struct jit_emitter *e, const struct jit_access *access,
                                    LLVMValueRef address, unsigned part)
{
    if (part)
        address =
            LLVMBuildAdd(e->builder, address, jit_i64(e->unit, (uint64_t)part * access->bytes), "");
    return LLVMBuildIntToPtr(e->builder, address, e->unit->ptr, "");
}

static void qualify(const struct jit_emitter *e, const struct jit_access *access, LLVMValueRef op)
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
        LLVMSetMetadata(op, e->unit->invariant_kind, e->unit->invariant);
}

static LLVMValueRef load_part(struct jit_emitter *e, const struct jit_access *access,
                              LLVMValueRef address, unsigned part)
{
    LLVMValueRef load =
        LLVMBuildLoad2(e->builder, access->element, pointer_of_part(e, access, address, part), "");

    qualify(e, access, load);
    if (access->demanded)
        jit_fake_use_add(e, load);
    return load;
}

static void store_part(struct jit_emitter *e, const struct jit_access *access, LLVMValueRef address,
                       unsigned part, LLVMValueRef value)
{
    qualify(e, access,
            LLVMBuildStore(e->builder, value, pointer_of_part(e, access, address, part)));
}

bool jit_lanes_are_whole(const struct jit_emitter *e, const struct jit_access *access)
{
    return access->count > 1 && !access->strong && !e->unit->outlines &&
           access->bytes * access->count <= 16;
}

/* Moves all elements of a lane between memory and array 1. */
static void move_lane(struct jit_emitter *e, const struct jit_access *access, LLVMValueRef address,
                      LLVMValueRef lane, bool store)
{
    LLVMTypeRef type = LLVMVectorType(access->element, access->count);
    LLVMValueRef place = jit_scratch_lane(e, 1, type, lane),
                 memory = pointer_of_part(e, access, address, 0), load, other;

    load = LLVMBuildLoad2(e->builder, type, store ? place : memory, "");
    other = LLVMBuildStore(e->builder, load, store ? memory : place);
    LLVMSetAlignment(store ? load : other, access->bytes * access->count);
    qualify(e, access, store ? other : load);
    if (access->demanded && !store)
        jit_fake_use_add(e, load);
}

/* The access of one lane. Scratch array 0 has the addresses, array 1 and those after it the
 * elements. */
static void one_lane(struct jit_emitter *e, LLVMValueRef lane, void *context)
{
    const struct each *each = context;
    const struct jit_access *access = each->access;
    LLVMValueRef address = jit_value_of_lane(e, access->address, 0, lane).value;

    if (access->shared && !access->address.vector)
        address = jit_shared_wrap(e, address);
    if (access->each)
        jit_alignment_check_lane(e, lane, address, access->bytes * access->count, access->line);
    if (access->checked)
        jit_access_check_lane(e, lane, address, access->bytes * access->count,
                              each->store ? CUP_MAY_WRITE : CUP_MAY_READ, access->line);
    if (jit_lanes_are_whole(e, access)) {
        move_lane(e, access, address, lane, each->store);
        return;
    }
    for (unsigned part = 0; part < access->count; part++) {
        LLVMValueRef place = jit_scratch_lane(e, 1 + part, access->element, lane);

        if (each->store)
            store_part(e, access, address, part,
                       LLVMBuildLoad2(e->builder, access->element, place, ""));
        else
            LLVMBuildStore(e->builder, load_part(e, access, address, part), place);
    }
}

static LLVMValueRef lane_of_address(struct jit_emitter *e, const struct jit_access *access,
                                    unsigned lane)
{
    struct jit_value address = access->address;
    LLVMValueRef one;

    if (address.vector)
        return LLVMBuildExtractElement(e->builder, address.value, jit_i32(e->unit, lane), "");
    one = LLVMBuildAdd(e->builder, address.value,
                       jit_i64(e->unit, (uint64_t)(address.stride * (int64_t)lane +
                                                   (lane >= 16 ? address.jump : 0))),
                       "");
    return access->shared ? jit_shared_wrap(e, one) : one;
}

static void check_inline(struct jit_emitter *e, const struct jit_access *access, unsigned wanted)
{
    LLVMValueRef addresses[32];

    if (!access->checked)
        return;
    for (unsigned lane = 0; lane < e->width; lane++)
        addresses[lane] = lane_of_address(e, access, lane);
    jit_access_check_each(e, addresses, access->bytes * access->count, wanted, access->line);
}

static bool is_inline(const struct jit_emitter *e, const struct jit_access *access)
{
    return (!jit_emitter_is_masked(e) || access->own) && e->width * access->count <= 32 &&
           e->width < 32;
}

static void loop_over_lanes(struct jit_emitter *e, struct each *each)
{
    if (each->access->address.vector)
        jit_scratch_fill(e, 0, each->access->address.value);
    jit_emit_lane_loop(e, jit_mask_bits(e), one_lane, each);
}

LLVMValueRef jit_emit_whole_gather(struct jit_emitter *e, const struct jit_access *access)
{
    struct each each = {access, NULL, false};
    LLVMTypeRef type = LLVMVectorType(access->element, e->width * access->count);

    if (jit_gathers(e, access))
        return jit_gather(e, access);
    loop_over_lanes(e, &each);
    return LLVMBuildFreeze(e->builder, jit_build_load(e, type, scratch(e, 1), 16), "");
}

void jit_emit_gather(struct jit_emitter *e, const struct jit_access *access, LLVMValueRef *values)
{
    struct each each = {access, NULL, false};

    if (is_inline(e, access)) {
        check_inline(e, access, CUP_MAY_READ);
        for (unsigned part = 0; part < access->count; part++)
            values[part] = LLVMGetPoison(jit_vector_type(e, access->element));
        for (unsigned lane = 0; lane < e->width; lane++) {
            LLVMValueRef address = lane_of_address(e, access, lane);

            for (unsigned part = 0; part < access->count; part++)
                values[part] = LLVMBuildInsertElement(e->builder, values[part],
                                                      load_part(e, access, address, part),
                                                      jit_i32(e->unit, lane), "");
        }
        return;
    }
    if (jit_lanes_are_whole(e, access) || jit_gathers(e, access)) {
        LLVMValueRef all = jit_emit_whole_gather(e, access);

        for (unsigned part = 0; part < access->count; part++)
            values[part] = jit_parts_take(e, all, part, access->count);
        return;
    }
    loop_over_lanes(e, &each);
    for (unsigned part = 0; part < access->count; part++)
        values[part] = jit_scratch_read(e, 1 + part, access->element);
}

void jit_emit_gather_otherwise(struct jit_emitter *e, const struct jit_access *access,
                               LLVMBasicBlockRef other, LLVMValueRef *values)
{
    LLVMBasicBlockRef after = jit_build_block(e, "load.end"), from[2];
    LLVMValueRef gathered[8];

    from[0] = jit_build_here(e);
    LLVMBuildBr(e->builder, after);
    jit_build_at(e, other);
    jit_emit_gather(e, access, gathered);
    from[1] = jit_build_here(e);
    LLVMBuildBr(e->builder, after);
    jit_build_at(e, after);
    for (unsigned part = 0; part < access->count; part++) {
        LLVMValueRef both[2] = {values[part], gathered[part]};

        values[part] = LLVMBuildPhi(e->builder, LLVMTypeOf(both[0]), "");
        LLVMAddIncoming(values[part], both, from, 2);
    }
}

void jit_emit_scatter(struct jit_emitter *e, const struct jit_access *access,
                      const LLVMValueRef *values)
{
    struct each each = {access, values, true};

    if (!jit_emitter_is_masked(e) && is_inline(e, access)) {
        check_inline(e, access, CUP_MAY_WRITE);
        for (unsigned lane = 0; lane < e->width; lane++) {
            LLVMValueRef address = lane_of_address(e, access, lane);

            for (unsigned part = 0; part < access->count; part++)
                store_part(
                    e, access, address, part,
                    LLVMBuildExtractElement(e->builder, values[part], jit_i32(e->unit, lane), ""));
        }
        return;
    }
    if (jit_gathers(e, access)) {
        jit_scatter(e, access,
                    access->all ? access->all : jit_parts_join(e, values, access->count));
        return;
    }
    if (jit_lanes_are_whole(e, access))
        jit_scratch_fill(e, 1,
                         access->all ? access->all : jit_parts_join(e, values, access->count));
    else
        for (unsigned part = 0; part < access->count; part++)
            jit_scratch_fill(e, 1 + part, values[part]);
    loop_over_lanes(e, &each);
}
