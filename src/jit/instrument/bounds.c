/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=memory in shared and local memory: an access must stay in the variable that its
 * address was computed from (pointer_base.h), or in the block's shared memory if that is unknown.
 * The code tests the first and the last of evenly spaced lanes, or all of them; the service looks
 * closely.
 */
#include "jit/instrument/bounds.h"

#include "abi/check.h"
#include "abi/launch.h"
#include "abi/services.h"
#include "jit/analysis/pointer_base.h"
#include "jit/emit/address.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/mask.h"
#include "jit/instrument/site.h"

#include <stddef.h>

/* The memory in which an access must stay. */
struct area {
    uint32_t pointer_base; /* 0: the block's shared memory */
    struct jit_value base; /* generic */
    LLVMValueRef size;     /* i64 */
    uint8_t space;
};

static LLVMValueRef shared_size(struct jit_emitter *e)
{
    struct jit_unit *unit = e->unit;
    LLVMValueRef dynamic =
        jit_build_field(e, e->abi.launch, offsetof(struct cup_abi_launch, shared_dynamic_bytes),
                        unit->i32, true, "");

    return LLVMBuildAdd(e->builder, LLVMBuildZExt(e->builder, dynamic, unit->i64, ""),
                        jit_i64(unit, unit->shared_static), "");
}

static void take_shared(struct jit_emitter *e, struct area *area)
{
    area->pointer_base = 0;
    area->space = PTX_SHARED;
    area->base = jit_scalar(LLVMBuildPtrToInt(e->builder, e->abi.shared, e->unit->i64, ""), 0);
    area->size = shared_size(e);
}

/* Dynamic shared memory reaches to the end of the block's. */
static void take_variable(struct jit_emitter *e, uint32_t pointer_base, struct area *area)
{
    struct ptx_operand symbol = {.kind = PTX_OPERAND_SYMBOL,
                                 .local = jit_pointer_base_is_own(pointer_base),
                                 .index = jit_pointer_base_variable(pointer_base)};
    const struct ptx_variable *variable = symbol.local ? &e->function->ptx->variables[symbol.index]
                                                       : &e->unit->program->variables[symbol.index];

    area->pointer_base = pointer_base;
    area->space = variable->space;
    area->base = jit_emit_address(e, &symbol, variable->space);
    area->size = jit_i64(e->unit, variable->size_bytes);
    if (variable->unsized || !variable->size_bytes) {
        LLVMValueRef start = LLVMBuildPtrToInt(e->builder, e->abi.shared, e->unit->i64, "");

        start = LLVMBuildSub(e->builder, area->base.value, start, "");
        area->size = LLVMBuildSub(e->builder, shared_size(e), start, "");
    }
}

/* Returns false if there is nothing to test: other memory, or a constant distance inside. */
static bool find_area(struct jit_emitter *e, const struct ptx_instruction *i,
                      const struct ptx_operand *operand, unsigned bytes, struct area *area)
{
    uint32_t pointer_base;

    if (!e->instrument->pointer_bases)
        e->instrument->pointer_bases =
            jit_pointer_bases_find(&e->function->cfg, &e->unit->workspace, e->unit->program);
    pointer_base = jit_pointer_base_of(e->instrument->pointer_bases, e->unit->program,
                                       e->function->ptx, operand);
    if (pointer_base < JIT_BASE_VARIABLE) {
        if (i->space != PTX_SHARED || e->unit->clusters)
            return false;
        take_shared(e, area);
        return true;
    }
    if (e->unit->clusters)
        return false;
    take_variable(e, pointer_base, area);
    bool constant = operand->kind == PTX_OPERAND_SYMBOL || operand->base == PTX_BASE_VARIABLE;
    return !(constant && LLVMIsAConstantInt(area->size) &&
             operand->value + bytes <= LLVMConstIntGetZExtValue(area->size));
}

/* i1: all active lanes are inside. distance: from the base; lanes: the same, of addresses that are
 * wrapped one by one. */
static LLVMValueRef is_inside(struct jit_emitter *e, struct jit_value distance,
                              struct jit_value lanes, LLVMValueRef limit)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef far, outside;

    if (!distance.vector && !distance.jump) {
        LLVMValueRef inside = LLVMBuildICmp(b, LLVMIntULE, distance.value, limit, "");

        if (!distance.stride)
            return inside;
        if (!e->divergent) {
            far = LLVMBuildAdd(
                b, distance.value,
                jit_i64(e->unit, (uint64_t)(distance.stride * (int64_t)(e->width - 1))), "");
            return LLVMBuildAnd(b, inside, LLVMBuildICmp(b, LLVMIntULE, far, limit, ""), "");
        }
    }
    outside =
        LLVMBuildICmp(b, LLVMIntUGT, jit_value_vector(e, lanes), jit_build_splat(e, limit), "");
    outside = LLVMBuildAnd(b, jit_build_bits(e, outside), jit_mask_bits(e), "");
    return LLVMBuildICmp(b, LLVMIntEQ, outside, jit_i32(e->unit, 0), "");
}

static struct jit_value distance_of(struct jit_emitter *e, struct jit_value address,
                                    struct jit_value base)
{
    LLVMBuilderRef b = e->builder;

    if (address.vector)
        return jit_vector(LLVMBuildSub(b, address.value, jit_value_vector(e, base), ""));
    return (struct jit_value){LLVMBuildSub(b, address.value, base.value, ""),
                              address.stride - base.stride, false, address.jump - base.jump};
}

static void put(struct jit_emitter *e, LLVMValueRef place, size_t offset, LLVMValueRef value)
{
    jit_build_store(e, value, jit_build_offset(e, place, jit_i64(e->unit, offset)), 4);
}

static void call_service(struct jit_emitter *e, const struct ptx_instruction *i,
                         LLVMValueRef addresses, const struct area *area, unsigned bytes,
                         uint32_t access)
{
    struct jit_unit *unit = e->unit;
    LLVMValueRef place;

    if (!e->scratch[JIT_SCRATCH_CHECK_BOUNDS])
        e->scratch[JIT_SCRATCH_CHECK_BOUNDS] = jit_build_alloca(
            e, unit->i64, sizeof(struct cup_abi_bounds) / sizeof(uint64_t), "bounds");
    place = e->scratch[JIT_SCRATCH_CHECK_BOUNDS];
    put(e, place, offsetof(struct cup_abi_bounds, base), area->base.value);
    put(e, place, offsetof(struct cup_abi_bounds, stride),
        jit_i64(unit, (uint64_t)area->base.stride));
    put(e, place, offsetof(struct cup_abi_bounds, size), area->size);
    put(e, place, offsetof(struct cup_abi_bounds, variable),
        jit_i32(unit,
                area->pointer_base ? area->pointer_base - JIT_BASE_VARIABLE : CUP_ABI_NO_VARIABLE));
    put(e, place, offsetof(struct cup_abi_bounds, bytes), jit_i32(unit, bytes));
    put(e, place, offsetof(struct cup_abi_bounds, site), jit_i32(unit, jit_check_site(e, i)));
    put(e, place, offsetof(struct cup_abi_bounds, how),
        jit_i32(unit, cup_abi_how(access, area->space, 0, 0)));
    LLVMValueRef arguments[] = {e->abi.block, e->vector.warp, jit_mask_bits(e), addresses, place};
    jit_build_service(e, offsetof(struct cup_abi_services, check_bounds), unit->nothing, arguments,
                      5);
}

void jit_check_bounds(struct jit_emitter *e, const struct ptx_instruction *i,
                      const struct ptx_operand *operand, struct jit_value address, unsigned bytes,
                      uint32_t access)
{
    LLVMBasicBlockRef inside, outside;
    struct area area;
    struct jit_value lanes = address;
    LLVMValueRef limit, fits;

    if (!find_area(e, i, operand, bytes, &area))
        return;
    if (i->space == PTX_SHARED && (address.stride || address.jump))
        lanes = jit_vector(jit_shared_wrap(e, jit_value_vector(e, address)));
    inside = jit_build_block(e, "inside");
    outside = jit_build_block(e, "outside");
    limit = LLVMBuildSub(e->builder, area.size, jit_i64(e->unit, bytes), "");
    fits = LLVMBuildICmp(e->builder, LLVMIntUGE, area.size, jit_i64(e->unit, bytes), "");
    fits = LLVMBuildAnd(
        e->builder, fits,
        is_inside(e, distance_of(e, address, area.base), distance_of(e, lanes, area.base), limit),
        "");
    jit_build_likely(e, fits, inside, outside, 1024);
    jit_build_at(e, outside);
    call_service(e, i, jit_check_words(e, jit_value_vector(e, lanes)), &area, bytes, access);
    LLVMBuildBr(e->builder, inside);
    jit_build_at(e, inside);
}
