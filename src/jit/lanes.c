/* SPDX-License-Identifier: MIT */
/* Work that is done lane after lane: loops over the active lanes, arrays of lanes in memory that
 * they index, and loads and stores whose addresses follow no pattern. */
#include "jit/compile.h"

static LLVMValueRef scratch(struct cup_body *body, unsigned which)
{
    if (!body->scratch[which]) {
        body->scratch[which] = cup_build_alloca(body, body->unit->i64, 2 * body->width, "scratch");
        LLVMSetAlignment(body->scratch[which], 64);
    }
    return body->scratch[which];
}

LLVMValueRef cup_scratch_lane(struct cup_body *body, unsigned which, LLVMTypeRef element,
                              LLVMValueRef lane)
{
    LLVMValueRef index = LLVMBuildZExt(body->builder, lane, body->unit->i64, "");

    return LLVMBuildGEP2(body->builder, element, scratch(body, which), &index, 1, "");
}

void cup_scratch_fill(struct cup_body *body, unsigned which, LLVMValueRef vector)
{
    cup_build_store(body, vector, scratch(body, which), 16);
}

/* Lanes that were not written hold what was there before: any value, but one. */
LLVMValueRef cup_scratch_read(struct cup_body *body, unsigned which, LLVMTypeRef element)
{
    LLVMValueRef load =
        cup_build_load(body, cup_vector_type(body, element), scratch(body, which), 16);

    return LLVMBuildFreeze(body->builder, load, "");
}

struct cup_value cup_value_of_lane(struct cup_body *body, struct cup_value value, unsigned which,
                                   LLVMValueRef lane)
{
    LLVMTypeRef type = LLVMTypeOf(value.value);

    if (value.vector) {
        type = LLVMGetElementType(type);
        return cup_scalar(
            LLVMBuildLoad2(body->builder, type, cup_scratch_lane(body, which, type, lane), ""), 0);
    }
    if (!cup_value_is_uniform(&value)) {
        LLVMValueRef step = LLVMBuildZExtOrBitCast(body->builder, lane, type, "");

        step =
            LLVMBuildMul(body->builder, step, LLVMConstInt(type, (uint64_t)value.stride, true), "");
        if (value.jump) {
            LLVMValueRef upper =
                LLVMBuildICmp(body->builder, LLVMIntUGE, lane, cup_i32(body->unit, 16), "");

            upper = LLVMBuildSelect(body->builder, upper,
                                    LLVMConstInt(type, (uint64_t)value.jump, true),
                                    LLVMConstNull(type), "");
            step = LLVMBuildAdd(body->builder, step, upper, "");
        }
        return cup_scalar(LLVMBuildAdd(body->builder, value.value, step, ""), 0);
    }
    return value;
}

void cup_emit_lane_loop(struct cup_body *body, LLVMValueRef bits, cup_lane_function *emit,
                        void *context)
{
    struct cup_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef before = cup_build_here(body), loop = cup_build_block(body, "lanes"),
                      after = cup_build_block(body, "lanes.end"), end;
    LLVMValueRef left, arguments[2], lane, rest, values[2];
    LLVMBasicBlockRef from[2];

    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, bits, cup_i32(unit, 0), ""), after, loop);
    cup_build_at(body, loop);
    left = LLVMBuildPhi(b, unit->i32, "left");
    arguments[0] = left;
    arguments[1] = LLVMConstInt(unit->i1, 1, false);
    lane = cup_build_call(body, "llvm.cttz", unit->i32, arguments, 2);
    emit(body, lane, context);
    rest = LLVMBuildAnd(b, left, LLVMBuildSub(b, left, cup_i32(unit, 1), ""), "");
    end = cup_build_here(body);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, rest, cup_i32(unit, 0), ""), after, loop);
    values[0] = bits;
    values[1] = rest;
    from[0] = before;
    from[1] = end;
    LLVMAddIncoming(left, values, from, 2);
    cup_build_at(body, after);
}

/* ---- Gather and scatter ---- */

struct each {
    const struct cup_access *access;
    const LLVMValueRef *values;
    bool store;
};

static LLVMValueRef pointer_of_part(struct cup_body *body, const struct cup_access *access,
                                    LLVMValueRef address, unsigned part)
{
    if (part)
        address = LLVMBuildAdd(body->builder, address,
                               cup_i64(body->unit, (uint64_t)part * access->bytes), "");
    return LLVMBuildIntToPtr(body->builder, address, body->unit->ptr, "");
}

static void qualify(const struct cup_body *body, const struct cup_access *access, LLVMValueRef op)
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

static LLVMValueRef load_part(struct cup_body *body, const struct cup_access *access,
                              LLVMValueRef address, unsigned part)
{
    LLVMValueRef load = LLVMBuildLoad2(body->builder, access->element,
                                       pointer_of_part(body, access, address, part), "");

    qualify(body, access, load);
    return load;
}

static void store_part(struct cup_body *body, const struct cup_access *access, LLVMValueRef address,
                       unsigned part, LLVMValueRef value)
{
    qualify(body, access,
            LLVMBuildStore(body->builder, value, pointer_of_part(body, access, address, part)));
}

/* scratch[0]: addresses, scratch[1…]: the elements. */
static void one_lane(struct cup_body *body, LLVMValueRef lane, void *context)
{
    const struct each *each = context;
    const struct cup_access *access = each->access;
    LLVMValueRef address = cup_value_of_lane(body, access->address, 0, lane).value;

    if (access->each)
        cup_alignment_note(body, cup_scalar(address, 0), access->bytes * access->count);
    if (access->checked)
        cup_access_check_lane(body, lane, address, access->bytes * access->count,
                              each->store ? CUP_MAY_WRITE : CUP_MAY_READ, access->line);
    for (unsigned part = 0; part < access->count; part++) {
        LLVMValueRef place = cup_scratch_lane(body, 1 + part, access->element, lane);

        if (each->store)
            store_part(body, access, address, part,
                       LLVMBuildLoad2(body->builder, access->element, place, ""));
        else
            LLVMBuildStore(body->builder, load_part(body, access, address, part), place);
    }
}

static LLVMValueRef lane_of_address(struct cup_body *body, struct cup_value address, unsigned lane)
{
    if (address.vector)
        return LLVMBuildExtractElement(body->builder, address.value, cup_i32(body->unit, lane), "");
    return LLVMBuildAdd(body->builder, address.value,
                        cup_i64(body->unit, (uint64_t)(address.stride * (int64_t)lane +
                                                       (lane >= 16 ? address.jump : 0))),
                        "");
}

static void check_inline(struct cup_body *body, const struct cup_access *access, unsigned wanted)
{
    LLVMValueRef addresses[32];

    if (!access->checked)
        return;
    for (unsigned lane = 0; lane < body->width; lane++)
        addresses[lane] = lane_of_address(body, access->address, lane);
    cup_access_check_each(body, addresses, access->bytes * access->count, wanted, access->line);
}

static bool is_inline(const struct cup_body *body, const struct cup_access *access)
{
    return (!body->slow || access->own) && body->width * access->count <= 32 && body->width < 32;
}

void cup_emit_gather(struct cup_body *body, const struct cup_access *access, LLVMValueRef *values)
{
    struct each each = {access, NULL, false};

    if (is_inline(body, access)) {
        check_inline(body, access, CUP_MAY_READ);
        for (unsigned part = 0; part < access->count; part++)
            values[part] = LLVMGetPoison(cup_vector_type(body, access->element));
        for (unsigned lane = 0; lane < body->width; lane++) {
            LLVMValueRef address = lane_of_address(body, access->address, lane);

            for (unsigned part = 0; part < access->count; part++)
                values[part] = LLVMBuildInsertElement(body->builder, values[part],
                                                      load_part(body, access, address, part),
                                                      cup_i32(body->unit, lane), "");
        }
        return;
    }
    if (access->address.vector)
        cup_scratch_fill(body, 0, access->address.value);
    cup_emit_lane_loop(body, cup_mask_bits(body), one_lane, &each);
    for (unsigned part = 0; part < access->count; part++)
        values[part] = cup_scratch_read(body, 1 + part, access->element);
}

void cup_emit_scatter(struct cup_body *body, const struct cup_access *access,
                      const LLVMValueRef *values)
{
    struct each each = {access, values, true};

    if (!body->slow && is_inline(body, access)) {
        check_inline(body, access, CUP_MAY_WRITE);
        for (unsigned lane = 0; lane < body->width; lane++) {
            LLVMValueRef address = lane_of_address(body, access->address, lane);

            for (unsigned part = 0; part < access->count; part++)
                store_part(body, access, address, part,
                           LLVMBuildExtractElement(body->builder, values[part],
                                                   cup_i32(body->unit, lane), ""));
        }
        return;
    }
    if (access->address.vector)
        cup_scratch_fill(body, 0, access->address.value);
    for (unsigned part = 0; part < access->count; part++)
        cup_scratch_fill(body, 1 + part, values[part]);
    cup_emit_lane_loop(body, cup_mask_bits(body), one_lane, &each);
}
