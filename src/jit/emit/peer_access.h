/* SPDX-License-Identifier: MIT */
/* Checks that the kernel may access global memory: code for several devices looks the page's class
 * up in the tables of the launch. `wanted` is CUP_MAY_READ or CUP_MAY_WRITE. */
#ifndef CUP_JIT_EMIT_PEER_ACCESS_H
#define CUP_JIT_EMIT_PEER_ACCESS_H

#include "ptx/program.h"

#include <llvm-c/Core.h>

struct jit_emitter;

/* Whether accesses through the operand are checked. */
bool jit_access_is_checked(const struct jit_emitter *e, const struct ptx_operand *operand,
                           uint8_t space);
/* Checks `bytes` from the address on, for all `lanes` (i32). */
void jit_access_check(struct jit_emitter *e, LLVMValueRef lanes, LLVMValueRef address,
                      unsigned bytes, unsigned wanted, uint32_t line);
/* Checks one lane. */
void jit_access_check_lane(struct jit_emitter *e, LLVMValueRef lane, LLVMValueRef address,
                           unsigned bytes, unsigned wanted, uint32_t line);
/* Checks every lane of the vector, each at its own address. */
void jit_access_check_each(struct jit_emitter *e, const LLVMValueRef *addresses, unsigned bytes,
                           unsigned wanted, uint32_t line);

#endif
