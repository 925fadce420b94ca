/* SPDX-License-Identifier: MIT */
/* Batches of products: gemm, gemv and trsm on many matrices in one call. */
#include "batch.h"

#include "level2_run.h"
#include "level3_run.h"
#include "openblas_gemm.h"

struct cupipe_range blas_batch_range(const struct blas_batch *batch, int64_t count, int64_t rows,
                                     int64_t columns, int64_t ld, size_t bytes)
{
    int64_t length = rows > 0 && columns > 0 ? (columns - 1) * ld + rows : 0, first = 0;

    if (batch->pointers)
        return lib_through(batch->pointers, (size_t)count,
                           blas_matrix(NULL, rows, columns, ld, bytes));
    if (count <= 1 || batch->stride == 0 || length == 0)
        return blas_matrix(batch->address, rows, columns, ld, bytes);
    if (batch->stride == columns * ld)
        return blas_matrix(batch->address, rows, columns * count, ld, bytes);
    if (batch->stride < 0)
        first = (count - 1) * batch->stride;
    length += (count - 1) * (batch->stride < 0 ? -batch->stride : batch->stride);
    return lib_partly(lib_read(blas_at(batch->address, first, bytes), (size_t)length * bytes));
}

void blas_for_batch(int64_t count, uint64_t operations, void (*part)(void *, size_t),
                    void *arguments)
{
    bool small = operations <= OPENBLAS_SERIAL_PRODUCT;
    bool parallel = (uint64_t)count * operations > 4096 &&
                    (small || (count >= lib_parallel_width() && openblas_begin_serial()));

    if (!parallel) {
        for (int64_t i = 0; i < count; i++)
            part(arguments, (size_t)i);
        return;
    }
    if (small)
        lib_parallel((size_t)count, part, arguments);
    else
        openblas_run_serial((size_t)count, part, arguments);
}

/* A job for each matrix: the operands of `job` are replaced. */
struct batched {
    struct blas_job job;
    struct blas_batch a, b, c;
    int64_t count;
};

static uint64_t operations_of(const struct blas_job *job)
{
    return (uint64_t)blas_max(job->m, 1) * (uint64_t)blas_max(job->n, 1) *
           (uint64_t)blas_max(job->k, 1) * (blas_is_complex(job->type) ? 4 : 1);
}

/* Reads count pointers, if it is a batch of pointers, or the matrices themselves. */
static void add_operand(struct blas_ranges *ranges, const struct batched *batched,
                        const struct blas_batch *batch, int64_t rows, int64_t columns, int64_t ld)
{
    blas_add(ranges, blas_batch_range(batch, batched->count, rows, columns, ld,
                                      blas_bytes(batched->job.type)));
}

/* Adds C, which is written, and read unless beta is 0. */
static void add_result(struct blas_ranges *ranges, const struct batched *batched, int64_t rows,
                       int64_t columns, int64_t ld)
{
    const size_t bytes = blas_bytes(batched->job.type);
    struct cupipe_range range =
        blas_batch_range(&batched->c, batched->count, rows, columns, ld, bytes);

    blas_add_updated(ranges, range, &batched->job.beta, bytes);
}

static void gemm_part(void *arguments, size_t index)
{
    const struct batched *batched = arguments;
    const struct blas_job *job = &batched->job;
    const size_t bytes = blas_bytes(job->type);
    const int64_t i = (int64_t)index;

    lib_gemm((enum openblas_type)job->type, job->transa, job->transb, job->m, job->n, job->k,
             blas_scalar_address(&job->alpha), blas_batch_at(&batched->a, i, bytes), job->a.step,
             blas_batch_at(&batched->b, i, bytes), job->b.step, blas_scalar_address(&job->beta),
             blas_batch_at(&batched->c, i, bytes), job->c.step);
}

static CUresult run_gemm(void *arguments)
{
    const struct batched *batched = arguments;

    blas_for_batch(batched->count, operations_of(&batched->job), gemm_part, arguments);
    return CUDA_SUCCESS;
}

static cublasStatus_t gemm(cublasHandle_t handle, const char *name, struct batched batched,
                           cublasOperation_t transa, cublasOperation_t transb, const void *alpha,
                           const void *beta)
{
    struct blas_job *job = &batched.job;
    const size_t bytes = blas_bytes(job->type);
    struct blas_ranges ranges = {.count = 0};
    int64_t rows_a, rows_b;
    bool reads;

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    job->transa = blas_trans(transa), job->transb = blas_trans(transb);
    if (!job->transa || !job->transb || job->m < 0 || job->n < 0 || job->k < 0 || batched.count < 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (job->m == 0 || job->n == 0 || batched.count == 0)
        return CUBLAS_STATUS_SUCCESS;
    rows_a = job->transa == 'N' ? job->m : job->k, rows_b = job->transb == 'N' ? job->k : job->n;
    if (job->a.step < blas_max(1, rows_a) || job->b.step < blas_max(1, rows_b) ||
        job->c.step < blas_max(1, job->m))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!alpha || !beta)
        return CUBLAS_STATUS_INVALID_VALUE;
    reads = job->k > 0 && !blas_host_factor_is(handle, job->type, alpha, 0);
    if (!reads && blas_host_factor_is(handle, job->type, beta, 1))
        return CUBLAS_STATUS_SUCCESS;
    if (blas_batch_is_null(&batched.c) ||
        (job->k > 0 && (blas_batch_is_null(&batched.a) || blas_batch_is_null(&batched.b))))
        return CUBLAS_STATUS_INVALID_VALUE;
    job->alpha = blas_scalar(handle, alpha, bytes);
    job->beta = blas_scalar(handle, beta, bytes);
    blas_add_scalar(&ranges, &job->alpha, bytes);
    blas_add_scalar(&ranges, &job->beta, bytes);
    if (reads) {
        add_operand(&ranges, &batched, &batched.a, rows_a, job->transa == 'N' ? job->k : job->m,
                    job->a.step);
        add_operand(&ranges, &batched, &batched.b, rows_b, job->transb == 'N' ? job->n : job->k,
                    job->b.step);
    }
    add_result(&ranges, &batched, job->m, job->n, job->c.step);
    return blas_submit(handle, name, operations_of(job) * (uint64_t)batched.count, &ranges,
                       run_gemm, &batched, sizeof(batched));
}

static void gemv_part(void *arguments, size_t index)
{
    const struct batched *batched = arguments;
    const struct blas_job *job = &batched->job;
    const size_t bytes = blas_bytes(job->type);
    const int64_t i = (int64_t)index;

    blas_gemv(job->type, job->transa, job->m, job->n, blas_scalar_address(&job->alpha),
              blas_batch_at(&batched->a, i, bytes), job->a.step,
              blas_batch_at(&batched->b, i, bytes), job->b.step, blas_scalar_address(&job->beta),
              blas_batch_at(&batched->c, i, bytes), job->c.step);
}

static CUresult run_gemv(void *arguments)
{
    const struct batched *batched = arguments;

    blas_for_batch(batched->count, operations_of(&batched->job), gemv_part, arguments);
    return CUDA_SUCCESS;
}

static int64_t distance(int64_t step)
{
    return step < 0 ? -step : step;
}

static cublasStatus_t gemv(cublasHandle_t handle, const char *name, struct batched batched,
                           cublasOperation_t trans, const void *alpha, const void *beta)
{
    struct blas_job *job = &batched.job;
    const size_t bytes = blas_bytes(job->type);
    struct blas_ranges ranges = {.count = 0};
    int64_t length_x, length_y;

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (job->m <= 0 || job->n <= 0 || batched.count == 0)
        return CUBLAS_STATUS_SUCCESS;
    job->transa = blas_trans(trans);
    if (!job->transa || batched.count < 0 || job->a.step < job->m || job->b.step == 0 ||
        job->c.step == 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!alpha || !beta || blas_batch_is_null(&batched.a) || blas_batch_is_null(&batched.b) ||
        blas_batch_is_null(&batched.c))
        return CUBLAS_STATUS_INVALID_VALUE;
    length_x = job->transa == 'N' ? job->n : job->m;
    length_y = job->transa == 'N' ? job->m : job->n;
    job->alpha = blas_scalar(handle, alpha, bytes);
    job->beta = blas_scalar(handle, beta, bytes);
    blas_add_scalar(&ranges, &job->alpha, bytes);
    blas_add_scalar(&ranges, &job->beta, bytes);
    if (!blas_scalar_is_zero(&job->alpha, bytes)) {
        add_operand(&ranges, &batched, &batched.a, job->m, job->n, job->a.step);
        add_operand(&ranges, &batched, &batched.b, 1, length_x, distance(job->b.step));
    }
    add_result(&ranges, &batched, 1, length_y, distance(job->c.step));
    return blas_submit(handle, name, operations_of(job) * (uint64_t)batched.count, &ranges,
                       run_gemv, &batched, sizeof(batched));
}

static void trsm_part(void *arguments, size_t index)
{
    const struct batched *batched = arguments;
    const size_t bytes = blas_bytes(batched->job.type);
    struct blas_job job = batched->job;

    job.a.address = blas_batch_at(&batched->a, (int64_t)index, bytes);
    job.b.address = blas_batch_at(&batched->b, (int64_t)index, bytes);
    blas_run_trsm(&job);
}

static CUresult run_trsm(void *arguments)
{
    const struct batched *batched = arguments;

    blas_for_batch(batched->count, operations_of(&batched->job), trsm_part, arguments);
    return CUDA_SUCCESS;
}

static cublasStatus_t trsm(cublasHandle_t handle, const char *name, struct batched batched,
                           const void *alpha)
{
    struct blas_job *job = &batched.job;
    const size_t bytes = blas_bytes(job->type);
    const int64_t order = job->side == 'L' ? job->m : job->n;
    struct blas_ranges ranges = {.count = 0};

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!job->side || !job->uplo || !job->transa || !job->diag || job->m < 0 || job->n < 0 ||
        job->a.step < blas_max(1, order) || job->b.step < blas_max(1, job->m) || batched.count < 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (job->m == 0 || job->n == 0 || batched.count == 0)
        return CUBLAS_STATUS_SUCCESS;
    if (!alpha)
        return CUBLAS_STATUS_INVALID_VALUE;
    job->k = order;
    job->alpha = blas_scalar(handle, alpha, bytes);
    blas_add_scalar(&ranges, &job->alpha, bytes);
    blas_add(&ranges, lib_partly(blas_batch_range(&batched.a, batched.count, order, order,
                                                  job->a.step, bytes)));
    blas_add_updated(
        &ranges, blas_batch_range(&batched.b, batched.count, job->m, job->n, job->b.step, bytes),
        &job->alpha, bytes);
    return blas_submit(handle, name, operations_of(job) * (uint64_t)batched.count, &ranges,
                       run_trsm, &batched, sizeof(batched));
}

#define GEMM_BATCHED(function, T, t)                                                               \
    cublasStatus_t function##_64(cublasHandle_t handle, cublasOperation_t transa,                  \
                                 cublasOperation_t transb, int64_t m, int64_t n, int64_t k,        \
                                 const t *alpha, const t *const Aarray[], int64_t lda,             \
                                 const t *const Barray[], int64_t ldb, const t *beta,              \
                                 t *const Carray[], int64_t ldc, int64_t batchCount)               \
    {                                                                                              \
        return gemm(handle, #function,                                                             \
                    (struct batched){.job = {.type = BLAS_##T,                                     \
                                             .m = m,                                               \
                                             .n = n,                                               \
                                             .k = k,                                               \
                                             .a = {NULL, lda},                                     \
                                             .b = {NULL, ldb},                                     \
                                             .c = {NULL, ldc}},                                    \
                                     .a = blas_pointers(Aarray),                                   \
                                     .b = blas_pointers(Barray),                                   \
                                     .c = blas_pointers(Carray),                                   \
                                     .count = batchCount},                                         \
                    transa, transb, alpha, beta);                                                  \
    }

#define GEMM_STRIDED(function, T, t)                                                               \
    cublasStatus_t function##_64(cublasHandle_t handle, cublasOperation_t transa,                  \
                                 cublasOperation_t transb, int64_t m, int64_t n, int64_t k,        \
                                 const t *alpha, const t *A, int64_t lda, long long int strideA,   \
                                 const t *B, int64_t ldb, long long int strideB, const t *beta,    \
                                 t *C, int64_t ldc, long long int strideC, int64_t batchCount)     \
    {                                                                                              \
        return gemm(handle, #function,                                                             \
                    (struct batched){.job = {.type = BLAS_##T,                                     \
                                             .m = m,                                               \
                                             .n = n,                                               \
                                             .k = k,                                               \
                                             .a = {NULL, lda},                                     \
                                             .b = {NULL, ldb},                                     \
                                             .c = {NULL, ldc}},                                    \
                                     .a = blas_strided(A, strideA),                                \
                                     .b = blas_strided(B, strideB),                                \
                                     .c = blas_strided(C, strideC),                                \
                                     .count = batchCount},                                         \
                    transa, transb, alpha, beta);                                                  \
    }

#define GEMV_BATCHED(T, t)                                                                         \
    cublasStatus_t cublas##T##gemvBatched_64(                                                      \
        cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n, const t *alpha,      \
        const t *const Aarray[], int64_t lda, const t *const xarray[], int64_t incx,               \
        const t *beta, t *const yarray[], int64_t incy, int64_t batchCount)                        \
    {                                                                                              \
        return gemv(handle, "cublas" #T "gemvBatched",                                             \
                    (struct batched){.job = {.type = BLAS_##T,                                     \
                                             .m = m,                                               \
                                             .n = n,                                               \
                                             .a = {NULL, lda},                                     \
                                             .b = {NULL, incx},                                    \
                                             .c = {NULL, incy}},                                   \
                                     .a = blas_pointers(Aarray),                                   \
                                     .b = blas_pointers(xarray),                                   \
                                     .c = blas_pointers(yarray),                                   \
                                     .count = batchCount},                                         \
                    trans, alpha, beta);                                                           \
    }                                                                                              \
    cublasStatus_t cublas##T##gemvStridedBatched_64(                                               \
        cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n, const t *alpha,      \
        const t *A, int64_t lda, long long int strideA, const t *x, int64_t incx,                  \
        long long int stridex, const t *beta, t *y, int64_t incy, long long int stridey,           \
        int64_t batchCount)                                                                        \
    {                                                                                              \
        return gemv(handle, "cublas" #T "gemvStridedBatched",                                      \
                    (struct batched){.job = {.type = BLAS_##T,                                     \
                                             .m = m,                                               \
                                             .n = n,                                               \
                                             .a = {NULL, lda},                                     \
                                             .b = {NULL, incx},                                    \
                                             .c = {NULL, incy}},                                   \
                                     .a = blas_strided(A, strideA),                                \
                                     .b = blas_strided(x, stridex),                                \
                                     .c = blas_strided(y, stridey),                                \
                                     .count = batchCount},                                         \
                    trans, alpha, beta);                                                           \
    }

#define TRSM_BATCHED(T, t)                                                                         \
    cublasStatus_t cublas##T##trsmBatched_64(                                                      \
        cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,                       \
        cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n, const t *alpha,      \
        const t *const A[], int64_t lda, t *const B[], int64_t ldb, int64_t batchCount)            \
    {                                                                                              \
        return trsm(handle, "cublas" #T "trsmBatched",                                             \
                    (struct batched){.job = {.type = BLAS_##T,                                     \
                                             .side = blas_side(side),                              \
                                             .uplo = blas_uplo(uplo),                              \
                                             .transa = blas_trans(trans),                          \
                                             .diag = blas_diag(diag),                              \
                                             .m = m,                                               \
                                             .n = n,                                               \
                                             .a = {NULL, lda},                                     \
                                             .b = {NULL, ldb}},                                    \
                                     .a = blas_pointers(A),                                        \
                                     .b = blas_pointers(B),                                        \
                                     .count = batchCount},                                         \
                    alpha);                                                                        \
    }

#define BATCHED(T, t)                                                                              \
    GEMM_BATCHED(cublas##T##gemmBatched, T, t)                                                     \
    GEMM_STRIDED(cublas##T##gemmStridedBatched, T, t)                                              \
    GEMV_BATCHED(T, t)                                                                             \
    TRSM_BATCHED(T, t)

BATCHED(S, float)
BATCHED(D, double)
BATCHED(C, cuComplex)
BATCHED(Z, cuDoubleComplex)
GEMM_BATCHED(cublasCgemm3mBatched, C, cuComplex)
GEMM_STRIDED(cublasCgemm3mStridedBatched, C, cuComplex)
