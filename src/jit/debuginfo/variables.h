/* SPDX-License-Identifier: MIT */
/* The variables of CUDA C++ in code to step through, by their names, where the CUDA compiler
 * described them (nvcc -G, clang -g). */
#ifndef CUP_JIT_DEBUGINFO_VARIABLES_H
#define CUP_JIT_DEBUGINFO_VARIABLES_H

#include "ptx/program.h"

struct jit_emitter;

/* Declares them; after jit_debug_position. */
void jit_debug_variables(struct jit_emitter *e);
/* Before jit_debug_instruction: if the instruction begins a line or a node, variables that are in
 * registers get their values, so that they have them where a debugger stops. */
void jit_debug_variables_update(struct jit_emitter *e, const struct ptx_instruction *instruction);

#endif
