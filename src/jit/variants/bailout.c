/* SPDX-License-Identifier: MIT */
/* A bailout is recorded while the uniform variant is emitted, gets its target when the divergent
 * variant reaches that instruction, and is emitted last. */
#include "jit/variants/bailout.h"

#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"
#include "jit/emit/registers.h"
#include "jit/instrument/loops.h"
#include "jit/variants/divergent.h"

struct jit_bailout {
    LLVMBasicBlockRef from, to; /* in the uniform and in the divergent variant */
    uint32_t node, at;          /* the instruction */
    /* In a side of a branch: its lanes, and the node at which the others are; lanes NULL: all. */
    struct jit_predicated predicated;
};

struct jit_bailouts {
    struct jit_bailout *items;
    uint32_t count, capacity;
};

void jit_bailouts_init(struct jit_emitter *e)
{
    e->bailouts = jit_emitter_zeros(e, 1, sizeof(*e->bailouts));
}

static void add_bailout(struct jit_emitter *e, LLVMBasicBlockRef from, uint32_t at)
{
    if (e->bailouts->count == e->bailouts->capacity) {
        size_t before = e->bailouts->capacity * sizeof(*e->bailouts->items);

        e->bailouts->capacity = e->bailouts->capacity ? 2 * e->bailouts->capacity : 16;
        e->bailouts->items =
            jit_workspace_grow(&e->unit->workspace, e->bailouts->items, before,
                               e->bailouts->capacity * sizeof(*e->bailouts->items));
    }
    e->bailouts->items[e->bailouts->count++] =
        (struct jit_bailout){.from = from, .node = e->node, .at = at, .predicated = e->predicated};
}

void jit_bailout_unless(struct jit_emitter *e, LLVMValueRef stay, uint32_t at)
{
    LLVMBasicBlockRef bailout = jit_build_block(e, "bailout"), on = jit_build_block(e, "stay");

    add_bailout(e, bailout, at);
    jit_build_likely(e, stay, on, bailout, 100);
    jit_build_at(e, on);
}

bool jit_bailout_is_target(const struct jit_emitter *e, uint32_t at)
{
    for (uint32_t l = 0; l < e->bailouts->count; l++)
        if (e->bailouts->items[l].node == e->node && e->bailouts->items[l].at == at)
            return true;
    return false;
}

bool jit_bailout_exists(const struct jit_emitter *e)
{
    return e->bailouts->count != 0;
}

void jit_bailout_enter(struct jit_emitter *e, uint32_t at)
{
    LLVMBasicBlockRef label = NULL;

    for (uint32_t l = 0; l < e->bailouts->count; l++) {
        if (e->bailouts->items[l].node != e->node || e->bailouts->items[l].at != at)
            continue;
        if (!label) {
            label = jit_build_block(e, "enter");
            LLVMBuildBr(e->builder, label);
            jit_build_at(e, label);
        }
        e->bailouts->items[l].to = label;
    }
}

static void enter_masks(struct jit_emitter *e, const struct jit_predicated *predicated)
{
    LLVMValueRef lanes = predicated->lanes, full = e->vector.full;

    jit_divergent_reset(e, lanes ? lanes : full);
    jit_mask_store(e, e->masks->live, full);
    if (lanes)
        jit_mask_store(e, e->masks->pending[predicated->others],
                       LLVMBuildXor(e->builder, lanes, full, ""));
}

void jit_bailouts_emit(struct jit_emitter *e)
{
    for (uint32_t l = 0; l < e->bailouts->count; l++) {
        const struct jit_bailout *bailout = &e->bailouts->items[l];
        LLVMBasicBlockRef reported = jit_build_block(e, "reported");

        jit_build_at(e, bailout->from);
        LLVMBuildBr(e->builder, jit_check_loops_leave(e, bailout->node, JIT_NO_BLOCK, reported));
        jit_build_at(e, reported);
        enter_masks(e, &bailout->predicated);
        jit_registers_transfer(e, bailout->node, bailout->at,
                               bailout->predicated.lanes ? bailout->predicated.others
                                                         : JIT_NO_BLOCK);
        LLVMBuildBr(e->builder, bailout->to);
    }
}
