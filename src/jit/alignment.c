/* SPDX-License-Identifier: MIT */
/* Misaligned accesses. The device refuses them, our processors do not care. So every access adds
 * its address to the bits that were seen with its size: one or, no branch. At the end of a block
 * the low bits tell whether one of them was off. */
#include "jit/compile.h"

static LLVMValueRef seen(struct cup_body *body, unsigned size)
{
    LLVMBasicBlockRef here = cup_build_here(body);

    if (!body->seen[size]) {
        body->seen[size] = cup_build_alloca(body, body->unit->i64, 1, "seen");
        LLVMPositionBuilderBefore(body->builder, body->entry_end);
        LLVMBuildStore(body->builder, cup_i64(body->unit, 0), body->seen[size]);
        cup_build_at(body, here);
    }
    return body->seen[size];
}

static unsigned size_class(unsigned bytes)
{
    unsigned size = 0;

    while (size + 1 < CUP_ALIGNMENTS && 2u << size <= bytes)
        size++;
    return size;
}

static void add(struct cup_body *body, unsigned size, LLVMValueRef address)
{
    LLVMValueRef place = seen(body, size);
    LLVMValueRef bits = LLVMBuildLoad2(body->builder, body->unit->i64, place, "");

    LLVMBuildStore(body->builder, LLVMBuildOr(body->builder, bits, address, ""), place);
}

bool cup_alignment_is_common(struct cup_value address, unsigned bytes)
{
    int64_t low = ((int64_t)1 << size_class(bytes)) - 1;

    return !address.vector && !((address.stride | address.jump) & low);
}

void cup_alignment_note(struct cup_body *body, struct cup_value address, unsigned bytes)
{
    unsigned size = size_class(bytes);
    LLVMTypeRef type;

    if (size == 0)
        return;
    if (!address.vector) {
        add(body, size, address.value);
        if (!cup_alignment_is_common(address, bytes))
            add(body, size, cup_i64(body->unit, (uint64_t)(address.stride | address.jump)));
        return;
    }
    type = LLVMTypeOf(address.value);
    add(body, size, cup_build_call(body, "llvm.vector.reduce.or", type, &address.value, 1));
}

void cup_alignment_check(struct cup_body *body)
{
    struct cup_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef bad, fine;
    LLVMValueRef wrong = NULL;

    for (unsigned size = 1; size < CUP_ALIGNMENTS; size++) {
        LLVMValueRef bits;

        if (!body->seen[size])
            continue;
        bits = LLVMBuildLoad2(b, unit->i64, body->seen[size], "");
        bits = LLVMBuildAnd(b, bits, cup_i64(unit, (UINT64_C(1) << size) - 1), "");
        wrong = wrong ? LLVMBuildOr(b, wrong, bits, "") : bits;
    }
    if (!wrong)
        return;
    bad = cup_build_block(body, "misaligned");
    fine = cup_build_block(body, "aligned");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, wrong, cup_i64(unit, 0), ""), fine, bad);
    cup_build_at(body, bad);
    cup_emit_trap(body, body->full, CUP_TRAP_MISALIGNED, 0);
    LLVMBuildBr(b, fine);
    cup_build_at(body, fine);
}
