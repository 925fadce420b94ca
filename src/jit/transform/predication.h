/* SPDX-License-Identifier: MIT */
/* Predication: where lanes disagree at a branch whose sides are short, the uniform variant runs the
 * sides itself, each under a mask, and does not bail out to the divergent variant. A guarded load
 * or store is such a branch, too. */
#ifndef CUP_JIT_TRANSFORM_PREDICATION_H
#define CUP_JIT_TRANSFORM_PREDICATION_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

struct jit_body;

/* The sides of a branch: nodes that only the branch leads to and that end at the join. */
struct jit_sides {
    uint32_t
        nodes[2]; /* in the order of the branch's edges; JIT_NO_BLOCK: the edge is to the join */
    uint32_t join;
};

/* The side that is being emitted; lanes NULL: none is. */
struct jit_predicated {
    LLVMValueRef lanes; /* i32: its lanes */
    uint32_t others;    /* the node at which all other lanes wait for it */
};

/* Whether the branch at the end of the node has sides that can be predicated. */
bool jit_predication_find(struct jit_body *body, uint32_t node, struct jit_sides *sides);
/* Emits the sides where the builder is; `lanes` (i32) take the branch's first edge. The builder is
 * then where the sides join. */
void jit_predication_emit(struct jit_body *body, const struct jit_sides *sides, LLVMValueRef lanes);

#endif
