/* SPDX-License-Identifier: MIT */
/* Matrices of the four types for the tests of cuSOLVER, and the handle. */
#ifndef SOLVER_TEST_H
#define SOLVER_TEST_H

#include "matrices.h"

#include <cusolverDn.h>

#define check_solver(call) check((call) == CUSOLVER_STATUS_SUCCESS)

static const cudaDataType data_types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};

static inline enum type real_of(enum type type)
{
    return type == C ? S : type == Z ? D : type;
}

static inline cusolverDnHandle_t new_solver(void)
{
    cusolverDnHandle_t handle = NULL;

    with_context();
    check_solver(cusolverDnCreate(&handle));
    return handle;
}

static inline void array_download(struct array *array)
{
    void *packed = calloc(array->count, bytes_of(array->type));

    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(packed, array->memory, array->count * bytes_of(array->type)));
    for (size_t i = 0; i < array->count; i++)
        array->values[i] = unpack(array->type, packed, i);
    free(packed);
}

/* An n x n Hermitian matrix; `shift` on the diagonal makes it positive definite. */
static inline struct array hermitian(enum type type, size_t n, double shift)
{
    struct array a = array_new(type, n * n);

    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i <= j; i++) {
            if (i == j)
                a.values[i + j * n] = creal(a.values[i + j * n]) + shift;
            a.values[j + i * n] = conj(a.values[i + j * n]);
        }
    array_upload(&a);
    return a;
}

static inline struct array integers(size_t count)
{
    struct array a = array_new(S, count); /* memory of 4 bytes each */

    check_success(cuMemsetD32(a.memory, 0xffffff85, count));
    check_success(cuCtxSynchronize());
    return a;
}

static inline int integer_at(const struct array *array, size_t index)
{
    int value = 0;

    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(&value, array->memory + index * sizeof(value), sizeof(value)));
    return value;
}

static inline struct array bytes_of_work(size_t bytes)
{
    return array_new(S, bytes / 4 + 1);
}

/* The largest difference between A and the product of m x k and k x n matrices. */
static inline double product_error(const double complex *a, size_t lda, const double complex *x,
                                   size_t ldx, const double complex *y, size_t ldy, size_t m,
                                   size_t k, size_t n)
{
    double error = 0;

    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < m; i++) {
            double complex sum = 0;

            for (size_t l = 0; l < k; l++)
                sum += x[i + l * ldx] * y[l + j * ldy];
            error = fmax(error, cabs(sum - a[i + j * lda]));
        }
    return error;
}

#endif
