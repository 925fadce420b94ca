/* SPDX-License-Identifier: MIT */
/* Work that is done lane by lane: loops over the active lanes, arrays of lanes in memory, gathers
 * and scatters. */
#ifndef CUP_JIT_EMIT_LANES_H
#define CUP_JIT_EMIT_LANES_H

#include "jit/emit/value.h"

/* A load or store of `count` consecutive elements per lane. */
struct jit_access {
    struct jit_value address; /* generic */
    LLVMTypeRef element;
    unsigned bytes, count;
    bool strong;    /* volatile: happens once, as written */
    bool invariant; /* nothing writes the memory while the kernel runs */
    bool own;       /* memory of the lanes' own: inactive lanes may access theirs */
    bool shared;    /* lanes' addresses wrap */
    bool demanded;  /* a load that happens even if its value is unused */
    bool each;      /* active lanes may be aligned while others are not: each lane is checked when
                       it accesses */
    bool checked;   /* may be another device's memory: peer_access.h */
    uint32_t line;
    /* What lane 0, lane 1 and so on load or store, one behind the other; NULL: the elements are
     * known as vectors only. */
    LLVMValueRef all;
};

void jit_emit_gather(struct jit_emitter *e, const struct jit_access *access, LLVMValueRef *values);
/* Whether each lane's elements can be accessed at once, and the elements that a gather of such
 * lanes loads, one lane behind the other. */
bool jit_lanes_are_whole(const struct jit_emitter *e, const struct jit_access *access);
LLVMValueRef jit_emit_whole_gather(struct jit_emitter *e, const struct jit_access *access);
/* The builder is behind a quicker load of `values`; in the other block they are gathered. Continues
 * behind both, where `values` are those of the block that ran. */
void jit_emit_gather_otherwise(struct jit_emitter *e, const struct jit_access *access,
                               LLVMBasicBlockRef other, LLVMValueRef *values);
void jit_emit_scatter(struct jit_emitter *e, const struct jit_access *access,
                      const LLVMValueRef *values);

/* Arrays of lanes in memory, eight of them: stores a vector to array `which`, loads it, and the
 * address of one element. */
void jit_scratch_fill(struct jit_emitter *e, unsigned which, LLVMValueRef vector);
LLVMValueRef jit_scratch_read(struct jit_emitter *e, unsigned which, LLVMTypeRef element);
LLVMValueRef jit_scratch_lane(struct jit_emitter *e, unsigned which, LLVMTypeRef element,
                              LLVMValueRef lane);
/* One lane of a value; a vector is in array `which`. */
struct jit_value jit_value_of_lane(struct jit_emitter *e, struct jit_value value, unsigned which,
                                   LLVMValueRef lane);

/* Emits a loop over the lanes of a mask: `emit` gets the lane's number (i32). */
typedef void jit_lane_function(struct jit_emitter *e, LLVMValueRef lane, void *context);
void jit_emit_lane_loop(struct jit_emitter *e, LLVMValueRef bits, jit_lane_function *emit,
                        void *context);

#endif
