/* SPDX-License-Identifier: MIT */
/* Warps that wait only at one barrier of their block need no stacks. One function runs the block:
 * a round runs each warp from where it stopped to where none of its lanes can continue. After a
 * round all live warps are at the barrier, whichever barrier instruction each of them reached, and
 * whether or not its lanes are diverged. So the barrier is complete, and the next round begins;
 * arrivals are not counted.
 *
 * A warp's frame keeps its state between rounds: where it stopped, and the live registers. A warp
 * that diverged before the barrier and has all lanes there resumes in the uniform variant, if its
 * registers have the uniformity that they have there. */
#include "jit/variants/region_frame.h"

#include "jit/emit/barriers.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"
#include "jit/emit/registers.h"
#include "jit/instrument/loops.h"
#include "jit/variants/barrier_regions.h"
#include "jit/variants/divergent.h"

static void reset_reductions(struct jit_emitter *e, bool first)
{
    struct jit_unit *unit = e->unit;
    static const uint32_t neutral[3] = {0, UINT32_MAX, 0};

    for (unsigned i = 0; i < 3; i++) {
        if (!e->regions->rounds.reduced[i]) {
            e->regions->rounds.reduced[i] = jit_build_alloca(e, unit->i32, 1, "reduced");
            e->regions->rounds.reducing[i] = jit_build_alloca(e, unit->i32, 1, "reducing");
        }
        if (!first)
            LLVMBuildStore(
                e->builder,
                LLVMBuildLoad2(e->builder, unit->i32, e->regions->rounds.reducing[i], ""),
                e->regions->rounds.reduced[i]);
        LLVMBuildStore(e->builder, jit_i32(unit, neutral[i]), e->regions->rounds.reducing[i]);
    }
}

/* Begins a block: resets the counters; the first round starts all warps. */
void jit_rounds_begin(struct jit_emitter *e)
{
    LLVMValueRef *counters[] = {&e->regions->rounds.waiting, &e->regions->rounds.interleaved,
                                &e->regions->rounds.held, &e->regions->interleaving.level};

    for (unsigned c = 0; c < sizeof(counters) / sizeof(*counters); c++) {
        *counters[c] = jit_build_alloca(e, e->unit->i32, 1, "counter");
        LLVMBuildStore(e->builder, jit_i32(e->unit, 0), *counters[c]);
    }
    e->regions->interleaving.iterations_left = jit_build_alloca(e, e->unit->i32, 1, "left");
    LLVMBuildStore(e->builder, jit_i32(e->unit, JIT_INTERLEAVED_ITERATIONS),
                   e->regions->interleaving.iterations_left);
    e->regions->interleaving.distance_before = jit_build_alloca(e, e->unit->i64, 1, "distance");
    LLVMBuildStore(e->builder, jit_i64(e->unit, 0), e->regions->interleaving.distance_before);
    reset_reductions(e, true);
}

/* Ends a round over all warps: branches to another round, or to `end`. */
void jit_rounds_end(struct jit_emitter *e, LLVMBasicBlockRef round, LLVMBasicBlockRef end)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef open = jit_build_block(e, "round.open");
    LLVMValueRef zero = jit_i32(unit, 0), count;

    if (e->regions->interleaving.any) {
        count = LLVMBuildLoad2(b, unit->i32, e->regions->rounds.interleaved, "");
        LLVMBuildStore(b, count, e->regions->rounds.held);
        LLVMBuildStore(b, zero, e->regions->rounds.interleaved);
        LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, count, zero, ""), round, open);
    } else {
        LLVMBuildBr(b, open);
    }
    jit_build_at(e, open);
    count = LLVMBuildLoad2(b, unit->i32, e->regions->rounds.waiting, "");
    LLVMBuildStore(b, zero, e->regions->rounds.waiting);
    reset_reductions(e, false);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, count, zero, ""), end, round);
}

static void reduce_in(struct jit_emitter *e, const struct ptx_instruction *barrier,
                      LLVMValueRef mask)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    struct jit_barrier_operands operands;
    LLVMValueRef lanes, change[3], old[3];

    if (!ptx_has(barrier, PTX_MOD_RED))
        return;
    jit_barrier_read(e, barrier, &operands);
    lanes = LLVMBuildAnd(b, operands.predicate, mask, "");
    for (unsigned i = 0; i < 3; i++)
        old[i] = LLVMBuildLoad2(b, unit->i32, e->regions->rounds.reducing[i], "");
    change[0] = LLVMBuildAdd(b, old[0], jit_build_call(e, "llvm.ctpop", unit->i32, &lanes, 1), "");
    change[1] = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, lanes, mask, ""), old[1],
                                jit_i32(unit, 0), "");
    change[2] = LLVMBuildOr(b, old[2], lanes, "");
    for (unsigned i = 0; i < 3; i++)
        LLVMBuildStore(b, change[i], e->regions->rounds.reducing[i]);
}

void jit_region_write_result(struct jit_emitter *e, const struct jit_region *region)
{
    const struct ptx_instruction *barrier;
    unsigned which;

    e->node = region->node;
    if (region->interleaved)
        return;
    barrier = jit_region_barrier(e, region);
    which = ptx_has(barrier, PTX_MOD_POPC) ? 0 : ptx_has(barrier, PTX_MOD_AND) ? 1 : 2;
    if (ptx_has(barrier, PTX_MOD_RED))
        jit_barrier_result(
            e, barrier,
            LLVMBuildLoad2(e->builder, e->unit->i32, e->regions->rounds.reduced[which], ""));
}

static const struct jit_region *region_of(const struct jit_emitter *e, uint32_t node)
{
    const struct jit_region *region = e->regions->items;

    while (region->node != node)
        region++;
    return region;
}

static void count(struct jit_emitter *e, LLVMValueRef place)
{
    LLVMValueRef old = LLVMBuildLoad2(e->builder, e->unit->i32, place, "");

    LLVMBuildStore(e->builder, LLVMBuildAdd(e->builder, old, jit_i32(e->unit, 1), ""), place);
}

/* Stops the warp, with the state it resumes from in the next round. */
static void stop(struct jit_emitter *e, LLVMValueRef state, LLVMValueRef counter)
{
    LLVMBuildStore(e->builder, state, jit_frame_at(e, FRAME_STATE));
    count(e, counter);
    LLVMBuildBr(e->builder, e->regions->rounds.step);
}

static void stop_uniform(struct jit_emitter *e, const struct jit_region *region,
                         LLVMValueRef counter)
{
    for (uint32_t reg = 0; reg < e->function->cfg.register_count; reg++)
        if (jit_set_has(region->live, reg) && !jit_frame_has_tile_of(e, reg))
            jit_register_spill(e, reg, jit_frame_at(e, e->regions->frame.uniform_offsets[reg]));
    stop(e, jit_i32(e->unit, STATE_UNIFORM + 2 * (uint32_t)(region - e->regions->items)), counter);
}

/* Whether the loop is more than so many iterations from its end. */
static LLVMValueRef is_far(struct jit_emitter *e, LLVMValueRef step, unsigned rounds)
{
    return LLVMBuildICmp(e->builder, LLVMIntSGT, e->regions->interleaving.distance,
                         LLVMBuildMul(e->builder, step, jit_i64(e->unit, rounds), ""), "");
}

/* Decides whether the warps are interleaved in this loop: if its step is wide and many iterations
 * remain, since hardware prefetchers follow only a few dozen streams. With very many iterations,
 * software prefetches pay off too (level 2). The level never falls within the loop while the step
 * is wide. */
static LLVMValueRef decide_level(struct jit_emitter *e)
{
    enum { WIDE_BYTES = 512, MANY = 40, VERY_MANY = 96 };
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMValueRef wide, several, level, step,
        old = LLVMBuildLoad2(b, unit->i32, e->regions->interleaving.level, "");

    wide = LLVMBuildAdd(b, e->regions->interleaving.address_step, jit_i64(unit, WIDE_BYTES), "");
    wide = LLVMBuildICmp(b, LLVMIntUGT, wide, jit_i64(unit, 2 * WIDE_BYTES), "");
    several = LLVMBuildICmp(b, LLVMIntUGT, e->abi.threads, jit_i32(unit, e->width), "");
    level = jit_i32(unit, 2);
    if (e->regions->interleaving.distance) {
        step = LLVMBuildLoad2(b, unit->i64, e->regions->interleaving.distance_before, "");
        step = LLVMBuildSub(b, step, e->regions->interleaving.distance, "");
        level = LLVMBuildSelect(b, is_far(e, step, MANY), jit_i32(unit, 1), old, "");
        level = LLVMBuildSelect(b, is_far(e, step, VERY_MANY), jit_i32(unit, 2), level, "");
        level = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntUGT, old, level, ""), old, level, "");
    }
    level = LLVMBuildSelect(b, wide, level, jit_i32(unit, 0), "");
    LLVMBuildStore(b, level, e->regions->interleaving.level);
    return LLVMBuildAnd(b, several, LLVMBuildICmp(b, LLVMIntNE, level, jit_i32(unit, 0), ""), "");
}

static void stop_interleaved(struct jit_emitter *e, const struct jit_region *region)
{
    LLVMBasicBlockRef reported = jit_build_block(e, "interleave.reported");

    if (region->checks) {
        jit_check_loops_save(e, region->node, jit_frame_at(e, region->checks));
        LLVMBuildBr(e->builder, reported);
    } else {
        LLVMBuildBr(e->builder, jit_check_loops_leave(e, region->node, JIT_NO_BLOCK, reported));
    }
    jit_build_at(e, reported);
    stop_uniform(e, region, e->regions->rounds.interleaved);
}

/* Ends an iteration of an interleaved loop. If warps read the same memory in wide steps, one warp
 * reads what another skips: interleaved, they read memory nearly in order. */
void jit_region_repeat_loop(struct jit_emitter *e)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef on = jit_build_block(e, "interleave.no"),
                      decide = jit_build_block(e, "interleave.decide"),
                      switch_warp = jit_build_block(e, "interleave");
    LLVMValueRef left = LLVMBuildLoad2(b, unit->i32, e->regions->interleaving.iterations_left, "");

    left = LLVMBuildSub(b, left, jit_i32(unit, 1), "");
    LLVMBuildStore(b, left, e->regions->interleaving.iterations_left);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSGT, left, jit_i32(unit, 0), ""), on, decide);
    jit_build_at(e, decide);
    LLVMBuildStore(b, jit_i32(unit, e->regions->interleaving.iterations),
                   e->regions->interleaving.iterations_left);
    LLVMBuildCondBr(b, decide_level(e), switch_warp, on);
    jit_build_at(e, on);
    if (e->regions->interleaving.distance)
        LLVMBuildStore(b, e->regions->interleaving.distance,
                       e->regions->interleaving.distance_before);
    LLVMBuildBr(b, e->blocks->uniforms[e->node]);
    jit_build_at(e, switch_warp);
    stop_interleaved(e, region_of(e, e->node));
}

/* Leaves an interleaved loop in the uniform variant and resets the state for the next loop. */
void jit_region_leave_loop(struct jit_emitter *e, LLVMBasicBlockRef to)
{
    LLVMBuildStore(e->builder, jit_i32(e->unit, JIT_INTERLEAVED_ITERATIONS),
                   e->regions->interleaving.iterations_left);
    LLVMBuildStore(e->builder, jit_i32(e->unit, 0), e->regions->interleaving.level);
    LLVMBuildBr(e->builder, to);
}

void jit_region_end_uniform(struct jit_emitter *e, const struct jit_node *node)
{
    const struct jit_region *region = region_of(e, e->node);

    (void)node;
    reduce_in(e, jit_region_barrier(e, region), e->vector.full);
    stop_uniform(e, region, e->regions->rounds.waiting);
}

void jit_region_end_divergent(struct jit_emitter *e, LLVMValueRef mask)
{
    const struct jit_region *region = region_of(e, e->node);
    LLVMValueRef parked = e->masks->parked[e->node];
    LLVMValueRef old = LLVMBuildLoad2(e->builder, e->unit->i32, parked, "");

    reduce_in(e, jit_region_barrier(e, region), mask);
    LLVMBuildStore(e->builder, LLVMBuildOr(e->builder, old, mask, ""), parked);
}

/* Emits the code for when no lane of the divergent variant can continue: the warp stops at its
 * barriers, or is done. */
void jit_regions_stop(struct jit_emitter *e)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef park = jit_build_block(e, "park");
    LLVMValueRef any = jit_i32(unit, 0), state = jit_i32(unit, STATE_DIVERGENT);

    for (uint32_t r = 0; r < e->regions->count; r++)
        if (!e->regions->items[r].interleaved)
            any = LLVMBuildOr(
                b, any,
                LLVMBuildLoad2(b, unit->i32, e->masks->parked[e->regions->items[r].node], ""), "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, any, jit_i32(unit, 0), ""), e->blocks->done,
                    park);
    jit_build_at(e, park);
    LLVMBuildStore(b, LLVMBuildLoad2(b, unit->i32, e->masks->live, ""),
                   jit_frame_at(e, FRAME_LIVE));
    for (uint32_t r = 0; r < e->regions->count; r++) {
        LLVMValueRef lanes;

        if (e->regions->items[r].interleaved)
            continue;
        lanes = LLVMBuildLoad2(b, unit->i32, e->masks->parked[e->regions->items[r].node], "");
        LLVMBuildStore(b, lanes, jit_frame_at(e, FRAME_PARKED + 4 * r));
        if (e->function->has_uniform)
            state = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, lanes, e->vector.full, ""),
                                    jit_i32(unit, STATE_WHOLE + 2 * r), state, "");
    }
    stop(e, state, e->regions->rounds.waiting);
}
