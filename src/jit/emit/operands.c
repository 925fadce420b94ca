/* SPDX-License-Identifier: MIT */
/* Operands of instructions, in the representation of the types that the instruction names. */
#include "jit/emit/operands.h"

#include "jit/analysis/uniformity.h"
#include "jit/emit/address.h"
#include "jit/emit/emitter.h"
#include "jit/emit/immediates.h"
#include "jit/emit/ir.h"
#include "jit/emit/registers.h"
#include "jit/emit/special_registers.h"

static struct jit_value immediate(struct jit_emitter *e, const struct ptx_operand *operand,
                                  enum ptx_type type)
{
    struct jit_unit *unit = e->unit;
    LLVMTypeRef to = jit_type_of(unit, type);

    if (to == unit->i1)
        return jit_scalar(LLVMConstInt(to, operand->value != 0, false), 0);
    if (to == unit->f32 || to == unit->f64)
        return jit_scalar(
            LLVMBuildBitCast(e->builder,
                             jit_immediate_of(e, operand, to == unit->f32 ? unit->i32 : unit->i64),
                             to, ""),
            0);
    return jit_scalar(jit_immediate_of(e, operand, to), 0);
}

/* Packs {a, b, …} into one value; the first element is in the lowest bits. */
static struct jit_value read_pack(struct jit_emitter *e, const struct ptx_operand *operand,
                                  enum ptx_type type)
{
    static const enum ptx_type by_bytes[] = {
        [1] = PTX_B8, [2] = PTX_B16, [4] = PTX_B32, [8] = PTX_B64, [16] = PTX_B128};
    unsigned bytes = ptx_type_bits(type) / 8, each = operand->count ? bytes / operand->count : 1;
    enum ptx_type whole = by_bytes[bytes], part = by_bytes[each];
    struct jit_value result = jit_scalar(NULL, 0);
    bool vector =
        jit_uniformity_of_operand(e->function, e->function->uniformity[e->divergent], operand)
            .kind != JIT_UNIFORM;

    result.vector = vector;
    for (unsigned k = 0; k < operand->count; k++) {
        struct jit_value v =
            jit_operand_read(e, &e->function->ptx->elements[operand->index + k], part);

        if (vector)
            v = jit_vector(jit_value_vector(e, v));
        v = jit_value_retype(e, v, part, whole);
        if (k) {
            LLVMValueRef by = LLVMConstInt(jit_type_of(e->unit, whole), 8u * each * k, false);

            v.value = LLVMBuildShl(e->builder, v.value, vector ? jit_build_splat(e, by) : by, "");
            v.value = LLVMBuildOr(e->builder, result.value, v.value, "");
        }
        result.value = v.value;
    }
    return jit_value_retype(e, result, whole, type);
}

static void write_unpacked(struct jit_emitter *e, const struct ptx_operand *operand,
                           enum ptx_type type, struct jit_value value)
{
    static const enum ptx_type by_bytes[] = {
        [1] = PTX_B8, [2] = PTX_B16, [4] = PTX_B32, [8] = PTX_B64, [16] = PTX_B128};
    unsigned bytes = ptx_type_bits(type) / 8, each = operand->count ? bytes / operand->count : 1;
    enum ptx_type whole = by_bytes[bytes], part = by_bytes[each];

    value = jit_value_retype(e, value, type, whole);
    if (!value.vector && !jit_value_is_uniform(&value)) /* a shift ends the stride */
        value = jit_vector(jit_value_vector(e, value));
    for (unsigned k = 0; k < operand->count; k++) {
        struct jit_value v = value;

        if (k) {
            LLVMValueRef by = LLVMConstInt(jit_type_of(e->unit, whole), 8u * each * k, false);

            v.value =
                LLVMBuildLShr(e->builder, v.value, v.vector ? jit_build_splat(e, by) : by, "");
        }
        jit_operand_write(e, &e->function->ptx->elements[operand->index + k], part,
                          jit_value_retype(e, v, whole, part));
    }
}

struct jit_value jit_operand_read(struct jit_emitter *e, const struct ptx_operand *operand,
                                  enum ptx_type type)
{
    struct jit_value value;

    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        value = jit_register_read(e, operand->index);
        if (e->function->raw[operand->index] && !e->ignore_nan)
            value = jit_value_canonical(e, value);
        value = jit_value_retype(e, value, jit_register_type(e, operand->index), type);
        if (operand->negated && type == PTX_PRED)
            value.value = LLVMBuildNot(e->builder, value.value, "");
        return value;
    case PTX_OPERAND_IMMEDIATE:
        value = immediate(e, operand, type);
        if (operand->negated && type == PTX_PRED)
            value.value = LLVMBuildNot(e->builder, value.value, "");
        return value;
    case PTX_OPERAND_SPECIAL:
        return jit_special_read(e, operand, type);
    case PTX_OPERAND_VECTOR:
        return read_pack(e, operand, type);
    case PTX_OPERAND_FUNCTION:
        return jit_scalar(
            LLVMConstInt(jit_type_of(e->unit, type), operand->index + UINT64_C(1), false), 0);
    case PTX_OPERAND_SYMBOL:
    case PTX_OPERAND_ADDRESS:
        value = jit_emit_address(e, operand, PTX_SPACE_NONE);
        return jit_value_retype(e, value, PTX_B64, type);
    default:
        return jit_scalar(LLVMConstNull(jit_type_of(e->unit, type)), 0);
    }
}

void jit_operand_write(struct jit_emitter *e, const struct ptx_operand *operand, enum ptx_type type,
                       struct jit_value value)
{
    if (operand->kind == PTX_OPERAND_VECTOR) {
        write_unpacked(e, operand, type, value);
        return;
    }
    if (operand->kind != PTX_OPERAND_REGISTER)
        return;
    jit_register_write(e, operand->index,
                       jit_value_retype(e, value, type, jit_register_type(e, operand->index)));
}
