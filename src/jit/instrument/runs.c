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
#include "jit/emit/body.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"

#include <stddef.h>

uint32_t jit_check_runs_slot(struct jit_unit *unit)
{
    return unit->check_runs < CUP_ABI_RUNS ? unit->check_runs++ : CUP_ABI_NO_RUN;
}

static LLVMValueRef place_of(struct jit_body *body, uint32_t slot, size_t field)
{
    LLVMValueRef runs = jit_build_field(body, body->abi.block, offsetof(struct cup_abi_block, runs),
                                        body->unit->ptr, true, "runs");

    return jit_build_offset(body, runs,
                            jit_i64(body->unit, slot * sizeof(struct cup_abi_run) + field));
}

/* A struct cup_abi_run_lanes. */
static LLVMValueRef lanes_of(struct jit_body *body, const struct cup_abi_run_lanes *lanes)
{
    LLVMValueRef words[] = {
        jit_i32(body->unit, lanes->bytes),          jit_i32(body->unit, lanes->count),
        jit_i32(body->unit, (uint32_t)lanes->step), jit_i32(body->unit, lanes->how),
        jit_i32(body->unit, lanes->slot),
    };

    return jit_build_words(body, words, sizeof(words) / sizeof(*words), "check.lanes");
}

static LLVMValueRef field_of(struct jit_body *body, uint32_t slot, size_t field)
{
    return jit_build_load(body, body->unit->i64, place_of(body, slot, field), 8);
}

#define RUN(field) offsetof(struct cup_abi_run, field)

void jit_check_runs_begin(struct jit_body *body)
{
    body->check_runs.enabled = true;
}

/* The alloca in which the function caches the position of a run; NULL: it is in memory. */
static LLVMValueRef cache(struct jit_body *body, uint32_t slot)
{
    struct jit_check_runs *cached = &body->check_runs;
    LLVMBasicBlockRef here = jit_build_here(body);
    LLVMValueRef next;

    if (!cached->enabled || body->divergent || cached->count == JIT_CHECK_RUNS_CACHED)
        return NULL;
    next = jit_build_alloca(body, body->unit->i64, 1, "next");
    LLVMPositionBuilderBefore(body->builder, body->entry_end);
    LLVMBuildStore(body->builder, field_of(body, slot, RUN(next)), next);
    jit_build_at(body, here);
    cached->slots[cached->count] = slot;
    cached->next[cached->count++] = next;
    return next;
}

static void write_back(struct jit_body *body, uint32_t slot, LLVMValueRef next)
{
    jit_build_store(body, LLVMBuildLoad2(body->builder, body->unit->i64, next, ""),
                    place_of(body, slot, RUN(next)), 8);
}

void jit_check_runs_end(struct jit_body *body)
{
    for (uint32_t k = 0; k < body->check_runs.count; k++)
        write_back(body, body->check_runs.slots[k], body->check_runs.next[k]);
}

/* Emits the code for lanes that are not where the run continues. */
static void emit_break(struct jit_body *body, LLVMValueRef address,
                       const struct cup_abi_run_lanes *lanes, LLVMValueRef cached)
{
    LLVMValueRef arguments[] = {body->abi.block, address, lanes_of(body, lanes)};

    if (cached)
        write_back(body, lanes->slot, cached);
    jit_build_rare_service(body, offsetof(struct cup_abi_services, check_run), arguments, 3);
    if (cached)
        LLVMBuildStore(body->builder, field_of(body, lanes->slot, RUN(next)), cached);
}

static void report_run(struct jit_body *body, LLVMValueRef address,
                       const struct cup_abi_run_lanes *lanes)
{
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef goes_on = jit_build_block(body, "run"),
                      breaks = jit_build_block(body, "run.breaks"),
                      reported = jit_build_block(body, "reported");
    LLVMValueRef cached = cache(body, lanes->slot);
    LLVMValueRef next = cached ? cached : place_of(body, lanes->slot, RUN(next)), expected;

    expected = jit_build_load(body, body->unit->i64, next, 8);
    jit_build_likely(body, LLVMBuildICmp(b, LLVMIntEQ, address, expected, ""), goes_on, breaks, 64);
    jit_build_at(body, breaks);
    emit_break(body, address, lanes, cached);
    LLVMBuildBr(b, reported);
    jit_build_at(body, goes_on);
    jit_build_store(body, LLVMBuildAdd(b, address, field_of(body, lanes->slot, RUN(step)), ""),
                    next, 8);
    LLVMBuildBr(b, reported);
    jit_build_at(body, reported);
}

/* Whether the access can be part of a run. Releases cannot: they may signal the host. */
static bool is_quiet(uint32_t how)
{
    enum cup_abi_order order = cup_abi_how_order(how);

    return order != CUP_ABI_ORDER_RELEASE && order != CUP_ABI_ORDER_ACQ_REL &&
           order != CUP_ABI_ORDER_SC;
}

bool jit_check_runs_report(struct jit_body *body, const struct ptx_instruction *i,
                           struct jit_value address, uint32_t how, LLVMBasicBlockRef *others)
{
    struct jit_unit *unit = body->unit;
    unsigned rows = address.jump ? 2 : 1;
    struct cup_abi_run_lanes lanes = {
        .bytes = ptx_access_bytes(i),
        .count = address.stride ? body->width / rows : 1,
        .step = (int32_t)address.stride,
        .how = how,
    };

    *others = NULL;
    if (address.vector || address.stride != (int32_t)address.stride ||
        (i->space != PTX_GLOBAL && i->space != PTX_SPACE_NONE) || !is_quiet(how) ||
        body->width != CUP_ABI_WARP_LANES || unit->check_runs + rows > CUP_ABI_RUNS)
        return false;
    if (body->divergent && !jit_value_is_uniform(&address)) {
        LLVMBasicBlockRef all = jit_build_block(body, "all");
        LLVMValueRef mask = jit_mask_bits(body);

        *others = jit_build_block(body, "some");
        LLVMBuildCondBr(body->builder,
                        LLVMBuildICmp(body->builder, LLVMIntEQ, mask, body->vector.full, ""), all,
                        *others);
        jit_build_at(body, all);
    }
    for (unsigned row = 0; row < rows; row++) {
        LLVMValueRef first = address.value;
        uint64_t distance = (uint64_t)(16 * address.stride + address.jump);

        if (row)
            first = LLVMBuildAdd(body->builder, first, jit_i64(unit, distance), "");
        lanes.slot = jit_check_runs_slot(unit);
        report_run(body, first, &lanes);
    }
    return true;
}
