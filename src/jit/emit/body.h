/* SPDX-License-Identifier: MIT */
/* A body is one PTX function of a unit while it is emitted into an LLVM function.
 *
 * A body is emitted in up to two variants. The uniform variant runs while all lanes of the vector
 * are active: its control flow is scalar and it has no masks, but for short sides of branches
 * (predication.h). Where the lanes diverge otherwise, it bails out to the divergent variant
 * (bailout.h), which runs any set of lanes and never returns to the uniform one, but for warps of
 * looped kernels (barrier_regions.h). */
#ifndef CUP_JIT_EMIT_BODY_H
#define CUP_JIT_EMIT_BODY_H

#include "abi/texture.h"
#include "jit/emit/alignment.h"
#include "jit/analysis/cfg.h"
#include "jit/instrument/runs.h"
#include "jit/analysis/uniformity.h"
#include "jit/emit/cold_paths.h"
#include "jit/variants/bailout.h"
#include "jit/lower/lower.h"
#include "jit/transform/load_store_forwarding.h"
#include "jit/emit/matrix_tiles.h"
#include "jit/transform/predication.h"
#include "jit/transform/load_coalescing.h"
#include "jit/variants/barrier_regions.h"
#include "jit/unit.h"
#include "jit/emit/value.h"

enum {
    JIT_SPIN_ROUNDS = 16,        /* iterations of a loop that waits, before it yields */
    JIT_OUTLINED_IMMEDIATES = 8, /* of an instruction */
};

struct jit_check_loop;

/* The state of a vector in memory: nodes of large functions reload it, and outlined operations get
 * it as their first parameter. */
struct jit_vector_state {
    void *block;
    uint32_t first;
    uint32_t active; /* the mask of active lanes */
};

/* Values that are loaded from the structures of src/abi; they hold in the whole LLVM function. */
struct jit_body_abi {
    LLVMValueRef block, launch, services, params, shared, local, ntid[3], nctaid[3], threads;
    LLVMValueRef
        own_shared; /* i64: offset of the block's memory in the shared space; NULL: it is 0 */
    LLVMValueRef inverse[2]; /* of the block's x and y size: special_registers.c */
    /* Of large functions: an alloca of struct jit_vector_state, and its fields. */
    LLVMValueRef state, state_block, state_first;
};

/* The position of the current vector in the grid; all are scalars. */
struct jit_body_vector {
    LLVMValueRef first; /* its first thread's number in the block */
    LLVMValueRef tid[3], ctaid[3], warp;
    LLVMValueRef full; /* i32 with a bit for each lane */
};

/* PTX registers; arrays of two are for the uniform and the divergent variant. */
struct jit_body_registers {
    struct jit_uniformity *uniformity[2];
    LLVMValueRef *allocas[2];
    bool *raw;       /* may hold NaNs with the CPU's bits: lower.h */
    bool ignore_nan; /* the reader of operands does not see the bits of NaNs */
    uint64_t *set;   /* a set of registers for temporary use */
};

/* The function's local and parameter variables. */
struct jit_body_variables {
    LLVMValueRef *arrays; /* over the lanes; NULL for the kernel's own parameters and locals */
    uint64_t *offsets;    /* of those: in the parameters, in a lane's local memory */
};

/* The divergent variant of 32 lanes keeps varying registers in memory and computes them a chunk of
 * lanes at a time: chunks.h. */
struct jit_body_chunks {
    bool enabled;
    LLVMValueRef first;  /* lane of the chunk that is being emitted; NULL: all lanes at once */
    LLVMValueRef *cache; /* per register: its value in the chunk, if it was read or written */
    bool *dirty;
    LLVMBasicBlockRef head;
};

/* The divergent variant: masks are allocas of i32; those with a * exist per node. */
struct jit_body_masks {
    LLVMValueRef active, live, returned;
    LLVMValueRef *pending;         /* lanes that are to run the node */
    LLVMValueRef *parked;          /* lanes that wait at the node's end */
    LLVMValueRef *spinning;        /* lanes that wait in the loop whose head the node is */
    LLVMValueRef rounds;           /* iterations of such loops */
    LLVMValueRef *tickets;         /* of parking nodes: struct cup_abi_barrier_call, struct
                                      cup_abi_sync_call, or the handles of calls */
    LLVMValueRef **areas;          /* of calls in which lanes may be parked: their arguments */
    LLVMValueRef expanded;         /* `active` as <W x i1>, */
    LLVMBasicBlockRef expanded_in; /* known in this block */
};

/* Basic blocks, per node. */
struct jit_body_blocks {
    /* divergent variant: tests whether the node has pending lanes */
    LLVMBasicBlockRef *checks, *runs;
    LLVMBasicBlockRef *uniforms; /* of the uniform variant */
    LLVMBasicBlockRef done;      /* the vector is finished */
};

/* The frame in which a warp of a looped kernel keeps its registers; 0 is no place. */
struct jit_body_frame {
    LLVMValueRef base;
    uint32_t bytes;
    uint32_t *uniform_offsets, *divergent_offsets; /* per register: its offset */
    uint32_t tiles; /* where the uniform variant has its tiles: matrix_tiles.h */
};

/* A round runs each warp once. */
struct jit_body_rounds {
    LLVMValueRef waiting;     /* warps that are at the barrier */
    LLVMValueRef interleaved; /* warps that stopped in interleaved loops in this round */
    LLVMValueRef held;        /* some did in the last round: the barrier is closed */
    LLVMValueRef reducing[3], reduced[3]; /* count, and, or; of this round and of the last */
    LLVMBasicBlockRef step;               /* to the next warp */
};

/* The interleaved loop that is being emitted. */
struct jit_body_interleaving {
    bool any;                     /* the body has interleaved loops */
    LLVMValueRef iterations_left; /* until the warp stops */
    unsigned iterations;          /* of one round */
    LLVMValueRef address_step;    /* how far the loads' addresses moved since the last iteration */
    LLVMValueRef distance;        /* i64: how far the loop is from its end; NULL: unknown */
    LLVMValueRef distance_before; /* in the last iteration */
    LLVMValueRef level;           /* 1: warps are interleaved; 2: loads are prefetched, too */
};

/* Allocas that are made when they are first needed. */
struct jit_body_scratch {
    LLVMValueRef lanes[8]; /* arrays of the width, 16 bytes an element: lanes.h */
    LLVMValueRef warp_words, warp_call;
    LLVMValueRef matrix_rows, matrix_call, matrix_run;
    LLVMValueRef check_words, check_values, check_rows, bounds;
    LLVMValueRef stack_before; /* of functions with alloca: the stack at their beginning */
    LLVMValueRef texture_arrays[CUP_ABI_TEXTURE_ARRAYS];
};

/* The outlined operation that is being emitted, if `line` is not NULL: immediates that are its
 * parameters. */
struct jit_body_outlined {
    LLVMValueRef line;
    const struct ptx_operand *operands[JIT_OUTLINED_IMMEDIATES];
    LLVMValueRef immediates[JIT_OUTLINED_IMMEDIATES]; /* i64 */
    unsigned count;
};

struct jit_body {
    struct jit_unit *unit;
    struct jit_cfg cfg;
    const struct ptx_function *function;
    uint32_t index;
    uint32_t first_site; /* of its instructions: abi/check.h */
    bool is_kernel;
    bool has_uniform;        /* it is emitted in both variants */
    uint32_t *pointer_bases; /* of registers: pointer_base.h; made when needed */
    uint32_t *check_first;   /* of instructions: grouped_reads.c; made when needed */
    unsigned width;          /* lanes of a vector; in a chunk: of the chunk */

    LLVMValueRef llvm;
    LLVMBuilderRef builder;
    LLVMBasicBlockRef entry;
    LLVMValueRef entry_end; /* an instruction: allocas go before it */
    struct jit_lower lower;

    bool divergent;         /* the variant that is being emitted */
    uint32_t node;          /* that is being emitted */
    struct jit_value guard; /* predicate of the instruction being emitted; value NULL: none */

    struct jit_body_abi abi;
    struct jit_body_vector vector;
    struct jit_body_registers registers;
    struct jit_body_variables variables;
    struct jit_body_chunks chunks;
    struct jit_body_masks masks;
    struct jit_body_blocks blocks;
    struct jit_body_frame frame;
    struct jit_body_rounds rounds;
    struct jit_body_interleaving interleaving;
    struct jit_body_scratch scratch;
    struct jit_body_outlined outlined;
    struct jit_predicated predicated;
    uint32_t *predecessors; /* of nodes, how many; made when needed */

    struct jit_check_runs check_runs;
    struct jit_check_loop *check_loops; /* per component: loops.h; NULL: none */

    struct {
        struct jit_bailout *items;
        uint32_t count, capacity;
    } bailouts;
    struct {
        struct jit_cold_path items[JIT_COLD_PATHS];
        uint32_t count;
    } cold_paths; /* of the node */
    struct {
        struct jit_region *items; /* NULL: the kernel is not looped */
        uint32_t count;
    } regions;
    struct {
        struct jit_misaligned report; /* of the node */
        struct jit_aligned *known;    /* per register */
    } alignment;
    struct jit_forwarding forwarding;
    struct jit_matrix_tiles tiles;
    struct jit_coalescing *coalescing; /* per register; NULL: the function multiplies no matrices */
};

/* Whether lanes may be inactive: in the divergent variant, and in a side of a branch that the
 * uniform variant runs. */
static inline bool jit_body_is_masked(const struct jit_body *body)
{
    return body->divergent || body->predicated.lanes;
}

struct jit_body *jit_body_make(struct jit_unit *unit, uint32_t index);
/* Begins the LLVM function: the entry block, and what holds for the whole call. */
void jit_body_begin(struct jit_body *body, LLVMValueRef llvm);
/* The same for an outlined operation, whose first parameter is a struct jit_vector_state. */
void jit_body_begin_outlined(struct jit_body *body, LLVMValueRef llvm);
/* The immediate of an operand, or the offset of an address; the line of an instruction (i32). */
LLVMValueRef jit_body_number(struct jit_body *body, const struct ptx_operand *operand,
                             LLVMTypeRef type);
LLVMValueRef jit_body_line(struct jit_body *body, uint32_t line);
/* Allocates the variables of the function. */
void jit_body_make_variables(struct jit_body *body);
/* Computes where the vector is in the block, from body->vector.first. */
void jit_body_set_position(struct jit_body *body);
/* Large functions: allocates and stores the vector's state; reloads it where the builder is. */
void jit_body_make_state(struct jit_body *body);
void jit_body_spill_state(struct jit_body *body);
void jit_body_reload_state(struct jit_body *body);

/* The number of elements of an operand, and one of them; an operand that is no vector has one. */
static inline unsigned jit_operand_part_count(const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_VECTOR ? operand->count : 1;
}

static inline const struct ptx_operand *
jit_operand_part(const struct jit_body *body, const struct ptx_operand *operand, unsigned part)
{
    return operand->kind == PTX_OPERAND_VECTOR ? &body->function->elements[operand->index + part]
                                               : operand;
}

#endif
