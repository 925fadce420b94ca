/* SPDX-License-Identifier: MIT */
/* The divergent variant when no lane can continue. Lanes at barriers, in calls and at .sync
 * instructions are asked for first. If none of them can continue, other warps run, and then the
 * lanes that spin. */
#include "jit/variants/divergent.h"

#include "abi/services.h"
#include "abi/sync.h"
#include "jit/emit/alignment.h"
#include "jit/emit/barriers.h"
#include "jit/emit/body.h"
#include "jit/emit/ir.h"
#include "jit/emit/calls.h"
#include "jit/emit/outlined_operations.h"
#include "jit/variants/barrier_regions.h"
#include "jit/emit/warp_ops.h"

#include <stddef.h>

/* Asks the runtime which of the lanes parked at a node may continue, and returns them. alive: the
 * parked lanes that are still in the kernel. */
static LLVMValueRef ask(struct jit_body *body, uint32_t n, LLVMValueRef parked, LLVMValueRef *alive)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMValueRef arguments[5] = {body->abi.block}, both, done;

    if (body->cfg.nodes[n].kind == JIT_END_BARRIER) {
        arguments[1] = parked;
        arguments[2] = body->masks.tickets[n];
        return *alive = jit_build_service(body, offsetof(struct cup_abi_services, barrier_done),
                                          unit->i32, arguments, 3);
    }
    arguments[1] = body->vector.warp;
    arguments[2] = parked;
    if (body->cfg.nodes[n].kind == JIT_END_SYNC) {
        arguments[3] = jit_mask_load(body, body->masks.live);
        arguments[4] = body->masks.tickets[n];
        return *alive = jit_build_service(body, offsetof(struct cup_abi_services, sync_done),
                                          unit->i32, arguments, 5);
    }
    arguments[3] = body->masks.tickets[n];
    both = jit_build_service(body, offsetof(struct cup_abi_services, call_resume), unit->i64,
                             arguments, 4);
    done = LLVMBuildTrunc(b, LLVMBuildLShr(b, both, jit_i64(unit, 32), ""), unit->i32, "");
    *alive = LLVMBuildTrunc(b, both, unit->i32, "");
    return done;
}

static void fetch_results(struct jit_body *body, uint32_t n)
{
    const struct jit_node *node = &body->cfg.nodes[n];
    const struct ptx_instruction *last = &body->function->instructions[node->last];

    if (node->kind == JIT_END_BARRIER)
        jit_barrier_result(
            body, last,
            jit_build_load(body, jit_vector_type(body, body->unit->i32),
                           jit_build_offset(
                               body, body->masks.tickets[n],
                               jit_i64(body->unit, offsetof(struct cup_abi_barrier_call, results))),
                           4));
    else if (node->kind != JIT_END_SYNC)
        jit_emit_call_results(body, last, n);
    else if (!jit_outlined_sync_results(body, last, body->masks.tickets[n]))
        jit_sync_results(body, last, body->masks.tickets[n]);
}

static void try_parked(struct jit_body *body, uint32_t n, LLVMValueRef progress)
{
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef look = jit_build_block(body, "parked"), go = jit_build_block(body, "unpark"),
                      after = jit_build_block(body, "parked.end");
    LLVMValueRef parked = jit_mask_load(body, body->masks.parked[n]), done, alive;

    LLVMBuildCondBr(b, jit_mask_is_empty(body, parked), after, look);
    jit_build_at(body, look);
    done = ask(body, n, parked, &alive);
    LLVMBuildCondBr(b, jit_mask_is_empty(body, done), after, go);
    jit_build_at(body, go);
    jit_mask_store(body, body->masks.parked[n],
                   LLVMBuildXor(b, jit_mask_load(body, body->masks.parked[n]), done, ""));
    jit_lanes_exited(body, LLVMBuildXor(b, done, alive, ""));
    jit_mask_store(body, body->masks.active, alive);
    body->node = n;
    jit_alignment_new_node(body);
    fetch_results(body, n);
    jit_lanes_continue(body, body->cfg.nodes[n].next[0], alive);
    jit_mask_store(body, progress, jit_i32(body->unit, 1));
    LLVMBuildBr(b, after);
    jit_build_at(body, after);
}

/* Whether lanes parked at the node wait for the next round of a looped kernel (barrier_regions.c).
 * They are not polled here: the whole warp stops. */
static bool in_region(const struct jit_body *body, uint32_t node)
{
    return body->regions.items && body->cfg.nodes[node].kind == JIT_END_BARRIER;
}

static LLVMValueRef all_of(struct jit_body *body, LLVMValueRef *sets, LLVMValueRef with)
{
    for (uint32_t p = 0; p < body->cfg.order_count; p++)
        if (sets[body->cfg.order[p]] && !in_region(body, body->cfg.order[p]))
            with =
                LLVMBuildOr(body->builder, with, jit_mask_load(body, sets[body->cfg.order[p]]), "");
    return with;
}

/* Emits the code for when no lane is pending: polls lanes at barriers, in calls and at .sync
 * instructions. If none can continue, other warps run, and then the spinning lanes run again. */
void jit_divergent_emit_parked(struct jit_body *body)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    const struct jit_cfg *cfg = &body->cfg;
    LLVMBasicBlockRef look = jit_build_block(body, "look"), stuck = jit_build_block(body, "stuck"),
                      rest =
                          body->regions.items ? jit_build_block(body, "rest") : body->blocks.done;
    LLVMValueRef progress = jit_build_alloca(body, unit->i32, 1, "progress"), parked, spinning,
                 arguments[4];

    parked = all_of(body, body->masks.spinning, all_of(body, body->masks.parked, jit_i32(unit, 0)));
    LLVMBuildCondBr(b, jit_mask_is_empty(body, parked), rest, look);
    if (body->regions.items) {
        jit_build_at(body, rest);
        jit_regions_stop(body);
    }
    jit_build_at(body, look);
    jit_body_reload_state(body);
    jit_mask_store(body, progress, jit_i32(unit, 0));
    for (uint32_t p = 0; p < cfg->order_count; p++)
        if (body->masks.parked[cfg->order[p]] && !in_region(body, cfg->order[p]))
            try_parked(body, cfg->order[p], progress);
    LLVMBuildCondBr(b, jit_mask_is_empty(body, jit_mask_load(body, progress)), stuck,
                    body->blocks.checks[0]);
    jit_build_at(body, stuck);
    spinning = all_of(body, body->masks.spinning, jit_i32(unit, 0));
    arguments[0] = body->abi.block;
    arguments[1] = body->vector.warp;
    arguments[2] = spinning;
    arguments[3] = body->is_kernel ? jit_i32(unit, 0) : jit_mask_load(body, body->masks.returned);
    jit_build_service(body, offsetof(struct cup_abi_services, park), unit->nothing, arguments, 4);
    if (!body->is_kernel) /* the caller continues with the returned lanes */
        jit_mask_store(body, body->masks.returned, jit_i32(unit, 0));
    for (uint32_t p = 0; p < cfg->order_count; p++) {
        uint32_t n = cfg->order[p];

        if (!body->masks.spinning[n])
            continue;
        jit_lanes_continue(body, n, jit_mask_load(body, body->masks.spinning[n]));
        jit_mask_store(body, body->masks.spinning[n], jit_i32(unit, 0));
    }
    LLVMBuildCondBr(b, jit_mask_is_empty(body, spinning), look, body->blocks.checks[0]);
}
