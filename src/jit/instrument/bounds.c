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
#include "jit/emit/address.h"
#include "jit/emit/body.h"
#include "jit/emit/ir.h"
#include "jit/instrument/site.h"
#include "jit/emit/mask.h"
#include "jit/analysis/pointer_base.h"

#include <stddef.h>

/* The memory in which an access must stay. */
struct area {
    uint32_t pointer_base; /* 0: the block's shared memory */
    struct jit_value base; /* generic */
    LLVMValueRef size;     /* i64 */
    uint8_t space;
};

static LLVMValueRef shared_size(struct jit_body *body)
{
    struct jit_unit *unit = body->unit;
    LLVMValueRef dynamic =
        jit_build_field(body, body->abi.launch,
                        offsetof(struct cup_abi_launch, shared_dynamic_bytes), unit->i32, true, "");

    return LLVMBuildAdd(body->builder, LLVMBuildZExt(body->builder, dynamic, unit->i64, ""),
                        jit_i64(unit, unit->shared_static), "");
}

static void take_shared(struct jit_body *body, struct area *area)
{
    area->pointer_base = 0;
    area->space = PTX_SHARED;
    area->base =
        jit_scalar(LLVMBuildPtrToInt(body->builder, body->abi.shared, body->unit->i64, ""), 0);
    area->size = shared_size(body);
}

/* Dynamic shared memory reaches to the end of the block's. */
static void take_variable(struct jit_body *body, uint32_t pointer_base, struct area *area)
{
    struct ptx_operand symbol = {.kind = PTX_OPERAND_SYMBOL,
                                 .local = jit_pointer_base_is_own(pointer_base),
                                 .index = jit_pointer_base_variable(pointer_base)};
    const struct ptx_variable *variable = symbol.local
                                              ? &body->function->variables[symbol.index]
                                              : &body->unit->program->variables[symbol.index];

    area->pointer_base = pointer_base;
    area->space = variable->space;
    area->base = jit_emit_address(body, &symbol, variable->space);
    area->size = jit_i64(body->unit, variable->size_bytes);
    if (variable->unsized || !variable->size_bytes) {
        LLVMValueRef start =
            LLVMBuildPtrToInt(body->builder, body->abi.shared, body->unit->i64, "");

        start = LLVMBuildSub(body->builder, area->base.value, start, "");
        area->size = LLVMBuildSub(body->builder, shared_size(body), start, "");
    }
}

/* Returns false if there is nothing to test: other memory, or a constant distance inside. */
static bool find_area(struct jit_body *body, const struct ptx_instruction *i,
                      const struct ptx_operand *operand, unsigned bytes, struct area *area)
{
    uint32_t pointer_base;

    if (!body->pointer_bases)
        body->pointer_bases =
            jit_pointer_bases_find(&body->cfg, &body->unit->workspace, body->unit->program);
    pointer_base =
        jit_pointer_base_of(body->pointer_bases, body->unit->program, body->function, operand);
    if (pointer_base < JIT_BASE_VARIABLE) {
        if (i->space != PTX_SHARED || body->unit->clusters)
            return false;
        take_shared(body, area);
        return true;
    }
    if (body->unit->clusters)
        return false;
    take_variable(body, pointer_base, area);
    bool constant = operand->kind == PTX_OPERAND_SYMBOL || operand->base == PTX_BASE_VARIABLE;
    return !(constant && LLVMIsAConstantInt(area->size) &&
             operand->value + bytes <= LLVMConstIntGetZExtValue(area->size));
}

/* i1: all active lanes are inside. distance: from the base; lanes: the same, of addresses that are
 * wrapped one by one. */
static LLVMValueRef is_inside(struct jit_body *body, struct jit_value distance,
                              struct jit_value lanes, LLVMValueRef limit)
{
    LLVMBuilderRef b = body->builder;
    LLVMValueRef far, outside;

    if (!distance.vector && !distance.jump) {
        LLVMValueRef inside = LLVMBuildICmp(b, LLVMIntULE, distance.value, limit, "");

        if (!distance.stride)
            return inside;
        if (!body->divergent) {
            far = LLVMBuildAdd(
                b, distance.value,
                jit_i64(body->unit, (uint64_t)(distance.stride * (int64_t)(body->width - 1))), "");
            return LLVMBuildAnd(b, inside, LLVMBuildICmp(b, LLVMIntULE, far, limit, ""), "");
        }
    }
    outside = LLVMBuildICmp(b, LLVMIntUGT, jit_value_vector(body, lanes),
                            jit_build_splat(body, limit), "");
    outside = LLVMBuildAnd(b, jit_build_bits(body, outside), jit_mask_bits(body), "");
    return LLVMBuildICmp(b, LLVMIntEQ, outside, jit_i32(body->unit, 0), "");
}

static struct jit_value distance_of(struct jit_body *body, struct jit_value address,
                                    struct jit_value base)
{
    LLVMBuilderRef b = body->builder;

    if (address.vector)
        return jit_vector(LLVMBuildSub(b, address.value, jit_value_vector(body, base), ""));
    return (struct jit_value){LLVMBuildSub(b, address.value, base.value, ""),
                              address.stride - base.stride, false, address.jump - base.jump};
}

static void put(struct jit_body *body, LLVMValueRef place, size_t offset, LLVMValueRef value)
{
    jit_build_store(body, value, jit_build_offset(body, place, jit_i64(body->unit, offset)), 4);
}

static void call_service(struct jit_body *body, const struct ptx_instruction *i,
                         LLVMValueRef addresses, const struct area *area, unsigned bytes,
                         uint32_t access)
{
    struct jit_unit *unit = body->unit;
    LLVMValueRef place;

    if (!body->scratch.bounds)
        body->scratch.bounds = jit_build_alloca(
            body, unit->i64, sizeof(struct cup_abi_bounds) / sizeof(uint64_t), "bounds");
    place = body->scratch.bounds;
    put(body, place, offsetof(struct cup_abi_bounds, base), area->base.value);
    put(body, place, offsetof(struct cup_abi_bounds, stride),
        jit_i64(unit, (uint64_t)area->base.stride));
    put(body, place, offsetof(struct cup_abi_bounds, size), area->size);
    put(body, place, offsetof(struct cup_abi_bounds, variable),
        jit_i32(unit,
                area->pointer_base ? area->pointer_base - JIT_BASE_VARIABLE : CUP_ABI_NO_VARIABLE));
    put(body, place, offsetof(struct cup_abi_bounds, bytes), jit_i32(unit, bytes));
    put(body, place, offsetof(struct cup_abi_bounds, site), jit_i32(unit, jit_check_site(body, i)));
    put(body, place, offsetof(struct cup_abi_bounds, how),
        jit_i32(unit, cup_abi_how(access, area->space, 0, 0)));
    LLVMValueRef arguments[] = {body->abi.block, body->vector.warp, jit_mask_bits(body), addresses,
                                place};
    jit_build_service(body, offsetof(struct cup_abi_services, check_bounds), unit->nothing,
                      arguments, 5);
}

void jit_check_bounds(struct jit_body *body, const struct ptx_instruction *i,
                      const struct ptx_operand *operand, struct jit_value address, unsigned bytes,
                      uint32_t access)
{
    LLVMBasicBlockRef inside, outside;
    struct area area;
    struct jit_value lanes = address;
    LLVMValueRef limit, fits;

    if (!find_area(body, i, operand, bytes, &area))
        return;
    if (i->space == PTX_SHARED && (address.stride || address.jump))
        lanes = jit_vector(jit_shared_wrap(body, jit_value_vector(body, address)));
    inside = jit_build_block(body, "inside");
    outside = jit_build_block(body, "outside");
    limit = LLVMBuildSub(body->builder, area.size, jit_i64(body->unit, bytes), "");
    fits = LLVMBuildICmp(body->builder, LLVMIntUGE, area.size, jit_i64(body->unit, bytes), "");
    fits = LLVMBuildAnd(body->builder, fits,
                        is_inside(body, distance_of(body, address, area.base),
                                  distance_of(body, lanes, area.base), limit),
                        "");
    jit_build_likely(body, fits, inside, outside, 1024);
    jit_build_at(body, outside);
    call_service(body, i, jit_check_words(body, jit_value_vector(body, lanes)), &area, bytes,
                 access);
    LLVMBuildBr(body->builder, inside);
    jit_build_at(body, inside);
}
