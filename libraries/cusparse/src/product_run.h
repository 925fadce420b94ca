/* SPDX-License-Identifier: MIT */
/* Products of a sparse matrix with a dense one: y = alpha * op(a) * op(x) + beta * y. */
#ifndef CUSPARSE_PRODUCT_RUN_H
#define CUSPARSE_PRODUCT_RUN_H

#include "sparse.h"

struct sparse_product {
    struct cusparseSpMatDescr a;
    struct cusparseDnMatDescr x, y; /* a vector is a matrix of one column */
    cusparseOperation_t op_a, op_x;
    struct sparse_scalar alpha, beta;
    cudaDataType scalars;  /* the type of alpha and beta */
    cudaDataType computed; /* that of the sums */
};

/* Work of a stream; the arguments are a struct sparse_product. */
CUresult sparse_product_run(void *arguments);

/* A dense matrix in the type of sums with its rows in one piece: the matrix itself if it is that
 * already, or a copy, which the caller frees by free(owned). */
struct sparse_packed {
    const void *values;
    int64_t ld;
    void *owned;
};

CUresult sparse_pack(struct sparse_packed *packed, const struct cusparseDnMatDescr *matrix,
                     int batch, cusparseOperation_t operation, cudaDataType computed);

/* The address of matrix `batch` of a batch. */
static inline void *sparse_batch_values(const struct cusparseDnMatDescr *matrix, int batch)
{
    return sparse_at(matrix->values, batch * matrix->batch_stride, sparse_bytes(matrix->type));
}

#endif
