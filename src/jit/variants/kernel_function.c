/* SPDX-License-Identifier: MIT */
/* The LLVM functions of a unit. A kernel that never waits is a function that runs a sequence of
 * blocks, vector by vector; a looped kernel is one that runs the warps of each block in rounds; a
 * kernel that waits is a function that runs one warp. A device function runs the lanes it is
 * called with. */
#include "jit/variants/kernel_function.h"

#include "abi/kernel.h"
#include "abi/launch.h"
#include "jit/analysis/uniformity.h"
#include "jit/debuginfo/dwarf.h"
#include "jit/debuginfo/variables.h"
#include "jit/emit/alignment.h"
#include "jit/emit/cold_paths.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"
#include "jit/emit/matrix_tiles.h"
#include "jit/emit/registers.h"
#include "jit/instrument/accesses.h"
#include "jit/instrument/loops.h"
#include "jit/instrument/runs.h"
#include "jit/instrument/site.h"
#include "jit/transform/load_coalescing.h"
#include "jit/transform/load_store_forwarding.h"
#include "jit/variants/bailout.h"
#include "jit/variants/barrier_regions.h"
#include "jit/variants/divergent.h"
#include "jit/variants/uniform.h"

#include <stddef.h>
#include <string.h>

#define BLOCK(field) offsetof(struct cup_abi_block, field)

static struct jit_emitter *make_emitter(struct jit_unit *unit, uint32_t index)
{
    struct jit_emitter *e = jit_workspace_zeros(&unit->workspace, 1, sizeof(*e));

    e->unit = unit;
    e->function = jit_function_make(unit, index);
    e->builder = unit->builder;
    e->width = unit->width;
    e->variable_arrays =
        jit_emitter_zeros(e, e->function->ptx->variable_count + 1u, sizeof(LLVMValueRef));
    jit_registers_init(e);
    jit_divergent_init(e);
    jit_regions_init(e);
    jit_bailouts_init(e);
    jit_cold_paths_init(e);
    jit_alignment_init(e);
    jit_forwarding_init(e);
    jit_coalescing_init(e);
    jit_tiles_init(e);
    jit_instrument_init(e);
    return e;
}

static void analyse_uniformity(struct jit_emitter *e)
{
    jit_uniformity_analyse(e->function, e->function->uniformity[1], true);
    if (e->function->has_uniform) {
        jit_uniformity_analyse(e->function, e->function->uniformity[0], false);
        jit_tiles_find(e);
    }
}

/* Emits the code for one vector, from the builder's position to e->blocks.done, where the
 * builder is afterwards. */
static void emit_vector(struct jit_emitter *e)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef divergent = jit_build_block(e, "divergent"),
                      uniform = jit_build_block(e, "uniform");
    LLVMValueRef left, lanes, one = jit_i32(unit, 1), whole;

    e->blocks->done = jit_build_block(e, "done");
    left = LLVMBuildSub(b, e->abi.threads, e->vector.first, "left");
    whole = LLVMBuildICmp(b, LLVMIntUGE, left, jit_i32(unit, e->width), "");
    lanes = LLVMBuildSub(b, LLVMBuildShl(b, one, left, ""), one, "");
    lanes = LLVMBuildSelect(b, whole, e->vector.full, lanes, "lanes");
    if (unit->single_lane)
        lanes = one;
    if (e->function->has_uniform) {
        if (unit->shape == CUP_SHAPE_ROWS || unit->shape == CUP_SHAPE_ONE)
            whole = LLVMConstInt(unit->i1, 1, false);
        LLVMBuildCondBr(b, whole, uniform, divergent);
        for (uint32_t p = 0; p < e->function->cfg.order_count; p++)
            e->blocks->uniforms[e->function->cfg.order[p]] = jit_build_block(e, "node");
        jit_build_at(e, uniform);
        jit_uniform_emit(e);
    } else {
        LLVMBuildBr(b, divergent);
        LLVMDeleteBasicBlock(uniform);
    }
    jit_build_at(e, divergent);
    if (e->width == 1) { /* a thread alone never leaves the uniform variant */
        if (jit_bailout_exists(e))
            jit_unit_fail(unit, NULL, "a thread alone would diverge");
        LLVMBuildUnreachable(b);
        jit_build_at(e, e->blocks->done);
        return;
    }
    jit_emitter_spill_state(e);
    jit_debug_position(e);
    jit_debug_variables(e);
    LLVMBuildStore(b, lanes, e->masks->live);
    jit_divergent_start(e, lanes);
    jit_divergent_emit(e);
    jit_build_at(e, e->blocks->done);
    jit_emitter_reload_state(e);
}

static void prepare_vector(struct jit_emitter *e)
{
    analyse_uniformity(e);
    jit_check_loops_begin(e);
    if (e->width > 1)
        jit_divergent_prepare(e);
}

static LLVMValueRef add_function(struct jit_unit *unit, const char *name, LLVMTypeRef *types,
                                 unsigned count)
{
    LLVMTypeRef type = LLVMFunctionType(unit->nothing, types, count, false);

    return LLVMAddFunction(unit->module, name, type);
}

/* Emits the function of one vector: its second argument is the number of its first thread, divided
 * by 2^shift. */
static void emit_vector_function(struct jit_emitter *e, const char *name, unsigned shift)
{
    struct jit_unit *unit = e->unit;
    LLVMTypeRef types[] = {unit->ptr, unit->i32};
    LLVMBasicBlockRef start;

    jit_emitter_begin(e, add_function(unit, name, types, 2));
    jit_debug_function(e);
    e->vector.first =
        LLVMBuildShl(e->builder, LLVMGetParam(e->llvm, 1), jit_i32(unit, shift), "first");
    for (unsigned axis = 0; axis < 3; axis++)
        e->vector.ctaid[axis] =
            jit_build_field(e, e->abi.block, BLOCK(index) + 4u * axis, unit->i32, true, "ctaid");
    jit_emitter_make_variables(e);
    jit_emitter_set_position(e);
    start = jit_build_block(e, "start");
    LLVMBuildBr(e->builder, start);
    jit_build_at(e, start);
    prepare_vector(e);
    emit_vector(e);
    LLVMBuildRetVoid(e->builder);
}

static void emit_warp_kernel(struct jit_emitter *e)
{
    emit_vector_function(e, "cup_abi_run_warp", 5);
}

/* Code to step through: a function of one thread, so that a breakpoint there stops every thread. */
static LLVMValueRef emit_thread_function(struct jit_unit *unit)
{
    struct jit_emitter *e = make_emitter(unit, unit->request->function);

    emit_vector_function(e, "thread", 0);
    LLVMSetLinkage(e->llvm, LLVMInternalLinkage);
    return e->llvm;
}

static void call_thread(struct jit_emitter *e, LLVMValueRef thread, LLVMValueRef first)
{
    LLVMValueRef arguments[] = {e->abi.block, first};

    LLVMBuildCall2(e->builder, LLVMGlobalGetValueType(thread), thread, arguments, 2, "");
}

struct jit_row {
    LLVMBasicBlockRef before, head;
    LLVMValueRef index[3], linear, left; /* phis */
};

static void store_field(struct jit_emitter *e, size_t offset, LLVMValueRef value)
{
    LLVMBuildStore(e->builder, value, jit_build_offset(e, e->abi.block, jit_i64(e->unit, offset)));
}

static void begin_blocks(struct jit_emitter *e, struct jit_row *row, LLVMBasicBlockRef out)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMValueRef first = LLVMGetParam(e->llvm, 1), count = LLVMGetParam(e->llvm, 2);
    LLVMValueRef x = LLVMBuildZExt(b, e->abi.nctaid[0], unit->i64, ""),
                 y = LLVMBuildZExt(b, e->abi.nctaid[1], unit->i64, ""), rest, start[3];
    LLVMBasicBlockRef prepare = jit_build_block(e, "prepare");

    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, count, jit_i64(unit, 0), ""), out, prepare);
    jit_build_at(e, prepare);
    rest = LLVMBuildUDiv(b, first, x, "");
    start[0] = LLVMBuildTrunc(b, LLVMBuildURem(b, first, x, ""), unit->i32, "");
    start[1] = LLVMBuildTrunc(b, LLVMBuildURem(b, rest, y, ""), unit->i32, "");
    start[2] = LLVMBuildTrunc(b, LLVMBuildUDiv(b, rest, y, ""), unit->i32, "");
    row->before = prepare;
    row->head = jit_build_block(e, "block");
    LLVMBuildBr(b, row->head);
    jit_build_at(e, row->head);
    row->left = LLVMBuildPhi(b, unit->i64, "blocks.left");
    row->linear = LLVMBuildPhi(b, unit->i64, "linear");
    for (unsigned axis = 0; axis < 3; axis++) {
        row->index[axis] = LLVMBuildPhi(b, unit->i32, "ctaid");
        LLVMAddIncoming(row->index[axis], &start[axis], &prepare, 1);
    }
    LLVMAddIncoming(row->left, &count, &prepare, 1);
    LLVMAddIncoming(row->linear, &first, &prepare, 1);
    for (unsigned axis = 0; axis < 3; axis++) {
        e->vector.ctaid[axis] = row->index[axis];
        store_field(e, BLOCK(index) + 4u * axis, row->index[axis]);
    }
    store_field(e, BLOCK(linear), row->linear);
    jit_check_block(e);
}

static void end_blocks(struct jit_emitter *e, struct jit_row *row, LLVMBasicBlockRef out)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef here;
    LLVMValueRef carry = jit_i32(unit, 1), next, left, linear;

    for (unsigned axis = 0; axis < 3; axis++) {
        LLVMValueRef wraps;

        next = LLVMBuildAdd(b, row->index[axis], carry, "");
        wraps = LLVMBuildICmp(b, LLVMIntEQ, next, e->abi.nctaid[axis], "");
        carry = LLVMBuildZExt(b, wraps, unit->i32, "");
        next = LLVMBuildSelect(b, wraps, jit_i32(unit, 0), next, "");
        here = jit_build_here(e);
        LLVMAddIncoming(row->index[axis], &next, &here, 1);
    }
    left = LLVMBuildSub(b, row->left, jit_i64(unit, 1), "");
    linear = LLVMBuildAdd(b, row->linear, jit_i64(unit, 1), "");
    here = jit_build_here(e);
    LLVMAddIncoming(row->left, &left, &here, 1);
    LLVMAddIncoming(row->linear, &linear, &here, 1);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, left, jit_i64(unit, 0), ""), out, row->head);
}

/* If rows consist of whole vectors, the position in the block is incremented from `start` on, which
 * is cheaper than dividing. */
static void begin_rows(struct jit_emitter *e, LLVMBasicBlockRef before, LLVMValueRef *start)
{
    LLVMValueRef first = LLVMGetFirstInstruction(jit_build_here(e));

    if (e->unit->one_variant)
        return;
    LLVMPositionBuilderBefore(e->builder, first);
    for (unsigned axis = 0; axis < 3; axis++) {
        e->vector.tid[axis] = LLVMBuildPhi(e->builder, e->unit->i32, "tid");
        LLVMAddIncoming(e->vector.tid[axis], &start[axis], &before, 1);
    }
    jit_build_at(e, LLVMGetInstructionParent(first));
}

static void step_rows(struct jit_emitter *e)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef here = jit_build_here(e);
    LLVMValueRef step = jit_i32(unit, e->width);

    for (unsigned axis = 0; axis < 3; axis++) {
        LLVMValueRef next = LLVMBuildAdd(b, e->vector.tid[axis], step, "");
        LLVMValueRef wraps = LLVMBuildICmp(b, LLVMIntEQ, next, e->abi.ntid[axis], "");

        step = LLVMBuildZExt(b, wraps, unit->i32, "");
        next = LLVMBuildSelect(b, wraps, jit_i32(unit, 0), next, "");
        LLVMAddIncoming(e->vector.tid[axis], &next, &here, 1);
    }
}

static void emit_block_kernel(struct jit_emitter *e)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b;
    LLVMTypeRef types[] = {unit->ptr, unit->i64, unit->i64};
    LLVMBasicBlockRef out, before, head, here, next_block;
    LLVMValueRef thread_first, thread_end, start[3], first, next, thread = NULL;
    struct jit_row row;

    if (unit->single_lane)
        thread = emit_thread_function(unit);
    jit_emitter_begin(e, add_function(unit, "cup_abi_run_blocks", types, 3));
    if (!thread)
        jit_debug_function(e);
    b = e->builder;
    jit_emitter_make_variables(e);
    jit_check_runs_begin(e);
    thread_first =
        jit_build_field(e, e->abi.block, BLOCK(thread_first), unit->i32, true, "thread.first");
    thread_end = jit_build_field(e, e->abi.block, BLOCK(thread_end), unit->i32, true, "thread.end");
    e->vector.first = thread_first;
    jit_emitter_set_position(e);
    memcpy(start, e->vector.tid, sizeof(start));
    out = jit_build_block(e, "out");
    begin_blocks(e, &row, out);
    before = jit_build_here(e);
    head = jit_build_block(e, "vector");
    LLVMBuildBr(b, head);
    jit_build_at(e, head);
    e->vector.first = first = LLVMBuildPhi(b, unit->i32, "first");
    LLVMAddIncoming(first, &thread_first, &before, 1);
    if (thread) {
        call_thread(e, thread, first);
    } else {
        jit_emitter_set_position(e);
        if (unit->shape == CUP_SHAPE_ROWS)
            begin_rows(e, before, start);
        prepare_vector(e);
        emit_vector(e); /* in a large kernel this changes e->vector.first */
    }
    next = LLVMBuildAdd(b, first, jit_i32(unit, unit->single_lane ? 1 : e->width), "");
    if (unit->shape == CUP_SHAPE_ROWS && !unit->one_variant)
        step_rows(e);
    here = jit_build_here(e);
    LLVMAddIncoming(first, &next, &here, 1);
    next_block = jit_build_block(e, "block.end");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, thread_end, ""), head, next_block);
    jit_build_at(e, next_block);
    end_blocks(e, &row, out);
    jit_build_at(e, out);
    jit_check_runs_end(e);
    LLVMBuildRetVoid(b);
}

/* Emits a round over all warps of a block, each from where it stopped to where it stops next;
 * e->rounds.step continues with the next warp. Returns the block after the last warp. */
static LLVMBasicBlockRef emit_round(struct jit_emitter *e, LLVMValueRef fresh)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef before = jit_build_here(e), head = jit_build_block(e, "warp"),
                      start = jit_build_block(e, "start"), resume = jit_build_block(e, "resume"),
                      end = jit_build_block(e, "round.end");
    LLVMValueRef zero = jit_i32(unit, 0), start_of_block[] = {zero, zero, zero}, first, next,
                 is_fresh;

    LLVMBuildBr(b, head);
    jit_build_at(e, head);
    e->regions->rounds.step = jit_build_block(e, "step");
    e->vector.first = first = LLVMBuildPhi(b, unit->i32, "first");
    LLVMAddIncoming(first, &zero, &before, 1);
    jit_emitter_set_position(e);
    if (unit->shape == CUP_SHAPE_ROWS)
        begin_rows(e, before, start_of_block);
    prepare_vector(e);
    jit_regions_prepare(e);
    store_field(e, BLOCK(warp), e->vector.warp);
    is_fresh = LLVMBuildICmp(b, LLVMIntNE, LLVMBuildLoad2(b, unit->i32, fresh, ""), zero, "");
    LLVMBuildCondBr(b, is_fresh, start, resume);
    jit_build_at(e, start);
    emit_vector(e);
    jit_regions_done(e);
    jit_build_at(e, resume);
    jit_regions_resume(e);

    jit_build_at(e, e->regions->rounds.step);
    next = LLVMBuildAdd(b, first, jit_i32(unit, e->width), "");
    if (unit->shape == CUP_SHAPE_ROWS)
        step_rows(e);
    LLVMAddIncoming(first, &next, &e->regions->rounds.step, 1);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, e->abi.threads, ""), head, end);
    return end;
}

static void emit_looped_kernel(struct jit_emitter *e)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b;
    LLVMTypeRef types[] = {unit->ptr, unit->i64, unit->i64};
    LLVMBasicBlockRef out, round, block_end;
    LLVMValueRef fresh;
    struct jit_row row;

    jit_emitter_begin(e, add_function(unit, "cup_abi_run_blocks", types, 3));
    jit_debug_function(e);
    b = e->builder;
    jit_emitter_make_variables(e);
    jit_check_runs_begin(e);
    fresh = jit_build_alloca(e, unit->i32, 1, "fresh");
    out = jit_build_block(e, "out");
    begin_blocks(e, &row, out);
    LLVMBuildStore(b, jit_i32(unit, 1), fresh);
    jit_rounds_begin(e);
    round = jit_build_block(e, "round");
    LLVMBuildBr(b, round);
    jit_build_at(e, round);
    jit_build_at(e, emit_round(e, fresh));
    LLVMBuildStore(b, jit_i32(unit, 0), fresh);
    block_end = jit_build_block(e, "block.end");
    jit_rounds_end(e, round, block_end);
    jit_build_at(e, block_end);
    end_blocks(e, &row, out);
    jit_build_at(e, out);
    jit_check_runs_end(e);
    LLVMBuildRetVoid(b);
}

void jit_unit_emit_kernel(struct jit_unit *unit)
{
    struct jit_emitter *e = make_emitter(unit, unit->request->function);

    e->function->has_uniform = !unit->one_variant;
    if (unit->waiting)
        emit_warp_kernel(e);
    else if (unit->looped)
        emit_looped_kernel(e);
    else
        emit_block_kernel(e);
}

static void place_arguments(struct jit_emitter *e)
{
    const struct ptx_function *function = e->function->ptx;
    unsigned at = 4;

    for (uint32_t p = 0; p < function->parameter_count; p++)
        e->variable_arrays[function->parameters[p].variable] = LLVMGetParam(e->llvm, at++);
    for (uint32_t r = 0; r < function->result_count; r++)
        e->variable_arrays[function->results[r].variable] = LLVMGetParam(e->llvm, at++);
}

static void emit_function(struct jit_emitter *e, LLVMValueRef llvm)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b;
    LLVMBasicBlockRef start;
    LLVMValueRef lanes;

    jit_emitter_begin(e, llvm);
    jit_debug_function(e);
    b = e->builder;
    e->vector.first = LLVMGetParam(llvm, 1);
    lanes = LLVMGetParam(llvm, 2);
    for (unsigned axis = 0; axis < 3; axis++)
        e->vector.ctaid[axis] =
            jit_build_field(e, e->abi.block, BLOCK(index) + 4u * axis, unit->i32, false, "ctaid");
    place_arguments(e);
    jit_emitter_make_variables(e);
    jit_emitter_set_position(e);
    e->blocks->done = jit_build_block(e, "done");
    start = jit_build_block(e, "start");
    LLVMBuildBr(b, start);
    jit_build_at(e, start);
    analyse_uniformity(e);
    jit_check_loops_begin(e);
    jit_divergent_prepare(e);
    jit_emitter_spill_state(e);
    jit_debug_position(e);
    jit_debug_variables(e);
    LLVMBuildStore(b, LLVMGetParam(llvm, 3), e->masks->live);
    LLVMBuildStore(b, jit_i32(unit, 0), e->masks->returned);
    jit_divergent_start(e, lanes);
    jit_divergent_emit(e);
    jit_build_at(e, e->blocks->done);
    jit_emitter_reload_state(e);
    LLVMBuildRet(b, LLVMBuildLoad2(b, unit->i32, e->masks->returned, ""));
}

void jit_unit_emit_function(struct jit_unit *unit, uint32_t index)
{
    emit_function(make_emitter(unit, index), unit->functions[index]);
}
