/* SPDX-License-Identifier: MIT */
/* The masks of the divergent variant: which lanes are active, are to run a node, wait at a node, or
 * are still in the kernel. */
#include "jit/variants/divergent.h"

#include "abi/launch.h"
#include "abi/services.h"
#include "abi/sync.h"
#include "jit/emit/body.h"
#include "jit/emit/ir.h"
#include "jit/instrument/counters.h"
#include "jit/emit/registers.h"

#include <stddef.h>

LLVMValueRef jit_mask_load(struct jit_body *body, LLVMValueRef place)
{
    return LLVMBuildLoad2(body->builder, body->unit->i32, place, "");
}

void jit_mask_store(struct jit_body *body, LLVMValueRef place, LLVMValueRef value)
{
    LLVMBuildStore(body->builder, value, place);
}

LLVMValueRef jit_mask_is_empty(struct jit_body *body, LLVMValueRef value)
{
    return LLVMBuildICmp(body->builder, LLVMIntEQ, value, jit_i32(body->unit, 0), "");
}

static bool is_spin_head(const struct jit_cfg *cfg, uint32_t node)
{
    uint32_t c = cfg->nodes[node].component;

    return c != JIT_NO_BLOCK && cfg->components[c].head == node && cfg->components[c].spins;
}

bool jit_node_is_parking_call(const struct jit_cfg *cfg, uint32_t node)
{
    const struct jit_node *n = &cfg->nodes[node];

    return n->kind == JIT_END_CALL && cfg->parking && cfg->parking[n->last];
}

/* The bytes of state that a node keeps for parked lanes; 0 for nodes where lanes cannot wait. */
static unsigned ticket_bytes(const struct jit_cfg *cfg, uint32_t node)
{
    switch (cfg->nodes[node].kind) {
    case JIT_END_BARRIER:
        return sizeof(struct cup_abi_barrier_call);
    case JIT_END_SYNC:
        return sizeof(struct cup_abi_sync_call);
    case JIT_END_CALL:
        return jit_node_is_parking_call(cfg, node) ? CUP_ABI_WARP_LANES * sizeof(uint64_t) : 0;
    default:
        return 0;
    }
}

void jit_divergent_prepare(struct jit_body *body)
{
    const struct jit_cfg *cfg = &body->cfg;
    LLVMTypeRef i32 = body->unit->i32;

    if (body->unit->one_variant)
        jit_body_make_state(body);
    else
        body->masks.active = jit_build_alloca(body, i32, 1, "mask");
    body->masks.live = jit_build_alloca(body, i32, 1, "live");
    body->masks.returned = jit_build_alloca(body, i32, 1, "returned");
    body->masks.rounds = jit_build_alloca(body, i32, 1, "rounds");
    for (uint32_t p = 0; p < cfg->order_count; p++) {
        uint32_t n = cfg->order[p];

        body->masks.pending[n] = jit_build_alloca(body, i32, 1, "pending");
        body->blocks.checks[n] = jit_build_block(body, "check");
        body->blocks.runs[n] = jit_build_block(body, "run");
        if (ticket_bytes(cfg, n)) {
            body->masks.parked[n] = jit_build_alloca(body, i32, 1, "parked");
            body->masks.tickets[n] =
                jit_build_alloca(body, body->unit->i64, ticket_bytes(cfg, n) / 8, "tickets");
        }
        if (is_spin_head(cfg, n))
            body->masks.spinning[n] = jit_build_alloca(body, i32, 1, "spinning");
    }
}

void jit_divergent_reset(struct jit_body *body, LLVMValueRef lanes)
{
    for (uint32_t p = 0; p < body->cfg.order_count; p++) {
        uint32_t n = body->cfg.order[p];

        jit_mask_store(body, body->masks.pending[n], jit_i32(body->unit, 0));
        if (body->masks.parked[n])
            jit_mask_store(body, body->masks.parked[n], jit_i32(body->unit, 0));
        if (body->masks.spinning[n])
            jit_mask_store(body, body->masks.spinning[n], jit_i32(body->unit, 0));
    }
    jit_mask_store(body, body->masks.active, lanes);
    jit_mask_store(body, body->masks.rounds, jit_i32(body->unit, 0));
}

void jit_divergent_start(struct jit_body *body, LLVMValueRef lanes)
{
    jit_divergent_reset(body, lanes);
    jit_mask_store(body, body->masks.pending[0], lanes);
    jit_registers_clear(body, true, NULL);
    /* Visiting all nodes again makes the whole function a loop, and LLVM would keep its addresses
     * and constants in registers throughout. A second entry makes the loop irreducible, so LLVM
     * does not treat it as one. */
    if (body->unit->one_variant && body->cfg.order_count > 1)
        LLVMBuildCondBr(body->builder, jit_mask_is_empty(body, lanes),
                        body->blocks.checks[body->cfg.order[1]], body->blocks.checks[0]);
    else
        LLVMBuildBr(body->builder, body->blocks.checks[0]);
}

void jit_lanes_exit(struct jit_body *body, LLVMValueRef lanes)
{
    LLVMValueRef arguments[] = {body->abi.block, body->vector.warp, lanes};

    jit_mask_store(body, body->masks.live,
                   LLVMBuildAnd(body->builder, jit_mask_load(body, body->masks.live),
                                LLVMBuildNot(body->builder, lanes, ""), ""));
    if (body->unit->waiting)
        jit_build_service(body, offsetof(struct cup_abi_services, lanes_exit), body->unit->nothing,
                          arguments, 3);
}

void jit_lanes_exited(struct jit_body *body, LLVMValueRef gone)
{
    jit_mask_store(body, body->masks.live,
                   LLVMBuildAnd(body->builder, jit_mask_load(body, body->masks.live),
                                LLVMBuildNot(body->builder, gone, ""), ""));
}

/* Lanes whose next node only exits leave the kernel at once, because other lanes may be waiting for
 * them. */
void jit_lanes_continue(struct jit_body *body, uint32_t node, LLVMValueRef lanes)
{
    LLVMBasicBlockRef some, none;

    if (!jit_node_is_exit(&body->cfg, node)) {
        jit_mask_store(
            body, body->masks.pending[node],
            LLVMBuildOr(body->builder, jit_mask_load(body, body->masks.pending[node]), lanes, ""));
        return;
    }
    some = jit_build_block(body, "exit");
    none = jit_build_block(body, "exited");
    LLVMBuildCondBr(body->builder, jit_mask_is_empty(body, lanes), none, some);
    jit_build_at(body, some);
    jit_count_node(body, node, lanes);
    jit_lanes_exit(body, lanes);
    LLVMBuildBr(body->builder, none);
    jit_build_at(body, none);
}

void jit_lanes_park(struct jit_body *body, LLVMValueRef lanes)
{
    LLVMValueRef parked = body->masks.parked[body->node];

    jit_mask_store(body, parked,
                   LLVMBuildOr(body->builder, jit_mask_load(body, parked), lanes, ""));
}
