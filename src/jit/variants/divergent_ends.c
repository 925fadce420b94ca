/* SPDX-License-Identifier: MIT */
/* The ends of nodes in the divergent variant: each gives the active lanes to the nodes that follow,
 * or parks them. */
#include "jit/variants/divergent.h"

#include "abi/services.h"
#include "jit/emit/barriers.h"
#include "jit/emit/body.h"
#include "jit/emit/ir.h"
#include "jit/emit/calls.h"
#include "jit/instrument/accesses.h"
#include "jit/emit/emit.h"
#include "jit/emit/outlined_operations.h"
#include "jit/emit/mask.h"
#include "jit/emit/operands.h"
#include "jit/variants/barrier_regions.h"
#include "jit/emit/registers.h"
#include "jit/emit/warp_ops.h"

#include <stddef.h>

static void end_branch(struct jit_body *body, const struct jit_node *node, LLVMValueRef mask)
{
    LLVMValueRef taken = jit_outlined_predicate(body, node->predicate);

    if (!taken)
        taken = jit_predicate_bits(body, jit_register_read(body, node->predicate), node->negated);
    else if (node->negated)
        taken = LLVMBuildNot(body->builder, taken, "");
    taken = LLVMBuildAnd(body->builder, taken, mask, "");
    jit_lanes_continue(body, node->next[0], taken);
    jit_lanes_continue(body, node->next[1], LLVMBuildXor(body->builder, mask, taken, ""));
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
        jit_lanes_continue(body, node->table[t], here);
    }
    if (node->table_count)
        jit_lanes_continue(body, node->table[0], rest);
}

/* If all live lanes of the warp are here, they wait at the barrier together. Otherwise the active
 * lanes arrive and are parked until no other lane can continue. */
static void end_barrier(struct jit_body *body, const struct jit_node *node, LLVMValueRef mask,
                        LLVMBasicBlockRef next)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    const struct ptx_instruction *last = &body->function->instructions[node->last];
    LLVMBasicBlockRef whole, part;
    struct jit_barrier_operands barrier;
    LLVMValueRef arguments[8], result;

    if (body->regions.items) {
        jit_region_end_divergent(body, mask);
        return;
    }
    jit_barrier_read(body, last, &barrier);
    arguments[0] = body->abi.block;
    arguments[1] = body->vector.warp;
    arguments[2] = barrier.id;
    arguments[3] = barrier.threads;
    arguments[4] = mask;
    arguments[5] = jit_i32(unit, barrier.reduce);
    arguments[6] = LLVMBuildAnd(b, barrier.predicate, mask, "");
    arguments[7] = body->masks.tickets[body->node];
    whole = jit_build_block(body, "barrier.all");
    part = jit_build_block(body, "barrier.part");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, jit_mask_load(body, body->masks.live), mask, ""),
                    whole, part);
    jit_build_at(body, whole);
    result = jit_build_service(body, offsetof(struct cup_abi_services, barrier), unit->i32,
                               arguments, 7);
    jit_barrier_result(body, last, result);
    jit_lanes_continue(body, node->next[0], mask);
    LLVMBuildBr(b, next);
    jit_build_at(body, part);
    jit_build_service(body, offsetof(struct cup_abi_services, barrier_begin), unit->nothing,
                      arguments, 8);
    jit_lanes_park(body, mask);
}

/* Lanes at a .sync instruction continue together when all their members are here. Otherwise they
 * are parked: members that are elsewhere may arrive here or at another such instruction. */
static void end_sync(struct jit_body *body, const struct jit_node *node, LLVMValueRef mask,
                     LLVMBasicBlockRef next)
{
    LLVMBuilderRef b = body->builder;
    const struct ptx_instruction *last = &body->function->instructions[node->last];
    LLVMBasicBlockRef whole = jit_build_block(body, "sync.all"),
                      part = jit_build_block(body, "sync.part");

    LLVMBuildCondBr(b, jit_mask_is_empty(body, jit_sync_missing(body, last)), whole, part);
    jit_build_at(body, whole);
    if (!jit_outlined_emit(body, last))
        jit_emit_instruction(body, last);
    jit_lanes_continue(body, node->next[0], mask);
    LLVMBuildBr(b, next);
    jit_build_at(body, part);
    jit_check_sync(body, last);
    if (!jit_outlined_sync_begin(body, last, body->masks.tickets[body->node]))
        jit_sync_begin(body, last, body->masks.tickets[body->node]);
    jit_lanes_park(body, mask);
}

static void end_call(struct jit_body *body, const struct jit_node *node, LLVMValueRef mask)
{
    LLVMBuilderRef b = body->builder;
    const struct ptx_instruction *last = &body->function->instructions[node->last];
    LLVMValueRef returned = mask, alive;

    if (jit_node_is_parking_call(&body->cfg, body->node)) {
        alive = jit_emit_parking_call(body, last, body->masks.tickets[body->node], &returned);
        jit_lanes_park(body, LLVMBuildXor(b, mask, returned, ""));
    } else {
        alive = jit_emit_call(body, last);
    }
    jit_lanes_exited(body, LLVMBuildXor(b, returned, alive, ""));
    jit_lanes_continue(body, node->next[0], alive);
}

void jit_divergent_end_node(struct jit_body *body, const struct jit_node *node,
                            LLVMBasicBlockRef next)
{
    LLVMValueRef mask = jit_mask_bits(body);

    switch (node->kind) {
    case JIT_END_JUMP:
        jit_lanes_continue(body, node->next[0], mask);
        break;
    case JIT_END_BRANCH:
        end_branch(body, node, mask);
        break;
    case JIT_END_TABLE:
        end_table(body, node, mask);
        break;
    case JIT_END_BARRIER:
        jit_check_sync(body, &body->function->instructions[node->last]);
        end_barrier(body, node, mask, next);
        break;
    case JIT_END_CALL:
        end_call(body, node, mask);
        break;
    case JIT_END_SYNC:
        end_sync(body, node, mask, next);
        break;
    case JIT_END_TRAP:
        jit_build_trap(body, mask, CUP_ABI_TRAP_INSTRUCTION,
                       body->function->instructions[node->last].line);
        jit_lanes_exit(body, mask);
        break;
    case JIT_END_RETURN:
        if (!body->is_kernel) {
            jit_mask_store(
                body, body->masks.returned,
                LLVMBuildOr(body->builder, jit_mask_load(body, body->masks.returned), mask, ""));
            break;
        }
        jit_lanes_exit(body, mask);
        break;
    case JIT_END_EXIT:
        jit_lanes_exit(body, mask);
        break;
    }
    LLVMBuildBr(body->builder, next);
}
