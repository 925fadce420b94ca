/* SPDX-License-Identifier: MIT */
/* OpenBLAS' matrices lie in columns: a matrix in rows is its transpose, and the transpose of a
 * product is the product of the transposes, the other way round. */
#include "gemm.h"

#include "openblas_gemm.h"

CUresult dnn_gemm(bool wide, int64_t m, int64_t n, int64_t k, double alpha, struct dnn_matrix a,
                  struct dnn_matrix b, double beta, void *c, int64_t ldc)
{
    float single_alpha = (float)alpha, single_beta = (float)beta;
    const void *factor = wide ? (const void *)&alpha : (const void *)&single_alpha;
    const void *addend = wide ? (const void *)&beta : (const void *)&single_beta;

    if (!openblas())
        return CUDA_ERROR_NOT_SUPPORTED;
    lib_gemm(wide ? OPENBLAS_D : OPENBLAS_S, b.transposed ? 'T' : 'N', a.transposed ? 'T' : 'N', n,
             m, k, factor, b.data, b.ld, a.data, a.ld, addend, c, ldc);
    return CUDA_SUCCESS;
}
