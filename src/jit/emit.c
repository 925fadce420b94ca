/* SPDX-License-Identifier: MIT */
/* One plain instruction, in the clone that is being emitted. What works lane by lane is computed on
 * scalars if its class says that this is enough (the scalar of an affine value is lane 0), else on
 * vectors; what it computes is the lowering's affair. */
#include "jit/compile.h"

#include <stddef.h>

/* The uniform clone relies on the lanes of a 32-bit number not wrapping where it is widened: if
 * they do, the divergent clone goes on. */
static void check_wrap(struct jit_body *body, const struct ptx_instruction *i, int source)
{
    struct jit_unit *unit = body->unit;
    uint8_t type = i->op == PTX_OP_cvt ? i->types[1] : i->types[0];
    struct jit_value value = jit_operand_read(body, &i->src[source], type);
    int64_t corners[4] = {0, 15 * value.stride, 16 * value.stride + value.jump,
                          31 * value.stride + value.jump};
    int64_t span = value.stride * (int64_t)(body->width - 1), low = 0, high = 0;
    bool is_signed = ptx_type_is_signed(type);
    LLVMValueRef arguments[2], pair, stay;
    const char *name = is_signed ? "llvm.sadd.with.overflow" : "llvm.uadd.with.overflow";

    for (unsigned c = 0; value.jump && c < 4; c++) {
        low = corners[c] < low ? corners[c] : low;
        high = corners[c] > high ? corners[c] : high;
    }
    if (value.jump) { /* two rows: no lane may be far from lane 0, whichever way */
        LLVMValueRef far = LLVMConstInt(unit->i32, (uint32_t)(high > -low ? high : -low), false);
        LLVMValueRef most =
            is_signed ? LLVMConstInt(unit->i32, 0x7fffffff, false) : LLVMConstAllOnes(unit->i32);
        LLVMValueRef least =
            is_signed ? LLVMConstInt(unit->i32, 0x80000000, false) : LLVMConstNull(unit->i32);
        LLVMBuilderRef b = body->builder;

        stay = LLVMBuildAnd(b,
                            LLVMBuildICmp(b, is_signed ? LLVMIntSLE : LLVMIntULE, value.value,
                                          LLVMBuildSub(b, most, far, ""), ""),
                            LLVMBuildICmp(b, is_signed ? LLVMIntSGE : LLVMIntUGE, value.value,
                                          low < 0 ? LLVMBuildAdd(b, least, far, "") : least, ""),
                            "");
        jit_uniform_leave_unless(body, stay, (uint32_t)(i - body->function->instructions));
        return;
    }
    if (!is_signed && span < 0) {
        name = "llvm.usub.with.overflow";
        span = -span;
    }
    arguments[0] = value.value;
    arguments[1] = jit_i32(unit, (uint32_t)span);
    pair = jit_build_call(body, name, unit->i32, arguments, 2);
    stay = LLVMBuildNot(body->builder, LLVMBuildExtractValue(body->builder, pair, 1, ""), "");
    jit_uniform_leave_unless(body, stay, (uint32_t)(i - body->function->instructions));
}

static void read_carry(struct jit_body *body, const struct ptx_instruction *i, unsigned given,
                       unsigned count, struct jit_value *sources)
{
    if (count > given && (i->op == PTX_OP_addc || i->op == PTX_OP_subc || i->op == PTX_OP_madc))
        sources[count - 1] = jit_register_read(body, body->cfg.carry);
}

static void write_results(struct jit_body *body, const struct ptx_instruction *i,
                          const enum ptx_type *types, unsigned count, LLVMValueRef *results,
                          struct jit_class class, bool vector)
{
    bool carry = ptx_has(i, PTX_MOD_CC);

    for (unsigned r = 0; r < count; r++) {
        struct jit_value value = {results[r], vector ? 0 : class.stride, vector,
                                  vector ? 0 : class.jump};

        if (carry && r + 1 == count)
            jit_register_write(body, body->cfg.carry, value);
        else
            jit_operand_write(body, &i->dst[r], types[r], value);
    }
}

static void emit_pure(struct jit_body *body, const struct ptx_instruction *i)
{
    enum ptx_type source_types[JIT_LOWER_MAX_OPERANDS + 2],
        result_types[JIT_LOWER_MAX_OPERANDS + 2];
    struct jit_value sources[JIT_LOWER_MAX_OPERANDS + 2] = {{NULL, 0, false, 0}};
    LLVMValueRef values[JIT_LOWER_MAX_OPERANDS + 2], results[JIT_LOWER_MAX_OPERANDS + 2] = {NULL};
    unsigned source_count = 0, result_count = 0;
    struct jit_class class =
        jit_class_of_result(body, body->classes[body->divergent], body->divergent, i);
    bool vector = class.kind == JIT_CLASS_VARYING;
    int wide = vector ? -1 : jit_class_widens(body, body->classes[body->divergent], i);

    if (!jit_lower_shape(i, source_types, &source_count, result_types, &result_count)) {
        jit_unit_fail(body->unit, i, "the instruction is not supported");
        return;
    }
    if (wide >= 0 && !body->divergent)
        check_wrap(body, i, wide);
    for (unsigned s = 0; s < source_count && s < i->source_count; s++) {
        body->blind = !jit_lower_sees_nan(i, s, body->raw);
        sources[s] = jit_operand_read(body, &i->src[s], source_types[s]);
        body->blind = false;
    }
    read_carry(body, i, i->source_count, source_count, sources);
    for (unsigned s = 0; s < source_count; s++) {
        if (!sources[s].value)
            sources[s] = jit_scalar(LLVMConstNull(jit_type_of(body->unit, source_types[s])), 0);
        values[s] = vector ? jit_value_vector(body, sources[s]) : sources[s].value;
    }
    body->lower.lanes = vector ? body->width : 1;
    body->lower.raw_nan = i->dst[0].kind == PTX_OPERAND_REGISTER && body->raw[i->dst[0].index];
    if (!jit_lower_emit(&body->lower, i, values, results)) {
        jit_unit_fail(body->unit, i, "the instruction is not supported");
        return;
    }
    body->lower.raw_nan = false;
    write_results(body, i, result_types, result_count, results, class, vector);
}

/* mov.v4 and mov.v2: element by element; %tid is all of its parts, and nothing behind them. */
static void emit_vector_mov(struct jit_body *body, const struct ptx_instruction *i)
{
    const struct ptx_operand *elements = body->function->elements;
    struct jit_value values[8];

    for (unsigned part = 0; part < i->width && part < 8; part++) {
        struct ptx_operand one = i->src[0];

        if (one.kind == PTX_OPERAND_VECTOR)
            one = elements[one.index + part];
        else if (one.kind == PTX_OPERAND_SPECIAL && part < 3)
            one.index += part;
        else if (one.kind == PTX_OPERAND_SPECIAL)
            one = (struct ptx_operand){.kind = PTX_OPERAND_IMMEDIATE};
        values[part] = jit_operand_read(body, &one, i->types[0]);
    }
    for (unsigned part = 0; part < i->width && part < 8; part++)
        if (i->dst[0].kind == PTX_OPERAND_VECTOR && part < i->dst[0].count)
            jit_operand_write(body, &elements[i->dst[0].index + part], i->types[0], values[part]);
}

/* mov also takes addresses of variables and functions, and packs and unpacks. */
static void emit_mov(struct jit_body *body, const struct ptx_instruction *i)
{
    struct jit_value value;

    if (i->width > 1) {
        emit_vector_mov(body, i);
        return;
    }
    body->blind = !jit_lower_sees_nan(i, 0, body->raw);
    value = jit_operand_read(body, &i->src[0], i->types[0]);
    body->blind = false;
    jit_operand_write(body, &i->dst[0], i->types[0], value);
}

static void emit_yield(struct jit_body *body)
{
    LLVMValueRef arguments[] = {body->block, body->warp};

    if (body->unit->waiting)
        jit_build_service(body, offsetof(struct cup_abi_services, yield), body->unit->nothing,
                          arguments, 2);
}

static void emit_arrive(struct jit_body *body, const struct ptx_instruction *i)
{
    struct jit_barrier_operands barrier;
    LLVMValueRef arguments[5];

    if (ptx_has(i, PTX_MOD_WARP) || ptx_has(i, PTX_MOD_SCOPE_CLUSTER))
        return;
    jit_barrier_read(body, i, &barrier);
    arguments[0] = body->block;
    arguments[1] = body->warp;
    arguments[2] = barrier.id;
    arguments[3] = barrier.threads;
    arguments[4] = jit_mask_bits(body);
    jit_build_service(body, offsetof(struct cup_abi_services, barrier_arrive), body->unit->nothing,
                      arguments, 5);
}

void jit_emit_trap(struct jit_body *body, LLVMValueRef lanes, uint32_t reason, uint32_t line)
{
    LLVMBuilderRef b = body->builder;
    LLVMValueRef arguments[5], lane = LLVMBuildAnd(b, body->first, jit_i32(body->unit, 31), "");

    arguments[0] = body->block;
    arguments[1] = body->warp;
    arguments[2] = LLVMBuildShl(b, lanes, lane, ""); /* in the warp the vector is part of */
    arguments[3] = jit_i32(body->unit, reason);
    arguments[4] = jit_i32(body->unit, line);
    jit_build_service(body, offsetof(struct cup_abi_services, trap), body->unit->nothing, arguments,
                      5);
}

static void emit_zero(struct jit_body *body, const struct ptx_instruction *i, enum ptx_type type)
{
    jit_operand_write(body, &i->dst[0], type,
                      jit_scalar(LLVMConstNull(jit_type_of(body->unit, type)), 0));
}

static void emit_other(struct jit_body *body, const struct ptx_instruction *i)
{
    switch (i->op) {
    case PTX_OP_ld:
    case PTX_OP_ldu:
        jit_emit_load(body, i);
        break;
    case PTX_OP_st:
        jit_emit_store(body, i);
        break;
    case PTX_OP_atom:
    case PTX_OP_red:
        jit_emit_atomic(body, i);
        break;
    case PTX_OP_cp:
        jit_emit_copy_async(body, i);
        break;
    case PTX_OP_isspacep:
        jit_emit_isspacep(body, i);
        break;
    case PTX_OP_membar:
    case PTX_OP_fence:
        jit_emit_fence(body, i);
        break;
    case PTX_OP_bar:
    case PTX_OP_barrier:
        emit_arrive(body, i);
        break;
    case PTX_OP_nanosleep:
        emit_yield(body);
        break;
    case PTX_OP_brkpt:
        jit_emit_trap(body, jit_mask_bits(body), CUP_ABI_TRAP_INSTRUCTION, i->line);
        break;
    case PTX_OP_createpolicy:
        emit_zero(body, i, PTX_B64);
        break;
    case PTX_OP_prefetch:
    case PTX_OP_prefetchu:
    case PTX_OP_applypriority:
    case PTX_OP_discard:
    case PTX_OP_pmevent:
    case PTX_OP_griddepcontrol:
    case PTX_OP_setmaxnreg:
        break;
    default:
        if (!jit_emit_warp_op(body, i) && !jit_emit_texture(body, i) && !jit_emit_matrix(body, i))
            jit_unit_fail(body->unit, i, "the instruction is not supported");
        break;
    }
}

void jit_emit_instruction(struct jit_body *body, const struct ptx_instruction *i)
{
    if (body->unit->failed)
        return;
    if (!jit_instruction_is_pure(i)) {
        emit_other(body, i);
        return;
    }
    if (i->guard != PTX_NO_REGISTER) {
        body->guard = jit_register_read(body, i->guard);
        if (i->guard_negated)
            body->guard.value = LLVMBuildNot(body->builder, body->guard.value, "");
    }
    if (i->op == PTX_OP_mov)
        emit_mov(body, i);
    else if (i->op == PTX_OP_cvta)
        jit_emit_cvta(body, i);
    else
        emit_pure(body, i);
    body->guard.value = NULL;
}
