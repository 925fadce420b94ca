/* SPDX-License-Identifier: MIT */
/* Loads and stores of the divergent variant of a whole warp, whose registers are arrays of lanes in
 * memory: loops over the active lanes that read and write those arrays. */
#include "jit/emit/chunks.h"

#include "abi/launch.h"
#include "jit/analysis/instruction.h"
#include "jit/analysis/uniformity.h"
#include "jit/emit/address.h"
#include "jit/emit/alignment.h"
#include "jit/emit/emitter.h"
#include "jit/emit/fake_uses.h"
#include "jit/emit/immediates.h"
#include "jit/emit/ir.h"
#include "jit/emit/lanes.h"
#include "jit/emit/mask.h"
#include "jit/emit/operands.h"
#include "jit/emit/peer_access.h"
#include "jit/emit/registers.h"

LLVMValueRef jit_lane_operand(struct jit_emitter *e, const struct ptx_operand *operand,
                              enum ptx_type type, LLVMValueRef lane)
{
    struct jit_value value;
    LLVMTypeRef element;

    if (operand->kind != PTX_OPERAND_REGISTER || !jit_register_is_array(e, operand->index)) {
        value = jit_operand_read(e, operand, type);
        if (value.vector)
            jit_scratch_fill(e, 7, value.value);
        return jit_value_of_lane(e, value, 7, lane).value;
    }
    element = jit_register_element(e, operand->index);
    value = jit_scalar(
        LLVMBuildLoad2(e->builder, element, jit_register_lane(e, operand->index, lane), ""), 0);
    if (jit_register_type(e, operand->index) == PTX_PRED)
        value.value =
            LLVMBuildICmp(e->builder, LLVMIntSLT, value.value, LLVMConstNull(element), "");
    if (e->function->raw[operand->index])
        value = jit_value_canonical(e, value);
    return jit_value_retype(e, value, jit_register_type(e, operand->index), type).value;
}

void jit_lane_write(struct jit_emitter *e, const struct ptx_operand *operand, enum ptx_type type,
                    LLVMValueRef lane, LLVMValueRef value)
{
    if (operand->kind != PTX_OPERAND_REGISTER)
        return;
    jit_alignment_forget(e, operand->index);
    value =
        jit_value_retype(e, jit_scalar(value, 0), type, jit_register_type(e, operand->index)).value;
    if (jit_register_type(e, operand->index) == PTX_PRED)
        value = LLVMBuildSExt(e->builder, value, e->unit->i8, "");
    LLVMBuildStore(e->builder, value, jit_register_lane(e, operand->index, lane));
}

LLVMValueRef jit_lane_address(struct jit_emitter *e, const struct ptx_operand *operand,
                              uint8_t space, LLVMValueRef lane)
{
    struct jit_unit *unit = e->unit;
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef element;
    LLVMValueRef address;
    bool based = operand->kind == PTX_OPERAND_REGISTER ||
                 (operand->kind == PTX_OPERAND_ADDRESS && operand->base == PTX_BASE_REGISTER);

    if (!based || !jit_register_is_array(e, operand->index)) {
        struct jit_value value = jit_emit_address(e, operand, space);

        if (value.vector)
            jit_scratch_fill(e, 6, value.value);
        address = jit_value_of_lane(e, value, 6, lane).value;
        return space == PTX_SHARED && (value.stride || value.jump) ? jit_shared_wrap(e, address)
                                                                   : address;
    }
    element = jit_register_element(e, operand->index);
    address = LLVMBuildLoad2(b, element, jit_register_lane(e, operand->index, lane), "");
    if (operand->kind == PTX_OPERAND_ADDRESS)
        address = LLVMBuildAdd(b, address, jit_immediate_of(e, operand, element), "");
    if (space == PTX_SHARED && element == unit->i64)
        address = LLVMBuildTrunc(b, address, unit->i32, "");
    if (space == PTX_SHARED || element != unit->i64)
        address = LLVMBuildZExt(b, address, unit->i64, "");
    if (space == PTX_SHARED)
        address = LLVMBuildAdd(b, address, LLVMBuildPtrToInt(b, e->abi.shared, unit->i64, ""), "");
    if (space == PTX_PARAM)
        address = jit_parameter_address(e, jit_scalar(address, 0)).value;
    return address;
}

static LLVMValueRef place_of_part(struct jit_emitter *e, LLVMValueRef address, unsigned offset)
{
    if (offset)
        address = LLVMBuildAdd(e->builder, address, jit_i64(e->unit, offset), "");
    return LLVMBuildIntToPtr(e->builder, address, e->unit->ptr, "");
}

static void qualify(const struct ptx_instruction *i, LLVMValueRef op, unsigned bytes)
{
    bool strong = jit_access_is_strong(i);

    LLVMSetAlignment(op, strong ? bytes : 1);
    if (strong && bytes == 16)
        LLVMSetOrdering(op, LLVMAtomicOrderingMonotonic);
    else if (strong)
        LLVMSetVolatile(op, true);
}

struct lane_access {
    const struct ptx_instruction *instruction;
    LLVMValueRef address;
    LLVMTypeRef element;
    unsigned bytes, count; /* of what is accessed at a time */
};

static void load_lane(struct jit_emitter *e, const struct lane_access *access, LLVMValueRef *values)
{
    const struct ptx_instruction *i = access->instruction;

    for (unsigned part = 0; part < access->count; part++) {
        values[part] = LLVMBuildLoad2(e->builder, access->element,
                                      place_of_part(e, access->address, part * access->bytes), "");
        qualify(i, values[part], access->bytes);
        if (jit_load_is_demanded(i))
            jit_fake_use_add(e, values[part]);
        /* never-written memory; see jit_emit_load */
        if (i->space == PTX_LOCAL || i->space == PTX_PARAM)
            values[part] = LLVMBuildFreeze(e->builder, values[part], "");
    }
}

static void store_lane(struct jit_emitter *e, const struct lane_access *access,
                       const LLVMValueRef *values)
{
    for (unsigned part = 0; part < access->count; part++)
        qualify(access->instruction,
                LLVMBuildStore(e->builder, values[part],
                               place_of_part(e, access->address, part * access->bytes)),
                access->bytes);
}

static void access_lane(struct jit_emitter *e, LLVMValueRef lane, void *context)
{
    const struct ptx_instruction *i = context;
    uint8_t type = i->types[i->type_count - 1];
    unsigned bytes = ptx_type_bits(type) / 8, count = i->width ? i->width : 1;
    bool word = jit_access_is_word(i), store = i->op == PTX_OP_st;
    struct lane_access access = {i, jit_lane_address(e, &i->src[0], i->space, lane),
                                 jit_type_of(e->unit, type), bytes, count};
    LLVMValueRef values[8];

    if (word) {
        access.element = jit_word_type(e, bytes * count);
        access.bytes = bytes * count;
        access.count = 1;
    }
    if (jit_alignment_is_open(e, &i->src[0], bytes * count))
        jit_alignment_check_lane(e, lane, access.address, bytes * count, i->line);
    if (jit_access_is_checked(e, &i->src[0], i->space))
        jit_access_check_lane(e, lane, access.address, bytes * count,
                              store ? CUP_MAY_WRITE : CUP_MAY_READ, i->line);
    if (store) {
        for (unsigned part = 0; part < count; part++)
            values[part] =
                jit_lane_operand(e, jit_operand_part(e->function, &i->src[1], part), type, lane);
        if (word)
            values[0] = jit_word_join(e, values, count, bytes * count);
        store_lane(e, &access, values);
        return;
    }
    load_lane(e, &access, values);
    if (word)
        jit_word_split(e, values[0], jit_type_of(e->unit, type), count, values);
    for (unsigned part = 0; part < count; part++)
        jit_lane_write(e, jit_operand_part(e->function, &i->dst[0], part), type, lane,
                       values[part]);
}

void jit_chunked_load(struct jit_emitter *e, const struct ptx_instruction *i)
{
    jit_emit_lane_loop(e, jit_mask_bits(e), access_lane, (void *)(uintptr_t)i);
    if (jit_access_is_strong(i))
        LLVMBuildFence(e->builder, LLVMAtomicOrderingAcquire, false, "");
}

void jit_chunked_store(struct jit_emitter *e, const struct ptx_instruction *i)
{
    struct jit_unit *unit = e->unit;
    LLVMValueRef arguments[] = {jit_mask_bits(e), LLVMConstInt(unit->i1, 0, false)}, lane;

    if (jit_access_is_strong(i))
        LLVMBuildFence(e->builder, LLVMAtomicOrderingRelease, false, "");
    if (jit_uniformity_of_address(e->function, e->function->uniformity[1], &i->src[0]).kind !=
        JIT_UNIFORM) {
        jit_emit_lane_loop(e, arguments[0], access_lane, (void *)(uintptr_t)i);
        return;
    }
    /* All lanes store to one address: the last active lane's value stays. */
    lane = jit_build_call(e, "llvm.ctlz", unit->i32, arguments, 2);
    lane = LLVMBuildSub(e->builder, jit_i32(unit, 31), lane, "");
    access_lane(e, LLVMBuildAnd(e->builder, lane, jit_i32(unit, 31), ""), (void *)(uintptr_t)i);
}
