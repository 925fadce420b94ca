/* SPDX-License-Identifier: MIT */
/* The unit that multiplies matrices: a tile of 16 rows and 8 columns, D = A B + C.
 *
 * Floats are summed as an H200 does: products are exact, all terms of an element are truncated a
 * fixed number of bits below the leading bit of the largest term and added, and the sum is
 * truncated. The largest term is the one with the largest sum of exponents before normalisation.
 * Integers wrap around or saturate. Operands arrive as cores: 8 rows of A, or 8 columns of B, with
 * 16 bytes of each. A fragment of mma holds one core a register; wgmma's descriptors address cores.
 */
#ifndef CUP_EXEC_MATRIX_MMA_H
#define CUP_EXEC_MATRIX_MMA_H

#include "ptx/program.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    CUP_MMA_ROWS = 16,
    CUP_MMA_COLUMNS = 8,
    CUP_MMA_DEPTH = 64, /* elements of a row: the most of all shapes */
    CUP_MMA_CORE_BYTES = 128,
    CUP_MMA_A_CORES = 4,     /* of A: the most of all shapes */
    CUP_MMA_FAST_DEPTH = 32, /* the most of floats */
    CUP_MMA_WINDOW = 25      /* of sums, but for those of 8-bit floats by wgmma */
};

/* Exponents as bytes. The code of a number of 2^e is e + CUP_MMA_CODE_BIAS; of zero and of numbers
 * below 2^CUP_MMA_CODE_LEAST, 0. So the sum of two codes that are not 0 is larger than any sum with
 * a 0, and a byte holds it. */
enum {
    CUP_MMA_CODE_LEAST = -40,
    CUP_MMA_CODE_MOST = 23,
    CUP_MMA_CODE_BIAS = 104,
    CUP_MMA_SUM_BIAS = 2 * CUP_MMA_CODE_BIAS - 127
};

/* What the exponent field of the largest term is at least: that of a product of two numbers with
 * codes, and of a term that no product with a number without a code exceeds. */
enum {
    CUP_MMA_LEAST_TOP = 127 + 2 * CUP_MMA_CODE_LEAST,
    CUP_MMA_LEAST_TOP_WITH_TINY = 127 + CUP_MMA_CODE_LEAST + CUP_MMA_CODE_MOST,
    CUP_MMA_NO_TOP = 32, /* of sums that are 0 */
    CUP_MMA_NO_CODE = CUP_MMA_NO_TOP + CUP_MMA_SUM_BIAS
};

/* How sums are formed. */
struct cup_mma_rule {
    enum ptx_type a, b, c, d;
    uint8_t depth;
    bool saturate; /* integers */
    bool negate;   /* the products */
    /* Elements of 8 bits are converted to .f16 and multiplied in two steps, the lower pairs of each
     * four first; C is added to the result. */
    bool in_halves;
    /* CUPIPE_MATH=fast, and C and D are .f32: products are added one by one, and each sum is
     * rounded to nearest. */
    bool is_fast;
    uint8_t window; /* bits kept below the leading bit of the largest term */
    uint8_t kept;   /* bits of the sum */
};

/* What a matrix holds besides numbers that have a code. */
struct cup_mma_kinds {
    bool plain; /* nothing larger: neither infinities nor NaNs */
    bool tiny;  /* something smaller that is not 0 */
};

struct cup_mma {
    struct cup_mma_rule rule;
    struct cup_mma_kinds a_kinds, b_kinds;
    float a[CUP_MMA_DEPTH][CUP_MMA_ROWS] __attribute__((aligned(64)));
    uint8_t a_codes[CUP_MMA_DEPTH][CUP_MMA_ROWS] __attribute__((aligned(64)));
    float b[CUP_MMA_COLUMNS][CUP_MMA_DEPTH] __attribute__((aligned(64)));
    uint8_t b_codes[CUP_MMA_COLUMNS][CUP_MMA_DEPTH] __attribute__((aligned(64)));
    /* C, then D: .f32 also for .f16, or integers. */
    union {
        float c[CUP_MMA_COLUMNS][CUP_MMA_ROWS];
        int32_t c_whole[CUP_MMA_COLUMNS][CUP_MMA_ROWS];
    } __attribute__((aligned(64)));
    /* For fast products, in the order of fragments: each element of A four times, and for each k
     * the even columns of B, then the odd ones. */
    float a_spread[CUP_MMA_FAST_DEPTH][CUP_MMA_ROWS][4] __attribute__((aligned(64)));
    float b_turned[CUP_MMA_FAST_DEPTH][2][4] __attribute__((aligned(64)));
    /* What A was set from last: instructions often have A in common. */
    bool a_known;
    struct cup_mma_rule a_rule;
    uint8_t a_cores[CUP_MMA_A_CORES * CUP_MMA_CORE_BYTES] __attribute__((aligned(64)));
};

/* The rule of mma (or wgmma) for these types. */
struct cup_mma_rule cup_mma_rule_of(const uint8_t types[4], unsigned depth, bool is_group);

/* Forgets what is there. */
void cup_mma_init(struct cup_mma *tensor);
/* Sets A: cores of rows 0 to 7 and 8 to 15, in turn. */
void cup_mma_set_a(struct cup_mma *tensor, const uint8_t *cores);
void cup_mma_set_b(struct cup_mma *tensor, const uint8_t *cores);
/* Reads C from, and writes D to, the registers of a fragment: rows of 32 words, by lane. */
void cup_mma_set_c(struct cup_mma *tensor, const uint32_t *words);
void cup_mma_get_d(const struct cup_mma *tensor, uint32_t *words);
void cup_mma_clear_c(struct cup_mma *tensor);

/* D = A B + C. */
void cup_mma_multiply(struct cup_mma *tensor);
/* The same of fragments, by a fast rule. Without `c` it is 0; `c` and `d` may be the same. */
void cup_mma_multiply_fast(struct cup_mma *tensor, const uint32_t *c, uint32_t *d);

/* Products of 16 bytes, two chunks, of elements of 16 bits: operands that are decoded once for many
 * products, and columns of C and D in memory. */
struct cup_mma_a {
    struct cup_mma_kinds kinds;
    float values[CUP_MMA_ROWS][CUP_MMA_ROWS] __attribute__((aligned(64))); /* by k */
    union {
        uint8_t codes[CUP_MMA_ROWS][CUP_MMA_ROWS] __attribute__((aligned(64)));
        struct { /* of mma_avx512.c: rows 0 to 7 and 8 to 15, each code 8 times */
            uint8_t codes[CUP_MMA_ROWS][2][64] __attribute__((aligned(64)));
        } tile;
    };
};

struct cup_mma_b {
    struct cup_mma_kinds kinds;
    union {
        struct {
            float values[CUP_MMA_COLUMNS][CUP_MMA_DEPTH] __attribute__((aligned(64)));
            uint8_t codes[CUP_MMA_COLUMNS][CUP_MMA_DEPTH] __attribute__((aligned(64)));
        };
        struct { /* of mma_avx512.c; codes by k, of columns 0, 4, 1, 5, 2, 6, 3 and 7 */
            float values[CUP_MMA_COLUMNS][CUP_MMA_ROWS] __attribute__((aligned(64)));
            uint8_t codes[CUP_MMA_ROWS][CUP_MMA_COLUMNS] __attribute__((aligned(64)));
        } tile;
    };
};

/* The columns of a tile: C, then D. */
typedef float cup_mma_columns[CUP_MMA_COLUMNS][CUP_MMA_ROWS];

void cup_mma_decode_a(const struct cup_mma_rule *rule, const uint8_t *cores, struct cup_mma_a *a);
void cup_mma_decode_b(const struct cup_mma_rule *rule, const uint8_t *cores, struct cup_mma_b *b);
/* C += A B, by a rule that may be a fast one. */
void cup_mma_multiply_columns(const struct cup_mma_rule *rule, const struct cup_mma_a *a,
                              const struct cup_mma_b *b, cup_mma_columns *c);

/* One element: the sum of `count` products and c, of any floats. For .f16 it is not rounded yet;
 * its last bit says whether bits were lost. */
float cup_mma_sum(const struct cup_mma_rule *rule, const float *a, const float *b, unsigned count,
                  float c);

/* Chooses the vector code by name (plain, avx2, avx512), for tests; false if this processor has no
 * such instructions. Otherwise the widest is used. */
bool cup_mma_choose(const char *name);

/* An element of `word`, as a float; .f64 not. */
float cup_mma_element(enum ptx_type type, uint32_t word, unsigned at);
/* Rounds to .f16 and back. */
float cup_mma_round_half(float value);
uint32_t cup_mma_half_bits(float value);
uint32_t cup_mma_float_bits(float value);
/* The value; a NaN becomes NVIDIA's. */
float cup_mma_canonical(float value);

#endif
