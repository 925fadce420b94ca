/* SPDX-License-Identifier: MIT */
/* Resuming a warp that stopped: in the uniform variant, in the divergent variant, or, if all of its
 * lanes are at one barrier again and its registers have their uniformity, in the uniform variant.
 */
#include "jit/variants/region_frame.h"

#include "jit/emit/body.h"
#include "jit/emit/ir.h"
#include "jit/instrument/loops.h"
#include "jit/variants/divergent.h"
#include "jit/variants/barrier_regions.h"
#include "jit/emit/registers.h"

static void resume_uniform(struct jit_body *body, const struct jit_region *region)
{
    body->divergent = false;
    for (uint32_t reg = 0; reg < body->cfg.register_count; reg++)
        if (jit_set_has(region->live, reg) && !jit_frame_has_tile_of(body, reg))
            jit_register_fill(body, reg, jit_frame_at(body, body->frame.uniform_offsets[reg]));
    if (region->checks)
        jit_check_loops_resume(body, region->node, jit_frame_at(body, region->checks));
    jit_region_write_result(body, region);
    LLVMBuildBr(body->builder, body->blocks.uniforms[jit_region_next(body, region)]);
}

static void resume_divergent(struct jit_body *body)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;

    body->divergent = true;
    jit_divergent_reset(body, jit_i32(unit, 0));
    LLVMBuildStore(b, LLVMBuildLoad2(b, unit->i32, jit_frame_at(body, FRAME_LIVE), ""),
                   body->masks.live);
    for (uint32_t r = 0; r < body->regions.count; r++) {
        const struct jit_region *region = &body->regions.items[r];
        LLVMValueRef lanes, pending = body->masks.pending[jit_region_next(body, region)];

        if (region->interleaved)
            continue;
        lanes = LLVMBuildLoad2(b, unit->i32, jit_frame_at(body, FRAME_PARKED + 4 * r), "");
        LLVMBuildStore(b, lanes, body->masks.active);
        jit_region_write_result(body, region);
        LLVMBuildStore(b, LLVMBuildOr(b, LLVMBuildLoad2(b, unit->i32, pending, ""), lanes, ""),
                       pending);
    }
    LLVMBuildBr(b, body->blocks.checks[0]);
}

/* Moves registers from the divergent to the uniform variant, for a warp that has all lanes at one
 * barrier. All registers that are scalars in the uniform variant are tested; `needs` has the bits
 * of those that are live at the barrier. The result is true (i1) if one of those does not have the
 * values of its uniformity. */
static LLVMValueRef move_to_uniform(struct jit_body *body, LLVMValueRef needs, uint64_t *bits)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMValueRef wrong = jit_i64(unit, 0);
    unsigned bit = 0;

    for (uint32_t reg = 0; reg < body->cfg.register_count; reg++) {
        LLVMValueRef differs;

        if (jit_frame_has_tile_of(body, reg) && body->frame.divergent_offsets[reg])
            jit_register_fill(body, reg, jit_frame_at(body, body->frame.divergent_offsets[reg]));
        if (!body->frame.uniform_offsets[reg] || !body->frame.divergent_offsets[reg] ||
            jit_frame_is_shared(body, reg))
            continue;
        differs = jit_register_move_to_uniform(
            body, reg, jit_frame_at(body, body->frame.uniform_offsets[reg]));
        differs = LLVMBuildZExt(b, differs, unit->i64, "");
        wrong = LLVMBuildOr(b, wrong, LLVMBuildShl(b, differs, jit_i64(unit, bit), ""), "");
        for (uint32_t r = 0; r < body->regions.count; r++)
            if (jit_set_has(body->regions.items[r].live, reg))
                bits[r] |= UINT64_C(1) << bit;
        bit += bit < 63;
    }
    wrong = LLVMBuildAnd(b, wrong, needs, "");
    return LLVMBuildICmp(b, LLVMIntNE, wrong, jit_i64(unit, 0), "");
}

static void resume_whole(struct jit_body *body, LLVMValueRef state, LLVMValueRef jump,
                         LLVMBasicBlockRef divergent, LLVMBasicBlockRef *uniforms)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef whole = jit_build_block(body, "resume.whole"),
                      on = jit_build_block(body, "on");
    uint64_t *bits =
        jit_workspace_zeros(&body->unit->workspace, body->regions.count, sizeof(*bits));
    LLVMValueRef needs, on_jump;

    jit_build_at(body, whole);
    needs = LLVMBuildPhi(b, unit->i64, "needs");
    LLVMBuildCondBr(b, move_to_uniform(body, needs, bits), divergent, on);
    jit_build_at(body, on);
    on_jump = LLVMBuildSwitch(b, state, divergent, body->regions.count);
    for (uint32_t r = 0; r < body->regions.count; r++) {
        LLVMBasicBlockRef from = jit_build_block(body, "whole");
        LLVMValueRef number = jit_i32(unit, STATE_WHOLE + 2 * r), mine = jit_i64(unit, bits[r]);

        if (body->regions.items[r].interleaved) {
            LLVMDeleteBasicBlock(from);
            continue;
        }
        LLVMAddCase(jump, number, from);
        LLVMAddCase(on_jump, number, uniforms[r]);
        jit_build_at(body, from);
        LLVMAddIncoming(needs, &mine, &from, 1);
        LLVMBuildBr(b, whole);
    }
}

static LLVMValueRef held_switch(struct jit_body *body, LLVMValueRef state)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef held = jit_build_block(body, "held"), open = jit_build_block(body, "open");
    LLVMValueRef is_held = LLVMBuildLoad2(b, unit->i32, body->rounds.held, ""), jump;

    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, is_held, jit_i32(unit, 0), ""), held, open);
    jit_build_at(body, held);
    jump = LLVMBuildSwitch(b, state, body->rounds.step, body->regions.count);
    jit_build_at(body, open);
    return jump;
}

void jit_regions_resume(struct jit_body *body)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef divergent = jit_build_block(body, "resume.divergent");
    LLVMBasicBlockRef *uniforms = jit_workspace_zeros(
        &body->unit->workspace, body->regions.count + 1u, sizeof(LLVMBasicBlockRef));
    LLVMValueRef state = LLVMBuildLoad2(b, unit->i32, jit_frame_at(body, FRAME_STATE), "state");
    LLVMValueRef interleaved = body->interleaving.any ? held_switch(body, state) : NULL;
    LLVMValueRef jump = LLVMBuildSwitch(b, state, body->rounds.step, 1 + 2 * body->regions.count);

    LLVMAddCase(jump, jit_i32(unit, STATE_DIVERGENT), divergent);
    jit_build_at(body, divergent);
    resume_divergent(body);
    for (uint32_t r = 0; body->has_uniform && r < body->regions.count; r++) {
        const struct jit_region *region = &body->regions.items[r];

        uniforms[r] = jit_build_block(body, "resume");
        LLVMAddCase(region->interleaved ? interleaved : jump, jit_i32(unit, STATE_UNIFORM + 2 * r),
                    uniforms[r]);
        jit_build_at(body, uniforms[r]);
        resume_uniform(body, region);
    }
    if (body->has_uniform)
        resume_whole(body, state, jump, divergent, uniforms);
}

void jit_regions_done(struct jit_body *body)
{
    LLVMBuildStore(body->builder, jit_i32(body->unit, STATE_DONE), jit_frame_at(body, FRAME_STATE));
    LLVMBuildBr(body->builder, body->rounds.step);
}
