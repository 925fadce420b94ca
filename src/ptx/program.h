/* SPDX-License-Identifier: MIT */
/* A PTX module as a typed program, which the parser makes, the checker validates, the linker joins
 * and the compiler reads. It is independent of LLVM, devices and addresses.
 *
 * A program is variables and functions. A function is a flat list of instructions; labels are
 * resolved to indices into it. The dot-words of an instruction are kept by kind: types in the
 * order written, one state space, one vector width, and a set of modifiers. So
 *
 *     @!%p1 ld.global.nc.v2.f32 {%f1, %f2}, [%rd1+8];
 *
 * is op LD, types {F32}, space GLOBAL, width 2, modifiers {NC}, guard %p1 negated,
 * dst[0] = VECTOR of two registers, src[0] = ADDRESS register %rd1 plus 8.
 *
 * All memory of a program lies in its arena and goes with it. A finished program never changes and
 * may be read by many threads. */
#ifndef CUP_PTX_PROGRAM_H
#define CUP_PTX_PROGRAM_H

#include "core/dynarray.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ptx_opcode {
#define PTX_OPCODE(name) PTX_OP_##name,
#include "ptx/opcodes.def"
#undef PTX_OPCODE
    PTX_OPCODE_COUNT
};

enum ptx_modifier {
#define PTX_MODIFIER(name, text) PTX_MOD_##name,
#include "ptx/modifiers.def"
#undef PTX_MODIFIER
    PTX_MODIFIER_COUNT
};

enum ptx_type {
    PTX_TYPE_NONE,
    PTX_B8,
    PTX_B16,
    PTX_B32,
    PTX_B64,
    PTX_B128,
    PTX_U8,
    PTX_U16,
    PTX_U32,
    PTX_U64,
    PTX_S8,
    PTX_S16,
    PTX_S32,
    PTX_S64,
    PTX_U16X2,
    PTX_S16X2,
    PTX_F16,
    PTX_F16X2,
    PTX_BF16,
    PTX_BF16X2,
    PTX_TF32,
    PTX_E4M3X2,
    PTX_E5M2X2,
    PTX_F32,
    PTX_F64,
    PTX_PRED,
    PTX_TEXREF,
    PTX_SAMPLERREF,
    PTX_SURFREF,
    PTX_F32X2,
    PTX_E2M1X2,
    PTX_E2M3X2,
    PTX_E3M2X2,
    PTX_UE8M0X2,
    PTX_U2,
    PTX_S2,
    PTX_U4,
    PTX_S4,
    PTX_E4M3,
    PTX_E5M2,
    PTX_B1,
    PTX_TYPE_COUNT
};

enum ptx_space {
    PTX_SPACE_NONE, /* of an instruction: generic addressing */
    PTX_REG,
    PTX_CONST,
    PTX_GLOBAL,
    PTX_LOCAL,
    PTX_PARAM, /* parameters of kernels and functions, and arguments of calls */
    PTX_SHARED,
};

/* Special registers. x, y and z (and w) of a triple are consecutive. */
enum ptx_special {
    PTX_SR_TID_X,
    PTX_SR_TID_Y,
    PTX_SR_TID_Z,
    PTX_SR_NTID_X,
    PTX_SR_NTID_Y,
    PTX_SR_NTID_Z,
    PTX_SR_CTAID_X,
    PTX_SR_CTAID_Y,
    PTX_SR_CTAID_Z,
    PTX_SR_NCTAID_X,
    PTX_SR_NCTAID_Y,
    PTX_SR_NCTAID_Z,
    PTX_SR_CLUSTERID_X,
    PTX_SR_CLUSTERID_Y,
    PTX_SR_CLUSTERID_Z,
    PTX_SR_NCLUSTERID_X,
    PTX_SR_NCLUSTERID_Y,
    PTX_SR_NCLUSTERID_Z,
    PTX_SR_CLUSTER_CTAID_X,
    PTX_SR_CLUSTER_CTAID_Y,
    PTX_SR_CLUSTER_CTAID_Z,
    PTX_SR_CLUSTER_NCTAID_X,
    PTX_SR_CLUSTER_NCTAID_Y,
    PTX_SR_CLUSTER_NCTAID_Z,
    PTX_SR_CLUSTER_CTARANK,
    PTX_SR_CLUSTER_NCTARANK,
    PTX_SR_LANEID,
    PTX_SR_WARPID,
    PTX_SR_NWARPID,
    PTX_SR_SMID,
    PTX_SR_NSMID,
    PTX_SR_GRIDID,
    PTX_SR_LANEMASK_EQ,
    PTX_SR_LANEMASK_LE,
    PTX_SR_LANEMASK_LT,
    PTX_SR_LANEMASK_GE,
    PTX_SR_LANEMASK_GT,
    PTX_SR_CLOCK,
    PTX_SR_CLOCK_HI,
    PTX_SR_CLOCK64,
    PTX_SR_PM, /* %pm0..7 and %pm0_64..: always 0 */
    PTX_SR_GLOBALTIMER,
    PTX_SR_GLOBALTIMER_LO,
    PTX_SR_GLOBALTIMER_HI,
    PTX_SR_TOTAL_SMEM_SIZE,
    PTX_SR_DYNAMIC_SMEM_SIZE,
    PTX_SR_AGGR_SMEM_SIZE,
    PTX_SR_ENVREG, /* %envreg0..31: the number is in operand.value */
    PTX_SR_CURRENT_GRAPH_EXEC,
    PTX_SR_IS_EXPLICIT_CLUSTER,
    PTX_SR_WARP_SZ, /* the constant WARP_SZ; the parser makes it the immediate 32 */
    PTX_SR_COUNT
};

enum ptx_operand_kind {
    PTX_OPERAND_NONE,
    PTX_OPERAND_REGISTER, /* index: into function->registers */
    /* Its bits are in `value`, in the width of the instruction's operand type. A float immediate is
     * converted to that type (f32 and f64; for f16, the bits as written). */
    PTX_OPERAND_IMMEDIATE,
    PTX_OPERAND_SPECIAL,  /* index: enum ptx_special */
    PTX_OPERAND_SYMBOL,   /* the address of a variable (index, offset in value), in its own space */
    PTX_OPERAND_FUNCTION, /* the address of a function: index */
    PTX_OPERAND_ADDRESS,  /* [base + value] */
    PTX_OPERAND_VECTOR,   /* {a, b, …}: count elements from function->elements[index] */
    PTX_OPERAND_LABEL,    /* index: into function->instructions, the labelled instruction */
    PTX_OPERAND_SINK,     /* _ */
};

enum ptx_base {
    PTX_BASE_NONE,     /* the address is `value` */
    PTX_BASE_REGISTER, /* index: register */
    /* The index is into program->variables, or into function->variables if `local` is set. */
    PTX_BASE_VARIABLE,
};

/* 16 bytes, since a program has many. */
struct ptx_operand {
    unsigned kind : 8;  /* enum ptx_operand_kind */
    unsigned count : 8; /* VECTOR: number of elements */
    unsigned base : 4;  /* ADDRESS: enum ptx_base */
    /* Of video instructions: 0: none; 1 to 4: .b0 to .b3; 5, 6: .h0, .h1. SIMD forms: 7: a mask
     * .bNNNN or .hNN, in `value` (of REGISTER operands too). The mask of dst has a bit for each
     * lane that is written. The mask of src has a nibble per lane, lane 0 lowest, that selects a
     * byte or half of {b, a} (4..7 or 2..3 are b's). */
    unsigned selector : 4;
    unsigned
        special_component : 4; /* SPECIAL: 4 for a whole triple (mov.v4.u32 {…}, %tid), else 0 */
    bool local : 1;            /* SYMBOL, ADDRESS: the variable is in function->variables */
    /* !%p of any predicate source (also of and.pred, selp, mov.pred), or -%r of vmad. */
    bool negated : 1;
    uint32_t index;
    uint64_t value;
};

enum {
    PTX_MAX_SOURCES = 10,
    PTX_MAX_DESTINATIONS = 3,
    PTX_NO_REGISTER = 0xffffffff,
    PTX_NO_INDEX = 0xffffffff
};

/* The operands of call, in order. Each argument is a .param variable of the function, a register or
 * an immediate. */
struct ptx_call {
    uint32_t result_count, argument_count;
    const struct ptx_operand *results, *arguments;
    struct ptx_operand target; /* FUNCTION, or REGISTER for an indirect call */
    /* Indirect calls: index into function->prototypes, or PTX_NO_INDEX if `targets` give the
     * signature; PTX_NO_INDEX for direct calls. */
    uint32_t prototype;
    const uint32_t *targets; /* .calltargets: functions; brx.idx: instructions */
    uint32_t target_count;
};

struct ptx_instruction {
    uint16_t op; /* enum ptx_opcode */
    uint8_t type_count;
    uint8_t types[4]; /* enum ptx_type, in the order written */
    uint8_t space;    /* enum ptx_space */
    uint8_t space_to; /* the second of two spaces (cp.async.shared.global); else 0 */
    uint8_t width;    /* 2, 4, 8 for .v2, .v4, .v8; else 1 */
    uint8_t lut;      /* lop3's truth table; also in src */
    uint16_t columns; /* wgmma: n of its shape m64nNkK, and k */
    uint16_t depth;
    bool guard_negated;
    uint32_t guard; /* predicate register or PTX_NO_REGISTER */
    uint64_t modifiers[(PTX_MODIFIER_COUNT + 63) / 64];
    /* [1]: the q of p|q; [2]: the report value of an mbarrier, which follows them. */
    struct ptx_operand dst[PTX_MAX_DESTINATIONS];
    /* In the order written, without destinations. st, red and similar: [0] address. tex, tld4: [0]
     * texture (REGISTER or SYMBOL), [1] sampler or NONE, [2] coordinates, then level or gradients,
     * offset, comparand. suld, sust, sured: [0] surface, [1] coordinates, [2] value. txq, suq: [0]
     * handle. bra: [0] LABEL. brx.idx: [0] index, and call->targets. Omitted operands leave no gap:
     * bar.red has source_count 2 or 3. shfl and vote without .sync (old targets) become .sync of
     * all lanes. wgmma: [0] A, [1] B, of sparse products the metadata and its selector, then
     * whether D is added, and numbers; the last is D. */
    struct ptx_operand src[PTX_MAX_SOURCES];
    uint8_t source_count;
    uint32_t line;               /* in the text, from 1 */
    const struct ptx_call *call; /* call, brx.idx */
};

static inline bool ptx_has(const struct ptx_instruction *instruction, enum ptx_modifier modifier)
{
    return instruction->modifiers[modifier / 64] >> (modifier % 64) & 1;
}

struct ptx_register {
    const char *name;
    uint8_t type;  /* enum ptx_type */
    uint8_t width; /* 1; 2 or 4 for declared vectors, whose parts are the registers after it */
};

enum ptx_linkage {
    PTX_LINK_LOCAL,
    PTX_LINK_VISIBLE,
    PTX_LINK_EXTERN,
    PTX_LINK_WEAK,
    PTX_LINK_COMMON
};

/* An address in an initialiser: byte `at` and the following, `size_bytes` in all, get the address
 * of a variable or function plus the addend. The address is generic if `generic` is set, else in
 * the variable's own space. */
struct ptx_relocation {
    uint32_t at;
    uint8_t size_bytes;
    bool generic;
    bool is_function;
    uint8_t byte; /* of a masked address: which byte, else 0xff for the whole address */
    uint32_t index;
    int64_t addend;
};

struct ptx_variable {
    const char *name;
    uint8_t space;   /* enum ptx_space */
    uint8_t type;    /* of an element */
    uint8_t width;   /* vector width of an element */
    uint8_t linkage; /* enum ptx_linkage */
    bool managed;
    bool unsized; /* extern .shared x[]: the launch gives its size */
    uint32_t align;
    uint64_t size_bytes;
    const uint8_t *init; /* NULL: zero */
    uint32_t relocation_count;
    const struct ptx_relocation *relocations;
    uint32_t line;
};

struct ptx_parameter {
    const char *name;
    uint8_t type;
    uint32_t align;
    uint64_t size_bytes;
    uint64_t offset; /* in the parameter buffer, aligned */
    /* Index into function->variables, space PARAM; PTX_NO_INDEX if there is no body. A parameter or
     * result declared as .reg has one too: the parser adds ld.param at the function's start and
     * st.param before each ret. */
    uint32_t variable;
};

struct ptx_function {
    const char *name;
    uint8_t linkage;
    bool is_kernel;
    bool is_prototype; /* no body */
    bool noreturn;
    uint32_t parameter_count, result_count;
    const struct ptx_parameter *parameters, *results;
    uint64_t parameter_bytes;

    uint32_t register_count;
    const struct ptx_register *registers;
    uint32_t variable_count; /* local and shared variables, parameters, arguments of calls */
    const struct ptx_variable *variables;
    /* At least 1 in a body: the parser adds a final ret without guard, which a label may name. */
    uint32_t instruction_count;
    const struct ptx_instruction *instructions;
    const struct ptx_operand *elements; /* of VECTOR operands */
    uint32_t prototype_count;
    const struct ptx_function *prototypes; /* .callprototype: signatures only */

    uint32_t max_threads[3], required_threads[3]; /* .maxntid, .reqntid; 0: not given */
    uint32_t min_blocks, max_registers;           /* .minnctapersm, .maxnreg */
    uint32_t required_cluster[3];
    uint32_t max_cluster_rank; /* .maxclusterrank; 0: not given */
    bool explicit_cluster;     /* .explicitcluster */
    uint32_t line;
    const struct ptx_text *text; /* that the lines refer to: source.h; NULL: not kept */
};

struct ptx_program {
    unsigned version;   /* 90 for 9.0 */
    unsigned target;    /* 75 for sm_75 */
    char target_suffix; /* 'a', 'f' or 0 */
    bool debug;
    uint32_t variable_count;
    const struct ptx_variable *variables;
    uint32_t function_count;
    const struct ptx_function *functions;
    struct ptx_arena *arena;
    uint64_t hash[2];  /* of the source text: a key for caches */
    const char *input; /* for messages of the linker; the caller's, NULL: without a name */
};

/* The error log: one message per line. */
struct ptx_log {
    CUP_DYNARRAY(char, text); /* `count` characters and a NUL; NULL when empty */
    unsigned errors;
    const char *input; /* what the text is called; NULL: "application ptx input" */
};

/* Parses a text, which ends at `length` or at a NUL. NULL: *failure is the kind of error, and the
 * log has the messages. Also checks that the compiler supports every instruction. Time and memory
 * are bounded by the length of the text; any bytes are safe. */
enum ptx_failure {
    PTX_OK,
    PTX_SYNTAX,
    PTX_UNSUPPORTED_VERSION,
    PTX_UNSUPPORTED,
    PTX_OUT_OF_MEMORY
};
/* Limits the PTX version of the texts that ptx_parse reads: 90 for 9.0; 0, which is the default,
 * for no limit. ptx_parse_assembled reads all minor versions of the limit's major version. What is
 * unknown in a text is an error whatever its version. To be set before the first text is parsed. */
void ptx_limit_version(unsigned newest);

/* Whether programs that are parsed from now on keep their texts, for those who ask where
 * instructions come from. */
void ptx_keep_texts(bool keep);

struct ptx_program *ptx_parse(const char *text, size_t length, struct ptx_log *log,
                              enum ptx_failure *failure);
/* Parses a text of an image that has the place of machine code. */
struct ptx_program *ptx_parse_assembled(const char *text, size_t length, struct ptx_log *log,
                                        enum ptx_failure *failure);

/* Products without a rounding modifier get .rn, so that none of them and a sum become one. */
void ptx_keep_products(struct ptx_program *program);

/* Whether the driver provides the function: vprintf, malloc, free, __assertfail,
 * cudaGraphSetConditional. They stay .extern. */
bool ptx_is_system_function(const char *name);

/* Links programs: externs are resolved, and weak definitions yield to others. The inputs do not
 * change. A name that is defined twice, or declared and defined nowhere, is PTX_SYNTAX (also in a
 * single program: ptx_parse does not resolve externs); dynamic shared memory and system functions
 * stay .extern. */
struct ptx_program *ptx_link(struct ptx_program *const *programs, size_t count, struct ptx_log *log,
                             enum ptx_failure *failure);

void ptx_program_free(struct ptx_program *program);
void ptx_log_free(struct ptx_log *log);

/* Properties of types. */
unsigned ptx_type_bits(enum ptx_type type);
bool ptx_type_is_signed(enum ptx_type type);
bool ptx_type_is_float(enum ptx_type type);
bool ptx_type_is_integer(enum ptx_type type); /* signed or unsigned, not bits */
bool ptx_type_is_bits(enum ptx_type type);
const char *ptx_type_name(enum ptx_type type);
const char *ptx_opcode_name(enum ptx_opcode op);

/* The bytes that a lane accesses by a load, store or atomic. */
static inline unsigned ptx_access_bytes(const struct ptx_instruction *instruction)
{
    return ptx_type_bits(instruction->types[instruction->type_count - 1]) / 8 *
           (instruction->width ? instruction->width : 1);
}

/* Prints the instruction as PTX, for logs; returns the length. */
size_t ptx_print_instruction(const struct ptx_program *program, const struct ptx_function *function,
                             const struct ptx_instruction *instruction, char *text, size_t size);

#endif
