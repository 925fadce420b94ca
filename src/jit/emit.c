/* SPDX-License-Identifier: MIT */
/* One plain instruction, in the clone that is being emitted. What works lane by lane is computed on
 * scalars if its class says that this is enough (the scalar of an affine value is lane 0), else on
 * vectors; what it computes is the lowering's affair. */
#include "jit/compile.h"

#include <stddef.h>

/* The fast clone relies on the lanes of a 32-bit number not wrapping where it is widened: if they
 * do, the slow clone goes on. */
static void check_wrap(struct cup_body *body, const struct ptx_instruction *i, int source)
{
    struct cup_unit *unit = body->unit;
    uint8_t type = i->op == PTX_OP_cvt ? i->types[1] : i->types[0];
    struct cup_value value = cup_operand_read(body, &i->src[source], type);
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
        cup_fast_leave_unless(body, stay, (uint32_t)(i - body->function->instructions));
        return;
    }
    if (!is_signed && span < 0) {
        name = "llvm.usub.with.overflow";
        span = -span;
    }
    arguments[0] = value.value;
    arguments[1] = cup_i32(unit, (uint32_t)span);
    pair = cup_build_call(body, name, unit->i32, arguments, 2);
    stay = LLVMBuildNot(body->builder, LLVMBuildExtractValue(body->builder, pair, 1, ""), "");
    cup_fast_leave_unless(body, stay, (uint32_t)(i - body->function->instructions));
}

static void read_carry(struct cup_body *body, const struct ptx_instruction *i, unsigned given,
                       unsigned count, struct cup_value *sources)
{
    if (count > given && (i->op == PTX_OP_addc || i->op == PTX_OP_subc || i->op == PTX_OP_madc))
        sources[count - 1] = cup_register_read(body, body->cfg.carry);
}

static void write_results(struct cup_body *body, const struct ptx_instruction *i,
                          const enum ptx_type *types, unsigned count, LLVMValueRef *results,
                          struct cup_class class, bool vector)
{
    bool carry = ptx_has(i, PTX_MOD_CC);

    for (unsigned r = 0; r < count; r++) {
        struct cup_value value = {results[r], vector ? 0 : class.stride, vector,
                                  vector ? 0 : class.jump};

        if (carry && r + 1 == count)
            cup_register_write(body, body->cfg.carry, value);
        else
            cup_operand_write(body, &i->dst[r], types[r], value);
    }
}

static void emit_pure(struct cup_body *body, const struct ptx_instruction *i)
{
    enum ptx_type source_types[CUP_LOWER_MAX_OPERANDS + 2],
        result_types[CUP_LOWER_MAX_OPERANDS + 2];
    struct cup_value sources[CUP_LOWER_MAX_OPERANDS + 2] = {{NULL, 0, false, 0}};
    LLVMValueRef values[CUP_LOWER_MAX_OPERANDS + 2], results[CUP_LOWER_MAX_OPERANDS + 2] = {NULL};
    unsigned source_count = 0, result_count = 0;
    struct cup_class class = cup_class_of_result(body, body->classes[body->slow], body->slow, i);
    bool vector = class.kind == CUP_CLASS_VARYING;
    int wide = vector ? -1 : cup_class_widens(body, body->classes[body->slow], i);

    if (!cup_lower_shape(i, source_types, &source_count, result_types, &result_count)) {
        cup_unit_fail(body->unit, i, "the instruction is not supported");
        return;
    }
    if (wide >= 0 && !body->slow)
        check_wrap(body, i, wide);
    for (unsigned s = 0; s < source_count && s < i->source_count; s++) {
        body->blind = !cup_lower_sees_nan(i, s, body->raw);
        sources[s] = cup_operand_read(body, &i->src[s], source_types[s]);
        body->blind = false;
    }
    read_carry(body, i, i->source_count, source_count, sources);
    for (unsigned s = 0; s < source_count; s++) {
        if (!sources[s].value)
            sources[s] = cup_scalar(LLVMConstNull(cup_type_of(body->unit, source_types[s])), 0);
        values[s] = vector ? cup_value_vector(body, sources[s]) : sources[s].value;
    }
    body->lower.lanes = vector ? body->width : 1;
    body->lower.raw_nan = i->dst[0].kind == PTX_OPERAND_REGISTER && body->raw[i->dst[0].index];
    if (!cup_lower_emit(&body->lower, i, values, results)) {
        cup_unit_fail(body->unit, i, "the instruction is not supported");
        return;
    }
    body->lower.raw_nan = false;
    write_results(body, i, result_types, result_count, results, class, vector);
}

/* mov.v4 and mov.v2: element by element; %tid is all of its parts, and nothing behind them. */
static void emit_vector_mov(struct cup_body *body, const struct ptx_instruction *i)
{
    const struct ptx_operand *elements = body->function->elements;
    struct cup_value values[8];

    for (unsigned part = 0; part < i->width && part < 8; part++) {
        struct ptx_operand one = i->src[0];

        if (one.kind == PTX_OPERAND_VECTOR)
            one = elements[one.index + part];
        else if (one.kind == PTX_OPERAND_SPECIAL && part < 3)
            one.index += part;
        else if (one.kind == PTX_OPERAND_SPECIAL)
            one = (struct ptx_operand){.kind = PTX_OPERAND_IMMEDIATE};
        values[part] = cup_operand_read(body, &one, i->types[0]);
    }
    for (unsigned part = 0; part < i->width && part < 8; part++)
        if (i->dst[0].kind == PTX_OPERAND_VECTOR && part < i->dst[0].count)
            cup_operand_write(body, &elements[i->dst[0].index + part], i->types[0], values[part]);
}

/* mov also takes addresses of variables and functions, and packs and unpacks. */
static void emit_mov(struct cup_body *body, const struct ptx_instruction *i)
{
    struct cup_value value;

    if (i->width > 1) {
        emit_vector_mov(body, i);
        return;
    }
    body->blind = !cup_lower_sees_nan(i, 0, body->raw);
    value = cup_operand_read(body, &i->src[0], i->types[0]);
    body->blind = false;
    cup_operand_write(body, &i->dst[0], i->types[0], value);
}

static void emit_yield(struct cup_body *body)
{
    LLVMValueRef arguments[] = {body->block, body->warp};

    if (body->unit->waiting)
        cup_build_service(body, offsetof(struct cup_services, yield), body->unit->nothing,
                          arguments, 2);
}

static void emit_arrive(struct cup_body *body, const struct ptx_instruction *i)
{
    struct cup_barrier_operands barrier;
    LLVMValueRef arguments[5];

    if (ptx_has(i, PTX_MOD_WARP) || ptx_has(i, PTX_MOD_SCOPE_CLUSTER))
        return;
    cup_barrier_read(body, i, &barrier);
    arguments[0] = body->block;
    arguments[1] = body->warp;
    arguments[2] = barrier.id;
    arguments[3] = barrier.threads;
    arguments[4] = cup_mask_bits(body);
    cup_build_service(body, offsetof(struct cup_services, barrier_arrive), body->unit->nothing,
                      arguments, 5);
}

void cup_emit_trap(struct cup_body *body, LLVMValueRef lanes, uint32_t reason, uint32_t line)
{
    LLVMBuilderRef b = body->builder;
    LLVMValueRef arguments[5], lane = LLVMBuildAnd(b, body->first, cup_i32(body->unit, 31), "");

    arguments[0] = body->block;
    arguments[1] = body->warp;
    arguments[2] = LLVMBuildShl(b, lanes, lane, ""); /* in the warp the vector is part of */
    arguments[3] = cup_i32(body->unit, reason);
    arguments[4] = cup_i32(body->unit, line);
    cup_build_service(body, offsetof(struct cup_services, trap), body->unit->nothing, arguments, 5);
}

static void emit_zero(struct cup_body *body, const struct ptx_instruction *i, enum ptx_type type)
{
    cup_operand_write(body, &i->dst[0], type,
                      cup_scalar(LLVMConstNull(cup_type_of(body->unit, type)), 0));
}

static void emit_other(struct cup_body *body, const struct ptx_instruction *i)
{
    switch (i->op) {
    case PTX_OP_ld:
    case PTX_OP_ldu:
        cup_emit_load(body, i);
        break;
    case PTX_OP_st:
        cup_emit_store(body, i);
        break;
    case PTX_OP_atom:
    case PTX_OP_red:
        cup_emit_atomic(body, i);
        break;
    case PTX_OP_cp:
        cup_emit_copy_async(body, i);
        break;
    case PTX_OP_isspacep:
        cup_emit_isspacep(body, i);
        break;
    case PTX_OP_membar:
    case PTX_OP_fence:
        cup_emit_fence(body, i);
        break;
    case PTX_OP_bar:
    case PTX_OP_barrier:
        emit_arrive(body, i);
        break;
    case PTX_OP_nanosleep:
        emit_yield(body);
        break;
    case PTX_OP_brkpt:
        cup_emit_trap(body, cup_mask_bits(body), CUP_TRAP_INSTRUCTION, i->line);
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
        if (!cup_emit_warp_op(body, i) && !cup_emit_texture(body, i) && !cup_emit_matrix(body, i))
            cup_unit_fail(body->unit, i, "the instruction is not supported");
        break;
    }
}

void cup_emit_instruction(struct cup_body *body, const struct ptx_instruction *i)
{
    if (body->unit->failed)
        return;
    if (!cup_instruction_is_pure(i)) {
        emit_other(body, i);
        return;
    }
    if (i->guard != PTX_NO_REGISTER) {
        body->guard = cup_register_read(body, i->guard);
        if (i->guard_negated)
            body->guard.value = LLVMBuildNot(body->builder, body->guard.value, "");
    }
    if (i->op == PTX_OP_mov)
        emit_mov(body, i);
    else if (i->op == PTX_OP_cvta)
        cup_emit_cvta(body, i);
    else
        emit_pure(body, i);
    body->guard.value = NULL;
}
