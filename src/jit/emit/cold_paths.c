/* SPDX-License-Identifier: MIT */
/* Detours of the node that is being emitted in the uniform variant. */
#include "jit/emit/cold_paths.h"

#include "jit/emit/body.h"
#include "jit/emit/ir.h"
#include "jit/emit/emit.h"
#include "jit/emit/registers.h"

struct jit_detour *jit_detour_find(struct jit_body *body, uint32_t at)
{
    for (uint32_t d = 0; d < body->detours.count; d++)
        if (body->detours.items[d].at == at)
            return &body->detours.items[d];
    return NULL;
}

/* A large node gets no detour: compiling it twice takes too long. */
struct jit_detour *jit_detour_get(struct jit_body *body, const struct ptx_instruction *instruction)
{
    enum { LARGE_NODE = 400 };
    const struct jit_node *node = &body->cfg.nodes[body->node];
    uint32_t at = (uint32_t)(instruction - body->function->instructions);
    struct jit_detour *detour;

    if (jit_body_is_masked(body))
        return NULL;
    detour = jit_detour_find(body, at);
    if (detour || body->detours.count == JIT_DETOURS || node->end - node->first > LARGE_NODE)
        return detour;
    detour = &body->detours.items[body->detours.count++];
    *detour = (struct jit_detour){.at = at, .block = jit_build_block(body, "detour")};
    return detour;
}

LLVMValueRef jit_detour_hide(struct jit_body *body, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value), function = LLVMFunctionType(type, &type, 1, false);
    LLVMValueRef nothing =
        LLVMGetInlineAsm(function, "", 0, "=r,0", 4, false, false, LLVMInlineAsmDialectATT, false);

    return LLVMBuildCall2(body->builder, function, nothing, &value, 1, "");
}

/* Recomputes values on the detour from a hidden copy of their source. Otherwise the optimiser would
 * see the same computation twice and hoist it to the common path. */
void jit_detour_compute_again(struct jit_body *body, const struct jit_detour *detour)
{
    const struct ptx_instruction *instructions = body->function->instructions;
    struct jit_value source, hidden;
    uint32_t reg;

    if (!detour->again_count)
        return;
    reg = instructions[detour->again[0]].src[0].index;
    source = hidden = jit_register_read(body, reg);
    hidden.value = jit_detour_hide(body, source.value);
    jit_register_write(body, reg, hidden);
    for (uint32_t a = 0; a < detour->again_count; a++)
        jit_emit_pure(body, &instructions[detour->again[a]]);
    jit_register_write(body, reg, source);
}
