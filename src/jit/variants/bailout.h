/* SPDX-License-Identifier: MIT */
/* Bailouts from the uniform variant to the divergent one: where lanes diverge, the uniform variant
 * stops before an instruction, and the divergent variant continues with that instruction. */
#ifndef CUP_JIT_VARIANTS_BAILOUT_H
#define CUP_JIT_VARIANTS_BAILOUT_H

#include "jit/transform/predication.h"

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

struct jit_body;

struct jit_bailout {
    LLVMBasicBlockRef from, to; /* in the uniform and in the divergent variant */
    uint32_t node, at;          /* the instruction */
    /* In a side of a branch: its lanes, and the node at which the others are; lanes NULL: all. */
    struct jit_predicated predicated;
};

/* Bails out before instruction `at` of the current node if `stay` is false. */
void jit_bailout_unless(struct jit_body *body, LLVMValueRef stay, uint32_t at);
/* Whether the uniform variant bails out before instruction `at` of the current node. */
bool jit_bailout_is_target(const struct jit_body *body, uint32_t at);
/* In the divergent variant: if so, begins the block that continues there. */
void jit_bailout_enter(struct jit_body *body, uint32_t at);
/* Emits the code that copies the registers and enters the divergent variant, for all bailouts. */
void jit_bailouts_emit(struct jit_body *body);

#endif
