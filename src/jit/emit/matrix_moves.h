/* SPDX-License-Identifier: MIT */
/* wmma.load and wmma.store where all lanes of a warp take part: lines of the matrix in memory are
 * loaded or stored whole, and a permutation makes registers of them. */
#ifndef CUP_JIT_EMIT_MATRIX_MOVES_H
#define CUP_JIT_EMIT_MATRIX_MOVES_H

#include "ptx/program.h"

#include <stdbool.h>

struct jit_emitter;

/* Emits the instruction; false: the runtime has to move the elements one by one. */
bool jit_emit_matrix_move(struct jit_emitter *e, const struct ptx_instruction *instruction);

#endif
