/* SPDX-License-Identifier: MIT */
/* Sparse matrices in compressed rows, or in compressed columns if they are transposed. The numbers
 * of all four types are complex doubles here. */
#ifndef CUSOLVER_SPARSE_MATRIX_H
#define CUSOLVER_SPARSE_MATRIX_H

#include "lapack.h"

#include <complex.h>
#include <cusolverSp.h>
#include <stdbool.h>

struct sparse_matrix {
    int rows, columns; /* `start` has rows + 1 elements */
    int *start, *index;
    double complex *value; /* NULL: a pattern alone */
};

/* A matrix as a program gives it. */
struct sparse_input {
    enum openblas_type type;
    int rows, columns, count, base;
    const int *start, *index;
    const void *value; /* NULL: a pattern alone */
};

/* Copies a matrix, with indices from 0. Returns INVALID_VALUE if an index is out of bounds. The
 * result is freed with sparse_free() in all cases. */
cusolverStatus_t sparse_read(const struct sparse_input *input, struct sparse_matrix *result);

/* Room for a matrix; false without memory. */
bool sparse_allocate(struct sparse_matrix *matrix, int rows, int columns, int64_t count,
                     bool has_values);

bool sparse_transpose(const struct sparse_matrix *matrix, struct sparse_matrix *result);

/* Safe for a zero-initialised matrix. */
void sparse_free(struct sparse_matrix *matrix);

/* Adds `shift` to the diagonal; entries that the pattern lacks are added. */
bool sparse_add_diagonal(struct sparse_matrix *matrix, double complex shift);

double complex sparse_load(enum openblas_type type, const void *array, int64_t index);
void sparse_store(enum openblas_type type, void *array, int64_t index, double complex value);

/* The base of indices that a descriptor of cuSPARSE says. */
cusolverStatus_t sparse_base(const cusparseMatDescr_t descriptor, int *base);

#endif
