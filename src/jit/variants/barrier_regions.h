/* SPDX-License-Identifier: MIT */
/* Looped kernels, whose warps wait only at barriers of their block, run without a stack per warp:
 * one function runs the block in rounds. A round runs each warp once, from where it stopped to the
 * next barrier: a region. In an interleaved loop a warp also stops every few iterations. */
#ifndef CUP_JIT_VARIANTS_BARRIER_REGIONS_H
#define CUP_JIT_VARIANTS_BARRIER_REGIONS_H

#include "ptx/program.h"

#include <llvm-c/Core.h>

struct jit_emitter;
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

/* The frame in which a warp keeps its registers; 0 is no place. */
struct jit_region_frame {
    LLVMValueRef base;
    uint32_t bytes;
    uint32_t *uniform_offsets, *divergent_offsets; /* per register: its offset */
    uint32_t tiles; /* where the uniform variant has its tiles: matrix_tiles.h */
};

struct jit_rounds {
    LLVMValueRef waiting;     /* warps that are at the barrier */
    LLVMValueRef interleaved; /* warps that stopped in interleaved loops in this round */
    LLVMValueRef held;        /* some did in the last round: the barrier is closed */
    LLVMValueRef reducing[3], reduced[3]; /* count, and, or; of this round and of the last */
    LLVMBasicBlockRef step;               /* to the next warp */
};

/* The interleaved loop that is being emitted. */
struct jit_interleaving {
    bool any;                     /* the function has interleaved loops */
    LLVMValueRef iterations_left; /* until the warp stops */
    unsigned iterations;          /* of one round */
    LLVMValueRef address_step;    /* how far the loads' addresses moved since the last iteration */
    LLVMValueRef distance;        /* i64: how far the loop is from its end; NULL: unknown */
    LLVMValueRef distance_before; /* in the last iteration */
    LLVMValueRef level;           /* 1: warps are interleaved; 2: loads are prefetched, too */
};

struct jit_regions {
    struct jit_region *items; /* NULL: the kernel is not looped */
    uint32_t count;
    struct jit_region_frame frame;
    struct jit_rounds rounds;
    struct jit_interleaving interleaving;
};

/* Called before the function is emitted. */
void jit_regions_init(struct jit_emitter *e);
void jit_regions_prepare(struct jit_emitter *e);
/* A block begins. */
void jit_rounds_begin(struct jit_emitter *e);
/* A round ends: branches to `round` for another one, or to `end`. */
void jit_rounds_end(struct jit_emitter *e, LLVMBasicBlockRef round, LLVMBasicBlockRef end);
/* The end of a node at a barrier, in the uniform variant (the warp stops) and in the divergent one
 * (lanes are parked). */
void jit_region_end_uniform(struct jit_emitter *e, const struct jit_node *node);
void jit_region_end_divergent(struct jit_emitter *e, LLVMValueRef mask);
/* The uniform variant begins another iteration of an interleaved loop; leaves the loop. */
void jit_region_repeat_loop(struct jit_emitter *e);
void jit_region_leave_loop(struct jit_emitter *e, LLVMBasicBlockRef to);
/* Whether the node is an interleaved loop. */
bool jit_region_is_interleaved(const struct jit_emitter *e, uint32_t node);
/* No lane of the divergent variant can continue: the warp stops, or is done. */
void jit_regions_stop(struct jit_emitter *e);
/* Resumes a warp that stopped; marks a warp as done. Both end the builder's block. */
void jit_regions_resume(struct jit_emitter *e);
void jit_regions_done(struct jit_emitter *e);

#endif
