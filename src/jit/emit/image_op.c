/* SPDX-License-Identifier: MIT */
/* The operands of texture and surface instructions, and the call that does them. The operands of
 * the lanes go to arrays on the stack, and one call does all lanes. The parts of the call's
 * structure that never change are written once, in the function's entry block: the instruction's
 * shape, and the addresses of the arrays. */
#include "jit/emit/image_op.h"

#include "abi/launch.h"
#include "abi/services.h"
#include "abi/texture.h"
#include "jit/emit/cold_paths.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"
#include "jit/emit/operands.h"

#include <stddef.h>
#include <string.h>

_Static_assert(JIT_SCRATCH_COUNT - JIT_SCRATCH_TEXTURES == CUP_ABI_TEXTURE_ARRAYS,
               "an alloca for each array of a call");

enum { WORD = sizeof(uint64_t) };

static LLVMValueRef array_of(struct jit_emitter *e, unsigned which)
{
    if (!e->scratch[JIT_SCRATCH_TEXTURES + which]) {
        e->scratch[JIT_SCRATCH_TEXTURES + which] =
            jit_build_alloca(e, e->unit->i64, CUP_ABI_WARP_LANES, "texture");
        LLVMSetAlignment(e->scratch[JIT_SCRATCH_TEXTURES + which], 64);
    }
    return e->scratch[JIT_SCRATCH_TEXTURES + which];
}

/* Allocates the call's structure and stores the constants of `shape` and the addresses of its
 * arrays; non-NULL elements of shape->arrays mark the arrays in use. */
static LLVMValueRef make_call(struct jit_emitter *e, const struct cup_abi_texture_call *shape)
{
    struct jit_unit *unit = e->unit;
    LLVMValueRef call = jit_build_alloca(e, unit->i64, sizeof(*shape) / WORD, "texture.call");
    LLVMValueRef arrays[CUP_ABI_TEXTURE_ARRAYS];
    LLVMBasicBlockRef here;
    size_t constant_bytes = offsetof(struct cup_abi_texture_call, arrays);

    LLVMSetAlignment(call, 64);
    for (unsigned a = 0; a < CUP_ABI_TEXTURE_ARRAYS; a++)
        arrays[a] = shape->arrays[a] ? array_of(e, a) : LLVMConstNull(unit->ptr);
    here = jit_build_here(e);
    LLVMPositionBuilderBefore(e->builder, e->entry_end);
    for (size_t at = 0; at < constant_bytes; at += WORD) {
        uint64_t word;

        memcpy(&word, (const char *)shape + at, WORD);
        jit_build_store(e, jit_i64(unit, word), jit_build_offset(e, call, jit_i64(unit, at)), WORD);
    }
    for (unsigned a = 0; a < CUP_ABI_TEXTURE_ARRAYS; a++)
        jit_build_store(
            e, arrays[a],
            jit_build_offset(e, call, jit_i64(unit, constant_bytes + a * sizeof(void *))), WORD);
    jit_build_store(
        e, jit_i64(unit, 0),
        jit_build_offset(e, call,
                         jit_i64(unit, offsetof(struct cup_abi_texture_call, plain.handle))),
        WORD);
    jit_build_at(e, here);
    return call;
}

const struct ptx_operand *jit_image_part(const struct jit_emitter *e,
                                         const struct ptx_operand *operand, unsigned part)
{
    if (operand->kind != PTX_OPERAND_VECTOR)
        return part == 0 ? operand : NULL;
    return part < operand->count ? &e->function->ptx->elements[operand->index + part] : NULL;
}

void jit_image_mark(struct jit_image_op *op, unsigned which)
{
    op->shape.arrays[which] = op; /* any non-NULL pointer: make_call() stores the address */
}

void jit_image_read(struct jit_emitter *e, struct jit_image_op *op, unsigned which,
                    const struct ptx_operand *operand, enum ptx_type type)
{
    if (!operand)
        return;
    e->ignore_nan = true; /* sampling does not depend on the bits of a NaN */
    op->values[which] = jit_value_vector(e, jit_operand_read(e, operand, type));
    e->ignore_nan = false;
    jit_image_mark(op, which);
}

static unsigned axes_of(unsigned geometry)
{
    static const uint8_t axes[] = {1, 2, 3, 1, 2, 3, 3};

    return axes[geometry];
}

static bool is_layered(unsigned geometry)
{
    static const bool layered[] = {false, false, false, true, true, false, true};

    return layered[geometry];
}

int jit_image_geometry(const struct ptx_instruction *i)
{
    static const struct {
        enum ptx_modifier word;
        int geometry;
    } words[] = {{PTX_MOD_G1D, 0},   {PTX_MOD_G2D, 1},   {PTX_MOD_G3D, 2},
                 {PTX_MOD_A1D, 3},   {PTX_MOD_A2D, 4},   {PTX_MOD_CUBE, 5},
                 {PTX_MOD_ACUBE, 6}, {PTX_MOD_G2DMS, 1}, {PTX_MOD_A2DMS, 4}};

    for (unsigned w = 0; w < sizeof(words) / sizeof(*words); w++)
        if (ptx_has(i, words[w].word))
            return words[w].geometry;
    return -1;
}

/* Reads the layer, then the sample of a multisampled image, then the coordinates. */
void jit_image_read_coordinates(struct jit_emitter *e, struct jit_image_op *op,
                                const struct ptx_operand *operand)
{
    const struct ptx_instruction *i = op->instruction;
    unsigned first = 0;

    if (is_layered(op->shape.geometry))
        jit_image_read(e, op, CUP_ABI_TEXTURE_LAYER, jit_image_part(e, operand, first++), PTX_B32);
    if (ptx_has(i, PTX_MOD_G2DMS) || ptx_has(i, PTX_MOD_A2DMS))
        jit_image_read(e, op, CUP_ABI_TEXTURE_SAMPLE_OF_PIXEL, jit_image_part(e, operand, first++),
                       PTX_B32);
    for (unsigned axis = 0; axis < axes_of(op->shape.geometry); axis++)
        jit_image_read(e, op, CUP_ABI_TEXTURE_COORDINATE + axis,
                       jit_image_part(e, operand, first + axis), PTX_B32);
}

void jit_image_read_axes(struct jit_emitter *e, struct jit_image_op *op, unsigned which,
                         const struct ptx_operand *operand)
{
    for (unsigned axis = 0; axis < axes_of(op->shape.geometry); axis++)
        jit_image_read(e, op, which + axis, jit_image_part(e, operand, axis), PTX_B32);
}

/* Reads the handle, which is uniform or an array. An instruction that is emitted for the second
 * time is on the cold path: it calls the runtime with the structure of the first time. */
void jit_image_prepare(struct jit_emitter *e, struct jit_image_op *op)
{
    struct jit_cold_path *cold_path;

    op->handle = jit_operand_read(e, &op->instruction->src[0], PTX_B64);
    if (!jit_value_is_uniform(&op->handle)) {
        op->handle = jit_vector(jit_value_vector(e, op->handle));
        op->values[CUP_ABI_TEXTURE_HANDLE] = op->handle.value;
        jit_image_mark(op, CUP_ABI_TEXTURE_HANDLE);
    }
    op->shape.line = op->instruction->line;
    cold_path =
        op->shape.place && !op->handle.vector ? jit_cold_path_get(e, op->instruction) : NULL;
    if (cold_path && cold_path->call) {
        op->call = cold_path->call;
        return;
    }
    op->call = make_call(e, &op->shape);
    if (cold_path) {
        cold_path->call = op->call;
        op->cold_path = cold_path;
    }
}

void jit_image_ask(struct jit_emitter *e, struct jit_image_op *op)
{
    struct jit_unit *unit = e->unit;
    LLVMValueRef warp =
        LLVMBuildLShr(e->builder, jit_hide_value(e, e->vector.first), jit_i32(unit, 5), "");
    LLVMValueRef arguments[] = {e->abi.block, warp, jit_mask_bits(e),
                                op->handle.vector ? jit_i64(unit, 0) : op->handle.value, op->call};

    for (unsigned a = 0; a < CUP_ABI_TEXTURE_ARRAYS; a++)
        if (op->values[a])
            jit_build_store(e, op->values[a], array_of(e, a), 16);
    jit_build_service(e, offsetof(struct cup_abi_services, texture), unit->nothing, arguments, 5);
}

/* Elements of inactive lanes are uninitialised: freeze makes them arbitrary but fixed. */
LLVMValueRef jit_image_result(struct jit_emitter *e, unsigned part, LLVMTypeRef element)
{
    LLVMValueRef load = jit_build_load(e, jit_vector_type(e, element),
                                       array_of(e, CUP_ABI_TEXTURE_RESULT + part), 16);

    return LLVMBuildFreeze(e->builder, load, "");
}
