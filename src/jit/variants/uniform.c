/* SPDX-License-Identifier: MIT */
/* The uniform variant: all lanes of the vector are active, so control flow is scalar. Where the
 * lanes disagree at a branch, it bails out to the divergent variant, at that branch, with its
 * registers. */
#include "jit/variants/uniform.h"

#include "abi/services.h"
#include "jit/emit/alignment.h"
#include "jit/emit/barriers.h"
#include "jit/emit/body.h"
#include "jit/emit/ir.h"
#include "jit/emit/calls.h"
#include "jit/instrument/accesses.h"
#include "jit/instrument/loops.h"
#include "jit/emit/cold_paths.h"
#include "jit/emit/emit.h"
#include "jit/variants/bailout.h"
#include "jit/analysis/instruction.h"
#include "jit/emit/mask.h"
#include "jit/emit/operands.h"
#include "jit/transform/predication.h"
#include "jit/variants/barrier_regions.h"
#include "jit/emit/registers.h"
#include "jit/emit/warp_calls.h"

#include <stddef.h>

static bool is_changed(const struct jit_body *body, const struct ptx_operand *operand,
                       uint32_t from, uint32_t to)
{
    for (uint32_t i = from; operand->kind == PTX_OPERAND_REGISTER && i < to; i++)
        if (jit_instruction_defines_register(&body->cfg, &body->function->instructions[i],
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
static const struct ptx_instruction *deciding(const struct jit_body *body,
                                              const struct jit_node *node)
{
    for (uint32_t at = node->end; at-- > node->first;) {
        const struct ptx_instruction *i = &body->function->instructions[at];
        struct jit_uniformity a, b;

        if (!jit_instruction_defines_register(&body->cfg, i, node->predicate))
            continue;
        if (i->op != PTX_OP_setp || i->guard != PTX_NO_REGISTER || i->source_count != 2 ||
            !is_order(i) || i->dst[0].kind != PTX_OPERAND_REGISTER ||
            i->dst[0].index != node->predicate || ptx_type_is_float(i->types[0]) ||
            ptx_type_bits(i->types[0]) < 32)
            return NULL;
        a = jit_uniformity_of_operand(body, body->registers.uniformity[0], &i->src[0]);
        b = jit_uniformity_of_operand(body, body->registers.uniformity[0], &i->src[1]);
        if (!(a.kind == JIT_AFFINE && b.kind == JIT_UNIFORM) &&
            !(a.kind == JIT_UNIFORM && b.kind == JIT_AFFINE))
            return NULL;
        if (a.jump || b.jump)
            return NULL;
        if (is_changed(body, &i->src[0], at + 1, node->end) ||
            is_changed(body, &i->src[1], at + 1, node->end))
            return NULL;
        return i;
    }
    return NULL;
}

static LLVMValueRef compare(struct jit_body *body, const struct ptx_instruction *i, LLVMValueRef a,
                            LLVMValueRef b)
{
    LLVMValueRef sources[2] = {a, b}, results[2] = {NULL, NULL};

    body->lower.lanes = 1;
    if (!jit_lower_emit(&body->lower, i, sources, results))
        jit_unit_fail(body->unit, i, "the comparison is not supported");
    return results[0] ? results[0] : LLVMConstInt(body->unit->i1, 0, false);
}

/* The distance of a number from its limit, as 64 bits. */
static LLVMValueRef distance_of(struct jit_body *body, LLVMValueRef number, LLVMValueRef limit,
                                bool is_signed)
{
    LLVMTypeRef wide = body->unit->i64;
    LLVMValueRef arguments[2];

    number = is_signed ? LLVMBuildSExtOrBitCast(body->builder, number, wide, "")
                       : LLVMBuildZExtOrBitCast(body->builder, number, wide, "");
    limit = is_signed ? LLVMBuildSExtOrBitCast(body->builder, limit, wide, "")
                      : LLVMBuildZExtOrBitCast(body->builder, limit, wide, "");
    arguments[0] = LLVMBuildSub(body->builder, limit, number, "");
    arguments[1] = LLVMConstInt(body->unit->i1, 0, false);
    return jit_build_call(body, "llvm.abs", wide, arguments, 2);
}

/* Goes on if the lanes agree; otherwise to `apart`, or, if that is NULL, to the divergent
 * variant. */
static void agree(struct jit_body *body, LLVMValueRef they_do, LLVMBasicBlockRef apart)
{
    LLVMBasicBlockRef on;

    if (!apart) {
        jit_bailout_unless(body, they_do, body->cfg.nodes[body->node].end);
        return;
    }
    on = jit_build_block(body, "agreed");
    LLVMBuildCondBr(body->builder, they_do, on, apart);
    jit_build_at(body, on);
}

/* Evaluates the comparison for the first and the last lane only: the values between are
 * monotonic. */
static LLVMValueRef decide_by_ends(struct jit_body *body, const struct ptx_instruction *i,
                                   LLVMBasicBlockRef apart)
{
    LLVMBuilderRef b = body->builder;
    struct jit_value left = jit_operand_read(body, &i->src[0], i->types[0]);
    struct jit_value right = jit_operand_read(body, &i->src[1], i->types[0]);
    struct jit_value *moving = left.stride ? &left : &right;
    bool is_signed = ptx_type_is_signed(i->types[0]), rising = moving->stride > 0;
    bool equality = ptx_has(i, PTX_MOD_EQ) || ptx_has(i, PTX_MOD_NE);
    LLVMTypeRef type = LLVMTypeOf(moving->value);
    LLVMValueRef span = LLVMConstInt(type, (uint64_t)(moving->stride * (body->width - 1)), true);
    LLVMValueRef near = moving->value, far = LLVMBuildAdd(b, near, span, ""), in_order, result;
    LLVMValueRef at_far;

    body->interleaving.distance =
        distance_of(body, near, left.stride ? right.value : left.value, is_signed);
    in_order = LLVMBuildICmp(
        b, rising ? (is_signed ? LLVMIntSLE : LLVMIntULE) : (is_signed ? LLVMIntSGE : LLVMIntUGE),
        near, far, "");
    if (equality) {
        LLVMValueRef fixed = left.stride ? right.value : left.value;
        LLVMValueRef low = rising ? near : far, high = rising ? far : near;
        LLVMValueRef out =
            LLVMBuildOr(b, LLVMBuildICmp(b, is_signed ? LLVMIntSLT : LLVMIntULT, fixed, low, ""),
                        LLVMBuildICmp(b, is_signed ? LLVMIntSGT : LLVMIntUGT, fixed, high, ""), "");

        agree(body, LLVMBuildAnd(b, in_order, out, ""), apart);
        return LLVMConstInt(body->unit->i1, ptx_has(i, PTX_MOD_NE), false);
    }
    result = compare(body, i, left.value, right.value);
    at_far = compare(body, i, left.stride ? far : left.value, left.stride ? right.value : far);
    agree(body, LLVMBuildAnd(b, in_order, LLVMBuildICmp(b, LLVMIntEQ, result, at_far, ""), ""),
          apart);
    return result;
}

static LLVMValueRef decide_by_lanes(struct jit_body *body, LLVMValueRef predicate,
                                    LLVMBasicBlockRef apart)
{
    LLVMBuilderRef b = body->builder;
    LLVMValueRef bits = jit_build_bits(body, predicate);
    LLVMValueRef all = LLVMBuildICmp(b, LLVMIntEQ, bits, body->vector.full, "");
    LLVMValueRef none = LLVMBuildICmp(b, LLVMIntEQ, bits, jit_i32(body->unit, 0), "");

    agree(body, LLVMBuildOr(b, all, none, ""), apart);
    return all;
}

/* Where the code of the current node continues with another one. */
static LLVMBasicBlockRef target(struct jit_body *body, uint32_t node)
{
    return jit_check_loops_leave(body, body->node, node, body->blocks.uniforms[node]);
}

/* Ends the node of an interleaved loop: the next iteration, or out of the loop. */
static void again_or_on(struct jit_body *body, const struct jit_node *node, LLVMValueRef decision)
{
    unsigned back = node->next[1] == body->node;
    LLVMBasicBlockRef to[2] = {jit_build_block(body, "to"), jit_build_block(body, "to")};

    LLVMBuildCondBr(body->builder, decision, to[node->negated], to[!node->negated]);
    jit_build_at(body, to[back]);
    jit_region_repeat_loop(body);
    jit_build_at(body, to[!back]);
    jit_region_leave_loop(body, target(body, node->next[!back]));
}

static void end_branch(struct jit_body *body, const struct jit_node *node)
{
    const struct ptx_instruction *comparison;
    struct jit_value predicate = jit_register_read(body, node->predicate);
    LLVMValueRef decision = predicate.value;
    LLVMBasicBlockRef apart = NULL;
    struct jit_sides sides;
    bool interleaved =
        body->interleaving.address_step && jit_region_is_interleaved(body, body->node);

    body->interleaving.distance = NULL;
    if (predicate.vector) {
        if (!interleaved && jit_predication_find(body, body->node, &sides))
            apart = jit_build_block(body, "apart");
        comparison = deciding(body, node);
        decision = comparison ? decide_by_ends(body, comparison, apart)
                              : decide_by_lanes(body, predicate.value, apart);
    }
    if (interleaved) {
        again_or_on(body, node, decision);
        return;
    }
    LLVMBuildCondBr(body->builder, decision, target(body, node->next[node->negated]),
                    target(body, node->next[!node->negated]));
    if (!apart)
        return;
    jit_build_at(body, apart);
    jit_predication_emit(body, &sides, jit_predicate_bits(body, predicate, node->negated));
    LLVMBuildBr(body->builder, target(body, sides.join));
}

static void end_table(struct jit_body *body, const struct jit_node *node)
{
    const struct ptx_instruction *last = &body->function->instructions[node->last];
    struct jit_value index = jit_operand_read(body, &last->src[0], PTX_U32);
    LLVMValueRef one = index.value, jump;

    if (!jit_value_is_uniform(&index)) {
        LLVMValueRef all = jit_value_vector(body, index), same;

        one = LLVMBuildExtractElement(body->builder, all, jit_i32(body->unit, 0), "");
        same = LLVMBuildICmp(body->builder, LLVMIntEQ, all, jit_build_splat(body, one), "");
        same = LLVMBuildICmp(body->builder, LLVMIntEQ, jit_build_bits(body, same),
                             body->vector.full, "");
        jit_bailout_unless(body, same, node->end);
    }
    jump = LLVMBuildSwitch(body->builder, one, body->blocks.uniforms[node->table[0]],
                           node->table_count);
    for (uint32_t t = 1; t < node->table_count; t++)
        LLVMAddCase(jump, jit_i32(body->unit, t), body->blocks.uniforms[node->table[t]]);
}

static void end_barrier(struct jit_body *body, const struct jit_node *node)
{
    const struct ptx_instruction *last = &body->function->instructions[node->last];
    struct jit_barrier_operands barrier;
    LLVMValueRef arguments[7], result;

    jit_barrier_read(body, last, &barrier);
    arguments[0] = body->abi.block;
    arguments[1] = body->vector.warp;
    arguments[2] = barrier.id;
    arguments[3] = barrier.threads;
    arguments[4] = body->vector.full;
    arguments[5] = jit_i32(body->unit, barrier.reduce);
    arguments[6] = barrier.predicate;
    result = jit_build_service(body, offsetof(struct cup_abi_services, barrier), body->unit->i32,
                               arguments, 7);
    jit_barrier_result(body, last, result);
    LLVMBuildBr(body->builder, body->blocks.uniforms[node->next[0]]);
}

static void end_call(struct jit_body *body, const struct jit_node *node)
{
    const struct ptx_instruction *last = &body->function->instructions[node->last];
    LLVMValueRef alive = jit_emit_call(body, last), all;
    LLVMBasicBlockRef leave = jit_build_block(body, "leave.call");

    /* If lanes have exited in the call, the others continue in the divergent variant. */
    all = LLVMBuildICmp(body->builder, LLVMIntEQ, alive, body->vector.full, "");
    LLVMBuildCondBr(body->builder, all, body->blocks.uniforms[node->next[0]], leave);
    jit_build_at(body, leave);
    LLVMBuildStore(body->builder, alive, body->masks.live);
    LLVMBuildStore(body->builder, alive, body->masks.active);
    LLVMBuildStore(body->builder, alive, body->masks.pending[node->next[0]]);
    jit_registers_transfer(body, node->next[0], body->cfg.nodes[node->next[0]].first, JIT_NO_BLOCK);
    LLVMBuildBr(body->builder, body->blocks.checks[node->next[0]]);
}

static void end_node(struct jit_body *body, const struct jit_node *node)
{
    switch (node->kind) {
    case JIT_END_JUMP:
        LLVMBuildBr(body->builder, body->blocks.uniforms[node->next[0]]);
        break;
    case JIT_END_BRANCH:
        end_branch(body, node);
        break;
    case JIT_END_TABLE:
        end_table(body, node);
        break;
    case JIT_END_BARRIER:
        jit_check_sync(body, &body->function->instructions[node->last]);
        if (body->unit->looped)
            jit_region_end_uniform(body, node);
        else
            end_barrier(body, node);
        break;
    case JIT_END_CALL:
        end_call(body, node);
        break;
    case JIT_END_SYNC: /* all lanes are active */
        jit_emit_instruction(body, &body->function->instructions[node->last]);
        LLVMBuildBr(body->builder, body->blocks.uniforms[node->next[0]]);
        break;
    case JIT_END_TRAP:
        jit_build_trap(body, body->vector.full, CUP_ABI_TRAP_INSTRUCTION,
                       body->function->instructions[node->last].line);
        LLVMBuildBr(body->builder, body->blocks.done);
        break;
    default: {
        LLVMValueRef arguments[] = {body->abi.block, body->vector.warp, body->vector.full};

        if (body->unit->waiting)
            jit_build_service(body, offsetof(struct cup_abi_services, lanes_exit),
                              body->unit->nothing, arguments, 3);
        LLVMBuildBr(body->builder, body->blocks.done);
        break;
    }
    }
}

/* In a loop in which a warp may wait for others, lets other warps run every few iterations. */
static void yield_in_loop(struct jit_body *body)
{
    LLVMBuilderRef b = body->builder;
    struct jit_unit *unit = body->unit;
    LLVMBasicBlockRef yield = jit_build_block(body, "yield"), on = jit_build_block(body, "on");
    LLVMValueRef rounds = LLVMBuildLoad2(b, unit->i32, body->masks.rounds, "rounds");

    rounds = LLVMBuildAdd(b, rounds, jit_i32(unit, 1), "");
    LLVMBuildStore(b, rounds, body->masks.rounds);
    rounds = LLVMBuildAnd(b, rounds, jit_i32(unit, JIT_SPIN_ROUNDS - 1), "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, rounds, jit_i32(unit, 0), ""), yield, on);
    jit_build_at(body, yield);
    jit_build_yield(body);
    LLVMBuildBr(b, on);
    jit_build_at(body, on);
}

/* Emits the node again from the first instruction that has a cold path. */
static void emit_cold_paths(struct jit_body *body, const struct jit_node *node)
{
    for (uint32_t i = body->cold_paths.items[0].at; i < node->end; i++) {
        const struct jit_cold_path *cold_path = jit_cold_path_find(body, i);

        if (cold_path) {
            if (i != body->cold_paths.items[0].at)
                LLVMBuildBr(body->builder, cold_path->block);
            jit_build_at(body, cold_path->block);
            jit_alignment_new_node(body);
            jit_cold_path_recompute(body, cold_path);
        }
        jit_emit_instruction(body, &body->function->instructions[i]);
    }
    end_node(body, node);
    body->cold_paths.count = 0;
}

void jit_uniform_emit(struct jit_body *body)
{
    const struct jit_cfg *cfg = &body->cfg;

    body->divergent = false;
    jit_registers_clear(body, false, NULL);
    jit_stack_enter(body);
    LLVMBuildStore(body->builder, jit_i32(body->unit, 0), body->masks.rounds);
    LLVMBuildBr(body->builder, body->blocks.uniforms[0]);
    for (uint32_t p = 0; p < cfg->order_count && !body->unit->failed; p++) {
        const struct jit_node *node = &cfg->nodes[cfg->order[p]];

        body->node = cfg->order[p];
        body->interleaving.address_step = NULL;
        body->interleaving.iterations = JIT_INTERLEAVED_ITERATIONS;
        jit_build_at(body, body->blocks.uniforms[body->node]);
        jit_alignment_new_node(body);
        jit_check_loops_enter(body);
        if (body->unit->waiting && node->component != JIT_NO_BLOCK &&
            cfg->components[node->component].head == body->node &&
            cfg->components[node->component].spins)
            yield_in_loop(body);
        for (uint32_t i = node->first; i < node->end; i++)
            jit_emit_instruction(body, &body->function->instructions[i]);
        end_node(body, node);
        if (body->cold_paths.count)
            emit_cold_paths(body, node);
    }
}
