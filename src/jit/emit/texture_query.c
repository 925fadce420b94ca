/* SPDX-License-Identifier: MIT */
/* txq, suq and istypep: queries about images. */
#include "jit/emit/texture.h"

#include "abi/texture.h"
#include "jit/emit/emitter.h"
#include "jit/emit/image_op.h"
#include "jit/emit/operands.h"

static int query_of(const struct ptx_instruction *i)
{
    static const struct {
        enum ptx_modifier word;
        uint8_t query;
    } queries[] = {
        {PTX_MOD_WIDTH, CUP_ABI_QUERY_WIDTH},
        {PTX_MOD_HEIGHT, CUP_ABI_QUERY_HEIGHT},
        {PTX_MOD_DEPTH, CUP_ABI_QUERY_DEPTH},
    };

    for (unsigned q = 0; q < sizeof(queries) / sizeof(*queries); q++)
        if (ptx_has(i, queries[q].word))
            return queries[q].query;
    return -1;
}

void jit_emit_image_query(struct jit_emitter *e, const struct ptx_instruction *i)
{
    struct jit_image_op op = {.instruction = i};
    int query = query_of(i);

    if (query < 0) { /* NVIDIA's compiler accepts queries that its driver does not implement */
        jit_unit_fail(e->unit, i, "this query is not supported by any current driver");
        return;
    }
    op.shape.operation = i->op == PTX_OP_suq ? CUP_ABI_SURFACE_QUERY : CUP_ABI_TEXTURE_QUERY;
    op.shape.query = (uint8_t)query;
    if (ptx_has(i, PTX_MOD_LEVEL))
        jit_image_read(e, &op, CUP_ABI_TEXTURE_LEVEL, &i->src[1], PTX_B32);
    jit_image_mark(&op, CUP_ABI_TEXTURE_RESULT);
    jit_image_prepare(e, &op);
    jit_image_ask(e, &op);
    jit_operand_write(e, &i->dst[0], PTX_B32, jit_vector(jit_image_result(e, 0, e->unit->i32)));
}

/* istypep: whether the handle is a module's reference of this type. It is false for objects. */
void jit_emit_image_type(struct jit_emitter *e, const struct ptx_instruction *i)
{
    struct jit_image_op op = {.instruction = i};
    LLVMValueRef answer;
    const struct ptx_variable *variable = jit_image_variable(e, &i->src[0], i);

    if (variable) { /* a reference in the module, bound or not */
        jit_operand_write(
            e, &i->dst[0], PTX_PRED,
            jit_scalar(LLVMConstInt(e->unit->i1, variable->type == i->types[0], false), 0));
        return;
    }
    op.shape.operation = CUP_ABI_TEXTURE_IS_TYPE;
    op.shape.query = i->types[0] == PTX_TEXREF ? 0 : i->types[0] == PTX_SURFREF ? 1 : 2;
    jit_image_mark(&op, CUP_ABI_TEXTURE_RESULT);
    jit_image_prepare(e, &op);
    jit_image_ask(e, &op);
    answer = jit_image_result(e, 0, e->unit->i32);
    answer = LLVMBuildICmp(e->builder, LLVMIntNE, answer, LLVMConstNull(LLVMTypeOf(answer)), "");
    jit_operand_write(e, &i->dst[0], PTX_PRED, jit_vector(answer));
}
