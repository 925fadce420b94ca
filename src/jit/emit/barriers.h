/* SPDX-License-Identifier: MIT */
/* The operands and results of barrier instructions. */
#ifndef CUP_JIT_EMIT_BARRIERS_H
#define CUP_JIT_EMIT_BARRIERS_H

#include "ptx/program.h"

#include <llvm-c/Core.h>

struct jit_emitter;

struct jit_barrier_operands {
    LLVMValueRef id, threads, predicate;
    uint32_t reduce; /* as struct cup_abi_services.barrier has it */
};

void jit_barrier_read(struct jit_emitter *e, const struct ptx_instruction *instruction,
                      struct jit_barrier_operands *barrier);
void jit_barrier_result(struct jit_emitter *e, const struct ptx_instruction *instruction,
                        LLVMValueRef result);

#endif
