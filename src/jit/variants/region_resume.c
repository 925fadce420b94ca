/* SPDX-License-Identifier: MIT */
/* Resuming a warp that stopped: in the uniform variant, in the divergent variant, or, if all of its
 * lanes are at one barrier again and its registers have their uniformity, in the uniform variant.
 */
#include "jit/variants/region_frame.h"

#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"
#include "jit/emit/registers.h"
#include "jit/instrument/loops.h"
#include "jit/variants/barrier_regions.h"
#include "jit/variants/divergent.h"

static void resume_uniform(struct jit_emitter *e, const struct jit_region *region)
{
    e->divergent = false;
    for (uint32_t reg = 0; reg < e->function->cfg.register_count; reg++)
        if (jit_set_has(region->live, reg) && !jit_frame_has_tile_of(e, reg))
            jit_register_fill(e, reg, jit_frame_at(e, e->regions->frame.uniform_offsets[reg]));
    if (region->checks)
        jit_check_loops_resume(e, region->node, jit_frame_at(e, region->checks));
    jit_region_write_result(e, region);
    LLVMBuildBr(e->builder, e->blocks->uniforms[jit_region_next(e, region)]);
}

static void resume_divergent(struct jit_emitter *e)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;

    e->divergent = true;
    jit_divergent_reset(e, jit_i32(unit, 0));
    LLVMBuildStore(b, LLVMBuildLoad2(b, unit->i32, jit_frame_at(e, FRAME_LIVE), ""),
                   e->masks->live);
    for (uint32_t r = 0; r < e->regions->count; r++) {
        const struct jit_region *region = &e->regions->items[r];
        LLVMValueRef lanes, pending = e->masks->pending[jit_region_next(e, region)];

        if (region->interleaved)
            continue;
        lanes = LLVMBuildLoad2(b, unit->i32, jit_frame_at(e, FRAME_PARKED + 4 * r), "");
        LLVMBuildStore(b, lanes, e->mask.active);
        jit_region_write_result(e, region);
        LLVMBuildStore(b, LLVMBuildOr(b, LLVMBuildLoad2(b, unit->i32, pending, ""), lanes, ""),
                       pending);
    }
    LLVMBuildBr(b, e->blocks->checks[0]);
}

/* Moves registers from the divergent to the uniform variant, for a warp that has all lanes at one
 * barrier. All registers that are scalars in the uniform variant are tested; `needs` has the bits
 * of those that are live at the barrier. The result is true (i1) if one of those does not have the
 * values of its uniformity. */
static LLVMValueRef move_to_uniform(struct jit_emitter *e, LLVMValueRef needs, uint64_t *bits)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMValueRef wrong = jit_i64(unit, 0);
    unsigned bit = 0;

    for (uint32_t reg = 0; reg < e->function->cfg.register_count; reg++) {
        LLVMValueRef differs;

        if (jit_frame_has_tile_of(e, reg) && e->regions->frame.divergent_offsets[reg])
            jit_register_fill(e, reg, jit_frame_at(e, e->regions->frame.divergent_offsets[reg]));
        if (!e->regions->frame.uniform_offsets[reg] || !e->regions->frame.divergent_offsets[reg] ||
            jit_frame_is_shared(e, reg))
            continue;
        differs = jit_register_move_to_uniform(
            e, reg, jit_frame_at(e, e->regions->frame.uniform_offsets[reg]));
        differs = LLVMBuildZExt(b, differs, unit->i64, "");
        wrong = LLVMBuildOr(b, wrong, LLVMBuildShl(b, differs, jit_i64(unit, bit), ""), "");
        for (uint32_t r = 0; r < e->regions->count; r++)
            if (jit_set_has(e->regions->items[r].live, reg))
                bits[r] |= UINT64_C(1) << bit;
        bit += bit < 63;
    }
    wrong = LLVMBuildAnd(b, wrong, needs, "");
    return LLVMBuildICmp(b, LLVMIntNE, wrong, jit_i64(unit, 0), "");
}

static void resume_whole(struct jit_emitter *e, LLVMValueRef state, LLVMValueRef jump,
                         LLVMBasicBlockRef divergent, LLVMBasicBlockRef *uniforms)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef whole = jit_build_block(e, "resume.whole"), on = jit_build_block(e, "on");
    uint64_t *bits = jit_workspace_zeros(&e->unit->workspace, e->regions->count, sizeof(*bits));
    LLVMValueRef needs, on_jump;

    jit_build_at(e, whole);
    needs = LLVMBuildPhi(b, unit->i64, "needs");
    LLVMBuildCondBr(b, move_to_uniform(e, needs, bits), divergent, on);
    jit_build_at(e, on);
    on_jump = LLVMBuildSwitch(b, state, divergent, e->regions->count);
    for (uint32_t r = 0; r < e->regions->count; r++) {
        LLVMBasicBlockRef from = jit_build_block(e, "whole");
        LLVMValueRef number = jit_i32(unit, STATE_WHOLE + 2 * r), mine = jit_i64(unit, bits[r]);

        if (e->regions->items[r].interleaved) {
            LLVMDeleteBasicBlock(from);
            continue;
        }
        LLVMAddCase(jump, number, from);
        LLVMAddCase(on_jump, number, uniforms[r]);
        jit_build_at(e, from);
        LLVMAddIncoming(needs, &mine, &from, 1);
        LLVMBuildBr(b, whole);
    }
}

static LLVMValueRef held_switch(struct jit_emitter *e, LLVMValueRef state)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef held = jit_build_block(e, "held"), open = jit_build_block(e, "open");
    LLVMValueRef is_held = LLVMBuildLoad2(b, unit->i32, e->regions->rounds.held, ""), jump;

    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, is_held, jit_i32(unit, 0), ""), held, open);
    jit_build_at(e, held);
    jump = LLVMBuildSwitch(b, state, e->regions->rounds.step, e->regions->count);
    jit_build_at(e, open);
    return jump;
}

void jit_regions_resume(struct jit_emitter *e)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef divergent = jit_build_block(e, "resume.divergent");
    LLVMBasicBlockRef *uniforms =
        jit_workspace_zeros(&e->unit->workspace, e->regions->count + 1u, sizeof(LLVMBasicBlockRef));
    LLVMValueRef state = LLVMBuildLoad2(b, unit->i32, jit_frame_at(e, FRAME_STATE), "state");
    LLVMValueRef interleaved = e->regions->interleaving.any ? held_switch(e, state) : NULL;
    LLVMValueRef jump =
        LLVMBuildSwitch(b, state, e->regions->rounds.step, 1 + 2 * e->regions->count);

    LLVMAddCase(jump, jit_i32(unit, STATE_DIVERGENT), divergent);
    jit_build_at(e, divergent);
    resume_divergent(e);
    for (uint32_t r = 0; e->function->has_uniform && r < e->regions->count; r++) {
        const struct jit_region *region = &e->regions->items[r];

        uniforms[r] = jit_build_block(e, "resume");
        LLVMAddCase(region->interleaved ? interleaved : jump, jit_i32(unit, STATE_UNIFORM + 2 * r),
                    uniforms[r]);
        jit_build_at(e, uniforms[r]);
        resume_uniform(e, region);
    }
    if (e->function->has_uniform)
        resume_whole(e, state, jump, divergent, uniforms);
}

void jit_regions_done(struct jit_emitter *e)
{
    LLVMBuildStore(e->builder, jit_i32(e->unit, STATE_DONE), jit_frame_at(e, FRAME_STATE));
    LLVMBuildBr(e->builder, e->regions->rounds.step);
}
