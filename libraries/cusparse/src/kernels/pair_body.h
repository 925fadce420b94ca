/* SPDX-License-Identifier: MIT */
/* The loops for one pair of types: PAIR names it, STORED and SUM are its types, LOAD and STORE
 * convert. rows_body.h is included for each pair of index types, blocks_body.h once. */
#ifndef CONJUGATE
#define CONJUGATE(x) (x)
#endif

/* Vectors of sums, or of the parts of complex ones. Two vectors take turns, so that one addition
 * does not wait for the other. Those of complex numbers hold the products with the real and with
 * the imaginary parts of the elements; the second is multiplied by i at the end. */
typedef __typeof__(__real__(SUM) 0) JOIN(PAIR, _part);
#define WIDE_VECTOR JOIN(PAIR, _wide_vector)
#define NARROW_VECTOR JOIN(PAIR, _narrow_vector)
#define LEAST_VECTOR JOIN(PAIR, _least_vector)
typedef JOIN(PAIR, _part) WIDE_VECTOR
    __attribute__((vector_size(64), aligned(sizeof(JOIN(PAIR, _part))), may_alias));
typedef JOIN(PAIR, _part) NARROW_VECTOR
    __attribute__((vector_size(32), aligned(sizeof(JOIN(PAIR, _part))), may_alias));
typedef JOIN(PAIR, _part) LEAST_VECTOR
    __attribute__((vector_size(16), aligned(sizeof(JOIN(PAIR, _part))), may_alias));
enum {
    JOIN(PAIR, _widest_columns) = WIDEST_VECTORS * sizeof(WIDE_VECTOR) / sizeof(SUM),
    JOIN(PAIR, _wide_columns) = 2 * sizeof(WIDE_VECTOR) / sizeof(SUM),
    JOIN(PAIR, _narrow_columns) = sizeof(NARROW_VECTOR) / sizeof(SUM),
    JOIN(PAIR, _least_columns) = sizeof(LEAST_VECTOR) / sizeof(SUM)
};
#define WIDEST_COLUMNS JOIN(PAIR, _widest_columns)
#define WIDE_COLUMNS JOIN(PAIR, _wide_columns)
#define NARROW_COLUMNS JOIN(PAIR, _narrow_columns)
#define LEAST_COLUMNS JOIN(PAIR, _least_columns)

/* What a block of columns computes with, for vectors (VECTOR) and for single numbers (NUMBER). */
#define ADD_NUMBER(sum, other, value, x) ((sum) += (value) * (x))
#define ADD_PAIR_NUMBER(sum, other, a, x, b, y) ((sum) += (a) * (x), (other) += (b) * (y))
#define JOIN_NUMBER(VECTOR, sum, other) ((sum) += (other))
#define SCALE_NUMBER(VECTOR, x, value) ((x) *= (value))
#define TURN_NUMBER(VECTOR, x) ((void)(x))
#define PUT_NUMBER(to, value, x, turned) ((to) += (value) * (x))
#ifdef COMPLEX_SUM
#define ADD_VECTOR(sum, other, value, x)                                                           \
    ((sum) += __real__(value) * (x), (other) += __imag__(value) * (x))
#define ADD_PAIR_VECTOR(sum, other, a, x, b, y)                                                    \
    (ADD_VECTOR(sum, other, a, x), ADD_VECTOR(sum, other, b, y))
#define JOIN_VECTOR(VECTOR, sum, other) (JOIN(times_i_, VECTOR)(&(other)), (sum) += (other))
#define SCALE_VECTOR(VECTOR, x, value) JOIN(scale_, VECTOR)(&(x), value)
#define TURN_VECTOR(VECTOR, x) JOIN(times_i_, VECTOR)(&(x))
#define PUT_VECTOR(to, value, x, turned)                                                           \
    ((to) += __real__(value) * (x) + __imag__(value) * (turned))

/* A vector times i, whose parts change places, and times a number. */
#define OF_COMPLEX(VECTOR)                                                                         \
    static inline void JOIN(times_i_, VECTOR)(VECTOR * x)                                          \
    {                                                                                              \
        VECTOR turned = *x;                                                                        \
                                                                                                   \
        for (size_t i = 0; i < sizeof(VECTOR) / sizeof(JOIN(PAIR, _part)); i += 2) {               \
            turned[i] = -(*x)[i + 1];                                                              \
            turned[i + 1] = (*x)[i];                                                               \
        }                                                                                          \
        *x = turned;                                                                               \
    }                                                                                              \
                                                                                                   \
    static inline void JOIN(scale_, VECTOR)(VECTOR * x, SUM value)                                 \
    {                                                                                              \
        VECTOR turned = __imag__(value) * *x;                                                      \
                                                                                                   \
        JOIN(times_i_, VECTOR)(&turned);                                                           \
        *x = __real__(value) * *x + turned;                                                        \
    }
OF_COMPLEX(WIDE_VECTOR)
OF_COMPLEX(NARROW_VECTOR)
OF_COMPLEX(LEAST_VECTOR)
#undef OF_COMPLEX
#else
#define ADD_VECTOR ADD_NUMBER
#define ADD_PAIR_VECTOR ADD_PAIR_NUMBER
#define JOIN_VECTOR JOIN_NUMBER
#define SCALE_VECTOR SCALE_NUMBER
#define TURN_VECTOR TURN_NUMBER
#define PUT_VECTOR PUT_NUMBER
#endif

#ifndef COMPLEX_SUM
/* Vectors of GROUP_ROWS sums, and of as many integers of their size. */
#define LANES_VECTOR JOIN(PAIR, _lanes_vector)
#define LANES_MASK JOIN(PAIR, _lanes_mask)
typedef __typeof__(__builtin_choose_expr(sizeof(SUM) == 8, (int64_t)0, (int32_t)0)) JOIN(PAIR,
                                                                                         _lane);
typedef SUM LANES_VECTOR
    __attribute__((vector_size(GROUP_ROWS * sizeof(SUM)), aligned(sizeof(SUM)), may_alias));
typedef JOIN(PAIR, _lane) LANES_MASK
    __attribute__((vector_size(GROUP_ROWS * sizeof(SUM)), aligned(sizeof(SUM)), may_alias));

/* The next products of a row, and zeros in place of those of other rows; by address, because not
 * every processor returns such vectors in one way. */
static inline void JOIN(PAIR, _take_lanes)(LANES_VECTOR *to, const SUM *products, int32_t count)
{
    static const JOIN(PAIR, _lane)
        ones[2 * GROUP_ROWS] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};

    count = count < 0 ? 0 : count > GROUP_ROWS ? GROUP_ROWS : count;
    *to = (LANES_VECTOR)(*(const LANES_MASK *)products &
                         *(const LANES_MASK *)(ones + GROUP_ROWS - count));
}

/* Sums of GROUP_ROWS rows: row i has the products from begin[i] to begin[i + 1]. A vector takes as
 * many products of a row as it has lanes, so that lengths that differ cost no wrong guesses of the
 * processor. `products` and `sums` may be read and written behind their end, for one vector. */
static inline void JOIN(PAIR, _add_rows)(const SUM *products, const int32_t *begin, SUM *sums)
{
    LANES_VECTOR rows[GROUP_ROWS];
    int32_t most = 0;

    for (int i = 0; i < GROUP_ROWS; i++) {
        int32_t count = begin[i + 1] - begin[i];

        most = count > most ? count : most;
        JOIN(PAIR, _take_lanes)(&rows[i], products + begin[i], count);
    }
    for (int32_t j = GROUP_ROWS; j < most; j += GROUP_ROWS)
        for (int i = 0; i < GROUP_ROWS; i++) {
            int32_t place = begin[i] + j < begin[i + 1] ? begin[i] + j : begin[i];
            LANES_VECTOR more;

            JOIN(PAIR, _take_lanes)(&more, products + place, begin[i + 1] - begin[i] - j);
            rows[i] += more;
        }
    for (int i = 0; i < GROUP_ROWS; i += 2)
        rows[i] = __builtin_shufflevector(rows[i], rows[i + 1], 0, 8, 2, 10, 4, 12, 6, 14) +
                  __builtin_shufflevector(rows[i], rows[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    for (int i = 0; i < GROUP_ROWS; i += 4)
        rows[i] = __builtin_shufflevector(rows[i], rows[i + 2], 0, 1, 8, 9, 4, 5, 12, 13) +
                  __builtin_shufflevector(rows[i], rows[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    *(LANES_VECTOR *)sums = __builtin_shufflevector(rows[0], rows[4], 0, 1, 2, 3, 8, 9, 10, 11) +
                            __builtin_shufflevector(rows[0], rows[4], 4, 5, 6, 7, 12, 13, 14, 15);
}

#ifdef __AVX2__
/* The first lanes of vectors in memory; `mask` is -1 in these lanes and 0 in the others. Vectors of
 * these types are aligned as their elements are. */
static inline void JOIN(PAIR, _load_lanes)(LANES_VECTOR *to, const SUM *from,
                                           const LANES_MASK *mask)
{
#ifdef __AVX512VL__
    if (sizeof(SUM) == sizeof(float)) {
        const __mmask8 lanes = _mm256_movepi32_mask(_mm256_loadu_si256((const void *)mask));

        _mm256_storeu_ps((float *)to, _mm256_maskz_loadu_ps(lanes, from));
    } else {
        const __mmask8 lanes = _mm512_movepi64_mask(_mm512_loadu_si512(mask));

        _mm512_storeu_pd(to, _mm512_maskz_loadu_pd(lanes, from));
    }
#else
    for (size_t i = 0; i < sizeof(*to) / sizeof(__m256); i++)
        _mm256_storeu_ps((float *)to + 8 * i,
                         _mm256_maskload_ps((const float *)from + 8 * i,
                                            _mm256_loadu_si256((const __m256i_u *)mask + i)));
#endif
}

static inline void JOIN(PAIR, _store_lanes)(SUM *to, const LANES_VECTOR *from,
                                            const LANES_MASK *mask)
{
    for (size_t i = 0; i < sizeof(*from) / sizeof(__m256); i++)
        _mm256_maskstore_ps((float *)to + 8 * i, _mm256_loadu_si256((const __m256i_u *)mask + i),
                            _mm256_loadu_ps((const float *)from + 8 * i));
}
#endif

/* How many elements CHUNK_ROWS rows have at most that are multiplied first. Others are added one
 * by one, and those of wide sums, if they are not long, without vector instructions. */
enum {
    JOIN(PAIR, _plain_rows) = sizeof(SUM) > sizeof(float),
    JOIN(PAIR, _products_most) = (JOIN(PAIR, _plain_rows) ? 8 : 24) * CHUNK_ROWS
};
#define PLAIN_ROWS JOIN(PAIR, _plain_rows)
#define PRODUCTS_MOST JOIN(PAIR, _products_most)
#else
#define PLAIN_ROWS 0
#endif

#define OFFSET int32_t
#define INDEX int32_t
#define ROWS JOIN(PAIR, _32_32_)
#include "rows_body.h"

#define OFFSET int64_t
#define INDEX int32_t
#define ROWS JOIN(PAIR, _64_32_)
#include "rows_body.h"

#define OFFSET int64_t
#define INDEX int64_t
#define ROWS JOIN(PAIR, _64_64_)
#include "rows_body.h"

#include "blocks_body.h"

static void JOIN(PAIR, _load)(void *to, int64_t to_step, const void *from, int64_t from_step,
                              int64_t count, bool conjugates)
{
    const STORED *in = from;
    SUM *out = to;

    for (int64_t i = 0; i < count; i++) {
        SUM value = LOAD(in[i * from_step]);

        out[i * to_step] = conjugates ? CONJUGATE(value) : value;
    }
}

static void JOIN(PAIR, _finish)(void *y, int64_t y_step, const void *sums, int64_t sum_step,
                                int64_t count, const void *alpha, const void *beta)
{
    const SUM a = *(const SUM *)alpha, b = *(const SUM *)beta, *in = sums;
    STORED *out = y;

    if (b == 0) {
        for (int64_t i = 0; i < count; i++) {
            SUM value = a * in[i * sum_step];

            out[i * y_step] = STORE(value);
        }
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        SUM old = LOAD(out[i * y_step]), value = a * in[i * sum_step] + b * old;

        out[i * y_step] = STORE(value);
    }
}

static void JOIN(PAIR, _dot)(const void *x, const void *y, int64_t count, void *result)
{
    const SUM *left = x, *right = y;
    SUM sum = 0;

    for (int64_t i = 0; i < count; i++)
        sum += left[i] * right[i];
    *(SUM *)result = sum;
}

static void JOIN(PAIR, _add)(void *to, const void *from, int64_t count)
{
    const SUM *in = from;
    SUM *out = to;

    for (int64_t i = 0; i < count; i++)
        out[i] += in[i];
}

#undef PAIR
#undef STORED
#undef SUM
#undef LOAD
#undef STORE
#undef CONJUGATE
#undef COMPLEX_SUM
#undef ADD_NUMBER
#undef ADD_PAIR_NUMBER
#undef JOIN_NUMBER
#undef SCALE_NUMBER
#undef TURN_NUMBER
#undef PUT_NUMBER
#undef ADD_VECTOR
#undef ADD_PAIR_VECTOR
#undef JOIN_VECTOR
#undef SCALE_VECTOR
#undef TURN_VECTOR
#undef PUT_VECTOR
#undef PLAIN_ROWS
#undef PRODUCTS_MOST
#undef LANES_VECTOR
#undef LANES_MASK
#undef WIDE_VECTOR
#undef NARROW_VECTOR
#undef LEAST_VECTOR
#undef WIDEST_COLUMNS
#undef WIDE_COLUMNS
#undef NARROW_COLUMNS
#undef LEAST_COLUMNS
