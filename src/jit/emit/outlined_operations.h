/* SPDX-License-Identifier: MIT */
/* Outlined operations: the first tier emits an instruction of all lanes once, as a function of the
 * places of its registers, and calls it wherever the kernel has the same instruction with other
 * registers. */
#ifndef CUP_JIT_EMIT_OUTLINED_OPERATIONS_H
#define CUP_JIT_EMIT_OUTLINED_OPERATIONS_H

#include "ptx/program.h"

#include <llvm-c/Core.h>
#include <stdbool.h>

struct jit_emitter;

/* Emits a call of the instruction's outlined operation. False: the instruction has none, or it is
 * not worth a call; the caller emits the instruction itself. */
bool jit_outlined_emit(struct jit_emitter *e, const struct ptx_instruction *instruction);
/* The same for two parts of an instruction with .sync where members are elsewhere: operands are
 * given to the runtime, results are taken from it. `call` points to a struct cup_abi_sync_call. */
bool jit_outlined_sync_begin(struct jit_emitter *e, const struct ptx_instruction *instruction,
                             LLVMValueRef call);
bool jit_outlined_sync_results(struct jit_emitter *e, const struct ptx_instruction *instruction,
                               LLVMValueRef call);
/* The lanes in which a predicate is true, as bits of an i32; NULL: that is not outlined. */
LLVMValueRef jit_outlined_predicate(struct jit_emitter *e, uint32_t reg);

#endif
