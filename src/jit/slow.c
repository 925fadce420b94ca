/* SPDX-License-Identifier: MIT */
/* The slow clone: any set of lanes, any control flow. Each node has a mask of
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

static LLVMValueRef get(struct cup_body *body, LLVMValueRef place)
{
    return LLVMBuildLoad2(body->builder, body->unit->i32, place, "");
}

static void put(struct cup_body *body, LLVMValueRef place, LLVMValueRef value)
{
    LLVMBuildStore(body->builder, value, place);
}

static LLVMValueRef is_zero(struct cup_body *body, LLVMValueRef value)
{
    return LLVMBuildICmp(body->builder, LLVMIntEQ, value, cup_i32(body->unit, 0), "");
}

static bool is_spin_head(const struct cup_cfg *cfg, uint32_t node)
{
    uint32_t c = cfg->nodes[node].component;

    return c != CUP_NO_BLOCK && cfg->components[c].head == node && cfg->components[c].spins;
}

static bool is_parking_call(const struct cup_cfg *cfg, uint32_t node)
{
    const struct cup_node *n = &cfg->nodes[node];

    return n->kind == CUP_END_CALL && cfg->parking && cfg->parking[n->last];
}

/* What a node where lanes wait keeps of them, in bytes; 0 for others. */
static unsigned ticket_bytes(const struct cup_cfg *cfg, uint32_t node)
{
    switch (cfg->nodes[node].kind) {
    case CUP_END_BARRIER:
        return sizeof(struct cup_barrier_call);
    case CUP_END_SYNC:
        return sizeof(struct cup_sync_call);
    case CUP_END_CALL:
        return is_parking_call(cfg, node) ? CUP_WARP_LANES * sizeof(uint64_t) : 0;
    default:
        return 0;
    }
}

void cup_slow_prepare(struct cup_body *body)
{
    const struct cup_cfg *cfg = &body->cfg;
    LLVMTypeRef i32 = body->unit->i32;

    body->mask = cup_build_alloca(body, i32, 1, "mask");
    body->live = cup_build_alloca(body, i32, 1, "live");
    body->returned = cup_build_alloca(body, i32, 1, "returned");
    body->rounds = cup_build_alloca(body, i32, 1, "rounds");
    for (uint32_t p = 0; p < cfg->order_count; p++) {
        uint32_t n = cfg->order[p];

        body->pending[n] = cup_build_alloca(body, i32, 1, "pending");
        body->checks[n] = cup_build_block(body, "check");
        body->runs[n] = cup_build_block(body, "run");
        if (ticket_bytes(cfg, n)) {
            body->parked[n] = cup_build_alloca(body, i32, 1, "parked");
            body->tickets[n] =
                cup_build_alloca(body, body->unit->i64, ticket_bytes(cfg, n) / 8, "tickets");
        }
        if (is_spin_head(cfg, n))
            body->spinning[n] = cup_build_alloca(body, i32, 1, "spinning");
    }
}

void cup_slow_reset(struct cup_body *body, LLVMValueRef lanes)
{
    for (uint32_t p = 0; p < body->cfg.order_count; p++) {
        uint32_t n = body->cfg.order[p];

        put(body, body->pending[n], cup_i32(body->unit, 0));
        if (body->parked[n])
            put(body, body->parked[n], cup_i32(body->unit, 0));
        if (body->spinning[n])
            put(body, body->spinning[n], cup_i32(body->unit, 0));
    }
    put(body, body->mask, lanes);
    put(body, body->rounds, cup_i32(body->unit, 0));
}

void cup_slow_start(struct cup_body *body, LLVMValueRef lanes)
{
    cup_slow_reset(body, lanes);
    put(body, body->pending[0], lanes);
    cup_registers_clear(body, true, NULL);
    /* Going through all nodes again makes the whole function a loop, and LLVM
     * would keep every address and constant of it in a register over all of it. A
     * second way in hides the loop. */
    if (body->unit->large && body->cfg.order_count > 1)
        LLVMBuildCondBr(body->builder, is_zero(body, lanes), body->checks[body->cfg.order[1]],
                        body->checks[0]);
    else
        LLVMBuildBr(body->builder, body->checks[0]);
}

static void lanes_leave(struct cup_body *body, LLVMValueRef lanes)
{
    LLVMValueRef arguments[] = {body->block, body->warp, lanes};

    put(body, body->live,
        LLVMBuildAnd(body->builder, get(body, body->live), LLVMBuildNot(body->builder, lanes, ""),
                     ""));
    if (body->unit->waiting)
        cup_build_service(body, offsetof(struct cup_services, lanes_exit), body->unit->nothing,
                          arguments, 3);
}

/* Lanes that are only to leave the kernel leave at once: others may wait for
 * nobody but them. */
static void add_leaving(struct cup_body *body, LLVMValueRef lanes)
{
    LLVMBasicBlockRef some = cup_build_block(body, "exit"), none = cup_build_block(body, "exited");

    LLVMBuildCondBr(body->builder, is_zero(body, lanes), none, some);
    cup_build_at(body, some);
    lanes_leave(body, lanes);
    LLVMBuildBr(body->builder, none);
    cup_build_at(body, none);
}

static void add_pending(struct cup_body *body, uint32_t node, LLVMValueRef lanes)
{
    if (cup_node_is_exit(&body->cfg, node)) {
        add_leaving(body, lanes);
        return;
    }
    put(body, body->pending[node],
        LLVMBuildOr(body->builder, get(body, body->pending[node]), lanes, ""));
}

/* ---- Ends of nodes ---- */

static void end_branch(struct cup_body *body, const struct cup_node *node, LLVMValueRef mask)
{
    struct cup_value predicate = cup_register_read(body, node->predicate);
    LLVMValueRef taken = cup_predicate_bits(body, predicate, node->negated);

    taken = LLVMBuildAnd(body->builder, taken, mask, "");
    add_pending(body, node->next[0], taken);
    add_pending(body, node->next[1], LLVMBuildXor(body->builder, mask, taken, ""));
}

static void end_table(struct cup_body *body, const struct cup_node *node, LLVMValueRef mask)
{
    const struct ptx_instruction *last = &body->function->instructions[node->last];
    LLVMValueRef index = cup_value_vector(body, cup_operand_read(body, &last->src[0], PTX_U32));
    LLVMValueRef rest = mask;

    for (uint32_t t = 1; t < node->table_count; t++) {
        LLVMValueRef here = LLVMBuildICmp(body->builder, LLVMIntEQ, index,
                                          cup_build_splat(body, cup_i32(body->unit, t)), "");

        here = LLVMBuildAnd(body->builder, cup_build_bits(body, here), rest, "");
        rest = LLVMBuildXor(body->builder, rest, here, "");
        add_pending(body, node->table[t], here);
    }
    if (node->table_count)
        add_pending(body, node->table[0], rest);
}

static void park(struct cup_body *body, LLVMValueRef lanes)
{
    LLVMValueRef parked = body->parked[body->node];

    put(body, parked, LLVMBuildOr(body->builder, get(body, parked), lanes, ""));
}

/* All lanes of the warp are here: wait. Else the lanes arrive, and are parked
 * until the others have gone as far as they can. */
static void end_barrier(struct cup_body *body, const struct cup_node *node, LLVMValueRef mask,
                        LLVMBasicBlockRef next)
{
    struct cup_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    const struct ptx_instruction *last = &body->function->instructions[node->last];
    LLVMBasicBlockRef whole, part;
    struct cup_barrier_operands barrier;
    LLVMValueRef arguments[8], result;

    if (body->regions) {
        cup_region_end_slow(body, mask);
        return;
    }
    cup_barrier_read(body, last, &barrier);
    arguments[0] = body->block;
    arguments[1] = body->warp;
    arguments[2] = barrier.id;
    arguments[3] = barrier.threads;
    arguments[4] = mask;
    arguments[5] = cup_i32(unit, barrier.reduce);
    arguments[6] = LLVMBuildAnd(b, barrier.predicate, mask, "");
    arguments[7] = body->tickets[body->node];
    whole = cup_build_block(body, "barrier.all");
    part = cup_build_block(body, "barrier.part");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, get(body, body->live), mask, ""), whole, part);
    cup_build_at(body, whole);
    result =
        cup_build_service(body, offsetof(struct cup_services, barrier), unit->i32, arguments, 7);
    cup_barrier_result(body, last, result);
    add_pending(body, node->next[0], mask);
    LLVMBuildBr(b, next);
    cup_build_at(body, part);
    cup_build_service(body, offsetof(struct cup_services, barrier_begin), unit->nothing, arguments,
                      8);
    park(body, mask);
}

/* The lanes of a .sync instruction go on together when all of their members are
 * here; else they wait for those that are elsewhere, and perhaps come to
 * another such instruction. */
static void end_sync(struct cup_body *body, const struct cup_node *node, LLVMValueRef mask,
                     LLVMBasicBlockRef next)
{
    struct cup_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    const struct ptx_instruction *last = &body->function->instructions[node->last];
    LLVMBasicBlockRef whole = cup_build_block(body, "sync.all"),
                      part = cup_build_block(body, "sync.part");
    LLVMValueRef arguments[5];

    LLVMBuildCondBr(b, is_zero(body, cup_sync_missing(body, last)), whole, part);
    cup_build_at(body, whole);
    cup_emit_instruction(body, last);
    add_pending(body, node->next[0], mask);
    LLVMBuildBr(b, next);
    cup_build_at(body, part);
    arguments[2] = cup_i32(unit, cup_sync_operands(body, last, body->tickets[body->node]));
    arguments[0] = body->block;
    arguments[1] = body->warp;
    arguments[3] = mask;
    arguments[4] = body->tickets[body->node];
    cup_build_service(body, offsetof(struct cup_services, sync_begin), unit->nothing, arguments, 5);
    park(body, mask);
}

static void lanes_gone(struct cup_body *body, LLVMValueRef gone)
{
    put(body, body->live,
        LLVMBuildAnd(body->builder, get(body, body->live), LLVMBuildNot(body->builder, gone, ""),
                     ""));
}

static void end_call(struct cup_body *body, const struct cup_node *node, LLVMValueRef mask)
{
    LLVMBuilderRef b = body->builder;
    const struct ptx_instruction *last = &body->function->instructions[node->last];
    LLVMValueRef returned = mask, alive;

    if (is_parking_call(&body->cfg, body->node)) {
        alive = cup_emit_parking_call(body, last, body->tickets[body->node], &returned);
        park(body, LLVMBuildXor(b, mask, returned, ""));
    } else {
        alive = cup_emit_call(body, last);
    }
    lanes_gone(body, LLVMBuildXor(b, returned, alive, ""));
    add_pending(body, node->next[0], alive);
}

static void end_node(struct cup_body *body, const struct cup_node *node, LLVMBasicBlockRef next)
{
    LLVMValueRef mask = cup_mask_bits(body);

    switch (node->kind) {
    case CUP_END_JUMP:
        add_pending(body, node->next[0], mask);
        break;
    case CUP_END_BRANCH:
        end_branch(body, node, mask);
        break;
    case CUP_END_TABLE:
        end_table(body, node, mask);
        break;
    case CUP_END_BARRIER:
        end_barrier(body, node, mask, next);
        break;
    case CUP_END_CALL:
        end_call(body, node, mask);
        break;
    case CUP_END_SYNC:
        end_sync(body, node, mask, next);
        break;
    case CUP_END_TRAP:
        cup_emit_trap(body, mask, CUP_TRAP_INSTRUCTION,
                      body->function->instructions[node->last].line);
        lanes_leave(body, mask);
        break;
    case CUP_END_RETURN:
        if (!body->is_kernel) {
            put(body, body->returned,
                LLVMBuildOr(body->builder, get(body, body->returned), mask, ""));
            break;
        }
        lanes_leave(body, mask);
        break;
    case CUP_END_EXIT:
        lanes_leave(body, mask);
        break;
    }
    LLVMBuildBr(body->builder, next);
}

/* ---- Nodes and components ---- */

static void enter_from_fast(struct cup_body *body, uint32_t at)
{
    LLVMBasicBlockRef label = NULL;

    for (uint32_t l = 0; l < body->leave_count; l++) {
        if (body->leaves[l].node != body->node || body->leaves[l].at != at)
            continue;
        if (!label) {
            label = cup_build_block(body, "enter");
            LLVMBuildBr(body->builder, label);
            cup_build_at(body, label);
        }
        body->leaves[l].to = label;
    }
}

static bool is_entered(const struct cup_body *body, uint32_t at)
{
    for (uint32_t l = 0; l < body->leave_count; l++)
        if (body->leaves[l].node == body->node && body->leaves[l].at == at)
            return true;
    return false;
}

static void emit_node(struct cup_body *body, uint32_t n, LLVMBasicBlockRef next)
{
    const struct cup_node *node = &body->cfg.nodes[n];
    LLVMValueRef pending;

    body->node = n;
    cup_build_at(body, body->checks[n]);
    pending = get(body, body->pending[n]);
    LLVMBuildCondBr(body->builder, is_zero(body, pending), next, body->runs[n]);
    cup_build_at(body, body->runs[n]);
    put(body, body->pending[n], cup_i32(body->unit, 0));
    put(body, body->mask, pending);
    cup_body_reload(body);
    for (uint32_t i = node->first; i < node->end;) {
        uint32_t end = i + 1;

        enter_from_fast(body, i);
        if (body->chunked && cup_instruction_is_pure(&body->function->instructions[i])) {
            while (end < node->end && !is_entered(body, end) &&
                   cup_instruction_is_pure(&body->function->instructions[end]))
                end++;
            cup_chunks_emit(body, i, end);
        } else {
            cup_emit_instruction(body, &body->function->instructions[i]);
        }
        i = end;
    }
    enter_from_fast(body, node->end);
    end_node(body, node, next);
}

/* The end of a component: round again while lanes wait at its head. In a loop
 * that waits for other threads, these may be lanes of this warp: after some
 * rounds they get their turn. */
static void emit_component_end(struct cup_body *body, const struct cup_component *component)
{
    struct cup_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    uint32_t head = component->head;
    LLVMBasicBlockRef out = cup_build_block(body, "loop.end");
    LLVMValueRef pending = get(body, body->pending[head]), rounds, others;
    LLVMValueRef arguments[2];

    if (!component->spins || !unit->waiting) {
        LLVMBuildCondBr(b, is_zero(body, pending), out, body->checks[head]);
        cup_build_at(body, out);
        return;
    }
    LLVMBasicBlockRef again = cup_build_block(body, "spin"),
                      long_spin = cup_build_block(body, "spin.long"),
                      yield = cup_build_block(body, "spin.yield"),
                      park = cup_build_block(body, "spin.park");

    LLVMBuildCondBr(b, is_zero(body, pending), out, again);
    cup_build_at(body, again);
    rounds = LLVMBuildAdd(b, get(body, body->rounds), cup_i32(unit, 1), "");
    put(body, body->rounds, rounds);
    rounds = LLVMBuildAnd(b, rounds, cup_i32(unit, CUP_SPIN_ROUNDS - 1), "");
    LLVMBuildCondBr(b, is_zero(body, rounds), long_spin, body->checks[head]);
    cup_build_at(body, long_spin);
    others = LLVMBuildAnd(b, get(body, body->live), LLVMBuildNot(b, pending, ""), "");
    LLVMBuildCondBr(b, is_zero(body, others), yield, park);
    cup_build_at(body, yield);
    cup_body_reload(body);
    arguments[0] = body->block;
    arguments[1] = body->warp;
    cup_build_service(body, offsetof(struct cup_services, yield), unit->nothing, arguments, 2);
    LLVMBuildBr(b, body->checks[head]);
    cup_build_at(body, park);
    put(body, body->spinning[head], LLVMBuildOr(b, get(body, body->spinning[head]), pending, ""));
    put(body, body->pending[head], cup_i32(unit, 0));
    LLVMBuildBr(b, out);
    cup_build_at(body, out);
}

/* ---- When no lane can go on ---- */

/* Asks for the lanes parked at a node; the result is those that may go on.
 * alive: those of them that are still in the kernel. */
static LLVMValueRef ask(struct cup_body *body, uint32_t n, LLVMValueRef parked, LLVMValueRef *alive)
{
    struct cup_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMValueRef arguments[5] = {body->block}, both, done;

    if (body->cfg.nodes[n].kind == CUP_END_BARRIER) {
        arguments[1] = parked;
        arguments[2] = body->tickets[n];
        return *alive = cup_build_service(body, offsetof(struct cup_services, barrier_done),
                                          unit->i32, arguments, 3);
    }
    arguments[1] = body->warp;
    arguments[2] = parked;
    if (body->cfg.nodes[n].kind == CUP_END_SYNC) {
        arguments[3] = get(body, body->live);
        arguments[4] = body->tickets[n];
        return *alive = cup_build_service(body, offsetof(struct cup_services, sync_done), unit->i32,
                                          arguments, 5);
    }
    arguments[3] = body->tickets[n];
    both = cup_build_service(body, offsetof(struct cup_services, call_resume), unit->i64, arguments,
                             4);
    done = LLVMBuildTrunc(b, LLVMBuildLShr(b, both, cup_i64(unit, 32), ""), unit->i32, "");
    *alive = LLVMBuildTrunc(b, both, unit->i32, "");
    return done;
}

static void fetch_results(struct cup_body *body, uint32_t n)
{
    const struct cup_node *node = &body->cfg.nodes[n];
    const struct ptx_instruction *last = &body->function->instructions[node->last];

    if (node->kind == CUP_END_BARRIER)
        cup_barrier_result(
            body, last,
            cup_build_load(
                body, cup_vector_type(body, body->unit->i32),
                cup_build_offset(body, body->tickets[n],
                                 cup_i64(body->unit, offsetof(struct cup_barrier_call, results))),
                4));
    else if (node->kind == CUP_END_SYNC)
        cup_sync_results(body, last, body->tickets[n]);
    else
        cup_emit_call_results(body, last, n);
}

static void try_parked(struct cup_body *body, uint32_t n, LLVMValueRef progress)
{
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef look = cup_build_block(body, "parked"), go = cup_build_block(body, "unpark"),
                      after = cup_build_block(body, "parked.end");
    LLVMValueRef parked = get(body, body->parked[n]), done, alive;

    LLVMBuildCondBr(b, is_zero(body, parked), after, look);
    cup_build_at(body, look);
    done = ask(body, n, parked, &alive);
    LLVMBuildCondBr(b, is_zero(body, done), after, go);
    cup_build_at(body, go);
    put(body, body->parked[n], LLVMBuildXor(b, get(body, body->parked[n]), done, ""));
    lanes_gone(body, LLVMBuildXor(b, done, alive, ""));
    put(body, body->mask, alive);
    body->node = n;
    fetch_results(body, n);
    add_pending(body, body->cfg.nodes[n].next[0], alive);
    put(body, progress, cup_i32(body->unit, 1));
    LLVMBuildBr(b, after);
    cup_build_at(body, after);
}

/* Lanes there are not looked at here: their warp stops, and its turn comes. */
static bool in_region(const struct cup_body *body, uint32_t node)
{
    return body->regions && body->cfg.nodes[node].kind == CUP_END_BARRIER;
}

static LLVMValueRef all_of(struct cup_body *body, LLVMValueRef *sets, LLVMValueRef with)
{
    for (uint32_t p = 0; p < body->cfg.order_count; p++)
        if (sets[body->cfg.order[p]] && !in_region(body, body->cfg.order[p]))
            with = LLVMBuildOr(body->builder, with, get(body, sets[body->cfg.order[p]]), "");
    return with;
}

/* Lanes at barriers, in calls and where they wait for others of their warp are
 * asked for first; if none can go on, others get their turn, and then lanes
 * that spin another one. */
static void emit_rest(struct cup_body *body)
{
    struct cup_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    const struct cup_cfg *cfg = &body->cfg;
    LLVMBasicBlockRef look = cup_build_block(body, "look"), stuck = cup_build_block(body, "stuck"),
                      rest = body->regions ? cup_build_block(body, "rest") : body->done;
    LLVMValueRef progress = cup_build_alloca(body, unit->i32, 1, "progress"), parked, spinning,
                 arguments[4];

    parked = all_of(body, body->spinning, all_of(body, body->parked, cup_i32(unit, 0)));
    LLVMBuildCondBr(b, is_zero(body, parked), rest, look);
    if (body->regions) {
        cup_build_at(body, rest);
        cup_regions_rest(body);
    }
    cup_build_at(body, look);
    cup_body_reload(body);
    put(body, progress, cup_i32(unit, 0));
    for (uint32_t p = 0; p < cfg->order_count; p++)
        if (body->parked[cfg->order[p]] && !in_region(body, cfg->order[p]))
            try_parked(body, cfg->order[p], progress);
    LLVMBuildCondBr(b, is_zero(body, get(body, progress)), stuck, body->checks[0]);
    cup_build_at(body, stuck);
    spinning = all_of(body, body->spinning, cup_i32(unit, 0));
    arguments[0] = body->block;
    arguments[1] = body->warp;
    arguments[2] = spinning;
    arguments[3] = body->is_kernel ? cup_i32(unit, 0) : get(body, body->returned);
    cup_build_service(body, offsetof(struct cup_services, park), unit->nothing, arguments, 4);
    if (!body->is_kernel) /* the caller goes on with them */
        put(body, body->returned, cup_i32(unit, 0));
    for (uint32_t p = 0; p < cfg->order_count; p++) {
        uint32_t n = cfg->order[p];

        if (!body->spinning[n])
            continue;
        add_pending(body, n, get(body, body->spinning[n]));
        put(body, body->spinning[n], cup_i32(unit, 0));
    }
    LLVMBuildCondBr(b, is_zero(body, spinning), look, body->checks[0]);
}

void cup_slow_emit(struct cup_body *body)
{
    const struct cup_cfg *cfg = &body->cfg;

    body->slow = true;
    for (uint32_t p = 0; p < cfg->order_count && !body->unit->failed; p++) {
        LLVMBasicBlockRef next = cup_build_block(body, "next");

        emit_node(body, cfg->order[p], next);
        cup_build_at(body, next);
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
        const struct cup_leave *leave = &body->leaves[l];

        cup_build_at(body, leave->from);
        cup_slow_reset(body, body->full);
        put(body, body->live, body->full);
        cup_registers_hand_over(body, leave->node, leave->at);
        LLVMBuildBr(body->builder, leave->to);
    }
}
