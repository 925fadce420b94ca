/* SPDX-License-Identifier: MIT */
/* Calls of device functions and of the functions that the runtime provides. */
#ifndef CUP_JIT_EMIT_CALLS_H
#define CUP_JIT_EMIT_CALLS_H

#include "ptx/program.h"

#include <llvm-c/Core.h>

struct jit_emitter;
struct jit_unit;

/* Whether the runtime provides the function: vprintf, malloc, free, __assertfail, and those of the
 * device runtime, with or without a body. */
bool jit_call_is_builtin(const struct ptx_function *function);
void jit_unit_declare_function(struct jit_unit *unit, uint32_t index);

/* Emits a call. The result is the lanes that are still in the kernel. */
LLVMValueRef jit_emit_call(struct jit_emitter *e, const struct ptx_instruction *instruction);
/* Emits a call where lanes of the warp may be elsewhere. The result is the lanes that have returned
 * and are still in the kernel; *returned is all lanes that have returned. The other lanes are
 * parked, with their handles in `handles`. */
LLVMValueRef jit_emit_parking_call(struct jit_emitter *e, const struct ptx_instruction *instruction,
                                   LLVMValueRef handles, LLVMValueRef *returned);
/* After a call that was parked: reads the results for the active lanes. */
void jit_emit_call_results(struct jit_emitter *e, const struct ptx_instruction *instruction,
                           uint32_t node);

#endif
