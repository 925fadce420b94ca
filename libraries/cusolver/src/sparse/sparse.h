/* SPDX-License-Identifier: MIT */
/* Handles of cuSOLVER for sparse matrices, and solutions that several of its functions share. */
#ifndef CUSOLVER_SPARSE_H
#define CUSOLVER_SPARSE_H

#include "lu.h"
#include "solver.h"

#include <cusolverSp.h>

struct cusolverSpContext {
    struct lib_object base;
    CUstream stream;
};

extern const struct lib_object_type sparse_handle_type;

static inline bool sparse_is_handle(cusolverSpHandle_t handle)
{
    return lib_object_is(handle, &sparse_handle_type);
}

/* Names the arrays of a matrix in device memory as operands. */
void sparse_add_matrix(struct solver_ranges *ranges, const struct sparse_input *input);

/* The checks that all functions share: handle, sizes, arrays, descriptor, whose base is set. */
cusolverStatus_t sparse_check(cusolverSpHandle_t handle, const cusparseMatDescr_t descriptor,
                              struct sparse_input *input);

enum sparse_reorder { SPARSE_NATURAL, SPARSE_RCM, SPARSE_DEGREE, SPARSE_DISSECTION };

/* Factors a matrix after it was put in order; `shift` is added to its diagonal before. */
cusolverStatus_t sparse_factor(const struct sparse_input *input, double complex shift, int reorder,
                               enum sparse_pivots pivots, double threshold, struct sparse_lu *lu);

/* Solves with factors; b and x have the type's numbers. */
cusolverStatus_t sparse_solve(const struct sparse_lu *lu, enum openblas_type type, const void *b,
                              void *x);

/* Least squares of a matrix with at least as many rows as columns, by dense QR with pivots. `type`
 * is that of b and x. `order` and `residual` may be NULL. */
cusolverStatus_t sparse_least_squares(const struct sparse_input *input, enum openblas_type type,
                                      const void *b, double tolerance, int *rank, void *x,
                                      int *order, double *residual);

#endif
