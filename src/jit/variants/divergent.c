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
#include "jit/emit/alignment.h"
#include "jit/emit/body.h"
#include "jit/emit/ir.h"
#include "jit/instrument/loops.h"
#include "jit/emit/chunks.h"
#include "jit/instrument/counters.h"
#include "jit/debuginfo/dwarf.h"
#include "jit/debuginfo/variables.h"
#include "jit/emit/emit.h"
#include "jit/emit/outlined_operations.h"
#include "jit/variants/bailout.h"
#include "jit/analysis/instruction.h"

#include <stddef.h>

/* Emits the instruction at `i` of the node, or a run of them; returns where it ends. */
static uint32_t emit_some(struct jit_body *body, const struct jit_node *node, uint32_t i)
{
    const struct ptx_instruction *instructions = body->function->instructions;
    bool alone = body->unit->outlines || body->unit->request->debugger;
    uint32_t end = i + 1;

    if (jit_outlined_emit(body, &instructions[i]))
        return end;
    if (!body->chunks.enabled || !jit_instruction_is_pure(&instructions[i])) {
        jit_emit_instruction(body, &instructions[i]);
        return end;
    }
    while (!alone && end < node->end && !jit_bailout_is_target(body, end) &&
           jit_instruction_is_pure(&instructions[end]))
        end++;
    jit_debug_variables_update(body, &instructions[i]);
    jit_debug_instruction(body, &instructions[i]);
    jit_chunks_emit(body, i, end);
    return end;
}

static void emit_node(struct jit_body *body, uint32_t n, LLVMBasicBlockRef next)
{
    const struct jit_node *node = &body->cfg.nodes[n];
    LLVMValueRef pending;

    body->node = n;
    jit_debug_instruction(body, NULL);
    jit_build_at(body, body->blocks.checks[n]);
    pending = jit_mask_load(body, body->masks.pending[n]);
    LLVMBuildCondBr(body->builder, jit_mask_is_empty(body, pending), next, body->blocks.runs[n]);
    jit_build_at(body, body->blocks.runs[n]);
    jit_mask_store(body, body->masks.pending[n], jit_i32(body->unit, 0));
    jit_mask_store(body, body->masks.active, pending);
    jit_body_reload_state(body);
    jit_alignment_new_node(body);
    jit_count_node(body, n, pending);
    for (uint32_t i = node->first; i < node->end;) {
        jit_bailout_enter(body, i);
        i = emit_some(body, node, i);
    }
    jit_bailout_enter(body, node->end);
    if (node->last < body->function->instruction_count) {
        jit_debug_variables_update(body, &body->function->instructions[node->last]);
        jit_debug_instruction(body, &body->function->instructions[node->last]);
    }
    jit_divergent_end_node(body, node, next);
}

/* Ends a component: branches back while lanes are pending at its head. In a spinning loop these
 * lanes may wait for other lanes of the same warp, so after some iterations the others run. */
static void emit_component_end(struct jit_body *body, const struct jit_component *component)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    uint32_t head = component->head;
    LLVMBasicBlockRef out = jit_build_block(body, "loop.end");
    LLVMValueRef pending = jit_mask_load(body, body->masks.pending[head]), rounds, others;

    if (!component->spins || !unit->waiting) {
        LLVMBuildCondBr(b, jit_mask_is_empty(body, pending), out, body->blocks.checks[head]);
        jit_build_at(body, out);
        return;
    }
    LLVMBasicBlockRef again = jit_build_block(body, "spin"),
                      long_spin = jit_build_block(body, "spin.long"),
                      yield = jit_build_block(body, "spin.yield"),
                      park = jit_build_block(body, "spin.park");

    LLVMBuildCondBr(b, jit_mask_is_empty(body, pending), out, again);
    jit_build_at(body, again);
    rounds = LLVMBuildAdd(b, jit_mask_load(body, body->masks.rounds), jit_i32(unit, 1), "");
    jit_mask_store(body, body->masks.rounds, rounds);
    rounds = LLVMBuildAnd(b, rounds, jit_i32(unit, JIT_SPIN_ROUNDS - 1), "");
    LLVMBuildCondBr(b, jit_mask_is_empty(body, rounds), long_spin, body->blocks.checks[head]);
    jit_build_at(body, long_spin);
    others =
        LLVMBuildAnd(b, jit_mask_load(body, body->masks.live), LLVMBuildNot(b, pending, ""), "");
    LLVMBuildCondBr(b, jit_mask_is_empty(body, others), yield, park);
    jit_build_at(body, yield);
    jit_body_reload_state(body);
    jit_build_yield(body);
    LLVMBuildBr(b, body->blocks.checks[head]);
    jit_build_at(body, park);
    jit_mask_store(body, body->masks.spinning[head],
                   LLVMBuildOr(b, jit_mask_load(body, body->masks.spinning[head]), pending, ""));
    jit_mask_store(body, body->masks.pending[head], jit_i32(unit, 0));
    LLVMBuildBr(b, out);
    jit_build_at(body, out);
}

void jit_divergent_emit(struct jit_body *body)
{
    const struct jit_cfg *cfg = &body->cfg;

    body->divergent = true;
    for (uint32_t p = 0; p < cfg->order_count && !body->unit->failed; p++) {
        LLVMBasicBlockRef next = jit_build_block(body, "next");

        emit_node(body, cfg->order[p], next);
        jit_build_at(body, next);
        /* Components end innermost first; inner ones follow outer ones in the array. */
        for (uint32_t c = cfg->component_count; c-- > 0;)
            if (cfg->components[c].end == p + 1)
                emit_component_end(body, &cfg->components[c]);
        if (p + 1 < cfg->order_count)
            LLVMBuildBr(body->builder, body->blocks.checks[cfg->order[p + 1]]);
    }
    if (body->unit->failed)
        return;
    if (cfg->parks || body->regions.items)
        jit_divergent_emit_parked(body);
    else
        LLVMBuildBr(body->builder, body->blocks.done);
    jit_bailouts_emit(body);
    jit_check_loops_end(body);
}
