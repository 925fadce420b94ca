/* SPDX-License-Identifier: MIT */
/* The stack frames of generated code: how large LLVM made them. */
#ifndef CUP_JIT_CODEGEN_STACK_FRAMES_H
#define CUP_JIT_CODEGEN_STACK_FRAMES_H

#include <llvm-c/Types.h>
#include <stdbool.h>

struct jit_unit;

/* Before code generation: has LLVM report every large frame. */
void jit_stack_frames_watch(struct jit_unit *unit);
/* After it: if the frames need more stack than the kernel's info says, corrects the info, in the
 * object too. */
bool jit_stack_frames_settle(struct jit_unit *unit, LLVMMemoryBufferRef object);

#endif
