/* SPDX-License-Identifier: MIT */
/* Copies that the runtime executes: cp.async.bulk and cp.reduce.async.bulk, with and without tensor
 * maps, st.async and red.async, and tensormap. All of them are done when they are issued. */
#include "jit/emit/warp_calls.h"

#include "abi/launch.h"
#include "abi/warp.h"
#include "core/compiler.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/operands.h"
#include "jit/emit/warp_rows.h"

/* Earlier copies are complete, so cp.async.mbarrier.arrive with .noinc is an arrival; without it,
 * its increment and its arrival cancel out. */
void jit_emit_copies_arrive(struct jit_emitter *e, const struct ptx_instruction *i)
{
    struct cup_abi_warp_call about = {.operation = CUP_ABI_WARP_MBARRIER_ARRIVE};
    unsigned rows = 0;

    if (!ptx_has(i, PTX_MOD_NOINC))
        return;
    jit_row_put_address(e, &rows, &i->src[0], i->space);
    jit_row_put_number(e, &rows, 1);
    jit_row_call(e, i, &about);
}

static uint8_t reduction_of(const struct ptx_instruction *i)
{
    static const struct {
        enum ptx_modifier modifier;
        enum cup_abi_reduction reduction;
    } reductions[] = {
        {PTX_MOD_ADD, CUP_ABI_REDUCE_ADD}, {PTX_MOD_MIN, CUP_ABI_REDUCE_MIN},
        {PTX_MOD_MAX, CUP_ABI_REDUCE_MAX}, {PTX_MOD_INC, CUP_ABI_REDUCE_INC},
        {PTX_MOD_DEC, CUP_ABI_REDUCE_DEC}, {PTX_MOD_AND, CUP_ABI_REDUCE_AND},
        {PTX_MOD_OR, CUP_ABI_REDUCE_OR},   {PTX_MOD_XOR, CUP_ABI_REDUCE_XOR},
    };

    for (unsigned r = 0; r < CUP_ARRAY_COUNT(reductions); r++)
        if (ptx_has(i, reductions[r].modifier))
            return (uint8_t)reductions[r].reduction;
    return CUP_ABI_REDUCE_NONE;
}

static uint8_t flags_of(const struct ptx_instruction *i)
{
    unsigned flags = 0;

    if (ptx_has(i, PTX_MOD_COMPLETE_TX_BYTES))
        flags |= CUP_ABI_WARP_ARRIVES;
    if (ptx_has(i, PTX_MOD_MULTICAST) || ptx_has(i, PTX_MOD_MULTICAST_16B))
        flags |= CUP_ABI_WARP_MULTICAST;
    if (ptx_has(i, PTX_MOD_IGNORE_OOB))
        flags |= CUP_ABI_WARP_IGNORES;
    if (ptx_has(i, PTX_MOD_IM2COL) || ptx_has(i, PTX_MOD_IM2COL_NO_OFFS))
        flags |= CUP_ABI_WARP_IM2COL;
    return (uint8_t)flags;
}

/* Sources: to, from, size, numbers of bytes to ignore at both ends if there are such, mbarrier if
 * it arrives, ranks if it is a multicast. */
static void emit_bytes(struct jit_emitter *e, const struct ptx_instruction *i)
{
    struct cup_abi_warp_call about = {
        .operation = ptx_has(i, PTX_MOD_COPY_ALL) ? CUP_ABI_WARP_MULTIMEM_COPY : CUP_ABI_WARP_COPY,
        .flags = flags_of(i),
        .reduction = reduction_of(i)};
    unsigned rows = 0, next = 3;

    if (about.reduction)
        about.types[0] = i->types[0];
    jit_row_put_address(e, &rows, &i->src[0], i->space);
    jit_row_put_address(e, &rows, &i->src[1], i->space_to);
    jit_row_put_operand(e, &rows, &i->src[2], PTX_U32);
    if (about.flags & CUP_ABI_WARP_IGNORES)
        next = 5;
    if (about.flags & CUP_ABI_WARP_ARRIVES)
        jit_row_put_address(e, &rows, &i->src[next++], PTX_SHARED);
    if (about.flags & CUP_ABI_WARP_MULTICAST)
        jit_row_put_operand(e, &rows, &i->src[next], PTX_U16);
    if (about.flags & CUP_ABI_WARP_IGNORES) {
        jit_row_put_operand(e, &rows, &i->src[3], PTX_U32);
        jit_row_put_operand(e, &rows, &i->src[4], PTX_U32);
    }
    jit_row_call(e, i, &about);
}

static void put_vector(struct jit_emitter *e, unsigned *rows, const struct ptx_operand *operand,
                       enum ptx_type type, unsigned count)
{
    unsigned given = operand ? jit_operand_part_count(operand) : 0;

    if (operand)
        jit_row_put_operand(e, rows, operand, type);
    for (unsigned k = given; k < count; k++)
        jit_row_put_number(e, rows, 0);
}

/* Sources of loads: to, map, coordinates, mbarrier, offsets of im2col, ranks. Of stores: map,
 * coordinates, from. */
static void emit_tensor(struct jit_emitter *e, const struct ptx_instruction *i)
{
    bool loads = ptx_has(i, PTX_MOD_COMPLETE_TX_BYTES);
    struct cup_abi_warp_call about = {.operation = loads ? CUP_ABI_WARP_TENSOR_LOAD
                                                         : CUP_ABI_WARP_TENSOR_STORE,
                                      .flags = flags_of(i),
                                      .reduction = reduction_of(i)};
    const struct ptx_operand *map = &i->src[loads ? 1 : 0];
    bool has_offsets = ptx_has(i, PTX_MOD_IM2COL);
    unsigned rows = 0, next = 4;

    about.rank = (uint8_t)jit_operand_part_count(map + 1);
    jit_row_put_address(e, &rows, &i->src[loads ? 0 : 2], PTX_SHARED);
    jit_row_put_address(e, &rows, map, PTX_SPACE_NONE);
    if (loads)
        jit_row_put_address(e, &rows, &i->src[3], PTX_SHARED);
    else
        jit_row_put_number(e, &rows, 0);
    if (about.flags & CUP_ABI_WARP_MULTICAST)
        jit_row_put_operand(e, &rows, &i->src[next + has_offsets], PTX_U16);
    else
        jit_row_put_number(e, &rows, 0);
    put_vector(e, &rows, map + 1, PTX_B32, 5);
    put_vector(e, &rows, has_offsets ? &i->src[next] : NULL, PTX_U16, 3);
    jit_row_call(e, i, &about);
}

void jit_emit_copy_bulk(struct jit_emitter *e, const struct ptx_instruction *i)
{
    if (ptx_has(i, PTX_MOD_TENSOR))
        emit_tensor(e, i);
    else
        emit_bytes(e, i);
}

/* A value of 128 bits is stored as two of 64 bits. */
static void put_halves(struct jit_emitter *e, unsigned *rows, struct cup_abi_warp_call *about,
                       const struct ptx_operand *operand)
{
    LLVMValueRef whole = jit_value_vector(e, jit_operand_read(e, operand, PTX_B128));
    LLVMTypeRef half = jit_vector_type(e, e->unit->i64);
    LLVMValueRef by = jit_build_splat(e, LLVMConstInt(jit_type_of(e->unit, PTX_B128), 64, false));

    about->types[0] = PTX_B64;
    about->count = 2;
    jit_row_put(e, rows, jit_vector(LLVMBuildTrunc(e->builder, whole, half, "")));
    jit_row_put(
        e, rows,
        jit_vector(LLVMBuildTrunc(e->builder, LLVMBuildLShr(e->builder, whole, by, ""), half, "")));
}

void jit_emit_store_async(struct jit_emitter *e, const struct ptx_instruction *i)
{
    struct cup_abi_warp_call about = {.operation = CUP_ABI_WARP_STORE_ASYNC,
                                      .flags = CUP_ABI_WARP_ARRIVES,
                                      .reduction = reduction_of(i),
                                      .types = {i->types[0]}};
    enum ptx_type bits = ptx_type_bits(i->types[0]) == 64 ? PTX_B64 : PTX_B32;
    unsigned rows = 0;

    about.count = (uint8_t)jit_operand_part_count(&i->src[1]);
    jit_row_put_address(e, &rows, &i->src[0], i->space);
    jit_row_put_address(e, &rows, &i->src[2], i->space);
    if (i->types[0] == PTX_B128)
        put_halves(e, &rows, &about, &i->src[1]);
    else
        jit_row_put_operand(e, &rows, &i->src[1], bits);
    jit_row_call(e, i, &about);
}

void jit_emit_multimem(struct jit_emitter *e, const struct ptx_instruction *i)
{
    static const enum ptx_type by_bytes[] = {[2] = PTX_B16, [4] = PTX_B32, [8] = PTX_B64};
    bool loads = ptx_has(i, PTX_MOD_LD_REDUCE);
    struct cup_abi_warp_call about = {.operation = CUP_ABI_WARP_MULTIMEM,
                                      .part =
                                          loads ? CUP_ABI_MULTIMEM_LOAD : CUP_ABI_MULTIMEM_STORE,
                                      .flags = ptx_has(i, PTX_MOD_ACC_F32) ? CUP_ABI_WARP_WIDE : 0,
                                      .reduction = reduction_of(i),
                                      .types = {i->types[0]}};
    const struct ptx_operand *values = loads ? &i->dst[0] : &i->src[1];
    enum ptx_type bits;
    unsigned rows = 0;

    if (ptx_has(i, PTX_MOD_COPY_ALL)) {
        emit_bytes(e, i);
        return;
    }
    bits = by_bytes[ptx_type_bits(i->types[0]) / 8];
    if (ptx_has(i, PTX_MOD_RED))
        about.part = CUP_ABI_MULTIMEM_REDUCE;
    about.count = (uint8_t)jit_operand_part_count(values);
    jit_row_put_address(e, &rows, &i->src[0], i->space);
    if (!loads)
        jit_row_put_operand(e, &rows, values, bits);
    jit_row_call(e, i, &about);
    if (loads)
        jit_row_get_operand(e, rows, values, bits);
}

static void emit_replace(struct jit_emitter *e, const struct ptx_instruction *i)
{
    static const struct {
        enum ptx_modifier modifier;
        enum cup_abi_tensor_field field;
        bool ordinal;
    } fields[] = {
        {PTX_MOD_GLOBAL_ADDRESS, CUP_ABI_TENSOR_ADDRESS, false},
        {PTX_MOD_RANK, CUP_ABI_TENSOR_RANK, false},
        {PTX_MOD_BOX_DIM, CUP_ABI_TENSOR_BOX, true},
        {PTX_MOD_GLOBAL_DIM, CUP_ABI_TENSOR_DIMENSION, true},
        {PTX_MOD_GLOBAL_STRIDE, CUP_ABI_TENSOR_STRIDE, true},
        {PTX_MOD_ELEMENT_STRIDE, CUP_ABI_TENSOR_ELEMENT_STRIDE, true},
        {PTX_MOD_ELEMTYPE, CUP_ABI_TENSOR_TYPE, false},
        {PTX_MOD_INTERLEAVE_LAYOUT, CUP_ABI_TENSOR_INTERLEAVE, false},
        {PTX_MOD_SWIZZLE_MODE, CUP_ABI_TENSOR_SWIZZLE, false},
        {PTX_MOD_SWIZZLE_ATOMICITY, CUP_ABI_TENSOR_SWIZZLE_ATOM, false},
        {PTX_MOD_FILL_MODE, CUP_ABI_TENSOR_FILL, false},
    };
    struct cup_abi_warp_call about = {.operation = CUP_ABI_WARP_TENSOR_MAP_REPLACE};
    unsigned rows = 0, value = 1;

    for (unsigned f = 0; f < CUP_ARRAY_COUNT(fields); f++)
        if (ptx_has(i, fields[f].modifier)) {
            about.part = (uint8_t)fields[f].field;
            value += fields[f].ordinal;
            about.count = fields[f].ordinal ? (uint8_t)i->src[1].value : 0;
        }
    jit_row_put_address(e, &rows, &i->src[0], i->space);
    jit_row_put_operand(e, &rows, &i->src[value], i->types[0]);
    jit_row_call(e, i, &about);
}

void jit_emit_tensor_map(struct jit_emitter *e, const struct ptx_instruction *i)
{
    struct cup_abi_warp_call about = {.operation = CUP_ABI_WARP_TENSOR_MAP_COPY};
    unsigned rows = 0;

    if (!ptx_has(i, PTX_MOD_CP_FENCEPROXY)) {
        emit_replace(e, i);
        return;
    }
    jit_row_put_address(e, &rows, &i->src[0], i->space);
    jit_row_put_address(e, &rows, &i->src[1], i->space_to);
    jit_row_call(e, i, &about);
}
