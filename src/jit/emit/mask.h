/* SPDX-License-Identifier: MIT */
/* Masks: the active lanes, and the lanes in which a predicate holds. */
#ifndef CUP_JIT_EMIT_MASK_H
#define CUP_JIT_EMIT_MASK_H

#include "jit/emit/value.h"

/* Masks of the divergent variant, as places of an i32; those with a * exist per node. */
struct jit_masks {
    LLVMValueRef live, returned;
    LLVMValueRef memory;    /* of those per node, in a function of many nodes; NULL: allocas */
    uint32_t memory_count;  /* masks in it */
    LLVMValueRef *pending;  /* lanes that are to run the node */
    LLVMValueRef *parked;   /* lanes that wait at the node's end */
    LLVMValueRef *spinning; /* lanes that wait in the loop whose head the node is */
    LLVMValueRef rounds;    /* iterations of such loops */
    LLVMValueRef *tickets;  /* of parking nodes: struct cup_abi_barrier_call, struct
                               cup_abi_sync_call, or the handles of calls */
    LLVMValueRef **areas;   /* of calls in which lanes may be parked: their arguments */
};

/* The active lanes, as i32. */
LLVMValueRef jit_mask_bits(struct jit_emitter *e);
/* The active lanes, as <W x i1>; NULL: all. */
LLVMValueRef jit_mask_lanes(struct jit_emitter *e);
/* The lanes in which a predicate holds, as i32, whatever its uniformity is. */
LLVMValueRef jit_predicate_bits(struct jit_emitter *e, struct jit_value predicate, bool negated);

#endif
