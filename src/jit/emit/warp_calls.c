/* SPDX-License-Identifier: MIT */
/* Instructions that the runtime executes for a whole warp: matrices, mbarriers, isspacep, alloca.
 */
#include "jit/emit/warp_calls.h"

#include "abi/launch.h"
#include "abi/services.h"
#include "abi/warp.h"
#include "jit/emit/address.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"
#include "jit/emit/operands.h"
#include "jit/emit/warp_rows.h"
#include "jit/variants/divergent.h"
#include "ptx/matrix.h"

#include <stddef.h>
#include <string.h>

static void emit_small(struct jit_emitter *e, const struct ptx_instruction *i)
{
    struct cup_abi_warp_call about = {.transposed = ptx_has(i, PTX_MOD_TRANS)};
    unsigned rows = 0;

    if (i->op == PTX_OP_movmatrix) {
        about.operation = CUP_ABI_WARP_TRANSPOSE;
        jit_row_put_operand(e, &rows, &i->src[0], PTX_B32);
        jit_row_call(e, i, &about);
        jit_row_get_operand(e, rows, &i->dst[0], PTX_B32);
        return;
    }
    jit_row_put_address(e, &rows, &i->src[0], i->space);
    if (i->op == PTX_OP_stmatrix) {
        about.operation = CUP_ABI_WARP_STORE_SMALL;
        about.count = (uint8_t)jit_operand_part_count(&i->src[1]);
        jit_row_put_operand(e, &rows, &i->src[1], PTX_B32);
        jit_row_call(e, i, &about);
        return;
    }
    about.operation = CUP_ABI_WARP_LOAD_SMALL;
    about.types[0] = i->types[i->type_count - 1];
    about.count = (uint8_t)jit_operand_part_count(&i->dst[0]);
    jit_row_call(e, i, &about);
    jit_row_get_operand(e, rows, &i->dst[0], PTX_B32);
}

static void describe(const struct ptx_instruction *i, struct cup_abi_warp_call *about)
{
    struct ptx_matrices matrices;

    if (!ptx_matrices_of(i, &matrices))
        return;
    about->m = matrices.m;
    about->n = matrices.n;
    about->k = matrices.k;
    about->shared_fragments = i->op == PTX_OP_wmma;
    for (unsigned part = 0; part < 4; part++) {
        about->types[part] = matrices.types[part];
        about->registers[part] = (uint8_t)ptx_matrix_registers(i, &matrices, part);
    }
}

static void emit_multiply(struct jit_emitter *e, const struct ptx_instruction *i)
{
    struct cup_abi_warp_call about = {.operation = CUP_ABI_WARP_MULTIPLY};
    unsigned rows = 0;
    enum ptx_type type;

    describe(i, &about);
    type = about.types[PTX_MATRIX_D] == PTX_F64 ? PTX_B64 : PTX_B32;
    for (unsigned part = 0; part < 3; part++)
        jit_row_put_operand(e, &rows, &i->src[part], type);
    jit_row_call(e, i, &about);
    jit_row_get_operand(e, rows, &i->dst[0], type);
}

/* wmma.load and wmma.store. Without a stride operand, rows or columns are contiguous. */
static void emit_move(struct jit_emitter *e, const struct ptx_instruction *i)
{
    bool load = ptx_has(i, PTX_MOD_LOAD);
    struct cup_abi_warp_call about = {.operation = load ? CUP_ABI_WARP_LOAD : CUP_ABI_WARP_STORE,
                                      .transposed = ptx_has(i, PTX_MOD_COL)};
    unsigned rows = 0, strides = load ? 1 : 2, height, width;
    enum ptx_type type;

    describe(i, &about);
    about.part = (uint8_t)ptx_matrix_moved(i);
    type = about.types[about.part] == PTX_F64 ? PTX_B64 : PTX_B32;
    height = about.part == PTX_MATRIX_B ? about.k : about.m;
    width = about.part == PTX_MATRIX_A ? about.k : about.n;
    jit_row_put_address(e, &rows, &i->src[0], i->space);
    if (i->source_count > strides)
        jit_row_put_operand(e, &rows, &i->src[strides], PTX_U32);
    else
        jit_row_put(e, &rows, jit_scalar(jit_i64(e->unit, about.transposed ? height : width), 0));
    if (!load)
        jit_row_put_operand(e, &rows, &i->src[1], type);
    jit_row_call(e, i, &about);
    if (load)
        jit_row_get_operand(e, rows, &i->dst[0], type);
}

static uint32_t mbarrier_operation(const struct ptx_instruction *i)
{
    bool expects = ptx_has(i, PTX_MOD_EXPECT_TX);

    if (ptx_has(i, PTX_MOD_INIT))
        return CUP_ABI_WARP_MBARRIER_INIT;
    if (ptx_has(i, PTX_MOD_ARRIVE))
        return expects ? CUP_ABI_WARP_MBARRIER_ARRIVE_EXPECT : CUP_ABI_WARP_MBARRIER_ARRIVE;
    if (ptx_has(i, PTX_MOD_ARRIVE_DROP))
        return expects ? CUP_ABI_WARP_MBARRIER_DROP_EXPECT : CUP_ABI_WARP_MBARRIER_DROP;
    if (ptx_has(i, PTX_MOD_TEST_WAIT) || ptx_has(i, PTX_MOD_TRY_WAIT))
        return ptx_has(i, PTX_MOD_PARITY) ? CUP_ABI_WARP_MBARRIER_TEST_PARITY
                                          : CUP_ABI_WARP_MBARRIER_TEST;
    if (expects)
        return CUP_ABI_WARP_MBARRIER_EXPECT;
    if (ptx_has(i, PTX_MOD_CHECK_LAYOUT))
        return CUP_ABI_WARP_MBARRIER_LAYOUT;
    return ptx_has(i, PTX_MOD_COMPLETE_TX) ? CUP_ABI_WARP_MBARRIER_COMPLETE
                                           : CUP_ABI_WARP_MBARRIER_PENDING;
}

/* Writes the report of a phase. Only copies that inspect what they copy, and copies between
 * machines, report anything but zeros: devices of this kind have neither. So the conditional phase
 * ends with the primary one, too. */
static void write_report(struct jit_emitter *e, const struct ptx_instruction *i)
{
    static const enum ptx_type types[PTX_MAX_DESTINATIONS] = {[1] = PTX_PRED, [2] = PTX_B8};

    for (unsigned d = 1; d < PTX_MAX_DESTINATIONS; d++)
        if (i->dst[d].kind == PTX_OPERAND_REGISTER)
            jit_operand_write(e, &i->dst[d], types[d],
                              jit_scalar(LLVMConstNull(jit_type_of(e->unit, types[d])), 0));
}

/* If no lane has found its phase complete, others run: only they can complete it. In the divergent
 * variant the end of the loop lets them run, because they may be lanes of the same warp: those must
 * not miss a phase while this lane goes through several. */
static void yield_unless_complete(struct jit_emitter *e, LLVMValueRef complete)
{
    LLVMBasicBlockRef wait = jit_build_block(e, "wait"), on = jit_build_block(e, "on");
    LLVMValueRef lanes =
        LLVMBuildAnd(e->builder, jit_build_bits(e, complete), jit_mask_bits(e), "");

    jit_build_likely(e, LLVMBuildICmp(e->builder, LLVMIntNE, lanes, jit_i32(e->unit, 0), ""), on,
                     wait, 100);
    jit_build_at(e, wait);
    if (e->divergent)
        jit_mask_store(e, e->masks->rounds, jit_i32(e->unit, JIT_SPIN_ROUNDS - 1));
    else
        jit_build_yield(e);
    LLVMBuildBr(e->builder, on);
    jit_build_at(e, on);
}

static void emit_mbarrier(struct jit_emitter *e, const struct ptx_instruction *i)
{
    struct cup_abi_warp_call about = {.operation = mbarrier_operation(i),
                                      .part = ptx_has(i, PTX_MOD_LAYOUT_V1)};
    enum ptx_type second = PTX_U32, result = PTX_B64;
    unsigned rows = 0;

    if (ptx_has(i, PTX_MOD_INVAL))
        return;
    if (about.operation == CUP_ABI_WARP_MBARRIER_PENDING) {
        jit_row_put_operand(e, &rows, &i->src[0], PTX_B64);
        jit_row_call(e, i, &about);
        jit_row_get_operand(e, rows, &i->dst[0], PTX_U32);
        return;
    }
    if (about.operation == CUP_ABI_WARP_MBARRIER_TEST)
        second = PTX_B64;
    if (about.operation == CUP_ABI_WARP_MBARRIER_TEST ||
        about.operation == CUP_ABI_WARP_MBARRIER_TEST_PARITY ||
        about.operation == CUP_ABI_WARP_MBARRIER_LAYOUT)
        result = PTX_PRED;
    jit_row_put_address(e, &rows, &i->src[0], i->space);
    if (i->source_count > 1)
        jit_row_put_operand(e, &rows, &i->src[1], second);
    else
        jit_row_put(e, &rows, jit_scalar(jit_i64(e->unit, 1), 0));
    LLVMBuildFence(e->builder, LLVMAtomicOrderingAcquireRelease, false, "");
    jit_row_call(e, i, &about);
    if (i->dst[0].kind == PTX_OPERAND_REGISTER)
        jit_row_get_operand(e, rows, &i->dst[0], result);
    write_report(e, i);
    if (result == PTX_PRED && about.operation != CUP_ABI_WARP_MBARRIER_LAYOUT && e->unit->waiting)
        yield_unless_complete(e, jit_row_get(e, rows, PTX_PRED).value);
}

/* The lanes whose address is in the `bytes` bytes from `base` on. */
static LLVMValueRef is_inside(struct jit_emitter *e, LLVMValueRef addresses, LLVMValueRef base,
                              uint64_t bytes)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef offsets = LLVMBuildSub(b, addresses, jit_build_splat(e, base), "");

    return LLVMBuildICmp(b, LLVMIntULT, offsets, jit_build_splat(e, jit_i64(e->unit, bytes)), "");
}

static LLVMValueRef is_const(struct jit_emitter *e, LLVMValueRef addresses)
{
    const struct ptx_program *program = e->unit->program;
    LLVMValueRef any = LLVMConstNull(jit_vector_type(e, e->unit->i1));

    for (uint32_t v = 0; v < program->variable_count; v++)
        if (program->variables[v].space == PTX_CONST && program->variables[v].size_bytes)
            any = LLVMBuildOr(e->builder, any,
                              is_inside(e, addresses, jit_variable_address(e, v, false).value,
                                        program->variables[v].size_bytes),
                              "");
    return any;
}

/* isspacep: an address in no other window is global; a kernel's parameters are in the global window
 * too. */
void jit_emit_isspacep(struct jit_emitter *e, const struct ptx_instruction *i)
{
    struct cup_abi_warp_call about = {.operation = CUP_ABI_WARP_SPACE,
                                      .space = i->space,
                                      .count = ptx_has(i, PTX_MOD_SHARED_CLUSTER)};
    struct jit_value address = jit_emit_address(e, &i->src[0], PTX_SPACE_NONE);
    LLVMValueRef addresses = jit_value_vector(e, address), result;
    const struct ptx_function *kernel = &e->unit->program->functions[e->unit->request->function];
    unsigned rows = 0;

    if (i->space == PTX_CONST) {
        result = is_const(e, addresses);
    } else if (i->space == PTX_PARAM) {
        result =
            is_inside(e, addresses, LLVMBuildPtrToInt(e->builder, e->abi.params, e->unit->i64, ""),
                      kernel->parameter_bytes);
    } else {
        jit_row_put(e, &rows, jit_vector(addresses));
        jit_row_call(e, i, &about);
        result = jit_row_get(e, rows, PTX_PRED).value;
        if (i->space == PTX_GLOBAL)
            result = LLVMBuildAnd(e->builder, result,
                                  LLVMBuildNot(e->builder, is_const(e, addresses), ""), "");
    }
    jit_operand_write(e, &i->dst[0], PTX_PRED, jit_vector(result));
}

static void stack_call(struct jit_emitter *e, uint32_t operation, const struct ptx_instruction *i,
                       LLVMValueRef saved)
{
    struct cup_abi_warp_call about = {.operation = operation, .count = 3};
    unsigned rows = 0;

    if (saved)
        jit_row_put(e, &rows, jit_vector(saved));
    else if (i && operation != CUP_ABI_WARP_STACK_SAVE)
        jit_row_put_operand(e, &rows, &i->src[0], PTX_U64);
    if (operation == CUP_ABI_WARP_STACK_TAKE && i->source_count > 1)
        while (about.count < 16 && UINT64_C(1) << about.count < i->src[1].value)
            about.count++;
    jit_row_call(e, i, &about);
    if (i && operation != CUP_ABI_WARP_STACK_RESTORE)
        jit_row_get_operand(e, rows, &i->dst[0], PTX_U64);
}

static bool uses_stack(const struct ptx_function *function)
{
    for (uint32_t i = 0; i < function->instruction_count; i++)
        if (function->instructions[i].op == PTX_OP_alloca)
            return true;
    return false;
}

void jit_stack_enter(struct jit_emitter *e)
{
    LLVMTypeRef words = jit_vector_type(e, e->unit->i64);
    bool any = false;

    if (!e->function->is_kernel) {
        if (!uses_stack(e->function->ptx))
            return;
        e->scratch[JIT_SCRATCH_STACK_BEFORE] = jit_build_alloca(e, words, 1, "stack.before");
        stack_call(e, CUP_ABI_WARP_STACK_SAVE, NULL, NULL);
        LLVMBuildStore(e->builder, jit_row_get(e, 0, PTX_U64).value,
                       e->scratch[JIT_SCRATCH_STACK_BEFORE]);
        return;
    }
    for (uint32_t f = 0; f < e->unit->program->function_count; f++)
        any |= e->unit->reached[f] && uses_stack(&e->unit->program->functions[f]);
    if (any)
        stack_call(e, CUP_ABI_WARP_STACK_RESTORE, NULL, LLVMConstNull(words));
}

void jit_stack_leave(struct jit_emitter *e)
{
    if (e->scratch[JIT_SCRATCH_STACK_BEFORE])
        stack_call(e, CUP_ABI_WARP_STACK_RESTORE, NULL,
                   LLVMBuildLoad2(e->builder, jit_vector_type(e, e->unit->i64),
                                  e->scratch[JIT_SCRATCH_STACK_BEFORE], ""));
}

bool jit_emit_warp_call(struct jit_emitter *e, const struct ptx_instruction *i)
{
    switch (i->op) {
    case PTX_OP_ldmatrix:
    case PTX_OP_stmatrix:
    case PTX_OP_movmatrix:
        emit_small(e, i);
        return true;
    case PTX_OP_mma:
        emit_multiply(e, i);
        return true;
    case PTX_OP_wmma:
        if (ptx_has(i, PTX_MOD_MMA))
            emit_multiply(e, i);
        else
            emit_move(e, i);
        return true;
    case PTX_OP_mbarrier:
        emit_mbarrier(e, i);
        return true;
    case PTX_OP_multimem:
        jit_emit_multimem(e, i);
        return true;
    case PTX_OP_alloca:
        stack_call(e, CUP_ABI_WARP_STACK_TAKE, i, NULL);
        return true;
    case PTX_OP_stacksave:
        stack_call(e, CUP_ABI_WARP_STACK_SAVE, i, NULL);
        return true;
    case PTX_OP_stackrestore:
        stack_call(e, CUP_ABI_WARP_STACK_RESTORE, i, NULL);
        return true;
    default:
        return false;
    }
}
