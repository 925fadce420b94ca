/* SPDX-License-Identifier: MIT */
/* Addresses of operands, as generic addresses of 64 bits. */
#ifndef CUP_JIT_EMIT_ADDRESS_H
#define CUP_JIT_EMIT_ADDRESS_H

#include "jit/emit/value.h"

struct jit_value jit_emit_address(struct jit_emitter *e, const struct ptx_operand *operand,
                                  uint8_t space);
struct jit_value jit_variable_address(struct jit_emitter *e, uint32_t index, bool local);
/* The address that cvta computes. */
struct jit_value jit_cvta_address(struct jit_emitter *e, const struct ptx_instruction *instruction);
/* Wraps addresses in shared memory that were computed from lane 0's: offsets in shared memory have
 * 32 bits. */
LLVMValueRef jit_shared_wrap(struct jit_emitter *e, LLVMValueRef address);
/* The address of a kernel's parameter that a register has, of which a program may keep the low 32
 * bits alone: in its state space it has no more on a card. */
struct jit_value jit_parameter_address(struct jit_emitter *e, struct jit_value value);

/* Emits mapa and getctarank: the rank of a block in an address of its shared memory
 * (cluster_address.c). */
void jit_emit_cluster_address(struct jit_emitter *e, const struct ptx_instruction *instruction);

#endif
