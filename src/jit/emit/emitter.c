/* SPDX-License-Identifier: MIT */
/* The entry block of an LLVM function: what is loaded from the runtime's structures, the variables
 * of the function, and where the vector is in the block. */
#include "jit/emit/emitter.h"

#include "abi/launch.h"
#include "jit/emit/ir.h"

#include <stddef.h>
#include <string.h>

#define BLOCK(field) offsetof(struct cup_abi_block, field)
#define LAUNCH(field) offsetof(struct cup_abi_launch, field)

/* Declares the alignment of the loaded pointer, so that the optimiser knows that the low bits of an
 * address in shared memory are those of its offset. */
static void set_pointer_alignment(struct jit_emitter *e, LLVMValueRef load, uint64_t bytes)
{
    LLVMContextRef context = e->unit->context;
    LLVMMetadataRef number = LLVMValueAsMetadata(jit_i64(e->unit, bytes));

    LLVMSetMetadata(load, LLVMGetMDKindIDInContext(context, "align", 5),
                    LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, &number, 1)));
}

/* A kernel that uses clusters addresses the shared memory of all their blocks. */
static void load_shared(struct jit_emitter *e)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMValueRef own = jit_build_field(e, e->abi.block, BLOCK(shared), unit->ptr, true, "shared");

    set_pointer_alignment(e, own, 1024);
    e->abi.shared = own;
    if (!unit->clusters)
        return;
    e->abi.shared = jit_build_field(e, e->abi.block, BLOCK(window), unit->ptr, true, "window");
    set_pointer_alignment(e, e->abi.shared, 1024);
    e->abi.own_shared = LLVMBuildSub(b, LLVMBuildPtrToInt(b, own, unit->i64, ""),
                                     LLVMBuildPtrToInt(b, e->abi.shared, unit->i64, ""), "own");
}

/* Loads the fields of the launch and the block that the code uses. */
static void load_launch(struct jit_emitter *e)
{
    struct jit_unit *unit = e->unit;

    e->abi.launch = jit_build_field(e, e->abi.block, BLOCK(launch), unit->ptr, true, "launch");
    e->abi.services =
        jit_build_field(e, e->abi.launch, LAUNCH(services), unit->ptr, true, "services");
    e->abi.params = jit_build_field(e, e->abi.launch, LAUNCH(params), unit->ptr, true, "params");
    load_shared(e);
    e->abi.local = jit_build_field(e, e->abi.block, BLOCK(local), unit->ptr, true, "local");
    e->abi.threads =
        jit_build_field(e, e->abi.launch, LAUNCH(block_threads), unit->i32, true, "threads");
    for (unsigned axis = 0; axis < 3; axis++) {
        e->abi.ntid[axis] =
            jit_build_field(e, e->abi.launch, LAUNCH(block) + 4u * axis, unit->i32, true, "ntid");
        e->abi.nctaid[axis] =
            jit_build_field(e, e->abi.launch, LAUNCH(grid) + 4u * axis, unit->i32, true, "nctaid");
    }
    for (unsigned axis = 0; axis < 2; axis++)
        e->abi.inverse[axis] = LLVMBuildAdd(
            e->builder, LLVMBuildUDiv(e->builder, jit_i32(unit, 1u << 20), e->abi.ntid[axis], ""),
            jit_i32(unit, 1), "inverse");
    e->lower.services = e->abi.services;
}

static void begin_function(struct jit_emitter *e, LLVMValueRef llvm)
{
    e->llvm = llvm;
    jit_build_attribute(e->unit, llvm, "nounwind", 0);
    jit_build_attribute(e->unit, llvm, "null_pointer_is_valid", 0);
    e->entry = jit_build_block(e, "entry");
    jit_build_at(e, e->entry);
    e->entry_end = LLVMBuildAlloca(e->builder, e->unit->i8, "end");
    LLVMSetCurrentDebugLocation2(e->builder, NULL);
}

/* Emits the entry block, with the values that do not change during the call.
 *
 * An access at address 0 faults and is not undefined behaviour (null_pointer_is_valid), so LLVM
 * must not conclude that it is unreachable. The function has neither mustprogress nor willreturn:
 * PTX does not promise that loops end or that calls return. */
void jit_emitter_begin(struct jit_emitter *e, LLVMValueRef llvm)
{
    struct jit_unit *unit = e->unit;

    begin_function(e, llvm);
    if (unit->outlines) { /* LLVM's passes are for outlined operations only */
        jit_build_attribute(unit, llvm, "noinline", 0);
        jit_build_attribute(unit, llvm, "optnone", 0);
    }
    e->abi.block = LLVMGetParam(llvm, 0);
    load_launch(e);
    e->vector.full = jit_i32(unit, e->width == 32 ? 0xffffffffu : (1u << e->width) - 1);
    e->lower = (struct jit_lower){.context = unit->context,
                                  .module = unit->module,
                                  .builder = e->builder,
                                  .lanes = e->width,
                                  .services = e->abi.services,
                                  .entry_allocas = e->entry_end,
                                  .first_tier = unit->request->tier == JIT_TIER_FIRST,
                                  .fast_math = unit->request->fast_math,
                                  .byte_products = unit->byte_products};
}

static LLVMValueRef state_field(struct jit_emitter *e, size_t offset)
{
    return jit_build_offset(e, e->abi.state, jit_i64(e->unit, offset));
}

static void allocate_state(struct jit_emitter *e)
{
    if (!e->abi.state)
        e->abi.state =
            jit_build_alloca(e, e->unit->i64, sizeof(struct jit_vector_state) / 8, "state");
}

void jit_emitter_make_state(struct jit_emitter *e)
{
    allocate_state(e);
    e->abi.state_block = e->abi.state;
    e->abi.state_first = state_field(e, offsetof(struct jit_vector_state, first));
    e->mask.active = state_field(e, offsetof(struct jit_vector_state, active));
}

void jit_emitter_store_state(struct jit_emitter *e)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef active = LLVMBuildLoad2(b, e->unit->i32, e->mask.active, "");

    allocate_state(e);
    LLVMBuildStore(b, e->abi.block, state_field(e, offsetof(struct jit_vector_state, block)));
    LLVMBuildStore(b, e->vector.first, state_field(e, offsetof(struct jit_vector_state, first)));
    LLVMBuildStore(b, active, state_field(e, offsetof(struct jit_vector_state, active)));
}

void jit_emitter_begin_outlined(struct jit_emitter *e, LLVMValueRef llvm)
{
    struct jit_unit *unit = e->unit;

    begin_function(e, llvm);
    memset(e->scratch, 0, sizeof(e->scratch));
    e->mask = (struct jit_active_mask){.active = NULL};
    e->abi = (struct jit_abi_values){.state = LLVMGetParam(llvm, 0)};
    jit_emitter_make_state(e);
    e->abi.block = LLVMBuildLoad2(e->builder, unit->ptr, e->abi.state_block, "block");
    e->vector.first = LLVMBuildLoad2(e->builder, unit->i32, e->abi.state_first, "first");
    e->vector.warp = LLVMBuildLShr(e->builder, e->vector.first, jit_i32(unit, 5), "warp");
    e->abi.launch = jit_build_field(e, e->abi.block, BLOCK(launch), unit->ptr, true, "launch");
    e->abi.services =
        jit_build_field(e, e->abi.launch, LAUNCH(services), unit->ptr, true, "services");
    e->abi.shared = jit_build_field(e, e->abi.block, BLOCK(shared), unit->ptr, true, "shared");
    e->lower.services = e->abi.services;
    e->lower.entry_allocas = e->entry_end;
}

/* Allocates arrays with an element per lane: for arguments of calls, and for local variables of
 * device functions. */
void jit_emitter_make_variables(struct jit_emitter *e)
{
    const struct ptx_function *ptx = e->function->ptx;

    for (uint32_t v = 0; v < ptx->variable_count; v++) {
        const struct ptx_variable *variable = &ptx->variables[v];
        bool parameter = false;

        for (uint32_t p = 0; p < ptx->parameter_count; p++)
            parameter |= ptx->parameters[p].variable == v;
        for (uint32_t r = 0; r < ptx->result_count; r++)
            parameter |= ptx->results[r].variable == v;
        if (parameter || (variable->space != PTX_LOCAL && variable->space != PTX_PARAM) ||
            (variable->space == PTX_LOCAL && e->function->is_kernel))
            continue;
        e->variable_arrays[v] = jit_build_alloca(
            e, e->unit->i8, (unsigned)jit_variable_stride(variable) * e->width + 16,
            variable->name);
        LLVMSetAlignment(e->variable_arrays[v], 64);
    }
}

/* Computes the position of the vector's lanes in the block from the number of its first thread. */
void jit_emitter_set_position(struct jit_emitter *e)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef rows;

    e->vector.warp = LLVMBuildLShr(b, e->vector.first, jit_i32(e->unit, 5), "warp");
    switch (e->unit->shape) {
    case CUP_SHAPE_ROWS:
        rows = LLVMBuildUDiv(b, e->vector.first, e->abi.ntid[0], "");
        e->vector.tid[0] = LLVMBuildURem(b, e->vector.first, e->abi.ntid[0], "tid.x");
        e->vector.tid[1] = LLVMBuildURem(b, rows, e->abi.ntid[1], "tid.y");
        e->vector.tid[2] = LLVMBuildUDiv(b, rows, e->abi.ntid[1], "tid.z");
        break;
    case CUP_SHAPE_SIXTEEN:
        rows = LLVMBuildLShr(b, e->vector.first, jit_i32(e->unit, 4), "");
        e->vector.tid[0] = jit_i32(e->unit, 0);
        e->vector.tid[1] = LLVMBuildURem(b, rows, e->abi.ntid[1], "tid.y");
        e->vector.tid[2] = LLVMBuildUDiv(b, rows, e->abi.ntid[1], "tid.z");
        break;
    case CUP_SHAPE_ONE:
        e->vector.tid[0] = e->vector.tid[1] = e->vector.tid[2] = jit_i32(e->unit, 0);
        break;
    case CUP_SHAPE_LINE:
        e->vector.tid[0] = e->vector.first;
        e->vector.tid[1] = e->vector.tid[2] = jit_i32(e->unit, 0);
        break;
    default: /* jit_thread_lanes() computes it where it is used */
        break;
    }
}

/* In a large function, values that are live from entry to end would be spilled everywhere. They are
 * stored once, and each node loads them. */
void jit_emitter_spill_state(struct jit_emitter *e)
{
    if (!e->unit->one_variant)
        return;
    LLVMBuildStore(e->builder, e->abi.block, e->abi.state_block);
    LLVMBuildStore(e->builder, e->vector.first, e->abi.state_first);
}

void jit_emitter_reload_state(struct jit_emitter *e)
{
    struct jit_unit *unit = e->unit;

    if (!e->abi.state_block)
        return;
    e->abi.block = LLVMBuildLoad2(e->builder, unit->ptr, e->abi.state_block, "block");
    e->vector.first = LLVMBuildLoad2(e->builder, unit->i32, e->abi.state_first, "first");
    load_launch(e);
    for (unsigned axis = 0; axis < 3; axis++)
        e->vector.ctaid[axis] =
            jit_build_field(e, e->abi.block, BLOCK(index) + 4u * axis, unit->i32, false, "ctaid");
    jit_emitter_set_position(e);
}
