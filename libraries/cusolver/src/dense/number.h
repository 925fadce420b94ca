/* SPDX-License-Identifier: MIT */
/* Elements of any type as complex doubles, for loops that are not worth a form for each type. */
#ifndef CUSOLVER_NUMBER_H
#define CUSOLVER_NUMBER_H

#include "lapack.h"

#include <complex.h>

static inline double complex number_load(enum openblas_type type, const void *a, int64_t index)
{
    if (!lapack_is_complex(type))
        return lapack_get(type, a, index);
    return lapack_get(type, a, 2 * index) + lapack_get(type, a, 2 * index + 1) * I;
}

static inline void number_store(enum openblas_type type, void *a, int64_t index,
                                double complex value)
{
    if (!lapack_is_complex(type)) {
        lapack_set(type, a, index, creal(value));
        return;
    }
    lapack_set(type, a, 2 * index, creal(value));
    lapack_set(type, a, 2 * index + 1, cimag(value));
}

#endif
