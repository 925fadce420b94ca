/* SPDX-License-Identifier: MIT */
/* The computing half of level 2: each function takes a struct blas_job. Vectors are operands whose
 * step is the increment: b is x, c is y. */
#ifndef CUBLAS_LEVEL2_RUN_H
#define CUBLAS_LEVEL2_RUN_H

#include "blas.h"

lib_work blas_run_gemv; /* y = alpha op(a) x + beta y */
lib_work blas_run_gbmv; /* the same with kl and ku bands */
lib_work blas_run_ger;  /* a = alpha x y' + a; hermitian: y is conjugated */
lib_work blas_run_symv; /* y = alpha a x + beta y; hermitian: hemv */
lib_work blas_run_sbmv; /* with k bands; hermitian: hbmv */
lib_work blas_run_spmv; /* packed; hermitian: hpmv */
lib_work blas_run_syr;  /* a = alpha x x' + a; hermitian: her, whose alpha is real */
lib_work blas_run_syr2;
lib_work blas_run_spr;
lib_work blas_run_spr2;
lib_work blas_run_trmv; /* x = op(a) x; and so on */
lib_work blas_run_trsv;
lib_work blas_run_tbmv;
lib_work blas_run_tbsv;
lib_work blas_run_tpmv;
lib_work blas_run_tpsv;

/* gemv on single matrices, for batches. Increments of 0 are allowed. */
void blas_gemv(enum blas_type type, char trans, int64_t m, int64_t n, const void *alpha,
               const void *a, int64_t lda, const void *x, int64_t incx, const void *beta, void *y,
               int64_t incy);

#endif
