/* SPDX-License-Identifier: MIT */
/* Warps that wait for nothing but one barrier of their block need no stacks of their own. One
 * function runs the block: it takes the warps in turn, each from where it stopped to where none of
 * its lanes can go on. When a round is over, all that live are at the barrier, whichever of its
 * instructions each came to, and with all lanes at once or one after the other: it is open, and the
 * next round begins. Nobody counts anything.
 *
 * What a warp keeps from round to round is in its frame: where it stopped, and the registers that
 * live there. A warp whose lanes parted on the way to the barrier and are all there now goes on in
 * the uniform clone, if its registers are what that takes them for. */
#include "core/align.h"
#include "jit/compile.h"

#include <llvm-c/Target.h>
#include <stddef.h>

/* Where a warp is to go on. */
enum {
    STATE_DONE,
    STATE_DIVERGENT,
    STATE_UNIFORM, /* + 2 * region */
    STATE_WHOLE =
        STATE_UNIFORM + 1 /* + 2 * region: in the divergent clone, with all lanes at one place */
};

enum { FRAME_STATE = 0, FRAME_LIVE = 4, FRAME_PARKED = 8, FRAME_ALIGN = 512 };

static bool has(const uint64_t *set, uint32_t bit)
{
    return set[bit / 64] >> (bit % 64) & 1;
}

static void remove_bit(void *context, uint32_t bit)
{
    ((uint64_t *)context)[bit / 64] &= ~(UINT64_C(1) << (bit % 64));
}

static LLVMValueRef at_offset(struct jit_body *body, uint32_t offset)
{
    return jit_build_offset(body, body->frame, jit_i64(body->unit, offset));
}

static const struct ptx_instruction *barrier_of(const struct jit_body *body,
                                                const struct jit_region *region)
{
    return &body->function->instructions[body->cfg.nodes[region->node].last];
}

/* ---- What a frame holds ---- */

static uint32_t place(struct jit_body *body, uint32_t reg, bool divergent)
{
    uint32_t bytes = jit_register_bytes(body, reg, divergent), align = bytes;
    uint32_t at = (uint32_t)cup_align_to_step(body->frame_bytes, align);

    body->frame_bytes = at + bytes;
    return at;
}

/* Where a warp goes on. */
static uint32_t next_of(const struct jit_body *body, const struct jit_region *region)
{
    return region->turn ? region->node : body->cfg.nodes[region->node].next[0];
}

static void add_region(struct jit_body *body, uint32_t node)
{
    struct jit_region *region = &body->regions[body->region_count++];
    const struct jit_cfg *cfg = &body->cfg;

    region->node = node;
    region->turn = cfg->nodes[node].kind != JIT_END_BARRIER;
    region->live = jit_workspace_zeros(&body->unit->workspace, cfg->words, sizeof(*region->live));
    for (uint32_t w = 0; w < cfg->words; w++)
        region->live[w] = cfg->nodes[next_of(body, region)].live_in[w];
    if (!region->turn)
        jit_instruction_defines(cfg, barrier_of(body, region), remove_bit, region->live);
}

static bool is_live(const struct jit_body *body, uint32_t reg)
{
    for (uint32_t r = 0; r < body->region_count; r++)
        if (has(body->regions[r].live, reg))
            return true;
    return false;
}

static bool is_kept_alike(const struct jit_body *body, uint32_t reg)
{
    return (body->classes[0][reg].kind == JIT_CLASS_VARYING) ==
           (body->classes[1][reg].kind == JIT_CLASS_VARYING);
}

/* Both clones keep a register at one place if they keep it alike: a warp is in one of them. */
static void lay_out_frame(struct jit_body *body)
{
    const struct jit_cfg *cfg = &body->cfg;

    body->frame_bytes = FRAME_PARKED + 4 * body->region_count;
    for (uint32_t reg = 0; reg < cfg->register_count; reg++) {
        bool divergent = has(cfg->kept, reg), uniform = body->has_uniform && is_live(body, reg);

        if (divergent)
            body->divergent_places[reg] = place(body, reg, true);
        if (uniform)
            body->uniform_places[reg] = divergent && is_kept_alike(body, reg)
                                            ? body->divergent_places[reg]
                                            : place(body, reg, false);
    }
    body->frame_bytes = (uint32_t)cup_align_up(body->frame_bytes, FRAME_ALIGN);
}

void jit_regions_prepare(struct jit_body *body)
{
    struct jit_unit *unit = body->unit;
    const struct jit_cfg *cfg = &body->cfg;
    LLVMValueRef frames, offset;

    body->regions =
        jit_workspace_zeros(&body->unit->workspace, cfg->order_count + 1u, sizeof(*body->regions));
    body->uniform_places =
        jit_workspace_zeros(&body->unit->workspace, cfg->register_count, sizeof(uint32_t));
    body->divergent_places =
        jit_workspace_zeros(&body->unit->workspace, cfg->register_count, sizeof(uint32_t));
    for (uint32_t p = 0; p < cfg->order_count; p++)
        if (cfg->nodes[cfg->order[p]].kind == JIT_END_BARRIER ||
            (body->has_uniform && jit_cfg_is_walk(cfg, cfg->order[p])))
            add_region(body, cfg->order[p]);
    for (uint32_t r = 0; r < body->region_count; r++)
        body->turns |= body->regions[r].turn;
    lay_out_frame(body);
    unit->info.frame_bytes = body->frame_bytes;
    frames = jit_build_field(body, body->block, offsetof(struct cup_abi_block, frames), unit->ptr,
                             true, "frames");
    offset = LLVMBuildMul(body->builder, LLVMBuildZExt(body->builder, body->warp, unit->i64, ""),
                          jit_i64(unit, body->frame_bytes), "");
    body->frame = jit_build_offset(body, frames, offset);
}

/* ---- Rounds ---- */

static void reset_reductions(struct jit_body *body, bool first)
{
    struct jit_unit *unit = body->unit;
    static const uint32_t neutral[3] = {0, UINT32_MAX, 0};

    for (unsigned i = 0; i < 3; i++) {
        if (!body->reduced[i]) {
            body->reduced[i] = jit_build_alloca(body, unit->i32, 1, "reduced");
            body->reducing[i] = jit_build_alloca(body, unit->i32, 1, "reducing");
        }
        if (!first)
            LLVMBuildStore(body->builder,
                           LLVMBuildLoad2(body->builder, unit->i32, body->reducing[i], ""),
                           body->reduced[i]);
        LLVMBuildStore(body->builder, jit_i32(unit, neutral[i]), body->reducing[i]);
    }
}

/* A block begins: `first` is the round that takes all warps from their start. */
void jit_rounds_begin(struct jit_body *body)
{
    LLVMValueRef *counters[] = {&body->waiting, &body->turning, &body->held, &body->level};

    for (unsigned c = 0; c < sizeof(counters) / sizeof(*counters); c++) {
        *counters[c] = jit_build_alloca(body, body->unit->i32, 1, "counter");
        LLVMBuildStore(body->builder, jit_i32(body->unit, 0), *counters[c]);
    }
    body->rounds_left = jit_build_alloca(body, body->unit->i32, 1, "left");
    LLVMBuildStore(body->builder, jit_i32(body->unit, JIT_TURN_ROUNDS), body->rounds_left);
    body->distance_before = jit_build_alloca(body, body->unit->i64, 1, "distance");
    LLVMBuildStore(body->builder, jit_i64(body->unit, 0), body->distance_before);
    reset_reductions(body, true);
}

/* All warps had their turn. Another round, or on to `end`. */
void jit_rounds_end(struct jit_body *body, LLVMBasicBlockRef round, LLVMBasicBlockRef end)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef open = jit_build_block(body, "round.open");
    LLVMValueRef zero = jit_i32(unit, 0), count;

    if (body->turns) {
        count = LLVMBuildLoad2(b, unit->i32, body->turning, "");
        LLVMBuildStore(b, count, body->held);
        LLVMBuildStore(b, zero, body->turning);
        LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, count, zero, ""), round, open);
    } else {
        LLVMBuildBr(b, open);
    }
    jit_build_at(body, open);
    count = LLVMBuildLoad2(b, unit->i32, body->waiting, "");
    LLVMBuildStore(b, zero, body->waiting);
    reset_reductions(body, false);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, count, zero, ""), end, round);
}

/* ---- Reductions: of this round so far, and of the last one ---- */

static void reduce_in(struct jit_body *body, const struct ptx_instruction *barrier,
                      LLVMValueRef mask)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    struct jit_barrier_operands operands;
    LLVMValueRef lanes, change[3], old[3];

    if (!ptx_has(barrier, PTX_MOD_RED))
        return;
    jit_barrier_read(body, barrier, &operands);
    lanes = LLVMBuildAnd(b, operands.predicate, mask, "");
    for (unsigned i = 0; i < 3; i++)
        old[i] = LLVMBuildLoad2(b, unit->i32, body->reducing[i], "");
    change[0] =
        LLVMBuildAdd(b, old[0], jit_build_call(body, "llvm.ctpop", unit->i32, &lanes, 1), "");
    change[1] = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, lanes, mask, ""), old[1],
                                jit_i32(unit, 0), "");
    change[2] = LLVMBuildOr(b, old[2], lanes, "");
    for (unsigned i = 0; i < 3; i++)
        LLVMBuildStore(b, change[i], body->reducing[i]);
}

static void write_result(struct jit_body *body, const struct jit_region *region)
{
    const struct ptx_instruction *barrier;
    unsigned which;

    body->node = region->node;
    if (region->turn)
        return;
    barrier = barrier_of(body, region);
    which = ptx_has(barrier, PTX_MOD_POPC) ? 0 : ptx_has(barrier, PTX_MOD_AND) ? 1 : 2;
    if (ptx_has(barrier, PTX_MOD_RED))
        jit_barrier_result(
            body, barrier,
            LLVMBuildLoad2(body->builder, body->unit->i32, body->reduced[which], ""));
}

/* ---- Stopping ---- */

static const struct jit_region *region_of(const struct jit_body *body, uint32_t node)
{
    const struct jit_region *region = body->regions;

    while (region->node != node)
        region++;
    return region;
}

static void count(struct jit_body *body, LLVMValueRef place)
{
    LLVMValueRef old = LLVMBuildLoad2(body->builder, body->unit->i32, place, "");

    LLVMBuildStore(body->builder, LLVMBuildAdd(body->builder, old, jit_i32(body->unit, 1), ""),
                   place);
}

/* The warp stops; its turn comes again. */
static void stop(struct jit_body *body, LLVMValueRef state, LLVMValueRef counter)
{
    LLVMBuildStore(body->builder, state, at_offset(body, FRAME_STATE));
    count(body, counter);
    LLVMBuildBr(body->builder, body->step);
}

static void stop_uniform(struct jit_body *body, const struct jit_region *region,
                         LLVMValueRef counter)
{
    for (uint32_t reg = 0; reg < body->cfg.register_count; reg++)
        if (has(region->live, reg))
            jit_register_spill(body, reg, at_offset(body, body->uniform_places[reg]));
    stop(body, jit_i32(body->unit, STATE_UNIFORM + 2 * (uint32_t)(region - body->regions)),
         counter);
}

bool jit_region_turns(const struct jit_body *body, uint32_t node)
{
    for (uint32_t r = 0; r < body->region_count; r++)
        if (body->regions[r].turn && body->regions[r].node == node)
            return true;
    return false;
}

/* Is the loop more than so many rounds from its end? */
static LLVMValueRef is_far(struct jit_body *body, LLVMValueRef step, unsigned rounds)
{
    return LLVMBuildICmp(body->builder, LLVMIntSGT, body->distance,
                         LLVMBuildMul(body->builder, step, jit_i64(body->unit, rounds), ""), "");
}

/* Looks whether the warps are to take turns in this loop: if it goes in wide steps, and there are
 * many of them; a processor foresees a few dozen streams itself. Where there are very many, it is
 * also worth loading ahead. What was begun goes on to the end. */
static LLVMValueRef look(struct jit_body *body)
{
    enum { WIDE_BYTES = 512, MANY = 40, VERY_MANY = 96 };
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMValueRef wide, turns, level, step, old = LLVMBuildLoad2(b, unit->i32, body->level, "");

    wide = LLVMBuildAdd(b, body->moved, jit_i64(unit, WIDE_BYTES), "");
    wide = LLVMBuildICmp(b, LLVMIntUGT, wide, jit_i64(unit, 2 * WIDE_BYTES), "");
    turns = LLVMBuildICmp(b, LLVMIntUGT, body->threads, jit_i32(unit, body->width), "");
    level = jit_i32(unit, 2);
    if (body->distance) {
        step = LLVMBuildLoad2(b, unit->i64, body->distance_before, "");
        step = LLVMBuildSub(b, step, body->distance, "");
        level = LLVMBuildSelect(b, is_far(body, step, MANY), jit_i32(unit, 1), old, "");
        level = LLVMBuildSelect(b, is_far(body, step, VERY_MANY), jit_i32(unit, 2), level, "");
        level = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntUGT, old, level, ""), old, level, "");
    }
    level = LLVMBuildSelect(b, wide, level, jit_i32(unit, 0), "");
    LLVMBuildStore(b, level, body->level);
    return LLVMBuildAnd(b, turns, LLVMBuildICmp(b, LLVMIntNE, level, jit_i32(unit, 0), ""), "");
}

/* Warps that go through the same memory in wide steps do so together: what one leaves out is what
 * the next one reads. So memory is read in order, as far as it can be. */
void jit_region_again(struct jit_body *body)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef on = jit_build_block(body, "turn.no"),
                      asks = jit_build_block(body, "turn.look"),
                      turn = jit_build_block(body, "turn");
    LLVMValueRef left = LLVMBuildLoad2(b, unit->i32, body->rounds_left, "");

    left = LLVMBuildSub(b, left, jit_i32(unit, 1), "");
    LLVMBuildStore(b, left, body->rounds_left);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSGT, left, jit_i32(unit, 0), ""), on, asks);
    jit_build_at(body, asks);
    LLVMBuildStore(b, jit_i32(unit, body->turn_rounds), body->rounds_left);
    LLVMBuildCondBr(b, look(body), turn, on);
    jit_build_at(body, on);
    if (body->distance)
        LLVMBuildStore(b, body->distance, body->distance_before);
    LLVMBuildBr(b, body->uniforms[body->node]);
    jit_build_at(body, turn);
    stop_uniform(body, region_of(body, body->node), body->turning);
}

/* The uniform clone leaves such a loop: the next one is looked at anew. */
void jit_region_leave(struct jit_body *body, LLVMBasicBlockRef to)
{
    LLVMBuildStore(body->builder, jit_i32(body->unit, JIT_TURN_ROUNDS), body->rounds_left);
    LLVMBuildStore(body->builder, jit_i32(body->unit, 0), body->level);
    LLVMBuildBr(body->builder, to);
}

void jit_region_end_uniform(struct jit_body *body, const struct jit_node *node)
{
    const struct jit_region *region = region_of(body, body->node);

    (void)node;
    reduce_in(body, barrier_of(body, region), body->full);
    stop_uniform(body, region, body->waiting);
}

void jit_region_end_divergent(struct jit_body *body, LLVMValueRef mask)
{
    const struct jit_region *region = region_of(body, body->node);
    LLVMValueRef parked = body->parked[body->node];
    LLVMValueRef old = LLVMBuildLoad2(body->builder, body->unit->i32, parked, "");

    reduce_in(body, barrier_of(body, region), mask);
    LLVMBuildStore(body->builder, LLVMBuildOr(body->builder, old, mask, ""), parked);
}

/* No lane of the divergent clone can go on. */
void jit_regions_rest(struct jit_body *body)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef park = jit_build_block(body, "park");
    LLVMValueRef any = jit_i32(unit, 0), state = jit_i32(unit, STATE_DIVERGENT);

    for (uint32_t r = 0; r < body->region_count; r++)
        if (!body->regions[r].turn)
            any = LLVMBuildOr(
                b, any, LLVMBuildLoad2(b, unit->i32, body->parked[body->regions[r].node], ""), "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, any, jit_i32(unit, 0), ""), body->done, park);
    jit_build_at(body, park);
    LLVMBuildStore(b, LLVMBuildLoad2(b, unit->i32, body->live, ""), at_offset(body, FRAME_LIVE));
    for (uint32_t r = 0; r < body->region_count; r++) {
        LLVMValueRef lanes;

        if (body->regions[r].turn)
            continue;
        lanes = LLVMBuildLoad2(b, unit->i32, body->parked[body->regions[r].node], "");
        LLVMBuildStore(b, lanes, at_offset(body, FRAME_PARKED + 4 * r));
        if (body->has_uniform)
            state = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, lanes, body->full, ""),
                                    jit_i32(unit, STATE_WHOLE + 2 * r), state, "");
    }
    stop(body, state, body->waiting);
}

/* ---- Going on ---- */

static void resume_uniform(struct jit_body *body, const struct jit_region *region)
{
    body->divergent = false;
    for (uint32_t reg = 0; reg < body->cfg.register_count; reg++)
        if (has(region->live, reg))
            jit_register_fill(body, reg, at_offset(body, body->uniform_places[reg]));
    write_result(body, region);
    LLVMBuildBr(body->builder, body->uniforms[next_of(body, region)]);
}

static void resume_divergent(struct jit_body *body)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;

    body->divergent = true;
    jit_divergent_reset(body, jit_i32(unit, 0));
    LLVMBuildStore(b, LLVMBuildLoad2(b, unit->i32, at_offset(body, FRAME_LIVE), ""), body->live);
    for (uint32_t r = 0; r < body->region_count; r++) {
        const struct jit_region *region = &body->regions[r];
        LLVMValueRef lanes, pending = body->pending[next_of(body, region)];

        if (region->turn)
            continue;
        lanes = LLVMBuildLoad2(b, unit->i32, at_offset(body, FRAME_PARKED + 4 * r), "");
        LLVMBuildStore(b, lanes, body->mask);
        write_result(body, region);
        LLVMBuildStore(b, LLVMBuildOr(b, LLVMBuildLoad2(b, unit->i32, pending, ""), lanes, ""),
                       pending);
    }
    LLVMBuildBr(b, body->checks[0]);
}

/* A warp all of whose lanes are at one place goes on in the uniform clone if what that keeps as
 * scalars is that. Which of such registers are not is found out for all of them, and then which of
 * those matter: `needs` has the bits of these. The result is true (i1) if one of them is wrong. */
static LLVMValueRef take_back(struct jit_body *body, LLVMValueRef needs, uint64_t *bits)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMValueRef wrong = jit_i64(unit, 0);
    unsigned bit = 0;

    for (uint32_t reg = 0; reg < body->cfg.register_count; reg++) {
        LLVMValueRef differs;

        if (!body->uniform_places[reg] || !body->divergent_places[reg] || is_kept_alike(body, reg))
            continue;
        differs = jit_register_take_back(body, reg, at_offset(body, body->uniform_places[reg]));
        differs = LLVMBuildZExt(b, differs, unit->i64, "");
        wrong = LLVMBuildOr(b, wrong, LLVMBuildShl(b, differs, jit_i64(unit, bit), ""), "");
        for (uint32_t r = 0; r < body->region_count; r++)
            if (has(body->regions[r].live, reg))
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
    uint64_t *bits = jit_workspace_zeros(&body->unit->workspace, body->region_count, sizeof(*bits));
    LLVMValueRef needs, on_jump;

    jit_build_at(body, whole);
    needs = LLVMBuildPhi(b, unit->i64, "needs");
    LLVMBuildCondBr(b, take_back(body, needs, bits), divergent, on);
    jit_build_at(body, on);
    on_jump = LLVMBuildSwitch(b, state, divergent, body->region_count);
    for (uint32_t r = 0; r < body->region_count; r++) {
        LLVMBasicBlockRef from = jit_build_block(body, "whole");
        LLVMValueRef number = jit_i32(unit, STATE_WHOLE + 2 * r), mine = jit_i64(unit, bits[r]);

        if (body->regions[r].turn) {
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
    LLVMValueRef is_held = LLVMBuildLoad2(b, unit->i32, body->held, ""), jump;

    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, is_held, jit_i32(unit, 0), ""), held, open);
    jit_build_at(body, held);
    jump = LLVMBuildSwitch(b, state, body->step, body->region_count);
    jit_build_at(body, open);
    return jump;
}

void jit_regions_resume(struct jit_body *body)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef divergent = jit_build_block(body, "resume.divergent");
    LLVMBasicBlockRef *uniforms = jit_workspace_zeros(
        &body->unit->workspace, body->region_count + 1u, sizeof(LLVMBasicBlockRef));
    LLVMValueRef state = LLVMBuildLoad2(b, unit->i32, at_offset(body, FRAME_STATE), "state");
    LLVMValueRef turn = body->turns ? held_switch(body, state) : NULL;
    LLVMValueRef jump = LLVMBuildSwitch(b, state, body->step, 1 + 2 * body->region_count);

    LLVMAddCase(jump, jit_i32(unit, STATE_DIVERGENT), divergent);
    jit_build_at(body, divergent);
    resume_divergent(body);
    for (uint32_t r = 0; body->has_uniform && r < body->region_count; r++) {
        const struct jit_region *region = &body->regions[r];

        uniforms[r] = jit_build_block(body, "resume");
        LLVMAddCase(region->turn ? turn : jump, jit_i32(unit, STATE_UNIFORM + 2 * r), uniforms[r]);
        jit_build_at(body, uniforms[r]);
        resume_uniform(body, region);
    }
    if (body->has_uniform)
        resume_whole(body, state, jump, divergent, uniforms);
}

void jit_regions_done(struct jit_body *body)
{
    LLVMBuildStore(body->builder, jit_i32(body->unit, STATE_DONE), at_offset(body, FRAME_STATE));
    LLVMBuildBr(body->builder, body->step);
}
