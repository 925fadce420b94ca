/* SPDX-License-Identifier: MIT */
/* Surfaces. If the uniformity of the coordinates shows that the lanes of a warp access consecutive
 * bytes of one row, and all of them are inside, the row is loaded or stored in place. The runtime
 * does everything else, including the edges. */
#include "jit/emit/texture.h"

#include "abi/texture.h"
#include "jit/analysis/uniformity.h"
#include "jit/emit/emitter.h"
#include "jit/emit/image_op.h"
#include "jit/emit/ir.h"
#include "jit/emit/operands.h"
#include "jit/emit/texture_inline.h"

#include <stddef.h>

static enum ptx_type bits_type(unsigned bits)
{
    return bits == 8 ? PTX_B8 : bits == 16 ? PTX_B16 : bits == 32 ? PTX_B32 : PTX_B64;
}

static uint8_t reduction_of(const struct ptx_instruction *i)
{
    static const enum ptx_modifier words[] = {PTX_MOD_ADD, PTX_MOD_MIN, PTX_MOD_MAX, PTX_MOD_AND,
                                              PTX_MOD_OR};
    uint8_t found = 0;

    for (uint8_t w = 0; w < sizeof(words) / sizeof(*words); w++)
        if (ptx_has(i, words[w]))
            found = w;
    return found;
}

static unsigned bytes_of(const struct jit_image_op *op)
{
    return op->shape.element_bits / 8u * op->shape.components;
}

/* Whether the lanes access consecutive elements of one row, by the uniformity of the coordinates.
 */
static bool is_row(const struct jit_emitter *e, const struct jit_image_op *op)
{
    const struct ptx_instruction *i = op->instruction;
    const struct ptx_operand *x = jit_image_part(e, &i->src[1], 0),
                             *y = jit_image_part(e, &i->src[1], 1);
    struct jit_uniformity column, row;

    if (jit_emitter_is_masked(e) || op->shape.geometry != 1 || op->shape.formatted ||
        i->op == PTX_OP_sured || !x || !y)
        return false;
    column = jit_uniformity_of_operand(e->function, e->function->uniformity[0], x);
    row = jit_uniformity_of_operand(e->function, e->function->uniformity[0], y);
    return column.kind == JIT_AFFINE && column.stride == (int64_t)bytes_of(op) && !column.jump &&
           row.kind == JIT_UNIFORM;
}

/* The address of the row's first byte. Accesses that are not inside or not aligned branch to the
 * cold path. */
static LLVMValueRef row_address(struct jit_emitter *e, const struct jit_image_op *op)
{
    const struct ptx_operand *at = &op->instruction->src[1];
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    unsigned bytes = bytes_of(op);
    LLVMValueRef x = jit_operand_read(e, jit_image_part(e, at, 0), PTX_B32).value,
                 y = jit_operand_read(e, jit_image_part(e, at, 1), PTX_B32).value, last[2], inside,
                 offset;

    jit_inline_begin(e, op);
    for (unsigned axis = 0; axis < 2; axis++)
        last[axis] = jit_inline_field(
            e, op, offsetof(struct cup_abi_texture_plain, last) + axis * sizeof(int32_t),
            unit->i32);
    inside = LLVMBuildICmp(b, LLVMIntSLE, x,
                           LLVMBuildSub(b, last[0], jit_i32(unit, bytes * e->width - 1), ""), "");
    inside = LLVMBuildAnd(b, inside, LLVMBuildICmp(b, LLVMIntSGE, x, jit_i32(unit, 0), ""), "");
    inside = LLVMBuildAnd(b, inside, LLVMBuildICmp(b, LLVMIntULE, y, last[1], ""), "");
    inside =
        LLVMBuildAnd(b, inside,
                     LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildAnd(b, x, jit_i32(unit, bytes - 1), ""),
                                   jit_i32(unit, 0), ""),
                     "");
    jit_inline_require(e, op, inside);
    offset = LLVMBuildMul(
        b, LLVMBuildZExt(b, y, unit->i64, ""),
        jit_inline_field(e, op, offsetof(struct cup_abi_texture_plain, row_bytes), unit->i64), "");
    offset = LLVMBuildAdd(b, offset, LLVMBuildZExt(b, x, unit->i64, ""), "");
    return jit_build_offset(
        e, jit_inline_field(e, op, offsetof(struct cup_abi_texture_plain, base), unit->ptr),
        offset);
}

/* Splits interleaved elements, `count` per lane, into `count` vectors. Four bytes are taken as
 * parts of i32 words, which the optimiser simplifies. */
static void take_parts(struct jit_emitter *e, LLVMValueRef whole, unsigned count,
                       LLVMValueRef *parts)
{
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(whole));
    LLVMValueRef indices[64];

    if (count == 4 && element == e->unit->i8) {
        LLVMTypeRef words = jit_vector_type(e, e->unit->i32);

        jit_build_bytes_of_words(e, LLVMBuildBitCast(e->builder, whole, words, ""), parts);
        for (unsigned part = 0; part < count; part++)
            parts[part] = LLVMBuildTrunc(e->builder, parts[part], jit_vector_type(e, element), "");
        return;
    }
    for (unsigned part = 0; part < count; part++) {
        for (unsigned lane = 0; lane < e->width; lane++)
            indices[lane] = jit_i32(e->unit, lane * count + part);
        parts[part] =
            count == 1 ? whole
                       : LLVMBuildShuffleVector(e->builder, whole, LLVMGetPoison(LLVMTypeOf(whole)),
                                                LLVMConstVector(indices, e->width), "");
    }
}

/* Interleaves `count` vectors; the inverse of take_parts(). */
static LLVMValueRef join_parts(struct jit_emitter *e, const LLVMValueRef *parts, unsigned count)
{
    LLVMValueRef indices[256], joined[4];
    unsigned width = e->width;

    if (count == 4 && LLVMGetElementType(LLVMTypeOf(parts[0])) == e->unit->i8)
        return jit_build_words_of_bytes(e, parts);
    for (unsigned part = 0; part < count; part++)
        joined[part] = parts[part];
    for (unsigned pieces = count; pieces > 1; pieces /= 2) {
        width *= 2;
        for (unsigned i = 0; i < width; i++)
            indices[i] = jit_i32(e->unit, i);
        for (unsigned p = 0; p < pieces / 2; p++)
            joined[p] = LLVMBuildShuffleVector(e->builder, joined[2 * p], joined[2 * p + 1],
                                               LLVMConstVector(indices, width), "");
    }
    for (unsigned i = 0; i < width; i++)
        indices[i] = jit_i32(e->unit, i % count * e->width + i / count);
    return count == 1
               ? joined[0]
               : LLVMBuildShuffleVector(e->builder, joined[0], LLVMGetPoison(LLVMTypeOf(joined[0])),
                                        LLVMConstVector(indices, width), "");
}

static void load_row(struct jit_emitter *e, const struct jit_image_op *op)
{
    enum ptx_type type = bits_type(op->shape.element_bits);
    unsigned count = op->shape.components;
    LLVMTypeRef element = jit_type_of(e->unit, type);
    LLVMTypeRef all = LLVMVectorType(element, count * e->width);
    LLVMValueRef parts[4];

    take_parts(e, jit_build_load(e, all, row_address(e, op), 1), count, parts);
    for (unsigned part = 0; part < count; part++) {
        const struct ptx_operand *operand = jit_image_part(e, &op->instruction->dst[0], part);

        if (operand)
            jit_operand_write(e, operand, type, jit_vector(parts[part]));
    }
}

static void store_row(struct jit_emitter *e, const struct jit_image_op *op)
{
    enum ptx_type type = bits_type(op->shape.element_bits);
    unsigned count = op->shape.components;
    LLVMValueRef address = row_address(e, op), parts[4];

    for (unsigned part = 0; part < count; part++)
        parts[part] = jit_value_vector(
            e, jit_operand_read(e, jit_image_part(e, &op->instruction->src[2], part), type));
    jit_build_store(e, join_parts(e, parts, count), address, 1);
}

static void read_values(struct jit_emitter *e, struct jit_image_op *op)
{
    LLVMTypeRef wide = jit_vector_type(e, e->unit->i64);

    for (unsigned part = 0; part < op->shape.components; part++) {
        LLVMValueRef *value = &op->values[CUP_ABI_TEXTURE_RESULT + part];

        jit_image_read(e, op, CUP_ABI_TEXTURE_RESULT + part,
                       jit_image_part(e, &op->instruction->src[2], part),
                       bits_type(op->shape.element_bits));
        if (*value && LLVMTypeOf(*value) != wide)
            *value = LLVMBuildZExt(e->builder, *value, wide, "");
    }
}

static void write_loaded(struct jit_emitter *e, const struct jit_image_op *op)
{
    enum ptx_type type = bits_type(op->shape.element_bits);
    LLVMTypeRef narrow = jit_vector_type(e, jit_type_of(e->unit, type));

    for (unsigned part = 0; part < op->shape.components; part++) {
        LLVMValueRef value = jit_image_result(e, part, e->unit->i64);
        const struct ptx_operand *operand = jit_image_part(e, &op->instruction->dst[0], part);

        if (LLVMTypeOf(value) != narrow)
            value = LLVMBuildTrunc(e->builder, value, narrow, "");
        if (operand)
            jit_operand_write(e, operand, type, jit_vector(value));
    }
}

void jit_emit_surface(struct jit_emitter *e, const struct ptx_instruction *i)
{
    struct jit_image_op op = {.instruction = i};
    uint8_t type = i->types[i->type_count - 1];

    op.shape.operation = i->op == PTX_OP_suld   ? CUP_ABI_SURFACE_LOAD
                         : i->op == PTX_OP_sust ? CUP_ABI_SURFACE_STORE
                                                : CUP_ABI_SURFACE_REDUCE;
    op.shape.geometry = (uint8_t)jit_image_geometry(i);
    op.shape.boundary = ptx_has(i, PTX_MOD_CLAMP) ? 1 : ptx_has(i, PTX_MOD_ZERO) ? 2 : 0;
    op.shape.formatted = ptx_has(i, PTX_MOD_P);
    op.shape.element_bits = (uint8_t)ptx_type_bits(type);
    op.shape.components = i->width ? i->width : 1;
    op.shape.is_signed = ptx_type_is_signed(type);
    op.shape.reduction = reduction_of(i);
    op.shape.place = is_row(e, &op) ? CUP_ABI_TEXTURE_INLINE_SURFACE : CUP_ABI_TEXTURE_INLINE_NONE;
    jit_image_read_coordinates(e, &op, &i->src[1]);
    if (i->op == PTX_OP_suld)
        for (unsigned part = 0; part < op.shape.components; part++)
            jit_image_mark(&op, CUP_ABI_TEXTURE_RESULT + part);
    else
        read_values(e, &op);
    jit_image_prepare(e, &op);
    if (op.cold_path) {
        i->op == PTX_OP_suld ? load_row(e, &op) : store_row(e, &op);
        return;
    }
    jit_image_ask(e, &op);
    if (i->op == PTX_OP_suld)
        write_loaded(e, &op);
}
