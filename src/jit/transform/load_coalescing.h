/* SPDX-License-Identifier: MIT */
/* Coalescing the loads and stores of a quad, which is four neighbouring lanes. In programs that
 * multiply matrices a quad holds a row: a warp loads from eight places, the lanes of each quad
 * consecutively, and stores rows to swizzled shared memory, where the lanes of a quad have the bits
 * of their number inverted. */
#ifndef CUP_JIT_TRANSFORM_LOAD_COALESCING_H
#define CUP_JIT_TRANSFORM_LOAD_COALESCING_H

#include "ptx/program.h"

#include <llvm-c/Core.h>

struct jit_emitter;
struct jit_access;

enum { JIT_QUADS = 8 }; /* of a warp */

/* What a node has computed from a register that holds addresses. */
struct jit_coalescing {
    uint32_t serial;                /* of the node */
    unsigned bytes;                 /* of a lane */
    LLVMValueRef consecutive;       /* i1: the lanes of each quad are so far apart */
    LLVMValueRef starts[JIT_QUADS]; /* i64: the first lanes of the quads */
};

/* Called before the function is emitted. */
void jit_coalescing_init(struct jit_emitter *e);
/* Emits a gather, by one load per quad if its lanes are consecutive at run time. Sets access->all
 * where that is known. */
void jit_coalesced_gather(struct jit_emitter *e, const struct ptx_instruction *instruction,
                          struct jit_access *access, LLVMValueRef *values);

/* Emits a scatter of what was loaded as it is (access->all), without a loop if each quad writes 64
 * bytes at run time, in an order that a swizzle makes. */
void jit_coalesced_scatter(struct jit_emitter *e, const struct jit_access *access,
                           const LLVMValueRef *values);

#endif
