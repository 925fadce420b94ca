/* SPDX-License-Identifier: MIT */
/* Products whose types are arguments. The combinations are those that CUDA 13.0's cuBLAS takes. */
#include "gemm_ex.h"

#include "element.h"
#include "product/product.h"

enum { TYPES_END = 16 }; /* the types from there on are no operands of these functions */

/* Families of compute types, as bits. */
enum family { HALF = 1, SINGLE = 2, DOUBLE = 4, INTEGER = 8 };

static const struct {
    cudaDataType_t ab, c;
    unsigned families;
} combinations[] = {
    {CUDA_R_16F, CUDA_R_16F, HALF | SINGLE}, {CUDA_R_16F, CUDA_R_32F, SINGLE},
    {CUDA_R_16BF, CUDA_R_16BF, SINGLE},      {CUDA_R_16BF, CUDA_R_32F, SINGLE},
    {CUDA_R_32F, CUDA_R_32F, SINGLE},        {CUDA_C_32F, CUDA_C_32F, SINGLE},
    {CUDA_R_8I, CUDA_R_32F, SINGLE},         {CUDA_C_8I, CUDA_C_32F, SINGLE},
    {CUDA_R_64F, CUDA_R_64F, DOUBLE},        {CUDA_C_64F, CUDA_C_64F, DOUBLE},
    {CUDA_R_8I, CUDA_R_32I, INTEGER},
};

static unsigned family_of(cublasComputeType_t compute)
{
    switch ((int)compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
        return HALF;
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC:
    case CUBLAS_COMPUTE_32F_FAST_16F:
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32:
    case CUBLAS_COMPUTE_32F_EMULATED_16BFX9:
        return SINGLE;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
    case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT:
        return DOUBLE;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
        return INTEGER;
    default:
        return 0;
    }
}

static bool combination_exists(const struct blas_typed_gemm *gemm)
{
    for (size_t i = 0; i < sizeof(combinations) / sizeof(*combinations); i++)
        if (combinations[i].ab == gemm->a.type && combinations[i].c == gemm->c.type &&
            (combinations[i].families & family_of(gemm->compute)))
            return true;
    return false;
}

/* The type of alpha and beta. */
static cudaDataType_t scale_type(const struct blas_typed_gemm *gemm)
{
    bool is_complex = gemm->c.type == CUDA_C_32F || gemm->c.type == CUDA_C_64F;

    switch (family_of(gemm->compute)) {
    case HALF:
        return CUDA_R_16F;
    case DOUBLE:
        return is_complex ? CUDA_C_64F : CUDA_R_64F;
    case INTEGER:
        return CUDA_R_32I;
    default:
        return is_complex ? CUDA_C_32F : CUDA_R_32F;
    }
}

static struct product_scalar scalar_of(cublasHandle_t handle, cudaDataType_t type,
                                       const void *pointer)
{
    struct blas_complex value;

    if (handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE)
        return (struct product_scalar){.memory = pointer};
    if (type == CUDA_R_32I)
        return (struct product_scalar){.re = *(const int *)pointer};
    value = blas_load(type, pointer, 0);
    return (struct product_scalar){.re = value.re, .im = value.im};
}

static struct product_matrix matrix_of(const struct blas_typed_matrix *matrix, cublasOperation_t op)
{
    return (struct product_matrix){.address = matrix->batch.address,
                                   .pointers = matrix->batch.pointers,
                                   .type = matrix->type,
                                   .op = (enum product_op)op,
                                   .ld = matrix->ld,
                                   .stride = matrix->batch.stride};
}

static CUresult run_product(void *arguments)
{
    return product_run(arguments);
}

static cublasStatus_t submit(cublasHandle_t handle, const char *name,
                             const struct blas_typed_gemm *gemm)
{
    const cudaDataType_t scale = scale_type(gemm);
    struct cupipe_range list[PRODUCT_RANGES_MOST];
    struct product product = {.m = gemm->m,
                              .n = gemm->n,
                              .k = gemm->k,
                              .compute = (int)gemm->compute,
                              .scale_type = scale,
                              .alpha = scalar_of(handle, scale, gemm->alpha),
                              .beta = scalar_of(handle, scale, gemm->beta),
                              .a = matrix_of(&gemm->a, gemm->transa),
                              .b = matrix_of(&gemm->b, gemm->transb),
                              .c = matrix_of(&gemm->c, CUBLAS_OP_N),
                              .d = matrix_of(&gemm->c, CUBLAS_OP_N),
                              .batch_count = gemm->count};
    struct lib_call call = {.name = name, .stream = handle->stream, .operands = list};

    if (product_check(&product) != PRODUCT_OK)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    call.operand_count = product_ranges(&product, list);
    call.nanoseconds = product_estimate_ns(&product);
    return blas_submit_call(&call, run_product, &product, sizeof(product));
}

static bool is_empty(const struct blas_typed_gemm *gemm)
{
    return gemm->m == 0 || gemm->n == 0 || gemm->count == 0;
}

/* Tells whether alpha and beta, in host memory, say that the product changes nothing. */
static bool is_idle(cublasHandle_t handle, const struct blas_typed_gemm *gemm)
{
    const cudaDataType_t scale = scale_type(gemm);
    struct blas_complex alpha, beta;

    if (handle->pointer_mode != CUBLAS_POINTER_MODE_HOST || !gemm->alpha || !gemm->beta)
        return false;
    alpha = blas_load(scale, gemm->alpha, 0);
    beta = blas_load(scale, gemm->beta, 0);
    return (gemm->k == 0 || (alpha.re == 0 && alpha.im == 0)) && beta.re == 1 && beta.im == 0;
}

cublasStatus_t blas_check_typed_gemm(cublasHandle_t handle, const struct blas_typed_gemm *gemm)
{
    const int64_t rows_a = gemm->transa == CUBLAS_OP_N ? gemm->m : gemm->k,
                  rows_b = gemm->transb == CUBLAS_OP_N ? gemm->k : gemm->n;

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (gemm->a.type != gemm->b.type)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if ((unsigned)gemm->a.type >= TYPES_END || (unsigned)gemm->c.type >= TYPES_END)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!blas_trans(gemm->transa) || !blas_trans(gemm->transb) || gemm->m < 0 || gemm->n < 0 ||
        gemm->k < 0 || gemm->count < 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (gemm->a.ld < blas_max(1, rows_a) || gemm->b.ld < blas_max(1, rows_b) ||
        gemm->c.ld < blas_max(1, gemm->m))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!combination_exists(gemm))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (is_empty(gemm) || is_idle(handle, gemm))
        return CUBLAS_STATUS_SUCCESS;
    if (!gemm->alpha || !gemm->beta || blas_batch_is_null(&gemm->c.batch) ||
        (gemm->k > 0 && (blas_batch_is_null(&gemm->a.batch) || blas_batch_is_null(&gemm->b.batch))))
        return CUBLAS_STATUS_INVALID_VALUE;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t blas_typed_gemm(cublasHandle_t handle, const char *name,
                               const struct blas_typed_gemm *gemm)
{
    cublasStatus_t status = blas_check_typed_gemm(handle, gemm);

    if (status != CUBLAS_STATUS_SUCCESS || is_empty(gemm) || is_idle(handle, gemm))
        return status;
    return submit(handle, name, gemm);
}

cublasStatus_t cublasGemmEx_64(cublasHandle_t handle, cublasOperation_t transa,
                               cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
                               const void *alpha, const void *A, cudaDataType Atype, int64_t lda,
                               const void *B, cudaDataType Btype, int64_t ldb, const void *beta,
                               void *C, cudaDataType Ctype, int64_t ldc,
                               cublasComputeType_t computeType, cublasGemmAlgo_t algo)
{
    const struct blas_typed_gemm gemm = {.transa = transa,
                                         .transb = transb,
                                         .m = m,
                                         .n = n,
                                         .k = k,
                                         .alpha = alpha,
                                         .beta = beta,
                                         .a = {blas_strided(A, 0), Atype, lda},
                                         .b = {blas_strided(B, 0), Btype, ldb},
                                         .c = {blas_strided(C, 0), Ctype, ldc},
                                         .count = 1,
                                         .compute = computeType};

    (void)algo;
    return blas_typed_gemm(handle, "cublasGemmEx", &gemm);
}

/* The kernels for s8 behind pointers: one is for few or whole columns, the other for lines of whole
 * words. */
static bool integers_have_kernel(const struct blas_typed_gemm *gemm)
{
    enum { WORD = 4, FEW = 16, COLUMNS = 32, ROWS = 32, LINE = 8 };
    const int64_t m = gemm->m, n = gemm->n, k = gemm->k;
    const bool ta = gemm->transa != CUBLAS_OP_N, tb = gemm->transb != CUBLAS_OP_N;
    const bool whole = !ta || m % ROWS == 0;

    if (tb ? n % LINE == 0 && whole : n <= FEW || (n % COLUMNS == 0 && whole))
        return true;
    if (k == 0)
        return false;
    if (tb)
        return m % WORD == 0 && n % WORD == 0 && (!ta || k % WORD == 0);
    return k % WORD == 0 && (ta || m % WORD == 0);
}

/* Without a depth, C = beta * C is left. */
static bool batch_has_kernel(cublasHandle_t handle, const struct blas_typed_gemm *gemm)
{
    const struct product_scalar beta = scalar_of(handle, scale_type(gemm), gemm->beta);

    if (gemm->k == 0 && !beta.memory && beta.re == 1 && beta.im == 0)
        return true;
    if (gemm->c.type == CUDA_C_32F)
        return gemm->k > 0;
    return gemm->c.type != CUDA_R_32I || integers_have_kernel(gemm);
}

cublasStatus_t cublasGemmBatchedEx_64(cublasHandle_t handle, cublasOperation_t transa,
                                      cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
                                      const void *alpha, const void *const Aarray[],
                                      cudaDataType Atype, int64_t lda, const void *const Barray[],
                                      cudaDataType Btype, int64_t ldb, const void *beta,
                                      void *const Carray[], cudaDataType Ctype, int64_t ldc,
                                      int64_t batchCount, cublasComputeType_t computeType,
                                      cublasGemmAlgo_t algo)
{
    const struct blas_typed_gemm gemm = {.transa = transa,
                                         .transb = transb,
                                         .m = m,
                                         .n = n,
                                         .k = k,
                                         .alpha = alpha,
                                         .beta = beta,
                                         .a = {blas_pointers(Aarray), Atype, lda},
                                         .b = {blas_pointers(Barray), Btype, ldb},
                                         .c = {blas_pointers(Carray), Ctype, ldc},
                                         .count = batchCount,
                                         .compute = computeType};

    cublasStatus_t status = blas_check_typed_gemm(handle, &gemm);

    (void)algo;
    if (status != CUBLAS_STATUS_SUCCESS || is_empty(&gemm) || is_idle(handle, &gemm))
        return status;
    return batch_has_kernel(handle, &gemm) ? submit(handle, "cublasGemmBatchedEx", &gemm)
                                           : CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t cublasGemmStridedBatchedEx_64(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n,
    int64_t k, const void *alpha, const void *A, cudaDataType Atype, int64_t lda,
    long long int strideA, const void *B, cudaDataType Btype, int64_t ldb, long long int strideB,
    const void *beta, void *C, cudaDataType Ctype, int64_t ldc, long long int strideC,
    int64_t batchCount, cublasComputeType_t computeType, cublasGemmAlgo_t algo)
{
    const struct blas_typed_gemm gemm = {.transa = transa,
                                         .transb = transb,
                                         .m = m,
                                         .n = n,
                                         .k = k,
                                         .alpha = alpha,
                                         .beta = beta,
                                         .a = {blas_strided(A, strideA), Atype, lda},
                                         .b = {blas_strided(B, strideB), Btype, ldb},
                                         .c = {blas_strided(C, strideC), Ctype, ldc},
                                         .count = batchCount,
                                         .compute = computeType};

    (void)algo;
    return blas_typed_gemm(handle, "cublasGemmStridedBatchedEx", &gemm);
}

/* The forms with a letter for alpha and beta. */
#define LETTER_EX(function, t)                                                                     \
    cublasStatus_t function##_64(cublasHandle_t handle, cublasOperation_t transa,                  \
                                 cublasOperation_t transb, int64_t m, int64_t n, int64_t k,        \
                                 const t *alpha, const void *A, cudaDataType Atype, int64_t lda,   \
                                 const void *B, cudaDataType Btype, int64_t ldb, const t *beta,    \
                                 void *C, cudaDataType Ctype, int64_t ldc)                         \
    {                                                                                              \
        const struct blas_typed_gemm gemm = {.transa = transa,                                     \
                                             .transb = transb,                                     \
                                             .m = m,                                               \
                                             .n = n,                                               \
                                             .k = k,                                               \
                                             .alpha = alpha,                                       \
                                             .beta = beta,                                         \
                                             .a = {blas_strided(A, 0), Atype, lda},                \
                                             .b = {blas_strided(B, 0), Btype, ldb},                \
                                             .c = {blas_strided(C, 0), Ctype, ldc},                \
                                             .count = 1,                                           \
                                             .compute = CUBLAS_COMPUTE_32F};                       \
        const bool is_complex = Ctype == CUDA_C_32F;                                               \
                                                                                                   \
        return is_complex == (sizeof(t) == sizeof(cuComplex))                                      \
                   ? blas_typed_gemm(handle, #function, &gemm)                                     \
                   : CUBLAS_STATUS_NOT_SUPPORTED;                                                  \
    }

LETTER_EX(cublasSgemmEx, float)
LETTER_EX(cublasCgemmEx, cuComplex)
LETTER_EX(cublasCgemm3mEx, cuComplex)

cublasStatus_t cublasHgemm_64(cublasHandle_t handle, cublasOperation_t transa,
                              cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
                              const __half *alpha, const __half *A, int64_t lda, const __half *B,
                              int64_t ldb, const __half *beta, __half *C, int64_t ldc)
{
    return cublasGemmEx_64(handle, transa, transb, m, n, k, alpha, A, CUDA_R_16F, lda, B,
                           CUDA_R_16F, ldb, beta, C, CUDA_R_16F, ldc, CUBLAS_COMPUTE_16F,
                           CUBLAS_GEMM_DEFAULT);
}

cublasStatus_t cublasHgemmBatched_64(cublasHandle_t handle, cublasOperation_t transa,
                                     cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
                                     const __half *alpha, const __half *const Aarray[], int64_t lda,
                                     const __half *const Barray[], int64_t ldb, const __half *beta,
                                     __half *const Carray[], int64_t ldc, int64_t batchCount)
{
    return cublasGemmBatchedEx_64(
        handle, transa, transb, m, n, k, alpha, (const void *const *)Aarray, CUDA_R_16F, lda,
        (const void *const *)Barray, CUDA_R_16F, ldb, beta, (void *const *)Carray, CUDA_R_16F, ldc,
        batchCount, CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT);
}

cublasStatus_t cublasHgemmStridedBatched_64(cublasHandle_t handle, cublasOperation_t transa,
                                            cublasOperation_t transb, int64_t m, int64_t n,
                                            int64_t k, const __half *alpha, const __half *A,
                                            int64_t lda, long long int strideA, const __half *B,
                                            int64_t ldb, long long int strideB, const __half *beta,
                                            __half *C, int64_t ldc, long long int strideC,
                                            int64_t batchCount)
{
    return cublasGemmStridedBatchedEx_64(handle, transa, transb, m, n, k, alpha, A, CUDA_R_16F, lda,
                                         strideA, B, CUDA_R_16F, ldb, strideB, beta, C, CUDA_R_16F,
                                         ldc, strideC, batchCount, CUBLAS_COMPUTE_16F,
                                         CUBLAS_GEMM_DEFAULT);
}

/* Rank updates of single complex matrices: the ordinary ones. */
#define RANK_EX(function, plain, scalar)                                                           \
    cublasStatus_t function##_64(                                                                  \
        cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n,          \
        int64_t k, const scalar *alpha, const void *A, cudaDataType Atype, int64_t lda,            \
        const scalar *beta, void *C, cudaDataType Ctype, int64_t ldc)                              \
    {                                                                                              \
        const bool exists = Atype == CUDA_C_32F && Ctype == CUDA_C_32F;                            \
                                                                                                   \
        return !blas_is_handle(handle) ? CUBLAS_STATUS_NOT_INITIALIZED                             \
               : exists ? plain##_64(handle, uplo, trans, n, k, alpha, A, lda, beta, C, ldc)       \
                        : CUBLAS_STATUS_NOT_SUPPORTED;                                             \
    }

RANK_EX(cublasCsyrkEx, cublasCsyrk_v2, cuComplex)
RANK_EX(cublasCsyrk3mEx, cublasCsyrk_v2, cuComplex)
RANK_EX(cublasCherkEx, cublasCherk_v2, float)
RANK_EX(cublasCherk3mEx, cublasCherk_v2, float)
