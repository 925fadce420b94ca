/* SPDX-License-Identifier: MIT */
/* Operands whose leading dimension or increment OpenBLAS' integers cannot express. A function of
 * level 2 or 3 that cannot be split into columns gets them packed. */
#ifndef CUBLAS_COMPACT_H
#define CUBLAS_COMPACT_H

#include "blas.h"

#include <limits.h>

/* Rows and columns of an operand in its memory; a vector is a row. 0 rows: it stays as it is. */
struct blas_shape {
    int64_t rows, columns;
};

struct blas_shapes {
    struct blas_shape a, b, c;
    char written; /* 'a', 'b' or 'c' */
};

static inline struct blas_shape blas_vector_shape(int64_t n)
{
    return (struct blas_shape){1, n};
}

static inline bool blas_fits(int64_t value)
{
    return value >= -INT_MAX && value <= INT_MAX;
}

/* Computes with steps that fit. */
typedef void blas_fitting(const struct blas_job *job);

/* Calls `run` with the job, or with one whose operands are packed, a part of the rows at a time if
 * the square matrix stands at the right. */
CUresult blas_compact(const struct blas_job *job, const struct blas_shapes *shapes,
                      blas_fitting *run);

#endif
