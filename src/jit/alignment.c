/* SPDX-License-Identifier: MIT */
/* Misaligned accesses. The device refuses them, our processors do not care. So every access adds
 * its address to the bits that were seen with its size: one or, no branch. At the end of a block
 * the low bits tell whether one of them was off. */
#include "jit/compile.h"

static LLVMValueRef seen(struct jit_body *body, unsigned size)
{
    LLVMBasicBlockRef here = jit_build_here(body);

    if (!body->seen[size]) {
        body->seen[size] = jit_build_alloca(body, body->unit->i64, 1, "seen");
        LLVMPositionBuilderBefore(body->builder, body->entry_end);
        LLVMBuildStore(body->builder, jit_i64(body->unit, 0), body->seen[size]);
        jit_build_at(body, here);
    }
    return body->seen[size];
}

static unsigned size_class(unsigned bytes)
{
    unsigned size = 0;

    while (size + 1 < JIT_ALIGNMENTS && 2u << size <= bytes)
        size++;
    return size;
}

static void add(struct jit_body *body, unsigned size, LLVMValueRef address)
{
    LLVMValueRef place = seen(body, size);
    LLVMValueRef bits = LLVMBuildLoad2(body->builder, body->unit->i64, place, "");

    LLVMBuildStore(body->builder, LLVMBuildOr(body->builder, bits, address, ""), place);
}

bool jit_alignment_is_common(struct jit_value address, unsigned bytes)
{
    int64_t low = ((int64_t)1 << size_class(bytes)) - 1;

    return !address.vector && !((address.stride | address.jump) & low);
}

void jit_alignment_note(struct jit_body *body, struct jit_value address, unsigned bytes)
{
    unsigned size = size_class(bytes);
    LLVMTypeRef type;

    if (size == 0)
        return;
    if (!address.vector) {
        add(body, size, address.value);
        if (!jit_alignment_is_common(address, bytes))
            add(body, size, jit_i64(body->unit, (uint64_t)(address.stride | address.jump)));
        return;
    }
    type = LLVMTypeOf(address.value);
    add(body, size, jit_build_call(body, "llvm.vector.reduce.or", type, &address.value, 1));
}

void jit_alignment_check(struct jit_body *body)
{
    struct jit_unit *unit = body->unit;
    LLVMBuilderRef b = body->builder;
    LLVMBasicBlockRef bad, fine;
    LLVMValueRef wrong = NULL;

    for (unsigned size = 1; size < JIT_ALIGNMENTS; size++) {
        LLVMValueRef bits;

        if (!body->seen[size])
            continue;
        bits = LLVMBuildLoad2(b, unit->i64, body->seen[size], "");
        bits = LLVMBuildAnd(b, bits, jit_i64(unit, (UINT64_C(1) << size) - 1), "");
        wrong = wrong ? LLVMBuildOr(b, wrong, bits, "") : bits;
    }
    if (!wrong)
        return;
    bad = jit_build_block(body, "misaligned");
    fine = jit_build_block(body, "aligned");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, wrong, jit_i64(unit, 0), ""), fine, bad);
    jit_build_at(body, bad);
    jit_emit_trap(body, body->full, CUP_ABI_TRAP_MISALIGNED, 0);
    LLVMBuildBr(b, fine);
    jit_build_at(body, fine);
}
