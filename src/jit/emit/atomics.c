/* SPDX-License-Identifier: MIT */
/* atom and red: a loop over the active lanes, with one atomic instruction of the processor for
 * each. If all lanes reduce into one address and the old value is not used, the lanes are reduced
 * first and one atomic instruction follows.
 *
 * Shared memory needs no atomic instructions: the warps of a block, and the blocks of a cluster,
 * run in turns on one worker, which changes only where they wait. */
#include "jit/emit/memory.h"

#include "abi/launch.h"
#include "jit/analysis/uniformity.h"
#include "jit/emit/address.h"
#include "jit/emit/alignment.h"
#include "jit/emit/chunks.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/lanes.h"
#include "jit/emit/mask.h"
#include "jit/emit/operands.h"
#include "jit/emit/peer_access.h"

#include <string.h>

struct atomic {
    const struct ptx_instruction *instruction;
    uint8_t type;
    LLVMTypeRef bits; /* an integer as wide as the type */
    struct jit_value address, b, c;
    LLVMAtomicOrdering order;
    bool result;
    bool in_memory;
    bool unrolled; /* lane by lane without a loop, and known to be aligned */
};

enum { ADDRESS, OPERAND, NEW_VALUE, RESULT }; /* scratch arrays */

static uint8_t bits_type(uint8_t type)
{
    static const uint8_t by_bytes[] = {
        [1] = PTX_B8, [2] = PTX_B16, [4] = PTX_B32, [8] = PTX_B64, [16] = PTX_B128};

    return by_bytes[ptx_type_bits(type) / 8];
}

static LLVMAtomicOrdering order_of(const struct ptx_instruction *i)
{
    if (ptx_has(i, PTX_MOD_ACQ_REL))
        return LLVMAtomicOrderingAcquireRelease;
    if (ptx_has(i, PTX_MOD_ACQUIRE))
        return LLVMAtomicOrderingAcquire;
    if (ptx_has(i, PTX_MOD_RELEASE))
        return LLVMAtomicOrderingRelease;
    /* Programs take locks with relaxed atomics and access the guarded data right after. The device
     * does not reorder accesses before an atomic whose result is used, so `atom` is acq_rel
     * here. */
    return i->op == PTX_OP_atom ? LLVMAtomicOrderingAcquireRelease : LLVMAtomicOrderingMonotonic;
}

static LLVMAtomicOrdering failure_order(LLVMAtomicOrdering order)
{
    return order == LLVMAtomicOrderingAcquire || order == LLVMAtomicOrderingAcquireRelease
               ? LLVMAtomicOrderingAcquire
               : LLVMAtomicOrderingMonotonic;
}

static bool simple_operation(const struct atomic *a, LLVMAtomicRMWBinOp *operation)
{
    const struct ptx_instruction *i = a->instruction;
    bool is_signed = ptx_type_is_signed(a->type);

    if (ptx_type_is_float(a->type) || a->type == PTX_F16X2 || a->type == PTX_BF16X2) {
        *operation = LLVMAtomicRMWBinOpXchg;
        return ptx_has(i, PTX_MOD_EXCH);
    }
    if (ptx_has(i, PTX_MOD_ADD))
        *operation = LLVMAtomicRMWBinOpAdd;
    else if (ptx_has(i, PTX_MOD_AND))
        *operation = LLVMAtomicRMWBinOpAnd;
    else if (ptx_has(i, PTX_MOD_OR))
        *operation = LLVMAtomicRMWBinOpOr;
    else if (ptx_has(i, PTX_MOD_XOR))
        *operation = LLVMAtomicRMWBinOpXor;
    else if (ptx_has(i, PTX_MOD_EXCH))
        *operation = LLVMAtomicRMWBinOpXchg;
    else if (ptx_has(i, PTX_MOD_MIN))
        *operation = is_signed ? LLVMAtomicRMWBinOpMin : LLVMAtomicRMWBinOpUMin;
    else if (ptx_has(i, PTX_MOD_MAX))
        *operation = is_signed ? LLVMAtomicRMWBinOpMax : LLVMAtomicRMWBinOpUMax;
    else
        /* LLVM has uinc_wrap and udec_wrap, but does not lower them on every target */
        return false;
    return ptx_type_bits(a->type) <= 64;
}

static LLVMValueRef exchange_if_equal(struct jit_emitter *e, const struct atomic *a,
                                      LLVMValueRef pointer, LLVMValueRef expected, LLVMValueRef new)
{
    LLVMValueRef pair = LLVMBuildAtomicCmpXchg(e->builder, pointer, expected, new, a->order,
                                               failure_order(a->order), false);

    LLVMSetAlignment(pair, ptx_type_bits(a->type) / 8);
    return pair;
}

static LLVMValueRef count_round(struct jit_emitter *e, bool up, LLVMValueRef old, LLVMValueRef most)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(old)),
                 one = LLVMConstInt(LLVMTypeOf(old), 1, false);
    LLVMValueRef wraps;

    if (up)
        return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntUGE, old, most, ""), zero,
                               LLVMBuildAdd(b, old, one, ""), "");
    wraps = LLVMBuildOr(b, LLVMBuildICmp(b, LLVMIntEQ, old, zero, ""),
                        LLVMBuildICmp(b, LLVMIntUGT, old, most, ""), "");
    return LLVMBuildSelect(b, wraps, most, LLVMBuildSub(b, old, one, ""), "");
}

/* Computes the new value for operations that the processor has no atomic instruction for: floats
 * (lowered like the instruction on registers), inc and dec, and exchanges of 128 bits. */
static LLVMValueRef combine(struct jit_emitter *e, const struct atomic *a, LLVMValueRef old,
                            LLVMValueRef operand)
{
    struct ptx_instruction plain;
    const struct ptx_instruction *i = a->instruction;
    LLVMTypeRef type = jit_type_of(e->unit, a->type);
    LLVMValueRef sources[2], results[2] = {NULL, NULL}, sum;
    enum ptx_modifier modifier = PTX_MOD_RN;

    if (ptx_has(i, PTX_MOD_EXCH))
        return operand;
    if (ptx_has(i, PTX_MOD_INC) || ptx_has(i, PTX_MOD_DEC))
        return count_round(e, ptx_has(i, PTX_MOD_INC), old, operand);
    memset(&plain, 0, sizeof(plain));
    plain.op = ptx_has(i, PTX_MOD_MIN)   ? PTX_OP_min
               : ptx_has(i, PTX_MOD_MAX) ? PTX_OP_max
                                         : PTX_OP_add;
    plain.type_count = 1;
    plain.types[0] = a->type;
    plain.width = 1;
    plain.guard = PTX_NO_REGISTER;
    plain.source_count = 2;
    plain.line = i->line;
    if (plain.op == PTX_OP_add)
        plain.modifiers[modifier / 64] |= UINT64_C(1) << (modifier % 64);
    /* without .noftz the device flushes subnormals of float sums in global memory, but not in
     * shared memory */
    modifier = PTX_MOD_FTZ;
    if (a->type == PTX_F32 && i->space != PTX_SHARED && !ptx_has(i, PTX_MOD_NOFTZ))
        plain.modifiers[modifier / 64] |= UINT64_C(1) << (modifier % 64);
    sources[0] = LLVMBuildBitCast(e->builder, operand, type, "");
    sources[1] = LLVMBuildBitCast(e->builder, old, type, "");
    e->lower.lanes = 1;
    if (!jit_lower_emit(&e->lower, &plain, sources, results) || !results[0]) {
        jit_unit_fail(e->unit, i, "this atomic operation is not supported");
        return old;
    }
    sum = LLVMBuildBitCast(e->builder, results[0], a->bits, "");
    if (a->type != PTX_F64 || i->space == PTX_SHARED)
        return sum;
    /* In global memory a NaN operand is stored unchanged; otherwise a NaN in memory stays
     * unchanged. */
    sum = LLVMBuildSelect(e->builder,
                          LLVMBuildFCmp(e->builder, LLVMRealUNO, sources[1], sources[1], ""), old,
                          sum, "");
    return LLVMBuildSelect(e->builder,
                           LLVMBuildFCmp(e->builder, LLVMRealUNO, sources[0], sources[0], ""),
                           operand, sum, "");
}

static LLVMValueRef by_exchange(struct jit_emitter *e, const struct atomic *a, LLVMValueRef pointer,
                                LLVMValueRef operand)
{
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef before = jit_build_here(e), loop = jit_build_block(e, "again"),
                      after = jit_build_block(e, "exchanged"), from[2];
    LLVMValueRef first = LLVMBuildLoad2(b, a->bits, pointer, ""), old, pair, values[2];

    LLVMSetAlignment(first, ptx_type_bits(a->type) / 8);
    LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
    LLVMBuildBr(b, loop);
    jit_build_at(e, loop);
    old = LLVMBuildPhi(b, a->bits, "old");
    pair = exchange_if_equal(e, a, pointer, old, combine(e, a, old, operand));
    values[0] = first;
    values[1] = LLVMBuildExtractValue(b, pair, 0, "");
    from[0] = before;
    from[1] = jit_build_here(e);
    LLVMAddIncoming(old, values, from, 2);
    LLVMBuildCondBr(b, LLVMBuildExtractValue(b, pair, 1, ""), after, loop);
    jit_build_at(e, after);
    return old;
}

/* Keeps the compiler from moving accesses across an operation that orders them; other threads
 * cannot tell. */
static void order_accesses(struct jit_emitter *e, const struct atomic *a)
{
    if (a->order != LLVMAtomicOrderingMonotonic)
        LLVMBuildFence(e->builder, LLVMAtomicOrderingAcquireRelease, true, "");
}

static LLVMValueRef new_value(struct jit_emitter *e, const struct atomic *a, LLVMValueRef old,
                              LLVMValueRef b, LLVMValueRef c)
{
    LLVMBuilderRef builder = e->builder;
    LLVMIntPredicate keeps;
    LLVMAtomicRMWBinOp operation;

    if (ptx_has(a->instruction, PTX_MOD_CAS))
        return LLVMBuildSelect(builder, LLVMBuildICmp(builder, LLVMIntEQ, old, b, ""), c, old, "");
    if (!simple_operation(a, &operation))
        return combine(e, a, old, b);
    switch (operation) {
    case LLVMAtomicRMWBinOpAdd:
        return LLVMBuildAdd(builder, old, b, "");
    case LLVMAtomicRMWBinOpAnd:
        return LLVMBuildAnd(builder, old, b, "");
    case LLVMAtomicRMWBinOpOr:
        return LLVMBuildOr(builder, old, b, "");
    case LLVMAtomicRMWBinOpXor:
        return LLVMBuildXor(builder, old, b, "");
    case LLVMAtomicRMWBinOpMin:
        keeps = LLVMIntSLT;
        break;
    case LLVMAtomicRMWBinOpMax:
        keeps = LLVMIntSGT;
        break;
    case LLVMAtomicRMWBinOpUMin:
        keeps = LLVMIntULT;
        break;
    case LLVMAtomicRMWBinOpUMax:
        keeps = LLVMIntUGT;
        break;
    default:
        return b; /* an exchange */
    }
    return LLVMBuildSelect(builder, LLVMBuildICmp(builder, keeps, old, b, ""), old, b, "");
}

static LLVMValueRef in_shared_memory(struct jit_emitter *e, const struct atomic *a,
                                     LLVMValueRef pointer, LLVMValueRef b, LLVMValueRef c)
{
    LLVMValueRef old;

    order_accesses(e, a);
    old = LLVMBuildLoad2(e->builder, a->bits, pointer, "");
    LLVMSetAlignment(old, ptx_type_bits(a->type) / 8);
    LLVMSetAlignment(LLVMBuildStore(e->builder, new_value(e, a, old, b, c), pointer),
                     ptx_type_bits(a->type) / 8);
    order_accesses(e, a);
    return old;
}

/* lane: the lane that the access belongs to, or NULL for one access of all active lanes. */
static LLVMValueRef one_atomic(struct jit_emitter *e, const struct atomic *a, LLVMValueRef lane,
                               LLVMValueRef address, LLVMValueRef b, LLVMValueRef c)
{
    LLVMValueRef pointer = LLVMBuildIntToPtr(e->builder, address, e->unit->ptr, ""), op;
    LLVMAtomicRMWBinOp operation;
    unsigned bytes = ptx_type_bits(a->type) / 8;

    if (lane && !a->unrolled)
        jit_alignment_check_lane(e, lane, address, bytes, a->instruction->line);
    else if (!lane)
        jit_alignment_check(e, jit_scalar(address, 0), bytes, a->instruction->line);
    if (jit_access_is_checked(e, &a->instruction->src[0], a->instruction->space))
        jit_access_check(e, jit_mask_bits(e), address, bytes, CUP_MAY_READ | CUP_MAY_WRITE,
                         a->instruction->line);
    if (a->instruction->space == PTX_SHARED)
        return in_shared_memory(e, a, pointer, b, c);
    if (ptx_has(a->instruction, PTX_MOD_CAS))
        return LLVMBuildExtractValue(e->builder, exchange_if_equal(e, a, pointer, b, c), 0, "");
    if (!simple_operation(a, &operation))
        return by_exchange(e, a, pointer, b);
    op = LLVMBuildAtomicRMW(e->builder, operation, pointer, b, a->order, false);
    /* the write must stay even if the operation does not change the value */
    LLVMSetVolatile(op, true);
    LLVMSetAlignment(op, ptx_type_bits(a->type) / 8);
    return op;
}

/* Executes the atomic of one lane if varying registers are arrays in memory (chunks.c). */
static void one_lane_in_memory(struct jit_emitter *e, LLVMValueRef lane, const struct atomic *a)
{
    const struct ptx_instruction *i = a->instruction;
    uint8_t type = bits_type(a->type);
    LLVMValueRef address = jit_lane_address(e, &i->src[0], i->space, lane);
    LLVMValueRef b = jit_lane_operand(e, &i->src[1], type, lane), c = NULL, old;

    if (ptx_has(i, PTX_MOD_CAS))
        c = jit_lane_operand(e, &i->src[2], type, lane);
    old = one_atomic(e, a, lane, address, b, c);
    if (a->result)
        jit_lane_write(e, &i->dst[0], type, lane, old);
}

static void one_lane(struct jit_emitter *e, LLVMValueRef lane, void *context)
{
    const struct atomic *a = context;
    LLVMValueRef address, b, c, old;

    if (a->in_memory) {
        one_lane_in_memory(e, lane, a);
        return;
    }
    address = jit_value_of_lane(e, a->address, ADDRESS, lane).value;
    if (a->instruction->space == PTX_SHARED && !a->address.vector)
        address = jit_shared_wrap(e, address);
    b = jit_value_of_lane(e, a->b, OPERAND, lane).value;
    c = a->c.value ? jit_value_of_lane(e, a->c, NEW_VALUE, lane).value : NULL;
    old = one_atomic(e, a, lane, address, b, c);

    if (a->result)
        LLVMBuildStore(e->builder, old, jit_scratch_lane(e, RESULT, a->bits, lane));
}

/* Reduces the operands of all active lanes to one; NULL if the operation has no such reduction. */
static LLVMValueRef sum_lanes(struct jit_emitter *e, const struct atomic *a)
{
    LLVMTypeRef type = jit_vector_type(e, a->bits);
    LLVMAtomicRMWBinOp operation;
    LLVMValueRef values, on, neutral;
    const char *name;
    bool ones = false;

    if (!simple_operation(a, &operation))
        return NULL;
    switch (operation) {
    case LLVMAtomicRMWBinOpAdd:
        name = "llvm.vector.reduce.add";
        break;
    case LLVMAtomicRMWBinOpOr:
        name = "llvm.vector.reduce.or";
        break;
    case LLVMAtomicRMWBinOpXor:
        name = "llvm.vector.reduce.xor";
        break;
    case LLVMAtomicRMWBinOpUMax:
        name = "llvm.vector.reduce.umax";
        break;
    case LLVMAtomicRMWBinOpAnd:
        name = "llvm.vector.reduce.and";
        ones = true;
        break;
    case LLVMAtomicRMWBinOpUMin:
        name = "llvm.vector.reduce.umin";
        ones = true;
        break;
    default:
        return NULL;
    }
    values = jit_value_vector(e, a->b);
    on = jit_mask_lanes(e);
    neutral = ones ? LLVMConstAllOnes(type) : LLVMConstNull(type);
    if (on)
        values = LLVMBuildSelect(e->builder, on, values, neutral, "");
    return jit_build_call(e, name, type, &values, 1);
}

static struct jit_value operand_bits(struct jit_emitter *e, const struct ptx_operand *operand,
                                     uint8_t type, unsigned which)
{
    struct jit_value value = jit_operand_read(e, operand, bits_type(type));

    if (value.vector)
        jit_scratch_fill(e, which, value.value);
    return value;
}

static const struct ptx_operand *part_of(struct jit_emitter *e, const struct ptx_operand *operand,
                                         unsigned part)
{
    return operand->kind == PTX_OPERAND_VECTOR && e->function->ptx->elements
               ? &e->function->ptx->elements[operand->index + part]
               : operand;
}

static bool is_asked_for(struct jit_emitter *e, const struct ptx_instruction *i)
{
    const struct ptx_operand *dst = &i->dst[0];

    if (i->op == PTX_OP_red || dst->kind == PTX_OPERAND_NONE || dst->kind == PTX_OPERAND_SINK)
        return false;
    /* other instructions that share an outlined operation may have results that are used */
    return dst->kind != PTX_OPERAND_REGISTER || e->outlined ||
           e->function->cfg.uses[dst->index] > 0;
}

static void emit_part(struct jit_emitter *e, struct atomic *a, unsigned part)
{
    const struct ptx_instruction *i = a->instruction;
    bool same_place = jit_value_is_uniform(&a->address);
    LLVMValueRef sum;

    a->b =
        operand_bits(e, i->width > 1 ? part_of(e, &i->src[1], part) : &i->src[1], a->type, OPERAND);
    if (ptx_has(i, PTX_MOD_CAS))
        a->c = operand_bits(e, &i->src[2], a->type, NEW_VALUE);
    if (!a->result && same_place && (sum = sum_lanes(e, a))) {
        one_atomic(e, a, NULL, a->address.value, sum, NULL);
        return;
    }
    if (a->unrolled)
        for (unsigned lane = 0; lane < e->width; lane++)
            one_lane(e, jit_i32(e->unit, lane), a);
    else
        jit_emit_lane_loop(e, jit_mask_bits(e), one_lane, a);
    if (a->result)
        jit_operand_write(e, i->width > 1 ? part_of(e, &i->dst[0], part) : &i->dst[0],
                          bits_type(a->type), jit_vector(jit_scratch_read(e, RESULT, a->bits)));
}

void jit_emit_atomic(struct jit_emitter *e, const struct ptx_instruction *i)
{
    struct atomic a = {.instruction = i, .type = i->types[i->type_count - 1]};

    a.bits = LLVMIntTypeInContext(e->unit->context, ptx_type_bits(a.type));
    a.order = order_of(i);
    a.result = is_asked_for(e, i);
    a.in_memory =
        e->chunks->enabled && e->divergent && i->width <= 1 &&
        (a.result ||
         jit_uniformity_of_address(e->function, e->function->uniformity[1], &i->src[0]).kind !=
             JIT_UNIFORM);
    if (a.in_memory) {
        jit_emit_lane_loop(e, jit_mask_bits(e), one_lane, &a);
        return;
    }
    a.address = jit_emit_address(e, &i->src[0], i->space);
    a.unrolled = i->space == PTX_SHARED && !jit_emitter_is_masked(e);
    if (a.unrolled)
        jit_alignment_check(e, a.address, ptx_type_bits(a.type) / 8, i->line);
    for (unsigned part = 0; part < (i->width > 1 ? i->width : 1); part++) {
        if (part) {
            LLVMValueRef step = jit_i64(e->unit, ptx_type_bits(a.type) / 8);

            if (a.address.vector)
                step = jit_build_splat(e, step);
            a.address.value = LLVMBuildAdd(e->builder, a.address.value, step, "");
        }
        if (a.address.vector)
            jit_scratch_fill(e, ADDRESS, a.address.value);
        emit_part(e, &a, part);
    }
}
