/* SPDX-License-Identifier: MIT */
/* Instructions that access memory: loads and stores (memory.c), fences, cp.async (copy_async.c),
 * atomics (atomics.c), and prefetches of loads in loops (prefetch.c). */
#ifndef CUP_JIT_EMIT_MEMORY_H
#define CUP_JIT_EMIT_MEMORY_H

#include "ptx/program.h"

struct jit_emitter;
struct jit_access;

void jit_emit_load(struct jit_emitter *e, const struct ptx_instruction *instruction);
void jit_emit_store(struct jit_emitter *e, const struct ptx_instruction *instruction);
void jit_emit_fence(struct jit_emitter *e, const struct ptx_instruction *instruction);
void jit_emit_copy_async(struct jit_emitter *e, const struct ptx_instruction *instruction);
void jit_emit_atomic(struct jit_emitter *e, const struct ptx_instruction *instruction);

/* Prefetches what a contiguous load of a short loop reads some iterations later. */
void jit_emit_prefetch(struct jit_emitter *e, const struct jit_access *access);

#endif
