/* SPDX-License-Identifier: MIT */
/* The cold paths of the node that is being emitted in the uniform variant. */
#include "jit/emit/cold_paths.h"

#include "jit/emit/emit.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/registers.h"

enum { MOST = 32 }; /* of a node */

struct jit_cold_paths {
    struct jit_cold_path items[MOST]; /* of the node */
    uint32_t count;
};

void jit_cold_paths_init(struct jit_emitter *e)
{
    e->cold_paths = jit_emitter_zeros(e, 1, sizeof(*e->cold_paths));
}

uint32_t jit_cold_paths_first(const struct jit_emitter *e)
{
    return e->cold_paths->count ? e->cold_paths->items[0].at : JIT_NO_BLOCK;
}

void jit_cold_paths_clear(struct jit_emitter *e)
{
    e->cold_paths->count = 0;
}

struct jit_cold_path *jit_cold_path_find(struct jit_emitter *e, uint32_t at)
{
    for (uint32_t d = 0; d < e->cold_paths->count; d++)
        if (e->cold_paths->items[d].at == at)
            return &e->cold_paths->items[d];
    return NULL;
}

/* A large node gets no cold path: compiling it twice takes too long. */
struct jit_cold_path *jit_cold_path_get(struct jit_emitter *e,
                                        const struct ptx_instruction *instruction)
{
    enum { LARGE_NODE = 400 };
    const struct jit_node *node = &e->function->cfg.nodes[e->node];
    uint32_t at = (uint32_t)(instruction - e->function->ptx->instructions);
    struct jit_cold_path *cold_path;

    if (jit_emitter_is_masked(e))
        return NULL;
    cold_path = jit_cold_path_find(e, at);
    if (cold_path || e->cold_paths->count == MOST || node->end - node->first > LARGE_NODE)
        return cold_path;
    cold_path = &e->cold_paths->items[e->cold_paths->count++];
    *cold_path = (struct jit_cold_path){.at = at, .block = jit_build_block(e, "cold")};
    return cold_path;
}

LLVMValueRef jit_hide_value(struct jit_emitter *e, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value), function = LLVMFunctionType(type, &type, 1, false);
    LLVMValueRef nothing =
        LLVMGetInlineAsm(function, "", 0, "=r,0", 4, false, false, LLVMInlineAsmDialectATT, false);

    return LLVMBuildCall2(e->builder, function, nothing, &value, 1, "");
}

/* Recomputes values on the cold path from a hidden copy of their source. Otherwise the optimiser
 * would see the same computation twice and hoist it to the common path. */
void jit_cold_path_recompute(struct jit_emitter *e, const struct jit_cold_path *cold_path)
{
    const struct ptx_instruction *instructions = e->function->ptx->instructions;
    struct jit_value source, hidden;
    uint32_t reg;

    if (!cold_path->recomputed_count)
        return;
    reg = instructions[cold_path->recomputed[0]].src[0].index;
    source = hidden = jit_register_read(e, reg);
    hidden.value = jit_hide_value(e, source.value);
    jit_register_write(e, reg, hidden);
    for (uint32_t a = 0; a < cold_path->recomputed_count; a++)
        jit_emit_pure(e, &instructions[cold_path->recomputed[a]]);
    jit_register_write(e, reg, source);
}
