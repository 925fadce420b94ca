/* SPDX-License-Identifier: MIT */
/* Products of matrices of f32 or f64 in rows, by OpenBLAS. */
#ifndef DNN_ENGINE_GEMM_H
#define DNN_ENGINE_GEMM_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

/* A matrix whose rows lie `ld` numbers apart. */
struct dnn_matrix {
    const void *data;
    int64_t ld;
    bool transposed; /* it is used as its transpose */
};

/* c[m][n] = alpha * a[m][k] * b[k][n] + beta * c. c is not read if beta is 0.
 * CUDA_ERROR_NOT_SUPPORTED without OpenBLAS. */
CUresult dnn_gemm(bool wide, int64_t m, int64_t n, int64_t k, double alpha, struct dnn_matrix a,
                  struct dnn_matrix b, double beta, void *c, int64_t ldc);

#endif
