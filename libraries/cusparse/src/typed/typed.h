/* SPDX-License-Identifier: MIT */
/* The loops that the four types of the functions with a letter have: float, double, and complex
 * numbers of both. typed_body.h is compiled for each. */
#ifndef CUSPARSE_TYPED_H
#define CUSPARSE_TYPED_H

#include "view.h"

enum { NO_PIVOT = -1 };

/* A triangular system: which triangle of the matrix counts, and how. */
struct sparse_triangle {
    bool upper, unit, transposed, conjugates;
};

/* What replaces pivots that are too small. */
struct sparse_boost {
    bool enabled;
    double tolerance;
    double value[2];
};

struct sparse_typed {
    /* x = inverse of op(triangle) * x for columns of x, whose rows lie `ld` apart: the rows that
     * `order` names, if what they need was solved before; without one all `count` rows. */
    void (*solve_rows)(const struct sparse_view *view, const struct sparse_triangle *triangle,
                       const int64_t *order, int64_t count, void *x, int64_t ld, int64_t columns);
    /* x *= *alpha */
    void (*scale)(void *x, const void *alpha, int64_t count);
    /* values[i] = alpha * element (row, indices[i]) of a * b. sums has as many elements as b has
     * columns. */
    void (*gemm_row)(const struct sparse_view *a, const struct sparse_view *b, int64_t row,
                     void *sums, const int64_t *indices, int64_t count, const void *alpha,
                     void *values);
    /* Incomplete factorisation without fill, in place; the first row whose pivot is 0, or -1. */
    int64_t (*ilu0)(const struct sparse_view *view, void *values, const struct sparse_boost *boost);
    int64_t (*ic0)(const struct sparse_view *view, void *values);
    /* One tridiagonal system; lines with a step. Pivoting or not. `scratch` has 4 * n elements. */
    void (*tridiagonal)(int64_t n, int64_t step, const void *lower, const void *diagonal,
                        const void *upper, void *x, bool pivots, void *scratch);
    /* One pentadiagonal system; `scratch` has 5 * n elements. */
    void (*pentadiagonal)(int64_t n, int64_t step, const void *const bands[5], void *x,
                          void *scratch);
    /* *out = *alpha * *x, += for the second; NULL factors are left out. */
    void (*combine)(void *out, const void *alpha, const void *x, const void *beta, const void *y);
    /* The magnitude, for comparisons with thresholds. */
    double (*magnitude)(const void *x);
};

extern const struct sparse_typed sparse_typed_float, sparse_typed_double,
    sparse_typed_complex_float, sparse_typed_complex_double;

/* The loops of a type; NULL: it is not one of the four. */
static inline const struct sparse_typed *sparse_typed(cudaDataType type)
{
    switch (type) {
    case CUDA_R_32F:
        return &sparse_typed_float;
    case CUDA_R_64F:
        return &sparse_typed_double;
    case CUDA_C_32F:
        return &sparse_typed_complex_float;
    case CUDA_C_64F:
        return &sparse_typed_complex_double;
    default:
        return NULL;
    }
}

#endif
