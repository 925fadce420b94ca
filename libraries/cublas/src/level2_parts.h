/* SPDX-License-Identifier: MIT */
/* What the functions that compute level 2 share: scalars, parts of vectors, and OpenBLAS' integers.
 */
#ifndef CUBLAS_LEVEL2_PARTS_H
#define CUBLAS_LEVEL2_PARTS_H

#include "blas.h"
#include "element.h"
#include "level2_run.h"

static inline struct blas_complex blas_value_of(enum blas_type type, const void *address)
{
    return blas_load(blas_data_type(type), address, 0);
}

static inline bool blas_is_zero(struct blas_complex value)
{
    return value.re == 0 && value.im == 0;
}

/* The part of a vector of n elements that BLAS wants for begin ... begin + length - 1. */
static inline void *blas_part(const void *vector, int64_t n, int64_t step, int64_t begin,
                              int64_t length, size_t bytes)
{
    return blas_at(vector, step < 0 ? (begin + length - n) * step : begin * step, bytes);
}

/* The sizes of a job in OpenBLAS' integers. */
struct blas_sizes {
    openblas_int m, n, k, a, b, c;
};

static inline struct blas_sizes blas_sizes_of(const struct blas_job *job)
{
    return (struct blas_sizes){(openblas_int)job->m,      (openblas_int)job->n,
                               (openblas_int)job->k,      (openblas_int)job->a.step,
                               (openblas_int)job->b.step, (openblas_int)job->c.step};
}

/* Scales y of n elements. Returns false if alpha is 0 and there is nothing to add. */
bool blas_begin_product(const struct blas_job *job, int64_t n);

/* Tells whether an update ends before it begins, and how: an alpha of 0, which may lie in device
 * memory, changes nothing, and any other wants the operands, which blas_add_scaled() has not named
 * if they are NULL. `two` has y. */
bool blas_update_is_settled(const struct blas_job *job, bool two, CUresult *result);

#endif
