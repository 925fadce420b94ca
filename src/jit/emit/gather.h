/* SPDX-License-Identifier: MIT */
/* Loads and stores of lanes at any addresses, by the processor's instructions for them. */
#ifndef CUP_JIT_EMIT_GATHER_H
#define CUP_JIT_EMIT_GATHER_H

#include "jit/emit/lanes.h"

/* Whether the processor has instructions for lanes of so many bytes each. */
bool jit_gathers_bytes(const struct jit_emitter *e, unsigned bytes);
/* Whether it has them for an access, of all its elements at once. */
bool jit_gathers(const struct jit_emitter *e, const struct jit_access *access);

/* The elements of the active lanes, one lane behind the other; those of other lanes are 0. */
LLVMValueRef jit_gather(struct jit_emitter *e, const struct jit_access *access);
void jit_scatter(struct jit_emitter *e, const struct jit_access *access, LLVMValueRef all);

#endif
