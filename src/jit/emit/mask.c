/* SPDX-License-Identifier: MIT */
/* The active lanes in their two forms: bits of an i32, and a vector of i1. */
#include "jit/emit/mask.h"

#include "jit/emit/body.h"
#include "jit/emit/ir.h"

LLVMValueRef jit_mask_bits(struct jit_body *body)
{
    if (body->predicated.lanes)
        return body->predicated.lanes;
    if (!body->divergent)
        return body->vector.full;
    return LLVMBuildLoad2(body->builder, body->unit->i32, body->masks.active, "mask");
}

LLVMValueRef jit_mask_lanes(struct jit_body *body)
{
    if (!jit_body_is_masked(body))
        return NULL;
    if (body->masks.expanded_in != jit_build_here(body)) {
        LLVMValueRef bits = jit_mask_bits(body);

        if (body->chunks.first)
            bits = LLVMBuildLShr(body->builder, bits, body->chunks.first, "");
        body->masks.expanded = jit_build_lanes(body, bits);
        body->masks.expanded_in = jit_build_here(body);
    }
    return body->masks.expanded;
}

LLVMValueRef jit_predicate_bits(struct jit_body *body, struct jit_value predicate, bool negated)
{
    LLVMValueRef bits;

    if (!predicate.vector) {
        LLVMValueRef none = jit_i32(body->unit, 0);

        return LLVMBuildSelect(body->builder, predicate.value, negated ? none : body->vector.full,
                               negated ? body->vector.full : none, "");
    }
    bits = jit_build_bits(body, predicate.value);
    return negated ? LLVMBuildXor(body->builder, bits, body->vector.full, "") : bits;
}
