/* SPDX-License-Identifier: MIT */
/* The checking half of level 2: each function checks a call's arguments, names its operands and
 * submits its work. Vectors are operands whose step is the increment: b is x, c is y. */
#ifndef CUBLAS_LEVEL2_H
#define CUBLAS_LEVEL2_H

#include "level2_run.h"

/* The ways to store a matrix of which a triangle or a band counts. */
enum blas_storage { BLAS_FULL, BLAS_BAND, BLAS_PACKED };

cublasStatus_t blas_gemv_call(cublasHandle_t handle, const char *name, enum blas_type type,
                              cublasOperation_t trans, int64_t m, int64_t n, const void *alpha,
                              const void *A, int64_t lda, const void *x, int64_t incx,
                              const void *beta, void *y, int64_t incy);
cublasStatus_t blas_gbmv_call(cublasHandle_t handle, const char *name, const char *routine,
                              struct blas_job job, const void *alpha, const void *beta);
cublasStatus_t blas_ger_call(cublasHandle_t handle, const char *name, const char *routine,
                             struct blas_job job, const void *alpha);

/* symv, sbmv, spmv, and the Hermitian ones. */
cublasStatus_t blas_symv_call(cublasHandle_t handle, const char *name, const char *routine,
                              enum blas_storage storage, struct blas_job job, const void *alpha,
                              const void *beta);

/* syr, syr2, spr, spr2, and the Hermitian ones: `two` has y. */
cublasStatus_t blas_rank_update_call(cublasHandle_t handle, const char *name, const char *routine,
                                     enum blas_storage storage, bool two, struct blas_job job,
                                     const void *alpha);

/* trmv, tbmv, tpmv, and those that solve. */
cublasStatus_t blas_triangular_call(cublasHandle_t handle, const char *name, const char *routine,
                                    enum blas_storage storage, lib_work *run, struct blas_job job);

#endif
