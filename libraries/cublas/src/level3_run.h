/* SPDX-License-Identifier: MIT */
/* The computing half of level 3: each function takes a struct blas_job. */
#ifndef CUBLAS_LEVEL3_RUN_H
#define CUBLAS_LEVEL3_RUN_H

#include "blas.h"

lib_work blas_run_gemm;  /* c = alpha op(a) op(b) + beta c, over k */
lib_work blas_run_symm;  /* c = alpha a b + beta c, or b a; hermitian: hemm */
lib_work blas_run_syrk;  /* a triangle of c = alpha op(a) op(a)' + beta c; hermitian: herk */
lib_work blas_run_syr2k; /* hermitian: her2k */
lib_work blas_run_syrkx; /* a triangle of c = alpha op(a) op(b)' + beta c; hermitian: herkx */
lib_work blas_run_trmm;  /* c = alpha op(a) b, or b op(a); c may be b */
lib_work blas_run_trsm;  /* b = alpha inverse(op(a)) b, or b inverse(op(a)) */

#endif
