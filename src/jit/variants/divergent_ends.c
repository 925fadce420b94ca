/* SPDX-License-Identifier: MIT */
/* The ends of nodes in the divergent variant: each gives the active lanes to the nodes that follow,
 * or parks them. */
#include "jit/variants/divergent.h"

#include "abi/services.h"
#include "jit/emit/barriers.h"
#include "jit/emit/calls.h"
#include "jit/emit/emit.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"
#include "jit/emit/operands.h"
#include "jit/emit/outlined_operations.h"
#include "jit/emit/registers.h"
#include "jit/emit/warp_ops.h"
#include "jit/instrument/accesses.h"
#include "jit/variants/barrier_regions.h"

#include <stddef.h>

static void end_branch(struct jit_emitter *e, const struct jit_node *node, LLVMValueRef mask)
{
    LLVMValueRef taken = jit_outlined_predicate(e, node->predicate);

    if (!taken)
        taken = jit_predicate_bits(e, jit_register_read(e, node->predicate), node->negated);
    else if (node->negated)
        taken = LLVMBuildNot(e->builder, taken, "");
    taken = LLVMBuildAnd(e->builder, taken, mask, "");
    jit_lanes_continue(e, node->next[0], taken);
    jit_lanes_continue(e, node->next[1], LLVMBuildXor(e->builder, mask, taken, ""));
}

static void end_table(struct jit_emitter *e, const struct jit_node *node, LLVMValueRef mask)
{
    const struct ptx_instruction *last = &e->function->ptx->instructions[node->last];
    LLVMValueRef index = jit_value_vector(e, jit_operand_read(e, &last->src[0], PTX_U32));
    LLVMValueRef rest = mask;

    for (uint32_t t = 1; t < node->table_count; t++) {
        LLVMValueRef here = LLVMBuildICmp(e->builder, LLVMIntEQ, index,
                                          jit_build_splat(e, jit_i32(e->unit, t)), "");

        here = LLVMBuildAnd(e->builder, jit_build_bits(e, here), rest, "");
        rest = LLVMBuildXor(e->builder, rest, here, "");
        jit_lanes_continue(e, node->table[t], here);
    }
    if (node->table_count)
        jit_lanes_continue(e, node->table[0], rest);
}

/* If all live lanes of the warp are here, they wait at the barrier together. Otherwise the active
 * lanes arrive and are parked until no other lane can continue. */
static void end_barrier(struct jit_emitter *e, const struct jit_node *node, LLVMValueRef mask,
                        LLVMBasicBlockRef next)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    const struct ptx_instruction *last = &e->function->ptx->instructions[node->last];
    LLVMBasicBlockRef whole, part;
    struct jit_barrier_operands barrier;
    LLVMValueRef arguments[8], result;

    if (e->regions->items) {
        jit_region_end_divergent(e, mask);
        return;
    }
    jit_barrier_read(e, last, &barrier);
    arguments[0] = e->abi.block;
    arguments[1] = e->vector.warp;
    arguments[2] = barrier.id;
    arguments[3] = barrier.threads;
    arguments[4] = mask;
    arguments[5] = jit_i32(unit, barrier.reduce);
    arguments[6] = LLVMBuildAnd(b, barrier.predicate, mask, "");
    arguments[7] = e->masks->tickets[e->node];
    whole = jit_build_block(e, "barrier.all");
    part = jit_build_block(e, "barrier.part");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, jit_mask_load(e, e->masks->live), mask, ""),
                    whole, part);
    jit_build_at(e, whole);
    result =
        jit_build_service(e, offsetof(struct cup_abi_services, barrier), unit->i32, arguments, 7);
    jit_barrier_result(e, last, result);
    jit_lanes_continue(e, node->next[0], mask);
    LLVMBuildBr(b, next);
    jit_build_at(e, part);
    jit_build_service(e, offsetof(struct cup_abi_services, barrier_begin), unit->nothing, arguments,
                      8);
    jit_lanes_park(e, mask);
}

/* Lanes at a .sync instruction continue together when all their members are here. Otherwise they
 * are parked: members that are elsewhere may arrive here or at another such instruction. */
static void end_sync(struct jit_emitter *e, const struct jit_node *node, LLVMValueRef mask,
                     LLVMBasicBlockRef next)
{
    LLVMBuilderRef b = e->builder;
    const struct ptx_instruction *last = &e->function->ptx->instructions[node->last];
    LLVMBasicBlockRef whole = jit_build_block(e, "sync.all"),
                      part = jit_build_block(e, "sync.part");

    LLVMBuildCondBr(b, jit_mask_is_empty(e, jit_sync_missing(e, last)), whole, part);
    jit_build_at(e, whole);
    if (!jit_outlined_emit(e, last))
        jit_emit_instruction(e, last);
    jit_lanes_continue(e, node->next[0], mask);
    LLVMBuildBr(b, next);
    jit_build_at(e, part);
    jit_check_sync(e, last);
    if (!jit_outlined_sync_begin(e, last, e->masks->tickets[e->node]))
        jit_sync_begin(e, last, e->masks->tickets[e->node]);
    jit_lanes_park(e, mask);
}

static void end_call(struct jit_emitter *e, const struct jit_node *node, LLVMValueRef mask)
{
    LLVMBuilderRef b = e->builder;
    const struct ptx_instruction *last = &e->function->ptx->instructions[node->last];
    LLVMValueRef returned = mask, alive;

    if (jit_node_is_parking_call(&e->function->cfg, e->node)) {
        alive = jit_emit_parking_call(e, last, e->masks->tickets[e->node], &returned);
        jit_lanes_park(e, LLVMBuildXor(b, mask, returned, ""));
    } else {
        alive = jit_emit_call(e, last);
    }
    jit_lanes_exited(e, LLVMBuildXor(b, returned, alive, ""));
    jit_lanes_continue(e, node->next[0], alive);
}

void jit_divergent_end_node(struct jit_emitter *e, const struct jit_node *node,
                            LLVMBasicBlockRef next)
{
    LLVMValueRef mask = jit_mask_bits(e);

    switch (node->kind) {
    case JIT_END_JUMP:
        jit_lanes_continue(e, node->next[0], mask);
        break;
    case JIT_END_BRANCH:
        end_branch(e, node, mask);
        break;
    case JIT_END_TABLE:
        end_table(e, node, mask);
        break;
    case JIT_END_BARRIER:
        jit_check_sync(e, &e->function->ptx->instructions[node->last]);
        end_barrier(e, node, mask, next);
        break;
    case JIT_END_CALL:
        end_call(e, node, mask);
        break;
    case JIT_END_SYNC:
        end_sync(e, node, mask, next);
        break;
    case JIT_END_TRAP:
        jit_build_trap(e, mask, CUP_ABI_TRAP_INSTRUCTION,
                       e->function->ptx->instructions[node->last].line);
        jit_lanes_exit(e, mask);
        break;
    case JIT_END_RETURN:
        if (!e->function->is_kernel) {
            jit_mask_store(e, e->masks->returned,
                           LLVMBuildOr(e->builder, jit_mask_load(e, e->masks->returned), mask, ""));
            break;
        }
        jit_lanes_exit(e, mask);
        break;
    case JIT_END_EXIT:
        jit_lanes_exit(e, mask);
        break;
    }
    LLVMBuildBr(e->builder, next);
}
