/* SPDX-License-Identifier: MIT */
/* The divergent clone: any set of lanes, any control flow. Each node has a mask of
 * lanes that are to run it. The nodes are gone through in a weak topological
 * order; a node with lanes takes them all and gives them to its successors. So
 * lanes that part meet again at the first node that all reach, and a loop's
 * body is empty before its next round.
 *
 * Lanes that wait while others of their warp are still on their way are parked:
 * at a barrier, or at the head of a loop that waits for other threads. When no
 * lane can go on, the parked ones are looked at again. */
#include "jit/compile.h"

#include <stddef.h>

static LLVMValueRef get(struct jit_body *body, LLVMValueRef place)
{
    return LLVMBuildLoad2(body->builder, body->unit->i32, place, "");
}

static void put(struct jit_body *body, LLVMValueRef place, LLVMValueRef value)
{
    LLVMBuildStore(body->builder, value, place);
}

static LLVMValueRef is_zero(struct jit_body *body, LLVMValueRef value)
{
    return LLVMBuildICmp(body->builder, LLVMIntEQ, value, jit_i32(body->unit, 0), "");
}

static bool is_spin_head(const struct jit_cfg *cfg, uint32_t node)
{
    uint32_t c = cfg->nodes[node].component;

    return c != JIT_NO_BLOCK && cfg->components[c].head == node && cfg->components[c].spins;
}

static bool is_parking_call(const struct jit_cfg *cfg, uint32_t node)
{
    const struct jit_node *n = &cfg->nodes[node];

    return n->kind == JIT_END_CALL && cfg->parking && cfg->parking[n->last];
}

/* What a node where lanes wait keeps of them, in bytes; 0 for others. */
static unsigned ticket_bytes(const struct jit_cfg *cfg, uint32_t node)
{
    switch (cfg->nodes[node].kind) {
    case JIT_END_BARRIER:
        return sizeof(struct cup_abi_barrier_call);
    case JIT_END_SYNC:
        return sizeof(struct cup_abi_sync_call);
    case JIT_END_CALL:
        return is_parking_call(cfg, node) ? CUP_ABI_WARP_LANES * sizeof(uint64_t) : 0;
    default:
        return 0;
    }
}

void jit_divergent_prepare(struct jit_body *body)
{
    const struct jit_cfg *cfg = &body->cfg;
    LLVMTypeRef i32 = body->unit->i32;

    body->mask = jit_build_alloca(body, i32, 1, "mask");
    body->live = jit_build_alloca(body, i32, 1, "live");
    body->returned = jit_build_alloca(body, i32, 1, "returned");
    body->rounds = jit_build_alloca(body, i32, 1, "rounds");
    for (uint32_t p = 0; p < cfg->order_count; p++) {
        uint32_t n = cfg->order[p];

        body->pending[n] = jit_build_alloca(body, i32, 1, "pending");
        body->checks[n] = jit_build_block(body, "check");
        body->runs[n] = jit_build_block(body, "run");
        if (ticket_bytes(cfg, n)) {
            body->parked[n] = jit_build_alloca(body, i32, 1, "parked");
            body->tickets[n] =
                jit_build_alloca(body, body->unit->i64, ticket_bytes(cfg, n) / 8, "tickets");
        }
        if (is_spin_head(cfg, n))
            body->spinning[n] = jit_build_alloca(body, i32, 1, "spinning");
    }
}

void jit_divergent_reset(struct jit_body *body, LLVMValueRef lanes)
{
    for (uint32_t p = 0; p < body->cfg.order_count; p++) {
        uint32_t n = body->cfg.order[p];

        put(body, body->pending[n], jit_i32(body->unit, 0));
        if (body->parked[n])
            put(body, body->parked[n], jit_i32(body->unit, 0));
        if (body->spinning[n])
            put(body, body->spinning[n], jit_i32(body->unit, 0));
    }
    put(body, body->mask, lanes);
    put(body, body->rounds, jit_i32(body->unit, 0));
}

void jit_divergent_start(struct jit_body *body, LLVMValueRef lanes)
{
    jit_divergent_reset(body, lanes);
    put(body, body->pending[0], lanes);
    jit_registers_clear(body, true, NULL);
    /* Going through all nodes again makes the whole function a loop, and LLVM
     * would keep every address and constant of it in a register over all of it. A
     * second way in hides the loop. */
    if (body->unit->large && body->cfg.order_count > 1)
        LLVMBuildCondBr(body->builder, is_zero(body, lanes), body->checks[body->cfg.order[1]],
                        body->checks[0]);
    else
        LLVMBuildBr(body->builder, body->checks[0]);
}

static void lanes_leave(struct jit_body *body, LLVMValueRef lanes)
{
    LLVMValueRef arguments[] = {body->block, body->warp, lanes};

    put(body, body->live,
        LLVMBuildAnd(body->builder, get(body, body->live), LLVMBuildNot(body->builder, lanes, ""),
                     ""));
    if (body->unit->waiting)
        jit_build_service(body, offsetof(struct cup_abi_services, lanes_exit), body->unit->nothing,
                          arguments, 3);
}

/* Lanes that are only to leave the kernel leave at once: others may wait for
 * nobody but them. */
static void add_leaving(struct jit_body *body, LLVMValueRef lanes)
{
    LLVMBasicBlockRef some = jit_build_block(body, "exit"), none = jit_build_block(body, "exited");

    LLVMBuildCondBr(body->builder, is_zero(body, lanes), none, some);
    jit_build_at(body, some);
    lanes_leave(body, lanes);
    LLVMBuildBr(body->builder, none);
    jit_build_at(body, none);
}

static void add_pending(struct jit_body *body, uint32_t node, LLVMValueRef lanes)
{
    if (jit_node_is_exit(&body->cfg, node)) {
        add_leaving(body, lanes);
        return;
    }
    put(body, body->pending[node],
        LLVMBuildOr(body->builder, get(body, body->pending[node]), lanes, ""));
}

/* ---- Ends of nodes ---- */

static void end_branch(struct jit_body *body, const struct jit_node *node, LLVMValueRef mask)
{
    struct jit_value predicate = jit_register_read(body, node->predicate);
    LLVMValueRef taken = jit_predicate_bits(body, predicate, node->negated);

    taken = LLVMBuildAnd(body->builder, taken, mask, "");
    add_pending(body, node->next[0], taken);
    add_pending(body, node->next[1], LLVMBuildXor(body->builder, mask, taken, ""));
}

static void end_table(struct jit_body *body, const struct jit_node *node, LLVMValueRef mask)
{
    const struct ptx_instruction *last = &body->function->instructions[node->last];
    LLVMValueRef index = jit_value_vector(body, jit_operand_read(body, &last->src[0], PTX_U32));
    LLVMValueRef rest = mask;

    for (uint32_t t = 1; t < node->table_count; t++) {
        LLVMValueRef here = LLVMBuildICmp(body->builder, LLVMIntEQ, index,
                                          jit_build_splat(body, jit_i32(body->unit, t)), "");

        here = LLVMBuildAnd(body->builder, jit_build_bits(body, here), rest, "");
        rest = LLVMBuildXor(body->builder, rest, here, "");
        add_pending(body, node->table[t], here);
    }
    if (node->table_count)
        add_pending(body, node->table[0], rest);
}

static void park(struct jit_body *body, LLVMValueRef lanes)
{
    LLVMValueRef parked = body->parked[body->node];

    put(body, parked, LLVMBuildOr(body->builder, get(body, parked), lanes, ""));
}

/* All lanes of the warp are here: wait. Else the lanes arrive, and are parked
 * until the others have gone as far as they can. */
static void end_barrier(struct jit_body *body, const struct jit_node *node, LLVMValueRef mask,
                        LLVMBasicBlockRef next)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    const struct ptx_instruction *last = &body->function->instructions[node->last];
    LLVMBasicBlockRef whole, part;
    struct jit_barrier_operands barrier;
    LLVMValueRef arguments[8], result;

    if (body->regions) {
        jit_region_end_divergent(body, mask);
        return;
    }
    jit_barrier_read(body, last, &barrier);
    arguments[0] = body->block;
    arguments[1] = body->warp;
    arguments[2] = barrier.id;
    arguments[3] = barrier.threads;
    arguments[4] = mask;
    arguments[5] = jit_i32(unit, barrier.reduce);
    arguments[6] = LLVMBuildAnd(b, barrier.predicate, mask, "");
    arguments[7] = body->tickets[body->node];
    whole = jit_build_block(body, "barrier.all");
    part = jit_build_block(body, "barrier.part");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, get(body, body->live), mask, ""), whole, part);
    jit_build_at(body, whole);
    result = jit_build_service(body, offsetof(struct cup_abi_services, barrier), unit->i32,
                               arguments, 7);
    jit_barrier_result(body, last, result);
    add_pending(body, node->next[0], mask);
    LLVMBuildBr(b, next);
    jit_build_at(body, part);
    jit_build_service(body, offsetof(struct cup_abi_services, barrier_begin), unit->nothing,
                      arguments, 8);
    park(body, mask);
}

/* The lanes of a .sync instruction go on together when all of their members are
 * here; else they wait for those that are elsewhere, and perhaps come to
 * another such instruction. */
static void end_sync(struct jit_body *body, const struct jit_node *node, LLVMValueRef mask,
                     LLVMBasicBlockRef next)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    const struct ptx_instruction *last = &body->function->instructions[node->last];
    LLVMBasicBlockRef whole = jit_build_block(body, "sync.all"),
                      part = jit_build_block(body, "sync.part");
    LLVMValueRef arguments[5];

    LLVMBuildCondBr(b, is_zero(body, jit_sync_missing(body, last)), whole, part);
    jit_build_at(body, whole);
    jit_emit_instruction(body, last);
    add_pending(body, node->next[0], mask);
    LLVMBuildBr(b, next);
    jit_build_at(body, part);
    arguments[2] = jit_i32(unit, jit_sync_operands(body, last, body->tickets[body->node]));
    arguments[0] = body->block;
    arguments[1] = body->warp;
    arguments[3] = mask;
    arguments[4] = body->tickets[body->node];
    jit_build_service(body, offsetof(struct cup_abi_services, sync_begin), unit->nothing, arguments,
                      5);
    park(body, mask);
}

static void lanes_gone(struct jit_body *body, LLVMValueRef gone)
{
    put(body, body->live,
        LLVMBuildAnd(body->builder, get(body, body->live), LLVMBuildNot(body->builder, gone, ""),
                     ""));
}

static void end_call(struct jit_body *body, const struct jit_node *node, LLVMValueRef mask)
{
    LLVMBuilderRef b = body->builder;
    const struct ptx_instruction *last = &body->function->instructions[node->last];
    LLVMValueRef returned = mask, alive;

    if (is_parking_call(&body->cfg, body->node)) {
        alive = jit_emit_parking_call(body, last, body->tickets[body->node], &returned);
        park(body, LLVMBuildXor(b, mask, returned, ""));
    } else {
        alive = jit_emit_call(body, last);
    }
    lanes_gone(body, LLVMBuildXor(b, returned, alive, ""));
    add_pending(body, node->next[0], alive);
}

static void end_node(struct jit_body *body, const struct jit_node *node, LLVMBasicBlockRef next)
{
    LLVMValueRef mask = jit_mask_bits(body);

    switch (node->kind) {
    case JIT_END_JUMP:
        add_pending(body, node->next[0], mask);
        break;
    case JIT_END_BRANCH:
        end_branch(body, node, mask);
        break;
    case JIT_END_TABLE:
        end_table(body, node, mask);
        break;
    case JIT_END_BARRIER:
        end_barrier(body, node, mask, next);
        break;
    case JIT_END_CALL:
        end_call(body, node, mask);
        break;
    case JIT_END_SYNC:
        end_sync(body, node, mask, next);
        break;
    case JIT_END_TRAP:
        jit_emit_trap(body, mask, CUP_ABI_TRAP_INSTRUCTION,
                      body->function->instructions[node->last].line);
        lanes_leave(body, mask);
        break;
    case JIT_END_RETURN:
        if (!body->is_kernel) {
            put(body, body->returned,
                LLVMBuildOr(body->builder, get(body, body->returned), mask, ""));
            break;
        }
        lanes_leave(body, mask);
        break;
    case JIT_END_EXIT:
        lanes_leave(body, mask);
        break;
    }
    LLVMBuildBr(body->builder, next);
}

/* ---- Nodes and components ---- */

static void enter_from_uniform(struct jit_body *body, uint32_t at)
{
    LLVMBasicBlockRef label = NULL;

    for (uint32_t l = 0; l < body->leave_count; l++) {
        if (body->leaves[l].node != body->node || body->leaves[l].at != at)
            continue;
        if (!label) {
            label = jit_build_block(body, "enter");
            LLVMBuildBr(body->builder, label);
            jit_build_at(body, label);
        }
        body->leaves[l].to = label;
    }
}

static bool is_entered(const struct jit_body *body, uint32_t at)
{
    for (uint32_t l = 0; l < body->leave_count; l++)
        if (body->leaves[l].node == body->node && body->leaves[l].at == at)
            return true;
    return false;
}

static void emit_node(struct jit_body *body, uint32_t n, LLVMBasicBlockRef next)
{
    const struct jit_node *node = &body->cfg.nodes[n];
    LLVMValueRef pending;

    body->node = n;
    jit_build_at(body, body->checks[n]);
    pending = get(body, body->pending[n]);
    LLVMBuildCondBr(body->builder, is_zero(body, pending), next, body->runs[n]);
    jit_build_at(body, body->runs[n]);
    put(body, body->pending[n], jit_i32(body->unit, 0));
    put(body, body->mask, pending);
    jit_body_reload(body);
    jit_alignment_new_node(body);
    for (uint32_t i = node->first; i < node->end;) {
        uint32_t end = i + 1;

        enter_from_uniform(body, i);
        if (body->chunked && jit_instruction_is_pure(&body->function->instructions[i])) {
            while (end < node->end && !is_entered(body, end) &&
                   jit_instruction_is_pure(&body->function->instructions[end]))
                end++;
            jit_chunks_emit(body, i, end);
        } else {
            jit_emit_instruction(body, &body->function->instructions[i]);
        }
        i = end;
    }
    enter_from_uniform(body, node->end);
    end_node(body, node, next);
}

/* The end of a component: round again while lanes wait at its head. In a loop
 * that waits for other threads, these may be lanes of this warp: after some
 * rounds they get their turn. */
static void emit_component_end(struct jit_body *body, const struct jit_component *component)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    uint32_t head = component->head;
    LLVMBasicBlockRef out = jit_build_block(body, "loop.end");
    LLVMValueRef pending = get(body, body->pending[head]), rounds, others;
    LLVMValueRef arguments[2];

    if (!component->spins || !unit->waiting) {
        LLVMBuildCondBr(b, is_zero(body, pending), out, body->checks[head]);
        jit_build_at(body, out);
        return;
    }
    LLVMBasicBlockRef again = jit_build_block(body, "spin"),
                      long_spin = jit_build_block(body, "spin.long"),
                      yield = jit_build_block(body, "spin.yield"),
                      park = jit_build_block(body, "spin.park");

    LLVMBuildCondBr(b, is_zero(body, pending), out, again);
    jit_build_at(body, again);
    rounds = LLVMBuildAdd(b, get(body, body->rounds), jit_i32(unit, 1), "");
    put(body, body->rounds, rounds);
    rounds = LLVMBuildAnd(b, rounds, jit_i32(unit, JIT_SPIN_ROUNDS - 1), "");
    LLVMBuildCondBr(b, is_zero(body, rounds), long_spin, body->checks[head]);
    jit_build_at(body, long_spin);
    others = LLVMBuildAnd(b, get(body, body->live), LLVMBuildNot(b, pending, ""), "");
    LLVMBuildCondBr(b, is_zero(body, others), yield, park);
    jit_build_at(body, yield);
    jit_body_reload(body);
    arguments[0] = body->block;
    arguments[1] = body->warp;
    jit_build_service(body, offsetof(struct cup_abi_services, yield), unit->nothing, arguments, 2);
    LLVMBuildBr(b, body->checks[head]);
    jit_build_at(body, park);
    put(body, body->spinning[head], LLVMBuildOr(b, get(body, body->spinning[head]), pending, ""));
    put(body, body->pending[head], jit_i32(unit, 0));
    LLVMBuildBr(b, out);
    jit_build_at(body, out);
}

/* ---- When no lane can go on ---- */

/* Asks for the lanes parked at a node; the result is those that may go on.
 * alive: those of them that are still in the kernel. */
static LLVMValueRef ask(struct jit_body *body, uint32_t n, LLVMValueRef parked, LLVMValueRef *alive)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMValueRef arguments[5] = {body->block}, both, done;

    if (body->cfg.nodes[n].kind == JIT_END_BARRIER) {
        arguments[1] = parked;
        arguments[2] = body->tickets[n];
        return *alive = jit_build_service(body, offsetof(struct cup_abi_services, barrier_done),
                                          unit->i32, arguments, 3);
    }
    arguments[1] = body->warp;
    arguments[2] = parked;
    if (body->cfg.nodes[n].kind == JIT_END_SYNC) {
        arguments[3] = get(body, body->live);
        arguments[4] = body->tickets[n];
        return *alive = jit_build_service(body, offsetof(struct cup_abi_services, sync_done),
                                          unit->i32, arguments, 5);
    }
    arguments[3] = body->tickets[n];
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
                               body, body->tickets[n],
                               jit_i64(body->unit, offsetof(struct cup_abi_barrier_call, results))),
                           4));
    else if (node->kind == JIT_END_SYNC)
        jit_sync_results(body, last, body->tickets[n]);
    else
        jit_emit_call_results(body, last, n);
}

static void try_parked(struct jit_body *body, uint32_t n, LLVMValueRef progress)
{
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef look = jit_build_block(body, "parked"), go = jit_build_block(body, "unpark"),
                      after = jit_build_block(body, "parked.end");
    LLVMValueRef parked = get(body, body->parked[n]), done, alive;

    LLVMBuildCondBr(b, is_zero(body, parked), after, look);
    jit_build_at(body, look);
    done = ask(body, n, parked, &alive);
    LLVMBuildCondBr(b, is_zero(body, done), after, go);
    jit_build_at(body, go);
    put(body, body->parked[n], LLVMBuildXor(b, get(body, body->parked[n]), done, ""));
    lanes_gone(body, LLVMBuildXor(b, done, alive, ""));
    put(body, body->mask, alive);
    body->node = n;
    jit_alignment_new_node(body);
    fetch_results(body, n);
    add_pending(body, body->cfg.nodes[n].next[0], alive);
    put(body, progress, jit_i32(body->unit, 1));
    LLVMBuildBr(b, after);
    jit_build_at(body, after);
}

/* Lanes there are not looked at here: their warp stops, and its turn comes. */
static bool in_region(const struct jit_body *body, uint32_t node)
{
    return body->regions && body->cfg.nodes[node].kind == JIT_END_BARRIER;
}

static LLVMValueRef all_of(struct jit_body *body, LLVMValueRef *sets, LLVMValueRef with)
{
    for (uint32_t p = 0; p < body->cfg.order_count; p++)
        if (sets[body->cfg.order[p]] && !in_region(body, body->cfg.order[p]))
            with = LLVMBuildOr(body->builder, with, get(body, sets[body->cfg.order[p]]), "");
    return with;
}

/* Lanes at barriers, in calls and where they wait for others of their warp are
 * asked for first; if none can go on, others get their turn, and then lanes
 * that spin another one. */
static void emit_rest(struct jit_body *body)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    const struct jit_cfg *cfg = &body->cfg;
    LLVMBasicBlockRef look = jit_build_block(body, "look"), stuck = jit_build_block(body, "stuck"),
                      rest = body->regions ? jit_build_block(body, "rest") : body->done;
    LLVMValueRef progress = jit_build_alloca(body, unit->i32, 1, "progress"), parked, spinning,
                 arguments[4];

    parked = all_of(body, body->spinning, all_of(body, body->parked, jit_i32(unit, 0)));
    LLVMBuildCondBr(b, is_zero(body, parked), rest, look);
    if (body->regions) {
        jit_build_at(body, rest);
        jit_regions_rest(body);
    }
    jit_build_at(body, look);
    jit_body_reload(body);
    put(body, progress, jit_i32(unit, 0));
    for (uint32_t p = 0; p < cfg->order_count; p++)
        if (body->parked[cfg->order[p]] && !in_region(body, cfg->order[p]))
            try_parked(body, cfg->order[p], progress);
    LLVMBuildCondBr(b, is_zero(body, get(body, progress)), stuck, body->checks[0]);
    jit_build_at(body, stuck);
    spinning = all_of(body, body->spinning, jit_i32(unit, 0));
    arguments[0] = body->block;
    arguments[1] = body->warp;
    arguments[2] = spinning;
    arguments[3] = body->is_kernel ? jit_i32(unit, 0) : get(body, body->returned);
    jit_build_service(body, offsetof(struct cup_abi_services, park), unit->nothing, arguments, 4);
    if (!body->is_kernel) /* the caller goes on with them */
        put(body, body->returned, jit_i32(unit, 0));
    for (uint32_t p = 0; p < cfg->order_count; p++) {
        uint32_t n = cfg->order[p];

        if (!body->spinning[n])
            continue;
        add_pending(body, n, get(body, body->spinning[n]));
        put(body, body->spinning[n], jit_i32(unit, 0));
    }
    LLVMBuildCondBr(b, is_zero(body, spinning), look, body->checks[0]);
}

void jit_divergent_emit(struct jit_body *body)
{
    const struct jit_cfg *cfg = &body->cfg;

    body->divergent = true;
    for (uint32_t p = 0; p < cfg->order_count && !body->unit->failed; p++) {
        LLVMBasicBlockRef next = jit_build_block(body, "next");

        emit_node(body, cfg->order[p], next);
        jit_build_at(body, next);
        /* Inner components come after outer ones. */
        for (uint32_t c = cfg->component_count; c-- > 0;)
            if (cfg->components[c].end == p + 1)
                emit_component_end(body, &cfg->components[c]);
        if (p + 1 < cfg->order_count)
            LLVMBuildBr(body->builder, body->checks[cfg->order[p + 1]]);
    }
    if (body->unit->failed)
        return;
    if (cfg->parks || body->regions)
        emit_rest(body);
    else
        LLVMBuildBr(body->builder, body->done);
    for (uint32_t l = 0; l < body->leave_count; l++) {
        const struct jit_leave *leave = &body->leaves[l];

        jit_build_at(body, leave->from);
        jit_divergent_reset(body, body->full);
        put(body, body->live, body->full);
        jit_registers_hand_over(body, leave->node, leave->at);
        LLVMBuildBr(body->builder, leave->to);
    }
}
