/* SPDX-License-Identifier: MIT */
/* Predication: where lanes disagree at a branch whose sides are short, the uniform variant runs the
 * sides itself, each under a mask, and does not bail out to the divergent variant. A guarded load
 * or store is such a branch, too. */
#ifndef CUP_JIT_TRANSFORM_PREDICATION_H
#define CUP_JIT_TRANSFORM_PREDICATION_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

struct jit_emitter;

/* The sides of a branch: nodes that only the branch leads to and that end at the join. */
struct jit_sides {
    uint32_t
        nodes[2]; /* in the order of the branch's edges; JIT_NO_BLOCK: the edge is to the join */
    uint32_t join;
};

/* Whether the branch at the end of the node has sides that can be predicated. */
bool jit_predication_find(struct jit_emitter *e, uint32_t node, struct jit_sides *sides);
/* Emits the sides where the builder is; `lanes` (i32) take the branch's first edge. The builder is
 * then where the sides join. */
void jit_predication_emit(struct jit_emitter *e, const struct jit_sides *sides, LLVMValueRef lanes);

#endif
