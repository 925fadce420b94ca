/* SPDX-License-Identifier: MIT */
/* Gathers of fragments and scatters of rows. Four neighbouring lanes hold a row of a matrix, so
 * programs that multiply matrices load from eight places: each four lanes consecutively. They store
 * rows to swizzled shared memory: four lanes with the bits of their number inverted. */
#ifndef CUP_JIT_TRANSFORM_LOAD_COALESCING_H
#define CUP_JIT_TRANSFORM_LOAD_COALESCING_H

#include "ptx/program.h"

#include <llvm-c/Core.h>

struct jit_body;
struct jit_access;

enum { JIT_QUADS = 8 };

/* What a node has computed of a register that holds addresses. */
struct jit_quads {
    uint32_t node;                  /* its number: alignment.h */
    unsigned bytes;                 /* of a lane */
    LLVMValueRef consecutive;       /* i1: each four lanes are so far apart */
    LLVMValueRef starts[JIT_QUADS]; /* i64: the first lanes of the fours */
};

/* A gather, by eight loads if each four lanes turn out to be consecutive. Sets access->all where
 * that is known. */
void jit_quads_gather(struct jit_body *body, const struct ptx_instruction *instruction,
                      struct jit_access *access, LLVMValueRef *values);

/* A scatter of what was loaded as it is (access->all), without a loop if each four lanes turn out
 * to write 64 bytes in an order that a swizzle makes. */
void jit_quads_scatter(struct jit_body *body, const struct jit_access *access,
                       const LLVMValueRef *values);

#endif
