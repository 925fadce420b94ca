/* SPDX-License-Identifier: MIT */
/* Products of matrices by OpenBLAS with sizes and leading dimensions of 64 bits. */
#ifndef LIBRARIES_OPENBLAS_GEMM_H
#define LIBRARIES_OPENBLAS_GEMM_H

#include "openblas.h"

/* c = alpha op(a) op(b) + beta c. OpenBLAS is there; alpha and beta are of the type. */
void lib_gemm(enum openblas_type type, char transa, char transb, int64_t m, int64_t n, int64_t k,
              const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
              const void *beta, void *c, int64_t ldc);

#endif
