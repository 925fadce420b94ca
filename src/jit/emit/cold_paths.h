/* SPDX-License-Identifier: MIT */
/* A detour is the second path of an instruction that the uniform variant does in place, such as a
 * texture fetch without a call. Where that is not possible, the rest of the node is emitted again,
 * with a call of the runtime. The two paths do not join within the node, so that the optimiser sees
 * the first one as straight-line code. */
#ifndef CUP_JIT_EMIT_COLD_PATHS_H
#define CUP_JIT_EMIT_COLD_PATHS_H

#include "ptx/program.h"

#include <llvm-c/Core.h>

struct jit_body;

enum { JIT_DETOURS = 32 }; /* of a node */

struct jit_detour {
    uint32_t at; /* the instruction */
    LLVMBasicBlockRef block;
    LLVMValueRef call; /* the structure of the runtime call, which both paths use */
    /* Earlier instructions of the node that the detour computes again, so that the first path does
     * not have to compute them. The first one's source is a register. */
    uint32_t again[2], again_count;
};

/* The detour of an instruction of the current node: a new one, whose `call` is NULL, or the one
 * that is being emitted. NULL: there can be none. */
struct jit_detour *jit_detour_get(struct jit_body *body, const struct ptx_instruction *instruction);
/* The detour of instruction `at` of the current node, or NULL. */
struct jit_detour *jit_detour_find(struct jit_body *body, uint32_t at);
void jit_detour_compute_again(struct jit_body *body, const struct jit_detour *detour);
/* The value, through an empty asm statement: the optimiser does not move what is computed from it
 * out of the rarely executed path. */
LLVMValueRef jit_detour_hide(struct jit_body *body, LLVMValueRef value);

#endif
