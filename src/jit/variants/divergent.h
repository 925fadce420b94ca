/* SPDX-License-Identifier: MIT */
/* The divergent variant of a body, which runs any set of lanes: divergent.c emits the
 * nodes, divergent_ends.c their ends, divergent_parked.c what happens when no lane can continue,
 * and divergent_masks.c keeps the masks. */
#ifndef CUP_JIT_VARIANTS_DIVERGENT_H
#define CUP_JIT_VARIANTS_DIVERGENT_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

struct jit_body;
struct jit_cfg;
struct jit_node;

/* Allocates the masks and blocks. */
void jit_divergent_prepare(struct jit_body *body);
/* Emits the code that starts the divergent variant with these lanes. */
void jit_divergent_start(struct jit_body *body, LLVMValueRef lanes);
void jit_divergent_emit(struct jit_body *body);
/* Emits the end of the current node; lanes then continue at `next`. */
void jit_divergent_end_node(struct jit_body *body, const struct jit_node *node,
                            LLVMBasicBlockRef next);
/* Emits what follows the last node: parked lanes are asked for, and all nodes are run again. */
void jit_divergent_emit_parked(struct jit_body *body);

/* Clears the masks of all nodes and sets the active lanes. */
void jit_divergent_reset(struct jit_body *body, LLVMValueRef lanes);
/* Loads and stores a mask; whether it is empty. */
LLVMValueRef jit_mask_load(struct jit_body *body, LLVMValueRef mask);
void jit_mask_store(struct jit_body *body, LLVMValueRef mask, LLVMValueRef lanes);
LLVMValueRef jit_mask_is_empty(struct jit_body *body, LLVMValueRef lanes);
/* Lanes continue at a node. Lanes that would only exit there exit at once. */
void jit_lanes_continue(struct jit_body *body, uint32_t node, LLVMValueRef lanes);
/* Lanes wait at the current node. */
void jit_lanes_park(struct jit_body *body, LLVMValueRef lanes);
/* Lanes exit the kernel; lanes have exited it in a call. */
void jit_lanes_exit(struct jit_body *body, LLVMValueRef lanes);
void jit_lanes_exited(struct jit_body *body, LLVMValueRef lanes);
/* Whether the node ends with a call in which lanes may be parked. */
bool jit_node_is_parking_call(const struct jit_cfg *cfg, uint32_t node);

#endif
