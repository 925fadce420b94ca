/* SPDX-License-Identifier: MIT */
/* Instructions in which the lanes of a warp exchange values: shuffles, votes, matches, reductions
 * (warp_ops.c), and the same where members of the mask are elsewhere (warp_wait.c). */
#ifndef CUP_JIT_EMIT_WARP_OPS_H
#define CUP_JIT_EMIT_WARP_OPS_H

#include "ptx/program.h"

#include <llvm-c/Core.h>

struct jit_emitter;

/* Returns false if the instruction is none of them. */
bool jit_emit_warp_op(struct jit_emitter *e, const struct ptx_instruction *instruction);

/* Instructions with .sync where lanes are diverged. `call` points to a struct cup_abi_sync_call.
 * jit_sync_missing is an i32 that is not 0 if members are elsewhere; jit_sync_begin gives the
 * operands of the active lanes to the runtime; jit_sync_results reads the runtime's results. */
LLVMValueRef jit_sync_missing(struct jit_emitter *e, const struct ptx_instruction *instruction);
void jit_sync_begin(struct jit_emitter *e, const struct ptx_instruction *instruction,
                    LLVMValueRef call);
void jit_sync_results(struct jit_emitter *e, const struct ptx_instruction *instruction,
                      LLVMValueRef call);

#endif
