/* SPDX-License-Identifier: MIT */
/* Masks: the active lanes, and the lanes in which a predicate holds. */
#ifndef CUP_JIT_EMIT_MASK_H
#define CUP_JIT_EMIT_MASK_H

#include "jit/emit/value.h"

/* The active lanes, as i32. */
LLVMValueRef jit_mask_bits(struct jit_body *body);
/* The active lanes, as <W x i1>; NULL: all. */
LLVMValueRef jit_mask_lanes(struct jit_body *body);
/* The lanes in which a predicate holds, as i32, whatever its uniformity is. */
LLVMValueRef jit_predicate_bits(struct jit_body *body, struct jit_value predicate, bool negated);

#endif
