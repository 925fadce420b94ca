/* SPDX-License-Identifier: MIT */
/* If the lanes are at one distance from each other, and the first one is where the run of the
 * instruction continues, the code advances the run by its step. Otherwise it calls the service. A
 * warp of two rows of 16 threads has a run for each.
 *
 * A function that runs whole blocks caches the positions of its first runs in registers: stores to
 * memory in each warp would occupy the processor's store buffer, which kernels that write much
 * need. What was not stored when a kernel faults or is abandoned is lost. */
#include "jit/instrument/runs.h"

#include "abi/check.h"
#include "abi/launch.h"
#include "abi/services.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"
#include "jit/instrument/site.h"

#include <stddef.h>

uint32_t jit_check_runs_slot(struct jit_unit *unit)
{
    return unit->check_runs < CUP_ABI_RUNS ? unit->check_runs++ : CUP_ABI_NO_RUN;
}

static LLVMValueRef place_of(struct jit_emitter *e, uint32_t slot, size_t field)
{
    LLVMValueRef runs = jit_build_field(e, e->abi.block, offsetof(struct cup_abi_block, runs),
                                        e->unit->ptr, true, "runs");

    return jit_build_offset(e, runs, jit_i64(e->unit, slot * sizeof(struct cup_abi_run) + field));
}

/* A struct cup_abi_run_lanes. */
static LLVMValueRef lanes_of(struct jit_emitter *e, const struct cup_abi_run_lanes *lanes)
{
    LLVMValueRef words[] = {
        jit_i32(e->unit, lanes->bytes),          jit_i32(e->unit, lanes->count),
        jit_i32(e->unit, (uint32_t)lanes->step), jit_i32(e->unit, lanes->how),
        jit_i32(e->unit, lanes->slot),
    };

    return jit_build_words(e, words, sizeof(words) / sizeof(*words), "check.lanes");
}

static LLVMValueRef field_of(struct jit_emitter *e, uint32_t slot, size_t field)
{
    return jit_build_load(e, e->unit->i64, place_of(e, slot, field), 8);
}

#define RUN(field) offsetof(struct cup_abi_run, field)

void jit_check_runs_begin(struct jit_emitter *e)
{
    e->instrument->runs.enabled = true;
}

/* The alloca in which the function caches the position of a run; NULL: it is in memory. */
static LLVMValueRef cache(struct jit_emitter *e, uint32_t slot)
{
    struct jit_check_runs *cached = &e->instrument->runs;
    LLVMBasicBlockRef here = jit_build_here(e);
    LLVMValueRef next;

    if (!cached->enabled || e->divergent || cached->count == JIT_CHECK_RUNS_CACHED)
        return NULL;
    next = jit_build_alloca(e, e->unit->i64, 1, "next");
    LLVMPositionBuilderBefore(e->builder, e->entry_end);
    LLVMBuildStore(e->builder, field_of(e, slot, RUN(next)), next);
    jit_build_at(e, here);
    cached->slots[cached->count] = slot;
    cached->next[cached->count++] = next;
    return next;
}

static void write_back(struct jit_emitter *e, uint32_t slot, LLVMValueRef next)
{
    jit_build_store(e, LLVMBuildLoad2(e->builder, e->unit->i64, next, ""),
                    place_of(e, slot, RUN(next)), 8);
}

void jit_check_runs_end(struct jit_emitter *e)
{
    for (uint32_t k = 0; k < e->instrument->runs.count; k++)
        write_back(e, e->instrument->runs.slots[k], e->instrument->runs.next[k]);
}

/* Emits the code for lanes that are not where the run continues. */
static void emit_break(struct jit_emitter *e, LLVMValueRef address,
                       const struct cup_abi_run_lanes *lanes, LLVMValueRef cached)
{
    LLVMValueRef arguments[] = {e->abi.block, address, lanes_of(e, lanes)};

    if (cached)
        write_back(e, lanes->slot, cached);
    jit_build_rare_service(e, offsetof(struct cup_abi_services, check_run), arguments, 3);
    if (cached)
        LLVMBuildStore(e->builder, field_of(e, lanes->slot, RUN(next)), cached);
}

static void report_run(struct jit_emitter *e, LLVMValueRef address,
                       const struct cup_abi_run_lanes *lanes)
{
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef goes_on = jit_build_block(e, "run"),
                      breaks = jit_build_block(e, "run.breaks"),
                      reported = jit_build_block(e, "reported");
    LLVMValueRef cached = cache(e, lanes->slot);
    LLVMValueRef next = cached ? cached : place_of(e, lanes->slot, RUN(next)), expected;

    expected = jit_build_load(e, e->unit->i64, next, 8);
    jit_build_likely(e, LLVMBuildICmp(b, LLVMIntEQ, address, expected, ""), goes_on, breaks, 64);
    jit_build_at(e, breaks);
    emit_break(e, address, lanes, cached);
    LLVMBuildBr(b, reported);
    jit_build_at(e, goes_on);
    jit_build_store(e, LLVMBuildAdd(b, address, field_of(e, lanes->slot, RUN(step)), ""), next, 8);
    LLVMBuildBr(b, reported);
    jit_build_at(e, reported);
}

/* Whether the access can be part of a run. Releases cannot: they may signal the host. */
static bool is_quiet(uint32_t how)
{
    enum cup_abi_order order = cup_abi_how_order(how);

    return order != CUP_ABI_ORDER_RELEASE && order != CUP_ABI_ORDER_ACQ_REL &&
           order != CUP_ABI_ORDER_SC;
}

bool jit_check_runs_report(struct jit_emitter *e, const struct ptx_instruction *i,
                           struct jit_value address, uint32_t how, LLVMBasicBlockRef *others)
{
    struct jit_unit *unit = e->unit;
    unsigned rows = address.jump ? 2 : 1;
    struct cup_abi_run_lanes lanes = {
        .bytes = ptx_access_bytes(i),
        .count = address.stride ? e->width / rows : 1,
        .step = (int32_t)address.stride,
        .how = how,
    };

    *others = NULL;
    if (address.vector || address.stride != (int32_t)address.stride ||
        (i->space != PTX_GLOBAL && i->space != PTX_SPACE_NONE) || !is_quiet(how) ||
        e->width != CUP_ABI_WARP_LANES || unit->check_runs + rows > CUP_ABI_RUNS)
        return false;
    if (e->divergent && !jit_value_is_uniform(&address)) {
        LLVMBasicBlockRef all = jit_build_block(e, "all");
        LLVMValueRef mask = jit_mask_bits(e);

        *others = jit_build_block(e, "some");
        LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntEQ, mask, e->vector.full, ""),
                        all, *others);
        jit_build_at(e, all);
    }
    for (unsigned row = 0; row < rows; row++) {
        LLVMValueRef first = address.value;
        uint64_t distance = (uint64_t)(16 * address.stride + address.jump);

        if (row)
            first = LLVMBuildAdd(e->builder, first, jit_i64(unit, distance), "");
        lanes.slot = jit_check_runs_slot(unit);
        report_run(e, first, &lanes);
    }
    return true;
}
