/* SPDX-License-Identifier: MIT */
/* The processor that code is generated for. */
#ifndef CUP_JIT_CODEGEN_TARGET_H
#define CUP_JIT_CODEGEN_TARGET_H

#include <llvm-c/TargetMachine.h>

struct jit_unit;

LLVMTargetMachineRef jit_target_make(struct jit_unit *unit);
/* Releases the lock if the compilation was abandoned while it looked for the processor. */
void jit_target_give_up(struct jit_unit *unit);

#endif
