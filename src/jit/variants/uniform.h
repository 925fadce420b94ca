/* SPDX-License-Identifier: MIT */
/* The uniform variant of a function, which runs while all lanes of the vector are active: its
 * control flow is scalar and it has no masks. */
#ifndef CUP_JIT_VARIANTS_UNIFORM_H
#define CUP_JIT_VARIANTS_UNIFORM_H

struct jit_emitter;

void jit_uniform_emit(struct jit_emitter *e);

#endif
