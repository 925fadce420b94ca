/* SPDX-License-Identifier: MIT */
/* mma and wgmma, which the runtime executes: abi/matrix.h. */
#ifndef CUP_JIT_EMIT_MATRIX_H
#define CUP_JIT_EMIT_MATRIX_H

#include "ptx/program.h"

struct jit_emitter;

/* Returns false if the instruction is none of them; products of .f64 and wmma are not. */
bool jit_emit_matrix(struct jit_emitter *e, const struct ptx_instruction *instruction);

/* The bytes of stack that matrix instructions need, in the code and in the runtime. */
uint64_t jit_matrix_stack_bytes(const struct ptx_function *function);

#endif
