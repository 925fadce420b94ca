/* SPDX-License-Identifier: MIT */
/* An access whose address is an induction variable (induction.h) is not reported in each iteration.
 * The code keeps its address in this and in the last iteration, and the number of iterations; where
 * the uniform variant leaves the loop, in any way, it reports all of them at once. LLVM keeps these
 * values in registers, or computes them behind the loop.
 *
 * All exits of a loop lead through one block, which then branches to where the exit leads. What was
 * not reported when a kernel faults or is abandoned is lost. */
#include "jit/instrument/loops.h"

#include "abi/check.h"
#include "abi/services.h"
#include "jit/analysis/induction.h"
#include "jit/analysis/instruction.h"
#include "jit/analysis/uniformity.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/registers.h"
#include "jit/instrument/runs.h"
#include "jit/instrument/site.h"

#include <stddef.h>

enum { SITES_MAX = 64 };

/* An access. The values are in allocas. */
struct site {
    const struct ptx_instruction *instruction;
    struct jit_induction_address induction;
    uint32_t how, slot;
    bool vector;                           /* each lane has an address of its own */
    int64_t stride;                        /* otherwise: from lane to lane */
    LLVMValueRef last, before;             /* addresses of lane 0, or `last` of all lanes */
    LLVMValueRef index_last, index_before; /* or NULL */
    LLVMValueRef count;                    /* of iterations that accessed */
};

struct jit_check_loop {
    struct site *sites;
    uint32_t site_count;
    LLVMValueRef iterations;  /* that have begun since the loop was last reported */
    LLVMValueRef to;          /* number of the exit that is taken */
    LLVMBasicBlockRef report; /* NULL: it has no exit yet */
    struct {
        LLVMBasicBlockRef *blocks;
        uint32_t count, capacity;
    } exits;
};

static bool is_reported(const struct jit_emitter *e, const struct ptx_instruction *i)
{
    return (i->op == PTX_OP_ld || i->op == PTX_OP_ldu || i->op == PTX_OP_st) &&
           !jit_access_is_strong(i) && !ptx_has(i, PTX_MOD_ASYNC) &&
           (i->space == PTX_GLOBAL || i->space == PTX_SPACE_NONE) &&
           !e->function->cfg.undemanded[i - e->function->ptx->instructions] &&
           !e->function->cfg.undemanded_parts[i - e->function->ptx->instructions];
}

/* The loops in which order does not matter: another check would have to see accesses of different
 * instructions in the order in which they happen. */
static bool is_wanted(const struct jit_emitter *e)
{
    const uint32_t others = CUP_ABI_CHECK_INIT | CUP_ABI_CHECK_RACES | CUP_ABI_CHECK_SYNC;

    return (e->unit->checks & CUP_ABI_CHECK_STREAMS) && !(e->unit->checks & others);
}

/* An alloca that is zero when the function begins. */
static LLVMValueRef zeroed(struct jit_emitter *e, LLVMTypeRef type, const char *name)
{
    LLVMBasicBlockRef here = jit_build_here(e);
    LLVMValueRef place = jit_build_alloca(e, type, 1, name);

    LLVMPositionBuilderBefore(e->builder, e->entry_end);
    LLVMBuildStore(e->builder, LLVMConstNull(type), place);
    jit_build_at(e, here);
    return place;
}

static LLVMTypeRef type_of_last(struct jit_emitter *e, const struct site *site)
{
    return site->vector ? jit_vector_type(e, e->unit->i64) : e->unit->i64;
}

static void make_site(struct jit_emitter *e, struct site *site)
{
    struct jit_unit *unit = e->unit;
    struct jit_uniformity uniformity = jit_uniformity_of_address(
        e->function, e->function->uniformity[0], &site->instruction->src[0]);

    site->vector = uniformity.kind == JIT_VARYING || uniformity.jump;
    site->stride = uniformity.stride;
    site->slot = jit_check_runs_slot(unit);
    site->last = zeroed(e, type_of_last(e, site), "last");
    site->before = zeroed(e, unit->i64, "before");
    site->count = zeroed(e, unit->i64, "reported");
    if (site->induction.index != PTX_NO_REGISTER) {
        site->index_last = zeroed(e, unit->i32, "index");
        site->index_before = zeroed(e, unit->i32, "index.before");
    }
}

static void find_sites(struct jit_emitter *e, struct jit_check_loop *loop, uint32_t component)
{
    const struct jit_cfg *cfg = &e->function->cfg;
    struct jit_induction_loop *induction = jit_induction_analyse(e->function, component);

    for (uint32_t p = cfg->components[component].first;
         induction && p < cfg->components[component].end; p++) {
        const struct jit_node *node = &cfg->nodes[cfg->order[p]];

        for (uint32_t at = node->first; at < node->end && loop->site_count < SITES_MAX; at++) {
            const struct ptx_instruction *i = &cfg->function->instructions[at];
            struct site site = {.instruction = i};

            if (!is_reported(e, i) ||
                !jit_induction_is_address(induction, cfg->order[p], i, &site.induction))
                continue;
            if (!loop->sites)
                loop->sites =
                    jit_workspace_zeros(&e->unit->workspace, SITES_MAX, sizeof(*loop->sites));
            make_site(e, &site);
            loop->sites[loop->site_count++] = site;
        }
    }
}

void jit_check_loops_begin(struct jit_emitter *e)
{
    const struct jit_cfg *cfg = &e->function->cfg;

    if (!e->function->has_uniform || !is_wanted(e) || cfg->component_count == 0)
        return;
    e->instrument->loops = jit_workspace_zeros(&e->unit->workspace, cfg->component_count,
                                               sizeof(*e->instrument->loops));
    for (uint32_t c = 0; c < cfg->component_count; c++) {
        find_sites(e, &e->instrument->loops[c], c);
        if (e->instrument->loops[c].site_count)
            e->instrument->loops[c].iterations = zeroed(e, e->unit->i64, "iterations");
    }
}

/* The loop in which a node is, if it reports accesses. */
static struct jit_check_loop *loop_of(const struct jit_emitter *e, uint32_t node)
{
    uint32_t component = e->function->cfg.nodes[node].component;

    return e->instrument->loops && component != JIT_NO_BLOCK &&
                   e->instrument->loops[component].site_count
               ? &e->instrument->loops[component]
               : NULL;
}

void jit_check_loops_enter(struct jit_emitter *e)
{
    struct jit_check_loop *loop = loop_of(e, e->node);
    LLVMTypeRef wide = e->unit->i64;
    LLVMValueRef iterations;

    if (!loop ||
        e->function->cfg.components[e->function->cfg.nodes[e->node].component].head != e->node)
        return;
    iterations = LLVMBuildLoad2(e->builder, wide, loop->iterations, "");
    LLVMBuildStore(e->builder, LLVMBuildAdd(e->builder, iterations, jit_i64(e->unit, 1), ""),
                   loop->iterations);
}

/* The last address that was noted: of all lanes, or of lane 0. */
static LLVMValueRef last_of(struct jit_emitter *e, const struct site *site)
{
    return LLVMBuildLoad2(e->builder, type_of_last(e, site), site->last, "");
}

static LLVMValueRef last_of_lane_0(struct jit_emitter *e, const struct site *site)
{
    LLVMValueRef last = last_of(e, site);

    return site->vector ? LLVMBuildExtractElement(e->builder, last, jit_i32(e->unit, 0), "") : last;
}

static void copy(struct jit_emitter *e, LLVMTypeRef type, LLVMValueRef from, LLVMValueRef to)
{
    LLVMBuildStore(e->builder, LLVMBuildLoad2(e->builder, type, from, ""), to);
}

static struct site *site_of(struct jit_check_loop *loop, const struct ptx_instruction *i)
{
    for (uint32_t s = 0; loop && s < loop->site_count; s++)
        if (loop->sites[s].instruction == i)
            return &loop->sites[s];
    return NULL;
}

bool jit_check_loops_note(struct jit_emitter *e, const struct ptx_instruction *i,
                          struct jit_value address, uint32_t how)
{
    struct jit_unit *unit = e->unit;
    struct jit_check_loop *loop = e->divergent ? NULL : loop_of(e, e->node);
    struct site *site = site_of(loop, i);

    if (!site)
        return false;
    site->how = how;
    LLVMBuildStore(e->builder, last_of_lane_0(e, site), site->before);
    LLVMBuildStore(e->builder, site->vector ? jit_value_vector(e, address) : address.value,
                   site->last);
    copy(e, unit->i64, loop->iterations, site->count);
    if (site->index_last) {
        struct jit_value index = jit_register_read(e, site->induction.index);

        copy(e, unit->i32, site->index_last, site->index_before);
        LLVMBuildStore(e->builder, index.value, site->index_last);
    }
    return true;
}

LLVMBasicBlockRef jit_check_loops_leave(struct jit_emitter *e, uint32_t node, uint32_t to,
                                        LLVMBasicBlockRef block)
{
    struct jit_check_loop *loop = loop_of(e, node);
    LLVMBasicBlockRef here, leave;

    if (!loop || (to != JIT_NO_BLOCK &&
                  e->function->cfg.nodes[to].component == e->function->cfg.nodes[node].component))
        return block;
    here = jit_build_here(e);
    leave = jit_build_block(e, "leave.loop");
    if (!loop->report) {
        loop->report = jit_build_block(e, "report");
        loop->to = jit_build_alloca(e, e->unit->i32, 1, "to");
    }
    if (loop->exits.count == loop->exits.capacity) {
        size_t before = loop->exits.capacity * sizeof(*loop->exits.blocks);

        loop->exits.capacity = loop->exits.capacity ? 2 * loop->exits.capacity : 8;
        loop->exits.blocks = jit_workspace_grow(&e->unit->workspace, loop->exits.blocks, before,
                                                loop->exits.capacity * sizeof(*loop->exits.blocks));
    }
    jit_build_at(e, leave);
    LLVMBuildStore(e->builder, jit_i32(e->unit, loop->exits.count), loop->to);
    LLVMBuildBr(e->builder, loop->report);
    loop->exits.blocks[loop->exits.count++] = block;
    jit_build_at(e, here);
    return leave;
}

static void set_field(struct jit_emitter *e, size_t offset, LLVMValueRef value)
{
    LLVMBuildStore(
        e->builder, value,
        jit_build_offset(e, e->scratch[JIT_SCRATCH_CHECK_ROWS], jit_i64(e->unit, offset)));
}

#define ROWS(field) offsetof(struct cup_abi_rows, field)

static void set_index(struct jit_emitter *e, const struct site *site)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMValueRef index = jit_i32(unit, 0), step = index;

    if (site->index_last) {
        index = LLVMBuildLoad2(b, unit->i32, site->index_last, "");
        step = LLVMBuildSub(b, index, LLVMBuildLoad2(b, unit->i32, site->index_before, ""), "");
    }
    set_field(e, ROWS(index), index);
    set_field(e, ROWS(index_step), step);
    set_field(e, ROWS(index_signed), jit_i32(unit, site->induction.index_signed));
}

static void report_site(struct jit_emitter *e, const struct site *site)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMValueRef arguments[4], first = last_of_lane_0(e, site),
                               before = LLVMBuildLoad2(b, unit->i64, site->before, "");

    if (!e->scratch[JIT_SCRATCH_CHECK_ROWS])
        e->scratch[JIT_SCRATCH_CHECK_ROWS] =
            jit_build_alloca(e, unit->i64, (sizeof(struct cup_abi_rows) + 7) / 8, "rows");
    set_field(e, ROWS(address), first);
    set_field(e, ROWS(lane_step), jit_i64(unit, (uint64_t)site->stride));
    set_field(e, ROWS(addresses),
              site->vector ? jit_check_words(e, last_of(e, site)) : LLVMConstNull(unit->ptr));
    set_field(e, ROWS(step), LLVMBuildSub(b, first, before, ""));
    set_field(e, ROWS(count), LLVMBuildLoad2(b, unit->i64, site->count, ""));
    set_index(e, site);
    set_field(e, ROWS(bytes), jit_i32(unit, ptx_access_bytes(site->instruction)));
    set_field(e, ROWS(site), jit_i32(unit, jit_check_site(e, site->instruction)));
    set_field(e, ROWS(how), jit_i32(unit, site->how));
    set_field(e, ROWS(slot), jit_i32(unit, site->slot));
    arguments[0] = e->abi.block;
    arguments[1] = e->vector.warp;
    arguments[2] = e->vector.full;
    arguments[3] = e->scratch[JIT_SCRATCH_CHECK_ROWS];
    jit_build_service(e, offsetof(struct cup_abi_services, check_rows), unit->nothing, arguments,
                      4);
}

/* Forgets the accesses that were reported, or saved in a warp's frame. */
static void reset(struct jit_emitter *e, const struct jit_check_loop *loop)
{
    LLVMValueRef zero = jit_i64(e->unit, 0);

    LLVMBuildStore(e->builder, zero, loop->iterations);
    for (uint32_t s = 0; s < loop->site_count; s++)
        LLVMBuildStore(e->builder, zero, loop->sites[s].count);
}

/* Reports a loop, and continues where its exits lead. */
static void emit_report(struct jit_emitter *e, struct jit_check_loop *loop)
{
    struct jit_unit *unit = e->unit;
    LLVMValueRef jump;

    jit_build_at(e, loop->report);
    for (uint32_t s = 0; s < loop->site_count; s++)
        report_site(e, &loop->sites[s]);
    reset(e, loop);
    jump = LLVMBuildSwitch(e->builder, LLVMBuildLoad2(e->builder, unit->i32, loop->to, ""),
                           loop->exits.blocks[0], loop->exits.count);
    for (uint32_t k = 1; k < loop->exits.count; k++)
        LLVMAddCase(jump, jit_i32(unit, k), loop->exits.blocks[k]);
}

void jit_check_loops_end(struct jit_emitter *e)
{
    LLVMBasicBlockRef here = jit_build_here(e);

    for (uint32_t c = 0; e->instrument->loops && c < e->function->cfg.component_count; c++)
        if (e->instrument->loops[c].report)
            emit_report(e, &e->instrument->loops[c]);
    jit_build_at(e, here);
}

/* Warps that stop within a loop (barrier_regions.h). */

enum { SAVED_OF_SITE = 5 }; /* values */

static void list_saved(const struct site *site, LLVMValueRef places[SAVED_OF_SITE])
{
    places[0] = site->last;
    places[1] = site->before;
    places[2] = site->count;
    places[3] = site->index_last;
    places[4] = site->index_before;
}

uint32_t jit_check_loops_saved_bytes(const struct jit_emitter *e, uint32_t node)
{
    const struct jit_check_loop *loop = loop_of(e, node);

    for (uint32_t s = 0; loop && s < loop->site_count; s++)
        if (loop->sites[s].vector)
            return 0;
    return loop ? (1 + SAVED_OF_SITE * loop->site_count) * 8 : 0;
}

/* Copies a value to the frame, or from it; the indices have 32 bits. */
static void move(struct jit_emitter *e, LLVMValueRef place, LLVMValueRef saved, uint32_t number,
                 bool to_frame)
{
    LLVMTypeRef type = LLVMGetAllocatedType(place);

    saved = jit_build_offset(e, saved, jit_i64(e->unit, 8 * (uint64_t)number));
    copy(e, type, to_frame ? place : saved, to_frame ? saved : place);
}

static void move_loop(struct jit_emitter *e, const struct jit_check_loop *loop, LLVMValueRef saved,
                      bool to_frame)
{
    move(e, loop->iterations, saved, 0, to_frame);
    for (uint32_t s = 0; s < loop->site_count; s++) {
        LLVMValueRef places[SAVED_OF_SITE];

        list_saved(&loop->sites[s], places);
        for (uint32_t p = 0; p < SAVED_OF_SITE; p++)
            if (places[p])
                move(e, places[p], saved, 1 + SAVED_OF_SITE * s + p, to_frame);
    }
}

void jit_check_loops_save(struct jit_emitter *e, uint32_t node, LLVMValueRef place)
{
    const struct jit_check_loop *loop = loop_of(e, node);

    move_loop(e, loop, place, true);
    reset(e, loop);
}

void jit_check_loops_resume(struct jit_emitter *e, uint32_t node, LLVMValueRef place)
{
    move_loop(e, loop_of(e, node), place, false);
}
