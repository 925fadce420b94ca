/* SPDX-License-Identifier: MIT */
/* Groups of batches of products, each group with sizes of its own. All groups are checked before
 * the first is submitted. The sizes lie in host memory, the pointers to matrices in device memory.
 */
#include "gemm_ex.h"

#include "element.h"

/* The arrays of a call; `wide`: those of sizes have 64-bit elements. */
struct groups {
    const cublasOperation_t *transa, *transb;
    const void *m, *n, *k, *lda, *ldb, *ldc, *sizes;
    const void *alpha, *beta;
    const void *a, *b, *c;
    cudaDataType_t a_type, b_type, c_type;
    int64_t count;
    cublasComputeType_t compute;
    bool wide;
};

static int64_t size_at(const struct groups *groups, const void *array, int64_t index)
{
    return groups->wide ? ((const int64_t *)array)[index] : ((const int *)array)[index];
}

/* Group `index`, whose matrices begin with number `first` of the arrays. */
static struct blas_typed_gemm group_at(const struct groups *groups, int64_t index, int64_t first)
{
    const cudaDataType_t scale =
        groups->compute == CUBLAS_COMPUTE_64F || groups->compute == CUBLAS_COMPUTE_64F_PEDANTIC
            ? CUDA_R_64F
        : groups->compute == CUBLAS_COMPUTE_16F ? CUDA_R_16F
                                                : CUDA_R_32F;
    const size_t scale_bytes = blas_element_bytes(scale);

    return (struct blas_typed_gemm){.transa = groups->transa[index],
                                    .transb = groups->transb[index],
                                    .m = size_at(groups, groups->m, index),
                                    .n = size_at(groups, groups->n, index),
                                    .k = size_at(groups, groups->k, index),
                                    .alpha = blas_at(groups->alpha, index, scale_bytes),
                                    .beta = blas_at(groups->beta, index, scale_bytes),
                                    .a = {blas_pointers((void *const *)groups->a + first),
                                          groups->a_type, size_at(groups, groups->lda, index)},
                                    .b = {blas_pointers((void *const *)groups->b + first),
                                          groups->b_type, size_at(groups, groups->ldb, index)},
                                    .c = {blas_pointers((void *const *)groups->c + first),
                                          groups->c_type, size_at(groups, groups->ldc, index)},
                                    .count = size_at(groups, groups->sizes, index),
                                    .compute = groups->compute};
}

static cublasStatus_t run_groups(cublasHandle_t handle, const char *name,
                                 const struct groups *groups)
{
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    int64_t first = 0;

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (groups->count < 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (groups->count == 0)
        return CUBLAS_STATUS_SUCCESS;
    if (!groups->transa || !groups->transb || !groups->m || !groups->n || !groups->k ||
        !groups->lda || !groups->ldb || !groups->ldc || !groups->sizes || !groups->alpha ||
        !groups->beta || !groups->a || !groups->b || !groups->c)
        return CUBLAS_STATUS_INVALID_VALUE;
    for (int64_t i = 0; i < groups->count && status == CUBLAS_STATUS_SUCCESS; i++) {
        struct blas_typed_gemm gemm = group_at(groups, i, first);

        status = blas_check_typed_gemm(handle, &gemm);
        first += gemm.count;
    }
    first = 0;
    for (int64_t i = 0; i < groups->count && status == CUBLAS_STATUS_SUCCESS; i++) {
        struct blas_typed_gemm gemm = group_at(groups, i, first);

        status = blas_typed_gemm(handle, name, &gemm);
        first += gemm.count;
    }
    return status;
}

#define GROUPED_TYPED(function, suffix, size, t, type, compute_type, is_wide)                      \
    cublasStatus_t function##suffix(                                                               \
        cublasHandle_t handle, const cublasOperation_t transa_array[],                             \
        const cublasOperation_t transb_array[], const size m_array[], const size n_array[],        \
        const size k_array[], const t alpha_array[], const t *const Aarray[],                      \
        const size lda_array[], const t *const Barray[], const size ldb_array[],                   \
        const t beta_array[], t *const Carray[], const size ldc_array[], size group_count,         \
        const size group_size[])                                                                   \
    {                                                                                              \
        const struct groups groups = {transa_array, transb_array, m_array,      n_array,           \
                                      k_array,      lda_array,    ldb_array,    ldc_array,         \
                                      group_size,   alpha_array,  beta_array,   Aarray,            \
                                      Barray,       Carray,       type,         type,              \
                                      type,         group_count,  compute_type, is_wide};          \
                                                                                                   \
        return run_groups(handle, #function, &groups);                                             \
    }

#define GROUPED_EX(suffix, size, is_wide)                                                          \
    cublasStatus_t cublasGemmGroupedBatchedEx##suffix(                                             \
        cublasHandle_t handle, const cublasOperation_t transa_array[],                             \
        const cublasOperation_t transb_array[], const size m_array[], const size n_array[],        \
        const size k_array[], const void *alpha_array, const void *const Aarray[],                 \
        cudaDataType_t Atype, const size lda_array[], const void *const Barray[],                  \
        cudaDataType_t Btype, const size ldb_array[], const void *beta_array,                      \
        void *const Carray[], cudaDataType_t Ctype, const size ldc_array[], size group_count,      \
        const size group_size[], cublasComputeType_t computeType)                                  \
    {                                                                                              \
        const struct groups groups = {transa_array, transb_array, m_array,     n_array,            \
                                      k_array,      lda_array,    ldb_array,   ldc_array,          \
                                      group_size,   alpha_array,  beta_array,  Aarray,             \
                                      Barray,       Carray,       Atype,       Btype,              \
                                      Ctype,        group_count,  computeType, is_wide};           \
                                                                                                   \
        return run_groups(handle, "cublasGemmGroupedBatchedEx", &groups);                          \
    }

GROUPED_TYPED(cublasSgemmGroupedBatched, , int, float, CUDA_R_32F, CUBLAS_COMPUTE_32F, false)
GROUPED_TYPED(cublasSgemmGroupedBatched, _64, int64_t, float, CUDA_R_32F, CUBLAS_COMPUTE_32F, true)
GROUPED_TYPED(cublasDgemmGroupedBatched, , int, double, CUDA_R_64F, CUBLAS_COMPUTE_64F, false)
GROUPED_TYPED(cublasDgemmGroupedBatched, _64, int64_t, double, CUDA_R_64F, CUBLAS_COMPUTE_64F, true)
GROUPED_EX(, int, false)
GROUPED_EX(_64, int64_t, true)
