/* SPDX-License-Identifier: MIT */
/* Instructions that compute their results lane by lane. They are computed on scalars if the
 * uniformity of the result allows it (the scalar of an affine value is lane 0), else on vectors.
 * lower.h says what they compute. */
#include "jit/emit/emit.h"

#include "jit/analysis/uniformity.h"
#include "jit/emit/address.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/operands.h"
#include "jit/emit/registers.h"
#include "jit/variants/bailout.h"

/* The uniform variant relies on the lanes of a 32-bit number not wrapping where it is widened. If
 * they wrap, it bails out to the divergent variant. */
static void check_wrap(struct jit_emitter *e, const struct ptx_instruction *i, int source)
{
    struct jit_unit *unit = e->unit;
    uint8_t type = i->op == PTX_OP_cvt ? i->types[1] : i->types[0];
    struct jit_value value = jit_operand_read(e, &i->src[source], type);
    int64_t corners[4] = {0, 15 * value.stride, 16 * value.stride + value.jump,
                          31 * value.stride + value.jump};
    int64_t span = value.stride * (int64_t)(e->width - 1), low = 0, high = 0;
    bool is_signed = ptx_type_is_signed(type);
    LLVMValueRef arguments[2], pair, stay;
    const char *name = is_signed ? "llvm.sadd.with.overflow" : "llvm.uadd.with.overflow";

    for (unsigned c = 0; value.jump && c < 4; c++) {
        low = corners[c] < low ? corners[c] : low;
        high = corners[c] > high ? corners[c] : high;
    }
    /* two rows: no lane may be further than this from lane 0, in either direction */
    if (value.jump) {
        LLVMValueRef far = LLVMConstInt(unit->i32, (uint32_t)(high > -low ? high : -low), false);
        LLVMValueRef most =
            is_signed ? LLVMConstInt(unit->i32, 0x7fffffff, false) : LLVMConstAllOnes(unit->i32);
        LLVMValueRef least =
            is_signed ? LLVMConstInt(unit->i32, 0x80000000, false) : LLVMConstNull(unit->i32);
        LLVMBuilderRef b = e->builder;

        stay = LLVMBuildAnd(b,
                            LLVMBuildICmp(b, is_signed ? LLVMIntSLE : LLVMIntULE, value.value,
                                          LLVMBuildSub(b, most, far, ""), ""),
                            LLVMBuildICmp(b, is_signed ? LLVMIntSGE : LLVMIntUGE, value.value,
                                          low < 0 ? LLVMBuildAdd(b, least, far, "") : least, ""),
                            "");
        jit_bailout_unless(e, stay, (uint32_t)(i - e->function->ptx->instructions));
        return;
    }
    if (!is_signed && span < 0) {
        name = "llvm.usub.with.overflow";
        span = -span;
    }
    arguments[0] = value.value;
    arguments[1] = jit_i32(unit, (uint32_t)span);
    pair = jit_build_call(e, name, unit->i32, arguments, 2);
    stay = LLVMBuildNot(e->builder, LLVMBuildExtractValue(e->builder, pair, 1, ""), "");
    jit_bailout_unless(e, stay, (uint32_t)(i - e->function->ptx->instructions));
}

static void write_results(struct jit_emitter *e, const struct ptx_instruction *i,
                          const enum ptx_type *types, unsigned count, LLVMValueRef *results,
                          struct jit_uniformity uniformity, bool vector)
{
    bool carry = ptx_has(i, PTX_MOD_CC);

    for (unsigned r = 0; r < count; r++) {
        struct jit_value value = {results[r], vector ? 0 : uniformity.stride, vector,
                                  vector ? 0 : uniformity.jump};

        if (carry && r + 1 == count)
            jit_register_write(e, e->function->cfg.carry, value);
        else
            jit_operand_write(e, &i->dst[r], types[r], value);
    }
}

static void emit_lowered(struct jit_emitter *e, const struct ptx_instruction *i)
{
    enum ptx_type source_types[JIT_LOWER_MAX_OPERANDS + 2],
        result_types[JIT_LOWER_MAX_OPERANDS + 2];
    struct jit_value sources[JIT_LOWER_MAX_OPERANDS + 2] = {{NULL, 0, false, 0}};
    LLVMValueRef values[JIT_LOWER_MAX_OPERANDS + 2], results[JIT_LOWER_MAX_OPERANDS + 2] = {NULL};
    unsigned source_count = 0, result_count = 0;
    struct jit_uniformity uniformity = jit_uniformity_of_result(
        e->function, e->function->uniformity[e->divergent], e->divergent, i);
    bool vector = uniformity.kind == JIT_VARYING;
    int wide = vector ? -1
                      : jit_uniformity_widened_source(e->function,
                                                      e->function->uniformity[e->divergent], i);

    if (!jit_lower_shape(i, source_types, &source_count, result_types, &result_count)) {
        jit_unit_fail(e->unit, i, "the instruction is not supported");
        return;
    }
    if (wide >= 0 && !e->divergent)
        check_wrap(e, i, wide);
    for (unsigned s = 0; s < source_count && s < i->source_count; s++) {
        e->ignore_nan = !jit_lower_sees_nan(i, s, e->function->raw);
        sources[s] = jit_operand_read(e, &i->src[s], source_types[s]);
        e->ignore_nan = false;
    }
    if (source_count > i->source_count &&
        (i->op == PTX_OP_addc || i->op == PTX_OP_subc || i->op == PTX_OP_madc))
        sources[source_count - 1] = jit_register_read(e, e->function->cfg.carry);
    for (unsigned s = 0; s < source_count; s++) {
        if (!sources[s].value)
            sources[s] = jit_scalar(LLVMConstNull(jit_type_of(e->unit, source_types[s])), 0);
        values[s] = vector ? jit_value_vector(e, sources[s]) : sources[s].value;
    }
    e->lower.lanes = vector ? e->width : 1;
    e->lower.raw_nan = i->dst[0].kind == PTX_OPERAND_REGISTER && e->function->raw[i->dst[0].index];
    if (!jit_lower_emit(&e->lower, i, values, results)) {
        jit_unit_fail(e->unit, i, "the instruction is not supported");
        return;
    }
    e->lower.raw_nan = false;
    write_results(e, i, result_types, result_count, results, uniformity, vector);
}

/* mov.v2 and mov.v4, element by element. A vector special register such as %tid gives its
 * components, and zeros after them. */
static void emit_vector_mov(struct jit_emitter *e, const struct ptx_instruction *i)
{
    const struct ptx_operand *elements = e->function->ptx->elements;
    struct jit_value values[8];

    for (unsigned part = 0; part < i->width && part < 8; part++) {
        struct ptx_operand one = i->src[0];

        if (one.kind == PTX_OPERAND_VECTOR)
            one = elements[one.index + part];
        else if (one.kind == PTX_OPERAND_SPECIAL && part < 3)
            one.index += part;
        else if (one.kind == PTX_OPERAND_SPECIAL)
            one = (struct ptx_operand){.kind = PTX_OPERAND_IMMEDIATE};
        values[part] = jit_operand_read(e, &one, i->types[0]);
    }
    for (unsigned part = 0; part < i->width && part < 8; part++)
        if (i->dst[0].kind == PTX_OPERAND_VECTOR && part < i->dst[0].count)
            jit_operand_write(e, &elements[i->dst[0].index + part], i->types[0], values[part]);
}

/* mov also reads addresses of variables and functions, and packs and unpacks vectors. */
static void emit_mov(struct jit_emitter *e, const struct ptx_instruction *i)
{
    struct jit_value value;

    if (i->width > 1) {
        emit_vector_mov(e, i);
        return;
    }
    e->ignore_nan = !jit_lower_sees_nan(i, 0, e->function->raw);
    value = jit_operand_read(e, &i->src[0], i->types[0]);
    e->ignore_nan = false;
    jit_operand_write(e, &i->dst[0], i->types[0], value);
}

static void emit_cvta(struct jit_emitter *e, const struct ptx_instruction *i)
{
    struct jit_value address = jit_cvta_address(e, i);

    jit_operand_write(e, &i->dst[0], i->types[0],
                      jit_value_retype(e, address, PTX_B64, i->types[0]));
}

void jit_emit_pure(struct jit_emitter *e, const struct ptx_instruction *i)
{
    if (e->unit->failed)
        return;
    if (i->guard != PTX_NO_REGISTER) {
        e->guard = jit_register_read(e, i->guard);
        if (i->guard_negated)
            e->guard.value = LLVMBuildNot(e->builder, e->guard.value, "");
    }
    if (i->op == PTX_OP_mov)
        emit_mov(e, i);
    else if (i->op == PTX_OP_cvta)
        emit_cvta(e, i);
    else if (i->op == PTX_OP_mapa || i->op == PTX_OP_getctarank)
        jit_emit_cluster_address(e, i);
    else
        emit_lowered(e, i);
    e->guard.value = NULL;
}
