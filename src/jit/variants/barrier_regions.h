/* SPDX-License-Identifier: MIT */
/* Kernels whose warps wait only at barriers of their block run without a stack per warp: one
 * function runs the block and takes the warps in turn, each from where it stopped (a region) to the
 * next barrier. A turn loop is a loop in which warps also take turns every few iterations. */
#ifndef CUP_JIT_VARIANTS_BARRIER_REGIONS_H
#define CUP_JIT_VARIANTS_BARRIER_REGIONS_H

#include "ptx/program.h"

#include <llvm-c/Core.h>

struct jit_body;
struct jit_node;

/* The iterations of a turn loop that a warp executes in one turn at most, and the bytes that each
 * of its loads may read in them, so that the data of all warps fits the first-level cache. */
enum { JIT_TURN_ROUNDS = 8, JIT_TURN_BYTES = 2048 };

struct jit_region {
    uint32_t node;   /* that ends with the barrier, or the turn loop's */
    bool turn;       /* a turn loop */
    uint64_t *live;  /* registers, before the barrier's result */
    uint32_t checks; /* offset in the frame of what loops.h keeps; 0: nothing */
};

void jit_regions_prepare(struct jit_body *body);
/* A block begins. */
void jit_rounds_begin(struct jit_body *body);
/* A round ends: branches to `round` for another one, or to `end`. */
void jit_rounds_end(struct jit_body *body, LLVMBasicBlockRef round, LLVMBasicBlockRef end);
/* The end of a node at a barrier, in the uniform variant (the warp stops) and in the divergent one
 * (lanes are parked). */
void jit_region_end_uniform(struct jit_body *body, const struct jit_node *node);
void jit_region_end_divergent(struct jit_body *body, LLVMValueRef mask);
/* The uniform variant goes round a turn loop again, or leaves it. */
void jit_region_again(struct jit_body *body);
void jit_region_leave(struct jit_body *body, LLVMBasicBlockRef to);
/* Whether the node is a turn loop. */
bool jit_region_turns(const struct jit_body *body, uint32_t node);
/* No lane of the divergent variant can continue: the warp stops, or is done. */
void jit_regions_rest(struct jit_body *body);
/* Resumes a warp that stopped; marks a warp as done. Both end the builder's block. */
void jit_regions_resume(struct jit_body *body);
void jit_regions_done(struct jit_body *body);

#endif
