/* SPDX-License-Identifier: MIT */
/* Matrix instructions: mma and wgmma, which the runtime executes (abi/matrix.h, matrix.c), and
 * moves of matrices (matrix_moves.c). */
#ifndef CUP_JIT_EMIT_MATRIX_H
#define CUP_JIT_EMIT_MATRIX_H

#include "ptx/program.h"

struct jit_emitter;

/* Returns false if the instruction is none of them; products of .f64 and wmma are not. */
bool jit_emit_matrix(struct jit_emitter *e, const struct ptx_instruction *instruction);

/* The bytes of stack that matrix instructions need, in the code and in the runtime. */
uint64_t jit_matrix_stack_bytes(const struct ptx_function *function);

/* Emits wmma.load or wmma.store where all lanes of a warp take part: lines of the matrix in memory
 * are loaded or stored whole, and a permutation makes registers of them. False: the runtime has to
 * move the elements one by one. */
bool jit_emit_matrix_move(struct jit_emitter *e, const struct ptx_instruction *instruction);

#endif
