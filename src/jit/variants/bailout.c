/* SPDX-License-Identifier: MIT */
/* The exits from the uniform variant. Each is recorded while the uniform variant is emitted, gets
 * its target when the divergent variant reaches that instruction, and is emitted last. */
#include "jit/variants/bailout.h"

#include "jit/emit/body.h"
#include "jit/emit/ir.h"
#include "jit/instrument/loops.h"
#include "jit/variants/divergent.h"
#include "jit/emit/registers.h"

static void add_leave(struct jit_body *body, LLVMBasicBlockRef from, uint32_t at)
{
    if (body->leaves.count == body->leaves.capacity) {
        size_t before = body->leaves.capacity * sizeof(*body->leaves.items);

        body->leaves.capacity = body->leaves.capacity ? 2 * body->leaves.capacity : 16;
        body->leaves.items =
            jit_workspace_grow(&body->unit->workspace, body->leaves.items, before,
                               body->leaves.capacity * sizeof(*body->leaves.items));
    }
    body->leaves.items[body->leaves.count++] = (struct jit_leave){
        .from = from, .node = body->node, .at = at, .predicated = body->predicated};
}

void jit_uniform_leave_unless(struct jit_body *body, LLVMValueRef stay, uint32_t at)
{
    LLVMBasicBlockRef leave = jit_build_block(body, "leave"), on = jit_build_block(body, "stay");

    add_leave(body, leave, at);
    jit_build_likely(body, stay, on, leave, 100);
    jit_build_at(body, on);
}

bool jit_handover_is_target(const struct jit_body *body, uint32_t at)
{
    for (uint32_t l = 0; l < body->leaves.count; l++)
        if (body->leaves.items[l].node == body->node && body->leaves.items[l].at == at)
            return true;
    return false;
}

void jit_handover_enter(struct jit_body *body, uint32_t at)
{
    LLVMBasicBlockRef label = NULL;

    for (uint32_t l = 0; l < body->leaves.count; l++) {
        if (body->leaves.items[l].node != body->node || body->leaves.items[l].at != at)
            continue;
        if (!label) {
            label = jit_build_block(body, "enter");
            LLVMBuildBr(body->builder, label);
            jit_build_at(body, label);
        }
        body->leaves.items[l].to = label;
    }
}

static void enter_masks(struct jit_body *body, const struct jit_predicated *predicated)
{
    LLVMValueRef lanes = predicated->lanes, full = body->vector.full;

    jit_divergent_reset(body, lanes ? lanes : full);
    jit_mask_store(body, body->masks.live, full);
    if (lanes)
        jit_mask_store(body, body->masks.pending[predicated->others],
                       LLVMBuildXor(body->builder, lanes, full, ""));
}

void jit_handover_emit(struct jit_body *body)
{
    for (uint32_t l = 0; l < body->leaves.count; l++) {
        const struct jit_leave *leave = &body->leaves.items[l];
        LLVMBasicBlockRef told = jit_build_block(body, "told");

        jit_build_at(body, leave->from);
        LLVMBuildBr(body->builder, jit_check_loops_leave(body, leave->node, JIT_NO_BLOCK, told));
        jit_build_at(body, told);
        enter_masks(body, &leave->predicated);
        jit_registers_hand_over(body, leave->node, leave->at,
                                leave->predicated.lanes ? leave->predicated.others : JIT_NO_BLOCK);
        LLVMBuildBr(body->builder, leave->to);
    }
}
