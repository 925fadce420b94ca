/* SPDX-License-Identifier: MIT */
/* Texture fetches: tex and tld4. The runtime samples (image_op.c), or, where the texture is simple
 * enough, compiled code reads it in place (texture_inline.c). */
#include "jit/emit/texture.h"

#include "abi/texture.h"
#include "jit/emit/emitter.h"
#include "jit/emit/image_op.h"
#include "jit/emit/ir.h"
#include "jit/emit/operands.h"
#include "jit/emit/texture_inline.h"

static bool is_wanted(const struct jit_emitter *e, const struct ptx_operand *operand)
{
    return operand && operand->kind == PTX_OPERAND_REGISTER &&
           e->function->cfg.uses[operand->index] > 0;
}

/* The number of components to fetch, by the results that are used: 1, 2 or 4. */
static unsigned components_wanted(const struct jit_emitter *e, const struct ptx_instruction *i)
{
    unsigned each = i->types[0] == PTX_F16X2 ? 2 : 1, wanted = 1;

    for (unsigned part = 0; part < 4 / each; part++)
        if (is_wanted(e, jit_image_part(e, &i->dst[0], part)))
            wanted = (part + 1) * each;
    return wanted > 2 ? 4 : wanted;
}

static void read_sample_operands(struct jit_emitter *e, struct jit_image_op *op)
{
    const struct ptx_instruction *i = op->instruction;
    unsigned next = 3;

    jit_image_read_coordinates(e, op, &i->src[2]);
    if (i->op == PTX_OP_tex && ptx_has(i, PTX_MOD_LEVEL)) {
        op->shape.level_mode = 1;
        jit_image_read(e, op, CUP_ABI_TEXTURE_LEVEL, &i->src[next++], PTX_B32);
    } else if (i->op == PTX_OP_tex && ptx_has(i, PTX_MOD_GRAD)) {
        op->shape.level_mode = 2;
        jit_image_read_axes(e, op, CUP_ABI_TEXTURE_GRADIENT_X, &i->src[next++]);
        jit_image_read_axes(e, op, CUP_ABI_TEXTURE_GRADIENT_Y, &i->src[next++]);
    }
    if (next < i->source_count && i->src[next].kind == PTX_OPERAND_VECTOR)
        jit_image_read_axes(e, op, CUP_ABI_TEXTURE_OFFSET, &i->src[next++]);
    /* The remaining operand is a depth to compare with, which no CUDA sampler uses. */
}

/* Writes the predicate that says whether all texels of a lane were resident. */
static void write_residency(struct jit_emitter *e, const struct ptx_instruction *i)
{
    LLVMValueRef answer;

    if (i->dst[1].kind != PTX_OPERAND_REGISTER)
        return;
    answer = jit_image_result(e, CUP_ABI_TEXTURE_RESIDENCY - CUP_ABI_TEXTURE_RESULT, e->unit->i32);
    answer = LLVMBuildICmp(e->builder, LLVMIntNE, answer, LLVMConstNull(LLVMTypeOf(answer)), "");
    jit_operand_write(e, &i->dst[1], PTX_PRED, jit_vector(answer));
}

static void write_samples(struct jit_emitter *e, const struct ptx_instruction *i)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    unsigned parts = i->types[0] == PTX_F16X2 ? 2 : 4;

    for (unsigned part = 0; part < parts; part++) {
        const struct ptx_operand *operand = jit_image_part(e, &i->dst[0], part);
        LLVMValueRef value;

        if (!is_wanted(e, operand))
            continue;
        if (i->types[0] == PTX_F16) {
            value = LLVMBuildTrunc(b, jit_image_result(e, part, unit->i32),
                                   jit_vector_type(e, unit->i16), "");
            jit_operand_write(e, operand, PTX_B16, jit_vector(value));
            continue;
        }
        value = jit_image_result(e, parts == 2 ? 2 * part : part, unit->i32);
        if (parts == 2) {
            LLVMValueRef high = jit_image_result(e, 2 * part + 1, unit->i32),
                         half = jit_build_splat(e, jit_i32(unit, 16)),
                         low = jit_build_splat(e, jit_i32(unit, 0xffff));

            value = LLVMBuildOr(b, LLVMBuildAnd(b, value, low, ""), LLVMBuildShl(b, high, half, ""),
                                "");
        }
        jit_operand_write(e, operand, PTX_B32, jit_vector(value));
    }
}

static void emit_sample(struct jit_emitter *e, const struct ptx_instruction *i)
{
    static const enum ptx_modifier channels[] = {PTX_MOD_R, PTX_MOD_G, PTX_MOD_B, PTX_MOD_A};
    struct jit_image_op op = {.instruction = i};

    op.shape.operation = CUP_ABI_TEXTURE_SAMPLE;
    op.shape.geometry = (uint8_t)jit_image_geometry(i);
    op.shape.float_coordinates = i->types[1] == PTX_F32;
    op.shape.float_result = ptx_type_is_float(i->types[0]) || i->types[0] == PTX_F16X2;
    op.shape.element_bits = i->types[0] == PTX_F16 || i->types[0] == PTX_F16X2 ? 16 : 32;
    op.shape.components = (uint8_t)components_wanted(e, i);
    op.shape.apart = i->src[1].kind != PTX_OPERAND_NONE;
    for (unsigned c = 0; i->op == PTX_OP_tld4 && c < 4; c++)
        if (ptx_has(i, channels[c]))
            op.shape.gather = (uint8_t)(c + 1);
    if (op.shape.gather)
        op.shape.components = 4;
    read_sample_operands(e, &op);
    for (unsigned part = 0; part < 4; part++)
        jit_image_mark(&op, CUP_ABI_TEXTURE_RESULT + part);
    if (i->dst[1].kind == PTX_OPERAND_REGISTER)
        jit_image_mark(&op, CUP_ABI_TEXTURE_RESIDENCY);
    op.shape.place = jit_inline_sample_form(e, &op);
    jit_image_prepare(e, &op);
    if (op.cold_path) {
        jit_inline_sample(e, &op);
        return;
    }
    jit_image_ask(e, &op);
    write_samples(e, i);
    write_residency(e, i);
}

bool jit_emit_texture(struct jit_emitter *e, const struct ptx_instruction *i)
{
    switch (i->op) {
    case PTX_OP_tex:
    case PTX_OP_tld4:
        emit_sample(e, i);
        return true;
    case PTX_OP_txq:
    case PTX_OP_suq:
        jit_emit_image_query(e, i);
        return true;
    case PTX_OP_istypep:
        jit_emit_image_type(e, i);
        return true;
    case PTX_OP_suld:
    case PTX_OP_sust:
    case PTX_OP_sured:
        jit_emit_surface(e, i);
        return true;
    default:
        return false;
    }
}
