/* SPDX-License-Identifier: MIT */
/* The uniform variant: all lanes of the vector are active, so control flow is scalar. Where the
 * lanes disagree at a branch, it bails out to the divergent variant, at that branch, with its
 * registers. */
#include "jit/variants/uniform.h"

#include "abi/services.h"
#include "jit/analysis/instruction.h"
#include "jit/analysis/uniformity.h"
#include "jit/emit/alignment.h"
#include "jit/emit/barriers.h"
#include "jit/emit/calls.h"
#include "jit/emit/cold_paths.h"
#include "jit/emit/emit.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"
#include "jit/emit/operands.h"
#include "jit/emit/registers.h"
#include "jit/emit/warp_calls.h"
#include "jit/instrument/accesses.h"
#include "jit/instrument/loops.h"
#include "jit/transform/predication.h"
#include "jit/variants/bailout.h"
#include "jit/variants/barrier_regions.h"
#include "jit/variants/divergent.h"

#include <stddef.h>

static bool is_changed(const struct jit_emitter *e, const struct ptx_operand *operand,
                       uint32_t from, uint32_t to)
{
    for (uint32_t i = from; operand->kind == PTX_OPERAND_REGISTER && i < to; i++)
        if (jit_instruction_defines_register(&e->function->cfg, &e->function->ptx->instructions[i],
                                             operand->index))
            return true;
    return false;
}

static bool is_order(const struct ptx_instruction *i)
{
    static const enum ptx_modifier orders[] = {PTX_MOD_EQ, PTX_MOD_NE, PTX_MOD_LT, PTX_MOD_LE,
                                               PTX_MOD_GT, PTX_MOD_GE, PTX_MOD_LO, PTX_MOD_LS,
                                               PTX_MOD_HI, PTX_MOD_HS};
    unsigned found = 0;

    for (size_t o = 0; o < sizeof(orders) / sizeof(*orders); o++)
        found += ptx_has(i, orders[o]);
    return found == 1 && !ptx_has(i, PTX_MOD_AND) && !ptx_has(i, PTX_MOD_OR) &&
           !ptx_has(i, PTX_MOD_XOR);
}

/* Finds the comparison of an affine with a uniform value that defines the branch's predicate; NULL
 * if there is none. */
static const struct ptx_instruction *deciding(const struct jit_emitter *e,
                                              const struct jit_node *node)
{
    for (uint32_t at = node->end; at-- > node->first;) {
        const struct ptx_instruction *i = &e->function->ptx->instructions[at];
        struct jit_uniformity a, b;

        if (!jit_instruction_defines_register(&e->function->cfg, i, node->predicate))
            continue;
        if (i->op != PTX_OP_setp || i->guard != PTX_NO_REGISTER || i->source_count != 2 ||
            !is_order(i) || i->dst[0].kind != PTX_OPERAND_REGISTER ||
            i->dst[0].index != node->predicate || ptx_type_is_float(i->types[0]) ||
            ptx_type_bits(i->types[0]) < 32)
            return NULL;
        a = jit_uniformity_of_operand(e->function, e->function->uniformity[0], &i->src[0]);
        b = jit_uniformity_of_operand(e->function, e->function->uniformity[0], &i->src[1]);
        if (!(a.kind == JIT_AFFINE && b.kind == JIT_UNIFORM) &&
            !(a.kind == JIT_UNIFORM && b.kind == JIT_AFFINE))
            return NULL;
        if (a.jump || b.jump)
            return NULL;
        if (is_changed(e, &i->src[0], at + 1, node->end) ||
            is_changed(e, &i->src[1], at + 1, node->end))
            return NULL;
        return i;
    }
    return NULL;
}

static LLVMValueRef compare(struct jit_emitter *e, const struct ptx_instruction *i, LLVMValueRef a,
                            LLVMValueRef b)
{
    LLVMValueRef sources[2] = {a, b}, results[2] = {NULL, NULL};

    e->lower.lanes = 1;
    if (!jit_lower_emit(&e->lower, i, sources, results))
        jit_unit_fail(e->unit, i, "the comparison is not supported");
    return results[0] ? results[0] : LLVMConstInt(e->unit->i1, 0, false);
}

/* The distance of a number from its limit, as 64 bits. */
static LLVMValueRef distance_of(struct jit_emitter *e, LLVMValueRef number, LLVMValueRef limit,
                                bool is_signed)
{
    LLVMTypeRef wide = e->unit->i64;
    LLVMValueRef arguments[2];

    number = is_signed ? LLVMBuildSExtOrBitCast(e->builder, number, wide, "")
                       : LLVMBuildZExtOrBitCast(e->builder, number, wide, "");
    limit = is_signed ? LLVMBuildSExtOrBitCast(e->builder, limit, wide, "")
                      : LLVMBuildZExtOrBitCast(e->builder, limit, wide, "");
    arguments[0] = LLVMBuildSub(e->builder, limit, number, "");
    arguments[1] = LLVMConstInt(e->unit->i1, 0, false);
    return jit_build_call(e, "llvm.abs", wide, arguments, 2);
}

/* Goes on if the lanes agree; otherwise to `apart`, or, if that is NULL, to the divergent
 * variant. */
static void agree(struct jit_emitter *e, LLVMValueRef they_do, LLVMBasicBlockRef apart)
{
    LLVMBasicBlockRef on;

    if (!apart) {
        jit_bailout_unless(e, they_do, e->function->cfg.nodes[e->node].end);
        return;
    }
    on = jit_build_block(e, "agreed");
    LLVMBuildCondBr(e->builder, they_do, on, apart);
    jit_build_at(e, on);
}

/* Evaluates the comparison for the first and the last lane only: the values between are
 * monotonic. */
static LLVMValueRef decide_by_ends(struct jit_emitter *e, const struct ptx_instruction *i,
                                   LLVMBasicBlockRef apart)
{
    LLVMBuilderRef b = e->builder;
    struct jit_value left = jit_operand_read(e, &i->src[0], i->types[0]);
    struct jit_value right = jit_operand_read(e, &i->src[1], i->types[0]);
    struct jit_value *moving = left.stride ? &left : &right;
    bool is_signed = ptx_type_is_signed(i->types[0]), rising = moving->stride > 0;
    bool equality = ptx_has(i, PTX_MOD_EQ) || ptx_has(i, PTX_MOD_NE);
    LLVMTypeRef type = LLVMTypeOf(moving->value);
    LLVMValueRef span = LLVMConstInt(type, (uint64_t)(moving->stride * (e->width - 1)), true);
    LLVMValueRef near = moving->value, far = LLVMBuildAdd(b, near, span, ""), in_order, result;
    LLVMValueRef at_far;

    e->regions->interleaving.distance =
        distance_of(e, near, left.stride ? right.value : left.value, is_signed);
    in_order = LLVMBuildICmp(
        b, rising ? (is_signed ? LLVMIntSLE : LLVMIntULE) : (is_signed ? LLVMIntSGE : LLVMIntUGE),
        near, far, "");
    if (equality) {
        LLVMValueRef fixed = left.stride ? right.value : left.value;
        LLVMValueRef low = rising ? near : far, high = rising ? far : near;
        LLVMValueRef out =
            LLVMBuildOr(b, LLVMBuildICmp(b, is_signed ? LLVMIntSLT : LLVMIntULT, fixed, low, ""),
                        LLVMBuildICmp(b, is_signed ? LLVMIntSGT : LLVMIntUGT, fixed, high, ""), "");

        agree(e, LLVMBuildAnd(b, in_order, out, ""), apart);
        return LLVMConstInt(e->unit->i1, ptx_has(i, PTX_MOD_NE), false);
    }
    result = compare(e, i, left.value, right.value);
    at_far = compare(e, i, left.stride ? far : left.value, left.stride ? right.value : far);
    agree(e, LLVMBuildAnd(b, in_order, LLVMBuildICmp(b, LLVMIntEQ, result, at_far, ""), ""), apart);
    return result;
}

static LLVMValueRef decide_by_lanes(struct jit_emitter *e, LLVMValueRef predicate,
                                    LLVMBasicBlockRef apart)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef bits = jit_build_bits(e, predicate);
    LLVMValueRef all = LLVMBuildICmp(b, LLVMIntEQ, bits, e->vector.full, "");
    LLVMValueRef none = LLVMBuildICmp(b, LLVMIntEQ, bits, jit_i32(e->unit, 0), "");

    agree(e, LLVMBuildOr(b, all, none, ""), apart);
    return all;
}

/* Where the code of the current node continues with another one. */
static LLVMBasicBlockRef target(struct jit_emitter *e, uint32_t node)
{
    return jit_check_loops_leave(e, e->node, node, e->blocks->uniforms[node]);
}

/* Ends the node of an interleaved loop: the next iteration, or out of the loop. */
static void again_or_on(struct jit_emitter *e, const struct jit_node *node, LLVMValueRef decision)
{
    unsigned back = node->next[1] == e->node;
    LLVMBasicBlockRef to[2] = {jit_build_block(e, "to"), jit_build_block(e, "to")};

    LLVMBuildCondBr(e->builder, decision, to[node->negated], to[!node->negated]);
    jit_build_at(e, to[back]);
    jit_region_repeat_loop(e);
    jit_build_at(e, to[!back]);
    jit_region_leave_loop(e, target(e, node->next[!back]));
}

static void end_branch(struct jit_emitter *e, const struct jit_node *node)
{
    const struct ptx_instruction *comparison;
    struct jit_value predicate = jit_register_read(e, node->predicate);
    LLVMValueRef decision = predicate.value;
    LLVMBasicBlockRef apart = NULL;
    struct jit_sides sides;
    bool interleaved =
        e->regions->interleaving.address_step && jit_region_is_interleaved(e, e->node);

    e->regions->interleaving.distance = NULL;
    if (predicate.vector) {
        if (!interleaved && jit_predication_find(e, e->node, &sides))
            apart = jit_build_block(e, "apart");
        comparison = deciding(e, node);
        decision = comparison ? decide_by_ends(e, comparison, apart)
                              : decide_by_lanes(e, predicate.value, apart);
    }
    if (interleaved) {
        again_or_on(e, node, decision);
        return;
    }
    LLVMBuildCondBr(e->builder, decision, target(e, node->next[node->negated]),
                    target(e, node->next[!node->negated]));
    if (!apart)
        return;
    jit_build_at(e, apart);
    jit_predication_emit(e, &sides, jit_predicate_bits(e, predicate, node->negated));
    LLVMBuildBr(e->builder, target(e, sides.join));
}

static void end_table(struct jit_emitter *e, const struct jit_node *node)
{
    const struct ptx_instruction *last = &e->function->ptx->instructions[node->last];
    struct jit_value index = jit_operand_read(e, &last->src[0], PTX_U32);
    LLVMValueRef one = index.value, jump;

    if (!jit_value_is_uniform(&index)) {
        LLVMValueRef all = jit_value_vector(e, index), same;

        one = LLVMBuildExtractElement(e->builder, all, jit_i32(e->unit, 0), "");
        same = LLVMBuildICmp(e->builder, LLVMIntEQ, all, jit_build_splat(e, one), "");
        same = LLVMBuildICmp(e->builder, LLVMIntEQ, jit_build_bits(e, same), e->vector.full, "");
        jit_bailout_unless(e, same, node->end);
    }
    jump = LLVMBuildSwitch(e->builder, one, e->blocks->uniforms[node->table[0]], node->table_count);
    for (uint32_t t = 1; t < node->table_count; t++)
        LLVMAddCase(jump, jit_i32(e->unit, t), e->blocks->uniforms[node->table[t]]);
}

static void end_barrier(struct jit_emitter *e, const struct jit_node *node)
{
    const struct ptx_instruction *last = &e->function->ptx->instructions[node->last];
    struct jit_barrier_operands barrier;
    LLVMValueRef arguments[7], result;

    jit_barrier_read(e, last, &barrier);
    arguments[0] = e->abi.block;
    arguments[1] = e->vector.warp;
    arguments[2] = barrier.id;
    arguments[3] = barrier.threads;
    arguments[4] = e->vector.full;
    arguments[5] = jit_i32(e->unit, barrier.reduce);
    arguments[6] = barrier.predicate;
    result = jit_build_service(e, offsetof(struct cup_abi_services, barrier), e->unit->i32,
                               arguments, 7);
    jit_barrier_result(e, last, result);
    LLVMBuildBr(e->builder, e->blocks->uniforms[node->next[0]]);
}

static void end_call(struct jit_emitter *e, const struct jit_node *node)
{
    const struct ptx_instruction *last = &e->function->ptx->instructions[node->last];
    LLVMValueRef alive = jit_emit_call(e, last), all;
    LLVMBasicBlockRef leave = jit_build_block(e, "leave.call");

    /* If lanes have exited in the call, the others continue in the divergent variant. */
    all = LLVMBuildICmp(e->builder, LLVMIntEQ, alive, e->vector.full, "");
    LLVMBuildCondBr(e->builder, all, e->blocks->uniforms[node->next[0]], leave);
    jit_build_at(e, leave);
    jit_divergent_reset(e, alive);
    LLVMBuildStore(e->builder, alive, e->masks->live);
    LLVMBuildStore(e->builder, alive, e->masks->pending[node->next[0]]);
    jit_registers_transfer(e, node->next[0], e->function->cfg.nodes[node->next[0]].first,
                           JIT_NO_BLOCK);
    LLVMBuildBr(e->builder, e->blocks->checks[node->next[0]]);
}

static void end_node(struct jit_emitter *e, const struct jit_node *node)
{
    switch (node->kind) {
    case JIT_END_JUMP:
        LLVMBuildBr(e->builder, e->blocks->uniforms[node->next[0]]);
        break;
    case JIT_END_BRANCH:
        end_branch(e, node);
        break;
    case JIT_END_TABLE:
        end_table(e, node);
        break;
    case JIT_END_BARRIER:
        jit_check_sync(e, &e->function->ptx->instructions[node->last]);
        if (e->unit->looped)
            jit_region_end_uniform(e, node);
        else
            end_barrier(e, node);
        break;
    case JIT_END_CALL:
        end_call(e, node);
        break;
    case JIT_END_SYNC: /* all lanes are active */
        jit_emit_instruction(e, &e->function->ptx->instructions[node->last]);
        LLVMBuildBr(e->builder, e->blocks->uniforms[node->next[0]]);
        break;
    case JIT_END_TRAP:
        jit_build_trap(e, e->vector.full, CUP_ABI_TRAP_INSTRUCTION,
                       e->function->ptx->instructions[node->last].line);
        LLVMBuildBr(e->builder, e->blocks->done);
        break;
    default: {
        LLVMValueRef arguments[] = {e->abi.block, e->vector.warp, e->vector.full};

        if (e->unit->waiting)
            jit_build_service(e, offsetof(struct cup_abi_services, lanes_exit), e->unit->nothing,
                              arguments, 3);
        LLVMBuildBr(e->builder, e->blocks->done);
        break;
    }
    }
}

/* In a loop in which a warp may wait for others, lets other warps run every few iterations. */
static void yield_in_loop(struct jit_emitter *e)
{
    LLVMBuilderRef b = e->builder;
    struct jit_unit *unit = e->unit;
    LLVMBasicBlockRef yield = jit_build_block(e, "yield"), on = jit_build_block(e, "on");
    LLVMValueRef rounds = LLVMBuildLoad2(b, unit->i32, e->masks->rounds, "rounds");

    rounds = LLVMBuildAdd(b, rounds, jit_i32(unit, 1), "");
    LLVMBuildStore(b, rounds, e->masks->rounds);
    rounds = LLVMBuildAnd(b, rounds, jit_i32(unit, JIT_SPIN_ROUNDS - 1), "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, rounds, jit_i32(unit, 0), ""), yield, on);
    jit_build_at(e, yield);
    jit_build_yield(e);
    LLVMBuildBr(b, on);
    jit_build_at(e, on);
}

/* Emits the node again from the first instruction that has a cold path. */
static void emit_cold_paths(struct jit_emitter *e, const struct jit_node *node)
{
    uint32_t first = jit_cold_paths_first(e);

    for (uint32_t i = first; i < node->end; i++) {
        const struct jit_cold_path *cold_path = jit_cold_path_find(e, i);

        if (cold_path) {
            if (i != first)
                LLVMBuildBr(e->builder, cold_path->block);
            jit_build_at(e, cold_path->block);
            jit_alignment_new_node(e);
            jit_cold_path_recompute(e, cold_path);
        }
        jit_emit_instruction(e, &e->function->ptx->instructions[i]);
    }
    end_node(e, node);
    jit_cold_paths_clear(e);
}

void jit_uniform_emit(struct jit_emitter *e)
{
    const struct jit_cfg *cfg = &e->function->cfg;

    e->divergent = false;
    jit_registers_clear(e, false, NULL);
    jit_stack_enter(e);
    if (e->masks->rounds)
        LLVMBuildStore(e->builder, jit_i32(e->unit, 0), e->masks->rounds);
    LLVMBuildBr(e->builder, e->blocks->uniforms[0]);
    for (uint32_t p = 0; p < cfg->order_count && !e->unit->failed; p++) {
        const struct jit_node *node = &cfg->nodes[cfg->order[p]];

        e->node = cfg->order[p];
        e->regions->interleaving.address_step = NULL;
        e->regions->interleaving.iterations = JIT_INTERLEAVED_ITERATIONS;
        jit_build_at(e, e->blocks->uniforms[e->node]);
        jit_alignment_new_node(e);
        jit_check_loops_enter(e);
        if (e->unit->waiting && node->component != JIT_NO_BLOCK &&
            cfg->components[node->component].head == e->node &&
            cfg->components[node->component].spins)
            yield_in_loop(e);
        for (uint32_t i = node->first; i < node->end; i++)
            jit_emit_instruction(e, &e->function->ptx->instructions[i]);
        end_node(e, node);
        if (jit_cold_paths_first(e) != JIT_NO_BLOCK)
            emit_cold_paths(e, node);
    }
}
