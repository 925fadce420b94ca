/* SPDX-License-Identifier: MIT */
/* Random kernels for fuzz_kernel: a flat list of instructions that is printed as PTX and also run
 * by a model, thread after thread. Both are made from one table (kernel_ops.def), so a disagreement
 * is the compiler's.
 *
 * Control flow may be anything that ends: branches over predicates, loops whose count differs from
 * thread to thread, jumps anywhere with a counter that runs out. Instructions in which threads of a
 * block meet stand only where all of them come by; lanes of a warp exchange values anywhere, by
 * plans that let them all get to each exchange (kernel_apart_make.c). */
#ifndef KERNEL_PROGRAM_H
#define KERNEL_PROGRAM_H

#include "kernel_matrix.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    REGISTERS = 8,   /* that instructions may write, of each class; fewer of some */
    APART_MASKS = 8, /* 32-bit registers with members of exchanges, one for each depth */
    APART_DEPTH = 3,
    APART_ROUNDS = 11,
    LOOP_OUTER = 12, /* 32-bit registers with a use of their own */
    LOOP_INNER = 13,
    FUEL = 14,
    SCRATCH = 15,
    REGISTERS_ALL = 16,
    WIDE = 3,
    SHORT = 2,
    PREDICATES = 4,
    FLOATS = 3,
    PRIVATE_WORDS = 16, /* of global memory that a thread has for itself */
    LOCAL_WORDS = 4,
    INPUT_WORDS = 256,
    COUNTERS = 4,
    CODE_FULL = 500, /* where no more is begun */
    CODE_MAX = 2600,
    TABLE = 4,
    POSITION_STEPS = 3, /* of computing from a special register */
    /* what a thread leaves behind, in words */
    RESULT_WORDS = REGISTERS + 2 * WIDE + SHORT + 1 + FLOATS,
};

enum op {
#define OP(name, text, result, sources, value) OP_##name,
#include "kernel_ops.def"
#undef OP
    OP_COMPUTING,
    OP_FIRST_GENERATION = OP_SELPF + 1, /* those before it */
    OP_LABEL = OP_COMPUTING,
    OP_BRA,  /* to target, under the guard */
    OP_BRX,  /* to one of table, by a source */
    OP_CALL, /* the function, with two words */
    OP_LOAD, /* from the thread's own global memory; mode: the layout and the width */
    OP_STORE,
    OP_LOAD_LOCAL,
    OP_STORE_LOCAL,
    OP_LOAD_INPUT,
    OP_COUNT, /* adds to a counter that all threads share */
    OP_SHUFFLE,
    OP_VOTE,
    OP_REDUCE,
    OP_EXCHANGE,    /* through shared memory, with barriers */
    OP_CHAIN,       /* a sum, difference or product with the carry flag; mode: enum chain */
    OP_LOAD_WIDE,   /* 8 or 16 bytes of input of the lanes that are aligned; mode: log2 of words */
    OP_STORE_WIDE,  /* such a store, and a load of what it left */
    OP_LOAD_NAMED,  /* from variables without their state space; mode: enum named */
    OP_CALL_VECTOR, /* the function, through one that takes and gives vector registers */
    OP_BROADCAST,   /* one thread's word through a shared variable, by its name */
    OP_SUM,         /* of all threads, by atomics on a shared variable, by its name */
    OP_POSITION,    /* computes from two special registers, in registers of its own */
    OP_HALVES,      /* takes a register apart, or puts one together; mode: enum halves */
    OP_PRODUCT,     /* mma or wmma.mma */
    OP_MATRIX_LOAD, /* wmma.load */
    OP_MATRIX_STORE,
    OP_LDMATRIX,
    OP_ROWS, /* loads of factors by four lanes each, and perhaps a swizzle; mode: log2 of words */
    OP_SCRATCH,     /* words of a warp's memory of sums; mode: 1 stores */
    OP_MATRIX_LANE, /* a thread's registers of matrices; mode: enum matrix_lane */
    OP_APART,       /* lanes of a warp exchange values wherever they are; mode: enum apart */
    OP_SPLIT,       /* a mask of the members whose predicate is equal */
    OP_KEEP,        /* stores results, before a branch to OP_LEAVE */
    OP_LEAVE,       /* exits at once */
    OP_RETURN,
};

/* In table: the register with the member mask (0: all lanes); whether the value is loaded from
 * input first; whether a shuffle reads the first member. A result of REGISTERS and a target of
 * PREDICATES are never used. */
enum apart {
    APART_UP,
    APART_DOWN,
    APART_BFLY,
    APART_IDX,
    APART_ALL,
    APART_ANY,
    APART_BALLOT,
    APART_SUM,
    APART_MOST,
    APART_ODD,
    APART_SAME,
    APART_EQUAL,
    APART_BARRIER,
    APARTS
};

/* The second register of two is table[0]. */
enum halves {
    HALVES_OF_64,
    HALVES_TO_64,
    HALVES_OF_32,
    HALVES_TO_32,
    HALVES_OF_POSITION, /* the upper half of a special register times one number, plus another */
    HALVES
};

struct source {
    bool is_immediate;
    uint8_t index;
    uint64_t immediate; /* of a register: what is added to it */
};

struct instruction {
    enum op op;
    uint8_t result, mode;
    int8_t guard; /* a predicate, or -1 */
    bool guard_negated;
    struct source sources[4];
    enum op
        steps[POSITION_STEPS]; /* OP_POSITION: of sources, the last result, the second register */
    uint16_t target, table[TABLE];
    struct matrix_use matrix;
};

struct code {
    struct instruction list[CODE_MAX];
    unsigned count, labels;
    uint16_t places[CODE_MAX]; /* of labels */
};

struct kernel {
    struct code body, function;
    unsigned block[3], blocks;
    bool whole_warps;
    bool newer;      /* of the second generation: more instructions, and registers of their own for
                        addresses, so that they are affine */
    bool positioned; /* of the third: special registers are read anywhere */
    bool has_matrices; /* some of the fourth */
    bool has_halves; /* of the fifth: registers are taken apart; and products of wmma write nothing
                        that they read */
    bool has_apart;  /* of the sixth: lanes of a warp meet while they are apart */
    struct matrix_setup matrices;
    uint32_t parameter;
    /* What each register is at the start; see kernel_make.c. */
    uint8_t starts[REGISTERS];
    uint32_t start_values[REGISTERS];
    uint32_t input[INPUT_WORDS];
};

static inline unsigned kernel_block_threads(const struct kernel *kernel)
{
    return kernel->block[0] * kernel->block[1] * kernel->block[2];
}

static inline unsigned kernel_threads(const struct kernel *kernel)
{
    return kernel_block_threads(kernel) * kernel->blocks;
}

/* Whether an exchange has a result, and a predicate as one. */
static inline bool kernel_apart_has_result(const struct instruction *one)
{
    return one->op == OP_SPLIT ||
           (one->mode != APART_ALL && one->mode != APART_ANY && one->mode != APART_BARRIER);
}

static inline bool kernel_apart_has_answer(const struct instruction *one)
{
    return one->op == OP_APART && (one->mode <= APART_ANY || one->mode == APART_EQUAL);
}

enum start {
    START_TID,
    START_GLOBAL,
    START_BLOCK,
    START_LANE,
    START_VALUE,
    START_INPUT,
    START_PARAMETER,
    STARTS
};

enum chain {
    CHAIN_ADD,
    CHAIN_SUB,
    CHAIN_MAD_LOW,
    CHAIN_MAD_HIGH,
    CHAIN_KIND = 3,
    CHAIN_IN = 4,  /* takes the flag */
    CHAIN_OUT = 8, /* gives it */
    CHAIN_WIDE = 16,
};
/* Special registers: two of them, in table[0] and table[1] of the instruction. */
enum position {
    POSITION_TID_X,
    POSITION_TID_Y,
    POSITION_TID_Z,
    POSITION_LANE,
    POSITION_MASK_EQ,
    POSITION_MASK_LE,
    POSITION_MASK_LT,
    POSITION_MASK_GE,
    POSITION_MASK_GT,
    POSITION_BLOCK,
    POSITION_BLOCKS,
    POSITION_THREADS_X,
    POSITION_THREADS_Y,
    POSITION_THREADS_Z,
    POSITIONS
};
enum named { NAMED_LOCAL, NAMED_GLOBAL, NAMED_CONST, NAMED_STORE_LOCAL, NAMEDS };
enum shuffle { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BFLY, SHUFFLE_IDX };
enum vote { VOTE_ALL, VOTE_ANY, VOTE_BALLOT };

/* How a word of a thread's own memory is found: one after the other, or one of each thread. */
enum { MODE_SPREAD = 1, MODE_SHIFT = 1 /* log2 of bytes, in the bits above */ };

enum { GENERATIONS = 6 };

/* A seed makes the same kernel for ever, in each generation, from 1 on. */
void kernel_make(struct kernel *kernel, uint64_t seed, unsigned size, unsigned generation);
/* Words of memory behind the threads' own: pairs and fours of words, each of them of the first
 * thread whose word is part of it. */
static inline size_t kernel_wide_words(const struct kernel *kernel)
{
    return kernel->newer ? (kernel_threads(kernel) + 7) / 4 * 4 : 0;
}
/* Words behind those: of each warp, for sums of matrices. */
static inline size_t kernel_scratch_words(const struct kernel *kernel)
{
    return kernel->has_matrices ? (size_t)kernel_threads(kernel) / 32 * SCRATCH_WORDS : 0;
}
static inline size_t kernel_scratch_start(const struct kernel *kernel)
{
    return (size_t)kernel_threads(kernel) * PRIVATE_WORDS * 2 + 2 * kernel_wide_words(kernel);
}
/* What a thread leaves behind, in words. */
static inline unsigned kernel_result_words(const struct kernel *kernel)
{
    return RESULT_WORDS + (kernel->has_matrices ? MATRIX_REGISTERS : 0);
}
/* The word of a variable of the module. */
static inline uint32_t kernel_table_word(unsigned index)
{
    return 0x9e3779b9u * (index + 1);
}
/* The text; ends with a zero byte. False when it does not fit. */
bool kernel_print(const struct kernel *kernel, char *text, size_t bytes);

/* What a launch leaves: results, the private memory and the counters, as the kernel lays them out.
 * False when a thread does not end, which is a mistake of the generator. */
bool kernel_model(const struct kernel *kernel, uint32_t *results, uint32_t *memory,
                  uint32_t *counters);

extern const char *const kernel_op_texts[], *const kernel_op_sources[];
extern const char kernel_op_results[];

#endif
