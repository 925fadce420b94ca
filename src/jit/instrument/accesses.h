/* SPDX-License-Identifier: MIT */
/* Code that is checked while it runs (CUPIPE_CHECK) reports its accesses to memory and its
 * synchronisation to the runtime (abi/check.h). Does nothing unless the request asks for it. */
#ifndef CUP_JIT_INSTRUMENT_ACCESSES_H
#define CUP_JIT_INSTRUMENT_ACCESSES_H

#include "ptx/program.h"

#include <llvm-c/Core.h>

struct jit_emitter;
struct jit_unit;

/* Before an instruction: reports the memory that it accesses, and what it synchronises.
 * Barriers and .sync instructions at which lanes are parked are not emitted as instructions: there,
 * jit_check_sync is called by itself. */
void jit_check_access(struct jit_emitter *e, const struct ptx_instruction *instruction);
void jit_check_sync(struct jit_emitter *e, const struct ptx_instruction *instruction);

/* Reports an access of one lane to so many bytes (i32). access: enum cup_abi_access. */
void jit_check_range(struct jit_emitter *e, const struct ptx_instruction *instruction,
                     LLVMValueRef lane, LLVMValueRef address, LLVMValueRef bytes, uint32_t access,
                     uint8_t space);

/* Where a block begins. */
void jit_check_block(struct jit_emitter *e);

#endif
