/* SPDX-License-Identifier: MIT */
/* LLVM functions around bodies. A kernel that never waits is one function that runs a row of
 * blocks, each in vectors; a kernel that waits is one that runs a warp. Device functions run the
 * lanes they are called with. */
#include "jit/compile.h"

#include <stddef.h>
#include <string.h>

#define BLOCK(field) offsetof(struct cup_abi_block, field)
#define LAUNCH(field) offsetof(struct cup_abi_launch, field)

static void *zeros(struct jit_body *body, uint32_t count, size_t size)
{
    return jit_workspace_zeros(&body->unit->workspace, count, size);
}

static struct jit_body *make_body(struct jit_unit *unit, uint32_t index)
{
    struct jit_body *body = jit_workspace_zeros(&unit->workspace, 1, sizeof(*body));
    const struct ptx_function *function = &unit->program->functions[index];
    uint32_t nodes, registers, variables;

    body->unit = unit;
    body->builder = unit->builder;
    body->index = index;
    body->function = function;
    body->cfg = unit->graphs[index];
    body->is_kernel = index == unit->request->function;
    body->width = unit->width;
    body->chunked = unit->width == 32;
    nodes = body->cfg.node_count + 1;
    registers = body->cfg.register_count;
    variables = function->variable_count + 1;
    for (unsigned s = 0; s < 2; s++) {
        body->classes[s] = zeros(body, registers, sizeof(struct jit_class));
        body->registers[s] = zeros(body, registers, sizeof(LLVMValueRef));
    }
    body->aligned = zeros(body, registers, sizeof(struct jit_aligned));
    body->raw = zeros(body, registers, sizeof(bool));
    jit_lower_raw_registers(function, body->raw,
                            zeros(body, function->instruction_count + 2, sizeof(int)),
                            zeros(body, registers, sizeof(bool)));
    body->set = zeros(body, body->cfg.words, sizeof(uint64_t));
    body->cache = zeros(body, registers, sizeof(LLVMValueRef));
    body->dirty = zeros(body, registers, sizeof(bool));
    body->variables = zeros(body, variables, sizeof(LLVMValueRef));
    body->offsets = zeros(body, variables, sizeof(uint64_t));
    body->pending = zeros(body, nodes, sizeof(LLVMValueRef));
    body->parked = zeros(body, nodes, sizeof(LLVMValueRef));
    body->spinning = zeros(body, nodes, sizeof(LLVMValueRef));
    body->areas = zeros(body, nodes, sizeof(LLVMValueRef *));
    body->tickets = zeros(body, nodes, sizeof(LLVMValueRef));
    body->checks = zeros(body, nodes, sizeof(LLVMBasicBlockRef));
    body->runs = zeros(body, nodes, sizeof(LLVMBasicBlockRef));
    body->uniforms = zeros(body, nodes, sizeof(LLVMBasicBlockRef));
    return body;
}

/* So that the low bits of an address in shared memory are known to be those of its offset. */
static void set_pointer_alignment(struct jit_body *body, LLVMValueRef load, uint64_t bytes)
{
    LLVMContextRef context = body->unit->context;
    LLVMMetadataRef number = LLVMValueAsMetadata(jit_i64(body->unit, bytes));

    LLVMSetMetadata(load, LLVMGetMDKindIDInContext(context, "align", 5),
                    LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, &number, 1)));
}

/* What the structures of the runtime say of the launch and the block. */
static void load_launch(struct jit_body *body)
{
    struct jit_unit *unit = body->unit;

    body->launch = jit_build_field(body, body->block, BLOCK(launch), unit->ptr, true, "launch");
    body->services =
        jit_build_field(body, body->launch, LAUNCH(services), unit->ptr, true, "services");
    body->params = jit_build_field(body, body->launch, LAUNCH(params), unit->ptr, true, "params");
    body->shared = jit_build_field(body, body->block, BLOCK(shared), unit->ptr, true, "shared");
    set_pointer_alignment(body, body->shared, 1024);
    body->local = jit_build_field(body, body->block, BLOCK(local), unit->ptr, true, "local");
    body->threads =
        jit_build_field(body, body->launch, LAUNCH(block_threads), unit->i32, true, "threads");
    for (unsigned axis = 0; axis < 3; axis++) {
        body->ntid[axis] =
            jit_build_field(body, body->launch, LAUNCH(block) + 4u * axis, unit->i32, true, "ntid");
        body->nctaid[axis] = jit_build_field(body, body->launch, LAUNCH(grid) + 4u * axis,
                                             unit->i32, true, "nctaid");
    }
    for (unsigned axis = 0; axis < 2; axis++)
        body->inverse[axis] = LLVMBuildAdd(
            body->builder,
            LLVMBuildUDiv(body->builder, jit_i32(unit, 1u << 20), body->ntid[axis], ""),
            jit_i32(unit, 1), "inverse");
    body->lower.services = body->services;
}

static void add_attribute(struct jit_unit *unit, LLVMValueRef llvm, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

    LLVMAddAttributeAtIndex(llvm, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(unit->context, kind, 0));
}

/* The entry: what stays the same for the whole call.
 *
 * An access at address 0 is one that faults and not undefined: LLVM must not conclude that it is
 * never reached. Nothing says that loops end (mustprogress) or that a call returns (willreturn):
 * PTX promises neither. */
static void begin(struct jit_body *body, LLVMValueRef llvm)
{
    struct jit_unit *unit = body->unit;

    body->llvm = llvm;
    add_attribute(unit, llvm, "nounwind");
    add_attribute(unit, llvm, "null_pointer_is_valid");
    body->entry = jit_build_block(body, "entry");
    jit_build_at(body, body->entry);
    body->entry_end = LLVMBuildAlloca(body->builder, unit->i8, "end");
    body->block = LLVMGetParam(llvm, 0);
    load_launch(body);
    body->full = jit_i32(unit, body->width == 32 ? 0xffffffffu : (1u << body->width) - 1);
    body->lower = (struct jit_lower){.context = unit->context,
                                     .module = unit->module,
                                     .builder = body->builder,
                                     .lanes = body->width,
                                     .services = body->services,
                                     .entry_allocas = body->entry_end};
}

/* Arrays over the lanes for arguments of calls, and for local variables of device functions. */
static void make_variables(struct jit_body *body)
{
    const struct ptx_function *function = body->function;

    for (uint32_t p = 0; p < function->parameter_count; p++)
        body->offsets[function->parameters[p].variable] = function->parameters[p].offset;
    for (uint32_t v = 0; v < function->variable_count; v++) {
        const struct ptx_variable *variable = &function->variables[v];
        bool parameter = false;

        for (uint32_t p = 0; p < function->parameter_count; p++)
            parameter |= function->parameters[p].variable == v;
        for (uint32_t r = 0; r < function->result_count; r++)
            parameter |= function->results[r].variable == v;
        if (variable->space == PTX_LOCAL && body->is_kernel) {
            body->offsets[v] = body->unit->own_local[v];
        } else if (!parameter && (variable->space == PTX_LOCAL || variable->space == PTX_PARAM)) {
            body->variables[v] = jit_build_alloca(
                body, body->unit->i8, (unsigned)jit_variable_stride(variable) * body->width + 16,
                variable->name);
            LLVMSetAlignment(body->variables[v], 64);
        }
    }
}

/* Where the vector's lanes are in the block, from its first thread's number. */
static void place_vector(struct jit_body *body)
{
    LLVMBuilderRef b = body->builder;
    LLVMValueRef rows;

    body->warp = LLVMBuildLShr(b, body->first, jit_i32(body->unit, 5), "warp");
    switch (body->unit->shape) {
    case CUP_SHAPE_ROWS:
        rows = LLVMBuildUDiv(b, body->first, body->ntid[0], "");
        body->tid[0] = LLVMBuildURem(b, body->first, body->ntid[0], "tid.x");
        body->tid[1] = LLVMBuildURem(b, rows, body->ntid[1], "tid.y");
        body->tid[2] = LLVMBuildUDiv(b, rows, body->ntid[1], "tid.z");
        break;
    case CUP_SHAPE_SIXTEEN:
        rows = LLVMBuildLShr(b, body->first, jit_i32(body->unit, 4), "");
        body->tid[0] = jit_i32(body->unit, 0);
        body->tid[1] = LLVMBuildURem(b, rows, body->ntid[1], "tid.y");
        body->tid[2] = LLVMBuildUDiv(b, rows, body->ntid[1], "tid.z");
        break;
    case CUP_SHAPE_LINE:
        body->tid[0] = body->first;
        body->tid[1] = body->tid[2] = jit_i32(body->unit, 0);
        break;
    default: /* jit_thread_lanes */
        break;
    }
}

/* In a large function, values that live from its entry to its end would be split and spilled all
 * over: each node loads them anew instead. */
static void keep_for_nodes(struct jit_body *body)
{
    if (!body->unit->large)
        return;
    body->kept_block = jit_build_alloca(body, body->unit->ptr, 1, "kept.block");
    body->kept_first = jit_build_alloca(body, body->unit->i32, 1, "kept.first");
    LLVMBuildStore(body->builder, body->block, body->kept_block);
    LLVMBuildStore(body->builder, body->first, body->kept_first);
}

void jit_body_reload(struct jit_body *body)
{
    struct jit_unit *unit = body->unit;

    if (!body->kept_block)
        return;
    body->block = LLVMBuildLoad2(body->builder, unit->ptr, body->kept_block, "block");
    body->first = LLVMBuildLoad2(body->builder, unit->i32, body->kept_first, "first");
    load_launch(body);
    for (unsigned axis = 0; axis < 3; axis++)
        body->ctaid[axis] =
            jit_build_field(body, body->block, BLOCK(index) + 4u * axis, unit->i32, false, "ctaid");
    place_vector(body);
}

static void make_classes(struct jit_body *body)
{
    jit_classes_make(body, body->classes[1], true);
    if (body->has_uniform)
        jit_classes_make(body, body->classes[0], false);
}

/* One vector of the kernel, from where the builder is to body->done, where it is then. */
static void emit_vector(struct jit_body *body)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef divergent = jit_build_block(body, "divergent"),
                      uniform = jit_build_block(body, "uniform");
    LLVMValueRef left, lanes, one = jit_i32(unit, 1), whole;

    body->done = jit_build_block(body, "done");
    left = LLVMBuildSub(b, body->threads, body->first, "left");
    whole = LLVMBuildICmp(b, LLVMIntUGE, left, jit_i32(unit, body->width), "");
    lanes = LLVMBuildSub(b, LLVMBuildShl(b, one, left, ""), one, "");
    lanes = LLVMBuildSelect(b, whole, body->full, lanes, "lanes");
    if (body->has_uniform) {
        if (unit->shape == CUP_SHAPE_ROWS)
            whole = LLVMConstInt(unit->i1, 1, false);
        LLVMBuildCondBr(b, whole, uniform, divergent);
        for (uint32_t p = 0; p < body->cfg.order_count; p++)
            body->uniforms[body->cfg.order[p]] = jit_build_block(body, "node");
        jit_build_at(body, uniform);
        jit_uniform_emit(body);
    } else {
        LLVMBuildBr(b, divergent);
        LLVMDeleteBasicBlock(uniform);
    }
    jit_build_at(body, divergent);
    keep_for_nodes(body);
    LLVMBuildStore(b, lanes, body->live);
    jit_divergent_start(body, lanes);
    jit_divergent_emit(body);
    jit_build_at(body, body->done);
    jit_body_reload(body);
}

static void prepare_vector(struct jit_body *body)
{
    make_classes(body);
    jit_divergent_prepare(body);
}

static LLVMValueRef add_function(struct jit_unit *unit, const char *name, LLVMTypeRef *types,
                                 unsigned count)
{
    LLVMTypeRef type = LLVMFunctionType(unit->nothing, types, count, false);

    return LLVMAddFunction(unit->module, name, type);
}

static void emit_warp_kernel(struct jit_body *body)
{
    struct jit_unit *unit = body->unit;
    LLVMTypeRef types[] = {unit->ptr, unit->i32};
    LLVMBasicBlockRef start;

    begin(body, add_function(unit, "cup_abi_run_warp", types, 2));
    body->first =
        LLVMBuildShl(body->builder, LLVMGetParam(body->llvm, 1), jit_i32(unit, 5), "first");
    for (unsigned axis = 0; axis < 3; axis++)
        body->ctaid[axis] =
            jit_build_field(body, body->block, BLOCK(index) + 4u * axis, unit->i32, true, "ctaid");
    make_variables(body);
    place_vector(body);
    start = jit_build_block(body, "start");
    LLVMBuildBr(body->builder, start);
    jit_build_at(body, start);
    prepare_vector(body);
    emit_vector(body);
    LLVMBuildRetVoid(body->builder);
}

/* ---- Rows of blocks ---- */

struct jit_row {
    LLVMBasicBlockRef before, head;
    LLVMValueRef index[3], linear, left; /* phis */
};

static void store_field(struct jit_body *body, size_t offset, LLVMValueRef value)
{
    LLVMBuildStore(body->builder, value,
                   jit_build_offset(body, body->block, jit_i64(body->unit, offset)));
}

static void begin_blocks(struct jit_body *body, struct jit_row *row, LLVMBasicBlockRef out)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMValueRef first = LLVMGetParam(body->llvm, 1), count = LLVMGetParam(body->llvm, 2);
    LLVMValueRef x = LLVMBuildZExt(b, body->nctaid[0], unit->i64, ""),
                 y = LLVMBuildZExt(b, body->nctaid[1], unit->i64, ""), rest, start[3];
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
        body->ctaid[axis] = row->index[axis];
        store_field(body, BLOCK(index) + 4u * axis, row->index[axis]);
    }
    store_field(body, BLOCK(linear), row->linear);
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
        wraps = LLVMBuildICmp(b, LLVMIntEQ, next, body->nctaid[axis], "");
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

/* In rows of whole vectors the place in the block is counted on, which is cheaper than dividing. */
static void begin_rows(struct jit_body *body, LLVMBasicBlockRef before)
{
    LLVMValueRef zero = jit_i32(body->unit, 0);
    LLVMValueRef first = LLVMGetFirstInstruction(jit_build_here(body));

    if (body->unit->large)
        return;
    LLVMPositionBuilderBefore(body->builder, first);
    for (unsigned axis = 0; axis < 3; axis++) {
        body->tid[axis] = LLVMBuildPhi(body->builder, body->unit->i32, "tid");
        LLVMAddIncoming(body->tid[axis], &zero, &before, 1);
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
        LLVMValueRef next = LLVMBuildAdd(b, body->tid[axis], step, "");
        LLVMValueRef wraps = LLVMBuildICmp(b, LLVMIntEQ, next, body->ntid[axis], "");

        step = LLVMBuildZExt(b, wraps, unit->i32, "");
        next = LLVMBuildSelect(b, wraps, jit_i32(unit, 0), next, "");
        LLVMAddIncoming(body->tid[axis], &next, &here, 1);
    }
}

static void emit_block_kernel(struct jit_body *body)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b;
    LLVMTypeRef types[] = {unit->ptr, unit->i64, unit->i64};
    LLVMBasicBlockRef out, before, head, here, next_block;
    LLVMValueRef zero = jit_i32(unit, 0), first, next;
    struct jit_row row;

    begin(body, add_function(unit, "cup_abi_run_blocks", types, 3));
    b = body->builder;
    make_variables(body);
    out = jit_build_block(body, "out");
    begin_blocks(body, &row, out);
    before = jit_build_here(body);
    head = jit_build_block(body, "vector");
    LLVMBuildBr(b, head);
    jit_build_at(body, head);
    body->first = first = LLVMBuildPhi(b, unit->i32, "first");
    LLVMAddIncoming(first, &zero, &before, 1);
    place_vector(body);
    if (unit->shape == CUP_SHAPE_ROWS)
        begin_rows(body, before);
    prepare_vector(body);
    emit_vector(body); /* of a large kernel body->first is another's now */
    next = LLVMBuildAdd(b, first, jit_i32(unit, body->width), "");
    if (unit->shape == CUP_SHAPE_ROWS && !unit->large)
        step_rows(body);
    here = jit_build_here(body);
    LLVMAddIncoming(first, &next, &here, 1);
    next_block = jit_build_block(body, "block.end");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, body->threads, ""), head, next_block);
    jit_build_at(body, next_block);
    end_blocks(body, &row, out);
    jit_build_at(body, out);
    LLVMBuildRetVoid(b);
}

/* ---- Warps that take turns ---- */

/* All warps of a block, from where each stopped to where it stops next; body->step goes on to the
 * next one. The result is the block after the last. */
static LLVMBasicBlockRef emit_round(struct jit_body *body, LLVMValueRef fresh)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef before = jit_build_here(body), head = jit_build_block(body, "warp"),
                      start = jit_build_block(body, "start"),
                      resume = jit_build_block(body, "resume"),
                      end = jit_build_block(body, "round.end");
    LLVMValueRef zero = jit_i32(unit, 0), first, next, is_fresh;

    LLVMBuildBr(b, head);
    jit_build_at(body, head);
    body->step = jit_build_block(body, "step");
    body->first = first = LLVMBuildPhi(b, unit->i32, "first");
    LLVMAddIncoming(first, &zero, &before, 1);
    place_vector(body);
    if (unit->shape == CUP_SHAPE_ROWS)
        begin_rows(body, before);
    prepare_vector(body);
    jit_regions_prepare(body);
    store_field(body, BLOCK(warp), body->warp);
    is_fresh = LLVMBuildICmp(b, LLVMIntNE, LLVMBuildLoad2(b, unit->i32, fresh, ""), zero, "");
    LLVMBuildCondBr(b, is_fresh, start, resume);
    jit_build_at(body, start);
    emit_vector(body);
    jit_regions_done(body);
    jit_build_at(body, resume);
    jit_regions_resume(body);

    jit_build_at(body, body->step);
    next = LLVMBuildAdd(b, first, jit_i32(unit, body->width), "");
    if (unit->shape == CUP_SHAPE_ROWS)
        step_rows(body);
    LLVMAddIncoming(first, &next, &body->step, 1);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, body->threads, ""), head, end);
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

    begin(body, add_function(unit, "cup_abi_run_blocks", types, 3));
    b = body->builder;
    make_variables(body);
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
    LLVMBuildRetVoid(b);
}

void jit_unit_emit_kernel(struct jit_unit *unit)
{
    struct jit_body *body = make_body(unit, unit->request->function);

    body->has_uniform = !unit->large;
    if (unit->waiting)
        emit_warp_kernel(body);
    else if (unit->looped)
        emit_looped_kernel(body);
    else
        emit_block_kernel(body);
}

/* ---- Device functions ---- */

static void place_arguments(struct jit_body *body)
{
    const struct ptx_function *function = body->function;
    unsigned at = 4;

    for (uint32_t p = 0; p < function->parameter_count; p++)
        body->variables[function->parameters[p].variable] = LLVMGetParam(body->llvm, at++);
    for (uint32_t r = 0; r < function->result_count; r++)
        body->variables[function->results[r].variable] = LLVMGetParam(body->llvm, at++);
}

static void emit_function(struct jit_body *body, LLVMValueRef llvm)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b;
    LLVMBasicBlockRef start;
    LLVMValueRef lanes;

    begin(body, llvm);
    b = body->builder;
    body->first = LLVMGetParam(llvm, 1);
    lanes = LLVMGetParam(llvm, 2);
    for (unsigned axis = 0; axis < 3; axis++)
        body->ctaid[axis] =
            jit_build_field(body, body->block, BLOCK(index) + 4u * axis, unit->i32, false, "ctaid");
    place_arguments(body);
    make_variables(body);
    place_vector(body);
    body->done = jit_build_block(body, "done");
    start = jit_build_block(body, "start");
    LLVMBuildBr(b, start);
    jit_build_at(body, start);
    make_classes(body);
    jit_divergent_prepare(body);
    keep_for_nodes(body);
    LLVMBuildStore(b, LLVMGetParam(llvm, 3), body->live);
    LLVMBuildStore(b, jit_i32(unit, 0), body->returned);
    jit_divergent_start(body, lanes);
    jit_divergent_emit(body);
    jit_build_at(body, body->done);
    jit_body_reload(body);
    LLVMBuildRet(b, LLVMBuildLoad2(b, unit->i32, body->returned, ""));
}

void jit_unit_emit_function(struct jit_unit *unit, uint32_t index)
{
    emit_function(make_body(unit, index), unit->functions[index]);
}
