/* SPDX-License-Identifier: MIT */
/* Products of two sparse matrices, when work runs. */
#ifndef CUSPARSE_GEMM_RUN_H
#define CUSPARSE_GEMM_RUN_H

#include "sparse.h"

#include <stdatomic.h>

/* A product in memory of the library: CSR with indices from 0 on, and values of type `type`. Work
 * that copies it holds a reference. */
struct sparse_gemm_result {
    atomic_int references;
    int64_t rows, nnz, products;
    int64_t *offsets, *indices;
    void *values; /* NULL: only the structure */
    cudaDataType type;
};

struct sparse_gemm {
    struct cusparseSpMatDescr a, b, c;
    struct sparse_scalar alpha, beta;
    cudaDataType scalars, computed; /* the types of alpha and beta, and of sums */
    bool structure_only;
    struct sparse_gemm_result *result; /* what the work makes, with one reference */
};

void sparse_gemm_release(struct sparse_gemm_result *result);

/* Computes a product; the arguments are a struct sparse_gemm, which gets the result. */
CUresult sparse_gemm_run(void *arguments);

/* Writes c = alpha * a * b + beta * c into the structure that c has. */
CUresult sparse_gemm_again_run(void *arguments);

#endif
