/* SPDX-License-Identifier: MIT */
/* Registers and operands. A register is an alloca, of a scalar or of a vector as its class says;
 * LLVM makes values of them. Predicates are kept as bytes: vectors of i1 that live across blocks
 * fall apart into single bits on many processors. */
#include "jit/compile.h"

#include <llvm-c/Target.h>

static uint8_t type_of_register(const struct jit_body *body, uint32_t reg)
{
    return reg == body->cfg.carry ? PTX_PRED : body->function->registers[reg].type;
}

static LLVMTypeRef stored_type(struct jit_body *body, uint32_t reg, bool divergent)
{
    LLVMTypeRef type = jit_type_of(body->unit, type_of_register(body, reg));

    if (body->classes[divergent][reg].kind != JIT_CLASS_VARYING)
        return type;
    return LLVMVectorType(type == body->unit->i1 ? body->unit->i8 : type, body->unit->width);
}

/* Made when first needed: most declared registers are never used. */
static LLVMValueRef place_of(struct jit_body *body, uint32_t reg, bool divergent)
{
    if (divergent && body->divergent_places && body->divergent_places[reg])
        return jit_build_offset(body, body->frame,
                                jit_i64(body->unit, body->divergent_places[reg]));
    if (!body->registers[divergent][reg])
        body->registers[divergent][reg] = jit_build_alloca(
            body, stored_type(body, reg, divergent), 1,
            reg == body->cfg.carry ? "carry" : body->function->registers[reg].name);
    return body->registers[divergent][reg];
}

static bool has(const uint64_t *set, uint32_t bit)
{
    return set && set[bit / 64] >> (bit % 64) & 1;
}

/* What is live where nodes begin must not come from the vector before. Registers in memory do not:
 * there only those count that are read before they are written. */
void jit_registers_clear(struct jit_body *body, bool divergent, const uint64_t *except)
{
    const uint64_t *wanted =
        divergent && body->chunked ? body->cfg.nodes[0].live_in : body->cfg.anywhere;

    for (uint32_t reg = 0; reg < body->cfg.register_count; reg++)
        if (has(wanted, reg) && !has(except, reg))
            LLVMBuildStore(body->builder, LLVMConstNull(stored_type(body, reg, divergent)),
                           place_of(body, reg, divergent));
}

struct jit_value jit_scalar(LLVMValueRef value, int64_t stride)
{
    return (struct jit_value){value, stride, false, 0};
}

struct jit_value jit_vector(LLVMValueRef value)
{
    return (struct jit_value){value, 0, true, 0};
}

LLVMValueRef jit_value_vector(struct jit_body *body, struct jit_value value)
{
    LLVMValueRef steps[64], splat;
    LLVMTypeRef type;

    if (value.vector)
        return value.value;
    splat = jit_build_splat(body, value.value);
    if (jit_value_is_uniform(&value))
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
                                                           jit_i32(body->unit, 16), ""),
                                             LLVMConstInt(type, (uint64_t)value.jump, true),
                                             LLVMConstNull(type), ""),
                             "");
        splat = LLVMBuildAdd(body->builder, splat, jit_build_splat(body, ahead), "");
    }
    return LLVMBuildAdd(body->builder, splat, LLVMConstVector(steps, body->width), "");
}

LLVMTypeRef jit_register_element(struct jit_body *body, uint32_t reg)
{
    LLVMTypeRef type = jit_type_of(body->unit, type_of_register(body, reg));

    return type == body->unit->i1 ? body->unit->i8 : type;
}

bool jit_register_is_array(const struct jit_body *body, uint32_t reg)
{
    return body->chunked && body->divergent && body->classes[1][reg].kind == JIT_CLASS_VARYING;
}

LLVMValueRef jit_register_lane(struct jit_body *body, uint32_t reg, LLVMValueRef lane)
{
    LLVMValueRef index = LLVMBuildZExt(body->builder, lane, body->unit->i64, "");

    return LLVMBuildGEP2(body->builder, jit_register_element(body, reg), place_of(body, reg, true),
                         &index, 1, "");
}

static struct jit_value read_from(struct jit_body *body, uint32_t reg, bool divergent)
{
    const struct jit_class *class = &body->classes[divergent][reg];
    LLVMTypeRef type = stored_type(body, reg, divergent);
    LLVMValueRef place = place_of(body, reg, divergent), value;
    bool by_chunk = divergent && body->chunk && class->kind == JIT_CLASS_VARYING;

    if (by_chunk && body->cache[reg])
        return jit_vector(body->cache[reg]);
    if (by_chunk) {
        type = jit_vector_type(body, jit_register_element(body, reg));
        place = jit_register_lane(body, reg, body->chunk);
    }
    value = LLVMBuildLoad2(body->builder, type, place, "");
    if (class->kind != JIT_CLASS_VARYING)
        return (struct jit_value){value, class->stride, false, class->jump};
    if (type_of_register(body, reg) == PTX_PRED)
        value = LLVMBuildICmp(body->builder, LLVMIntSLT, value, LLVMConstNull(type), "");
    if (by_chunk)
        body->cache[reg] = value;
    return jit_vector(value);
}

struct jit_value jit_register_read(struct jit_body *body, uint32_t reg)
{
    return read_from(body, reg, body->divergent);
}

static void write_to(struct jit_body *body, uint32_t reg, bool divergent, struct jit_value value)
{
    LLVMValueRef stored;

    if (body->classes[divergent][reg].kind != JIT_CLASS_VARYING) {
        stored = value.value;
        if (value.vector)
            stored = LLVMBuildExtractElement(body->builder, stored, jit_i32(body->unit, 0), "");
    } else {
        stored = jit_value_vector(body, value);
        if (divergent && body->chunk) {
            body->cache[reg] = stored;
            body->dirty[reg] = true;
            return;
        }
        if (type_of_register(body, reg) == PTX_PRED)
            stored = LLVMBuildSExt(body->builder, stored, stored_type(body, reg, divergent), "");
    }
    LLVMBuildStore(body->builder, stored, place_of(body, reg, divergent));
}

LLVMValueRef jit_mask_bits(struct jit_body *body)
{
    if (!body->divergent)
        return body->full;
    return LLVMBuildLoad2(body->builder, body->unit->i32, body->mask, "mask");
}

LLVMValueRef jit_mask_lanes(struct jit_body *body)
{
    if (!body->divergent)
        return NULL;
    if (body->expanded_in != jit_build_here(body)) {
        LLVMValueRef bits = jit_mask_bits(body);

        if (body->chunk)
            bits = LLVMBuildLShr(body->builder, bits, body->chunk, "");
        body->expanded = jit_build_lanes(body, bits);
        body->expanded_in = jit_build_here(body);
    }
    return body->expanded;
}

void jit_register_write(struct jit_body *body, uint32_t reg, struct jit_value value)
{
    LLVMValueRef keep = NULL;

    jit_alignment_forget(body, reg);
    if (body->classes[body->divergent][reg].kind != JIT_CLASS_VARYING) {
        if (body->guard.value) {
            struct jit_value old = read_from(body, reg, body->divergent);

            value.value =
                LLVMBuildSelect(body->builder, body->guard.value, value.value, old.value, "");
        }
        write_to(body, reg, body->divergent, value);
        return;
    }
    if (jit_register_is_array(body, reg) && !body->chunk && !value.vector) {
        jit_chunks_begin(body);
        jit_register_write(body, reg, value);
        jit_chunks_end(body, NULL);
        return;
    }
    if (body->divergent && (body->guard.value || jit_flow_must_blend(&body->cfg, body->node, reg)))
        keep = jit_mask_lanes(body);
    if (body->guard.value) {
        LLVMValueRef guard = body->guard.value;

        if (keep) {
            guard = jit_value_vector(body, body->guard);
            keep = LLVMBuildAnd(body->builder, keep, guard, "");
        } else {
            keep = guard;
        }
    }
    if (keep) {
        LLVMValueRef old = read_from(body, reg, body->divergent).value;

        value = jit_vector(
            LLVMBuildSelect(body->builder, keep, jit_value_vector(body, value), old, ""));
    }
    write_to(body, reg, body->divergent, value);
}

void jit_registers_hand_over(struct jit_body *body, uint32_t node, uint32_t at)
{
    uint64_t *live = body->set;

    jit_flow_live_at(&body->cfg, node, at, live);
    if (!body->chunked)
        jit_registers_clear(body, true, live);
    for (uint32_t reg = 0; reg < body->cfg.register_count; reg++)
        if (has(live, reg))
            write_to(body, reg, true, read_from(body, reg, false));
}

uint32_t jit_register_bytes(struct jit_body *body, uint32_t reg, bool divergent)
{
    return (uint32_t)LLVMABISizeOfType(LLVMGetModuleDataLayout(body->unit->module),
                                       stored_type(body, reg, divergent));
}

void jit_register_spill(struct jit_body *body, uint32_t reg, LLVMValueRef place)
{
    LLVMValueRef value = LLVMBuildLoad2(body->builder, stored_type(body, reg, false),
                                        place_of(body, reg, false), "");

    LLVMBuildStore(body->builder, value, place);
}

void jit_register_fill(struct jit_body *body, uint32_t reg, LLVMValueRef place)
{
    LLVMValueRef value = LLVMBuildLoad2(body->builder, stored_type(body, reg, false), place, "");

    LLVMBuildStore(body->builder, value, place_of(body, reg, false));
}

/* Do the lanes' bits differ anywhere? */
static LLVMValueRef differ(struct jit_body *body, LLVMValueRef a, LLVMValueRef b)
{
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(a)), bits;

    if (element == body->unit->f32 || element == body->unit->f64) {
        bits =
            jit_vector_type(body, element == body->unit->f32 ? body->unit->i32 : body->unit->i64);
        a = LLVMBuildBitCast(body->builder, a, bits, "");
        b = LLVMBuildBitCast(body->builder, b, bits, "");
    } else if (element == body->unit->i1) {
        bits = jit_vector_type(body, body->unit->i8);
        a = LLVMBuildSExt(body->builder, a, bits, "");
        b = LLVMBuildSExt(body->builder, b, bits, "");
    }
    a = LLVMBuildXor(body->builder, a, b, "");
    a = jit_build_call(body, "llvm.vector.reduce.or", LLVMTypeOf(a), &a, 1);
    return LLVMBuildICmp(body->builder, LLVMIntNE, a, LLVMConstNull(LLVMTypeOf(a)), "");
}

LLVMValueRef jit_register_take_back(struct jit_body *body, uint32_t reg, LLVMValueRef place)
{
    const struct jit_class *class = &body->classes[0][reg];
    LLVMValueRef all = jit_value_vector(body, read_from(body, reg, true));
    LLVMValueRef first = LLVMBuildExtractElement(body->builder, all, jit_i32(body->unit, 0), "");
    struct jit_value one = {first, class->stride, false, class->jump};

    LLVMBuildStore(body->builder, first, place);
    return differ(body, all, jit_value_vector(body, one));
}

/* ---- Types ---- */

static LLVMTypeRef over(struct jit_body *body, bool vector, LLVMTypeRef type)
{
    return vector ? jit_vector_type(body, type) : type;
}

struct jit_value jit_value_retype(struct jit_body *body, struct jit_value value, enum ptx_type from,
                                  enum ptx_type to)
{
    struct jit_unit *unit = body->unit;
    LLVMTypeRef old = jit_type_of(unit, from), new = jit_type_of(unit, to);
    unsigned old_bits, new_bits;

    if (old == new)
        return value;
    if (!value.vector && !jit_value_is_uniform(&value) && !(old == unit->i64 && new == unit->i32))
        value = jit_vector(jit_value_vector(body, value));
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

static struct jit_value constant(struct jit_body *body, uint64_t bits, enum ptx_type type)
{
    struct jit_unit *unit = body->unit;
    LLVMTypeRef to = jit_type_of(unit, type);

    if (to == unit->f32)
        return jit_scalar(LLVMConstBitCast(LLVMConstInt(unit->i32, bits, false), to), 0);
    if (to == unit->f64)
        return jit_scalar(LLVMConstBitCast(LLVMConstInt(unit->i64, bits, false), to), 0);
    if (to == unit->i1)
        bits = bits != 0;
    return jit_scalar(LLVMConstInt(to, bits, false), 0);
}

/* {a, b, …} as one value: the first is lowest. */
static struct jit_value read_pack(struct jit_body *body, const struct ptx_operand *operand,
                                  enum ptx_type type)
{
    static const enum ptx_type by_bytes[] = {
        [1] = PTX_B8, [2] = PTX_B16, [4] = PTX_B32, [8] = PTX_B64, [16] = PTX_B128};
    unsigned bytes = ptx_type_bits(type) / 8, each = operand->count ? bytes / operand->count : 1;
    enum ptx_type whole = by_bytes[bytes], part = by_bytes[each];
    struct jit_value result = jit_scalar(NULL, 0);
    bool vector = jit_class_of_operand(body, body->classes[body->divergent], operand).kind !=
                  JIT_CLASS_UNIFORM;

    result.vector = vector;
    for (unsigned e = 0; e < operand->count; e++) {
        struct jit_value v =
            jit_operand_read(body, &body->function->elements[operand->index + e], part);

        if (vector)
            v = jit_vector(jit_value_vector(body, v));
        v = jit_value_retype(body, v, part, whole);
        if (e) {
            LLVMValueRef by = LLVMConstInt(jit_type_of(body->unit, whole), 8u * each * e, false);

            v.value =
                LLVMBuildShl(body->builder, v.value, vector ? jit_build_splat(body, by) : by, "");
            v.value = LLVMBuildOr(body->builder, result.value, v.value, "");
        }
        result.value = v.value;
    }
    return jit_value_retype(body, result, whole, type);
}

static void write_unpacked(struct jit_body *body, const struct ptx_operand *operand,
                           enum ptx_type type, struct jit_value value)
{
    static const enum ptx_type by_bytes[] = {
        [1] = PTX_B8, [2] = PTX_B16, [4] = PTX_B32, [8] = PTX_B64, [16] = PTX_B128};
    unsigned bytes = ptx_type_bits(type) / 8, each = operand->count ? bytes / operand->count : 1;
    enum ptx_type whole = by_bytes[bytes], part = by_bytes[each];

    value = jit_value_retype(body, value, type, whole);
    for (unsigned e = 0; e < operand->count; e++) {
        struct jit_value v = value;

        if (e) {
            LLVMValueRef by = LLVMConstInt(jit_type_of(body->unit, whole), 8u * each * e, false);

            v.value = LLVMBuildLShr(body->builder, v.value,
                                    v.vector ? jit_build_splat(body, by) : by, "");
        }
        jit_operand_write(body, &body->function->elements[operand->index + e], part,
                          jit_value_retype(body, v, whole, part));
    }
}

/* The value of a register whose NaNs may be the CPU's, for one who looks at their bits. */
struct jit_value jit_value_canonical(struct jit_body *body, struct jit_value value)
{
    body->lower.lanes = value.vector ? body->width : 1;
    value.value = jit_lower_canonical_nan(&body->lower, value.value);
    return value;
}

struct jit_value jit_operand_read(struct jit_body *body, const struct ptx_operand *operand,
                                  enum ptx_type type)
{
    struct jit_value value;

    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        value = jit_register_read(body, operand->index);
        if (body->raw[operand->index] && !body->blind)
            value = jit_value_canonical(body, value);
        value = jit_value_retype(body, value, type_of_register(body, operand->index), type);
        if (operand->negated && type == PTX_PRED)
            value.value = LLVMBuildNot(body->builder, value.value, "");
        return value;
    case PTX_OPERAND_IMMEDIATE:
        value = constant(body, operand->value, type);
        if (operand->negated && type == PTX_PRED)
            value.value = LLVMBuildNot(body->builder, value.value, "");
        return value;
    case PTX_OPERAND_SPECIAL:
        return jit_special_read(body, operand, type);
    case PTX_OPERAND_VECTOR:
        return read_pack(body, operand, type);
    case PTX_OPERAND_FUNCTION:
        return constant(body, operand->index + UINT64_C(1), type);
    case PTX_OPERAND_SYMBOL:
    case PTX_OPERAND_ADDRESS:
        value = jit_emit_address(body, operand, PTX_SPACE_NONE);
        return jit_value_retype(body, value, PTX_B64, type);
    default:
        return constant(body, 0, type);
    }
}

void jit_operand_write(struct jit_body *body, const struct ptx_operand *operand, enum ptx_type type,
                       struct jit_value value)
{
    if (operand->kind == PTX_OPERAND_VECTOR) {
        write_unpacked(body, operand, type, value);
        return;
    }
    if (operand->kind != PTX_OPERAND_REGISTER)
        return;
    jit_register_write(body, operand->index,
                       jit_value_retype(body, value, type, type_of_register(body, operand->index)));
}

LLVMValueRef jit_predicate_bits(struct jit_body *body, struct jit_value predicate, bool negated)
{
    LLVMValueRef bits;

    if (!predicate.vector) {
        LLVMValueRef none = jit_i32(body->unit, 0);

        return LLVMBuildSelect(body->builder, predicate.value, negated ? none : body->full,
                               negated ? body->full : none, "");
    }
    bits = jit_build_bits(body, predicate.value);
    return negated ? LLVMBuildXor(body->builder, bits, body->full, "") : bits;
}
