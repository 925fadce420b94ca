/* SPDX-License-Identifier: MIT */
/* The active lanes in their two forms: bits of an i32, and a vector of i1. */
#include "jit/emit/mask.h"

#include "jit/emit/chunks.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"

LLVMValueRef jit_mask_bits(struct jit_emitter *e)
{
    if (e->predicated.lanes)
        return e->predicated.lanes;
    if (!e->divergent)
        return e->vector.full;
    return LLVMBuildLoad2(e->builder, e->unit->i32, e->mask.active, "mask");
}

LLVMValueRef jit_mask_lanes(struct jit_emitter *e)
{
    if (!jit_emitter_is_masked(e))
        return NULL;
    if (e->mask.expanded_in != jit_build_here(e)) {
        LLVMValueRef bits = jit_mask_bits(e);

        if (e->chunks->first)
            bits = LLVMBuildLShr(e->builder, bits, e->chunks->first, "");
        e->mask.expanded = jit_build_lanes(e, bits);
        e->mask.expanded_in = jit_build_here(e);
    }
    return e->mask.expanded;
}

LLVMValueRef jit_predicate_bits(struct jit_emitter *e, struct jit_value predicate, bool negated)
{
    LLVMValueRef bits;

    if (!predicate.vector) {
        LLVMValueRef none = jit_i32(e->unit, 0);

        return LLVMBuildSelect(e->builder, predicate.value, negated ? none : e->vector.full,
                               negated ? e->vector.full : none, "");
    }
    bits = jit_build_bits(e, predicate.value);
    return negated ? LLVMBuildXor(e->builder, bits, e->vector.full, "") : bits;
}
