/* SPDX-License-Identifier: MIT */
/* The divergent variant when no lane can continue. Lanes at barriers, in calls and at .sync
 * instructions are asked for first. If none of them can continue, other warps run, and then the
 * lanes that spin. */
#include "jit/variants/divergent.h"

#include "abi/services.h"
#include "abi/sync.h"
#include "jit/emit/alignment.h"
#include "jit/emit/barriers.h"
#include "jit/emit/calls.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"
#include "jit/emit/outlined_operations.h"
#include "jit/emit/warp_ops.h"
#include "jit/variants/barrier_regions.h"

#include <stddef.h>

/* Asks the runtime which of the lanes parked at a node may continue, and returns them. alive: the
 * parked lanes that are still in the kernel. */
static LLVMValueRef ask(struct jit_emitter *e, uint32_t n, LLVMValueRef parked, LLVMValueRef *alive)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMValueRef arguments[5] = {e->abi.block}, both, done;

    if (e->function->cfg.nodes[n].kind == JIT_END_BARRIER) {
        arguments[1] = parked;
        arguments[2] = e->masks->tickets[n];
        return *alive = jit_build_service(e, offsetof(struct cup_abi_services, barrier_done),
                                          unit->i32, arguments, 3);
    }
    arguments[1] = e->vector.warp;
    arguments[2] = parked;
    if (e->function->cfg.nodes[n].kind == JIT_END_SYNC) {
        arguments[3] = jit_mask_load(e, e->masks->live);
        arguments[4] = e->masks->tickets[n];
        return *alive = jit_build_service(e, offsetof(struct cup_abi_services, sync_done),
                                          unit->i32, arguments, 5);
    }
    arguments[3] = e->masks->tickets[n];
    both = jit_build_service(e, offsetof(struct cup_abi_services, call_resume), unit->i64,
                             arguments, 4);
    done = LLVMBuildTrunc(b, LLVMBuildLShr(b, both, jit_i64(unit, 32), ""), unit->i32, "");
    *alive = LLVMBuildTrunc(b, both, unit->i32, "");
    return done;
}

static void fetch_results(struct jit_emitter *e, uint32_t n)
{
    const struct jit_node *node = &e->function->cfg.nodes[n];
    const struct ptx_instruction *last = &e->function->ptx->instructions[node->last];

    if (node->kind == JIT_END_BARRIER)
        jit_barrier_result(
            e, last,
            jit_build_load(
                e, jit_vector_type(e, e->unit->i32),
                jit_build_offset(e, e->masks->tickets[n],
                                 jit_i64(e->unit, offsetof(struct cup_abi_barrier_call, results))),
                4));
    else if (node->kind != JIT_END_SYNC)
        jit_emit_call_results(e, last, n);
    else if (!jit_outlined_sync_results(e, last, e->masks->tickets[n]))
        jit_sync_results(e, last, e->masks->tickets[n]);
}

static void try_parked(struct jit_emitter *e, uint32_t n, LLVMValueRef progress)
{
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef look = jit_build_block(e, "parked"), go = jit_build_block(e, "unpark"),
                      after = jit_build_block(e, "parked.end");
    LLVMValueRef parked = jit_mask_load(e, e->masks->parked[n]), done, alive;

    LLVMBuildCondBr(b, jit_mask_is_empty(e, parked), after, look);
    jit_build_at(e, look);
    done = ask(e, n, parked, &alive);
    LLVMBuildCondBr(b, jit_mask_is_empty(e, done), after, go);
    jit_build_at(e, go);
    jit_mask_store(e, e->masks->parked[n],
                   LLVMBuildXor(b, jit_mask_load(e, e->masks->parked[n]), done, ""));
    jit_lanes_exited(e, LLVMBuildXor(b, done, alive, ""));
    jit_mask_store(e, e->mask.active, alive);
    e->node = n;
    jit_alignment_new_node(e);
    fetch_results(e, n);
    jit_lanes_continue(e, e->function->cfg.nodes[n].next[0], alive);
    jit_mask_store(e, progress, jit_i32(e->unit, 1));
    LLVMBuildBr(b, after);
    jit_build_at(e, after);
}

/* Whether lanes parked at the node wait for the next round of a looped kernel (barrier_regions.c).
 * They are not polled here: the whole warp stops. */
static bool in_region(const struct jit_emitter *e, uint32_t node)
{
    return e->regions->items && e->function->cfg.nodes[node].kind == JIT_END_BARRIER;
}

static LLVMValueRef all_of(struct jit_emitter *e, LLVMValueRef *sets, LLVMValueRef with)
{
    for (uint32_t p = 0; p < e->function->cfg.order_count; p++)
        if (sets[e->function->cfg.order[p]] && !in_region(e, e->function->cfg.order[p]))
            with = LLVMBuildOr(e->builder, with, jit_mask_load(e, sets[e->function->cfg.order[p]]),
                               "");
    return with;
}

/* Emits the code for when no lane is pending: polls lanes at barriers, in calls and at .sync
 * instructions. If none can continue, other warps run, and then the spinning lanes run again. */
void jit_divergent_emit_parked(struct jit_emitter *e)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    const struct jit_cfg *cfg = &e->function->cfg;
    LLVMBasicBlockRef look = jit_build_block(e, "look"), stuck = jit_build_block(e, "stuck"),
                      rest = e->regions->items ? jit_build_block(e, "rest") : e->blocks->done;
    LLVMValueRef progress = jit_build_alloca(e, unit->i32, 1, "progress"), parked, spinning,
                 arguments[4];

    parked = all_of(e, e->masks->spinning, all_of(e, e->masks->parked, jit_i32(unit, 0)));
    LLVMBuildCondBr(b, jit_mask_is_empty(e, parked), rest, look);
    if (e->regions->items) {
        jit_build_at(e, rest);
        jit_regions_stop(e);
    }
    jit_build_at(e, look);
    jit_emitter_reload_state(e);
    jit_mask_store(e, progress, jit_i32(unit, 0));
    for (uint32_t p = 0; p < cfg->order_count; p++)
        if (e->masks->parked[cfg->order[p]] && !in_region(e, cfg->order[p]))
            try_parked(e, cfg->order[p], progress);
    LLVMBuildCondBr(b, jit_mask_is_empty(e, jit_mask_load(e, progress)), stuck,
                    e->blocks->checks[0]);
    jit_build_at(e, stuck);
    spinning = all_of(e, e->masks->spinning, jit_i32(unit, 0));
    arguments[0] = e->abi.block;
    arguments[1] = e->vector.warp;
    arguments[2] = spinning;
    arguments[3] = e->function->is_kernel ? jit_i32(unit, 0) : jit_mask_load(e, e->masks->returned);
    jit_build_service(e, offsetof(struct cup_abi_services, park), unit->nothing, arguments, 4);
    if (!e->function->is_kernel) /* the caller continues with the returned lanes */
        jit_mask_store(e, e->masks->returned, jit_i32(unit, 0));
    for (uint32_t p = 0; p < cfg->order_count; p++) {
        uint32_t n = cfg->order[p];

        if (!e->masks->spinning[n])
            continue;
        jit_lanes_continue(e, n, jit_mask_load(e, e->masks->spinning[n]));
        jit_mask_store(e, e->masks->spinning[n], jit_i32(unit, 0));
    }
    LLVMBuildCondBr(b, jit_mask_is_empty(e, spinning), look, e->blocks->checks[0]);
}
