/* SPDX-License-Identifier: MIT */
/* Level 2: a matrix and vectors. Except for gemv, which has rules of its own, arguments are
 * reported by the numbers that BLAS gives them. */
#include "level2_run.h"

#include "compact.h"

/* Leading dimensions and increments of any size are packed; OpenBLAS has to express the others. */
static bool sizes_fit(const struct blas_job *job)
{
    return blas_fits(job->n) && blas_fits(job->k) && blas_fits(job->kl) && blas_fits(job->ku);
}

static uint64_t cost(const struct blas_job *job, int64_t rows, int64_t columns)
{
    return (uint64_t)(rows > 0 ? rows : 1) * (uint64_t)(columns > 0 ? columns : 1) *
           (blas_is_complex(job->type) ? 4 : 1);
}

static cublasStatus_t gemv(cublasHandle_t handle, const char *name, enum blas_type type,
                           cublasOperation_t trans, int64_t m, int64_t n, const void *alpha,
                           const void *A, int64_t lda, const void *x, int64_t incx,
                           const void *beta, void *y, int64_t incy)
{
    const size_t bytes = blas_bytes(type);
    struct blas_job job = {.type = type,
                           .transa = trans == CUBLAS_OP_N   ? 'N'
                                     : trans == CUBLAS_OP_C ? 'C'
                                                            : 'T',
                           .m = m,
                           .n = n,
                           .a = {(void *)A, lda},
                           .b = {(void *)x, incx},
                           .c = {y, incy}};
    struct blas_ranges ranges = {.count = 0};
    int64_t length_x = job.transa == 'N' ? n : m, length_y = job.transa == 'N' ? m : n;
    bool reads;

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (m <= 0 || n <= 0)
        return CUBLAS_STATUS_SUCCESS;
    if (lda < m || !alpha || !beta)
        return CUBLAS_STATUS_INVALID_VALUE;
    reads = !blas_host_factor_is(handle, type, alpha, 0);
    if (!reads && blas_host_factor_is(handle, type, beta, 1))
        return CUBLAS_STATUS_SUCCESS;
    if ((reads && (!A || !x)) || !y)
        return CUBLAS_STATUS_INVALID_VALUE;
    job.alpha = blas_scalar(handle, alpha, bytes);
    job.beta = blas_scalar(handle, beta, bytes);
    blas_add_scalar(&ranges, &job.alpha, bytes);
    blas_add_scalar(&ranges, &job.beta, bytes);
    if (reads) {
        blas_add(&ranges, blas_matrix(A, m, n, lda, bytes));
        blas_add(&ranges, blas_vector(x, length_x, incx, bytes));
    }
    blas_add_updated(&ranges, blas_vector(y, length_y, incy, bytes), &job.beta, bytes);
    return blas_submit(handle, name, cost(&job, m, n), &ranges, blas_run_gemv, &job, sizeof(job));
}

/* The ways to store a matrix of which a triangle or a band counts. */
enum storage { FULL, BAND, PACKED };

static struct cupipe_range stored(const struct blas_job *job, enum storage storage)
{
    const size_t bytes = blas_bytes(job->type);

    if (storage == PACKED)
        return lib_read(job->a.address, (size_t)job->n * ((size_t)job->n + 1) / 2 * bytes);
    return lib_partly(blas_matrix(job->a.address, storage == BAND ? job->k + 1 : job->n, job->n,
                                  job->a.step, bytes));
}

static bool changes_nothing(cublasHandle_t handle, const struct blas_job *job, const void *alpha,
                            const void *beta)
{
    return blas_host_factor_is(handle, job->type, alpha, 0) &&
           blas_host_factor_is(handle, job->type, beta, 1);
}

static cublasStatus_t gbmv(cublasHandle_t handle, const char *name, const char *routine,
                           struct blas_job job, const void *alpha, const void *beta)
{
    const size_t bytes = blas_bytes(job.type);
    struct blas_ranges ranges = {.count = 0};
    int64_t length_x = job.transa == 'N' ? job.n : job.m,
            length_y = job.transa == 'N' ? job.m : job.n;
    struct cupipe_range bands =
        blas_matrix(job.a.address, job.kl + job.ku + 1, job.n, job.a.step, bytes);

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!job.transa)
        return blas_illegal(routine, 1);
    if (job.m < 0 || job.n < 0)
        return blas_illegal(routine, job.m < 0 ? 2 : 3);
    if (job.kl < 0 || job.ku < 0)
        return blas_illegal(routine, job.kl < 0 ? 4 : 5);
    if (job.a.step < job.kl + job.ku + 1)
        return blas_illegal(routine, 8);
    if (job.b.step == 0 || job.c.step == 0)
        return blas_illegal(routine, job.b.step == 0 ? 10 : 13);
    if (job.m == 0 || job.n == 0)
        return CUBLAS_STATUS_SUCCESS;
    if (!alpha || !beta)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (changes_nothing(handle, &job, alpha, beta))
        return CUBLAS_STATUS_SUCCESS;
    if (!sizes_fit(&job) || !blas_fits(job.m))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    job.alpha = blas_scalar(handle, alpha, bytes);
    job.beta = blas_scalar(handle, beta, bytes);
    blas_add_scalar(&ranges, &job.alpha, bytes);
    blas_add_scalar(&ranges, &job.beta, bytes);
    if (!blas_scalar_is_zero(&job.alpha, bytes)) {
        blas_add(&ranges, lib_partly(bands));
        blas_add(&ranges, blas_vector(job.b.address, length_x, job.b.step, bytes));
    }
    blas_add_updated(&ranges, blas_vector(job.c.address, length_y, job.c.step, bytes), &job.beta,
                     bytes);
    return blas_submit(handle, name, cost(&job, job.kl + job.ku + 1, job.n), &ranges, blas_run_gbmv,
                       &job, sizeof(job));
}

static cublasStatus_t ger(cublasHandle_t handle, const char *name, const char *routine,
                          struct blas_job job, const void *alpha)
{
    const size_t bytes = blas_bytes(job.type);
    struct cupipe_range a = blas_matrix(job.a.address, job.m, job.n, job.a.step, bytes);
    struct blas_ranges ranges = {.count = 0};

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (job.m < 0 || job.n < 0)
        return blas_illegal(routine, job.m < 0 ? 1 : 2);
    if (job.b.step == 0 || job.c.step == 0)
        return blas_illegal(routine, job.b.step == 0 ? 5 : 7);
    if (job.a.step < blas_max(1, job.m))
        return blas_illegal(routine, 9);
    if (job.m == 0 || job.n == 0)
        return CUBLAS_STATUS_SUCCESS;
    if (!alpha)
        return CUBLAS_STATUS_INVALID_VALUE;
    job.alpha = blas_scalar(handle, alpha, bytes);
    blas_add_scalar(&ranges, &job.alpha, bytes);
    blas_add_scaled(&ranges, blas_vector(job.b.address, job.m, job.b.step, bytes), &job.alpha,
                    bytes);
    blas_add_scaled(&ranges, blas_vector(job.c.address, job.n, job.c.step, bytes), &job.alpha,
                    bytes);
    blas_add_scaled(&ranges, a, &job.alpha, bytes);
    blas_add_scaled(&ranges, blas_written(a), &job.alpha, bytes);
    return blas_submit(handle, name, cost(&job, job.m, job.n), &ranges, blas_run_ger, &job,
                       sizeof(job));
}

/* symv, sbmv, spmv, and the Hermitian ones. */
static cublasStatus_t symmetric_illegal(const struct blas_job *job, const char *routine,
                                        enum storage storage)
{
    static const int numbers[3][3] = {{5, 7, 10}, {6, 8, 11}, {0, 6, 9}}; /* of lda, incx, incy */

    if (!job->uplo)
        return blas_illegal(routine, 1);
    if (job->n < 0)
        return blas_illegal(routine, 2);
    if (storage == BAND && job->k < 0)
        return blas_illegal(routine, 3);
    if (storage != PACKED && job->a.step < (storage == BAND ? job->k + 1 : blas_max(1, job->n)))
        return blas_illegal(routine, numbers[storage][0]);
    if (job->b.step == 0)
        return blas_illegal(routine, numbers[storage][1]);
    if (job->c.step == 0)
        return blas_illegal(routine, numbers[storage][2]);
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t symv(cublasHandle_t handle, const char *name, const char *routine,
                           enum storage storage, struct blas_job job, const void *alpha,
                           const void *beta)
{
    static lib_work *const runs[] = {blas_run_symv, blas_run_sbmv, blas_run_spmv};
    const size_t bytes = blas_bytes(job.type);
    struct blas_ranges ranges = {.count = 0};
    cublasStatus_t status;

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    status = symmetric_illegal(&job, routine, storage);
    if (status != CUBLAS_STATUS_SUCCESS || job.n == 0)
        return status;
    if (!alpha || !beta)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (changes_nothing(handle, &job, alpha, beta))
        return CUBLAS_STATUS_SUCCESS;
    if (!sizes_fit(&job))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    job.alpha = blas_scalar(handle, alpha, bytes);
    job.beta = blas_scalar(handle, beta, bytes);
    blas_add_scalar(&ranges, &job.alpha, bytes);
    blas_add_scalar(&ranges, &job.beta, bytes);
    if (!blas_scalar_is_zero(&job.alpha, bytes)) {
        blas_add(&ranges, stored(&job, storage));
        blas_add(&ranges, blas_vector(job.b.address, job.n, job.b.step, bytes));
    }
    blas_add_updated(&ranges, blas_vector(job.c.address, job.n, job.c.step, bytes), &job.beta,
                     bytes);
    return blas_submit(handle, name, cost(&job, storage == BAND ? job.k + 1 : job.n, job.n),
                       &ranges, runs[storage], &job, sizeof(job));
}

/* syr, syr2, spr, spr2, and the Hermitian ones: `two` has y. */
static cublasStatus_t rank_illegal(const struct blas_job *job, const char *routine,
                                   enum storage storage, bool two)
{
    if (!job->uplo)
        return blas_illegal(routine, 1);
    if (job->n < 0)
        return blas_illegal(routine, 2);
    if (job->b.step == 0)
        return blas_illegal(routine, 5);
    if (two && job->c.step == 0)
        return blas_illegal(routine, 7);
    if (storage == FULL && job->a.step < blas_max(1, job->n))
        return blas_illegal(routine, two ? 9 : 7);
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t rank_update(cublasHandle_t handle, const char *name, const char *routine,
                                  enum storage storage, bool two, struct blas_job job,
                                  const void *alpha)
{
    static lib_work *const runs[2][2] = {{blas_run_syr, blas_run_syr2},
                                         {blas_run_spr, blas_run_spr2}};
    const size_t bytes = blas_bytes(job.type),
                 alpha_bytes = job.hermitian && !two ? blas_bytes(blas_real(job.type)) : bytes;
    struct blas_ranges ranges = {.count = 0};
    cublasStatus_t status;

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    status = rank_illegal(&job, routine, storage, two);
    if (status != CUBLAS_STATUS_SUCCESS || job.n == 0)
        return status;
    if (!alpha)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!sizes_fit(&job))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    job.alpha = blas_scalar(handle, alpha, alpha_bytes);
    blas_add_scalar(&ranges, &job.alpha, alpha_bytes);
    blas_add_scaled(&ranges, blas_vector(job.b.address, job.n, job.b.step, bytes), &job.alpha,
                    alpha_bytes);
    if (two)
        blas_add_scaled(&ranges, blas_vector(job.c.address, job.n, job.c.step, bytes), &job.alpha,
                        alpha_bytes);
    blas_add_scaled(&ranges, stored(&job, storage), &job.alpha, alpha_bytes);
    blas_add_scaled(&ranges, blas_written(stored(&job, storage)), &job.alpha, alpha_bytes);
    return blas_submit(handle, name, cost(&job, job.n, job.n), &ranges,
                       runs[storage == PACKED][two], &job, sizeof(job));
}

/* trmv, tbmv, tpmv, and those that solve. */
static cublasStatus_t triangular(cublasHandle_t handle, const char *name, const char *routine,
                                 enum storage storage, lib_work *run, struct blas_job job)
{
    const size_t bytes = blas_bytes(job.type);
    const int lda_number = storage == BAND ? 7 : 6, incx_number = storage == FULL   ? 8
                                                                  : storage == BAND ? 9
                                                                                    : 7;
    struct cupipe_range x = blas_vector(job.b.address, job.n, job.b.step, bytes);
    struct blas_ranges ranges = {.count = 0};

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!job.uplo)
        return blas_illegal(routine, 1);
    if (!job.transa || !job.diag)
        return blas_illegal(routine, job.transa ? 3 : 2);
    if (job.n < 0)
        return blas_illegal(routine, 4);
    if (storage == BAND && job.k < 0)
        return blas_illegal(routine, 5);
    if (storage != PACKED && job.a.step < (storage == BAND ? job.k + 1 : blas_max(1, job.n)))
        return blas_illegal(routine, lda_number);
    if (job.b.step == 0)
        return blas_illegal(routine, incx_number);
    if (job.n == 0)
        return CUBLAS_STATUS_SUCCESS;
    if (!sizes_fit(&job))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    blas_add(&ranges, lib_partly(stored(&job, storage)));
    blas_add(&ranges, x);
    blas_add(&ranges, blas_written(x));
    return blas_submit(handle, name, cost(&job, storage == BAND ? job.k + 1 : job.n, job.n),
                       &ranges, run, &job, sizeof(job));
}

#define OPERAND(pointer, step)                                                                     \
    {                                                                                              \
        (void *)(pointer), step                                                                    \
    }

#define GEMV(T, t)                                                                                 \
    cublasStatus_t cublas##T##gemv_v2_64(                                                          \
        cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n, const t *alpha,      \
        const t *A, int64_t lda, const t *x, int64_t incx, const t *beta, t *y, int64_t incy)      \
    {                                                                                              \
        return gemv(handle, "cublas" #T "gemv_v2", BLAS_##T, trans, m, n, alpha, A, lda, x, incx,  \
                    beta, y, incy);                                                                \
    }                                                                                              \
    cublasStatus_t cublas##T##gbmv_v2_64(cublasHandle_t handle, cublasOperation_t trans,           \
                                         int64_t m, int64_t n, int64_t kl, int64_t ku,             \
                                         const t *alpha, const t *A, int64_t lda, const t *x,      \
                                         int64_t incx, const t *beta, t *y, int64_t incy)          \
    {                                                                                              \
        return gbmv(handle, "cublas" #T "gbmv_v2", #T "GBMV",                                      \
                    (struct blas_job){.type = BLAS_##T,                                            \
                                      .transa = blas_trans(trans),                                 \
                                      .m = m,                                                      \
                                      .n = n,                                                      \
                                      .kl = kl,                                                    \
                                      .ku = ku,                                                    \
                                      .a = OPERAND(A, lda),                                        \
                                      .b = OPERAND(x, incx),                                       \
                                      .c = OPERAND(y, incy)},                                      \
                    alpha, beta);                                                                  \
    }

#define GER(function, routine, T, t, conjugated)                                                   \
    cublasStatus_t function##_64(cublasHandle_t handle, int64_t m, int64_t n, const t *alpha,      \
                                 const t *x, int64_t incx, const t *y, int64_t incy, t *A,         \
                                 int64_t lda)                                                      \
    {                                                                                              \
        return ger(handle, #function, routine,                                                     \
                   (struct blas_job){.type = BLAS_##T,                                             \
                                     .hermitian = conjugated,                                      \
                                     .m = m,                                                       \
                                     .n = n,                                                       \
                                     .a = OPERAND(A, lda),                                         \
                                     .b = OPERAND(x, incx),                                        \
                                     .c = OPERAND(y, incy)},                                       \
                   alpha);                                                                         \
    }

#define SYMV(function, routine, T, t, is_hermitian)                                                \
    cublasStatus_t function##_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,          \
                                 const t *alpha, const t *A, int64_t lda, const t *x,              \
                                 int64_t incx, const t *beta, t *y, int64_t incy)                  \
    {                                                                                              \
        return symv(handle, #function, routine, FULL,                                              \
                    (struct blas_job){.type = BLAS_##T,                                            \
                                      .hermitian = is_hermitian,                                   \
                                      .uplo = blas_uplo(uplo),                                     \
                                      .n = n,                                                      \
                                      .a = OPERAND(A, lda),                                        \
                                      .b = OPERAND(x, incx),                                       \
                                      .c = OPERAND(y, incy)},                                      \
                    alpha, beta);                                                                  \
    }

#define SBMV(function, routine, T, t, is_hermitian)                                                \
    cublasStatus_t function##_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,          \
                                 int64_t k, const t *alpha, const t *A, int64_t lda, const t *x,   \
                                 int64_t incx, const t *beta, t *y, int64_t incy)                  \
    {                                                                                              \
        return symv(handle, #function, routine, BAND,                                              \
                    (struct blas_job){.type = BLAS_##T,                                            \
                                      .hermitian = is_hermitian,                                   \
                                      .uplo = blas_uplo(uplo),                                     \
                                      .n = n,                                                      \
                                      .k = k,                                                      \
                                      .a = OPERAND(A, lda),                                        \
                                      .b = OPERAND(x, incx),                                       \
                                      .c = OPERAND(y, incy)},                                      \
                    alpha, beta);                                                                  \
    }

#define SPMV(function, routine, T, t, is_hermitian)                                                \
    cublasStatus_t function##_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,          \
                                 const t *alpha, const t *AP, const t *x, int64_t incx,            \
                                 const t *beta, t *y, int64_t incy)                                \
    {                                                                                              \
        return symv(handle, #function, routine, PACKED,                                            \
                    (struct blas_job){.type = BLAS_##T,                                            \
                                      .hermitian = is_hermitian,                                   \
                                      .uplo = blas_uplo(uplo),                                     \
                                      .n = n,                                                      \
                                      .a = OPERAND(AP, 1),                                         \
                                      .b = OPERAND(x, incx),                                       \
                                      .c = OPERAND(y, incy)},                                      \
                    alpha, beta);                                                                  \
    }

#define SYR(function, routine, T, t, scalar, is_hermitian)                                         \
    cublasStatus_t function##_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,          \
                                 const scalar *alpha, const t *x, int64_t incx, t *A, int64_t lda) \
    {                                                                                              \
        return rank_update(handle, #function, routine, FULL, false,                                \
                           (struct blas_job){.type = BLAS_##T,                                     \
                                             .hermitian = is_hermitian,                            \
                                             .uplo = blas_uplo(uplo),                              \
                                             .n = n,                                               \
                                             .a = OPERAND(A, lda),                                 \
                                             .b = OPERAND(x, incx)},                               \
                           alpha);                                                                 \
    }

#define SYR2(function, routine, T, t, is_hermitian)                                                \
    cublasStatus_t function##_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,          \
                                 const t *alpha, const t *x, int64_t incx, const t *y,             \
                                 int64_t incy, t *A, int64_t lda)                                  \
    {                                                                                              \
        return rank_update(handle, #function, routine, FULL, true,                                 \
                           (struct blas_job){.type = BLAS_##T,                                     \
                                             .hermitian = is_hermitian,                            \
                                             .uplo = blas_uplo(uplo),                              \
                                             .n = n,                                               \
                                             .a = OPERAND(A, lda),                                 \
                                             .b = OPERAND(x, incx),                                \
                                             .c = OPERAND(y, incy)},                               \
                           alpha);                                                                 \
    }

#define SPR(function, routine, T, t, scalar, is_hermitian)                                         \
    cublasStatus_t function##_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,          \
                                 const scalar *alpha, const t *x, int64_t incx, t *AP)             \
    {                                                                                              \
        return rank_update(handle, #function, routine, PACKED, false,                              \
                           (struct blas_job){.type = BLAS_##T,                                     \
                                             .hermitian = is_hermitian,                            \
                                             .uplo = blas_uplo(uplo),                              \
                                             .n = n,                                               \
                                             .a = OPERAND(AP, 1),                                  \
                                             .b = OPERAND(x, incx)},                               \
                           alpha);                                                                 \
    }

#define SPR2(function, routine, T, t, is_hermitian)                                                \
    cublasStatus_t function##_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,          \
                                 const t *alpha, const t *x, int64_t incx, const t *y,             \
                                 int64_t incy, t *AP)                                              \
    {                                                                                              \
        return rank_update(handle, #function, routine, PACKED, true,                               \
                           (struct blas_job){.type = BLAS_##T,                                     \
                                             .hermitian = is_hermitian,                            \
                                             .uplo = blas_uplo(uplo),                              \
                                             .n = n,                                               \
                                             .a = OPERAND(AP, 1),                                  \
                                             .b = OPERAND(x, incx),                                \
                                             .c = OPERAND(y, incy)},                               \
                           alpha);                                                                 \
    }

#define TRIANGULAR(T, t, tr, TR)                                                                   \
    cublasStatus_t cublas##T##tr##_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,             \
                                         cublasOperation_t trans, cublasDiagType_t diag,           \
                                         int64_t n, const t *A, int64_t lda, t *x, int64_t incx)   \
    {                                                                                              \
        return triangular(handle, "cublas" #T #tr "_v2", #T #TR, FULL, blas_run_##tr,              \
                          (struct blas_job){.type = BLAS_##T,                                      \
                                            .uplo = blas_uplo(uplo),                               \
                                            .transa = blas_trans(trans),                           \
                                            .diag = blas_diag(diag),                               \
                                            .n = n,                                                \
                                            .a = OPERAND(A, lda),                                  \
                                            .b = OPERAND(x, incx)});                               \
    }

#define BANDED(T, t, tb, TB)                                                                       \
    cublasStatus_t cublas##T##tb##_v2_64(                                                          \
        cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,                     \
        cublasDiagType_t diag, int64_t n, int64_t k, const t *A, int64_t lda, t *x, int64_t incx)  \
    {                                                                                              \
        return triangular(handle, "cublas" #T #tb "_v2", #T #TB, BAND, blas_run_##tb,              \
                          (struct blas_job){.type = BLAS_##T,                                      \
                                            .uplo = blas_uplo(uplo),                               \
                                            .transa = blas_trans(trans),                           \
                                            .diag = blas_diag(diag),                               \
                                            .n = n,                                                \
                                            .k = k,                                                \
                                            .a = OPERAND(A, lda),                                  \
                                            .b = OPERAND(x, incx)});                               \
    }

#define PACKED_TRIANGULAR(T, t, tp, TP)                                                            \
    cublasStatus_t cublas##T##tp##_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,             \
                                         cublasOperation_t trans, cublasDiagType_t diag,           \
                                         int64_t n, const t *AP, t *x, int64_t incx)               \
    {                                                                                              \
        return triangular(handle, "cublas" #T #tp "_v2", #T #TP, PACKED, blas_run_##tp,            \
                          (struct blas_job){.type = BLAS_##T,                                      \
                                            .uplo = blas_uplo(uplo),                               \
                                            .transa = blas_trans(trans),                           \
                                            .diag = blas_diag(diag),                               \
                                            .n = n,                                                \
                                            .a = OPERAND(AP, 1),                                   \
                                            .b = OPERAND(x, incx)});                               \
    }

#define LEVEL2(T, t)                                                                               \
    GEMV(T, t)                                                                                     \
    SYMV(cublas##T##symv_v2, #T "SYMV", T, t, false)                                               \
    SYR(cublas##T##syr_v2, #T "SYR", T, t, t, false)                                               \
    SYR2(cublas##T##syr2_v2, #T "SYR2 ", T, t, false)                                              \
    TRIANGULAR(T, t, trmv, TRMV)                                                                   \
    TRIANGULAR(T, t, trsv, TRSV)                                                                   \
    BANDED(T, t, tbmv, TBMV)                                                                       \
    BANDED(T, t, tbsv, TBSV)                                                                       \
    PACKED_TRIANGULAR(T, t, tpmv, TPMV)                                                            \
    PACKED_TRIANGULAR(T, t, tpsv, TPSV)

#define LEVEL2_REAL(T, t)                                                                          \
    GER(cublas##T##ger_v2, #T "GER", T, t, false)                                                  \
    SBMV(cublas##T##sbmv_v2, #T "SBMV", T, t, false)                                               \
    SPMV(cublas##T##spmv_v2, #T "SPMV", T, t, false)                                               \
    SPR(cublas##T##spr_v2, #T "SPR", T, t, t, false)                                               \
    SPR2(cublas##T##spr2_v2, #T "SPR2", T, t, false)

#define LEVEL2_COMPLEX(T, t, real)                                                                 \
    GER(cublas##T##geru_v2, #T "GERU", T, t, false)                                                \
    GER(cublas##T##gerc_v2, #T "GERC", T, t, true)                                                 \
    SYMV(cublas##T##hemv_v2, #T "HEMV", T, t, true)                                                \
    SBMV(cublas##T##hbmv_v2, #T "HBMV", T, t, true)                                                \
    SPMV(cublas##T##hpmv_v2, #T "HPMV", T, t, true)                                                \
    SYR(cublas##T##her_v2, #T "HER", T, t, real, true)                                             \
    SYR2(cublas##T##her2_v2, #T "HER2", T, t, true)                                                \
    SPR(cublas##T##hpr_v2, #T "HPR", T, t, real, true)                                             \
    SPR2(cublas##T##hpr2_v2, #T "HPR2", T, t, true)

LEVEL2(S, float)
LEVEL2(D, double)
LEVEL2(C, cuComplex)
LEVEL2(Z, cuDoubleComplex)
LEVEL2_REAL(S, float)
LEVEL2_REAL(D, double)
LEVEL2_COMPLEX(C, cuComplex, float)
LEVEL2_COMPLEX(Z, cuDoubleComplex, double)
