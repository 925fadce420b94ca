/* SPDX-License-Identifier: MIT */
/* PTX registers: where each of the two variants keeps them, reading and writing them, and copying
 * them from the uniform to the divergent variant. */
#ifndef CUP_JIT_EMIT_REGISTERS_H
#define CUP_JIT_EMIT_REGISTERS_H

#include "jit/emit/value.h"

struct jit_registers {
    LLVMValueRef *allocas[2]; /* per register; of the uniform and of the divergent variant */
    uint64_t *set;            /* a set of registers for temporary use */
};

/* Called before the function is emitted. */
void jit_registers_init(struct jit_emitter *e);

uint8_t jit_register_type(const struct jit_emitter *e, uint32_t reg);
struct jit_value jit_register_read(struct jit_emitter *e, uint32_t reg);
void jit_register_write(struct jit_emitter *e, uint32_t reg, struct jit_value value);

/* Zeroes the registers of a variant that may be read before they are written, except some. */
void jit_registers_clear(struct jit_emitter *e, bool divergent, const uint64_t *except);
/* Copies the registers that are live before instruction `at` of the node from the uniform variant
 * to the divergent one; and those that are live at the beginning of `others`, unless that is
 * JIT_NO_BLOCK. */
void jit_registers_transfer(struct jit_emitter *e, uint32_t node, uint32_t at, uint32_t others);

/* Copies a register of the uniform variant to a place in memory, and back. */
uint32_t jit_register_bytes(struct jit_emitter *e, uint32_t reg, bool divergent);
void jit_register_spill(struct jit_emitter *e, uint32_t reg, LLVMValueRef place);
void jit_register_fill(struct jit_emitter *e, uint32_t reg, LLVMValueRef place);
/* Copies a register of the divergent variant that is a scalar in the uniform variant to such a
 * place. The result is true (i1) if the lanes' values do not have the uniformity that it has in the
 * uniform variant. */
LLVMValueRef jit_register_move_to_uniform(struct jit_emitter *e, uint32_t reg, LLVMValueRef place);

/* Whether the variant that is being emitted keeps the register as an array of lanes in memory;
 * then the address of one lane and the type of an element. */
bool jit_register_is_array(const struct jit_emitter *e, uint32_t reg);
LLVMValueRef jit_register_lane(struct jit_emitter *e, uint32_t reg, LLVMValueRef lane);
/* Where the divergent variant keeps the register. */
LLVMValueRef jit_register_place(struct jit_emitter *e, uint32_t reg);
LLVMTypeRef jit_register_element(struct jit_emitter *e, uint32_t reg);

/* Begins and ends a loop over chunks of lanes. Inside it, such registers are vectors of one chunk.
 * The end stores those that were written and are in `live`; NULL: all. */
void jit_chunks_begin(struct jit_emitter *e);
void jit_chunks_end(struct jit_emitter *e, const uint64_t *live);

#endif
