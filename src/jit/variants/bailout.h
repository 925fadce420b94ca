/* SPDX-License-Identifier: MIT */
/* Bailouts from the uniform variant to the divergent one: where lanes diverge, the uniform variant
 * stops before an instruction, and the divergent variant continues with that instruction. */
#ifndef CUP_JIT_VARIANTS_BAILOUT_H
#define CUP_JIT_VARIANTS_BAILOUT_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

struct jit_emitter;

/* Called before the function is emitted. */
void jit_bailouts_init(struct jit_emitter *e);
/* Bails out before instruction `at` of the current node if `stay` is false. */
void jit_bailout_unless(struct jit_emitter *e, LLVMValueRef stay, uint32_t at);
/* Whether the uniform variant bails out before instruction `at` of the current node. */
bool jit_bailout_is_target(const struct jit_emitter *e, uint32_t at);
/* Whether it bails out anywhere. */
bool jit_bailout_exists(const struct jit_emitter *e);
/* In the divergent variant: if so, begins the block that continues there. */
void jit_bailout_enter(struct jit_emitter *e, uint32_t at);
/* Emits the code that copies the registers and enters the divergent variant, for all bailouts. */
void jit_bailouts_emit(struct jit_emitter *e);

#endif
