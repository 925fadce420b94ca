/* SPDX-License-Identifier: MIT */
/* Registers and operands. A register is an alloca, of a scalar or of a vector as its class says;
 * LLVM makes values of them. Predicates are kept as bytes: vectors of i1 that live across blocks
 * fall apart into single bits on many processors. */
#include "jit/compile.h"

#include <llvm-c/Target.h>

static uint8_t type_of_register(const struct cup_body *body, uint32_t reg)
{
    return reg == body->cfg.carry ? PTX_PRED : body->function->registers[reg].type;
}

static LLVMTypeRef stored_type(struct cup_body *body, uint32_t reg, bool slow)
{
    LLVMTypeRef type = cup_type_of(body->unit, type_of_register(body, reg));

    if (body->classes[slow][reg].kind != CUP_CLASS_VARYING)
        return type;
    return LLVMVectorType(type == body->unit->i1 ? body->unit->i8 : type, body->unit->width);
}

/* Made when first needed: most declared registers are never used. */
static LLVMValueRef place_of(struct cup_body *body, uint32_t reg, bool slow)
{
    if (slow && body->slow_places && body->slow_places[reg])
        return cup_build_offset(body, body->frame, cup_i64(body->unit, body->slow_places[reg]));
    if (!body->registers[slow][reg])
        body->registers[slow][reg] = cup_build_alloca(
            body, stored_type(body, reg, slow), 1,
            reg == body->cfg.carry ? "carry" : body->function->registers[reg].name);
    return body->registers[slow][reg];
}

static bool has(const uint64_t *set, uint32_t bit)
{
    return set && set[bit / 64] >> (bit % 64) & 1;
}

/* What is live where nodes begin must not come from the vector before. Registers in memory do not:
 * there only those count that are read before they are written. */
void cup_registers_clear(struct cup_body *body, bool slow, const uint64_t *except)
{
    const uint64_t *wanted =
        slow && body->chunked ? body->cfg.nodes[0].live_in : body->cfg.anywhere;

    for (uint32_t reg = 0; reg < body->cfg.register_count; reg++)
        if (has(wanted, reg) && !has(except, reg))
            LLVMBuildStore(body->builder, LLVMConstNull(stored_type(body, reg, slow)),
                           place_of(body, reg, slow));
}

struct cup_value cup_scalar(LLVMValueRef value, int64_t stride)
{
    return (struct cup_value){value, stride, false, 0};
}

struct cup_value cup_vector(LLVMValueRef value)
{
    return (struct cup_value){value, 0, true, 0};
}

LLVMValueRef cup_value_vector(struct cup_body *body, struct cup_value value)
{
    LLVMValueRef steps[64], splat;
    LLVMTypeRef type;

    if (value.vector)
        return value.value;
    splat = cup_build_splat(body, value.value);
    if (cup_value_is_uniform(&value))
        return splat;
    type = LLVMTypeOf(value.value);
    for (unsigned lane = 0; lane < body->width; lane++)
        steps[lane] = LLVMConstInt(
            type, (uint64_t)(value.stride * (int64_t)lane + (lane >= 16 ? value.jump : 0)), true);
    if (body->chunk) {
        LLVMValueRef ahead = LLVMBuildZExtOrBitCast(body->builder, body->chunk, type, "");

        ahead = LLVMBuildMul(body->builder, ahead, LLVMConstInt(type, (uint64_t)value.stride, true),
                             "");
        if (value.jump)
            ahead =
                LLVMBuildAdd(body->builder, ahead,
                             LLVMBuildSelect(body->builder,
                                             LLVMBuildICmp(body->builder, LLVMIntUGE, body->chunk,
                                                           cup_i32(body->unit, 16), ""),
                                             LLVMConstInt(type, (uint64_t)value.jump, true),
                                             LLVMConstNull(type), ""),
                             "");
        splat = LLVMBuildAdd(body->builder, splat, cup_build_splat(body, ahead), "");
    }
    return LLVMBuildAdd(body->builder, splat, LLVMConstVector(steps, body->width), "");
}

LLVMTypeRef cup_register_element(struct cup_body *body, uint32_t reg)
{
    LLVMTypeRef type = cup_type_of(body->unit, type_of_register(body, reg));

    return type == body->unit->i1 ? body->unit->i8 : type;
}

bool cup_register_is_array(const struct cup_body *body, uint32_t reg)
{
    return body->chunked && body->slow && body->classes[1][reg].kind == CUP_CLASS_VARYING;
}

LLVMValueRef cup_register_lane(struct cup_body *body, uint32_t reg, LLVMValueRef lane)
{
    LLVMValueRef index = LLVMBuildZExt(body->builder, lane, body->unit->i64, "");

    return LLVMBuildGEP2(body->builder, cup_register_element(body, reg), place_of(body, reg, true),
                         &index, 1, "");
}

static struct cup_value read_from(struct cup_body *body, uint32_t reg, bool slow)
{
    const struct cup_class *class = &body->classes[slow][reg];
    LLVMTypeRef type = stored_type(body, reg, slow);
    LLVMValueRef place = place_of(body, reg, slow), value;
    bool by_chunk = slow && body->chunk && class->kind == CUP_CLASS_VARYING;

    if (by_chunk && body->cache[reg])
        return cup_vector(body->cache[reg]);
    if (by_chunk) {
        type = cup_vector_type(body, cup_register_element(body, reg));
        place = cup_register_lane(body, reg, body->chunk);
    }
    value = LLVMBuildLoad2(body->builder, type, place, "");
    if (class->kind != CUP_CLASS_VARYING)
        return (struct cup_value){value, class->stride, false, class->jump};
    if (type_of_register(body, reg) == PTX_PRED)
        value = LLVMBuildICmp(body->builder, LLVMIntSLT, value, LLVMConstNull(type), "");
    if (by_chunk)
        body->cache[reg] = value;
    return cup_vector(value);
}

struct cup_value cup_register_read(struct cup_body *body, uint32_t reg)
{
    return read_from(body, reg, body->slow);
}

static void write_to(struct cup_body *body, uint32_t reg, bool slow, struct cup_value value)
{
    LLVMValueRef stored;

    if (body->classes[slow][reg].kind != CUP_CLASS_VARYING) {
        stored = value.value;
        if (value.vector)
            stored = LLVMBuildExtractElement(body->builder, stored, cup_i32(body->unit, 0), "");
    } else {
        stored = cup_value_vector(body, value);
        if (slow && body->chunk) {
            body->cache[reg] = stored;
            body->dirty[reg] = true;
            return;
        }
        if (type_of_register(body, reg) == PTX_PRED)
            stored = LLVMBuildSExt(body->builder, stored, stored_type(body, reg, slow), "");
    }
    LLVMBuildStore(body->builder, stored, place_of(body, reg, slow));
}

LLVMValueRef cup_mask_bits(struct cup_body *body)
{
    if (!body->slow)
        return body->full;
    return LLVMBuildLoad2(body->builder, body->unit->i32, body->mask, "mask");
}

LLVMValueRef cup_mask_lanes(struct cup_body *body)
{
    if (!body->slow)
        return NULL;
    if (body->expanded_in != cup_build_here(body)) {
        LLVMValueRef bits = cup_mask_bits(body);

        if (body->chunk)
            bits = LLVMBuildLShr(body->builder, bits, body->chunk, "");
        body->expanded = cup_build_lanes(body, bits);
        body->expanded_in = cup_build_here(body);
    }
    return body->expanded;
}

void cup_register_write(struct cup_body *body, uint32_t reg, struct cup_value value)
{
    LLVMValueRef keep = NULL;

    if (body->classes[body->slow][reg].kind != CUP_CLASS_VARYING) {
        if (body->guard.value) {
            struct cup_value old = read_from(body, reg, body->slow);

            value.value =
                LLVMBuildSelect(body->builder, body->guard.value, value.value, old.value, "");
        }
        write_to(body, reg, body->slow, value);
        return;
    }
    if (cup_register_is_array(body, reg) && !body->chunk && !value.vector) {
        cup_chunks_begin(body);
        cup_register_write(body, reg, value);
        cup_chunks_end(body, NULL);
        return;
    }
    if (body->slow && (body->guard.value || cup_flow_must_blend(&body->cfg, body->node, reg)))
        keep = cup_mask_lanes(body);
    if (body->guard.value) {
        LLVMValueRef guard = body->guard.value;

        if (keep) {
            guard = cup_value_vector(body, body->guard);
            keep = LLVMBuildAnd(body->builder, keep, guard, "");
        } else {
            keep = guard;
        }
    }
    if (keep) {
        LLVMValueRef old = read_from(body, reg, body->slow).value;

        value = cup_vector(
            LLVMBuildSelect(body->builder, keep, cup_value_vector(body, value), old, ""));
    }
    write_to(body, reg, body->slow, value);
}

void cup_registers_hand_over(struct cup_body *body, uint32_t node, uint32_t at)
{
    uint64_t *live = body->set;

    cup_flow_live_at(&body->cfg, node, at, live);
    if (!body->chunked)
        cup_registers_clear(body, true, live);
    for (uint32_t reg = 0; reg < body->cfg.register_count; reg++)
        if (has(live, reg))
            write_to(body, reg, true, read_from(body, reg, false));
}

uint32_t cup_register_bytes(struct cup_body *body, uint32_t reg, bool slow)
{
    return (uint32_t)LLVMABISizeOfType(LLVMGetModuleDataLayout(body->unit->module),
                                       stored_type(body, reg, slow));
}

void cup_register_spill(struct cup_body *body, uint32_t reg, LLVMValueRef place)
{
    LLVMValueRef value = LLVMBuildLoad2(body->builder, stored_type(body, reg, false),
                                        place_of(body, reg, false), "");

    LLVMBuildStore(body->builder, value, place);
}

void cup_register_fill(struct cup_body *body, uint32_t reg, LLVMValueRef place)
{
    LLVMValueRef value = LLVMBuildLoad2(body->builder, stored_type(body, reg, false), place, "");

    LLVMBuildStore(body->builder, value, place_of(body, reg, false));
}

/* Do the lanes' bits differ anywhere? */
static LLVMValueRef differ(struct cup_body *body, LLVMValueRef a, LLVMValueRef b)
{
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(a)), bits;

    if (element == body->unit->f32 || element == body->unit->f64) {
        bits =
            cup_vector_type(body, element == body->unit->f32 ? body->unit->i32 : body->unit->i64);
        a = LLVMBuildBitCast(body->builder, a, bits, "");
        b = LLVMBuildBitCast(body->builder, b, bits, "");
    } else if (element == body->unit->i1) {
        bits = cup_vector_type(body, body->unit->i8);
        a = LLVMBuildSExt(body->builder, a, bits, "");
        b = LLVMBuildSExt(body->builder, b, bits, "");
    }
    a = LLVMBuildXor(body->builder, a, b, "");
    a = cup_build_call(body, "llvm.vector.reduce.or", LLVMTypeOf(a), &a, 1);
    return LLVMBuildICmp(body->builder, LLVMIntNE, a, LLVMConstNull(LLVMTypeOf(a)), "");
}

LLVMValueRef cup_register_take_back(struct cup_body *body, uint32_t reg, LLVMValueRef place)
{
    const struct cup_class *class = &body->classes[0][reg];
    LLVMValueRef all = cup_value_vector(body, read_from(body, reg, true));
    LLVMValueRef first = LLVMBuildExtractElement(body->builder, all, cup_i32(body->unit, 0), "");
    struct cup_value one = {first, class->stride, false, class->jump};

    LLVMBuildStore(body->builder, first, place);
    return differ(body, all, cup_value_vector(body, one));
}

/* ---- Types ---- */

static LLVMTypeRef over(struct cup_body *body, bool vector, LLVMTypeRef type)
{
    return vector ? cup_vector_type(body, type) : type;
}

struct cup_value cup_value_retype(struct cup_body *body, struct cup_value value, enum ptx_type from,
                                  enum ptx_type to)
{
    struct cup_unit *unit = body->unit;
    LLVMTypeRef old = cup_type_of(unit, from), new = cup_type_of(unit, to);
    unsigned old_bits, new_bits;

    if (old == new)
        return value;
    if (!value.vector && !cup_value_is_uniform(&value) && !(old == unit->i64 && new == unit->i32))
        value = cup_vector(cup_value_vector(body, value));
    if (from == PTX_PRED || to == PTX_PRED) { /* 0 or 1, as set would give */
        if (to == PTX_PRED)
            value.value = LLVMBuildICmp(body->builder, LLVMIntNE, value.value,
                                        LLVMConstNull(LLVMTypeOf(value.value)), "");
        else
            value.value =
                LLVMBuildZExt(body->builder, value.value, over(body, value.vector, new), "");
        return value;
    }
    old_bits = from == PTX_TEXREF || from == PTX_SURFREF || from == PTX_SAMPLERREF
                   ? 64
                   : ptx_type_bits(from);
    new_bits = ptx_type_bits(to);
    if (old == unit->f32 || old == unit->f64)
        value.value = LLVMBuildBitCast(
            body->builder, value.value,
            over(body, value.vector, LLVMIntTypeInContext(unit->context, old_bits)), "");
    if (old_bits != new_bits) {
        LLVMTypeRef bits = over(body, value.vector, LLVMIntTypeInContext(unit->context, new_bits));

        if (old_bits > new_bits)
            value.value = LLVMBuildTrunc(body->builder, value.value, bits, "");
        else if (ptx_type_is_signed(from))
            value.value = LLVMBuildSExt(body->builder, value.value, bits, "");
        else
            value.value = LLVMBuildZExt(body->builder, value.value, bits, "");
    }
    if (new == unit->f32 || new == unit->f64)
        value.value =
            LLVMBuildBitCast(body->builder, value.value, over(body, value.vector, new), "");
    return value;
}

static struct cup_value constant(struct cup_body *body, uint64_t bits, enum ptx_type type)
{
    struct cup_unit *unit = body->unit;
    LLVMTypeRef to = cup_type_of(unit, type);

    if (to == unit->f32)
        return cup_scalar(LLVMConstBitCast(LLVMConstInt(unit->i32, bits, false), to), 0);
    if (to == unit->f64)
        return cup_scalar(LLVMConstBitCast(LLVMConstInt(unit->i64, bits, false), to), 0);
    if (to == unit->i1)
        bits = bits != 0;
    return cup_scalar(LLVMConstInt(to, bits, false), 0);
}

/* {a, b, …} as one value: the first is lowest. */
static struct cup_value read_pack(struct cup_body *body, const struct ptx_operand *operand,
                                  enum ptx_type type)
{
    static const enum ptx_type by_bytes[] = {
        [1] = PTX_B8, [2] = PTX_B16, [4] = PTX_B32, [8] = PTX_B64, [16] = PTX_B128};
    unsigned bytes = ptx_type_bits(type) / 8, each = operand->count ? bytes / operand->count : 1;
    enum ptx_type whole = by_bytes[bytes], part = by_bytes[each];
    struct cup_value result = cup_scalar(NULL, 0);
    bool vector =
        cup_class_of_operand(body, body->classes[body->slow], operand).kind != CUP_CLASS_UNIFORM;

    result.vector = vector;
    for (unsigned e = 0; e < operand->count; e++) {
        struct cup_value v =
            cup_operand_read(body, &body->function->elements[operand->index + e], part);

        if (vector)
            v = cup_vector(cup_value_vector(body, v));
        v = cup_value_retype(body, v, part, whole);
        if (e) {
            LLVMValueRef by = LLVMConstInt(cup_type_of(body->unit, whole), 8u * each * e, false);

            v.value =
                LLVMBuildShl(body->builder, v.value, vector ? cup_build_splat(body, by) : by, "");
            v.value = LLVMBuildOr(body->builder, result.value, v.value, "");
        }
        result.value = v.value;
    }
    return cup_value_retype(body, result, whole, type);
}

static void write_unpacked(struct cup_body *body, const struct ptx_operand *operand,
                           enum ptx_type type, struct cup_value value)
{
    static const enum ptx_type by_bytes[] = {
        [1] = PTX_B8, [2] = PTX_B16, [4] = PTX_B32, [8] = PTX_B64, [16] = PTX_B128};
    unsigned bytes = ptx_type_bits(type) / 8, each = operand->count ? bytes / operand->count : 1;
    enum ptx_type whole = by_bytes[bytes], part = by_bytes[each];

    value = cup_value_retype(body, value, type, whole);
    for (unsigned e = 0; e < operand->count; e++) {
        struct cup_value v = value;

        if (e) {
            LLVMValueRef by = LLVMConstInt(cup_type_of(body->unit, whole), 8u * each * e, false);

            v.value = LLVMBuildLShr(body->builder, v.value,
                                    v.vector ? cup_build_splat(body, by) : by, "");
        }
        cup_operand_write(body, &body->function->elements[operand->index + e], part,
                          cup_value_retype(body, v, whole, part));
    }
}

/* The value of a register whose NaNs may be the CPU's, for one who looks at their bits. */
struct cup_value cup_value_canonical(struct cup_body *body, struct cup_value value)
{
    body->lower.lanes = value.vector ? body->width : 1;
    value.value = cup_lower_canonical_nan(&body->lower, value.value);
    return value;
}

struct cup_value cup_operand_read(struct cup_body *body, const struct ptx_operand *operand,
                                  enum ptx_type type)
{
    struct cup_value value;

    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        value = cup_register_read(body, operand->index);
        if (body->raw[operand->index] && !body->blind)
            value = cup_value_canonical(body, value);
        value = cup_value_retype(body, value, type_of_register(body, operand->index), type);
        if (operand->negated && type == PTX_PRED)
            value.value = LLVMBuildNot(body->builder, value.value, "");
        return value;
    case PTX_OPERAND_IMMEDIATE:
        value = constant(body, operand->value, type);
        if (operand->negated && type == PTX_PRED)
            value.value = LLVMBuildNot(body->builder, value.value, "");
        return value;
    case PTX_OPERAND_SPECIAL:
        return cup_special_read(body, operand, type);
    case PTX_OPERAND_VECTOR:
        return read_pack(body, operand, type);
    case PTX_OPERAND_FUNCTION:
        return constant(body, operand->index + UINT64_C(1), type);
    case PTX_OPERAND_SYMBOL:
    case PTX_OPERAND_ADDRESS:
        value = cup_emit_address(body, operand, PTX_SPACE_NONE);
        return cup_value_retype(body, value, PTX_B64, type);
    default:
        return constant(body, 0, type);
    }
}

void cup_operand_write(struct cup_body *body, const struct ptx_operand *operand, enum ptx_type type,
                       struct cup_value value)
{
    if (operand->kind == PTX_OPERAND_VECTOR) {
        write_unpacked(body, operand, type, value);
        return;
    }
    if (operand->kind != PTX_OPERAND_REGISTER)
        return;
    cup_register_write(body, operand->index,
                       cup_value_retype(body, value, type, type_of_register(body, operand->index)));
}

LLVMValueRef cup_predicate_bits(struct cup_body *body, struct cup_value predicate, bool negated)
{
    LLVMValueRef bits;

    if (!predicate.vector) {
        LLVMValueRef none = cup_i32(body->unit, 0);

        return LLVMBuildSelect(body->builder, predicate.value, negated ? none : body->full,
                               negated ? body->full : none, "");
    }
    bits = cup_build_bits(body, predicate.value);
    return negated ? LLVMBuildXor(body->builder, bits, body->full, "") : bits;
}
