/* SPDX-License-Identifier: MIT */
/* Instructions that the runtime executes for a whole warp: matrices, mbarriers, bulk copies,
 * isspacep, alloca. */
#ifndef CUP_JIT_EMIT_WARP_CALLS_H
#define CUP_JIT_EMIT_WARP_CALLS_H

#include "ptx/program.h"

struct jit_emitter;

/* Matrices, mbarriers and alloca; returns false if the instruction is none of them. */
bool jit_emit_warp_call(struct jit_emitter *e, const struct ptx_instruction *instruction);
void jit_emit_isspacep(struct jit_emitter *e, const struct ptx_instruction *instruction);
/* cp.async.bulk and cp.reduce.async.bulk. */
void jit_emit_copy_bulk(struct jit_emitter *e, const struct ptx_instruction *instruction);
void jit_emit_copies_arrive(struct jit_emitter *e, const struct ptx_instruction *instruction);
/* st.async and red.async. */
void jit_emit_multimem(struct jit_emitter *e, const struct ptx_instruction *instruction);
void jit_emit_store_async(struct jit_emitter *e, const struct ptx_instruction *instruction);
void jit_emit_tensor_map(struct jit_emitter *e, const struct ptx_instruction *instruction);

/* The stack of alloca: saved at the beginning of a function, with all lanes, and restored where
 * lanes return. */
void jit_stack_enter(struct jit_emitter *e);
void jit_stack_leave(struct jit_emitter *e);

#endif
