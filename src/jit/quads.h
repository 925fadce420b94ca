/* SPDX-License-Identifier: MIT */
/* Gathers of fragments. Four neighbouring lanes hold a row of a matrix, so programs that multiply
 * matrices load from eight places: each four lanes consecutively. */
#ifndef CUP_JIT_QUADS_H
#define CUP_JIT_QUADS_H

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

#endif
