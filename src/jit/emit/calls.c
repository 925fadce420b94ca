/* SPDX-License-Identifier: MIT */
/* Calls. A device function is an LLVM function on vectors. Its arguments are the block, the number
 * of the vector's first thread, the lanes that call, the lanes of the warp that are still in the
 * kernel, and an array over the lanes for each parameter and result. It returns the calling lanes
 * that are still in the kernel. If lanes call different functions through a pointer, each function
 * is called in turn.
 *
 * A function in which lanes may wait for other lanes of their warp is called on a stack of its
 * own: the caller continues with the lanes that are elsewhere or have returned, and asks for the
 * others later (divergent_parked.c). */
#include "jit/emit/calls.h"

#include "abi/services.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"
#include "jit/emit/operands.h"
#include "jit/variants/bailout.h"
#include "ptx/device_call.h"

#include <stddef.h>
#include <string.h>

enum { FIXED_ARGUMENTS = 4, MAX_ARGUMENTS = 256 };

bool jit_call_is_builtin(const struct ptx_function *function)
{
    if (function->is_prototype)
        return ptx_is_system_function(function->name);
    return ptx_device_call_of(function->name) != PTX_CALL_NONE;
}

static uint32_t area_count(const struct ptx_function *function)
{
    return function->parameter_count + function->result_count;
}

void jit_unit_declare_function(struct jit_unit *unit, uint32_t index)
{
    const struct ptx_function *function = &unit->program->functions[index];
    LLVMTypeRef types[FIXED_ARGUMENTS + MAX_ARGUMENTS];
    uint32_t areas = area_count(function);

    if (areas > MAX_ARGUMENTS) {
        jit_unit_fail(unit, NULL, "function %s has too many parameters", function->name);
        return;
    }
    types[0] = unit->ptr;
    types[1] = types[2] = types[3] = unit->i32;
    for (uint32_t a = 0; a < areas; a++)
        types[FIXED_ARGUMENTS + a] = unit->ptr;
    unit->function_types[index] =
        LLVMFunctionType(unit->i32, types, FIXED_ARGUMENTS + areas, false);
    unit->functions[index] =
        LLVMAddFunction(unit->module, function->name, unit->function_types[index]);
    LLVMSetLinkage(unit->functions[index], LLVMInternalLinkage);
}

static bool is_area(const struct jit_emitter *e, const struct ptx_operand *operand)
{
    return (operand->kind == PTX_OPERAND_SYMBOL || operand->kind == PTX_OPERAND_ADDRESS) &&
           operand->local && e->variable_arrays[operand->index];
}

static uint8_t passed_type(uint8_t type)
{
    return type == PTX_PRED ? PTX_U8 : type;
}

static uint8_t register_type(const struct jit_emitter *e, const struct ptx_operand *operand)
{
    operand = jit_operand_part(e->function, operand, 0);
    return operand->kind == PTX_OPERAND_REGISTER
               ? passed_type(e->function->ptx->registers[operand->index].type)
               : PTX_B64;
}

/* The type of the array of an argument or result: the elements of all lanes in memory order. */
static LLVMTypeRef area_type(struct jit_emitter *e, const struct ptx_operand *operand, uint8_t type)
{
    return LLVMVectorType(jit_type_of(e->unit, type), e->width * jit_operand_part_count(operand));
}

/* Stores registers or an immediate to a new array for a call. type: that of the parameter. keep:
 * inactive lanes may be inside this call, so their elements stay. */
static LLVMValueRef make_argument(struct jit_emitter *e, const struct ptx_operand *operand,
                                  uint8_t type, bool keep)
{
    LLVMTypeRef whole = area_type(e, operand, type);
    LLVMValueRef area = jit_build_alloca(e, whole, 1, "argument"), old = NULL, parts[8];

    if (keep)
        old = LLVMBuildLoad2(e->builder, whole, area, "");
    for (unsigned part = 0; part < jit_operand_part_count(operand); part++) {
        parts[part] = jit_value_vector(
            e, jit_operand_read(e, jit_operand_part(e->function, operand, part), type));
        if (keep)
            parts[part] =
                LLVMBuildSelect(e->builder, jit_build_lanes(e, jit_mask_bits(e)), parts[part],
                                jit_parts_take(e, old, part, jit_operand_part_count(operand)), "");
    }
    LLVMBuildStore(e->builder, jit_parts_join(e, parts, jit_operand_part_count(operand)), area);
    return area;
}

static LLVMValueRef argument_area(struct jit_emitter *e, const struct ptx_operand *operand,
                                  uint8_t type, bool keep)
{
    if (is_area(e, operand))
        return e->variable_arrays[operand->index];
    return make_argument(
        e, operand, type == PTX_TYPE_NONE ? register_type(e, operand) : passed_type(type), keep);
}

/* Returns the array that the function writes a result to; results for registers and ignored results
 * get a temporary one. */
static LLVMValueRef result_area(struct jit_emitter *e, const struct ptx_operand *operand,
                                const struct ptx_parameter *result)
{
    LLVMValueRef area;

    if (is_area(e, operand))
        return e->variable_arrays[operand->index];
    if (operand->kind != PTX_OPERAND_SINK)
        return jit_build_alloca(e, area_type(e, operand, register_type(e, operand)), 1, "result");
    area = jit_build_alloca(e, e->unit->i8, e->width * (unsigned)(result ? result->size_bytes : 8),
                            "result");
    LLVMSetAlignment(area, 64);
    return area;
}

/* Collects the arrays of a call, parameters before results. */
static uint32_t collect(struct jit_emitter *e, const struct ptx_call *call,
                        const struct ptx_function *signature, LLVMValueRef *areas, bool keep)
{
    uint32_t count = 0;

    for (uint32_t a = 0; a < call->argument_count && count < MAX_ARGUMENTS; a++)
        areas[count++] = argument_area(
            e, &call->arguments[a],
            a < signature->parameter_count ? signature->parameters[a].type : PTX_TYPE_NONE, keep);
    for (uint32_t r = 0; r < call->result_count && count < MAX_ARGUMENTS; r++)
        areas[count++] = result_area(e, &call->results[r],
                                     r < signature->result_count ? &signature->results[r] : NULL);
    return count;
}

/* Loads the results that go to registers from their arrays. */
static void fetch_results(struct jit_emitter *e, const struct ptx_call *call,
                          const LLVMValueRef *areas)
{
    for (uint32_t r = 0; r < call->result_count; r++) {
        const struct ptx_operand *operand = &call->results[r];
        uint8_t type = register_type(e, operand);
        LLVMValueRef all;

        if (operand->kind != PTX_OPERAND_REGISTER && operand->kind != PTX_OPERAND_VECTOR)
            continue;
        all = LLVMBuildLoad2(e->builder, area_type(e, operand, type),
                             areas[call->argument_count + r], "");
        for (unsigned part = 0; part < jit_operand_part_count(operand); part++)
            jit_operand_write(
                e, jit_operand_part(e->function, operand, part), type,
                jit_vector(jit_parts_take(e, all, part, jit_operand_part_count(operand))));
    }
}

/* Launches keep their parameters in the heap of kernels until they run. */
static void emit_device_call(struct jit_emitter *e, enum ptx_device_call call, LLVMValueRef *areas,
                             uint32_t count)
{
    struct jit_unit *unit = e->unit;
    LLVMValueRef table = jit_build_alloca(e, unit->ptr, CUP_ABI_CALL_AREAS, "areas"),
                 arguments[4] = {e->abi.block, jit_mask_bits(e), jit_i32(unit, call), table};

    for (uint32_t a = 0; a < CUP_ABI_CALL_AREAS; a++)
        jit_build_store(e, a < count ? areas[a] : LLVMConstNull(unit->ptr),
                        jit_build_offset(e, table, jit_i64(unit, 8u * a)), 8);
    unit->info.uses_malloc = 1;
    jit_build_service(e, offsetof(struct cup_abi_services, device_call), unit->nothing, arguments,
                      4);
}

static void emit_builtin(struct jit_emitter *e, const char *name, LLVMValueRef *areas,
                         uint32_t count)
{
    struct jit_unit *unit = e->unit;
    LLVMValueRef mask = jit_mask_bits(e), arguments[8] = {e->abi.block};
    size_t offset;
    unsigned used = 1;

    if (name[0] == 'c') { /* cudaGraphSetConditional does not take the block */
        offset = offsetof(struct cup_abi_services, set_condition);
        used = 0;
    } else if (strcmp(name, "malloc") == 0 || strcmp(name, "free") == 0) {
        offset = name[0] == 'm' ? offsetof(struct cup_abi_services, allocate)
                                : offsetof(struct cup_abi_services, release);
        unit->info.uses_malloc = 1;
    } else {
        offset = name[0] == 'v' ? offsetof(struct cup_abi_services, vprintf)
                                : offsetof(struct cup_abi_services, assert_fail);
        arguments[used++] = e->vector.warp;
        unit->info.uses_printf |= name[0] == 'v';
    }
    arguments[used++] = mask;
    for (uint32_t a = 0; a < count && a < 4 && used < 8; a++)
        arguments[used++] = areas[a];
    jit_build_service(e, offset, unit->nothing, arguments, used);
}

static LLVMValueRef call_function(struct jit_emitter *e, uint32_t index, LLVMValueRef mask,
                                  const LLVMValueRef *areas, uint32_t count)
{
    struct jit_unit *unit = e->unit;
    LLVMValueRef arguments[FIXED_ARGUMENTS + MAX_ARGUMENTS];
    uint32_t wanted = area_count(&unit->program->functions[index]);

    arguments[0] = e->abi.block;
    arguments[1] = e->vector.first;
    arguments[2] = mask;
    arguments[3] =
        e->divergent ? LLVMBuildLoad2(e->builder, unit->i32, e->masks->live, "") : e->vector.full;
    for (uint32_t a = 0; a < wanted; a++)
        arguments[FIXED_ARGUMENTS + a] = a < count ? areas[a] : LLVMGetUndef(unit->ptr);
    return LLVMBuildCall2(e->builder, unit->function_types[index], unit->functions[index],
                          arguments, FIXED_ARGUMENTS + wanted, "");
}

/* Returns a function that calls function `index` with the arguments from a closure. */
static LLVMValueRef thunk_of(struct jit_unit *unit, uint32_t index)
{
    LLVMTypeRef type = LLVMFunctionType(unit->i32, &unit->ptr, 1, false);
    LLVMValueRef arguments[FIXED_ARGUMENTS + MAX_ARGUMENTS], thunk, closure;
    uint32_t count = FIXED_ARGUMENTS + area_count(&unit->program->functions[index]);
    LLVMBuilderRef b;

    if (unit->thunks[index])
        return unit->thunks[index];
    thunk = LLVMAddFunction(unit->module, "thunk", type);
    LLVMSetLinkage(thunk, LLVMInternalLinkage);
    unit->thunks[index] = thunk;
    b = LLVMCreateBuilderInContext(unit->context);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(unit->context, thunk, ""));
    closure = LLVMGetParam(thunk, 0);
    for (uint32_t a = 0; a < count; a++) {
        LLVMValueRef at = jit_i64(unit, a);
        LLVMTypeRef word = a == 0 || a >= FIXED_ARGUMENTS ? unit->ptr : unit->i32;

        arguments[a] =
            LLVMBuildLoad2(b, word, LLVMBuildGEP2(b, unit->i64, closure, &at, 1, ""), "");
    }
    LLVMBuildRet(b, LLVMBuildCall2(b, unit->function_types[index], unit->functions[index],
                                   arguments, count, ""));
    LLVMDisposeBuilder(b);
    return thunk;
}

static LLVMValueRef make_closure(struct jit_emitter *e, uint32_t index, LLVMValueRef mask,
                                 const LLVMValueRef *areas, uint32_t count, uint32_t *words)
{
    struct jit_unit *unit = e->unit;
    uint32_t wanted = area_count(&unit->program->functions[index]);
    LLVMValueRef closure = jit_build_alloca(e, unit->i64, FIXED_ARGUMENTS + wanted, "closure");
    LLVMValueRef fixed[FIXED_ARGUMENTS] = {e->abi.block, e->vector.first, mask, NULL};

    fixed[3] = LLVMBuildLoad2(e->builder, unit->i32, e->masks->live, "");
    *words = FIXED_ARGUMENTS + wanted;
    for (uint32_t a = 0; a < *words; a++) {
        LLVMValueRef word = a < FIXED_ARGUMENTS           ? fixed[a]
                            : a - FIXED_ARGUMENTS < count ? areas[a - FIXED_ARGUMENTS]
                                                          : LLVMConstNull(unit->ptr);

        jit_build_store(e, word, jit_build_offset(e, closure, jit_i64(unit, 8u * a)), 8);
    }
    return closure;
}

/* Calls a function on a stack of its own. The result is 64 bits: the lanes still in the kernel and,
 * in the upper half, the lanes that have returned. */
static LLVMValueRef call_apart(struct jit_emitter *e, uint32_t index, LLVMValueRef mask,
                               const LLVMValueRef *areas, uint32_t count, LLVMValueRef handles)
{
    struct jit_unit *unit = e->unit;
    LLVMValueRef arguments[7];
    uint32_t words;

    arguments[0] = e->abi.block;
    arguments[1] = e->vector.warp;
    arguments[2] = mask;
    arguments[3] = thunk_of(unit, index);
    arguments[4] = make_closure(e, index, mask, areas, count, &words);
    arguments[5] = jit_i32(unit, words);
    arguments[6] = handles;
    return jit_build_service(e, offsetof(struct cup_abi_services, call_start), unit->i64, arguments,
                             7);
}

static bool fits(const struct ptx_function *function, uint32_t count)
{
    return !function->is_kernel && !function->is_prototype && area_count(function) == count;
}

/* Calls function `number` - 1 for `lanes`. The result is 64 bits: the lanes still in the kernel
 * and, in the upper half, those that have returned. */
static LLVMValueRef call_number(struct jit_emitter *e, LLVMValueRef number, LLVMValueRef lanes,
                                const LLVMValueRef *areas, uint32_t count, uint32_t line,
                                LLVMValueRef handles)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef bad = jit_build_block(e, "call.bad"), after = jit_build_block(e, "called");
    LLVMValueRef choose, alive = jit_build_alloca(e, unit->i64, 1, "alive"), all;

    all = LLVMBuildShl(b, LLVMBuildZExt(b, lanes, unit->i64, ""), jit_i64(unit, 32), "");
    LLVMBuildStore(b, all, alive);
    choose = LLVMBuildSwitch(b, number, bad, unit->program->function_count);
    for (uint32_t f = 0; f < unit->program->function_count; f++) {
        LLVMBasicBlockRef one;
        LLVMValueRef result;

        if (!unit->functions[f] || !fits(&unit->program->functions[f], count))
            continue;
        one = jit_build_block(e, unit->program->functions[f].name);
        LLVMAddCase(choose, jit_i64(unit, f + UINT64_C(1)), one);
        jit_build_at(e, one);
        if (handles)
            result = call_apart(e, f, lanes, areas, count, handles);
        else
            result = LLVMBuildOr(
                b, all, LLVMBuildZExt(b, call_function(e, f, lanes, areas, count), unit->i64, ""),
                "");
        LLVMBuildStore(b, result, alive);
        LLVMBuildBr(b, after);
    }
    jit_build_at(e, bad);
    jit_build_trap(e, lanes, CUP_ABI_TRAP_BAD_CALL, line);
    LLVMBuildBr(b, after);
    jit_build_at(e, after);
    return LLVMBuildLoad2(b, unit->i64, alive, "");
}

/* Indirect call: a loop that takes the first remaining lane's target and calls it for all lanes
 * with the same target. */
static LLVMValueRef call_indirect(struct jit_emitter *e, const struct ptx_instruction *i,
                                  const LLVMValueRef *areas, uint32_t count, LLVMValueRef handles)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMValueRef targets = jit_value_vector(e, jit_operand_read(e, &i->call->target, PTX_B64));
    LLVMValueRef left = jit_build_alloca(e, unit->i32, 1, "left"),
                 alive = jit_build_alloca(e, unit->i64, 1, "alive"), lanes, arguments[2], number,
                 same, one;
    LLVMBasicBlockRef loop = jit_build_block(e, "call"), after = jit_build_block(e, "called");

    LLVMBuildStore(b, jit_mask_bits(e), left);
    LLVMBuildStore(b, jit_i64(unit, 0), alive);
    LLVMBuildBr(b, loop);
    jit_build_at(e, loop);
    arguments[0] = LLVMBuildLoad2(b, unit->i32, left, "");
    arguments[1] = LLVMConstInt(unit->i1, 0, false);
    lanes = arguments[0];
    one = jit_build_call(e, "llvm.cttz", unit->i32, arguments, 2);
    one = LLVMBuildAnd(b, one, jit_i32(unit, e->width - 1), "");
    number = LLVMBuildExtractElement(b, targets, one, "");
    same = LLVMBuildICmp(b, LLVMIntEQ, targets, jit_build_splat(e, number), "");
    same = LLVMBuildAnd(b, jit_build_bits(e, same), lanes, "");
    one = call_number(e, number, same, areas, count, i->line, handles);
    LLVMBuildStore(b, LLVMBuildOr(b, LLVMBuildLoad2(b, unit->i64, alive, ""), one, ""), alive);
    lanes = LLVMBuildXor(b, lanes, same, "");
    LLVMBuildStore(b, lanes, left);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, lanes, jit_i32(unit, 0), ""), after, loop);
    jit_build_at(e, after);
    return LLVMBuildLoad2(b, unit->i64, alive, "");
}

static const struct ptx_function *signature_of(const struct jit_emitter *e,
                                               const struct ptx_call *call)
{
    if (call->target.kind == PTX_OPERAND_FUNCTION)
        return &e->unit->program->functions[call->target.index];
    if (call->prototype < e->function->ptx->prototype_count)
        return &e->function->ptx->prototypes[call->prototype];
    return &e->unit->program->functions[call->target_count ? call->targets[0] : e->function->index];
}

LLVMValueRef jit_emit_call(struct jit_emitter *e, const struct ptx_instruction *i)
{
    struct jit_unit *unit = e->unit;
    LLVMValueRef areas[MAX_ARGUMENTS], alive = jit_mask_bits(e);
    const struct ptx_function *target = signature_of(e, i->call);
    bool indirect = i->call->target.kind == PTX_OPERAND_REGISTER;
    uint32_t at = (uint32_t)(i - e->function->ptx->instructions), count;

    if (!e->divergent && e->function->cfg.parking && e->function->cfg.parking[at])
        jit_bailout_unless(e, LLVMConstInt(unit->i1, 0, false), at);
    count = collect(e, i->call, target, areas, false);
    if (indirect) {
        alive = LLVMBuildTrunc(e->builder, call_indirect(e, i, areas, count, NULL), unit->i32, "");
    } else if (ptx_device_call_of(target->name) != PTX_CALL_NONE) {
        emit_device_call(e, ptx_device_call_of(target->name), areas, count);
    } else if (jit_call_is_builtin(target)) {
        emit_builtin(e, target->name, areas, count);
    } else if (!unit->functions[i->call->target.index]) {
        jit_unit_fail(unit, i, "call of '%s', which has no body", target->name);
        return alive;
    } else {
        alive = call_function(e, i->call->target.index, alive, areas, count);
    }
    fetch_results(e, i->call, areas);
    return alive;
}

LLVMValueRef jit_emit_parking_call(struct jit_emitter *e, const struct ptx_instruction *i,
                                   LLVMValueRef handles, LLVMValueRef *returned)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMValueRef *areas = jit_workspace_zeros(&unit->workspace, MAX_ARGUMENTS, sizeof(*areas)),
                 mask = jit_mask_bits(e), both;
    uint32_t count;

    e->masks->areas[e->node] = areas;
    count = collect(e, i->call, signature_of(e, i->call), areas, true);
    if (i->call->target.kind == PTX_OPERAND_REGISTER)
        both = call_indirect(e, i, areas, count, handles);
    else
        both = call_apart(e, i->call->target.index, mask, areas, count, handles);
    *returned = LLVMBuildTrunc(b, LLVMBuildLShr(b, both, jit_i64(unit, 32), ""), unit->i32, "");
    both = LLVMBuildTrunc(b, both, unit->i32, "");
    LLVMBuildStore(b, both, e->mask.active);
    fetch_results(e, i->call, areas);
    return both;
}

void jit_emit_call_results(struct jit_emitter *e, const struct ptx_instruction *i, uint32_t node)
{
    fetch_results(e, i->call, e->masks->areas[node]);
}
