/* SPDX-License-Identifier: MIT */
/* The emitter of one function: it emits the IR of a PTX function into an LLVM function. It holds
 * where code is emitted and for which lanes; each pass keeps its own state in a structure that only
 * its files use.
 *
 * A function is emitted in up to two variants. The uniform variant runs while all lanes of the
 * vector are active: its control flow is scalar and it has no masks, but for short sides of
 * branches (predication.h). Where the lanes diverge otherwise, it bails out to the divergent
 * variant (bailout.h), which runs any set of lanes and never returns to the uniform one, but for
 * warps of looped kernels (barrier_regions.h). */
#ifndef CUP_JIT_EMIT_EMITTER_H
#define CUP_JIT_EMIT_EMITTER_H

#include "jit/analysis/function.h"
#include "jit/emit/value.h"
#include "jit/lower/lower.h"
#include "jit/unit.h"

enum { JIT_SPIN_ROUNDS = 16 }; /* iterations of a loop that waits, before it yields */

/* The state of a vector in memory: nodes of large functions reload it, and outlined operations get
 * it as their first parameter. */
struct jit_vector_state {
    void *block;
    uint32_t first;
    uint32_t active; /* the mask of active lanes */
};

/* Values that are loaded from the structures of src/abi; they hold in the whole LLVM function. */
struct jit_abi_values {
    LLVMValueRef block, launch, services, params, shared, local, ntid[3], nctaid[3], threads;
    LLVMValueRef
        own_shared; /* i64: offset of the block's memory in the shared space; NULL: it is 0 */
    LLVMValueRef inverse[2]; /* of the block's x and y size: special_registers.c */
    /* Of large functions: an alloca of struct jit_vector_state, and its fields. */
    LLVMValueRef state, state_block, state_first;
};

/* The position of the current vector in the grid; all are scalars. */
struct jit_vector_position {
    LLVMValueRef first; /* its first thread's number in the block */
    LLVMValueRef tid[3], ctaid[3], warp;
    LLVMValueRef full; /* i32 with a bit for each lane */
};

/* The active lanes of the divergent variant. */
struct jit_active_mask {
    LLVMValueRef active;           /* an alloca of i32 */
    LLVMValueRef expanded;         /* `active` as <W x i1>, */
    LLVMBasicBlockRef expanded_in; /* known in this block */
};

/* The side of a branch that the uniform variant emits under a mask (predication.h); lanes NULL:
 * none. */
struct jit_predicated {
    LLVMValueRef lanes; /* i32: its lanes */
    uint32_t others;    /* the node at which all other lanes wait for it */
};

/* Allocas that are made when they are first needed; each belongs to one file. */
enum jit_scratch {
    JIT_SCRATCH_LANES, /* lanes.c: eight arrays of the width, 16 bytes an element */
    JIT_SCRATCH_WARP_WORDS = JIT_SCRATCH_LANES + 8,
    JIT_SCRATCH_WARP_CALL,
    JIT_SCRATCH_STACK_BEFORE, /* of functions with alloca: the stack at their beginning */
    JIT_SCRATCH_MATRIX_ROWS,
    JIT_SCRATCH_MATRIX_CALL,
    JIT_SCRATCH_MATRIX_RUN,
    JIT_SCRATCH_CHECK_WORDS,
    JIT_SCRATCH_CHECK_VALUES,
    JIT_SCRATCH_CHECK_ROWS,
    JIT_SCRATCH_CHECK_BOUNDS,
    JIT_SCRATCH_TEXTURES, /* image_op.c: CUP_ABI_TEXTURE_ARRAYS */
    JIT_SCRATCH_COUNT = JIT_SCRATCH_TEXTURES + 21
};

struct jit_emitter {
    struct jit_unit *unit;
    struct jit_function *function;

    LLVMValueRef llvm;
    LLVMBuilderRef builder;
    LLVMBasicBlockRef entry;
    LLVMValueRef entry_end; /* an instruction: allocas go before it */
    struct jit_lower lower;

    unsigned width;         /* lanes of a vector; in a chunk: of the chunk */
    bool divergent;         /* the variant that is being emitted */
    uint32_t node;          /* that is being emitted */
    uint32_t serial;        /* of the node's emission: no other has it, and it is never 0 */
    struct jit_value guard; /* predicate of the instruction being emitted; value NULL: none */
    bool ignore_nan;        /* the reader of operands does not see the bits of NaNs */
    struct jit_active_mask mask;
    struct jit_predicated predicated;

    struct jit_abi_values abi;
    struct jit_vector_position vector;
    LLVMValueRef *variable_arrays; /* per variable of the function: an array over the lanes, or NULL
                                      for the kernel's own parameters and local variables */
    LLVMValueRef scratch[JIT_SCRATCH_COUNT];

    /* The state of passes, each defined in the header of its pass. */
    struct jit_registers *registers;
    struct jit_chunks *chunks;
    struct jit_masks *masks;
    struct jit_blocks *blocks;
    struct jit_regions *regions;
    struct jit_bailouts *bailouts;
    struct jit_cold_paths *cold_paths;
    struct jit_alignment *alignment;
    struct jit_forwarding *forwarding;
    struct jit_coalescing *coalescing;
    struct jit_matrix_tiles *tiles;
    struct jit_instrument *instrument;
    const struct jit_outlined *outlined; /* the outlined operation that is being emitted, or NULL */
};

/* Whether lanes may be inactive: in the divergent variant, and in a side of a branch that the
 * uniform variant runs. */
static inline bool jit_emitter_is_masked(const struct jit_emitter *e)
{
    return e->divergent || e->predicated.lanes;
}

/* Memory of the compilation, zeroed. */
static inline void *jit_emitter_zeros(struct jit_emitter *e, size_t count, size_t size)
{
    return jit_workspace_zeros(&e->unit->workspace, count, size);
}

/* Begins the LLVM function: the entry block, and what holds for the whole call. */
void jit_emitter_begin(struct jit_emitter *e, LLVMValueRef llvm);
/* The same for an outlined operation, whose first parameter is a struct jit_vector_state. */
void jit_emitter_begin_outlined(struct jit_emitter *e, LLVMValueRef llvm);
/* Allocates the variables of the function. */
void jit_emitter_make_variables(struct jit_emitter *e);
/* Computes where the vector is in the block, from e->vector.first. */
void jit_emitter_set_position(struct jit_emitter *e);
/* Large functions: allocates and stores the vector's state; reloads it where the builder is. */
void jit_emitter_make_state(struct jit_emitter *e);
void jit_emitter_spill_state(struct jit_emitter *e);
void jit_emitter_reload_state(struct jit_emitter *e);
/* Other functions: stores the state for a call of an outlined operation. */
void jit_emitter_store_state(struct jit_emitter *e);

#endif
