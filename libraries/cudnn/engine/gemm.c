/* SPDX-License-Identifier: MIT */
/* OpenBLAS' matrices lie in columns: a matrix in rows is its transpose, and the transpose of a
 * product is the product of the transposes, the other way round. */
#include "gemm.h"

#include "openblas.h"

#include <limits.h>

CUresult dnn_gemm(bool wide, int64_t m, int64_t n, int64_t k, double alpha, struct dnn_matrix a,
                  struct dnn_matrix b, double beta, void *c, int64_t ldc)
{
    const struct openblas *blas = openblas();
    openblas_int rows = (openblas_int)n, columns = (openblas_int)m, depth = (openblas_int)k;
    openblas_int lda = (openblas_int)a.ld, ldb = (openblas_int)b.ld, ld = (openblas_int)ldc;
    float single_alpha = (float)alpha, single_beta = (float)beta;
    const void *factor = wide ? (const void *)&alpha : (const void *)&single_alpha;
    const void *addend = wide ? (const void *)&beta : (const void *)&single_beta;

    if (!blas || m > INT_MAX || n > INT_MAX || k > INT_MAX || a.ld > INT_MAX || b.ld > INT_MAX ||
        ldc > INT_MAX)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (m > 0 && n > 0)
        blas->gemm[wide ? OPENBLAS_D : OPENBLAS_S](
            b.transposed ? "T" : "N", a.transposed ? "T" : "N", &rows, &columns, &depth, factor,
            b.data, &ldb, a.data, &lda, addend, c, &ld, 1, 1);
    return CUDA_SUCCESS;
}
