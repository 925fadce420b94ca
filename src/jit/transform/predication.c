/* SPDX-License-Identifier: MIT */
/* A side is one node whose instructions can run under a mask. A register that it writes must keep
 * the values of inactive lanes: one that is a scalar in the uniform variant cannot, so its old
 * value must be dead. */
#include "jit/transform/predication.h"

#include "jit/analysis/instruction.h"
#include "jit/analysis/uniformity.h"
#include "jit/emit/alignment.h"
#include "jit/emit/cold_paths.h"
#include "jit/emit/emit.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/variants/divergent.h"

enum { LONGEST = 32 }; /* instructions of both sides */

/* Whether the instruction is done for each active lane by itself, without waiting. */
static bool takes_mask(const struct ptx_instruction *i)
{
    switch (i->op) {
    case PTX_OP_ld:
    case PTX_OP_ldu:
    case PTX_OP_st:
    case PTX_OP_atom:
    case PTX_OP_red:
    case PTX_OP_cp:
    case PTX_OP_isspacep:
    case PTX_OP_membar:
    case PTX_OP_fence:
    case PTX_OP_prefetch:
    case PTX_OP_prefetchu:
    case PTX_OP_createpolicy:
        return true;
    case PTX_OP_mbarrier:
        return !ptx_has(i, PTX_MOD_TEST_WAIT) && !ptx_has(i, PTX_MOD_TRY_WAIT);
    default:
        return jit_instruction_is_pure(i);
    }
}

struct side_writes {
    const struct jit_emitter *e;
    uint32_t node;
    bool keeps; /* values of inactive lanes */
};

static void find_lost(void *context, uint32_t reg)
{
    struct side_writes *side = context;

    if (side->e->function->uniformity[0][reg].kind != JIT_VARYING &&
        jit_dataflow_must_blend(&side->e->function->cfg, side->node, reg))
        side->keeps = false;
}

static bool is_side(const struct jit_emitter *e, uint32_t n)
{
    const struct jit_node *node = &e->function->cfg.nodes[n];
    struct side_writes side = {e, n, true};

    if (n == 0 || node->kind != JIT_END_JUMP || e->function->cfg.predecessors[n] != 1 ||
        node->end - node->first > LONGEST)
        return false;
    for (uint32_t i = node->first; i < node->end && side.keeps; i++) {
        const struct ptx_instruction *instruction = &e->function->ptx->instructions[i];

        if (!takes_mask(instruction))
            return false;
        jit_instruction_defines(&e->function->cfg, instruction, find_lost, &side);
    }
    return side.keeps;
}

static uint32_t length(const struct jit_emitter *e, uint32_t n)
{
    return n == JIT_NO_BLOCK ? 0 : e->function->cfg.nodes[n].end - e->function->cfg.nodes[n].first;
}

bool jit_predication_find(struct jit_emitter *e, uint32_t node, struct jit_sides *sides)
{
    const struct jit_node *nodes = e->function->cfg.nodes;
    uint32_t a = nodes[node].next[0], b = nodes[node].next[1];

    /* Code for checks, counters and debuggers tracks in its own way where lanes are. */
    if (e->unit->checks || e->unit->request->counted || e->unit->request->debugger ||
        e->unit->outlines)
        return false;
    if (is_side(e, a) && nodes[a].next[0] == b)
        *sides = (struct jit_sides){{a, JIT_NO_BLOCK}, b};
    else if (is_side(e, b) && nodes[b].next[0] == a)
        *sides = (struct jit_sides){{JIT_NO_BLOCK, b}, a};
    else if (is_side(e, a) && is_side(e, b) && nodes[a].next[0] == nodes[b].next[0])
        *sides = (struct jit_sides){{a, b}, nodes[a].next[0]};
    else
        return false;
    return length(e, sides->nodes[0]) + length(e, sides->nodes[1]) <= LONGEST;
}

static void emit_side(struct jit_emitter *e, uint32_t n, LLVMValueRef lanes, uint32_t others)
{
    const struct jit_node *node = &e->function->cfg.nodes[n];
    LLVMBasicBlockRef some = jit_build_block(e, "side"), after = jit_build_block(e, "join");

    LLVMBuildCondBr(e->builder, jit_mask_is_empty(e, lanes), after, some);
    jit_build_at(e, some);
    /* LLVM would drop the test of an index that is computed from a mask that is not empty, and then
     * compute it before the branch, where the mask may be empty. */
    lanes = jit_hide_value(e, lanes);
    e->node = n;
    e->predicated = (struct jit_predicated){lanes, others};
    jit_alignment_new_node(e);
    for (uint32_t i = node->first; i < node->end; i++)
        jit_emit_instruction(e, &e->function->ptx->instructions[i]);
    LLVMBuildBr(e->builder, after);
    jit_build_at(e, after);
    e->predicated.lanes = NULL;
}

void jit_predication_emit(struct jit_emitter *e, const struct jit_sides *sides, LLVMValueRef lanes)
{
    const struct jit_node *nodes = e->function->cfg.nodes;
    const uint32_t *n = sides->nodes;
    LLVMValueRef each[2] = {lanes, LLVMBuildXor(e->builder, lanes, e->vector.full, "")};
    uint32_t before = e->node;
    /* The divergent variant, to which a side may leave, visits nodes in their order. */
    unsigned first = n[0] == JIT_NO_BLOCK ||
                     (n[1] != JIT_NO_BLOCK && nodes[n[1]].position < nodes[n[0]].position);

    emit_side(e, n[first], each[first], n[!first] == JIT_NO_BLOCK ? sides->join : n[!first]);
    if (n[!first] != JIT_NO_BLOCK)
        emit_side(e, n[!first], each[!first], sides->join);
    e->node = before;
}
