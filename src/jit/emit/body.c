/* SPDX-License-Identifier: MIT */
/* A body and the entry block of its LLVM function: what is loaded from the runtime's structures,
 * the variables of the function, and where the vector is in the block. */
#include "jit/emit/body.h"

#include "abi/launch.h"
#include "jit/emit/address.h"
#include "jit/emit/ir.h"
#include "ptx/matrix.h"

#include <stddef.h>

#define BLOCK(field) offsetof(struct cup_abi_block, field)
#define LAUNCH(field) offsetof(struct cup_abi_launch, field)

static void *zeros(struct jit_body *body, uint32_t count, size_t size)
{
    return jit_workspace_zeros(&body->unit->workspace, count, size);
}

struct jit_body *jit_body_make(struct jit_unit *unit, uint32_t index)
{
    struct jit_body *body = jit_workspace_zeros(&unit->workspace, 1, sizeof(*body));
    const struct ptx_function *function = &unit->program->functions[index];
    uint32_t nodes, registers, variables;

    body->unit = unit;
    body->builder = unit->builder;
    body->index = index;
    for (uint32_t f = 0; f < index; f++)
        body->first_site += unit->request->program->functions[f].instruction_count;
    body->function = function;
    body->cfg = unit->graphs[index];
    body->is_kernel = index == unit->request->function;
    body->width = unit->width;
    body->chunks.enabled = unit->width == 32;
    nodes = body->cfg.node_count + 1;
    registers = body->cfg.register_count;
    variables = function->variable_count + 1;
    for (unsigned s = 0; s < 2; s++) {
        body->registers.uniformity[s] = zeros(body, registers, sizeof(struct jit_uniformity));
        body->registers.allocas[s] = zeros(body, registers, sizeof(LLVMValueRef));
    }
    body->alignment.known = zeros(body, registers, sizeof(struct jit_aligned));
    if (ptx_matrix_is_used(function))
        body->coalescing = zeros(body, registers, sizeof(struct jit_coalescing));
    body->registers.raw = zeros(body, registers, sizeof(bool));
    if (!unit->outlines)
        jit_lower_raw_registers(function, !unit->arm || unit->request->fast_math,
                                body->registers.raw,
                                zeros(body, function->instruction_count + 2, sizeof(int)),
                                zeros(body, registers, sizeof(bool)));
    body->registers.set = zeros(body, body->cfg.words, sizeof(uint64_t));
    body->chunks.cache = zeros(body, registers, sizeof(LLVMValueRef));
    body->chunks.dirty = zeros(body, registers, sizeof(bool));
    body->variables.arrays = zeros(body, variables, sizeof(LLVMValueRef));
    body->variables.offsets = zeros(body, variables, sizeof(uint64_t));
    body->masks.pending = zeros(body, nodes, sizeof(LLVMValueRef));
    body->masks.parked = zeros(body, nodes, sizeof(LLVMValueRef));
    body->masks.spinning = zeros(body, nodes, sizeof(LLVMValueRef));
    body->masks.areas = zeros(body, nodes, sizeof(LLVMValueRef *));
    body->masks.tickets = zeros(body, nodes, sizeof(LLVMValueRef));
    body->blocks.checks = zeros(body, nodes, sizeof(LLVMBasicBlockRef));
    body->blocks.runs = zeros(body, nodes, sizeof(LLVMBasicBlockRef));
    body->blocks.uniforms = zeros(body, nodes, sizeof(LLVMBasicBlockRef));
    return body;
}

/* Declares the alignment of the loaded pointer, so that the optimiser knows that the low bits of an
 * address in shared memory are those of its offset. */
static void set_pointer_alignment(struct jit_body *body, LLVMValueRef load, uint64_t bytes)
{
    LLVMContextRef context = body->unit->context;
    LLVMMetadataRef number = LLVMValueAsMetadata(jit_i64(body->unit, bytes));

    LLVMSetMetadata(load, LLVMGetMDKindIDInContext(context, "align", 5),
                    LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, &number, 1)));
}

/* A kernel that uses clusters addresses the shared memory of all their blocks. */
static void load_shared(struct jit_body *body)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMValueRef own =
        jit_build_field(body, body->abi.block, BLOCK(shared), unit->ptr, true, "shared");

    set_pointer_alignment(body, own, 1024);
    body->abi.shared = own;
    if (!unit->clusters)
        return;
    body->abi.shared =
        jit_build_field(body, body->abi.block, BLOCK(window), unit->ptr, true, "window");
    set_pointer_alignment(body, body->abi.shared, 1024);
    body->abi.own_shared =
        LLVMBuildSub(b, LLVMBuildPtrToInt(b, own, unit->i64, ""),
                     LLVMBuildPtrToInt(b, body->abi.shared, unit->i64, ""), "own");
}

/* Loads the fields of the launch and the block that the body uses. */
static void load_launch(struct jit_body *body)
{
    struct jit_unit *unit = body->unit;

    body->abi.launch =
        jit_build_field(body, body->abi.block, BLOCK(launch), unit->ptr, true, "launch");
    body->abi.services =
        jit_build_field(body, body->abi.launch, LAUNCH(services), unit->ptr, true, "services");
    body->abi.params =
        jit_build_field(body, body->abi.launch, LAUNCH(params), unit->ptr, true, "params");
    load_shared(body);
    body->abi.local =
        jit_build_field(body, body->abi.block, BLOCK(local), unit->ptr, true, "local");
    body->abi.threads =
        jit_build_field(body, body->abi.launch, LAUNCH(block_threads), unit->i32, true, "threads");
    for (unsigned axis = 0; axis < 3; axis++) {
        body->abi.ntid[axis] = jit_build_field(body, body->abi.launch, LAUNCH(block) + 4u * axis,
                                               unit->i32, true, "ntid");
        body->abi.nctaid[axis] = jit_build_field(body, body->abi.launch, LAUNCH(grid) + 4u * axis,
                                                 unit->i32, true, "nctaid");
    }
    for (unsigned axis = 0; axis < 2; axis++)
        body->abi.inverse[axis] = LLVMBuildAdd(
            body->builder,
            LLVMBuildUDiv(body->builder, jit_i32(unit, 1u << 20), body->abi.ntid[axis], ""),
            jit_i32(unit, 1), "inverse");
    body->lower.services = body->abi.services;
}

static void begin_function(struct jit_body *body, LLVMValueRef llvm)
{
    body->llvm = llvm;
    jit_build_attribute(body->unit, llvm, "nounwind", 0);
    jit_build_attribute(body->unit, llvm, "null_pointer_is_valid", 0);
    body->entry = jit_build_block(body, "entry");
    jit_build_at(body, body->entry);
    body->entry_end = LLVMBuildAlloca(body->builder, body->unit->i8, "end");
    LLVMSetCurrentDebugLocation2(body->builder, NULL);
}

/* Emits the entry block, with the values that do not change during the call.
 *
 * An access at address 0 faults and is not undefined behaviour (null_pointer_is_valid), so LLVM
 * must not conclude that it is unreachable. The function has neither mustprogress nor willreturn:
 * PTX does not promise that loops end or that calls return. */
void jit_body_begin(struct jit_body *body, LLVMValueRef llvm)
{
    struct jit_unit *unit = body->unit;

    begin_function(body, llvm);
    if (unit->outlines) { /* LLVM's passes are for outlined operations only */
        jit_build_attribute(unit, llvm, "noinline", 0);
        jit_build_attribute(unit, llvm, "optnone", 0);
    }
    body->abi.block = LLVMGetParam(llvm, 0);
    load_launch(body);
    body->vector.full = jit_i32(unit, body->width == 32 ? 0xffffffffu : (1u << body->width) - 1);
    body->lower = (struct jit_lower){.context = unit->context,
                                     .module = unit->module,
                                     .builder = body->builder,
                                     .lanes = body->width,
                                     .services = body->abi.services,
                                     .entry_allocas = body->entry_end,
                                     .first_tier = unit->request->tier == JIT_TIER_FIRST,
                                     .fast_math = unit->request->fast_math,
                                     .byte_products = unit->byte_products};
}

static LLVMValueRef state_field(struct jit_body *body, size_t offset)
{
    return jit_build_offset(body, body->abi.state, jit_i64(body->unit, offset));
}

void jit_body_make_state(struct jit_body *body)
{
    if (!body->abi.state)
        body->abi.state =
            jit_build_alloca(body, body->unit->i64, sizeof(struct jit_vector_state) / 8, "state");
    body->abi.state_block = body->abi.state;
    body->abi.state_first = state_field(body, offsetof(struct jit_vector_state, first));
    body->masks.active = state_field(body, offsetof(struct jit_vector_state, active));
}

void jit_body_begin_outlined(struct jit_body *body, LLVMValueRef llvm)
{
    struct jit_unit *unit = body->unit;

    begin_function(body, llvm);
    body->scratch = (struct jit_body_scratch){.stack_before = NULL};
    body->masks = (struct jit_body_masks){.active = NULL};
    body->abi = (struct jit_body_abi){.state = LLVMGetParam(llvm, 0)};
    jit_body_make_state(body);
    body->abi.block = LLVMBuildLoad2(body->builder, unit->ptr, body->abi.state_block, "block");
    body->vector.first = LLVMBuildLoad2(body->builder, unit->i32, body->abi.state_first, "first");
    body->vector.warp = LLVMBuildLShr(body->builder, body->vector.first, jit_i32(unit, 5), "warp");
    body->abi.launch =
        jit_build_field(body, body->abi.block, BLOCK(launch), unit->ptr, true, "launch");
    body->abi.services =
        jit_build_field(body, body->abi.launch, LAUNCH(services), unit->ptr, true, "services");
    body->abi.shared =
        jit_build_field(body, body->abi.block, BLOCK(shared), unit->ptr, true, "shared");
    body->lower.services = body->abi.services;
    body->lower.entry_allocas = body->entry_end;
}

LLVMValueRef jit_body_number(struct jit_body *body, const struct ptx_operand *operand,
                             LLVMTypeRef type)
{
    for (unsigned n = 0; n < body->outlined.count; n++)
        if (body->outlined.operands[n] == operand)
            return LLVMBuildTruncOrBitCast(body->builder, body->outlined.immediates[n], type, "");
    return LLVMConstInt(type, operand->value, false);
}

LLVMValueRef jit_body_line(struct jit_body *body, uint32_t line)
{
    return body->outlined.line ? body->outlined.line : jit_i32(body->unit, line);
}

/* Allocates arrays with an element per lane: for arguments of calls, and for local variables of
 * device functions. */
void jit_body_make_variables(struct jit_body *body)
{
    const struct ptx_function *function = body->function;

    for (uint32_t p = 0; p < function->parameter_count; p++)
        body->variables.offsets[function->parameters[p].variable] = function->parameters[p].offset;
    for (uint32_t v = 0; v < function->variable_count; v++) {
        const struct ptx_variable *variable = &function->variables[v];
        bool parameter = false;

        for (uint32_t p = 0; p < function->parameter_count; p++)
            parameter |= function->parameters[p].variable == v;
        for (uint32_t r = 0; r < function->result_count; r++)
            parameter |= function->results[r].variable == v;
        if (variable->space == PTX_LOCAL && body->is_kernel) {
            body->variables.offsets[v] = body->unit->own_local[v];
        } else if (!parameter && (variable->space == PTX_LOCAL || variable->space == PTX_PARAM)) {
            body->variables.arrays[v] = jit_build_alloca(
                body, body->unit->i8, (unsigned)jit_variable_stride(variable) * body->width + 16,
                variable->name);
            LLVMSetAlignment(body->variables.arrays[v], 64);
        }
    }
}

/* Computes the position of the vector's lanes in the block from the number of its first thread. */
void jit_body_set_position(struct jit_body *body)
{
    LLVMBuilderRef b = body->builder;
    LLVMValueRef rows;

    body->vector.warp = LLVMBuildLShr(b, body->vector.first, jit_i32(body->unit, 5), "warp");
    switch (body->unit->shape) {
    case CUP_SHAPE_ROWS:
        rows = LLVMBuildUDiv(b, body->vector.first, body->abi.ntid[0], "");
        body->vector.tid[0] = LLVMBuildURem(b, body->vector.first, body->abi.ntid[0], "tid.x");
        body->vector.tid[1] = LLVMBuildURem(b, rows, body->abi.ntid[1], "tid.y");
        body->vector.tid[2] = LLVMBuildUDiv(b, rows, body->abi.ntid[1], "tid.z");
        break;
    case CUP_SHAPE_SIXTEEN:
        rows = LLVMBuildLShr(b, body->vector.first, jit_i32(body->unit, 4), "");
        body->vector.tid[0] = jit_i32(body->unit, 0);
        body->vector.tid[1] = LLVMBuildURem(b, rows, body->abi.ntid[1], "tid.y");
        body->vector.tid[2] = LLVMBuildUDiv(b, rows, body->abi.ntid[1], "tid.z");
        break;
    case CUP_SHAPE_LINE:
        body->vector.tid[0] = body->vector.first;
        body->vector.tid[1] = body->vector.tid[2] = jit_i32(body->unit, 0);
        break;
    default: /* jit_thread_lanes() computes it where it is used */
        break;
    }
}

/* In a large function, values that are live from entry to end would be spilled everywhere. They are
 * stored once, and each node loads them. */
void jit_body_spill_state(struct jit_body *body)
{
    if (!body->unit->one_variant)
        return;
    LLVMBuildStore(body->builder, body->abi.block, body->abi.state_block);
    LLVMBuildStore(body->builder, body->vector.first, body->abi.state_first);
}

void jit_body_reload_state(struct jit_body *body)
{
    struct jit_unit *unit = body->unit;

    if (!body->abi.state_block)
        return;
    body->abi.block = LLVMBuildLoad2(body->builder, unit->ptr, body->abi.state_block, "block");
    body->vector.first = LLVMBuildLoad2(body->builder, unit->i32, body->abi.state_first, "first");
    load_launch(body);
    for (unsigned axis = 0; axis < 3; axis++)
        body->vector.ctaid[axis] = jit_build_field(body, body->abi.block, BLOCK(index) + 4u * axis,
                                                   unit->i32, false, "ctaid");
    jit_body_set_position(body);
}
