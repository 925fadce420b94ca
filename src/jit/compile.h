/* SPDX-License-Identifier: MIT */
/* What the parts of the compiler share: a unit is one LLVM module (one kernel and the functions it
 * reaches), a body is one PTX function in it.
 *
 * A body is emitted up to twice into one LLVM function. The uniform clone runs while all lanes of
 * the vector are on: its control flow is scalar and it knows no masks. Where the lanes part, it
 * hands its registers over to the divergent clone, which runs any set of lanes, and never gets them
 * back.
 *
 * A register's class says how its lanes are kept: uniform is one scalar, affine is the scalar of
 * lane 0 and a constant step from lane to lane, varying is a vector. */
#ifndef CUP_JIT_COMPILE_H
#define CUP_JIT_COMPILE_H

#include "jit/jit.h"
#include "jit/lower.h"
#include "jit/lower_build.h"
#include "jit/workspace.h"

#include <llvm-c/TargetMachine.h>

enum { JIT_NO_BLOCK = 0xffffffff, JIT_SPIN_ROUNDS = 16, JIT_KEEPERS = 64 };
/* How many rounds of a loop a warp does in its turn at most, and how much each of its loads may
 * bring in them, so that all warps' fits the first cache: regions.c. */
enum { JIT_TURN_ROUNDS = 8, JIT_TURN_BYTES = 2048 };

/* ---- The control-flow graph: cfg.c, flow.c, order.c ---- */

enum jit_end {
    JIT_END_JUMP,    /* to next[0] */
    JIT_END_BRANCH,  /* to next[0] where the predicate holds, else next[1] */
    JIT_END_TABLE,   /* brx.idx: table, table_count */
    JIT_END_RETURN,  /* ret; of a kernel: exit */
    JIT_END_EXIT,    /* exit */
    JIT_END_BARRIER, /* a barrier that waits, then next[0] */
    JIT_END_CALL,    /* a call, then next[0] */
    JIT_END_SYNC, /* a .sync instruction whose members may come one after the other, then next[0] */
    JIT_END_TRAP,
};

struct jit_node {
    uint32_t first, end; /* plain instructions */
    enum jit_end kind;
    uint32_t last; /* the instruction that ends it, or JIT_NO_BLOCK */
    uint32_t predicate;
    bool negated;
    uint32_t next[2];
    uint32_t *table;
    uint32_t table_count;
    uint32_t component; /* innermost, or JIT_NO_BLOCK */
    uint32_t position;  /* in the order */
    uint64_t *live_in;
};

/* A set of blocks that lanes may go round in, entered at its head; as a range of the order. */
struct jit_component {
    uint32_t head;
    uint32_t parent; /* or JIT_NO_BLOCK */
    uint32_t first, end;
    bool spins; /* lanes may wait in it for what other threads do */
};

struct jit_cfg {
    struct jit_workspace *workspace;
    const struct ptx_program *program;
    const struct ptx_function *function;
    uint32_t register_count; /* with the carry as the last */
    uint32_t carry;
    uint32_t words; /* of a set of registers */
    struct jit_node *nodes;
    uint32_t node_count;
    uint32_t *order; /* nodes, in a weak topological order */
    uint32_t order_count;
    struct jit_component *components;
    uint32_t component_count;
    uint32_t *definitions; /* how many there are of each register */
    uint32_t *uses;
    bool *unneeded;      /* of instructions: loads that nothing hangs on */
    uint32_t *dominator; /* of each node, the nearest */
    uint64_t *kept;      /* registers live where lanes may be parked */
    const bool *parking; /* as given to jit_cfg_make, or NULL */
    uint64_t *anywhere;  /* registers live where a node begins */
    uint64_t **outside;  /* per component: registers live at nodes outside of it */
    bool parks;          /* lanes may be parked */
    bool waits; /* … until other warps have done something, or lanes in other functions */
};

/* parking: of each instruction, whether lanes may have to wait there for others of their warp that
 * are elsewhere, as far as .sync instructions and calls go; NULL: nowhere. Kept by the graph.
 * False: there are too many instructions. */
bool jit_cfg_make(struct jit_cfg *cfg, struct jit_workspace *workspace,
                  const struct ptx_program *program, const struct ptx_function *function,
                  const bool *parking);
void jit_order_make(struct jit_cfg *cfg);
void jit_flow_make(struct jit_cfg *cfg);
/* After it: which loads are not needed (needed.c). */
void jit_needed_make(struct jit_cfg *cfg);

typedef void jit_register_visit(void *context, uint32_t reg);
void jit_instruction_uses(const struct jit_cfg *cfg, const struct ptx_instruction *instruction,
                          jit_register_visit *visit, void *context);
void jit_instruction_defines(const struct jit_cfg *cfg, const struct ptx_instruction *instruction,
                             jit_register_visit *visit, void *context);
/* What is live before instruction `at` of a node (its end: before what ends it). */
void jit_flow_live_at(const struct jit_cfg *cfg, uint32_t node, uint32_t at, uint64_t *live);
bool jit_flow_dominates(const struct jit_cfg *cfg, uint32_t a, uint32_t b);
/* Must a register written in this node keep its old value in the lanes that are elsewhere? */
bool jit_flow_must_blend(const struct jit_cfg *cfg, uint32_t node, uint32_t reg);
/* A short loop of one node that reads global memory? */
bool jit_cfg_is_walk(const struct jit_cfg *cfg, uint32_t node);
bool jit_instruction_is_pure(const struct ptx_instruction *instruction);
bool jit_instruction_waits(const struct ptx_instruction *instruction);
bool jit_access_is_strong(const struct ptx_instruction *instruction);
/* Do the lanes named by a member mask wait for each other there? */
bool jit_instruction_syncs(const struct ptx_instruction *instruction);
/* A node of a kernel where lanes do nothing but leave. */
bool jit_node_is_exit(const struct jit_cfg *cfg, uint32_t node);

/* ---- Where lanes of a warp may be apart: converge.c, converge_unit.c ---- */

struct jit_unit;
struct jit_converge;

/* Facts about all functions. */
struct jit_converge_summary {
    bool *could_wait, *splits;       /* splits: lanes may leave it one after the other */
    bool *together;                  /* is it called by all lanes at once? */
    bool any_taken;                  /* may one that is called by pointer wait? */
    bool **parking;                  /* of each, as jit_cfg_make takes it */
    struct jit_converge **functions; /* what converge.c keeps of each; NULL: nothing yet */
};

/* Fills `apart`, always the same, for the nodes of a function: may lanes come there one after the
 * other? */
void jit_converge_find_apart(struct jit_unit *unit, uint32_t function,
                             const struct jit_converge_summary *summary, bool *apart);
/* Makes the graphs of functions anew where lanes may wait for each other. */
void jit_unit_converge(struct jit_unit *unit);

/* ---- Classes: classes.c ---- */

enum jit_class_kind { JIT_CLASS_NONE, JIT_CLASS_UNIFORM, JIT_CLASS_AFFINE, JIT_CLASS_VARYING };

struct jit_class {
    uint8_t kind;
    bool aligned; /* affine of step 1, lane 0 a multiple of the width, at most 1023 */
    int64_t stride;
    int64_t jump; /* what comes on top in lanes 16 and up: where a warp is two rows of 16 */
};

struct jit_body;

/* The class of what an instruction computes, given the classes of registers. */
struct jit_class jit_class_of_result(const struct jit_body *body, const struct jit_class *classes,
                                     bool divergent, const struct ptx_instruction *instruction);
struct jit_class jit_class_of_operand(const struct jit_body *body, const struct jit_class *classes,
                                      const struct ptx_operand *operand);
void jit_classes_make(const struct jit_body *body, struct jit_class *classes, bool divergent);
/* Does the scalar form rely on the lanes of a 32-bit source not wrapping? Then which source. */
int jit_class_widens(const struct jit_body *body, const struct jit_class *classes,
                     const struct ptx_instruction *instruction);

/* ---- Units and bodies ---- */

struct jit_value {
    LLVMValueRef value; /* the scalar of lane 0, or a vector */
    int64_t stride;     /* of scalars: from lane to lane */
    bool vector;
    int64_t jump; /* of scalars: on top in lanes 16 and up */
};

/* Is it the same in all lanes? */
static inline bool jit_value_is_uniform(const struct jit_value *value)
{
    return !value->vector && value->stride == 0 && value->jump == 0;
}

struct jit_unit {
    const struct jit_request *request;
    const struct ptx_program *program;
    struct ptx_log *log;
    bool failed;
    struct jit_workspace workspace;

    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder; /* of one body after the other */
    LLVMTargetMachineRef machine;
    bool finding; /* the processor, with the lock of target.c */
    LLVMTypeRef i1, i8, i16, i32, i64, i128, f32, f64, ptr, nothing;
    LLVMValueRef keepers[JIT_KEEPERS]; /* of needed.c */
    unsigned keeper_count;
    LLVMValueRef invariant; /* metadata of loads that always give the same */
    unsigned invariant_kind;
    bool arm;

    unsigned width;
    unsigned natural; /* how many lanes the processor does well */
    bool waiting;
    bool looped; /* its warps wait at barriers, but need no stacks: regions.c */
    enum jit_block_shape shape;
    uint32_t local_bytes;       /* of the kernel, per thread */
    uint32_t shared_static;     /* bytes; dynamic memory begins there */
    uint64_t *shared_offsets;   /* of the program's variables */
    bool *reached;              /* functions */
    struct jit_cfg *graphs;     /* of those */
    bool *taken;                /* functions whose address is taken */
    uint64_t *own_local;        /* the kernel's variables: offsets in a lane's local memory */
    uint32_t instruction_count; /* of all that is reached */
    bool large;                 /* too large to be emitted twice */
    bool recursive;
    LLVMValueRef *functions; /* device functions by index */
    LLVMValueRef *thunks;    /* of those: called with a closure; made when needed */
    LLVMTypeRef *function_types;
    uint64_t **own_shared; /* per function: offsets of its own .shared variables */
    struct cup_abi_kernel_info info;
};

/* Where the uniform clone left, and where the divergent clone takes over. */
struct jit_leave {
    LLVMBasicBlockRef from, to;
    uint32_t node, at;
};

/* A way round an instruction that is done in place in the uniform clone, where that is not
 * possible: from here on the node is emitted a second time, with the runtime asked. The first way
 * so has no place where the two meet, and the compiler sees through it. */
struct jit_detour {
    uint32_t at; /* the instruction */
    LLVMBasicBlockRef block;
    LLVMValueRef call; /* of who asks: what both ways know of the image */
    /* Instructions of the node before it that the detour computes anew, so that nobody need compute
     * them who does not take it. The first one's source is a register. */
    uint32_t again[2], again_count;
};
enum { JIT_DETOURS = 32 }; /* of a node */

/* Where the accesses of a node report that they are misaligned: phis of the block. */
struct jit_misaligned {
    LLVMBasicBlockRef block; /* NULL: no access needed it yet */
    uint32_t node;           /* a number that no other node has, nor 0 */
    LLVMValueRef lanes, address, bytes, line;
};

/* A register plus the offset was found to have these low bits zero, in the node of that number. */
struct jit_aligned {
    uint32_t node;
    uint64_t low, offset;
};

/* What follows a barrier, when warps take turns. */
struct jit_region {
    uint32_t node;  /* the barrier's, or the loop's */
    bool turn;      /* a loop whose rounds take turns with those of other warps */
    uint64_t *live; /* registers, before the barrier's result */
};

struct jit_body {
    struct jit_unit *unit;
    struct jit_cfg cfg;
    const struct ptx_function *function;
    uint32_t index;
    bool is_kernel;
    unsigned width;

    LLVMValueRef llvm;
    LLVMBuilderRef builder;
    LLVMBasicBlockRef entry;
    LLVMValueRef entry_end; /* an instruction: allocas go before it */
    struct jit_lower lower;

    /* Known in the whole LLVM function. */
    LLVMValueRef block, launch, services, params, shared, local, ntid[3], nctaid[3], threads;
    LLVMValueRef inverse[2];             /* of the block's x and y size: special.c */
    LLVMValueRef kept_block, kept_first; /* of large functions: where nodes find them */
    /* Known in one vector's run; all scalars. */
    LLVMValueRef first, tid[3], ctaid[3], warp;
    LLVMValueRef lane_ids; /* <W x i32> */
    LLVMValueRef full;     /* i32 with a bit for each lane of the vector */

    uint64_t *set;  /* of registers, for who needs one for a moment */
    bool divergent; /* which clone is being emitted */
    struct jit_class *classes[2];
    LLVMValueRef *registers[2];
    LLVMValueRef *variables; /* of the function: where its local and param variables are: arrays
                                over the lanes; NULL for the kernel's own parameters and locals */
    uint64_t *offsets;       /* of those: in the parameters, in a lane's local memory */

    /* The divergent clone of 32 lanes keeps varying registers in memory and computes them a chunk
     * of lanes at a time: chunks.c. */
    bool chunked;
    LLVMValueRef chunk;  /* the first lane of the chunk; NULL: all lanes at once */
    LLVMValueRef *cache; /* registers of the chunk, as far as they were read or written */
    bool *dirty;
    LLVMBasicBlockRef chunk_head;

    /* The divergent clone. */
    LLVMValueRef mask, live, returned, rounds, *pending, *parked, *spinning;
    LLVMValueRef *tickets; /* of parking nodes: struct cup_abi_barrier_call, struct
                              cup_abi_sync_call, or the handles of calls */
    LLVMValueRef **areas;  /* of nodes that end with calls which may wait: their arguments */
    LLVMBasicBlockRef *checks, *runs;
    uint32_t node;                 /* being emitted */
    LLVMBasicBlockRef expanded_in; /* where `expanded` is known */
    LLVMValueRef expanded;

    /* The uniform clone. */
    bool has_uniform;
    LLVMBasicBlockRef *uniforms;
    struct jit_leave *leaves;
    uint32_t leave_count, leave_capacity;
    struct jit_detour detours[JIT_DETOURS]; /* of the node */
    uint32_t detour_count;

    /* Warps that take turns: regions.c. */
    struct jit_region *regions;
    uint32_t region_count;
    uint32_t *uniform_places, *divergent_places; /* of registers in the frame; 0: not there */
    uint32_t frame_bytes;
    LLVMValueRef frame;           /* of the warp */
    LLVMValueRef waiting;         /* warps that are at the barrier */
    bool turns;                   /* there are loops whose rounds take turns */
    LLVMValueRef turning;         /* warps that stopped in those in this round */
    LLVMValueRef held;            /* there were some in the last round, so the barrier is closed */
    LLVMValueRef rounds_left;     /* of such a loop, until the warp stops */
    unsigned turn_rounds;         /* of the node's loop: how many a warp does in its turn */
    LLVMValueRef moved;           /* how far the node's loads went on since the last round */
    LLVMValueRef distance;        /* i64: how far the node's loop is from its end; NULL: unknown */
    LLVMValueRef distance_before; /* in the last round */
    LLVMValueRef level; /* of such a loop: 1 warps take turns, 2 and it is worth loading ahead */
    LLVMValueRef reducing[3], reduced[3]; /* count, and, or; of this round and of the last */
    LLVMBasicBlockRef step;               /* on to the next warp */

    LLVMBasicBlockRef done;           /* the vector is finished */
    struct jit_misaligned misaligned; /* of the node */
    struct jit_aligned *aligned;      /* of registers */
    LLVMValueRef scratch[8]; /* arrays of the width, 16 bytes an element; made when needed */
    LLVMValueRef warp_words, warp_call; /* of matrix.c; made when needed */
    LLVMValueRef stack_before;          /* of functions with alloca: what to go back to */
    LLVMValueRef texture_arrays[CUP_ABI_TEXTURE_ARRAYS]; /* made when needed */
    struct jit_value guard; /* predicate of the instruction being emitted; value NULL: none */
    bool *raw;              /* registers that may hold NaNs with bits of the CPU's: see lower.h */
    bool blind;             /* who reads operands now does not look at those bits */
};

void jit_unit_fail(struct jit_unit *unit, const struct ptx_instruction *instruction,
                   const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- Building: build.c ---- */

LLVMTypeRef jit_type_of(struct jit_unit *unit, enum ptx_type type); /* of lower.h */
LLVMTypeRef jit_vector_type(struct jit_body *body, LLVMTypeRef element);
LLVMValueRef jit_i32(struct jit_unit *unit, uint32_t value);
LLVMValueRef jit_i64(struct jit_unit *unit, uint64_t value);
LLVMValueRef jit_build_alloca(struct jit_body *body, LLVMTypeRef type, unsigned count,
                              const char *name);
LLVMBasicBlockRef jit_build_block(struct jit_body *body, const char *name);
void jit_build_at(struct jit_body *body, LLVMBasicBlockRef block);
LLVMBasicBlockRef jit_build_here(struct jit_body *body);
/* A branch that takes the first way so many times as often as the other: what that one needs
 * registers for is not to cost the first one any. */
void jit_build_likely(struct jit_body *body, LLVMValueRef condition, LLVMBasicBlockRef way,
                      LLVMBasicBlockRef other, unsigned times);
LLVMValueRef jit_build_splat(struct jit_body *body, LLVMValueRef scalar);
/* Loads a field of a structure of abi.h. */
LLVMValueRef jit_build_field(struct jit_body *body, LLVMValueRef base, size_t offset,
                             LLVMTypeRef type, bool invariant, const char *name);
LLVMValueRef jit_build_offset(struct jit_body *body, LLVMValueRef base, LLVMValueRef offset);
LLVMValueRef jit_build_load(struct jit_body *body, LLVMTypeRef type, LLVMValueRef pointer,
                            unsigned align);
LLVMValueRef jit_build_store(struct jit_body *body, LLVMValueRef value, LLVMValueRef pointer,
                             unsigned align);
/* Four vectors of bytes, a lane's one behind the other, as memory has them; and back, as numbers of
 * 32 bits. */
LLVMValueRef jit_build_words_of_bytes(struct jit_body *body, const LLVMValueRef *parts);
void jit_build_bytes_of_words(struct jit_body *body, LLVMValueRef words, LLVMValueRef *parts);
/* Calls a service by the offset of its pointer. */
LLVMValueRef jit_build_service(struct jit_body *body, size_t offset, LLVMTypeRef result,
                               LLVMValueRef *arguments, unsigned count);
/* <W x i1> to i32 and back. */
LLVMValueRef jit_build_bits(struct jit_body *body, LLVMValueRef lanes);
LLVMValueRef jit_build_lanes(struct jit_body *body, LLVMValueRef bits);
LLVMValueRef jit_build_call(struct jit_body *body, const char *intrinsic, LLVMTypeRef overload,
                            LLVMValueRef *arguments, unsigned count);

/* ---- Registers and operands: registers.c, special.c ---- */

void jit_registers_clear(struct jit_body *body, bool divergent, const uint64_t *except);
struct jit_value jit_register_read(struct jit_body *body, uint32_t reg);
void jit_register_write(struct jit_body *body, uint32_t reg, struct jit_value value);
void jit_registers_hand_over(struct jit_body *body, uint32_t node, uint32_t at);
/* A register of the uniform clone to a place in memory, and back. */
uint32_t jit_register_bytes(struct jit_body *body, uint32_t reg, bool divergent);
void jit_register_spill(struct jit_body *body, uint32_t reg, LLVMValueRef place);
void jit_register_fill(struct jit_body *body, uint32_t reg, LLVMValueRef place);
/* A register that is a scalar in the uniform clone, from the divergent clone to such a place. The
 * result is true (i1) if the lanes' values are not what the uniform clone takes it for. */
LLVMValueRef jit_register_take_back(struct jit_body *body, uint32_t reg, LLVMValueRef place);
LLVMValueRef jit_value_vector(struct jit_body *body, struct jit_value value);
struct jit_value jit_value_canonical(struct jit_body *body, struct jit_value value);
struct jit_value jit_scalar(LLVMValueRef value, int64_t stride);
struct jit_value jit_vector(LLVMValueRef value);
/* An operand in the representation of a type; a result of a type into an operand. */
struct jit_value jit_operand_read(struct jit_body *body, const struct ptx_operand *operand,
                                  enum ptx_type type);
void jit_operand_write(struct jit_body *body, const struct ptx_operand *operand, enum ptx_type type,
                       struct jit_value value);
struct jit_value jit_value_retype(struct jit_body *body, struct jit_value value, enum ptx_type from,
                                  enum ptx_type to);
struct jit_value jit_special_read(struct jit_body *body, const struct ptx_operand *operand,
                                  enum ptx_type type);
/* tid.x, .y or .z as a vector. */
LLVMValueRef jit_thread_lanes(struct jit_body *body, unsigned axis);
struct jit_class jit_special_class(const struct jit_body *body, uint32_t special, bool divergent);
/* The active lanes: as i32, and as <W x i1> (NULL: all). */
LLVMValueRef jit_mask_bits(struct jit_body *body);
LLVMValueRef jit_mask_lanes(struct jit_body *body);
/* A predicate register's lanes as i32, whatever its class. */
LLVMValueRef jit_predicate_bits(struct jit_body *body, struct jit_value predicate, bool negated);

/* ---- Instructions ---- */

void jit_emit_instruction(struct jit_body *body, const struct ptx_instruction *instruction);
struct jit_value jit_emit_address(struct jit_body *body, const struct ptx_operand *operand,
                                  uint8_t space);
/* Lanes of shared memory, as generic addresses that were computed from lane 0's: they wrap. */
LLVMValueRef jit_shared_wrap(struct jit_body *body, LLVMValueRef address);
struct jit_class jit_class_of_address(const struct jit_body *body, const struct jit_class *classes,
                                      const struct ptx_operand *operand);
/* How far apart the lanes of a function's own variable are: so that all of them are aligned. */
static inline uint64_t jit_variable_stride(const struct ptx_variable *variable)
{
    uint64_t align = variable->space == PTX_LOCAL && variable->align ? variable->align : 1;

    return (variable->size_bytes + align - 1) / align * align;
}
struct jit_value jit_variable_address(struct jit_body *body, uint32_t index, bool local);
/* Ends the launch if an address is no multiple of what is accessed there: of all active lanes,
 * which are all lanes unless it is common; of one lane (i32). */
void jit_alignment_check(struct jit_body *body, struct jit_value address, unsigned bytes,
                         uint32_t line);
void jit_alignment_check_lane(struct jit_body *body, LLVMValueRef lane, LLVMValueRef address,
                              unsigned bytes, uint32_t line);
/* Are all lanes aligned, or none, whatever lane 0's address is? */
bool jit_alignment_is_common(struct jit_value address, unsigned bytes);
/* Is it still to be checked? Then the caller does so, for all lanes that go on. */
bool jit_alignment_is_open(struct jit_body *body, const struct ptx_operand *operand,
                           unsigned bytes);
/* The register is written. */
void jit_alignment_forget(struct jit_body *body, uint32_t reg);
/* The builder is where a node begins, or a part of one that is emitted once more. */
void jit_alignment_new_node(struct jit_body *body);
/* Is it to be asked whether the kernel may touch it? Then: for all `lanes` (i32) from the address
 * on; for one lane; for every lane of the vector, each at its own address. wanted: CUP_MAY_READ,
 * CUP_MAY_WRITE. */
bool jit_access_is_checked(const struct jit_body *body, const struct ptx_operand *operand,
                           uint8_t space);
void jit_access_check(struct jit_body *body, LLVMValueRef lanes, LLVMValueRef address,
                      unsigned bytes, unsigned wanted, uint32_t line);
void jit_access_check_lane(struct jit_body *body, LLVMValueRef lane, LLVMValueRef address,
                           unsigned bytes, unsigned wanted, uint32_t line);
void jit_access_check_each(struct jit_body *body, const LLVMValueRef *addresses, unsigned bytes,
                           unsigned wanted, uint32_t line);
/* A load that must happen even if nothing hangs on its value; before machine code is made. */
void jit_needed_keep(struct jit_body *body, LLVMValueRef load);
void jit_needed_settle(struct jit_unit *unit);
/* May its address be a bad one? */
bool jit_load_is_kept(const struct ptx_instruction *instruction);
void jit_emit_load(struct jit_body *body, const struct ptx_instruction *instruction);
void jit_emit_store(struct jit_body *body, const struct ptx_instruction *instruction);
void jit_emit_cvta(struct jit_body *body, const struct ptx_instruction *instruction);
void jit_emit_isspacep(struct jit_body *body, const struct ptx_instruction *instruction);
void jit_emit_copy_async(struct jit_body *body, const struct ptx_instruction *instruction);
void jit_emit_fence(struct jit_body *body, const struct ptx_instruction *instruction);
void jit_emit_atomic(struct jit_body *body, const struct ptx_instruction *instruction);
/* Ends the launch with an error of enum cup_abi_trap for these lanes. */
void jit_emit_trap(struct jit_body *body, LLVMValueRef lanes, uint32_t reason, uint32_t line);
bool jit_emit_warp_op(struct jit_body *body, const struct ptx_instruction *instruction);
/* Which source is the member mask; -1: none. */
int jit_sync_member_source(const struct ptx_instruction *instruction);
/* Instructions with .sync where lanes are apart (warp_wait.c): are lanes missing (a number that is
 * not 0), the operands for the runtime, and the results from it. */
LLVMValueRef jit_sync_missing(struct jit_body *body, const struct ptx_instruction *instruction);
uint32_t jit_sync_operands(struct jit_body *body, const struct ptx_instruction *instruction,
                           LLVMValueRef call);
void jit_sync_results(struct jit_body *body, const struct ptx_instruction *instruction,
                      LLVMValueRef call);
/* Matrices and mbarriers: matrix.c. */
bool jit_emit_matrix(struct jit_body *body, const struct ptx_instruction *instruction);
/* alloca: where a function begins, with all lanes, and where lanes return from it. */
void jit_stack_enter(struct jit_body *body);
void jit_stack_leave(struct jit_body *body);
void jit_emit_copy_bulk(struct jit_body *body, const struct ptx_instruction *instruction);
void jit_emit_copies_arrive(struct jit_body *body, const struct ptx_instruction *instruction);
bool jit_emit_texture(struct jit_body *body, const struct ptx_instruction *instruction);
/* Loads or stores `count` elements that follow each other, lane by lane. */
struct jit_access {
    struct jit_value address; /* generic */
    LLVMTypeRef element;
    unsigned bytes, count;
    bool strong;    /* once and as written: others look at it */
    bool invariant; /* nobody writes it while the kernel runs */
    bool own;       /* memory of the lanes' own: lanes that are off may touch theirs */
    bool shared;    /* addresses of lanes wrap */
    bool kept;      /* a load that happens, whatever becomes of the value */
    bool each;      /* lanes that are on may be aligned while others are not: each lane is looked
                       at when it accesses */
    bool checked;   /* it may be another device's: ask first */
    uint32_t line;
};
/* Vectors over the lanes, one for each element, as memory has them (a lane's elements one behind
 * the other), and element `part` of such a vector. */
LLVMValueRef jit_parts_join(struct jit_body *body, const LLVMValueRef *parts, unsigned count);
LLVMValueRef jit_parts_take(struct jit_body *body, LLVMValueRef all, unsigned part, unsigned count);
void jit_emit_gather(struct jit_body *body, const struct jit_access *access, LLVMValueRef *values);
void jit_emit_scatter(struct jit_body *body, const struct jit_access *access,
                      const LLVMValueRef *values);
/* An array of lanes in memory, to be indexed by a lane. */
void jit_scratch_fill(struct jit_body *body, unsigned which, LLVMValueRef vector);
LLVMValueRef jit_scratch_read(struct jit_body *body, unsigned which, LLVMTypeRef element);
struct jit_value jit_value_of_lane(struct jit_body *body, struct jit_value value, unsigned which,
                                   LLVMValueRef lane);
/* A loop over the active lanes: `emit` gets the lane's number (i32). */
typedef void jit_lane_function(struct jit_body *body, LLVMValueRef lane, void *context);
void jit_emit_lane_loop(struct jit_body *body, LLVMValueRef bits, jit_lane_function *emit,
                        void *context);
LLVMValueRef jit_scratch_lane(struct jit_body *body, unsigned which, LLVMTypeRef element,
                              LLVMValueRef lane);
/* Calls; the result is the lanes that are still in the kernel. */
LLVMValueRef jit_emit_call(struct jit_body *body, const struct ptx_instruction *instruction);
/* A call where lanes of the warp may be elsewhere. The results are the lanes that have returned and
 * are still in the kernel, and in *returned all that have returned; the others are in `handles`. */
LLVMValueRef jit_emit_parking_call(struct jit_body *body, const struct ptx_instruction *instruction,
                                   LLVMValueRef handles, LLVMValueRef *returned);
/* After a call that was parked: results for the lanes of the mask. */
void jit_emit_call_results(struct jit_body *body, const struct ptx_instruction *instruction,
                           uint32_t node);
bool jit_call_is_builtin(const char *name);
/* Barriers: parts of the ends of nodes. */
struct jit_barrier_operands {
    LLVMValueRef id, threads, predicate;
    uint32_t reduce;
};
void jit_barrier_read(struct jit_body *body, const struct ptx_instruction *instruction,
                      struct jit_barrier_operands *barrier);
void jit_barrier_result(struct jit_body *body, const struct ptx_instruction *instruction,
                        LLVMValueRef result);

/* ---- Chunks: chunks.c ---- */

/* Emits the instructions [first, end), all of them pure. */
void jit_chunks_emit(struct jit_body *body, uint32_t first, uint32_t end);
/* Is the register kept in memory now? Then where a lane of it is. */
bool jit_register_is_array(const struct jit_body *body, uint32_t reg);
LLVMValueRef jit_register_lane(struct jit_body *body, uint32_t reg, LLVMValueRef lane);
LLVMTypeRef jit_register_element(struct jit_body *body, uint32_t reg);
void jit_chunks_begin(struct jit_body *body);
void jit_chunks_end(struct jit_body *body, const uint64_t *live);
/* One lane's operand, in the representation of a type, and one lane's result. */
LLVMValueRef jit_lane_operand(struct jit_body *body, const struct ptx_operand *operand,
                              enum ptx_type type, LLVMValueRef lane);
void jit_lane_write(struct jit_body *body, const struct ptx_operand *operand, enum ptx_type type,
                    LLVMValueRef lane, LLVMValueRef value);
LLVMValueRef jit_lane_address(struct jit_body *body, const struct ptx_operand *operand,
                              uint8_t space, LLVMValueRef lane);
void jit_chunked_load(struct jit_body *body, const struct ptx_instruction *instruction);
void jit_chunked_store(struct jit_body *body, const struct ptx_instruction *instruction);

/* ---- Clones and functions: uniform_variant.c, divergent_variant.c, function.c ---- */

void jit_uniform_emit(struct jit_body *body);
/* Leaves the uniform clone before instruction `at` of the node if `stay` is false. */
void jit_uniform_leave_unless(struct jit_body *body, LLVMValueRef stay, uint32_t at);
/* The detour round an instruction of the node: a new one (its call is NULL), or the one that is
 * being emitted. NULL: there can be none. */
struct jit_detour *jit_uniform_detour(struct jit_body *body,
                                      const struct ptx_instruction *instruction);
void jit_uniform_compute_again(struct jit_body *body, const struct jit_detour *detour);
/* A value that the optimiser does not know to be this one: what is computed of it stays where it is
 * needed, however rarely that is. */
LLVMValueRef jit_uniform_hide(struct jit_body *body, LLVMValueRef value);
void jit_divergent_prepare(struct jit_body *body);
void jit_divergent_emit(struct jit_body *body);
/* Emits the code that starts the divergent clone with these lanes. */
void jit_divergent_start(struct jit_body *body, LLVMValueRef lanes);

/* Takes all lanes away from all nodes. */
void jit_divergent_reset(struct jit_body *body, LLVMValueRef lanes);

/* ---- Warps that take turns: regions.c ---- */

void jit_regions_prepare(struct jit_body *body);
/* A block begins; a round ends: then another one, or the end of the block. */
void jit_rounds_begin(struct jit_body *body);
void jit_rounds_end(struct jit_body *body, LLVMBasicBlockRef round, LLVMBasicBlockRef end);
/* Ends of nodes: the warp has come to the barrier, in the uniform clone; lanes have, in the
 * divergent one.
 */
void jit_region_end_uniform(struct jit_body *body, const struct jit_node *node);
void jit_region_end_divergent(struct jit_body *body, LLVMValueRef mask);
/* The uniform clone goes round a loop again. */
void jit_region_again(struct jit_body *body);
void jit_region_leave(struct jit_body *body, LLVMBasicBlockRef to);
bool jit_region_turns(const struct jit_body *body, uint32_t node);
void jit_regions_rest(struct jit_body *body);
/* Goes on with a warp that stopped; a warp is done. Both end the builder's block. */
void jit_regions_resume(struct jit_body *body);
void jit_regions_done(struct jit_body *body);

/* Large functions: loads anew, where the builder is, what is known in the whole function. */
void jit_body_reload(struct jit_body *body);

bool jit_unit_plan(struct jit_unit *unit);
void jit_unit_emit_kernel(struct jit_unit *unit);
void jit_unit_emit_function(struct jit_unit *unit, uint32_t index);
void jit_unit_declare_function(struct jit_unit *unit, uint32_t index);

/* ---- Machine code: target.c, object.c ---- */

LLVMTargetMachineRef jit_target_make(struct jit_unit *unit);
/* Should the compilation have been left where it looked for the processor, the next one looks. */
void jit_target_give_up(struct jit_unit *unit);
bool jit_unit_optimize(struct jit_unit *unit, struct jit_result *result);
bool jit_unit_object(struct jit_unit *unit, struct jit_result *result);
void jit_unit_dump(struct jit_unit *unit, const char *stage);

#endif
