/* SPDX-License-Identifier: MIT */
/* Level 3: products of matrices, with symmetric, Hermitian and triangular ones. */
#include "level3_run.h"

/* The time of a product in the units of blas_submit(), which are eighths of a nanosecond. Products
 * of floats take a fifth of one for each multiplication, the others twice, 4 and 8 times as much,
 * and OpenBLAS' threads share large ones. The guess is an eighth of that: to wake a worker and to
 * be woken costs some microseconds, 5% of a product of 160 us, and a product that uses every core
 * leaves none to gain by another thread. So products below that run in the calling thread. */
static uint64_t cost(enum blas_type type, int64_t m, int64_t n, int64_t k)
{
    enum { PART = 8 };
    uint64_t count = (uint64_t)m * (uint64_t)n * (uint64_t)(k > 0 ? k : 1);
    uint64_t threads = count > OPENBLAS_SERIAL_PRODUCT ? lib_parallel_width() : 1;

    return (count << type) / 5 / PART / (threads ? threads : 1);
}

static cublasStatus_t gemm(cublasHandle_t handle, const char *name, const char *routine,
                           enum blas_type type, cublasOperation_t transa, cublasOperation_t transb,
                           int64_t m, int64_t n, int64_t k, const void *alpha, const void *A,
                           int64_t lda, const void *B, int64_t ldb, const void *beta, void *C,
                           int64_t ldc)
{
    const size_t bytes = blas_bytes(type);
    struct blas_job job = {.type = type,
                           .transa = blas_trans(transa),
                           .transb = blas_trans(transb),
                           .m = m,
                           .n = n,
                           .k = k,
                           .a = {(void *)A, lda},
                           .b = {(void *)B, ldb},
                           .c = {C, ldc}};
    struct blas_ranges ranges = {.count = 0};
    int64_t rows_a = job.transa == 'N' ? m : k, rows_b = job.transb == 'N' ? k : n;
    bool reads;

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!job.transa || !job.transb)
        return blas_illegal(routine, job.transa ? 2 : 1);
    if (m < 0 || n < 0 || k < 0)
        return blas_illegal(routine, m < 0 ? 3 : n < 0 ? 4 : 5);
    if (lda < blas_max(1, rows_a))
        return blas_illegal(routine, 8);
    if (ldb < blas_max(1, rows_b))
        return blas_illegal(routine, 10);
    if (ldc < blas_max(1, m))
        return blas_illegal(routine, 13);
    if (m == 0 || n == 0)
        return CUBLAS_STATUS_SUCCESS;
    if (!alpha || !beta)
        return CUBLAS_STATUS_INVALID_VALUE;
    reads = k > 0 && !blas_host_factor_is(handle, type, alpha, 0);
    if (!reads && blas_host_factor_is(handle, type, beta, 1))
        return CUBLAS_STATUS_SUCCESS;
    if (!C || (reads && (!A || !B)))
        return CUBLAS_STATUS_INVALID_VALUE;
    job.alpha = blas_scalar(handle, alpha, bytes);
    job.beta = blas_scalar(handle, beta, bytes);
    blas_add_scalar(&ranges, &job.alpha, bytes);
    blas_add_scalar(&ranges, &job.beta, bytes);
    if (reads) {
        blas_add(&ranges, blas_matrix(A, rows_a, job.transa == 'N' ? k : m, lda, bytes));
        blas_add(&ranges, blas_matrix(B, rows_b, job.transb == 'N' ? n : k, ldb, bytes));
    }
    blas_add_updated(&ranges, blas_matrix(C, m, n, ldc, bytes), &job.beta, bytes);
    return blas_submit(handle, name, cost(type, m, n, k), &ranges, blas_run_gemm, &job,
                       sizeof(job));
}

static cublasStatus_t symm(cublasHandle_t handle, const char *name, const char *routine,
                           enum blas_type type, bool hermitian, cublasSideMode_t side,
                           cublasFillMode_t uplo, int64_t m, int64_t n, const void *alpha,
                           const void *A, int64_t lda, const void *B, int64_t ldb, const void *beta,
                           void *C, int64_t ldc)
{
    const size_t bytes = blas_bytes(type);
    struct blas_job job = {.type = type,
                           .hermitian = hermitian,
                           .side = blas_side(side),
                           .uplo = blas_uplo(uplo),
                           .m = m,
                           .n = n,
                           .a = {(void *)A, lda},
                           .b = {(void *)B, ldb},
                           .c = {C, ldc}};
    struct blas_ranges ranges = {.count = 0};
    int64_t order = job.side == 'L' ? m : n;

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!job.side || !job.uplo)
        return blas_illegal(routine, job.side ? 2 : 1);
    if (m < 0 || n < 0)
        return blas_illegal(routine, m < 0 ? 3 : 4);
    if (lda < blas_max(1, order))
        return blas_illegal(routine, 7);
    if (ldb < blas_max(1, m))
        return blas_illegal(routine, 9);
    if (ldc < blas_max(1, m))
        return blas_illegal(routine, 12);
    if (m == 0 || n == 0)
        return CUBLAS_STATUS_SUCCESS;
    if (!alpha || !beta)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (blas_host_factor_is(handle, type, alpha, 0) && blas_host_factor_is(handle, type, beta, 1))
        return CUBLAS_STATUS_SUCCESS;
    if (!C)
        return CUBLAS_STATUS_INVALID_VALUE;
    job.alpha = blas_scalar(handle, alpha, bytes);
    job.beta = blas_scalar(handle, beta, bytes);
    blas_add_scalar(&ranges, &job.alpha, bytes);
    blas_add_scalar(&ranges, &job.beta, bytes);
    if (!blas_scalar_is_zero(&job.alpha, bytes)) {
        blas_add(&ranges, lib_partly(blas_matrix(A, order, order, lda, bytes)));
        blas_add(&ranges, blas_matrix(B, m, n, ldb, bytes));
    }
    blas_add_updated(&ranges, blas_matrix(C, m, n, ldc, bytes), &job.beta, bytes);
    return blas_submit(handle, name, cost(type, m, n, order), &ranges, blas_run_symm, &job,
                       sizeof(job));
}

/* The rank updates: of k, with B, and of 2k. */
enum update { RANK_K, RANK_KX, RANK_2K };

static cublasStatus_t update_illegal(const struct blas_job *job, const char *routine,
                                     enum update kind)
{
    const int64_t rows = job->transa == 'N' ? job->n : job->k;

    if (!job->uplo || !job->transa)
        return blas_illegal(routine, job->uplo ? 2 : 1);
    if (job->n < 0 || job->k < 0)
        return blas_illegal(routine, job->n < 0 ? 3 : 4);
    if (job->a.step < blas_max(1, rows))
        return blas_illegal(routine, 7);
    if (kind != RANK_K && job->b.step < blas_max(1, rows))
        return blas_illegal(routine, 9);
    if (job->c.step < blas_max(1, job->n))
        return blas_illegal(routine, kind == RANK_K ? 10 : 12);
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t submit_update(cublasHandle_t handle, const char *name, enum update kind,
                                    const struct blas_job *job, size_t alpha_bytes,
                                    size_t beta_bytes)
{
    static lib_work *const runs[] = {blas_run_syrk, blas_run_syrkx, blas_run_syr2k};
    const size_t bytes = blas_bytes(job->type);
    struct blas_ranges ranges = {.count = 0};
    int64_t rows = job->transa == 'N' ? job->n : job->k,
            columns = job->transa == 'N' ? job->k : job->n;
    struct cupipe_range c =
        lib_partly(blas_matrix(job->c.address, job->n, job->n, job->c.step, bytes));

    blas_add_scalar(&ranges, &job->alpha, alpha_bytes);
    blas_add_scalar(&ranges, &job->beta, beta_bytes);
    if (job->k > 0 && !blas_scalar_is_zero(&job->alpha, alpha_bytes)) {
        blas_add(&ranges, blas_matrix(job->a.address, rows, columns, job->a.step, bytes));
        if (kind != RANK_K)
            blas_add(&ranges, blas_matrix(job->b.address, rows, columns, job->b.step, bytes));
    }
    blas_add_updated(&ranges, c, &job->beta, beta_bytes);
    return blas_submit(handle, name, cost(job->type, job->n, job->n, job->k), &ranges, runs[kind],
                       job, sizeof(*job));
}

static cublasStatus_t update(cublasHandle_t handle, const char *name, const char *routine,
                             enum blas_type type, enum update kind, bool hermitian,
                             cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k,
                             const void *alpha, const void *A, int64_t lda, const void *B,
                             int64_t ldb, const void *beta, void *C, int64_t ldc)
{
    const enum blas_type alpha_type = hermitian && kind == RANK_K ? blas_real(type) : type,
                         beta_type = hermitian ? blas_real(type) : type;
    const size_t alpha_bytes = blas_bytes(alpha_type), beta_bytes = blas_bytes(beta_type);
    struct blas_job job = {.type = type,
                           .hermitian = hermitian,
                           .uplo = blas_uplo(uplo),
                           .transa = blas_trans(trans),
                           .n = n,
                           .k = k,
                           .a = {(void *)A, lda},
                           .b = {(void *)B, ldb},
                           .c = {C, ldc}};
    cublasStatus_t status;

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    status = update_illegal(&job, routine, kind);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    if (n == 0)
        return CUBLAS_STATUS_SUCCESS;
    if (!alpha || !beta)
        return CUBLAS_STATUS_INVALID_VALUE;
    if ((k == 0 || blas_host_factor_is(handle, alpha_type, alpha, 0)) &&
        blas_host_factor_is(handle, beta_type, beta, 1))
        return CUBLAS_STATUS_SUCCESS;
    if (!C || (kind == RANK_2K && k > 0 && (!A || !B)))
        return CUBLAS_STATUS_INVALID_VALUE;
    job.alpha = blas_scalar(handle, alpha, alpha_bytes);
    job.beta = blas_scalar(handle, beta, beta_bytes);
    return submit_update(handle, name, kind, &job, alpha_bytes, beta_bytes);
}

static cublasStatus_t triangular_illegal(const struct blas_job *job, const char *routine)
{
    const int64_t order = job->side == 'L' ? job->m : job->n;

    if (!job->side || !job->uplo)
        return blas_illegal(routine, job->side ? 2 : 1);
    if (!job->transa || !job->diag)
        return blas_illegal(routine, job->transa ? 4 : 3);
    if (job->m < 0 || job->n < 0)
        return blas_illegal(routine, job->m < 0 ? 5 : 6);
    if (job->a.step < blas_max(1, order))
        return blas_illegal(routine, 9);
    if (job->b.step < blas_max(1, job->m))
        return blas_illegal(routine, 11);
    return CUBLAS_STATUS_SUCCESS;
}

static struct blas_job triangular_job(enum blas_type type, cublasSideMode_t side,
                                      cublasFillMode_t uplo, cublasOperation_t trans,
                                      cublasDiagType_t diag, int64_t m, int64_t n)
{
    return (struct blas_job){.type = type,
                             .side = blas_side(side),
                             .uplo = blas_uplo(uplo),
                             .transa = blas_trans(trans),
                             .diag = blas_diag(diag),
                             .m = m,
                             .n = n};
}

static cublasStatus_t trmm(cublasHandle_t handle, const char *name, const char *routine,
                           enum blas_type type, struct blas_job job, const void *alpha,
                           struct blas_operand a, struct blas_operand b, struct blas_operand c)
{
    const size_t bytes = blas_bytes(type);
    struct blas_ranges ranges = {.count = 0};
    int64_t order = job.side == 'L' ? job.m : job.n;
    cublasStatus_t status;

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    job.a = a, job.b = b, job.c = c;
    status = triangular_illegal(&job, routine);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    if (c.step < blas_max(1, job.m))
        return blas_illegal(routine, 13);
    if (job.m == 0 || job.n == 0)
        return CUBLAS_STATUS_SUCCESS;
    if (!alpha || !a.address || !b.address || !c.address)
        return CUBLAS_STATUS_INVALID_VALUE;
    job.alpha = blas_scalar(handle, alpha, bytes);
    blas_add_scalar(&ranges, &job.alpha, bytes);
    if (!blas_scalar_is_zero(&job.alpha, bytes)) {
        blas_add(&ranges, lib_partly(blas_matrix(a.address, order, order, a.step, bytes)));
        blas_add(&ranges, blas_matrix(b.address, job.m, job.n, b.step, bytes));
    }
    blas_add(&ranges, blas_written(blas_matrix(c.address, job.m, job.n, c.step, bytes)));
    return blas_submit(handle, name, cost(type, job.m, job.n, order), &ranges, blas_run_trmm, &job,
                       sizeof(job));
}

static cublasStatus_t trsm(cublasHandle_t handle, const char *name, const char *routine,
                           enum blas_type type, struct blas_job job, const void *alpha,
                           struct blas_operand a, struct blas_operand b)
{
    const size_t bytes = blas_bytes(type);
    struct blas_ranges ranges = {.count = 0};
    int64_t order = job.side == 'L' ? job.m : job.n;
    struct cupipe_range b_range = blas_matrix(b.address, job.m, job.n, b.step, bytes);
    cublasStatus_t status;

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    job.a = a, job.b = b;
    status = triangular_illegal(&job, routine);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    if (job.m == 0 || job.n == 0)
        return CUBLAS_STATUS_SUCCESS;
    if (!alpha)
        return CUBLAS_STATUS_INVALID_VALUE;
    job.alpha = blas_scalar(handle, alpha, bytes);
    blas_add_scalar(&ranges, &job.alpha, bytes);
    if (!blas_scalar_is_zero(&job.alpha, bytes)) {
        blas_add(&ranges, lib_partly(blas_matrix(a.address, order, order, a.step, bytes)));
        blas_add(&ranges, b_range);
    }
    blas_add(&ranges, blas_written(b_range));
    return blas_submit(handle, name, cost(type, job.m, job.n, order), &ranges, blas_run_trsm, &job,
                       sizeof(job));
}

#define GEMM(function, routine, T, t)                                                              \
    cublasStatus_t function##_64(cublasHandle_t handle, cublasOperation_t transa,                  \
                                 cublasOperation_t transb, int64_t m, int64_t n, int64_t k,        \
                                 const t *alpha, const t *A, int64_t lda, const t *B, int64_t ldb, \
                                 const t *beta, t *C, int64_t ldc)                                 \
    {                                                                                              \
        return gemm(handle, #function, routine, BLAS_##T, transa, transb, m, n, k, alpha, A, lda,  \
                    B, ldb, beta, C, ldc);                                                         \
    }

#define SYMM(function, routine, T, t, hermitian)                                                   \
    cublasStatus_t function##_64(cublasHandle_t handle, cublasSideMode_t side,                     \
                                 cublasFillMode_t uplo, int64_t m, int64_t n, const t *alpha,      \
                                 const t *A, int64_t lda, const t *B, int64_t ldb, const t *beta,  \
                                 t *C, int64_t ldc)                                                \
    {                                                                                              \
        return symm(handle, #function, routine, BLAS_##T, hermitian, side, uplo, m, n, alpha, A,   \
                    lda, B, ldb, beta, C, ldc);                                                    \
    }

#define SYRK(function, routine, T, t, scalar, hermitian)                                           \
    cublasStatus_t function##_64(cublasHandle_t handle, cublasFillMode_t uplo,                     \
                                 cublasOperation_t trans, int64_t n, int64_t k,                    \
                                 const scalar *alpha, const t *A, int64_t lda, const scalar *beta, \
                                 t *C, int64_t ldc)                                                \
    {                                                                                              \
        return update(handle, #function, routine, BLAS_##T, RANK_K, hermitian, uplo, trans, n, k,  \
                      alpha, A, lda, NULL, 1, beta, C, ldc);                                       \
    }

#define SYR2K(function, routine, T, t, scalar, kind, hermitian)                                    \
    cublasStatus_t function##_64(cublasHandle_t handle, cublasFillMode_t uplo,                     \
                                 cublasOperation_t trans, int64_t n, int64_t k, const t *alpha,    \
                                 const t *A, int64_t lda, const t *B, int64_t ldb,                 \
                                 const scalar *beta, t *C, int64_t ldc)                            \
    {                                                                                              \
        return update(handle, #function, routine, BLAS_##T, kind, hermitian, uplo, trans, n, k,    \
                      alpha, A, lda, B, ldb, beta, C, ldc);                                        \
    }

#define TRMM(T, t)                                                                                 \
    cublasStatus_t cublas##T##trmm_v2_64(                                                          \
        cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,                       \
        cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n, const t *alpha,      \
        const t *A, int64_t lda, const t *B, int64_t ldb, t *C, int64_t ldc)                       \
    {                                                                                              \
        return trmm(handle, "cublas" #T "trmm_v2", #T "TRMM", BLAS_##T,                            \
                    triangular_job(BLAS_##T, side, uplo, trans, diag, m, n), alpha,                \
                    (struct blas_operand){(void *)A, lda}, (struct blas_operand){(void *)B, ldb},  \
                    (struct blas_operand){C, ldc});                                                \
    }

#define TRSM(T, t)                                                                                 \
    cublasStatus_t cublas##T##trsm_v2_64(                                                          \
        cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,                       \
        cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n, const t *alpha,      \
        const t *A, int64_t lda, t *B, int64_t ldb)                                                \
    {                                                                                              \
        return trsm(handle, "cublas" #T "trsm_v2", #T "TRSM", BLAS_##T,                            \
                    triangular_job(BLAS_##T, side, uplo, trans, diag, m, n), alpha,                \
                    (struct blas_operand){(void *)A, lda}, (struct blas_operand){B, ldb});         \
    }

#define LEVEL3(T, t)                                                                               \
    GEMM(cublas##T##gemm_v2, #T "GEMM", T, t)                                                      \
    SYMM(cublas##T##symm_v2, #T "SYMM", T, t, false)                                               \
    SYRK(cublas##T##syrk_v2, #T "SYRK", T, t, t, false)                                            \
    SYR2K(cublas##T##syr2k_v2, #T "SYR2K", T, t, t, RANK_2K, false)                                \
    SYR2K(cublas##T##syrkx, #T "SYRK", T, t, t, RANK_KX, false)                                    \
    TRMM(T, t)                                                                                     \
    TRSM(T, t)

#define LEVEL3_HERMITIAN(T, t, real)                                                               \
    GEMM(cublas##T##gemm3m, #T "GEMM", T, t)                                                       \
    SYMM(cublas##T##hemm_v2, #T "HEMM", T, t, true)                                                \
    SYRK(cublas##T##herk_v2, #T "HERK", T, t, real, true)                                          \
    SYR2K(cublas##T##her2k_v2, #T "HER2K", T, t, real, RANK_2K, true)                              \
    SYR2K(cublas##T##herkx, #T "HERK", T, t, real, RANK_KX, true)

LEVEL3(S, float)
LEVEL3(D, double)
LEVEL3(C, cuComplex)
LEVEL3(Z, cuDoubleComplex)
LEVEL3_HERMITIAN(C, cuComplex, float)
LEVEL3_HERMITIAN(Z, cuDoubleComplex, double)
