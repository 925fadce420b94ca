/* SPDX-License-Identifier: MIT */
/* Addresses. A device pointer is a host pointer. An address in the shared space is an offset in
 * the block's shared memory or, in a kernel that uses clusters, in the window of its cluster; in
 * all other spaces it is the generic address itself.
 *
 * Offsets in shared memory have 32 bits, as on the device: only the lower half of a wider register
 * counts, and sums wrap. The 4 GiB behind the block's shared memory are inaccessible, so no offset
 * reaches other memory. Lanes whose addresses are computed from lane 0's are wrapped one by one. */
#include "jit/emit/address.h"

#include "abi/launch.h"
#include "jit/emit/emitter.h"
#include "jit/emit/immediates.h"
#include "jit/emit/ir.h"
#include "jit/emit/registers.h"

#include <stddef.h>

static LLVMValueRef as_number(struct jit_emitter *e, LLVMValueRef pointer)
{
    return LLVMBuildPtrToInt(e->builder, pointer, e->unit->i64, "");
}

/* The address, in the shared space, of what is at an offset of the block's memory. */
static struct jit_value shared_variable(struct jit_emitter *e, uint64_t offset)
{
    LLVMValueRef address = jit_i64(e->unit, offset);

    if (e->abi.own_shared)
        address = LLVMBuildAdd(e->builder, e->abi.own_shared, address, "");
    return jit_scalar(address, 0);
}

static struct jit_value program_variable(struct jit_emitter *e, uint32_t index)
{
    struct jit_unit *unit = e->unit;
    LLVMValueRef symbols;

    if (unit->program->variables[index].space == PTX_SHARED)
        return shared_variable(e, unit->shared_offsets[index]);
    symbols = jit_build_field(e, e->abi.launch, offsetof(struct cup_abi_launch, symbols), unit->ptr,
                              true, "symbols");
    return jit_scalar(jit_build_field(e, symbols, index * sizeof(void *), unit->i64, true,
                                      unit->program->variables[index].name),
                      0);
}

struct jit_value jit_variable_address(struct jit_emitter *e, uint32_t index, bool local)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    const struct ptx_variable *variable;
    LLVMValueRef base;

    if (!local)
        return program_variable(e, index);
    variable = &e->function->ptx->variables[index];
    if (variable->space == PTX_SHARED)
        return shared_variable(e, unit->own_shared[e->function->index][index]);
    if (e->variable_arrays[index])
        return jit_scalar(as_number(e, e->variable_arrays[index]),
                          e->width > 1 ? (int64_t)jit_variable_stride(variable) : 0);
    if (variable->space == PTX_PARAM) {
        base = as_number(e, e->abi.params);
        return jit_scalar(
            LLVMBuildAdd(b, base, jit_i64(unit, e->function->variable_offsets[index]), ""), 0);
    }
    base = LLVMBuildZExt(b, e->vector.first, unit->i64, "");
    base = LLVMBuildMul(b, base, jit_i64(unit, unit->local_bytes), "");
    base = LLVMBuildAdd(b, base, jit_i64(unit, e->function->variable_offsets[index]), "");
    base = LLVMBuildAdd(b, base, as_number(e, e->abi.local), variable->name);
    return jit_scalar(base, e->width > 1 ? unit->local_bytes : 0);
}

static struct jit_value add_number(struct jit_emitter *e, struct jit_value value,
                                   const struct ptx_operand *operand)
{
    LLVMValueRef addend = jit_immediate_of(e, operand, e->unit->i64);

    if (LLVMIsNull(addend))
        return value;
    if (value.vector)
        addend = jit_build_splat(e, addend);
    value.value = LLVMBuildAdd(e->builder, value.value, addend, "");
    return value;
}

static struct jit_value shared_to_generic(struct jit_emitter *e, struct jit_value value,
                                          bool backwards)
{
    LLVMValueRef base = as_number(e, e->abi.shared);

    if (value.vector)
        base = jit_build_splat(e, base);
    value.value = backwards ? LLVMBuildSub(e->builder, value.value, base, "")
                            : LLVMBuildAdd(e->builder, value.value, base, "");
    return value;
}

LLVMValueRef jit_shared_wrap(struct jit_emitter *e, LLVMValueRef address)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef wide = LLVMTypeOf(address), narrow = unit->i32;
    LLVMValueRef base = as_number(e, e->abi.shared);

    if (wide != unit->i64) {
        base = jit_build_splat(e, base);
        narrow = jit_vector_type(e, unit->i32);
    }
    address = LLVMBuildTrunc(b, LLVMBuildSub(b, address, base, ""), narrow, "");
    return LLVMBuildAdd(b, base, LLVMBuildZExt(b, address, wide, ""), "");
}

struct jit_value jit_parameter_address(struct jit_emitter *e, struct jit_value value)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef narrow = value.vector ? jit_vector_type(e, unit->i32) : unit->i32;
    LLVMValueRef base, offset;

    if (!e->function->is_kernel)
        return value;
    base = as_number(e, e->abi.params);
    if (value.vector)
        base = jit_build_splat(e, base);
    offset = LLVMBuildTrunc(b, LLVMBuildSub(b, value.value, base, ""), narrow, "");
    value.value = LLVMBuildAdd(b, base, LLVMBuildSExt(b, offset, LLVMTypeOf(base), ""), "");
    return value;
}

/* The number that an operand adds to its register. */
static LLVMValueRef offset_of(struct jit_emitter *e, const struct ptx_operand *operand,
                              LLVMTypeRef type)
{
    return operand->kind == PTX_OPERAND_ADDRESS ? jit_immediate_of(e, operand, type)
                                                : LLVMConstNull(type);
}

/* Reads a register as an offset in shared memory: the low 32 bits plus the operand's number,
 * wrapped to 32 bits and zero-extended to 64. */
static struct jit_value shared_register(struct jit_emitter *e, const struct ptx_operand *operand)
{
    struct jit_unit *unit = e->unit;
    struct jit_value value = jit_register_read(e, operand->index);
    unsigned bits = ptx_type_bits(e->function->ptx->registers[operand->index].type);
    LLVMTypeRef wide = value.vector ? jit_vector_type(e, unit->i64) : unit->i64;
    LLVMTypeRef narrow = value.vector ? jit_vector_type(e, unit->i32) : unit->i32;
    LLVMValueRef addend = offset_of(e, operand, unit->i32);

    if (bits > 32)
        value.value = LLVMBuildTrunc(e->builder, value.value, narrow, "");
    else if (bits < 32)
        value.value = LLVMBuildZExt(e->builder, value.value, narrow, "");
    if (value.vector)
        addend = jit_build_splat(e, addend);
    value.value = LLVMBuildAdd(e->builder, value.value, addend, "");
    value.value = LLVMBuildZExt(e->builder, value.value, wide, "");
    return value;
}

/* Reads a register as a 64-bit address. A 32-bit address is sign-extended: active lanes cannot
 * wrap, because no memory is mapped there, but lane 0 of an affine value may be inactive and below
 * zero. */
static struct jit_value base_register(struct jit_emitter *e, const struct ptx_operand *operand,
                                      uint8_t space)
{
    struct jit_unit *unit = e->unit;
    struct jit_value value;
    unsigned bits = ptx_type_bits(e->function->ptx->registers[operand->index].type);
    LLVMValueRef addend;

    if (space == PTX_SHARED)
        return shared_register(e, operand);
    value = jit_register_read(e, operand->index);
    if (bits == 64)
        return operand->kind == PTX_OPERAND_ADDRESS ? add_number(e, value, operand) : value;
    addend = offset_of(e, operand, LLVMIntTypeInContext(unit->context, bits));
    if (value.vector)
        addend = jit_build_splat(e, addend);
    value.value = LLVMBuildAdd(e->builder, value.value, addend, "");
    if (value.stride || value.jump)
        value.value = LLVMBuildSExt(e->builder, value.value, unit->i64, "");
    else
        value.value = LLVMBuildZExt(e->builder, value.value,
                                    value.vector ? jit_vector_type(e, unit->i64) : unit->i64, "");
    return value;
}

struct jit_value jit_emit_address(struct jit_emitter *e, const struct ptx_operand *operand,
                                  uint8_t space)
{
    bool is_register = operand->kind == PTX_OPERAND_REGISTER ||
                       (operand->kind == PTX_OPERAND_ADDRESS && operand->base == PTX_BASE_REGISTER);
    struct jit_value value;

    if (operand->kind == PTX_OPERAND_SYMBOL ||
        (operand->kind == PTX_OPERAND_ADDRESS && operand->base == PTX_BASE_VARIABLE))
        value = add_number(e, jit_variable_address(e, operand->index, operand->local), operand);
    else if (is_register)
        value = base_register(e, operand, space);
    else
        value = jit_scalar(jit_i64(e->unit, operand->value), 0);
    if (space == PTX_PARAM && is_register)
        return jit_parameter_address(e, value);
    if (space != PTX_SHARED)
        return value;
    if (LLVMIsAConstantInt(value.value)) /* the address of a variable, or an immediate */
        value.value = jit_i64(e->unit, (uint32_t)LLVMConstIntGetZExtValue(value.value));
    return shared_to_generic(e, value, false);
}

struct jit_value jit_cvta_address(struct jit_emitter *e, const struct ptx_instruction *instruction)
{
    struct jit_value value = jit_emit_address(e, &instruction->src[0], PTX_SPACE_NONE);

    if (instruction->space == PTX_SHARED)
        value = shared_to_generic(e, value, ptx_has(instruction, PTX_MOD_TO));
    else if (instruction->space == PTX_PARAM && !ptx_has(instruction, PTX_MOD_TO))
        value = jit_parameter_address(e, value);
    return value;
}
