/* SPDX-License-Identifier: MIT */
/* Elements of vectors of any type, one at a time, as complex numbers of doubles. It is the slow
 * way, for types and increments that OpenBLAS does not have. */
#ifndef CUBLAS_ELEMENT_H
#define CUBLAS_ELEMENT_H

#include <library_types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct blas_complex {
    double re, im;
};

/* Bytes of an element; 0: the type is not one of vectors. */
size_t blas_element_bytes(cudaDataType_t type);

bool blas_element_is_complex(cudaDataType_t type);

/* Reads and writes element `index` of an array. A real element ignores the imaginary part. */
struct blas_complex blas_load(cudaDataType_t type, const void *array, int64_t index);
void blas_store(cudaDataType_t type, void *array, int64_t index, struct blas_complex value);

static inline struct blas_complex blas_multiply(struct blas_complex a, struct blas_complex b)
{
    return (struct blas_complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static inline struct blas_complex blas_plus(struct blas_complex a, struct blas_complex b)
{
    return (struct blas_complex){a.re + b.re, a.im + b.im};
}

static inline struct blas_complex blas_conjugate(struct blas_complex a)
{
    return (struct blas_complex){a.re, -a.im};
}

#endif
