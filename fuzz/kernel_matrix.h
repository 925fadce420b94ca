/* SPDX-License-Identifier: MIT */
/* Matrices in random kernels: mma, wmma and ldmatrix on registers %m of their own.
 *
 * Sums do not depend on their order: integers, or floats that are small whole numbers. So every
 * register has a kind that all instructions keep, whatever the control flow: factors of floats are
 * at most 8, and what is added to sums is bounded. A kernel has one family of forms, whose factors
 * are of one kind; any shape may use any of the registers. */
#ifndef KERNEL_MATRIX_H
#define KERNEL_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /* registers: of factors, of sums of 32 bits, of sums of 16 bits */
    MATRIX_FACTORS = 32,
    MATRIX_SUMS = 40,
    MATRIX_HALVES = 16,
    MATRIX_REGISTERS = MATRIX_FACTORS + MATRIX_SUMS + MATRIX_HALVES,
    FACTOR_WORDS = 1024,  /* of memory that holds factors, in global and in shared memory */
    SCRATCH_WORDS = 1024, /* of memory of a warp for sums, likewise */
    ROW_WORDS = 128,      /* of shared memory of a warp for factors: four of each lane */
    SCRATCH_SUMS = 704,   /* of those the words of sums of 32 bits; behind them are halves */
    HALF_MOST = 512,      /* sums are clamped to this before they become halves */
};

enum element {
    ELEMENT_S8,
    ELEMENT_U8,
    ELEMENT_S4,
    ELEMENT_U4,
    ELEMENT_B1,
    ELEMENT_F16,
    ELEMENT_BF16,
    ELEMENT_TF32,
    ELEMENT_F32,
    ELEMENT_S32,
};

enum matrix_family { FAMILY_HALF, FAMILY_BF16, FAMILY_TF32, FAMILY_INTEGER, FAMILIES };

enum matrix_part_name { PART_A, PART_B, PART_C, PART_D, PARTS };

enum { FORM_SATURATES = 1, FORM_XOR = 2, FORM_AND = 4 };

struct matrix_form {
    enum matrix_family family;
    bool wmma;
    uint16_t m, n, k;
    enum element types[PARTS];
    unsigned flags;
};

extern const struct matrix_form matrix_forms[];
extern const unsigned matrix_form_count;
extern const char *const matrix_element_names[];
extern const unsigned matrix_element_bits[];

/* What a register holds: any bits, or whole numbers in floats. */
enum matrix_kind { KIND_WORD, KIND_F16, KIND_BF16, KIND_F32 };

/* Number i of the registers of an operand is first + (i + turn) % count. */
struct matrix_registers {
    uint8_t first, count, turn;
};

enum matrix_space { SPACE_GLOBAL, SPACE_SHARED, SPACE_GENERIC_GLOBAL, SPACE_GENERIC_SHARED };

/* Under which condition a warp executes the instruction; that of all lanes. */
enum matrix_guard { ALWAYS, IN_LOOP, ODD_WARPS };

enum matrix_lane {
    LANE_MOVE,
    LANE_NEGATE,
    LANE_MIN,
    LANE_MAX,
    LANE_ADD,
    LANE_FROM,
    LANE_TO,
    LANE_ZERO
};

struct matrix_use {
    uint8_t form, part, space, guard;
    bool columns; /* lines in memory are columns */
    struct matrix_registers parts[PARTS];
    uint16_t offset; /* in bytes */
    uint16_t stride; /* of lines, in elements; of words or rows of lanes */
};

struct matrix_setup {
    enum matrix_family family;
    bool columns[2]; /* of A and B in memory */
    bool has_shared; /* otherwise all matrices are in global memory, and threads need not meet */
    /* Few forms, operands at multiples of 8, so that sums are kept in tiles, and little code
     * besides. */
    bool is_neat;
    uint8_t forms[2];
    uint16_t kept; /* a bit for each 8 registers whose values a thread leaves behind */
    uint32_t factors[FACTOR_WORDS];
};

enum matrix_kind matrix_kind_of(enum matrix_family family, unsigned reg);
unsigned matrix_rows(const struct matrix_form *form, enum matrix_part_name part);
unsigned matrix_columns(const struct matrix_form *form, enum matrix_part_name part);
/* The registers that hold a matrix, and how many the instruction lists: fragments of .f16 of wmma
 * have 8, the first of which are those that differ. */
unsigned matrix_distinct(const struct matrix_form *form, enum matrix_part_name part);
unsigned matrix_listed(const struct matrix_form *form, enum matrix_part_name part);

static inline bool matrix_is_kept(const struct matrix_setup *setup, unsigned reg)
{
    return setup->kept >> reg / 8 & 1;
}

static inline unsigned matrix_register(const struct matrix_registers *registers, unsigned i)
{
    return registers->first + (i + registers->turn) % registers->count;
}

/* The bits of a whole number. */
uint32_t matrix_f16_of(int64_t value);
uint32_t matrix_f32_of(int64_t value);

#endif
