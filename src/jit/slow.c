/* SPDX-License-Identifier: MIT */
/* The slow clone: any set of lanes, any control flow. Each node has a mask of lanes that are to run
 * it. The nodes are gone through in a weak topological order; a node with lanes takes them all and
 * gives them to its successors. So lanes that part meet again at the first node that all reach, and
 * a loop's body is empty before its next round.
 *
 * Lanes that wait while others of their warp are still on their way are parked: at a barrier, or at
 * the head of a loop that waits for other threads. When no lane can go on, the parked ones are
 * looked at again. */
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
        if (cfg->nodes[n].kind == CUP_END_BARRIER || is_spin_head(cfg, n))
            body->parked[n] = cup_build_alloca(body, i32, 1, "parked");
        if (cfg->nodes[n].kind == CUP_END_BARRIER)
            body->tickets[n] = cup_build_alloca(body, body->unit->i64, 3, "ticket");
    }
}

static void reset_masks(struct cup_body *body, LLVMValueRef lanes)
{
    for (uint32_t p = 0; p < body->cfg.order_count; p++) {
        uint32_t n = body->cfg.order[p];

        put(body, body->pending[n], cup_i32(body->unit, 0));
        if (body->parked[n])
            put(body, body->parked[n], cup_i32(body->unit, 0));
    }
    put(body, body->mask, lanes);
    put(body, body->rounds, cup_i32(body->unit, 0));
}

void cup_slow_start(struct cup_body *body, LLVMValueRef lanes)
{
    reset_masks(body, lanes);
    put(body, body->pending[0], lanes);
    cup_registers_clear(body, true, NULL);
    /* Going through all nodes again makes the whole function a loop, and LLVM would keep every
     * address and constant of it in a register over all of it. A second way in hides the loop. */
    if (body->unit->large && body->cfg.order_count > 1)
        LLVMBuildCondBr(body->builder, is_zero(body, lanes), body->checks[body->cfg.order[1]],
                        body->checks[0]);
    else
        LLVMBuildBr(body->builder, body->checks[0]);
}

static void add_pending(struct cup_body *body, uint32_t node, LLVMValueRef lanes)
{
    put(body, body->pending[node],
        LLVMBuildOr(body->builder, get(body, body->pending[node]), lanes, ""));
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

static LLVMValueRef ticket_field(struct cup_body *body, uint32_t node, unsigned field)
{
    return cup_build_offset(body, body->tickets[node], cup_i64(body->unit, 8u * field));
}

/* All lanes of the warp are here: wait. Else the lanes arrive, and are parked until the others have
 * gone as far as they can. */
static void end_barrier(struct cup_body *body, const struct cup_node *node, LLVMValueRef mask,
                        LLVMBasicBlockRef next)
{
    struct cup_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    const struct ptx_instruction *last = &body->function->instructions[node->last];
    LLVMBasicBlockRef whole = cup_build_block(body, "barrier.all"),
                      part = cup_build_block(body, "barrier.part");
    struct cup_barrier_operands barrier;
    LLVMValueRef arguments[7], result, parked = body->parked[body->node];

    cup_barrier_read(body, last, &barrier);
    arguments[0] = body->block;
    arguments[1] = body->warp;
    arguments[2] = barrier.id;
    arguments[3] = barrier.threads;
    arguments[4] = mask;
    arguments[5] = cup_i32(unit, barrier.reduce);
    arguments[6] = LLVMBuildAnd(b, barrier.predicate, mask, "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, get(body, body->live), mask, ""), whole, part);
    cup_build_at(body, whole);
    result =
        cup_build_service(body, offsetof(struct cup_services, barrier), unit->i32, arguments, 7);
    cup_barrier_result(body, last, result);
    add_pending(body, node->next[0], mask);
    LLVMBuildBr(b, next);
    cup_build_at(body, part);
    result = cup_build_service(body, offsetof(struct cup_services, barrier_begin), unit->i64,
                               arguments, 7);
    LLVMBuildStore(b, result, ticket_field(body, body->node, 0));
    LLVMBuildStore(b, barrier.id, ticket_field(body, body->node, 1));
    put(body, parked, LLVMBuildOr(b, get(body, parked), mask, ""));
}

static void end_call(struct cup_body *body, const struct cup_node *node, LLVMValueRef mask)
{
    LLVMBuilderRef b = body->builder;
    LLVMValueRef alive = cup_emit_call(body, &body->function->instructions[node->last]), gone;

    gone = LLVMBuildAnd(b, mask, LLVMBuildNot(b, alive, ""), "");
    put(body, body->live, LLVMBuildAnd(b, get(body, body->live), LLVMBuildNot(b, gone, ""), ""));
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

/* The end of a component: round again while lanes wait at its head. In a loop that waits for other
 * threads, these may be lanes of this warp: after some rounds they get their turn. */
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
    put(body, body->parked[head], LLVMBuildOr(b, get(body, body->parked[head]), pending, ""));
    put(body, body->pending[head], cup_i32(unit, 0));
    LLVMBuildBr(b, out);
    cup_build_at(body, out);
}

/* ---- When no lane can go on ---- */

static void unpark(struct cup_body *body, uint32_t from, uint32_t to)
{
    add_pending(body, to, get(body, body->parked[from]));
    put(body, body->parked[from], cup_i32(body->unit, 0));
}

static void try_barrier(struct cup_body *body, uint32_t n, LLVMValueRef progress)
{
    struct cup_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    const struct cup_node *node = &body->cfg.nodes[n];
    LLVMBasicBlockRef ask = cup_build_block(body, "parked"), go = cup_build_block(body, "unpark"),
                      after = cup_build_block(body, "parked.end");
    LLVMValueRef arguments[4], done;

    LLVMBuildCondBr(b, is_zero(body, get(body, body->parked[n])), after, ask);
    cup_build_at(body, ask);
    arguments[0] = body->block;
    arguments[1] = LLVMBuildLoad2(b, unit->i32, ticket_field(body, n, 1), "");
    arguments[2] = LLVMBuildLoad2(b, unit->i64, ticket_field(body, n, 0), "");
    arguments[3] = ticket_field(body, n, 2);
    done = cup_build_service(body, offsetof(struct cup_services, barrier_done), unit->i8, arguments,
                             4);
    done = LLVMBuildTrunc(b, done, unit->i1, "");
    LLVMBuildCondBr(b, done, go, after);
    cup_build_at(body, go);
    put(body, body->mask, get(body, body->parked[n]));
    body->node = n;
    cup_barrier_result(body, &body->function->instructions[node->last],
                       LLVMBuildLoad2(b, unit->i32, ticket_field(body, n, 2), ""));
    unpark(body, n, node->next[0]);
    put(body, progress, cup_i32(unit, 1));
    LLVMBuildBr(b, after);
    cup_build_at(body, after);
}

static void emit_rest(struct cup_body *body)
{
    struct cup_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    const struct cup_cfg *cfg = &body->cfg;
    LLVMBasicBlockRef look = cup_build_block(body, "look");
    LLVMValueRef progress = cup_build_alloca(body, unit->i32, 1, "progress");
    LLVMValueRef parked = cup_i32(unit, 0), arguments[2];

    for (uint32_t p = 0; p < cfg->order_count; p++)
        if (body->parked[cfg->order[p]])
            parked = LLVMBuildOr(b, parked, get(body, body->parked[cfg->order[p]]), "");
    LLVMBuildCondBr(b, is_zero(body, parked), body->done, look);
    cup_build_at(body, look);
    cup_body_reload(body);
    arguments[0] = body->block;
    arguments[1] = body->warp;
    cup_build_service(body, offsetof(struct cup_services, yield), unit->nothing, arguments, 2);
    put(body, progress, cup_i32(unit, 0));
    for (uint32_t p = 0; p < cfg->order_count; p++) {
        uint32_t n = cfg->order[p];

        if (cfg->nodes[n].kind == CUP_END_BARRIER) {
            try_barrier(body, n, progress);
        } else if (body->parked[n]) {
            put(body, progress,
                LLVMBuildOr(b, get(body, progress), get(body, body->parked[n]), ""));
            unpark(body, n, n);
        }
    }
    LLVMBuildCondBr(b, is_zero(body, get(body, progress)), look, body->checks[0]);
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
    if (cfg->parks)
        emit_rest(body);
    else
        LLVMBuildBr(body->builder, body->done);
    for (uint32_t l = 0; l < body->leave_count; l++) {
        const struct cup_leave *leave = &body->leaves[l];

        cup_build_at(body, leave->from);
        reset_masks(body, body->full);
        put(body, body->live, body->full);
        cup_registers_hand_over(body, leave->node, leave->at);
        LLVMBuildBr(body->builder, leave->to);
    }
}
