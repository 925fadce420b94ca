/* SPDX-License-Identifier: MIT */
/* The divergent variant: any set of lanes, any control flow. Each node has a mask of pending lanes.
 * The nodes are visited in a weak topological order; a node runs all of its pending lanes at once
 * and makes them pending at its successors. So lanes that diverge reconverge at the first node that
 * all of them reach, and a loop is empty before its next iteration.
 *
 * Lanes that wait while other lanes of their warp can continue are parked: at a barrier, or at the
 * head of a loop that waits for other threads. When no lane can continue, the parked ones are
 * looked at again. */
#include "jit/variants/divergent.h"

#include "abi/services.h"
#include "jit/analysis/instruction.h"
#include "jit/debuginfo/dwarf.h"
#include "jit/debuginfo/variables.h"
#include "jit/emit/alignment.h"
#include "jit/emit/chunks.h"
#include "jit/emit/emit.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"
#include "jit/emit/outlined_operations.h"
#include "jit/instrument/counters.h"
#include "jit/instrument/loops.h"
#include "jit/variants/bailout.h"
#include "jit/variants/barrier_regions.h"

#include <stddef.h>

/* Emits the instruction at `i` of the node, or a run of them; returns where it ends. */
static uint32_t emit_some(struct jit_emitter *e, const struct jit_node *node, uint32_t i)
{
    const struct ptx_instruction *instructions = e->function->ptx->instructions;
    bool alone = e->unit->outlines || e->unit->request->debugger;
    uint32_t end = i + 1;

    if (jit_outlined_emit(e, &instructions[i]))
        return end;
    if (!e->chunks->enabled || !jit_instruction_is_pure(&instructions[i])) {
        jit_emit_instruction(e, &instructions[i]);
        return end;
    }
    while (!alone && end < node->end && !jit_bailout_is_target(e, end) &&
           jit_instruction_is_pure(&instructions[end]))
        end++;
    jit_debug_variables_update(e, &instructions[i]);
    jit_debug_instruction(e, &instructions[i]);
    jit_chunks_emit(e, i, end);
    return end;
}

static void emit_node(struct jit_emitter *e, uint32_t n, LLVMBasicBlockRef next)
{
    const struct jit_node *node = &e->function->cfg.nodes[n];
    LLVMValueRef pending;

    e->node = n;
    jit_debug_instruction(e, NULL);
    jit_build_at(e, e->blocks->checks[n]);
    pending = jit_mask_load(e, e->masks->pending[n]);
    LLVMBuildCondBr(e->builder, jit_mask_is_empty(e, pending), next, e->blocks->runs[n]);
    jit_build_at(e, e->blocks->runs[n]);
    jit_mask_store(e, e->masks->pending[n], jit_i32(e->unit, 0));
    jit_mask_store(e, e->mask.active, pending);
    jit_emitter_reload_state(e);
    jit_alignment_new_node(e);
    jit_count_node(e, n, pending);
    for (uint32_t i = node->first; i < node->end;) {
        jit_bailout_enter(e, i);
        i = emit_some(e, node, i);
    }
    jit_bailout_enter(e, node->end);
    if (node->last < e->function->ptx->instruction_count) {
        jit_debug_variables_update(e, &e->function->ptx->instructions[node->last]);
        jit_debug_instruction(e, &e->function->ptx->instructions[node->last]);
    }
    jit_divergent_end_node(e, node, next);
}

/* Ends a component: branches back while lanes are pending at its head. In a spinning loop these
 * lanes may wait for other lanes of the same warp, so after some iterations the others run. */
static void emit_component_end(struct jit_emitter *e, const struct jit_component *component)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    uint32_t head = component->head;
    LLVMBasicBlockRef out = jit_build_block(e, "loop.end");
    LLVMValueRef pending = jit_mask_load(e, e->masks->pending[head]), rounds, others;

    if (!component->spins || !unit->waiting) {
        LLVMBuildCondBr(b, jit_mask_is_empty(e, pending), out, e->blocks->checks[head]);
        jit_build_at(e, out);
        return;
    }
    LLVMBasicBlockRef again = jit_build_block(e, "spin"),
                      long_spin = jit_build_block(e, "spin.long"),
                      yield = jit_build_block(e, "spin.yield"),
                      park = jit_build_block(e, "spin.park");

    LLVMBuildCondBr(b, jit_mask_is_empty(e, pending), out, again);
    jit_build_at(e, again);
    rounds = LLVMBuildAdd(b, jit_mask_load(e, e->masks->rounds), jit_i32(unit, 1), "");
    jit_mask_store(e, e->masks->rounds, rounds);
    rounds = LLVMBuildAnd(b, rounds, jit_i32(unit, JIT_SPIN_ROUNDS - 1), "");
    LLVMBuildCondBr(b, jit_mask_is_empty(e, rounds), long_spin, e->blocks->checks[head]);
    jit_build_at(e, long_spin);
    others = LLVMBuildAnd(b, jit_mask_load(e, e->masks->live), LLVMBuildNot(b, pending, ""), "");
    LLVMBuildCondBr(b, jit_mask_is_empty(e, others), yield, park);
    jit_build_at(e, yield);
    jit_emitter_reload_state(e);
    jit_build_yield(e);
    LLVMBuildBr(b, e->blocks->checks[head]);
    jit_build_at(e, park);
    jit_mask_store(e, e->masks->spinning[head],
                   LLVMBuildOr(b, jit_mask_load(e, e->masks->spinning[head]), pending, ""));
    jit_mask_store(e, e->masks->pending[head], jit_i32(unit, 0));
    LLVMBuildBr(b, out);
    jit_build_at(e, out);
}

void jit_divergent_emit(struct jit_emitter *e)
{
    const struct jit_cfg *cfg = &e->function->cfg;

    e->divergent = true;
    for (uint32_t p = 0; p < cfg->order_count && !e->unit->failed; p++) {
        LLVMBasicBlockRef next = jit_build_block(e, "next");

        emit_node(e, cfg->order[p], next);
        jit_build_at(e, next);
        /* Components end innermost first; inner ones follow outer ones in the array. */
        for (uint32_t c = cfg->component_count; c-- > 0;)
            if (cfg->components[c].end == p + 1)
                emit_component_end(e, &cfg->components[c]);
        if (p + 1 < cfg->order_count)
            LLVMBuildBr(e->builder, e->blocks->checks[cfg->order[p + 1]]);
    }
    if (e->unit->failed)
        return;
    if (cfg->parks || e->regions->items)
        jit_divergent_emit_parked(e);
    else
        LLVMBuildBr(e->builder, e->blocks->done);
    jit_bailouts_emit(e);
    jit_check_loops_end(e);
}
