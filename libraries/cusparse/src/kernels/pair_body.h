/* SPDX-License-Identifier: MIT */
/* The loops for one pair of types: PAIR names it, STORED and SUM are its types, LOAD and STORE
 * convert. rows_body.h is included for each pair of index types, blocks_body.h once. */
#ifndef CONJUGATE
#define CONJUGATE(x) (x)
#endif

/* Vectors of sums. There are none of complex numbers. */
#ifdef COMPLEX_SUM
#define WIDE_VECTOR SUM
#define NARROW_VECTOR SUM
#define LEAST_VECTOR SUM
enum {
    JOIN(PAIR, _wide_columns) = 2,
    JOIN(PAIR, _narrow_columns) = 1,
    JOIN(PAIR, _least_columns) = 1
};
#else
#define WIDE_VECTOR JOIN(PAIR, _wide_vector)
#define NARROW_VECTOR JOIN(PAIR, _narrow_vector)
#define LEAST_VECTOR JOIN(PAIR, _least_vector)
typedef SUM WIDE_VECTOR __attribute__((vector_size(64), aligned(sizeof(SUM)), may_alias));
typedef SUM NARROW_VECTOR __attribute__((vector_size(32), aligned(sizeof(SUM)), may_alias));
typedef SUM LEAST_VECTOR __attribute__((vector_size(16), aligned(sizeof(SUM)), may_alias));
enum {
    JOIN(PAIR, _wide_columns) = 2 * sizeof(WIDE_VECTOR) / sizeof(SUM),
    JOIN(PAIR, _narrow_columns) = sizeof(NARROW_VECTOR) / sizeof(SUM),
    JOIN(PAIR, _least_columns) = sizeof(LEAST_VECTOR) / sizeof(SUM)
};
#endif
#define WIDE_COLUMNS JOIN(PAIR, _wide_columns)
#define NARROW_COLUMNS JOIN(PAIR, _narrow_columns)
#define LEAST_COLUMNS JOIN(PAIR, _least_columns)

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
#undef WIDE_VECTOR
#undef NARROW_VECTOR
#undef LEAST_VECTOR
#undef WIDE_COLUMNS
#undef NARROW_COLUMNS
#undef LEAST_COLUMNS
