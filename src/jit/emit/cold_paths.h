/* SPDX-License-Identifier: MIT */
/* Cold paths. The uniform variant executes some instructions inline, such as a texture fetch, if a
 * test at run time allows it. Otherwise it branches to the cold path: a second copy of the rest of
 * the node, in which the instruction is a call of the runtime. The two paths do not join within the
 * node, so that the optimiser sees the first one as straight-line code. */
#ifndef CUP_JIT_EMIT_COLD_PATHS_H
#define CUP_JIT_EMIT_COLD_PATHS_H

#include "ptx/program.h"

#include <llvm-c/Core.h>

struct jit_emitter;

struct jit_cold_path {
    uint32_t at; /* the instruction */
    LLVMBasicBlockRef block;
    LLVMValueRef call; /* the structure of the runtime call, which both paths use */
    /* Earlier instructions of the node that the cold path recomputes, so that the hot path does not
     * have to compute them. The first one's source is a register. */
    uint32_t recomputed[2], recomputed_count;
};

/* Called before the function is emitted. */
void jit_cold_paths_init(struct jit_emitter *e);
/* The first instruction of the current node that has a cold path; JIT_NO_BLOCK: none has. */
uint32_t jit_cold_paths_first(const struct jit_emitter *e);
/* The node has been emitted: forgets its cold paths. */
void jit_cold_paths_clear(struct jit_emitter *e);
/* The cold path of an instruction of the current node: a new one, whose `call` is NULL, or the one
 * that is being emitted. NULL: there can be none. */
struct jit_cold_path *jit_cold_path_get(struct jit_emitter *e,
                                        const struct ptx_instruction *instruction);
/* The cold path of instruction `at` of the current node, or NULL. */
struct jit_cold_path *jit_cold_path_find(struct jit_emitter *e, uint32_t at);
void jit_cold_path_recompute(struct jit_emitter *e, const struct jit_cold_path *cold_path);
/* Hides the value from the optimiser behind an empty asm statement, so that it does not move what
 * is computed from the value out of the rarely executed path. */
LLVMValueRef jit_hide_value(struct jit_emitter *e, LLVMValueRef value);

#endif
