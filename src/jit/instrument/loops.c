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
#include "jit/emit/body.h"
#include "jit/emit/ir.h"
#include "jit/instrument/runs.h"
#include "jit/instrument/site.h"
#include "jit/analysis/induction.h"
#include "jit/analysis/instruction.h"
#include "jit/emit/registers.h"

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

static bool is_reported(const struct jit_body *body, const struct ptx_instruction *i)
{
    return (i->op == PTX_OP_ld || i->op == PTX_OP_ldu || i->op == PTX_OP_st) &&
           !jit_access_is_strong(i) && !ptx_has(i, PTX_MOD_ASYNC) &&
           (i->space == PTX_GLOBAL || i->space == PTX_SPACE_NONE) &&
           !body->cfg.undemanded[i - body->function->instructions] &&
           !body->cfg.undemanded_parts[i - body->function->instructions];
}

/* The loops in which order does not matter: another check would have to see accesses of different
 * instructions in the order in which they happen. */
static bool is_wanted(const struct jit_body *body)
{
    const uint32_t others = CUP_ABI_CHECK_INIT | CUP_ABI_CHECK_RACES | CUP_ABI_CHECK_SYNC;

    return (body->unit->checks & CUP_ABI_CHECK_STREAMS) && !(body->unit->checks & others);
}

/* An alloca that is zero when the function begins. */
static LLVMValueRef zeroed(struct jit_body *body, LLVMTypeRef type, const char *name)
{
    LLVMBasicBlockRef here = jit_build_here(body);
    LLVMValueRef place = jit_build_alloca(body, type, 1, name);

    LLVMPositionBuilderBefore(body->builder, body->entry_end);
    LLVMBuildStore(body->builder, LLVMConstNull(type), place);
    jit_build_at(body, here);
    return place;
}

static LLVMTypeRef type_of_last(struct jit_body *body, const struct site *site)
{
    return site->vector ? jit_vector_type(body, body->unit->i64) : body->unit->i64;
}

static void make_site(struct jit_body *body, struct site *site)
{
    struct jit_unit *unit = body->unit;
    struct jit_uniformity uniformity =
        jit_uniformity_of_address(body, body->registers.uniformity[0], &site->instruction->src[0]);

    site->vector = uniformity.kind == JIT_VARYING || uniformity.jump;
    site->stride = uniformity.stride;
    site->slot = jit_check_runs_slot(unit);
    site->last = zeroed(body, type_of_last(body, site), "last");
    site->before = zeroed(body, unit->i64, "before");
    site->count = zeroed(body, unit->i64, "reported");
    if (site->induction.index != PTX_NO_REGISTER) {
        site->index_last = zeroed(body, unit->i32, "index");
        site->index_before = zeroed(body, unit->i32, "index.before");
    }
}

static void find_sites(struct jit_body *body, struct jit_check_loop *loop, uint32_t component)
{
    const struct jit_cfg *cfg = &body->cfg;
    struct jit_induction_loop *induction = jit_induction_analyse(body, component);

    for (uint32_t p = cfg->components[component].first;
         induction && p < cfg->components[component].end; p++) {
        const struct jit_node *node = &cfg->nodes[cfg->order[p]];

        for (uint32_t at = node->first; at < node->end && loop->site_count < SITES_MAX; at++) {
            const struct ptx_instruction *i = &cfg->function->instructions[at];
            struct site site = {.instruction = i};

            if (!is_reported(body, i) ||
                !jit_induction_is_address(induction, cfg->order[p], i, &site.induction))
                continue;
            if (!loop->sites)
                loop->sites =
                    jit_workspace_zeros(&body->unit->workspace, SITES_MAX, sizeof(*loop->sites));
            make_site(body, &site);
            loop->sites[loop->site_count++] = site;
        }
    }
}

void jit_check_loops_begin(struct jit_body *body)
{
    const struct jit_cfg *cfg = &body->cfg;

    if (!body->has_uniform || !is_wanted(body) || cfg->component_count == 0)
        return;
    body->check_loops = jit_workspace_zeros(&body->unit->workspace, cfg->component_count,
                                            sizeof(*body->check_loops));
    for (uint32_t c = 0; c < cfg->component_count; c++) {
        find_sites(body, &body->check_loops[c], c);
        if (body->check_loops[c].site_count)
            body->check_loops[c].iterations = zeroed(body, body->unit->i64, "iterations");
    }
}

/* The loop in which a node is, if it reports accesses. */
static struct jit_check_loop *loop_of(const struct jit_body *body, uint32_t node)
{
    uint32_t component = body->cfg.nodes[node].component;

    return body->check_loops && component != JIT_NO_BLOCK && body->check_loops[component].site_count
               ? &body->check_loops[component]
               : NULL;
}

void jit_check_loops_enter(struct jit_body *body)
{
    struct jit_check_loop *loop = loop_of(body, body->node);
    LLVMTypeRef wide = body->unit->i64;
    LLVMValueRef iterations;

    if (!loop || body->cfg.components[body->cfg.nodes[body->node].component].head != body->node)
        return;
    iterations = LLVMBuildLoad2(body->builder, wide, loop->iterations, "");
    LLVMBuildStore(body->builder,
                   LLVMBuildAdd(body->builder, iterations, jit_i64(body->unit, 1), ""),
                   loop->iterations);
}

/* The last address that was noted: of all lanes, or of lane 0. */
static LLVMValueRef last_of(struct jit_body *body, const struct site *site)
{
    return LLVMBuildLoad2(body->builder, type_of_last(body, site), site->last, "");
}

static LLVMValueRef last_of_lane_0(struct jit_body *body, const struct site *site)
{
    LLVMValueRef last = last_of(body, site);

    return site->vector ? LLVMBuildExtractElement(body->builder, last, jit_i32(body->unit, 0), "")
                        : last;
}

static void copy(struct jit_body *body, LLVMTypeRef type, LLVMValueRef from, LLVMValueRef to)
{
    LLVMBuildStore(body->builder, LLVMBuildLoad2(body->builder, type, from, ""), to);
}

static struct site *site_of(struct jit_check_loop *loop, const struct ptx_instruction *i)
{
    for (uint32_t s = 0; loop && s < loop->site_count; s++)
        if (loop->sites[s].instruction == i)
            return &loop->sites[s];
    return NULL;
}

bool jit_check_loops_note(struct jit_body *body, const struct ptx_instruction *i,
                          struct jit_value address, uint32_t how)
{
    struct jit_unit *unit = body->unit;
    struct jit_check_loop *loop = body->divergent ? NULL : loop_of(body, body->node);
    struct site *site = site_of(loop, i);

    if (!site)
        return false;
    site->how = how;
    LLVMBuildStore(body->builder, last_of_lane_0(body, site), site->before);
    LLVMBuildStore(body->builder, site->vector ? jit_value_vector(body, address) : address.value,
                   site->last);
    copy(body, unit->i64, loop->iterations, site->count);
    if (site->index_last) {
        struct jit_value index = jit_register_read(body, site->induction.index);

        copy(body, unit->i32, site->index_last, site->index_before);
        LLVMBuildStore(body->builder, index.value, site->index_last);
    }
    return true;
}

LLVMBasicBlockRef jit_check_loops_leave(struct jit_body *body, uint32_t node, uint32_t to,
                                        LLVMBasicBlockRef block)
{
    struct jit_check_loop *loop = loop_of(body, node);
    LLVMBasicBlockRef here, leave;

    if (!loop ||
        (to != JIT_NO_BLOCK && body->cfg.nodes[to].component == body->cfg.nodes[node].component))
        return block;
    here = jit_build_here(body);
    leave = jit_build_block(body, "leave.loop");
    if (!loop->report) {
        loop->report = jit_build_block(body, "report");
        loop->to = jit_build_alloca(body, body->unit->i32, 1, "to");
    }
    if (loop->exits.count == loop->exits.capacity) {
        size_t before = loop->exits.capacity * sizeof(*loop->exits.blocks);

        loop->exits.capacity = loop->exits.capacity ? 2 * loop->exits.capacity : 8;
        loop->exits.blocks = jit_workspace_grow(&body->unit->workspace, loop->exits.blocks, before,
                                                loop->exits.capacity * sizeof(*loop->exits.blocks));
    }
    jit_build_at(body, leave);
    LLVMBuildStore(body->builder, jit_i32(body->unit, loop->exits.count), loop->to);
    LLVMBuildBr(body->builder, loop->report);
    loop->exits.blocks[loop->exits.count++] = block;
    jit_build_at(body, here);
    return leave;
}

static void set_field(struct jit_body *body, size_t offset, LLVMValueRef value)
{
    LLVMBuildStore(body->builder, value,
                   jit_build_offset(body, body->scratch.check_rows, jit_i64(body->unit, offset)));
}

#define ROWS(field) offsetof(struct cup_abi_rows, field)

static void set_index(struct jit_body *body, const struct site *site)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMValueRef index = jit_i32(unit, 0), step = index;

    if (site->index_last) {
        index = LLVMBuildLoad2(b, unit->i32, site->index_last, "");
        step = LLVMBuildSub(b, index, LLVMBuildLoad2(b, unit->i32, site->index_before, ""), "");
    }
    set_field(body, ROWS(index), index);
    set_field(body, ROWS(index_step), step);
    set_field(body, ROWS(index_signed), jit_i32(unit, site->induction.index_signed));
}

static void report_site(struct jit_body *body, const struct site *site)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMValueRef arguments[4], first = last_of_lane_0(body, site),
                               before = LLVMBuildLoad2(b, unit->i64, site->before, "");

    if (!body->scratch.check_rows)
        body->scratch.check_rows =
            jit_build_alloca(body, unit->i64, (sizeof(struct cup_abi_rows) + 7) / 8, "rows");
    set_field(body, ROWS(address), first);
    set_field(body, ROWS(lane_step), jit_i64(unit, (uint64_t)site->stride));
    set_field(body, ROWS(addresses),
              site->vector ? jit_check_words(body, last_of(body, site)) : LLVMConstNull(unit->ptr));
    set_field(body, ROWS(step), LLVMBuildSub(b, first, before, ""));
    set_field(body, ROWS(count), LLVMBuildLoad2(b, unit->i64, site->count, ""));
    set_index(body, site);
    set_field(body, ROWS(bytes), jit_i32(unit, ptx_access_bytes(site->instruction)));
    set_field(body, ROWS(site), jit_i32(unit, jit_check_site(body, site->instruction)));
    set_field(body, ROWS(how), jit_i32(unit, site->how));
    set_field(body, ROWS(slot), jit_i32(unit, site->slot));
    arguments[0] = body->abi.block;
    arguments[1] = body->vector.warp;
    arguments[2] = body->vector.full;
    arguments[3] = body->scratch.check_rows;
    jit_build_service(body, offsetof(struct cup_abi_services, check_rows), unit->nothing, arguments,
                      4);
}

/* Forgets the accesses that were reported, or saved in a warp's frame. */
static void reset(struct jit_body *body, const struct jit_check_loop *loop)
{
    LLVMValueRef zero = jit_i64(body->unit, 0);

    LLVMBuildStore(body->builder, zero, loop->iterations);
    for (uint32_t s = 0; s < loop->site_count; s++)
        LLVMBuildStore(body->builder, zero, loop->sites[s].count);
}

/* Reports a loop, and continues where its exits lead. */
static void emit_report(struct jit_body *body, struct jit_check_loop *loop)
{
    struct jit_unit *unit = body->unit;
    LLVMValueRef jump;

    jit_build_at(body, loop->report);
    for (uint32_t s = 0; s < loop->site_count; s++)
        report_site(body, &loop->sites[s]);
    reset(body, loop);
    jump = LLVMBuildSwitch(body->builder, LLVMBuildLoad2(body->builder, unit->i32, loop->to, ""),
                           loop->exits.blocks[0], loop->exits.count);
    for (uint32_t e = 1; e < loop->exits.count; e++)
        LLVMAddCase(jump, jit_i32(unit, e), loop->exits.blocks[e]);
}

void jit_check_loops_end(struct jit_body *body)
{
    LLVMBasicBlockRef here = jit_build_here(body);

    for (uint32_t c = 0; body->check_loops && c < body->cfg.component_count; c++)
        if (body->check_loops[c].report)
            emit_report(body, &body->check_loops[c]);
    jit_build_at(body, here);
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

uint32_t jit_check_loops_saved_bytes(const struct jit_body *body, uint32_t node)
{
    const struct jit_check_loop *loop = loop_of(body, node);

    for (uint32_t s = 0; loop && s < loop->site_count; s++)
        if (loop->sites[s].vector)
            return 0;
    return loop ? (1 + SAVED_OF_SITE * loop->site_count) * 8 : 0;
}

/* Copies a value to the frame, or from it; the indices have 32 bits. */
static void move(struct jit_body *body, LLVMValueRef place, LLVMValueRef saved, uint32_t number,
                 bool to_frame)
{
    LLVMTypeRef type = LLVMGetAllocatedType(place);

    saved = jit_build_offset(body, saved, jit_i64(body->unit, 8 * (uint64_t)number));
    copy(body, type, to_frame ? place : saved, to_frame ? saved : place);
}

static void move_loop(struct jit_body *body, const struct jit_check_loop *loop, LLVMValueRef saved,
                      bool to_frame)
{
    move(body, loop->iterations, saved, 0, to_frame);
    for (uint32_t s = 0; s < loop->site_count; s++) {
        LLVMValueRef places[SAVED_OF_SITE];

        list_saved(&loop->sites[s], places);
        for (uint32_t p = 0; p < SAVED_OF_SITE; p++)
            if (places[p])
                move(body, places[p], saved, 1 + SAVED_OF_SITE * s + p, to_frame);
    }
}

void jit_check_loops_save(struct jit_body *body, uint32_t node, LLVMValueRef place)
{
    const struct jit_check_loop *loop = loop_of(body, node);

    move_loop(body, loop, place, true);
    reset(body, loop);
}

void jit_check_loops_resume(struct jit_body *body, uint32_t node, LLVMValueRef place)
{
    move_loop(body, loop_of(body, node), place, false);
}
