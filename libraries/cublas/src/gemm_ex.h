/* SPDX-License-Identifier: MIT */
/* Products whose types are arguments, by libraries/product. */
#ifndef CUBLAS_GEMM_EX_H
#define CUBLAS_GEMM_EX_H

#include "batch.h"

struct blas_typed_matrix {
    struct blas_batch batch;
    cudaDataType_t type;
    int64_t ld;
};

/* A product, or a batch of them, whose arguments are not checked yet. */
struct blas_typed_gemm {
    cublasOperation_t transa, transb;
    int64_t m, n, k;
    const void *alpha, *beta;
    struct blas_typed_matrix a, b, c;
    int64_t count;
    cublasComputeType_t compute;
};

cublasStatus_t blas_check_typed_gemm(cublasHandle_t handle, const struct blas_typed_gemm *gemm);

/* Checks the arguments and submits the product. */
cublasStatus_t blas_typed_gemm(cublasHandle_t handle, const char *name,
                               const struct blas_typed_gemm *gemm);

#endif
