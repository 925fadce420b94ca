/* SPDX-License-Identifier: MIT */
/* A bailout is recorded while the uniform variant is emitted, gets its target when the divergent
 * variant reaches that instruction, and is emitted last. */
#include "jit/variants/bailout.h"

#include "jit/emit/body.h"
#include "jit/emit/ir.h"
#include "jit/instrument/loops.h"
#include "jit/variants/divergent.h"
#include "jit/emit/registers.h"

static void add_bailout(struct jit_body *body, LLVMBasicBlockRef from, uint32_t at)
{
    if (body->bailouts.count == body->bailouts.capacity) {
        size_t before = body->bailouts.capacity * sizeof(*body->bailouts.items);

        body->bailouts.capacity = body->bailouts.capacity ? 2 * body->bailouts.capacity : 16;
        body->bailouts.items =
            jit_workspace_grow(&body->unit->workspace, body->bailouts.items, before,
                               body->bailouts.capacity * sizeof(*body->bailouts.items));
    }
    body->bailouts.items[body->bailouts.count++] = (struct jit_bailout){
        .from = from, .node = body->node, .at = at, .predicated = body->predicated};
}

void jit_bailout_unless(struct jit_body *body, LLVMValueRef stay, uint32_t at)
{
    LLVMBasicBlockRef bailout = jit_build_block(body, "bailout"),
                      on = jit_build_block(body, "stay");

    add_bailout(body, bailout, at);
    jit_build_likely(body, stay, on, bailout, 100);
    jit_build_at(body, on);
}

bool jit_bailout_is_target(const struct jit_body *body, uint32_t at)
{
    for (uint32_t l = 0; l < body->bailouts.count; l++)
        if (body->bailouts.items[l].node == body->node && body->bailouts.items[l].at == at)
            return true;
    return false;
}

void jit_bailout_enter(struct jit_body *body, uint32_t at)
{
    LLVMBasicBlockRef label = NULL;

    for (uint32_t l = 0; l < body->bailouts.count; l++) {
        if (body->bailouts.items[l].node != body->node || body->bailouts.items[l].at != at)
            continue;
        if (!label) {
            label = jit_build_block(body, "enter");
            LLVMBuildBr(body->builder, label);
            jit_build_at(body, label);
        }
        body->bailouts.items[l].to = label;
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

void jit_bailouts_emit(struct jit_body *body)
{
    for (uint32_t l = 0; l < body->bailouts.count; l++) {
        const struct jit_bailout *bailout = &body->bailouts.items[l];
        LLVMBasicBlockRef reported = jit_build_block(body, "reported");

        jit_build_at(body, bailout->from);
        LLVMBuildBr(body->builder,
                    jit_check_loops_leave(body, bailout->node, JIT_NO_BLOCK, reported));
        jit_build_at(body, reported);
        enter_masks(body, &bailout->predicated);
        jit_registers_transfer(body, bailout->node, bailout->at,
                               bailout->predicated.lanes ? bailout->predicated.others
                                                         : JIT_NO_BLOCK);
        LLVMBuildBr(body->builder, bailout->to);
    }
}
