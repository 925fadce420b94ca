/* SPDX-License-Identifier: MIT */
/* Loads and stores of the divergent variant of a whole warp, whose registers are arrays of lanes in
 * memory: loops over the active lanes that read and write those arrays. */
#include "jit/emit/chunks.h"

#include "abi/launch.h"
#include "jit/emit/peer_access.h"
#include "jit/emit/address.h"
#include "jit/emit/alignment.h"
#include "jit/emit/body.h"
#include "jit/emit/ir.h"
#include "jit/analysis/instruction.h"
#include "jit/emit/lanes.h"
#include "jit/emit/mask.h"
#include "jit/emit/fake_uses.h"
#include "jit/emit/operands.h"
#include "jit/emit/registers.h"

LLVMValueRef jit_lane_operand(struct jit_body *body, const struct ptx_operand *operand,
                              enum ptx_type type, LLVMValueRef lane)
{
    struct jit_value value;
    LLVMTypeRef element;

    if (operand->kind != PTX_OPERAND_REGISTER || !jit_register_is_array(body, operand->index)) {
        value = jit_operand_read(body, operand, type);
        if (value.vector)
            jit_scratch_fill(body, 7, value.value);
        return jit_value_of_lane(body, value, 7, lane).value;
    }
    element = jit_register_element(body, operand->index);
    value = jit_scalar(
        LLVMBuildLoad2(body->builder, element, jit_register_lane(body, operand->index, lane), ""),
        0);
    if (jit_register_type(body, operand->index) == PTX_PRED)
        value.value =
            LLVMBuildICmp(body->builder, LLVMIntSLT, value.value, LLVMConstNull(element), "");
    if (body->registers.raw[operand->index])
        value = jit_value_canonical(body, value);
    return jit_value_retype(body, value, jit_register_type(body, operand->index), type).value;
}

void jit_lane_write(struct jit_body *body, const struct ptx_operand *operand, enum ptx_type type,
                    LLVMValueRef lane, LLVMValueRef value)
{
    if (operand->kind != PTX_OPERAND_REGISTER)
        return;
    jit_alignment_forget(body, operand->index);
    value =
        jit_value_retype(body, jit_scalar(value, 0), type, jit_register_type(body, operand->index))
            .value;
    if (jit_register_type(body, operand->index) == PTX_PRED)
        value = LLVMBuildSExt(body->builder, value, body->unit->i8, "");
    LLVMBuildStore(body->builder, value, jit_register_lane(body, operand->index, lane));
}

LLVMValueRef jit_lane_address(struct jit_body *body, const struct ptx_operand *operand,
                              uint8_t space, LLVMValueRef lane)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMTypeRef element;
    LLVMValueRef address;
    bool based = operand->kind == PTX_OPERAND_REGISTER ||
                 (operand->kind == PTX_OPERAND_ADDRESS && operand->base == PTX_BASE_REGISTER);

    if (!based || !jit_register_is_array(body, operand->index)) {
        struct jit_value value = jit_emit_address(body, operand, space);

        if (value.vector)
            jit_scratch_fill(body, 6, value.value);
        address = jit_value_of_lane(body, value, 6, lane).value;
        return space == PTX_SHARED && (value.stride || value.jump) ? jit_shared_wrap(body, address)
                                                                   : address;
    }
    element = jit_register_element(body, operand->index);
    address = LLVMBuildLoad2(b, element, jit_register_lane(body, operand->index, lane), "");
    if (operand->kind == PTX_OPERAND_ADDRESS)
        address = LLVMBuildAdd(b, address, jit_body_number(body, operand, element), "");
    if (space == PTX_SHARED && element == unit->i64)
        address = LLVMBuildTrunc(b, address, unit->i32, "");
    if (space == PTX_SHARED || element != unit->i64)
        address = LLVMBuildZExt(b, address, unit->i64, "");
    if (space == PTX_SHARED)
        address =
            LLVMBuildAdd(b, address, LLVMBuildPtrToInt(b, body->abi.shared, unit->i64, ""), "");
    if (space == PTX_PARAM)
        address = jit_parameter_address(body, jit_scalar(address, 0)).value;
    return address;
}

static LLVMValueRef place_of_part(struct jit_body *body, LLVMValueRef address, unsigned offset)
{
    if (offset)
        address = LLVMBuildAdd(body->builder, address, jit_i64(body->unit, offset), "");
    return LLVMBuildIntToPtr(body->builder, address, body->unit->ptr, "");
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

static void load_lane(struct jit_body *body, const struct lane_access *access, LLVMValueRef *values)
{
    const struct ptx_instruction *i = access->instruction;

    for (unsigned part = 0; part < access->count; part++) {
        values[part] =
            LLVMBuildLoad2(body->builder, access->element,
                           place_of_part(body, access->address, part * access->bytes), "");
        qualify(i, values[part], access->bytes);
        if (jit_load_is_demanded(i))
            jit_fake_use_add(body, values[part]);
        /* never-written memory; see jit_emit_load */
        if (i->space == PTX_LOCAL || i->space == PTX_PARAM)
            values[part] = LLVMBuildFreeze(body->builder, values[part], "");
    }
}

static void store_lane(struct jit_body *body, const struct lane_access *access,
                       const LLVMValueRef *values)
{
    for (unsigned part = 0; part < access->count; part++)
        qualify(access->instruction,
                LLVMBuildStore(body->builder, values[part],
                               place_of_part(body, access->address, part * access->bytes)),
                access->bytes);
}

static void access_lane(struct jit_body *body, LLVMValueRef lane, void *context)
{
    const struct ptx_instruction *i = context;
    uint8_t type = i->types[i->type_count - 1];
    unsigned bytes = ptx_type_bits(type) / 8, count = i->width ? i->width : 1;
    bool word = jit_access_is_word(i), store = i->op == PTX_OP_st;
    struct lane_access access = {i, jit_lane_address(body, &i->src[0], i->space, lane),
                                 jit_type_of(body->unit, type), bytes, count};
    LLVMValueRef values[8];

    if (word) {
        access.element = jit_word_type(body, bytes * count);
        access.bytes = bytes * count;
        access.count = 1;
    }
    if (jit_alignment_is_open(body, &i->src[0], bytes * count))
        jit_alignment_check_lane(body, lane, access.address, bytes * count, i->line);
    if (jit_access_is_checked(body, &i->src[0], i->space))
        jit_access_check_lane(body, lane, access.address, bytes * count,
                              store ? CUP_MAY_WRITE : CUP_MAY_READ, i->line);
    if (store) {
        for (unsigned part = 0; part < count; part++)
            values[part] =
                jit_lane_operand(body, jit_operand_part(body, &i->src[1], part), type, lane);
        if (word)
            values[0] = jit_word_join(body, values, count, bytes * count);
        store_lane(body, &access, values);
        return;
    }
    load_lane(body, &access, values);
    if (word)
        jit_word_split(body, values[0], jit_type_of(body->unit, type), count, values);
    for (unsigned part = 0; part < count; part++)
        jit_lane_write(body, jit_operand_part(body, &i->dst[0], part), type, lane, values[part]);
}

void jit_chunked_load(struct jit_body *body, const struct ptx_instruction *i)
{
    jit_emit_lane_loop(body, jit_mask_bits(body), access_lane, (void *)(uintptr_t)i);
    if (jit_access_is_strong(i))
        LLVMBuildFence(body->builder, LLVMAtomicOrderingAcquire, false, "");
}

void jit_chunked_store(struct jit_body *body, const struct ptx_instruction *i)
{
    struct jit_unit *unit = body->unit;
    LLVMValueRef arguments[] = {jit_mask_bits(body), LLVMConstInt(unit->i1, 0, false)}, lane;

    if (jit_access_is_strong(i))
        LLVMBuildFence(body->builder, LLVMAtomicOrderingRelease, false, "");
    if (jit_uniformity_of_address(body, body->registers.uniformity[1], &i->src[0]).kind !=
        JIT_UNIFORM) {
        jit_emit_lane_loop(body, arguments[0], access_lane, (void *)(uintptr_t)i);
        return;
    }
    /* All lanes store to one address: the last active lane's value stays. */
    lane = jit_build_call(body, "llvm.ctlz", unit->i32, arguments, 2);
    lane = LLVMBuildSub(body->builder, jit_i32(unit, 31), lane, "");
    access_lane(body, LLVMBuildAnd(body->builder, lane, jit_i32(unit, 31), ""),
                (void *)(uintptr_t)i);
}
