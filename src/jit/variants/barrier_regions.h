/* SPDX-License-Identifier: MIT */
/* Looped kernels, whose warps wait only at barriers of their block, run without a stack per warp:
 * one function runs the block in rounds. A round runs each warp once, from where it stopped to the
 * next barrier: a region. In an interleaved loop a warp also stops every few iterations. */
#ifndef CUP_JIT_VARIANTS_BARRIER_REGIONS_H
#define CUP_JIT_VARIANTS_BARRIER_REGIONS_H

#include "ptx/program.h"

#include <llvm-c/Core.h>

struct jit_body;
struct jit_node;

/* The iterations of an interleaved loop that a warp executes in one round at most, and the bytes
 * that each of its loads may read in them, so that the data of all warps fits the first-level
 * cache. */
enum { JIT_INTERLEAVED_ITERATIONS = 8, JIT_INTERLEAVED_BYTES = 2048 };

struct jit_region {
    uint32_t node;    /* that ends with the barrier, or that is the interleaved loop */
    bool interleaved; /* an interleaved loop */
    uint64_t *live;   /* registers, before the barrier's result */
    uint32_t checks;  /* offset in the frame of what loops.h saves; 0: nothing */
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
/* The uniform variant begins another iteration of an interleaved loop; leaves the loop. */
void jit_region_repeat_loop(struct jit_body *body);
void jit_region_leave_loop(struct jit_body *body, LLVMBasicBlockRef to);
/* Whether the node is an interleaved loop. */
bool jit_region_is_interleaved(const struct jit_body *body, uint32_t node);
/* No lane of the divergent variant can continue: the warp stops, or is done. */
void jit_regions_stop(struct jit_body *body);
/* Resumes a warp that stopped; marks a warp as done. Both end the builder's block. */
void jit_regions_resume(struct jit_body *body);
void jit_regions_done(struct jit_body *body);

#endif
