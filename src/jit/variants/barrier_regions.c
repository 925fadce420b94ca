/* SPDX-License-Identifier: MIT */
/* Warps that wait only at one barrier of their block need no stacks. One function runs the block:
 * a round runs each warp from where it stopped to where none of its lanes can continue. After a
 * round all live warps are at the barrier, whichever barrier instruction each of them
 * reached and whether its lanes are diverged. So the barrier is complete, and the next round
 * begins; arrivals are not counted.
 *
 * A warp's frame keeps its state between rounds: where it stopped, and the live registers. A warp
 * that diverged before the barrier and has all lanes there resumes in the uniform variant, if its
 * registers have the uniformity that they have there. */
#include "jit/variants/region_frame.h"

#include "jit/emit/barriers.h"
#include "jit/emit/body.h"
#include "jit/emit/ir.h"
#include "jit/instrument/loops.h"
#include "jit/variants/barrier_regions.h"
#include "jit/emit/registers.h"

static void reset_reductions(struct jit_body *body, bool first)
{
    struct jit_unit *unit = body->unit;
    static const uint32_t neutral[3] = {0, UINT32_MAX, 0};

    for (unsigned i = 0; i < 3; i++) {
        if (!body->rounds.reduced[i]) {
            body->rounds.reduced[i] = jit_build_alloca(body, unit->i32, 1, "reduced");
            body->rounds.reducing[i] = jit_build_alloca(body, unit->i32, 1, "reducing");
        }
        if (!first)
            LLVMBuildStore(body->builder,
                           LLVMBuildLoad2(body->builder, unit->i32, body->rounds.reducing[i], ""),
                           body->rounds.reduced[i]);
        LLVMBuildStore(body->builder, jit_i32(unit, neutral[i]), body->rounds.reducing[i]);
    }
}

/* Begins a block: resets the counters; the first round starts all warps. */
void jit_rounds_begin(struct jit_body *body)
{
    LLVMValueRef *counters[] = {&body->rounds.waiting, &body->rounds.interleaved,
                                &body->rounds.held, &body->interleaving.level};

    for (unsigned c = 0; c < sizeof(counters) / sizeof(*counters); c++) {
        *counters[c] = jit_build_alloca(body, body->unit->i32, 1, "counter");
        LLVMBuildStore(body->builder, jit_i32(body->unit, 0), *counters[c]);
    }
    body->interleaving.iterations_left = jit_build_alloca(body, body->unit->i32, 1, "left");
    LLVMBuildStore(body->builder, jit_i32(body->unit, JIT_INTERLEAVED_ITERATIONS),
                   body->interleaving.iterations_left);
    body->interleaving.distance_before = jit_build_alloca(body, body->unit->i64, 1, "distance");
    LLVMBuildStore(body->builder, jit_i64(body->unit, 0), body->interleaving.distance_before);
    reset_reductions(body, true);
}

/* Ends a round over all warps: branches to another round, or to `end`. */
void jit_rounds_end(struct jit_body *body, LLVMBasicBlockRef round, LLVMBasicBlockRef end)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef open = jit_build_block(body, "round.open");
    LLVMValueRef zero = jit_i32(unit, 0), count;

    if (body->interleaving.any) {
        count = LLVMBuildLoad2(b, unit->i32, body->rounds.interleaved, "");
        LLVMBuildStore(b, count, body->rounds.held);
        LLVMBuildStore(b, zero, body->rounds.interleaved);
        LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, count, zero, ""), round, open);
    } else {
        LLVMBuildBr(b, open);
    }
    jit_build_at(body, open);
    count = LLVMBuildLoad2(b, unit->i32, body->rounds.waiting, "");
    LLVMBuildStore(b, zero, body->rounds.waiting);
    reset_reductions(body, false);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, count, zero, ""), end, round);
}

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
        old[i] = LLVMBuildLoad2(b, unit->i32, body->rounds.reducing[i], "");
    change[0] =
        LLVMBuildAdd(b, old[0], jit_build_call(body, "llvm.ctpop", unit->i32, &lanes, 1), "");
    change[1] = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, lanes, mask, ""), old[1],
                                jit_i32(unit, 0), "");
    change[2] = LLVMBuildOr(b, old[2], lanes, "");
    for (unsigned i = 0; i < 3; i++)
        LLVMBuildStore(b, change[i], body->rounds.reducing[i]);
}

void jit_region_write_result(struct jit_body *body, const struct jit_region *region)
{
    const struct ptx_instruction *barrier;
    unsigned which;

    body->node = region->node;
    if (region->interleaved)
        return;
    barrier = jit_region_barrier(body, region);
    which = ptx_has(barrier, PTX_MOD_POPC) ? 0 : ptx_has(barrier, PTX_MOD_AND) ? 1 : 2;
    if (ptx_has(barrier, PTX_MOD_RED))
        jit_barrier_result(
            body, barrier,
            LLVMBuildLoad2(body->builder, body->unit->i32, body->rounds.reduced[which], ""));
}

static const struct jit_region *region_of(const struct jit_body *body, uint32_t node)
{
    const struct jit_region *region = body->regions.items;

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

/* Stops the warp, with the state it resumes from in the next round. */
static void stop(struct jit_body *body, LLVMValueRef state, LLVMValueRef counter)
{
    LLVMBuildStore(body->builder, state, jit_frame_at(body, FRAME_STATE));
    count(body, counter);
    LLVMBuildBr(body->builder, body->rounds.step);
}

static void stop_uniform(struct jit_body *body, const struct jit_region *region,
                         LLVMValueRef counter)
{
    for (uint32_t reg = 0; reg < body->cfg.register_count; reg++)
        if (jit_set_has(region->live, reg) && !jit_frame_has_tile_of(body, reg))
            jit_register_spill(body, reg, jit_frame_at(body, body->frame.uniform_offsets[reg]));
    stop(body, jit_i32(body->unit, STATE_UNIFORM + 2 * (uint32_t)(region - body->regions.items)),
         counter);
}

/* Whether the loop is more than so many iterations from its end. */
static LLVMValueRef is_far(struct jit_body *body, LLVMValueRef step, unsigned rounds)
{
    return LLVMBuildICmp(body->builder, LLVMIntSGT, body->interleaving.distance,
                         LLVMBuildMul(body->builder, step, jit_i64(body->unit, rounds), ""), "");
}

/* Decides whether the warps are interleaved in this loop: if its step is wide and many iterations
 * remain, since hardware prefetchers follow only a few dozen streams. With very many iterations,
 * software prefetches pay off too (level 2). The level never falls within the loop while the step
 * is wide. */
static LLVMValueRef decide_level(struct jit_body *body)
{
    enum { WIDE_BYTES = 512, MANY = 40, VERY_MANY = 96 };
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMValueRef wide, several, level, step,
        old = LLVMBuildLoad2(b, unit->i32, body->interleaving.level, "");

    wide = LLVMBuildAdd(b, body->interleaving.address_step, jit_i64(unit, WIDE_BYTES), "");
    wide = LLVMBuildICmp(b, LLVMIntUGT, wide, jit_i64(unit, 2 * WIDE_BYTES), "");
    several = LLVMBuildICmp(b, LLVMIntUGT, body->abi.threads, jit_i32(unit, body->width), "");
    level = jit_i32(unit, 2);
    if (body->interleaving.distance) {
        step = LLVMBuildLoad2(b, unit->i64, body->interleaving.distance_before, "");
        step = LLVMBuildSub(b, step, body->interleaving.distance, "");
        level = LLVMBuildSelect(b, is_far(body, step, MANY), jit_i32(unit, 1), old, "");
        level = LLVMBuildSelect(b, is_far(body, step, VERY_MANY), jit_i32(unit, 2), level, "");
        level = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntUGT, old, level, ""), old, level, "");
    }
    level = LLVMBuildSelect(b, wide, level, jit_i32(unit, 0), "");
    LLVMBuildStore(b, level, body->interleaving.level);
    return LLVMBuildAnd(b, several, LLVMBuildICmp(b, LLVMIntNE, level, jit_i32(unit, 0), ""), "");
}

static void stop_interleaved(struct jit_body *body, const struct jit_region *region)
{
    LLVMBasicBlockRef reported = jit_build_block(body, "interleave.reported");

    if (region->checks) {
        jit_check_loops_save(body, region->node, jit_frame_at(body, region->checks));
        LLVMBuildBr(body->builder, reported);
    } else {
        LLVMBuildBr(body->builder,
                    jit_check_loops_leave(body, region->node, JIT_NO_BLOCK, reported));
    }
    jit_build_at(body, reported);
    stop_uniform(body, region, body->rounds.interleaved);
}

/* Ends an iteration of an interleaved loop. If warps read the same memory in wide steps, one warp
 * reads what another skips: interleaved, they read memory nearly in order. */
void jit_region_repeat_loop(struct jit_body *body)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef on = jit_build_block(body, "interleave.no"),
                      decide = jit_build_block(body, "interleave.decide"),
                      switch_warp = jit_build_block(body, "interleave");
    LLVMValueRef left = LLVMBuildLoad2(b, unit->i32, body->interleaving.iterations_left, "");

    left = LLVMBuildSub(b, left, jit_i32(unit, 1), "");
    LLVMBuildStore(b, left, body->interleaving.iterations_left);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSGT, left, jit_i32(unit, 0), ""), on, decide);
    jit_build_at(body, decide);
    LLVMBuildStore(b, jit_i32(unit, body->interleaving.iterations),
                   body->interleaving.iterations_left);
    LLVMBuildCondBr(b, decide_level(body), switch_warp, on);
    jit_build_at(body, on);
    if (body->interleaving.distance)
        LLVMBuildStore(b, body->interleaving.distance, body->interleaving.distance_before);
    LLVMBuildBr(b, body->blocks.uniforms[body->node]);
    jit_build_at(body, switch_warp);
    stop_interleaved(body, region_of(body, body->node));
}

/* Leaves an interleaved loop in the uniform variant and resets the state for the next loop. */
void jit_region_leave_loop(struct jit_body *body, LLVMBasicBlockRef to)
{
    LLVMBuildStore(body->builder, jit_i32(body->unit, JIT_INTERLEAVED_ITERATIONS),
                   body->interleaving.iterations_left);
    LLVMBuildStore(body->builder, jit_i32(body->unit, 0), body->interleaving.level);
    LLVMBuildBr(body->builder, to);
}

void jit_region_end_uniform(struct jit_body *body, const struct jit_node *node)
{
    const struct jit_region *region = region_of(body, body->node);

    (void)node;
    reduce_in(body, jit_region_barrier(body, region), body->vector.full);
    stop_uniform(body, region, body->rounds.waiting);
}

void jit_region_end_divergent(struct jit_body *body, LLVMValueRef mask)
{
    const struct jit_region *region = region_of(body, body->node);
    LLVMValueRef parked = body->masks.parked[body->node];
    LLVMValueRef old = LLVMBuildLoad2(body->builder, body->unit->i32, parked, "");

    reduce_in(body, jit_region_barrier(body, region), mask);
    LLVMBuildStore(body->builder, LLVMBuildOr(body->builder, old, mask, ""), parked);
}

/* Emits the code for when no lane of the divergent variant can continue: the warp stops at its
 * barriers, or is done. */
void jit_regions_stop(struct jit_body *body)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef park = jit_build_block(body, "park");
    LLVMValueRef any = jit_i32(unit, 0), state = jit_i32(unit, STATE_DIVERGENT);

    for (uint32_t r = 0; r < body->regions.count; r++)
        if (!body->regions.items[r].interleaved)
            any = LLVMBuildOr(
                b, any,
                LLVMBuildLoad2(b, unit->i32, body->masks.parked[body->regions.items[r].node], ""),
                "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, any, jit_i32(unit, 0), ""), body->blocks.done,
                    park);
    jit_build_at(body, park);
    LLVMBuildStore(b, LLVMBuildLoad2(b, unit->i32, body->masks.live, ""),
                   jit_frame_at(body, FRAME_LIVE));
    for (uint32_t r = 0; r < body->regions.count; r++) {
        LLVMValueRef lanes;

        if (body->regions.items[r].interleaved)
            continue;
        lanes = LLVMBuildLoad2(b, unit->i32, body->masks.parked[body->regions.items[r].node], "");
        LLVMBuildStore(b, lanes, jit_frame_at(body, FRAME_PARKED + 4 * r));
        if (body->has_uniform)
            state = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, lanes, body->vector.full, ""),
                                    jit_i32(unit, STATE_WHOLE + 2 * r), state, "");
    }
    stop(body, state, body->rounds.waiting);
}
