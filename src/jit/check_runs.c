/* SPDX-License-Identifier: MIT */
/* Lanes at one distance from each other, at the place where the run of the instruction goes on: the
 * code adds the distance of accesses to the run. Otherwise it calls the service. A warp of two rows
 * of 16 threads has a run for each. */
#include "jit/check_runs.h"

#include "abi/check.h"
#include "abi/launch.h"
#include "abi/services.h"
#include "jit/body.h"
#include "jit/build.h"
#include "jit/mask.h"

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

/* What lanes touch from the address of the first on. */
struct lanes {
    uint32_t bytes; /* of each */
    int64_t step;
    uint32_t count;
};

static void tell_run(struct jit_body *body, LLVMValueRef address, const struct lanes *lanes,
                     uint32_t how, uint32_t slot)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef goes_on = jit_build_block(body, "run"),
                      breaks = jit_build_block(body, "run.breaks"),
                      told = jit_build_block(body, "told");
    LLVMValueRef next = place_of(body, slot, offsetof(struct cup_abi_run, next)), step;
    LLVMValueRef arguments[] = {
        body->abi.block,
        address,
        jit_i32(unit, lanes->bytes),
        jit_i64(unit, (uint64_t)lanes->step),
        jit_i32(unit, lanes->count),
        jit_i32(unit, how),
        jit_i32(unit, slot),
    };

    step = jit_build_load(body, unit->i64, next, 8);
    jit_build_likely(body, LLVMBuildICmp(b, LLVMIntEQ, address, step, ""), goes_on, breaks, 64);
    jit_build_at(body, breaks);
    jit_build_service(body, offsetof(struct cup_abi_services, check_run), unit->nothing, arguments,
                      7);
    LLVMBuildBr(b, told);
    jit_build_at(body, goes_on);
    step = jit_build_load(body, unit->i64, place_of(body, slot, offsetof(struct cup_abi_run, step)),
                          8);
    jit_build_store(body, LLVMBuildAdd(b, address, step, ""), next, 8);
    LLVMBuildBr(b, told);
    jit_build_at(body, told);
}

/* Whether a slot can stand for the access: a kernel tells the host by others. */
static bool is_quiet(uint32_t how)
{
    enum cup_abi_order order = cup_abi_how_order(how);

    return order != CUP_ABI_ORDER_RELEASE && order != CUP_ABI_ORDER_ACQ_REL &&
           order != CUP_ABI_ORDER_SC;
}

bool jit_check_runs_tell(struct jit_body *body, const struct ptx_instruction *i,
                         struct jit_value address, uint32_t how, LLVMBasicBlockRef *others)
{
    struct jit_unit *unit = body->unit;
    unsigned rows = address.jump ? 2 : 1;
    const struct lanes lanes = {ptx_access_bytes(i), address.stride,
                                address.stride ? body->width / rows : 1};

    *others = NULL;
    if (address.vector || (i->space != PTX_GLOBAL && i->space != PTX_SPACE_NONE) ||
        !is_quiet(how) || body->width != CUP_ABI_WARP_LANES ||
        unit->check_runs + rows > CUP_ABI_RUNS)
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
        tell_run(body, first, &lanes, how, jit_check_runs_slot(unit));
    }
    return true;
}
