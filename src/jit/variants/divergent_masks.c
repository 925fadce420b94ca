/* SPDX-License-Identifier: MIT */
/* The masks of the divergent variant: which lanes are active, are to run a node, wait at a node, or
 * are still in the kernel. */
#include "jit/variants/divergent.h"

#include "abi/launch.h"
#include "abi/services.h"
#include "abi/sync.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"
#include "jit/emit/registers.h"
#include "jit/instrument/counters.h"

#include <stddef.h>

void jit_divergent_init(struct jit_emitter *e)
{
    uint32_t nodes = e->function->cfg.node_count + 1;

    e->masks = jit_emitter_zeros(e, 1, sizeof(*e->masks));
    e->masks->pending = jit_emitter_zeros(e, nodes, sizeof(LLVMValueRef));
    e->masks->parked = jit_emitter_zeros(e, nodes, sizeof(LLVMValueRef));
    e->masks->spinning = jit_emitter_zeros(e, nodes, sizeof(LLVMValueRef));
    e->masks->areas = jit_emitter_zeros(e, nodes, sizeof(LLVMValueRef *));
    e->masks->tickets = jit_emitter_zeros(e, nodes, sizeof(LLVMValueRef));
    e->blocks = jit_emitter_zeros(e, 1, sizeof(*e->blocks));
    e->blocks->checks = jit_emitter_zeros(e, nodes, sizeof(LLVMBasicBlockRef));
    e->blocks->runs = jit_emitter_zeros(e, nodes, sizeof(LLVMBasicBlockRef));
    e->blocks->uniforms = jit_emitter_zeros(e, nodes, sizeof(LLVMBasicBlockRef));
}

LLVMValueRef jit_mask_load(struct jit_emitter *e, LLVMValueRef place)
{
    return LLVMBuildLoad2(e->builder, e->unit->i32, place, "");
}

void jit_mask_store(struct jit_emitter *e, LLVMValueRef place, LLVMValueRef value)
{
    LLVMBuildStore(e->builder, value, place);
}

LLVMValueRef jit_mask_is_empty(struct jit_emitter *e, LLVMValueRef value)
{
    return LLVMBuildICmp(e->builder, LLVMIntEQ, value, jit_i32(e->unit, 0), "");
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

/* In a function of many nodes the masks of nodes stay in memory. As LLVM's values each of them
 * would have a phi at every node, and phis by the square of the nodes take it minutes. */
enum { MANY_NODES = 64, CLEARED_AT_ONCE = 16 };

static void reserve_memory(struct jit_emitter *e)
{
    unsigned most = 3 * e->function->cfg.order_count + CLEARED_AT_ONCE;

    if (e->function->cfg.order_count < MANY_NODES || e->unit->one_variant)
        return;
    e->masks->memory = jit_build_alloca(e, e->unit->i32, most, "masks");
    LLVMSetAlignment(e->masks->memory, 64);
    jit_keep_in_memory(e, e->masks->memory);
}

static LLVMValueRef make_mask(struct jit_emitter *e, const char *name)
{
    LLVMBasicBlockRef here = jit_build_here(e);
    LLVMValueRef place;

    if (!e->masks->memory)
        return jit_build_alloca(e, e->unit->i32, 1, name);
    LLVMPositionBuilderBefore(e->builder, e->entry_end);
    place = jit_build_offset(e, e->masks->memory,
                             jit_i64(e->unit, sizeof(uint32_t) * e->masks->memory_count++));
    jit_build_at(e, here);
    return place;
}

void jit_divergent_prepare(struct jit_emitter *e)
{
    const struct jit_cfg *cfg = &e->function->cfg;
    LLVMTypeRef i32 = e->unit->i32;

    reserve_memory(e);
    if (e->unit->one_variant)
        jit_emitter_make_state(e);
    else
        e->mask.active = jit_build_alloca(e, i32, 1, "mask");
    e->masks->live = jit_build_alloca(e, i32, 1, "live");
    e->masks->returned = jit_build_alloca(e, i32, 1, "returned");
    e->masks->rounds = jit_build_alloca(e, i32, 1, "rounds");
    for (uint32_t p = 0; p < cfg->order_count; p++) {
        uint32_t n = cfg->order[p];

        e->masks->pending[n] = make_mask(e, "pending");
        e->blocks->checks[n] = jit_build_block(e, "check");
        e->blocks->runs[n] = jit_build_block(e, "run");
        if (ticket_bytes(cfg, n)) {
            e->masks->parked[n] = make_mask(e, "parked");
            e->masks->tickets[n] =
                jit_build_alloca(e, e->unit->i64, ticket_bytes(cfg, n) / 8, "tickets");
        }
        if (is_spin_head(cfg, n))
            e->masks->spinning[n] = make_mask(e, "spinning");
    }
}

/* Clears the masks in memory in a loop: there are many, and many places that clear them. */
static void clear_memory(struct jit_emitter *e)
{
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef type = LLVMVectorType(e->unit->i32, CLEARED_AT_ONCE);
    LLVMBasicBlockRef before = jit_build_here(e), clear = jit_build_block(e, "clear"),
                      cleared = jit_build_block(e, "cleared");
    LLVMValueRef zero = jit_i64(e->unit, 0), at, next, place;

    LLVMBuildBr(b, clear);
    jit_build_at(e, clear);
    at = LLVMBuildPhi(b, e->unit->i64, "");
    place = jit_build_offset(e, e->masks->memory, at);
    LLVMSetAlignment(LLVMBuildStore(b, LLVMConstNull(type), place), 64);
    next = LLVMBuildAdd(b, at, jit_i64(e->unit, CLEARED_AT_ONCE * sizeof(uint32_t)), "");
    LLVMAddIncoming(at, &zero, &before, 1);
    LLVMAddIncoming(at, &next, &clear, 1);
    LLVMBuildCondBr(b,
                    LLVMBuildICmp(b, LLVMIntULT, next,
                                  jit_i64(e->unit, e->masks->memory_count * sizeof(uint32_t)), ""),
                    clear, cleared);
    jit_build_at(e, cleared);
}

static void clear_values(struct jit_emitter *e)
{
    for (uint32_t p = 0; p < e->function->cfg.order_count; p++) {
        uint32_t n = e->function->cfg.order[p];

        jit_mask_store(e, e->masks->pending[n], jit_i32(e->unit, 0));
        if (e->masks->parked[n])
            jit_mask_store(e, e->masks->parked[n], jit_i32(e->unit, 0));
        if (e->masks->spinning[n])
            jit_mask_store(e, e->masks->spinning[n], jit_i32(e->unit, 0));
    }
}

void jit_divergent_reset(struct jit_emitter *e, LLVMValueRef lanes)
{
    if (e->masks->memory)
        clear_memory(e);
    else
        clear_values(e);
    jit_mask_store(e, e->mask.active, lanes);
    jit_mask_store(e, e->masks->rounds, jit_i32(e->unit, 0));
}

void jit_divergent_start(struct jit_emitter *e, LLVMValueRef lanes)
{
    jit_divergent_reset(e, lanes);
    jit_mask_store(e, e->masks->pending[0], lanes);
    jit_registers_clear(e, true, NULL);
    /* Visiting all nodes again makes the whole function a loop, and LLVM would keep its addresses
     * and constants in registers throughout. A second entry makes the loop irreducible, so LLVM
     * does not treat it as one. */
    if (e->unit->one_variant && e->function->cfg.order_count > 1)
        LLVMBuildCondBr(e->builder, jit_mask_is_empty(e, lanes),
                        e->blocks->checks[e->function->cfg.order[1]], e->blocks->checks[0]);
    else
        LLVMBuildBr(e->builder, e->blocks->checks[0]);
}

void jit_lanes_exit(struct jit_emitter *e, LLVMValueRef lanes)
{
    LLVMValueRef arguments[] = {e->abi.block, e->vector.warp, lanes};

    jit_mask_store(e, e->masks->live,
                   LLVMBuildAnd(e->builder, jit_mask_load(e, e->masks->live),
                                LLVMBuildNot(e->builder, lanes, ""), ""));
    if (e->unit->waiting)
        jit_build_service(e, offsetof(struct cup_abi_services, lanes_exit), e->unit->nothing,
                          arguments, 3);
}

void jit_lanes_exited(struct jit_emitter *e, LLVMValueRef gone)
{
    jit_mask_store(e, e->masks->live,
                   LLVMBuildAnd(e->builder, jit_mask_load(e, e->masks->live),
                                LLVMBuildNot(e->builder, gone, ""), ""));
}

/* Lanes whose next node only exits leave the kernel at once, because other lanes may be waiting for
 * them. */
void jit_lanes_continue(struct jit_emitter *e, uint32_t node, LLVMValueRef lanes)
{
    LLVMBasicBlockRef some, none;

    if (!jit_node_is_exit(&e->function->cfg, node)) {
        jit_mask_store(
            e, e->masks->pending[node],
            LLVMBuildOr(e->builder, jit_mask_load(e, e->masks->pending[node]), lanes, ""));
        return;
    }
    some = jit_build_block(e, "exit");
    none = jit_build_block(e, "exited");
    LLVMBuildCondBr(e->builder, jit_mask_is_empty(e, lanes), none, some);
    jit_build_at(e, some);
    jit_count_node(e, node, lanes);
    jit_lanes_exit(e, lanes);
    LLVMBuildBr(e->builder, none);
    jit_build_at(e, none);
}

void jit_lanes_park(struct jit_emitter *e, LLVMValueRef lanes)
{
    LLVMValueRef parked = e->masks->parked[e->node];

    jit_mask_store(e, parked, LLVMBuildOr(e->builder, jit_mask_load(e, parked), lanes, ""));
}
