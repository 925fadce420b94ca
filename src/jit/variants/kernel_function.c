/* SPDX-License-Identifier: MIT */
/* The LLVM functions of bodies. A kernel that never waits is a function that runs a sequence of
 * blocks, vector by vector; a looped kernel is one that runs the warps of each block in rounds; a
 * kernel that waits is a function that runs one warp. A device function runs the lanes it is
 * called with. */
#include "jit/variants/kernel_function.h"

#include "abi/kernel.h"
#include "abi/launch.h"
#include "jit/emit/body.h"
#include "jit/emit/ir.h"
#include "jit/instrument/accesses.h"
#include "jit/instrument/loops.h"
#include "jit/instrument/runs.h"
#include "jit/debuginfo/dwarf.h"
#include "jit/debuginfo/variables.h"
#include "jit/variants/divergent.h"
#include "jit/variants/barrier_regions.h"
#include "jit/variants/uniform.h"

#include <stddef.h>
#include <string.h>

#define BLOCK(field) offsetof(struct cup_abi_block, field)

static void analyse_uniformity(struct jit_body *body)
{
    jit_uniformity_analyse(body, body->registers.uniformity[1], true);
    if (body->has_uniform) {
        jit_uniformity_analyse(body, body->registers.uniformity[0], false);
        jit_tiles_find(body);
    }
}

/* Emits the code for one vector, from the builder's position to body->blocks.done, where the
 * builder is afterwards. */
static void emit_vector(struct jit_body *body)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef divergent = jit_build_block(body, "divergent"),
                      uniform = jit_build_block(body, "uniform");
    LLVMValueRef left, lanes, one = jit_i32(unit, 1), whole;

    body->blocks.done = jit_build_block(body, "done");
    left = LLVMBuildSub(b, body->abi.threads, body->vector.first, "left");
    whole = LLVMBuildICmp(b, LLVMIntUGE, left, jit_i32(unit, body->width), "");
    lanes = LLVMBuildSub(b, LLVMBuildShl(b, one, left, ""), one, "");
    lanes = LLVMBuildSelect(b, whole, body->vector.full, lanes, "lanes");
    if (unit->single_lane)
        lanes = one;
    if (body->has_uniform) {
        if (unit->shape == CUP_SHAPE_ROWS)
            whole = LLVMConstInt(unit->i1, 1, false);
        LLVMBuildCondBr(b, whole, uniform, divergent);
        for (uint32_t p = 0; p < body->cfg.order_count; p++)
            body->blocks.uniforms[body->cfg.order[p]] = jit_build_block(body, "node");
        jit_build_at(body, uniform);
        jit_uniform_emit(body);
    } else {
        LLVMBuildBr(b, divergent);
        LLVMDeleteBasicBlock(uniform);
    }
    jit_build_at(body, divergent);
    jit_body_spill_state(body);
    jit_debug_position(body);
    jit_debug_variables(body);
    LLVMBuildStore(b, lanes, body->masks.live);
    jit_divergent_start(body, lanes);
    jit_divergent_emit(body);
    jit_build_at(body, body->blocks.done);
    jit_body_reload_state(body);
}

static void prepare_vector(struct jit_body *body)
{
    analyse_uniformity(body);
    jit_check_loops_begin(body);
    jit_divergent_prepare(body);
}

static LLVMValueRef add_function(struct jit_unit *unit, const char *name, LLVMTypeRef *types,
                                 unsigned count)
{
    LLVMTypeRef type = LLVMFunctionType(unit->nothing, types, count, false);

    return LLVMAddFunction(unit->module, name, type);
}

/* Emits the function of one vector: its second argument is the number of its first thread, divided
 * by 2^shift. */
static void emit_vector_function(struct jit_body *body, const char *name, unsigned shift)
{
    struct jit_unit *unit = body->unit;
    LLVMTypeRef types[] = {unit->ptr, unit->i32};
    LLVMBasicBlockRef start;

    jit_body_begin(body, add_function(unit, name, types, 2));
    jit_debug_function(body);
    body->vector.first =
        LLVMBuildShl(body->builder, LLVMGetParam(body->llvm, 1), jit_i32(unit, shift), "first");
    for (unsigned axis = 0; axis < 3; axis++)
        body->vector.ctaid[axis] = jit_build_field(body, body->abi.block, BLOCK(index) + 4u * axis,
                                                   unit->i32, true, "ctaid");
    jit_body_make_variables(body);
    jit_body_set_position(body);
    start = jit_build_block(body, "start");
    LLVMBuildBr(body->builder, start);
    jit_build_at(body, start);
    prepare_vector(body);
    emit_vector(body);
    LLVMBuildRetVoid(body->builder);
}

static void emit_warp_kernel(struct jit_body *body)
{
    emit_vector_function(body, "cup_abi_run_warp", 5);
}

/* Code to step through: a function of one thread, so that a breakpoint there stops every thread. */
static LLVMValueRef emit_thread_function(struct jit_unit *unit)
{
    struct jit_body *body = jit_body_make(unit, unit->request->function);

    emit_vector_function(body, "thread", 0);
    LLVMSetLinkage(body->llvm, LLVMInternalLinkage);
    return body->llvm;
}

static void call_thread(struct jit_body *body, LLVMValueRef thread, LLVMValueRef first)
{
    LLVMValueRef arguments[] = {body->abi.block, first};

    LLVMBuildCall2(body->builder, LLVMGlobalGetValueType(thread), thread, arguments, 2, "");
}

struct jit_row {
    LLVMBasicBlockRef before, head;
    LLVMValueRef index[3], linear, left; /* phis */
};

static void store_field(struct jit_body *body, size_t offset, LLVMValueRef value)
{
    LLVMBuildStore(body->builder, value,
                   jit_build_offset(body, body->abi.block, jit_i64(body->unit, offset)));
}

static void begin_blocks(struct jit_body *body, struct jit_row *row, LLVMBasicBlockRef out)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMValueRef first = LLVMGetParam(body->llvm, 1), count = LLVMGetParam(body->llvm, 2);
    LLVMValueRef x = LLVMBuildZExt(b, body->abi.nctaid[0], unit->i64, ""),
                 y = LLVMBuildZExt(b, body->abi.nctaid[1], unit->i64, ""), rest, start[3];
    LLVMBasicBlockRef prepare = jit_build_block(body, "prepare");

    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, count, jit_i64(unit, 0), ""), out, prepare);
    jit_build_at(body, prepare);
    rest = LLVMBuildUDiv(b, first, x, "");
    start[0] = LLVMBuildTrunc(b, LLVMBuildURem(b, first, x, ""), unit->i32, "");
    start[1] = LLVMBuildTrunc(b, LLVMBuildURem(b, rest, y, ""), unit->i32, "");
    start[2] = LLVMBuildTrunc(b, LLVMBuildUDiv(b, rest, y, ""), unit->i32, "");
    row->before = prepare;
    row->head = jit_build_block(body, "block");
    LLVMBuildBr(b, row->head);
    jit_build_at(body, row->head);
    row->left = LLVMBuildPhi(b, unit->i64, "blocks.left");
    row->linear = LLVMBuildPhi(b, unit->i64, "linear");
    for (unsigned axis = 0; axis < 3; axis++) {
        row->index[axis] = LLVMBuildPhi(b, unit->i32, "ctaid");
        LLVMAddIncoming(row->index[axis], &start[axis], &prepare, 1);
    }
    LLVMAddIncoming(row->left, &count, &prepare, 1);
    LLVMAddIncoming(row->linear, &first, &prepare, 1);
    for (unsigned axis = 0; axis < 3; axis++) {
        body->vector.ctaid[axis] = row->index[axis];
        store_field(body, BLOCK(index) + 4u * axis, row->index[axis]);
    }
    store_field(body, BLOCK(linear), row->linear);
    jit_check_block(body);
}

static void end_blocks(struct jit_body *body, struct jit_row *row, LLVMBasicBlockRef out)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef here;
    LLVMValueRef carry = jit_i32(unit, 1), next, left, linear;

    for (unsigned axis = 0; axis < 3; axis++) {
        LLVMValueRef wraps;

        next = LLVMBuildAdd(b, row->index[axis], carry, "");
        wraps = LLVMBuildICmp(b, LLVMIntEQ, next, body->abi.nctaid[axis], "");
        carry = LLVMBuildZExt(b, wraps, unit->i32, "");
        next = LLVMBuildSelect(b, wraps, jit_i32(unit, 0), next, "");
        here = jit_build_here(body);
        LLVMAddIncoming(row->index[axis], &next, &here, 1);
    }
    left = LLVMBuildSub(b, row->left, jit_i64(unit, 1), "");
    linear = LLVMBuildAdd(b, row->linear, jit_i64(unit, 1), "");
    here = jit_build_here(body);
    LLVMAddIncoming(row->left, &left, &here, 1);
    LLVMAddIncoming(row->linear, &linear, &here, 1);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, left, jit_i64(unit, 0), ""), out, row->head);
}

/* If rows consist of whole vectors, the position in the block is incremented from `start` on, which
 * is cheaper than dividing. */
static void begin_rows(struct jit_body *body, LLVMBasicBlockRef before, LLVMValueRef *start)
{
    LLVMValueRef first = LLVMGetFirstInstruction(jit_build_here(body));

    if (body->unit->one_variant)
        return;
    LLVMPositionBuilderBefore(body->builder, first);
    for (unsigned axis = 0; axis < 3; axis++) {
        body->vector.tid[axis] = LLVMBuildPhi(body->builder, body->unit->i32, "tid");
        LLVMAddIncoming(body->vector.tid[axis], &start[axis], &before, 1);
    }
    jit_build_at(body, LLVMGetInstructionParent(first));
}

static void step_rows(struct jit_body *body)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef here = jit_build_here(body);
    LLVMValueRef step = jit_i32(unit, body->width);

    for (unsigned axis = 0; axis < 3; axis++) {
        LLVMValueRef next = LLVMBuildAdd(b, body->vector.tid[axis], step, "");
        LLVMValueRef wraps = LLVMBuildICmp(b, LLVMIntEQ, next, body->abi.ntid[axis], "");

        step = LLVMBuildZExt(b, wraps, unit->i32, "");
        next = LLVMBuildSelect(b, wraps, jit_i32(unit, 0), next, "");
        LLVMAddIncoming(body->vector.tid[axis], &next, &here, 1);
    }
}

static void emit_block_kernel(struct jit_body *body)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b;
    LLVMTypeRef types[] = {unit->ptr, unit->i64, unit->i64};
    LLVMBasicBlockRef out, before, head, here, next_block;
    LLVMValueRef thread_first, thread_end, start[3], first, next, thread = NULL;
    struct jit_row row;

    if (unit->single_lane)
        thread = emit_thread_function(unit);
    jit_body_begin(body, add_function(unit, "cup_abi_run_blocks", types, 3));
    if (!thread)
        jit_debug_function(body);
    b = body->builder;
    jit_body_make_variables(body);
    jit_check_runs_begin(body);
    thread_first = jit_build_field(body, body->abi.block, BLOCK(thread_first), unit->i32, true,
                                   "thread.first");
    thread_end =
        jit_build_field(body, body->abi.block, BLOCK(thread_end), unit->i32, true, "thread.end");
    body->vector.first = thread_first;
    jit_body_set_position(body);
    memcpy(start, body->vector.tid, sizeof(start));
    out = jit_build_block(body, "out");
    begin_blocks(body, &row, out);
    before = jit_build_here(body);
    head = jit_build_block(body, "vector");
    LLVMBuildBr(b, head);
    jit_build_at(body, head);
    body->vector.first = first = LLVMBuildPhi(b, unit->i32, "first");
    LLVMAddIncoming(first, &thread_first, &before, 1);
    if (thread) {
        call_thread(body, thread, first);
    } else {
        jit_body_set_position(body);
        if (unit->shape == CUP_SHAPE_ROWS)
            begin_rows(body, before, start);
        prepare_vector(body);
        emit_vector(body); /* in a large kernel this changes body->vector.first */
    }
    next = LLVMBuildAdd(b, first, jit_i32(unit, unit->single_lane ? 1 : body->width), "");
    if (unit->shape == CUP_SHAPE_ROWS && !unit->one_variant)
        step_rows(body);
    here = jit_build_here(body);
    LLVMAddIncoming(first, &next, &here, 1);
    next_block = jit_build_block(body, "block.end");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, thread_end, ""), head, next_block);
    jit_build_at(body, next_block);
    end_blocks(body, &row, out);
    jit_build_at(body, out);
    jit_check_runs_end(body);
    LLVMBuildRetVoid(b);
}

/* Emits a round over all warps of a block, each from where it stopped to where it stops next;
 * body->rounds.step continues with the next warp. Returns the block after the last warp. */
static LLVMBasicBlockRef emit_round(struct jit_body *body, LLVMValueRef fresh)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef before = jit_build_here(body), head = jit_build_block(body, "warp"),
                      start = jit_build_block(body, "start"),
                      resume = jit_build_block(body, "resume"),
                      end = jit_build_block(body, "round.end");
    LLVMValueRef zero = jit_i32(unit, 0), start_of_block[] = {zero, zero, zero}, first, next,
                 is_fresh;

    LLVMBuildBr(b, head);
    jit_build_at(body, head);
    body->rounds.step = jit_build_block(body, "step");
    body->vector.first = first = LLVMBuildPhi(b, unit->i32, "first");
    LLVMAddIncoming(first, &zero, &before, 1);
    jit_body_set_position(body);
    if (unit->shape == CUP_SHAPE_ROWS)
        begin_rows(body, before, start_of_block);
    prepare_vector(body);
    jit_regions_prepare(body);
    store_field(body, BLOCK(warp), body->vector.warp);
    is_fresh = LLVMBuildICmp(b, LLVMIntNE, LLVMBuildLoad2(b, unit->i32, fresh, ""), zero, "");
    LLVMBuildCondBr(b, is_fresh, start, resume);
    jit_build_at(body, start);
    emit_vector(body);
    jit_regions_done(body);
    jit_build_at(body, resume);
    jit_regions_resume(body);

    jit_build_at(body, body->rounds.step);
    next = LLVMBuildAdd(b, first, jit_i32(unit, body->width), "");
    if (unit->shape == CUP_SHAPE_ROWS)
        step_rows(body);
    LLVMAddIncoming(first, &next, &body->rounds.step, 1);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, body->abi.threads, ""), head, end);
    return end;
}

static void emit_looped_kernel(struct jit_body *body)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b;
    LLVMTypeRef types[] = {unit->ptr, unit->i64, unit->i64};
    LLVMBasicBlockRef out, round, block_end;
    LLVMValueRef fresh;
    struct jit_row row;

    jit_body_begin(body, add_function(unit, "cup_abi_run_blocks", types, 3));
    jit_debug_function(body);
    b = body->builder;
    jit_body_make_variables(body);
    jit_check_runs_begin(body);
    fresh = jit_build_alloca(body, unit->i32, 1, "fresh");
    out = jit_build_block(body, "out");
    begin_blocks(body, &row, out);
    LLVMBuildStore(b, jit_i32(unit, 1), fresh);
    jit_rounds_begin(body);
    round = jit_build_block(body, "round");
    LLVMBuildBr(b, round);
    jit_build_at(body, round);
    jit_build_at(body, emit_round(body, fresh));
    LLVMBuildStore(b, jit_i32(unit, 0), fresh);
    block_end = jit_build_block(body, "block.end");
    jit_rounds_end(body, round, block_end);
    jit_build_at(body, block_end);
    end_blocks(body, &row, out);
    jit_build_at(body, out);
    jit_check_runs_end(body);
    LLVMBuildRetVoid(b);
}

void jit_unit_emit_kernel(struct jit_unit *unit)
{
    struct jit_body *body = jit_body_make(unit, unit->request->function);

    body->has_uniform = !unit->one_variant;
    if (unit->waiting)
        emit_warp_kernel(body);
    else if (unit->looped)
        emit_looped_kernel(body);
    else
        emit_block_kernel(body);
}

static void place_arguments(struct jit_body *body)
{
    const struct ptx_function *function = body->function;
    unsigned at = 4;

    for (uint32_t p = 0; p < function->parameter_count; p++)
        body->variables.arrays[function->parameters[p].variable] = LLVMGetParam(body->llvm, at++);
    for (uint32_t r = 0; r < function->result_count; r++)
        body->variables.arrays[function->results[r].variable] = LLVMGetParam(body->llvm, at++);
}

static void emit_function(struct jit_body *body, LLVMValueRef llvm)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b;
    LLVMBasicBlockRef start;
    LLVMValueRef lanes;

    jit_body_begin(body, llvm);
    jit_debug_function(body);
    b = body->builder;
    body->vector.first = LLVMGetParam(llvm, 1);
    lanes = LLVMGetParam(llvm, 2);
    for (unsigned axis = 0; axis < 3; axis++)
        body->vector.ctaid[axis] = jit_build_field(body, body->abi.block, BLOCK(index) + 4u * axis,
                                                   unit->i32, false, "ctaid");
    place_arguments(body);
    jit_body_make_variables(body);
    jit_body_set_position(body);
    body->blocks.done = jit_build_block(body, "done");
    start = jit_build_block(body, "start");
    LLVMBuildBr(b, start);
    jit_build_at(body, start);
    analyse_uniformity(body);
    jit_check_loops_begin(body);
    jit_divergent_prepare(body);
    jit_body_spill_state(body);
    jit_debug_position(body);
    jit_debug_variables(body);
    LLVMBuildStore(b, LLVMGetParam(llvm, 3), body->masks.live);
    LLVMBuildStore(b, jit_i32(unit, 0), body->masks.returned);
    jit_divergent_start(body, lanes);
    jit_divergent_emit(body);
    jit_build_at(body, body->blocks.done);
    jit_body_reload_state(body);
    LLVMBuildRet(b, LLVMBuildLoad2(b, unit->i32, body->masks.returned, ""));
}

void jit_unit_emit_function(struct jit_unit *unit, uint32_t index)
{
    emit_function(jit_body_make(unit, index), unit->functions[index]);
}
