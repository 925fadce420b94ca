/* SPDX-License-Identifier: MIT */
/* The cold paths of the node that is being emitted in the uniform variant. */
#include "jit/emit/cold_paths.h"

#include "jit/emit/body.h"
#include "jit/emit/ir.h"
#include "jit/emit/emit.h"
#include "jit/emit/registers.h"

struct jit_cold_path *jit_cold_path_find(struct jit_body *body, uint32_t at)
{
    for (uint32_t d = 0; d < body->cold_paths.count; d++)
        if (body->cold_paths.items[d].at == at)
            return &body->cold_paths.items[d];
    return NULL;
}

/* A large node gets no cold path: compiling it twice takes too long. */
struct jit_cold_path *jit_cold_path_get(struct jit_body *body,
                                        const struct ptx_instruction *instruction)
{
    enum { LARGE_NODE = 400 };
    const struct jit_node *node = &body->cfg.nodes[body->node];
    uint32_t at = (uint32_t)(instruction - body->function->instructions);
    struct jit_cold_path *cold_path;

    if (jit_body_is_masked(body))
        return NULL;
    cold_path = jit_cold_path_find(body, at);
    if (cold_path || body->cold_paths.count == JIT_COLD_PATHS ||
        node->end - node->first > LARGE_NODE)
        return cold_path;
    cold_path = &body->cold_paths.items[body->cold_paths.count++];
    *cold_path = (struct jit_cold_path){.at = at, .block = jit_build_block(body, "cold")};
    return cold_path;
}

LLVMValueRef jit_hide_value(struct jit_body *body, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value), function = LLVMFunctionType(type, &type, 1, false);
    LLVMValueRef nothing =
        LLVMGetInlineAsm(function, "", 0, "=r,0", 4, false, false, LLVMInlineAsmDialectATT, false);

    return LLVMBuildCall2(body->builder, function, nothing, &value, 1, "");
}

/* Recomputes values on the cold path from a hidden copy of their source. Otherwise the optimiser
 * would see the same computation twice and hoist it to the common path. */
void jit_cold_path_recompute(struct jit_body *body, const struct jit_cold_path *cold_path)
{
    const struct ptx_instruction *instructions = body->function->instructions;
    struct jit_value source, hidden;
    uint32_t reg;

    if (!cold_path->recomputed_count)
        return;
    reg = instructions[cold_path->recomputed[0]].src[0].index;
    source = hidden = jit_register_read(body, reg);
    hidden.value = jit_hide_value(body, source.value);
    jit_register_write(body, reg, hidden);
    for (uint32_t a = 0; a < cold_path->recomputed_count; a++)
        jit_emit_pure(body, &instructions[cold_path->recomputed[a]]);
    jit_register_write(body, reg, source);
}
