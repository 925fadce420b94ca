/* SPDX-License-Identifier: MIT */
/* Warps that wait for nothing but one barrier of their block need no stacks of their own. One
 * function runs the block: it takes the warps in turn, each from where it stopped to where none of
 * its lanes can go on. When a round is over, all that live are at the barrier, whichever of its
 * instructions each came to, and with all lanes at once or one after the other: it is open, and the
 * next round begins. Nobody counts anything.
 *
 * What a warp keeps from round to round is in its frame: where it stopped, and the registers that
 * live there. A warp whose lanes parted on the way to the barrier and are all there now goes on in
 * the fast clone, if its registers are what that takes them for. */
#include "jit/compile.h"

#include <llvm-c/Target.h>
#include <stddef.h>

/* Where a warp is to go on. */
enum {
    STATE_DONE,
    STATE_SLOW,
    STATE_FAST,                  /* + 2 * region */
    STATE_WHOLE = STATE_FAST + 1 /* + 2 * region: in the slow clone, with all lanes at one place */
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

static LLVMValueRef at_offset(struct cup_body *body, uint32_t offset)
{
    return cup_build_offset(body, body->frame, cup_i64(body->unit, offset));
}

static const struct ptx_instruction *barrier_of(const struct cup_body *body,
                                                const struct cup_region *region)
{
    return &body->function->instructions[body->cfg.nodes[region->node].last];
}

/* ---- What a frame holds ---- */

static uint32_t place(struct cup_body *body, uint32_t reg, bool slow)
{
    uint32_t bytes = cup_register_bytes(body, reg, slow), align = bytes;
    uint32_t at = (body->frame_bytes + align - 1) / align * align;

    body->frame_bytes = at + bytes;
    return at;
}

/* Where a warp goes on. */
static uint32_t next_of(const struct cup_body *body, const struct cup_region *region)
{
    return region->turn ? region->node : body->cfg.nodes[region->node].next[0];
}

static void add_region(struct cup_body *body, uint32_t node)
{
    struct cup_region *region = &body->regions[body->region_count++];
    const struct cup_cfg *cfg = &body->cfg;

    region->node = node;
    region->turn = cfg->nodes[node].kind != CUP_END_BARRIER;
    region->live = cup_workspace_zeros(&body->unit->workspace, cfg->words, sizeof(*region->live));
    for (uint32_t w = 0; w < cfg->words; w++)
        region->live[w] = cfg->nodes[next_of(body, region)].live_in[w];
    if (!region->turn)
        cup_instruction_defines(cfg, barrier_of(body, region), remove_bit, region->live);
}

static bool is_live(const struct cup_body *body, uint32_t reg)
{
    for (uint32_t r = 0; r < body->region_count; r++)
        if (has(body->regions[r].live, reg))
            return true;
    return false;
}

static bool is_kept_alike(const struct cup_body *body, uint32_t reg)
{
    return (body->classes[0][reg].kind == CUP_CLASS_VARYING) ==
           (body->classes[1][reg].kind == CUP_CLASS_VARYING);
}

/* Both clones keep a register at one place if they keep it alike: a warp is in one of them. */
static void lay_out_frame(struct cup_body *body)
{
    const struct cup_cfg *cfg = &body->cfg;

    body->frame_bytes = FRAME_PARKED + 4 * body->region_count;
    for (uint32_t reg = 0; reg < cfg->register_count; reg++) {
        bool slow = has(cfg->kept, reg), fast = body->has_fast && is_live(body, reg);

        if (slow)
            body->slow_places[reg] = place(body, reg, true);
        if (fast)
            body->fast_places[reg] =
                slow && is_kept_alike(body, reg) ? body->slow_places[reg] : place(body, reg, false);
    }
    body->frame_bytes = (body->frame_bytes + FRAME_ALIGN - 1) / FRAME_ALIGN * FRAME_ALIGN;
}

void cup_regions_prepare(struct cup_body *body)
{
    struct cup_unit *unit = body->unit;
    const struct cup_cfg *cfg = &body->cfg;
    LLVMValueRef frames, offset;

    body->regions =
        cup_workspace_zeros(&body->unit->workspace, cfg->order_count + 1u, sizeof(*body->regions));
    body->fast_places =
        cup_workspace_zeros(&body->unit->workspace, cfg->register_count, sizeof(uint32_t));
    body->slow_places =
        cup_workspace_zeros(&body->unit->workspace, cfg->register_count, sizeof(uint32_t));
    for (uint32_t p = 0; p < cfg->order_count; p++)
        if (cfg->nodes[cfg->order[p]].kind == CUP_END_BARRIER ||
            (body->has_fast && cup_cfg_is_walk(cfg, cfg->order[p])))
            add_region(body, cfg->order[p]);
    for (uint32_t r = 0; r < body->region_count; r++)
        body->turns |= body->regions[r].turn;
    lay_out_frame(body);
    unit->info.frame_bytes = body->frame_bytes;
    frames = cup_build_field(body, body->block, offsetof(struct cup_block, frames), unit->ptr, true,
                             "frames");
    offset = LLVMBuildMul(body->builder, LLVMBuildZExt(body->builder, body->warp, unit->i64, ""),
                          cup_i64(unit, body->frame_bytes), "");
    body->frame = cup_build_offset(body, frames, offset);
}

/* ---- Rounds ---- */

static void reset_reductions(struct cup_body *body, bool first)
{
    struct cup_unit *unit = body->unit;
    static const uint32_t neutral[3] = {0, UINT32_MAX, 0};

    for (unsigned i = 0; i < 3; i++) {
        if (!body->reduced[i]) {
            body->reduced[i] = cup_build_alloca(body, unit->i32, 1, "reduced");
            body->reducing[i] = cup_build_alloca(body, unit->i32, 1, "reducing");
        }
        if (!first)
            LLVMBuildStore(body->builder,
                           LLVMBuildLoad2(body->builder, unit->i32, body->reducing[i], ""),
                           body->reduced[i]);
        LLVMBuildStore(body->builder, cup_i32(unit, neutral[i]), body->reducing[i]);
    }
}

/* A block begins: `first` is the round that takes all warps from their start. */
void cup_rounds_begin(struct cup_body *body)
{
    LLVMValueRef *counters[] = {&body->waiting, &body->turning, &body->held, &body->level};

    for (unsigned c = 0; c < sizeof(counters) / sizeof(*counters); c++) {
        *counters[c] = cup_build_alloca(body, body->unit->i32, 1, "counter");
        LLVMBuildStore(body->builder, cup_i32(body->unit, 0), *counters[c]);
    }
    body->rounds_left = cup_build_alloca(body, body->unit->i32, 1, "left");
    LLVMBuildStore(body->builder, cup_i32(body->unit, CUP_TURN_ROUNDS), body->rounds_left);
    body->distance_before = cup_build_alloca(body, body->unit->i64, 1, "distance");
    LLVMBuildStore(body->builder, cup_i64(body->unit, 0), body->distance_before);
    reset_reductions(body, true);
}

/* All warps had their turn. Another round, or on to `end`. */
void cup_rounds_end(struct cup_body *body, LLVMBasicBlockRef round, LLVMBasicBlockRef end)
{
    struct cup_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef open = cup_build_block(body, "round.open");
    LLVMValueRef zero = cup_i32(unit, 0), count;

    if (body->turns) {
        count = LLVMBuildLoad2(b, unit->i32, body->turning, "");
        LLVMBuildStore(b, count, body->held);
        LLVMBuildStore(b, zero, body->turning);
        LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, count, zero, ""), round, open);
    } else {
        LLVMBuildBr(b, open);
    }
    cup_build_at(body, open);
    count = LLVMBuildLoad2(b, unit->i32, body->waiting, "");
    LLVMBuildStore(b, zero, body->waiting);
    reset_reductions(body, false);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, count, zero, ""), end, round);
}

/* ---- Reductions: of this round so far, and of the last one ---- */

static void reduce_in(struct cup_body *body, const struct ptx_instruction *barrier,
                      LLVMValueRef mask)
{
    struct cup_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    struct cup_barrier_operands operands;
    LLVMValueRef lanes, change[3], old[3];

    if (!ptx_has(barrier, PTX_MOD_RED))
        return;
    cup_barrier_read(body, barrier, &operands);
    lanes = LLVMBuildAnd(b, operands.predicate, mask, "");
    for (unsigned i = 0; i < 3; i++)
        old[i] = LLVMBuildLoad2(b, unit->i32, body->reducing[i], "");
    change[0] =
        LLVMBuildAdd(b, old[0], cup_build_call(body, "llvm.ctpop", unit->i32, &lanes, 1), "");
    change[1] = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, lanes, mask, ""), old[1],
                                cup_i32(unit, 0), "");
    change[2] = LLVMBuildOr(b, old[2], lanes, "");
    for (unsigned i = 0; i < 3; i++)
        LLVMBuildStore(b, change[i], body->reducing[i]);
}

static void write_result(struct cup_body *body, const struct cup_region *region)
{
    const struct ptx_instruction *barrier;
    unsigned which;

    body->node = region->node;
    if (region->turn)
        return;
    barrier = barrier_of(body, region);
    which = ptx_has(barrier, PTX_MOD_POPC) ? 0 : ptx_has(barrier, PTX_MOD_AND) ? 1 : 2;
    if (ptx_has(barrier, PTX_MOD_RED))
        cup_barrier_result(
            body, barrier,
            LLVMBuildLoad2(body->builder, body->unit->i32, body->reduced[which], ""));
}

/* ---- Stopping ---- */

static const struct cup_region *region_of(const struct cup_body *body, uint32_t node)
{
    const struct cup_region *region = body->regions;

    while (region->node != node)
        region++;
    return region;
}

static void count(struct cup_body *body, LLVMValueRef place)
{
    LLVMValueRef old = LLVMBuildLoad2(body->builder, body->unit->i32, place, "");

    LLVMBuildStore(body->builder, LLVMBuildAdd(body->builder, old, cup_i32(body->unit, 1), ""),
                   place);
}

/* The warp stops; its turn comes again. */
static void stop(struct cup_body *body, LLVMValueRef state, LLVMValueRef counter)
{
    LLVMBuildStore(body->builder, state, at_offset(body, FRAME_STATE));
    count(body, counter);
    LLVMBuildBr(body->builder, body->step);
}

static void stop_fast(struct cup_body *body, const struct cup_region *region, LLVMValueRef counter)
{
    for (uint32_t reg = 0; reg < body->cfg.register_count; reg++)
        if (has(region->live, reg))
            cup_register_spill(body, reg, at_offset(body, body->fast_places[reg]));
    stop(body, cup_i32(body->unit, STATE_FAST + 2 * (uint32_t)(region - body->regions)), counter);
}

bool cup_region_turns(const struct cup_body *body, uint32_t node)
{
    for (uint32_t r = 0; r < body->region_count; r++)
        if (body->regions[r].turn && body->regions[r].node == node)
            return true;
    return false;
}

/* Is the loop more than so many rounds from its end? */
static LLVMValueRef is_far(struct cup_body *body, LLVMValueRef step, unsigned rounds)
{
    return LLVMBuildICmp(body->builder, LLVMIntSGT, body->distance,
                         LLVMBuildMul(body->builder, step, cup_i64(body->unit, rounds), ""), "");
}

/* Looks whether the warps are to take turns in this loop: if it goes in wide steps, and there are
 * many of them; a processor foresees a few dozen streams itself. Where there are very many, it is
 * also worth loading ahead. What was begun goes on to the end. */
static LLVMValueRef look(struct cup_body *body)
{
    enum { WIDE_BYTES = 512, MANY = 40, VERY_MANY = 96 };
    struct cup_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMValueRef wide, turns, level, step, old = LLVMBuildLoad2(b, unit->i32, body->level, "");

    wide = LLVMBuildAdd(b, body->moved, cup_i64(unit, WIDE_BYTES), "");
    wide = LLVMBuildICmp(b, LLVMIntUGT, wide, cup_i64(unit, 2 * WIDE_BYTES), "");
    turns = LLVMBuildICmp(b, LLVMIntUGT, body->threads, cup_i32(unit, body->width), "");
    level = cup_i32(unit, 2);
    if (body->distance) {
        step = LLVMBuildLoad2(b, unit->i64, body->distance_before, "");
        step = LLVMBuildSub(b, step, body->distance, "");
        level = LLVMBuildSelect(b, is_far(body, step, MANY), cup_i32(unit, 1), old, "");
        level = LLVMBuildSelect(b, is_far(body, step, VERY_MANY), cup_i32(unit, 2), level, "");
        level = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntUGT, old, level, ""), old, level, "");
    }
    level = LLVMBuildSelect(b, wide, level, cup_i32(unit, 0), "");
    LLVMBuildStore(b, level, body->level);
    return LLVMBuildAnd(b, turns, LLVMBuildICmp(b, LLVMIntNE, level, cup_i32(unit, 0), ""), "");
}

/* Warps that go through the same memory in wide steps do so together: what one leaves out is what
 * the next one reads. So memory is read in order, as far as it can be. */
void cup_region_again(struct cup_body *body)
{
    struct cup_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef on = cup_build_block(body, "turn.no"),
                      asks = cup_build_block(body, "turn.look"),
                      turn = cup_build_block(body, "turn");
    LLVMValueRef left = LLVMBuildLoad2(b, unit->i32, body->rounds_left, "");

    left = LLVMBuildSub(b, left, cup_i32(unit, 1), "");
    LLVMBuildStore(b, left, body->rounds_left);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSGT, left, cup_i32(unit, 0), ""), on, asks);
    cup_build_at(body, asks);
    LLVMBuildStore(b, cup_i32(unit, body->turn_rounds), body->rounds_left);
    LLVMBuildCondBr(b, look(body), turn, on);
    cup_build_at(body, on);
    if (body->distance)
        LLVMBuildStore(b, body->distance, body->distance_before);
    LLVMBuildBr(b, body->fasts[body->node]);
    cup_build_at(body, turn);
    stop_fast(body, region_of(body, body->node), body->turning);
}

/* The fast clone leaves such a loop: the next one is looked at anew. */
void cup_region_leave(struct cup_body *body, LLVMBasicBlockRef to)
{
    LLVMBuildStore(body->builder, cup_i32(body->unit, CUP_TURN_ROUNDS), body->rounds_left);
    LLVMBuildStore(body->builder, cup_i32(body->unit, 0), body->level);
    LLVMBuildBr(body->builder, to);
}

void cup_region_end_fast(struct cup_body *body, const struct cup_node *node)
{
    const struct cup_region *region = region_of(body, body->node);

    (void)node;
    reduce_in(body, barrier_of(body, region), body->full);
    stop_fast(body, region, body->waiting);
}

void cup_region_end_slow(struct cup_body *body, LLVMValueRef mask)
{
    const struct cup_region *region = region_of(body, body->node);
    LLVMValueRef parked = body->parked[body->node];
    LLVMValueRef old = LLVMBuildLoad2(body->builder, body->unit->i32, parked, "");

    reduce_in(body, barrier_of(body, region), mask);
    LLVMBuildStore(body->builder, LLVMBuildOr(body->builder, old, mask, ""), parked);
}

/* No lane of the slow clone can go on. */
void cup_regions_rest(struct cup_body *body)
{
    struct cup_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef park = cup_build_block(body, "park");
    LLVMValueRef any = cup_i32(unit, 0), state = cup_i32(unit, STATE_SLOW);

    for (uint32_t r = 0; r < body->region_count; r++)
        if (!body->regions[r].turn)
            any = LLVMBuildOr(
                b, any, LLVMBuildLoad2(b, unit->i32, body->parked[body->regions[r].node], ""), "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, any, cup_i32(unit, 0), ""), body->done, park);
    cup_build_at(body, park);
    LLVMBuildStore(b, LLVMBuildLoad2(b, unit->i32, body->live, ""), at_offset(body, FRAME_LIVE));
    for (uint32_t r = 0; r < body->region_count; r++) {
        LLVMValueRef lanes;

        if (body->regions[r].turn)
            continue;
        lanes = LLVMBuildLoad2(b, unit->i32, body->parked[body->regions[r].node], "");
        LLVMBuildStore(b, lanes, at_offset(body, FRAME_PARKED + 4 * r));
        if (body->has_fast)
            state = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, lanes, body->full, ""),
                                    cup_i32(unit, STATE_WHOLE + 2 * r), state, "");
    }
    stop(body, state, body->waiting);
}

/* ---- Going on ---- */

static void resume_fast(struct cup_body *body, const struct cup_region *region)
{
    body->slow = false;
    for (uint32_t reg = 0; reg < body->cfg.register_count; reg++)
        if (has(region->live, reg))
            cup_register_fill(body, reg, at_offset(body, body->fast_places[reg]));
    write_result(body, region);
    LLVMBuildBr(body->builder, body->fasts[next_of(body, region)]);
}

static void resume_slow(struct cup_body *body)
{
    struct cup_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;

    body->slow = true;
    cup_slow_reset(body, cup_i32(unit, 0));
    LLVMBuildStore(b, LLVMBuildLoad2(b, unit->i32, at_offset(body, FRAME_LIVE), ""), body->live);
    for (uint32_t r = 0; r < body->region_count; r++) {
        const struct cup_region *region = &body->regions[r];
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

/* A warp all of whose lanes are at one place goes on in the fast clone if what that keeps as
 * scalars is that. Which of such registers are not is found out for all of them, and then which of
 * those matter: `needs` has the bits of these. The result is true (i1) if one of them is wrong. */
static LLVMValueRef take_back(struct cup_body *body, LLVMValueRef needs, uint64_t *bits)
{
    struct cup_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMValueRef wrong = cup_i64(unit, 0);
    unsigned bit = 0;

    for (uint32_t reg = 0; reg < body->cfg.register_count; reg++) {
        LLVMValueRef differs;

        if (!body->fast_places[reg] || !body->slow_places[reg] || is_kept_alike(body, reg))
            continue;
        differs = cup_register_take_back(body, reg, at_offset(body, body->fast_places[reg]));
        differs = LLVMBuildZExt(b, differs, unit->i64, "");
        wrong = LLVMBuildOr(b, wrong, LLVMBuildShl(b, differs, cup_i64(unit, bit), ""), "");
        for (uint32_t r = 0; r < body->region_count; r++)
            if (has(body->regions[r].live, reg))
                bits[r] |= UINT64_C(1) << bit;
        bit += bit < 63;
    }
    wrong = LLVMBuildAnd(b, wrong, needs, "");
    return LLVMBuildICmp(b, LLVMIntNE, wrong, cup_i64(unit, 0), "");
}

static void resume_whole(struct cup_body *body, LLVMValueRef state, LLVMValueRef jump,
                         LLVMBasicBlockRef slow, LLVMBasicBlockRef *fasts)
{
    struct cup_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef whole = cup_build_block(body, "resume.whole"),
                      on = cup_build_block(body, "on");
    uint64_t *bits = cup_workspace_zeros(&body->unit->workspace, body->region_count, sizeof(*bits));
    LLVMValueRef needs, on_jump;

    cup_build_at(body, whole);
    needs = LLVMBuildPhi(b, unit->i64, "needs");
    LLVMBuildCondBr(b, take_back(body, needs, bits), slow, on);
    cup_build_at(body, on);
    on_jump = LLVMBuildSwitch(b, state, slow, body->region_count);
    for (uint32_t r = 0; r < body->region_count; r++) {
        LLVMBasicBlockRef from = cup_build_block(body, "whole");
        LLVMValueRef number = cup_i32(unit, STATE_WHOLE + 2 * r), mine = cup_i64(unit, bits[r]);

        if (body->regions[r].turn) {
            LLVMDeleteBasicBlock(from);
            continue;
        }
        LLVMAddCase(jump, number, from);
        LLVMAddCase(on_jump, number, fasts[r]);
        cup_build_at(body, from);
        LLVMAddIncoming(needs, &mine, &from, 1);
        LLVMBuildBr(b, whole);
    }
}

static LLVMValueRef held_switch(struct cup_body *body, LLVMValueRef state)
{
    struct cup_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef held = cup_build_block(body, "held"), open = cup_build_block(body, "open");
    LLVMValueRef is_held = LLVMBuildLoad2(b, unit->i32, body->held, ""), jump;

    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, is_held, cup_i32(unit, 0), ""), held, open);
    cup_build_at(body, held);
    jump = LLVMBuildSwitch(b, state, body->step, body->region_count);
    cup_build_at(body, open);
    return jump;
}

void cup_regions_resume(struct cup_body *body)
{
    struct cup_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef slow = cup_build_block(body, "resume.slow");
    LLVMBasicBlockRef *fasts = cup_workspace_zeros(&body->unit->workspace, body->region_count + 1u,
                                                   sizeof(LLVMBasicBlockRef));
    LLVMValueRef state = LLVMBuildLoad2(b, unit->i32, at_offset(body, FRAME_STATE), "state");
    LLVMValueRef turn = body->turns ? held_switch(body, state) : NULL;
    LLVMValueRef jump = LLVMBuildSwitch(b, state, body->step, 1 + 2 * body->region_count);

    LLVMAddCase(jump, cup_i32(unit, STATE_SLOW), slow);
    cup_build_at(body, slow);
    resume_slow(body);
    for (uint32_t r = 0; body->has_fast && r < body->region_count; r++) {
        const struct cup_region *region = &body->regions[r];

        fasts[r] = cup_build_block(body, "resume");
        LLVMAddCase(region->turn ? turn : jump, cup_i32(unit, STATE_FAST + 2 * r), fasts[r]);
        cup_build_at(body, fasts[r]);
        resume_fast(body, region);
    }
    if (body->has_fast)
        resume_whole(body, state, jump, slow, fasts);
}

void cup_regions_done(struct cup_body *body)
{
    LLVMBuildStore(body->builder, cup_i32(body->unit, STATE_DONE), at_offset(body, FRAME_STATE));
    LLVMBuildBr(body->builder, body->step);
}
