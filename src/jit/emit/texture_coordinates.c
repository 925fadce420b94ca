/* SPDX-License-Identifier: MIT */
/* Where the coordinates of a texture fetch come from: instructions of the same node that convert an
 * integer that counts threads to float and add a uniform value. */
#include "jit/emit/texture_inline.h"

#include "jit/analysis/instruction.h"
#include "jit/analysis/uniformity.h"
#include "jit/emit/emitter.h"
#include "jit/emit/image_op.h"
#include "jit/emit/operands.h"

#include <math.h>
#include <string.h>

/* The last definition of the register before an instruction, if it is in the same node and
 * unconditional. */
static const struct ptx_instruction *definition(const struct jit_emitter *e,
                                                const struct ptx_operand *operand, uint32_t before)
{
    uint32_t first = e->function->cfg.nodes[e->node].first;

    if (operand->kind != PTX_OPERAND_REGISTER)
        return NULL;
    for (uint32_t at = before; at-- > first;)
        if (jit_instruction_defines_register(&e->function->cfg, &e->function->ptx->instructions[at],
                                             operand->index)) {
            const struct ptx_instruction *i = &e->function->ptx->instructions[at];

            return i->guard == PTX_NO_REGISTER && jit_instruction_is_pure(i) ? i : NULL;
        }
    return NULL;
}

const struct ptx_variable *jit_image_variable(const struct jit_emitter *e,
                                              const struct ptx_operand *operand,
                                              const struct ptx_instruction *before)
{
    const struct ptx_instruction *i =
        definition(e, operand, (uint32_t)(before - e->function->ptx->instructions));

    if (!i || i->op != PTX_OP_mov || i->src[0].kind != PTX_OPERAND_SYMBOL || i->src[0].local)
        return NULL;
    return &e->unit->program->variables[i->src[0].index];
}

/* Whether the operand still has the value it had at `from` when instruction `to` executes. */
static bool is_same(const struct jit_emitter *e, const struct ptx_operand *operand,
                    const struct ptx_instruction *from, uint32_t to)
{
    uint32_t at = (uint32_t)(from - e->function->ptx->instructions) + 1;

    for (; operand->kind == PTX_OPERAND_REGISTER && at < to; at++)
        if (jit_instruction_defines_register(&e->function->cfg, &e->function->ptx->instructions[at],
                                             operand->index))
            return false;
    return true;
}

static bool rounds_plainly(const struct ptx_instruction *i)
{
    return !ptx_has(i, PTX_MOD_SAT) && !ptx_has(i, PTX_MOD_FTZ) && !ptx_has(i, PTX_MOD_RZ) &&
           !ptx_has(i, PTX_MOD_RM) && !ptx_has(i, PTX_MOD_RP);
}

/* Whether the instruction is cvt.rn.f32.s32 (or .u32) of a register that has not changed since and
 * is uniform or counts lanes; gives its uniformity. */
static bool is_converted(const struct jit_emitter *e, const struct ptx_instruction *i, uint32_t at,
                         struct jit_uniformity *uniformity)
{
    if (!i || i->op != PTX_OP_cvt || i->types[0] != PTX_F32 ||
        (i->types[1] != PTX_S32 && i->types[1] != PTX_U32) || !rounds_plainly(i) ||
        i->src[0].kind != PTX_OPERAND_REGISTER || !is_same(e, &i->src[0], i, at))
        return false;
    *uniformity = jit_uniformity_of_operand(e->function, e->function->uniformity[0], &i->src[0]);
    return uniformity->kind == JIT_UNIFORM ||
           (uniformity->kind == JIT_AFFINE && uniformity->stride == 1 && !uniformity->jump);
}

/* Recognises a coordinate that is an integer converted to float, plus or minus an optional uniform
 * value. */
bool jit_counter_find(const struct jit_emitter *e, const struct ptx_operand *operand, uint32_t at,
                      struct jit_counter *counter)
{
    const struct ptx_instruction *i = definition(e, operand, at), *inner;

    *counter = (struct jit_counter){.from = {i}, .count = 1};
    if (is_converted(e, i, at, &counter->uniformity))
        return true;
    if (!i || (i->op != PTX_OP_add && i->op != PTX_OP_sub) || i->types[0] != PTX_F32 ||
        !rounds_plainly(i))
        return false;
    for (unsigned k = 0; k < (i->op == PTX_OP_add ? 2 : 1); k++) {
        inner = definition(e, &i->src[k], (uint32_t)(i - e->function->ptx->instructions));
        if (!is_same(e, &i->src[!k], i, at) ||
            jit_uniformity_of_operand(e->function, e->function->uniformity[0], &i->src[!k]).kind !=
                JIT_UNIFORM ||
            !is_converted(e, inner, at, &counter->uniformity))
            continue;
        counter->from[0] = inner;
        counter->from[1] = i;
        counter->count = 2;
        counter->by = &i->src[!k];
        return true;
    }
    return false;
}

/* Whether the texel's index is the integer plus a constant shift: if the added value is an
 * immediate with few fraction bits, nothing is rounded within the range of image sizes. */
bool jit_counter_is_exact(const struct jit_counter *counter, int32_t *shift)
{
    enum { FAR = 1 << 16, PARTS = 16 };
    bool is_unsigned = counter->from[0]->types[1] == PTX_U32;
    float by = 0;

    if (counter->by) {
        uint32_t bits = (uint32_t)counter->by->value;

        if (counter->by->kind != PTX_OPERAND_IMMEDIATE)
            return false;
        memcpy(&by, &bits, sizeof(by));
        by = counter->from[1]->op == PTX_OP_sub ? -by : by;
    }
    if (!(fabsf(by) <= FAR) || by * PARTS != floorf(by * PARTS))
        return false;
    *shift = (int32_t)floorf(by);
    return !is_unsigned || *shift <= 0; /* an unsigned integer must not have wrapped */
}

LLVMValueRef jit_counter_integer(struct jit_emitter *e, const struct jit_counter *counter)
{
    const struct ptx_instruction *i = counter->from[0];

    return jit_operand_read(e, &i->src[0], i->types[1]).value;
}

/* Computes the coordinate of the lane with this integer. */
LLVMValueRef jit_counter_coordinate(struct jit_emitter *e, const struct jit_counter *counter,
                                    LLVMValueRef integer)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef value = LLVMBuildSIToFP(b, integer, e->unit->f32, ""), by;

    if (!counter->by)
        return value;
    e->ignore_nan = true;
    by = jit_operand_read(e, counter->by, PTX_B32).value;
    e->ignore_nan = false;
    by = LLVMBuildBitCast(b, by, e->unit->f32, "");
    return counter->from[1]->op == PTX_OP_add ? LLVMBuildFAdd(b, value, by, "")
                                              : LLVMBuildFSub(b, value, by, "");
}
