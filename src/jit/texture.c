/* SPDX-License-Identifier: MIT */
/* Textures and surfaces. Sampling is the runtime's affair: the operands of the lanes go to arrays
 * on the stack, and one call does all lanes. What never changes of a call is written once, where
 * the function begins: the instruction's shape, and where the arrays are. What is simple enough is
 * done in place instead, without a call (texture_place.c). */
#include "jit/texture.h"

#include <stddef.h>
#include <string.h>

enum { WORD = sizeof(uint64_t) };

/* ---- Where the function begins ---- */

static LLVMBasicBlockRef go_to_entry(struct jit_body *body)
{
    LLVMBasicBlockRef here = jit_build_here(body);

    LLVMPositionBuilderBefore(body->builder, body->entry_end);
    return here;
}

static LLVMValueRef array_of(struct jit_body *body, unsigned which)
{
    if (!body->texture_arrays[which]) {
        body->texture_arrays[which] =
            jit_build_alloca(body, body->unit->i64, CUP_ABI_WARP_LANES, "texture");
        LLVMSetAlignment(body->texture_arrays[which], 64);
    }
    return body->texture_arrays[which];
}

/* The call's structure, with the constants of `shape` and the addresses of its arrays, which are
 * marked there by anything but NULL. */
static LLVMValueRef make_call(struct jit_body *body, const struct cup_abi_texture_call *shape)
{
    struct jit_unit *unit = body->unit;
    LLVMValueRef call = jit_build_alloca(body, unit->i64, sizeof(*shape) / WORD, "texture.call");
    LLVMValueRef arrays[CUP_ABI_TEXTURE_ARRAYS];
    LLVMBasicBlockRef here;
    size_t constant_bytes = offsetof(struct cup_abi_texture_call, arrays);

    LLVMSetAlignment(call, 64);
    for (unsigned a = 0; a < CUP_ABI_TEXTURE_ARRAYS; a++)
        arrays[a] = shape->arrays[a] ? array_of(body, a) : LLVMConstNull(unit->ptr);
    here = go_to_entry(body);
    for (size_t at = 0; at < constant_bytes; at += WORD) {
        uint64_t word;

        memcpy(&word, (const char *)shape + at, WORD);
        jit_build_store(body, jit_i64(unit, word), jit_build_offset(body, call, jit_i64(unit, at)),
                        WORD);
    }
    for (unsigned a = 0; a < CUP_ABI_TEXTURE_ARRAYS; a++)
        jit_build_store(
            body, arrays[a],
            jit_build_offset(body, call, jit_i64(unit, constant_bytes + a * sizeof(void *))), WORD);
    jit_build_store(
        body, jit_i64(unit, 0),
        jit_build_offset(body, call,
                         jit_i64(unit, offsetof(struct cup_abi_texture_call, plain.handle))),
        WORD);
    jit_build_at(body, here);
    return call;
}

/* ---- Operands ---- */

const struct ptx_operand *jit_image_part(const struct jit_body *body,
                                         const struct ptx_operand *operand, unsigned part)
{
    if (operand->kind != PTX_OPERAND_VECTOR)
        return part == 0 ? operand : NULL;
    return part < operand->count ? &body->function->elements[operand->index + part] : NULL;
}

void jit_image_mark(struct jit_image_op *op, unsigned which)
{
    op->shape.arrays[which] = op; /* make_call puts the address there */
}

void jit_image_read(struct jit_body *body, struct jit_image_op *op, unsigned which,
                    const struct ptx_operand *operand, enum ptx_type type)
{
    if (!operand)
        return;
    body->blind = true; /* a NaN is outside, whatever its bits are */
    op->values[which] = jit_value_vector(body, jit_operand_read(body, operand, type));
    body->blind = false;
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

/* The layer comes first, then which sample of a pixel. */
void jit_image_read_coordinates(struct jit_body *body, struct jit_image_op *op,
                                const struct ptx_operand *operand)
{
    const struct ptx_instruction *i = op->instruction;
    unsigned first = 0;

    if (is_layered(op->shape.geometry))
        jit_image_read(body, op, CUP_ABI_TEXTURE_LAYER, jit_image_part(body, operand, first++),
                       PTX_B32);
    if (ptx_has(i, PTX_MOD_G2DMS) || ptx_has(i, PTX_MOD_A2DMS))
        jit_image_read(body, op, CUP_ABI_TEXTURE_SAMPLE_OF_PIXEL,
                       jit_image_part(body, operand, first++), PTX_B32);
    for (unsigned axis = 0; axis < axes_of(op->shape.geometry); axis++)
        jit_image_read(body, op, CUP_ABI_TEXTURE_COORDINATE + axis,
                       jit_image_part(body, operand, first + axis), PTX_B32);
}

static void read_axes(struct jit_body *body, struct jit_image_op *op, unsigned which,
                      const struct ptx_operand *operand)
{
    for (unsigned axis = 0; axis < axes_of(op->shape.geometry); axis++)
        jit_image_read(body, op, which + axis, jit_image_part(body, operand, axis), PTX_B32);
}

/* ---- The call ---- */

/* The handle is one for all lanes, or an array of theirs. An instruction that is met for the second
 * time is the one on the detour: it asks, with the structure that is there. */
void jit_image_prepare(struct jit_body *body, struct jit_image_op *op)
{
    struct jit_detour *detour;

    op->handle = jit_operand_read(body, &op->instruction->src[0], PTX_B64);
    if (!jit_value_is_uniform(&op->handle)) {
        op->handle = jit_vector(jit_value_vector(body, op->handle));
        op->values[CUP_ABI_TEXTURE_HANDLE] = op->handle.value;
        jit_image_mark(op, CUP_ABI_TEXTURE_HANDLE);
    }
    op->shape.line = op->instruction->line;
    detour =
        op->shape.place && !op->handle.vector ? jit_uniform_detour(body, op->instruction) : NULL;
    if (detour && detour->call) {
        op->call = detour->call;
        return;
    }
    op->call = make_call(body, &op->shape);
    if (detour) {
        detour->call = op->call;
        op->detour = detour;
    }
}

void jit_image_ask(struct jit_body *body, struct jit_image_op *op)
{
    struct jit_unit *unit = body->unit;
    LLVMValueRef warp =
        LLVMBuildLShr(body->builder, jit_uniform_hide(body, body->first), jit_i32(unit, 5), "");
    LLVMValueRef arguments[] = {body->block, warp, jit_mask_bits(body),
                                op->handle.vector ? jit_i64(unit, 0) : op->handle.value, op->call};

    for (unsigned a = 0; a < CUP_ABI_TEXTURE_ARRAYS; a++)
        if (op->values[a])
            jit_build_store(body, op->values[a], array_of(body, a), 16);
    jit_build_service(body, offsetof(struct cup_abi_services, texture), unit->nothing, arguments,
                      5);
}

/* Lanes that were off hold anything, but one thing. */
LLVMValueRef jit_image_result(struct jit_body *body, unsigned part, LLVMTypeRef element)
{
    LLVMValueRef load = jit_build_load(body, jit_vector_type(body, element),
                                       array_of(body, CUP_ABI_TEXTURE_RESULT + part), 16);

    return LLVMBuildFreeze(body->builder, load, "");
}

/* ---- tex and tld4 ---- */

static bool is_wanted(const struct jit_body *body, const struct ptx_operand *operand)
{
    return operand && operand->kind == PTX_OPERAND_REGISTER && body->cfg.uses[operand->index] > 0;
}

/* How many components somebody looks at: 1, 2 or 4. */
static unsigned components_wanted(const struct jit_body *body, const struct ptx_instruction *i)
{
    unsigned each = i->types[0] == PTX_F16X2 ? 2 : 1, wanted = 1;

    for (unsigned part = 0; part < 4 / each; part++)
        if (is_wanted(body, jit_image_part(body, &i->dst[0], part)))
            wanted = (part + 1) * each;
    return wanted > 2 ? 4 : wanted;
}

static void read_sample_operands(struct jit_body *body, struct jit_image_op *op)
{
    const struct ptx_instruction *i = op->instruction;
    unsigned next = 3;

    jit_image_read_coordinates(body, op, &i->src[2]);
    if (i->op == PTX_OP_tex && ptx_has(i, PTX_MOD_LEVEL)) {
        op->shape.level_mode = 1;
        jit_image_read(body, op, CUP_ABI_TEXTURE_LEVEL, &i->src[next++], PTX_B32);
    } else if (i->op == PTX_OP_tex && ptx_has(i, PTX_MOD_GRAD)) {
        op->shape.level_mode = 2;
        read_axes(body, op, CUP_ABI_TEXTURE_GRADIENT_X, &i->src[next++]);
        read_axes(body, op, CUP_ABI_TEXTURE_GRADIENT_Y, &i->src[next++]);
    }
    if (next < i->source_count && i->src[next].kind == PTX_OPERAND_VECTOR)
        read_axes(body, op, CUP_ABI_TEXTURE_OFFSET, &i->src[next++]);
    /* What is left is a depth to compare with: no sampler of CUDA does. */
}

/* Were all of a lane's texels there? */
static void write_residency(struct jit_body *body, const struct ptx_instruction *i)
{
    LLVMValueRef answer;

    if (i->dst[1].kind != PTX_OPERAND_REGISTER)
        return;
    answer = jit_build_load(body, jit_vector_type(body, body->unit->i32),
                            array_of(body, CUP_ABI_TEXTURE_RESIDENCY), 16);
    answer = LLVMBuildFreeze(body->builder, answer, "");
    answer = LLVMBuildICmp(body->builder, LLVMIntNE, answer, LLVMConstNull(LLVMTypeOf(answer)), "");
    jit_operand_write(body, &i->dst[1], PTX_PRED, jit_vector(answer));
}

static void write_samples(struct jit_body *body, const struct ptx_instruction *i)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    unsigned parts = i->types[0] == PTX_F16X2 ? 2 : 4;

    for (unsigned part = 0; part < parts; part++) {
        const struct ptx_operand *operand = jit_image_part(body, &i->dst[0], part);
        LLVMValueRef value;

        if (!is_wanted(body, operand))
            continue;
        if (i->types[0] == PTX_F16) {
            value = LLVMBuildTrunc(b, jit_image_result(body, part, unit->i32),
                                   jit_vector_type(body, unit->i16), "");
            jit_operand_write(body, operand, PTX_B16, jit_vector(value));
            continue;
        }
        value = jit_image_result(body, parts == 2 ? 2 * part : part, unit->i32);
        if (parts == 2) {
            LLVMValueRef high = jit_image_result(body, 2 * part + 1, unit->i32),
                         half = jit_build_splat(body, jit_i32(unit, 16)),
                         low = jit_build_splat(body, jit_i32(unit, 0xffff));

            value = LLVMBuildOr(b, LLVMBuildAnd(b, value, low, ""), LLVMBuildShl(b, high, half, ""),
                                "");
        }
        jit_operand_write(body, operand, PTX_B32, jit_vector(value));
    }
}

static void emit_sample(struct jit_body *body, const struct ptx_instruction *i)
{
    static const enum ptx_modifier channels[] = {PTX_MOD_R, PTX_MOD_G, PTX_MOD_B, PTX_MOD_A};
    struct jit_image_op op = {.instruction = i};

    op.shape.operation = CUP_ABI_TEXTURE_SAMPLE;
    op.shape.geometry = (uint8_t)jit_image_geometry(i);
    op.shape.float_coordinates = i->types[1] == PTX_F32;
    op.shape.float_result = ptx_type_is_float(i->types[0]) || i->types[0] == PTX_F16X2;
    op.shape.element_bits = i->types[0] == PTX_F16 || i->types[0] == PTX_F16X2 ? 16 : 32;
    op.shape.components = (uint8_t)components_wanted(body, i);
    op.shape.apart = i->src[1].kind != PTX_OPERAND_NONE;
    for (unsigned c = 0; i->op == PTX_OP_tld4 && c < 4; c++)
        if (ptx_has(i, channels[c]))
            op.shape.gather = (uint8_t)(c + 1);
    if (op.shape.gather)
        op.shape.components = 4;
    read_sample_operands(body, &op);
    for (unsigned part = 0; part < 4; part++)
        jit_image_mark(&op, CUP_ABI_TEXTURE_RESULT + part);
    if (i->dst[1].kind == PTX_OPERAND_REGISTER)
        jit_image_mark(&op, CUP_ABI_TEXTURE_RESIDENCY);
    op.shape.place = jit_place_of_sample(body, &op);
    jit_image_prepare(body, &op);
    if (op.detour) {
        jit_place_sample(body, &op);
        return;
    }
    jit_image_ask(body, &op);
    write_samples(body, i);
    write_residency(body, i);
}

bool jit_emit_texture(struct jit_body *body, const struct ptx_instruction *i)
{
    switch (i->op) {
    case PTX_OP_tex:
    case PTX_OP_tld4:
        emit_sample(body, i);
        return true;
    case PTX_OP_txq:
    case PTX_OP_suq:
        jit_emit_image_query(body, i);
        return true;
    case PTX_OP_istypep:
        jit_emit_image_type(body, i);
        return true;
    case PTX_OP_suld:
    case PTX_OP_sust:
    case PTX_OP_sured:
        jit_emit_surface(body, i);
        return true;
    default:
        return false;
    }
}
