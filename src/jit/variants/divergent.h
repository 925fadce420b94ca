/* SPDX-License-Identifier: MIT */
/* The divergent variant of a function, which runs any set of lanes: divergent.c emits the nodes,
 * divergent_ends.c their ends, divergent_parked.c what happens when no lane can continue,
 * and divergent_masks.c keeps the masks. */
#ifndef CUP_JIT_VARIANTS_DIVERGENT_H
#define CUP_JIT_VARIANTS_DIVERGENT_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

struct jit_emitter;
struct jit_cfg;
struct jit_node;

/* Basic blocks, per node. */
struct jit_blocks {
    /* divergent variant: tests whether the node has pending lanes */
    LLVMBasicBlockRef *checks, *runs;
    LLVMBasicBlockRef *uniforms; /* of the uniform variant */
    LLVMBasicBlockRef done;      /* the vector is finished */
};

/* Called before the function is emitted: makes e->masks and e->blocks. */
void jit_divergent_init(struct jit_emitter *e);
/* Allocates the masks and blocks. */
void jit_divergent_prepare(struct jit_emitter *e);
/* Emits the code that starts the divergent variant with these lanes. */
void jit_divergent_start(struct jit_emitter *e, LLVMValueRef lanes);
void jit_divergent_emit(struct jit_emitter *e);
/* Emits the end of the current node; lanes then continue at `next`. */
void jit_divergent_end_node(struct jit_emitter *e, const struct jit_node *node,
                            LLVMBasicBlockRef next);
/* Emits what follows the last node: parked lanes are asked for, and all nodes are run again. */
void jit_divergent_emit_parked(struct jit_emitter *e);

/* Clears the masks of all nodes and sets the active lanes. */
void jit_divergent_reset(struct jit_emitter *e, LLVMValueRef lanes);
/* Loads and stores a mask; whether it is empty. */
LLVMValueRef jit_mask_load(struct jit_emitter *e, LLVMValueRef mask);
void jit_mask_store(struct jit_emitter *e, LLVMValueRef mask, LLVMValueRef lanes);
LLVMValueRef jit_mask_is_empty(struct jit_emitter *e, LLVMValueRef lanes);
/* Lanes continue at a node. Lanes that would only exit there exit at once. */
void jit_lanes_continue(struct jit_emitter *e, uint32_t node, LLVMValueRef lanes);
/* Lanes wait at the current node. */
void jit_lanes_park(struct jit_emitter *e, LLVMValueRef lanes);
/* Lanes exit the kernel; lanes have exited it in a call. */
void jit_lanes_exit(struct jit_emitter *e, LLVMValueRef lanes);
void jit_lanes_exited(struct jit_emitter *e, LLVMValueRef lanes);
/* Whether the node ends with a call in which lanes may be parked. */
bool jit_node_is_parking_call(const struct jit_cfg *cfg, uint32_t node);

#endif
