/* SPDX-License-Identifier: MIT */
/* Forwarding loads of several elements a lane to stores of the same registers: what was loaded is
 * stored as it is, not split into registers and joined again. */
#ifndef CUP_JIT_TRANSFORM_LOAD_STORE_FORWARDING_H
#define CUP_JIT_TRANSFORM_LOAD_STORE_FORWARDING_H

#include "ptx/program.h"

#include <llvm-c/Core.h>

struct jit_emitter;

/* Called before the function is emitted. */
void jit_forwarding_init(struct jit_emitter *e);
/* The operand's registers have just been written with the elements, unchanged. */
void jit_forwarding_note(struct jit_emitter *e, const struct ptx_operand *operand, LLVMValueRef all,
                         unsigned count);
/* The elements that the operand's registers hold, as elements of this type; NULL: not known. */
LLVMValueRef jit_forwarding_find(struct jit_emitter *e, const struct ptx_operand *operand,
                                 unsigned count, LLVMTypeRef element);
/* The register is written. */
void jit_forwarding_forget(struct jit_emitter *e, uint32_t reg);

#endif
