/* SPDX-License-Identifier: MIT */
/* Fake uses keep demanded loads (analysis/demanded_loads.c) alive through LLVM's passes. */
#ifndef CUP_JIT_EMIT_FAKE_USES_H
#define CUP_JIT_EMIT_FAKE_USES_H

#include <llvm-c/Core.h>

struct jit_emitter;
struct jit_unit;

/* Adds a fake use of the load where the builder is. */
void jit_fake_use_add(struct jit_emitter *e, LLVMValueRef load);
/* Removes all fake uses; called after LLVM's passes, before machine code is generated. */
void jit_fake_uses_remove(struct jit_unit *unit);

#endif
