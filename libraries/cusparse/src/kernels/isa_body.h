/* SPDX-License-Identifier: MIT */
/* All pairs of types for one instruction set, whose table is ISA_TABLE. pair_body.h is included for
 * each pair and makes the loops. */
#include "isa.h"

#include "elements.h"

#include <complex.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

/* How far ahead of a row the arrays are fetched into the caches, and the rows of x. */
enum { PREFETCH_ELEMENTS = 256, PREFETCH_ROWS = 64, CACHE_LINE = 64 };

/* Products with vectors take CHUNK_ROWS rows at a time. Short ones of different lengths are added
 * by GROUP_ROWS, those of equal lengths by EQUAL_STEP elements; a row that is not longer than
 * PLAIN_ROW may be added without vector instructions. */
enum { CHUNK_ROWS = 64, GROUP_ROWS = 8, EQUAL_STEP = 8, PLAIN_ROW = 32 };

/* The rows of a slice whose sums are made together, and how many steps ahead of them the arrays are
 * fetched. */
enum { SLICE_LANES = 16, SLICE_AHEAD = 8 };

/* The elements of a COO matrix whose order is looked at before they are multiplied, and how many a
 * row must have on average for sums in vectors. */
enum { LINE_ELEMENTS = 256, LINE_DENSITY = 2 };

/* How many vectors of 64 bytes, twice, the registers hold. */
#ifdef __AVX512F__
#define WIDEST_VECTORS 4
#else
#define WIDEST_VECTORS 2
#endif

/* The side of the largest blocks whose products with vectors have loops of their own. */
enum { SMALL_SIDE = 4 };

/* The elements of a row, and the place of the last but one of the matrix. */
struct sparse_span {
    int64_t begin, end, last;
};

static inline __attribute__((always_inline)) void prefetch_vectors(const void *row, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += CACHE_LINE)
        __builtin_prefetch((const char *)row + at);
}

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

#define PAIR f32_f32
#define STORED float
#define SUM float
#define LOAD(x) (x)
#define STORE(x) (x)
#include "pair_body.h"

#define PAIR f64_f64
#define STORED double
#define SUM double
#define LOAD(x) (x)
#define STORE(x) (x)
#include "pair_body.h"

#define PAIR c32_c32
#define STORED float _Complex
#define SUM float _Complex
#define COMPLEX_SUM
#define LOAD(x) (x)
#define STORE(x) (x)
#define CONJUGATE(x) conjf(x)
#include "pair_body.h"

#define PAIR c64_c64
#define STORED double _Complex
#define SUM double _Complex
#define COMPLEX_SUM
#define LOAD(x) (x)
#define STORE(x) (x)
#define CONJUGATE(x) conj(x)
#include "pair_body.h"

#define PAIR f16_f32
#define STORED uint16_t
#define SUM float
#define LOAD(x) lib_f16_value(x)
#define STORE(x) lib_f16_bits(x)
#include "pair_body.h"

#define PAIR b16_f32
#define STORED uint16_t
#define SUM float
#define LOAD(x) lib_bf16_value(x)
#define STORE(x) lib_bf16_bits(x)
#include "pair_body.h"

#define PAIR c16_c32
#define STORED struct pair16
#define SUM float _Complex
#define COMPLEX_SUM
#define LOAD(x) complex_float(lib_f16_value((x).re), lib_f16_value((x).im))
#define STORE(x) ((struct pair16){lib_f16_bits(crealf(x)), lib_f16_bits(cimagf(x))})
#define CONJUGATE(x) conjf(x)
#include "pair_body.h"

#define PAIR cb16_c32
#define STORED struct pair16
#define SUM float _Complex
#define COMPLEX_SUM
#define LOAD(x) complex_float(lib_bf16_value((x).re), lib_bf16_value((x).im))
#define STORE(x) ((struct pair16){lib_bf16_bits(crealf(x)), lib_bf16_bits(cimagf(x))})
#define CONJUGATE(x) conjf(x)
#include "pair_body.h"

#define PAIR i8_i32
#define STORED int8_t
#define SUM int32_t
#define LOAD(x) (x)
#define STORE(x) ((int8_t)(x))
#include "pair_body.h"

#define PAIR i8_f32
#define STORED int8_t
#define SUM float
#define LOAD(x) (x)
#define STORE(x) ((int8_t)(x))
#include "pair_body.h"

#define PAIR i32_i32
#define STORED int32_t
#define SUM int32_t
#define LOAD(x) (x)
#define STORE(x) (x)
#include "pair_body.h"

#define PAIR f32_c32
#define STORED float
#define SUM float _Complex
#define COMPLEX_SUM
#define LOAD(x) (x)
#define STORE(x) crealf(x)
#include "pair_body.h"

#define PAIR f32_f64
#define STORED float
#define SUM double
#define LOAD(x) (x)
#define STORE(x) ((float)(x))
#include "pair_body.h"

#define PAIR f64_c64
#define STORED double
#define SUM double _Complex
#define COMPLEX_SUM
#define LOAD(x) (x)
#define STORE(x) creal(x)
#include "pair_body.h"

#define ROW_LOOPS(pair, width)                                                                     \
    {                                                                                              \
        pair##_##width##_row_sums, pair##_##width##_line_sums, pair##_##width##_row_tiles,         \
            pair##_##width##_scatter, pair##_##width##_slice_sums                                  \
    }
#define PAIR_ENTRY(pair, stored, computed)                                                         \
    {                                                                                              \
        stored, computed,                                                                          \
            {ROW_LOOPS(pair, 32_32), ROW_LOOPS(pair, 64_32), ROW_LOOPS(pair, 64_64)}, pair##_load, \
            pair##_finish, pair##_dot, pair##_add, pair##_block_line                               \
    }

const struct sparse_pair ISA_TABLE[SPARSE_PAIRS] = {
    PAIR_ENTRY(f32_f32, CUDA_R_32F, CUDA_R_32F), PAIR_ENTRY(f64_f64, CUDA_R_64F, CUDA_R_64F),
    PAIR_ENTRY(c32_c32, CUDA_C_32F, CUDA_C_32F), PAIR_ENTRY(c64_c64, CUDA_C_64F, CUDA_C_64F),
    PAIR_ENTRY(f16_f32, CUDA_R_16F, CUDA_R_32F), PAIR_ENTRY(b16_f32, CUDA_R_16BF, CUDA_R_32F),
    PAIR_ENTRY(c16_c32, CUDA_C_16F, CUDA_C_32F), PAIR_ENTRY(cb16_c32, CUDA_C_16BF, CUDA_C_32F),
    PAIR_ENTRY(i8_i32, CUDA_R_8I, CUDA_R_32I),   PAIR_ENTRY(i8_f32, CUDA_R_8I, CUDA_R_32F),
    PAIR_ENTRY(i32_i32, CUDA_R_32I, CUDA_R_32I), PAIR_ENTRY(f32_c32, CUDA_R_32F, CUDA_C_32F),
    PAIR_ENTRY(f64_c64, CUDA_R_64F, CUDA_C_64F), PAIR_ENTRY(f32_f64, CUDA_R_32F, CUDA_R_64F),
};
