/* SPDX-License-Identifier: MIT */
/* Triangular systems op(a) * y = alpha * op(x), for all functions that solve them. */
#ifndef CUSPARSE_SOLVE_H
#define CUSPARSE_SOLVE_H

#include "levels.h"
#include "sparse.h"

struct sparse_solve {
    struct cusparseSpMatDescr a;
    struct cusparseDnMatDescr x, y; /* a vector is a matrix of one column; they may be the same */
    cusparseOperation_t op_a, op_x;
    bool writes_transposed; /* y is written as op_x(y) */
    struct sparse_scalar alpha;
    cudaDataType computed;
    struct sparse_levels *levels; /* of the matrix; NULL: none are known */
};

/* Work of a stream; the arguments are a struct sparse_solve. */
CUresult sparse_solve_run(void *arguments);

/* Makes the levels of the first matrix of the batch. */
CUresult sparse_solve_analyse(const struct sparse_solve *solve);

#endif
