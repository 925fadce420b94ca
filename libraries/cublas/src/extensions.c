/* SPDX-License-Identifier: MIT */
/* geam, dgmm, tpttr and trttp: sums of matrices, products with diagonal matrices, conversions of
 * packed triangles. Columns are computed on all cores. */
#include "blas.h"
#include "element.h"

#include <string.h>

/* Calls column(job, j) for each column, on several cores if there is much to do. */
static void for_columns(const struct blas_job *job, int64_t columns, int64_t rows,
                        void (*column)(void *job, size_t index))
{
    enum { ELEMENTS_WORTH_PARTS = 1 << 14 };

    if (columns * rows >= ELEMENTS_WORTH_PARTS) {
        lib_parallel((size_t)columns, column, (void *)job);
        return;
    }
    for (int64_t j = 0; j < columns; j++)
        column((void *)job, (size_t)j);
}

BLAS_INLINE struct blas_complex term(cudaDataType_t type, const struct blas_operand *operand,
                                     char trans, struct blas_complex factor, int64_t i, int64_t j)
{
    struct blas_complex value;

    if (factor.re == 0 && factor.im == 0)
        return (struct blas_complex){0, 0};
    value = blas_load(type, operand->address,
                      trans == 'N' ? i + j * operand->step : j + i * operand->step);
    return blas_multiply(factor, trans == 'C' ? blas_conjugate(value) : value);
}

BLAS_INLINE void add_column(const struct blas_job *job, cudaDataType_t type, int64_t j)
{
    const struct blas_complex alpha = blas_load(type, blas_scalar_address(&job->alpha), 0),
                              beta = blas_load(type, blas_scalar_address(&job->beta), 0);

    for (int64_t i = 0; i < job->m; i++)
        blas_store(type, job->c.address, i + j * job->c.step,
                   blas_plus(term(type, &job->a, job->transa, alpha, i, j),
                             term(type, &job->b, job->transb, beta, i, j)));
}

static void geam_column(void *arguments, size_t index)
{
    const struct blas_job *job = arguments;
    const int64_t j = (int64_t)index;

    if (job->type == BLAS_S)
        add_column(job, CUDA_R_32F, j);
    else if (job->type == BLAS_D)
        add_column(job, CUDA_R_64F, j);
    else if (job->type == BLAS_C)
        add_column(job, CUDA_C_32F, j);
    else
        add_column(job, CUDA_C_64F, j);
}

static CUresult run_geam(void *arguments)
{
    const struct blas_job *job = arguments;

    for_columns(job, job->n, job->m, geam_column);
    return CUDA_SUCCESS;
}

static cublasStatus_t geam(cublasHandle_t handle, const char *name, const char *routine,
                           struct blas_job job, const void *alpha, const void *beta)
{
    const size_t bytes = blas_bytes(job.type);
    struct blas_ranges ranges = {.count = 0};
    int64_t rows_a = job.transa == 'N' ? job.m : job.n, rows_b = job.transb == 'N' ? job.m : job.n;

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!job.transa || !job.transb)
        return blas_illegal(routine, job.transa ? 2 : 1);
    if (job.m < 0 || job.n < 0)
        return blas_illegal(routine, job.m < 0 ? 3 : 4);
    if (job.a.step < blas_max(1, rows_a))
        return blas_illegal(routine, 7);
    if (job.b.step < blas_max(1, rows_b))
        return blas_illegal(routine, 10);
    if (job.c.step < blas_max(1, job.m))
        return blas_illegal(routine, 12);
    if (job.m == 0 || job.n == 0)
        return CUBLAS_STATUS_SUCCESS;
    job.alpha = blas_scalar(handle, alpha, bytes);
    job.beta = blas_scalar(handle, beta, bytes);
    blas_add_scalar(&ranges, &job.alpha, bytes);
    blas_add_scalar(&ranges, &job.beta, bytes);
    if (!blas_scalar_is_zero(&job.alpha, bytes))
        blas_add(&ranges, blas_matrix(job.a.address, rows_a, job.transa == 'N' ? job.n : job.m,
                                      job.a.step, bytes));
    if (!blas_scalar_is_zero(&job.beta, bytes))
        blas_add(&ranges, blas_matrix(job.b.address, rows_b, job.transb == 'N' ? job.n : job.m,
                                      job.b.step, bytes));
    blas_add(&ranges, blas_written(blas_matrix(job.c.address, job.m, job.n, job.c.step, bytes)));
    return blas_submit(handle, name, (uint64_t)job.m * (uint64_t)job.n * 8, &ranges, run_geam, &job,
                       sizeof(job));
}

/* b is the vector. */
BLAS_INLINE void multiply_column(const struct blas_job *job, cudaDataType_t type, int64_t j)
{
    const int64_t length = job->side == 'L' ? job->m : job->n;
    const int64_t first = job->b.step < 0 ? (1 - length) * job->b.step : 0;

    for (int64_t i = 0; i < job->m; i++) {
        int64_t at = first + (job->side == 'L' ? i : j) * job->b.step;

        blas_store(type, job->c.address, i + j * job->c.step,
                   blas_multiply(blas_load(type, job->a.address, i + j * job->a.step),
                                 blas_load(type, job->b.address, at)));
    }
}

static void dgmm_column(void *arguments, size_t index)
{
    const struct blas_job *job = arguments;
    const int64_t j = (int64_t)index;

    if (job->type == BLAS_S)
        multiply_column(job, CUDA_R_32F, j);
    else if (job->type == BLAS_D)
        multiply_column(job, CUDA_R_64F, j);
    else if (job->type == BLAS_C)
        multiply_column(job, CUDA_C_32F, j);
    else
        multiply_column(job, CUDA_C_64F, j);
}

static CUresult run_dgmm(void *arguments)
{
    const struct blas_job *job = arguments;

    for_columns(job, job->n, job->m, dgmm_column);
    return CUDA_SUCCESS;
}

static cublasStatus_t dgmm(cublasHandle_t handle, const char *name, const char *routine,
                           struct blas_job job)
{
    const size_t bytes = blas_bytes(job.type);
    struct blas_ranges ranges = {.count = 0};

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!job.side)
        return blas_illegal(routine, 1);
    if (job.m < 0 || job.n < 0)
        return blas_illegal(routine, job.m < 0 ? 2 : 3);
    if (job.a.step < blas_max(1, job.m))
        return blas_illegal(routine, 5);
    if (job.c.step < blas_max(1, job.m))
        return blas_illegal(routine, 9);
    if (job.m == 0 || job.n == 0)
        return CUBLAS_STATUS_SUCCESS;
    blas_add(&ranges, blas_matrix(job.a.address, job.m, job.n, job.a.step, bytes));
    blas_add(&ranges,
             blas_vector(job.b.address, job.side == 'L' ? job.m : job.n, job.b.step, bytes));
    blas_add(&ranges, blas_written(blas_matrix(job.c.address, job.m, job.n, job.c.step, bytes)));
    return blas_submit(handle, name, (uint64_t)job.m * (uint64_t)job.n * 8, &ranges, run_dgmm, &job,
                       sizeof(job));
}

/* Copies column j between the packed triangle b and the square a. */
static void convert_column(const struct blas_job *job, int64_t j, bool unpack)
{
    const size_t bytes = blas_bytes(job->type);
    const bool upper = job->uplo == 'U';
    const int64_t rows = upper ? j + 1 : job->n - j,
                  packed = upper ? j * (j + 1) / 2 : j * job->n - j * (j - 1) / 2;
    void *column = blas_at(job->a.address, (upper ? 0 : j) + j * job->a.step, bytes),
         *piece = blas_at(job->b.address, packed, bytes);

    memcpy(unpack ? column : piece, unpack ? piece : column, (size_t)rows * bytes);
}

static CUresult run_unpack(void *arguments)
{
    const struct blas_job *job = arguments;

    for (int64_t j = 0; j < job->n; j++)
        convert_column(job, j, true);
    return CUDA_SUCCESS;
}

static CUresult run_pack(void *arguments)
{
    const struct blas_job *job = arguments;

    for (int64_t j = 0; j < job->n; j++)
        convert_column(job, j, false);
    return CUDA_SUCCESS;
}

static cublasStatus_t convert(cublasHandle_t handle, const char *name, const char *routine,
                              enum blas_type type, cublasFillMode_t uplo, int n, const void *packed,
                              const void *square, int ld, bool unpack)
{
    const size_t bytes = blas_bytes(type);
    struct blas_job job = {.type = type,
                           .uplo = blas_uplo(uplo),
                           .n = n,
                           .a = {(void *)square, ld},
                           .b = {(void *)packed, 1}};
    struct cupipe_range triangle =
        lib_read(packed, n > 0 ? (size_t)n * ((size_t)n + 1) / 2 * bytes : 0);
    struct cupipe_range matrix = lib_partly(blas_matrix(square, n, n, ld, bytes));
    struct blas_ranges ranges = {.count = 0};

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!job.uplo)
        return blas_illegal(routine, 1);
    if (n < 0)
        return blas_illegal(routine, 2);
    if (ld < blas_max(1, n))
        return blas_illegal(routine, unpack ? 5 : 4);
    if (n == 0)
        return CUBLAS_STATUS_SUCCESS;
    blas_add(&ranges, unpack ? triangle : matrix);
    blas_add(&ranges, blas_written(unpack ? matrix : triangle));
    return blas_submit(handle, name, (uint64_t)n * (uint64_t)n, &ranges,
                       unpack ? run_unpack : run_pack, &job, sizeof(job));
}

#define EXTENSIONS(T, t)                                                                           \
    cublasStatus_t cublas##T##geam_64(cublasHandle_t handle, cublasOperation_t transa,             \
                                      cublasOperation_t transb, int64_t m, int64_t n,              \
                                      const t *alpha, const t *A, int64_t lda, const t *beta,      \
                                      const t *B, int64_t ldb, t *C, int64_t ldc)                  \
    {                                                                                              \
        return geam(handle, "cublas" #T "geam", #T "GEAM",                                         \
                    (struct blas_job){.type = BLAS_##T,                                            \
                                      .transa = blas_trans(transa),                                \
                                      .transb = blas_trans(transb),                                \
                                      .m = m,                                                      \
                                      .n = n,                                                      \
                                      .a = {(void *)A, lda},                                       \
                                      .b = {(void *)B, ldb},                                       \
                                      .c = {C, ldc}},                                              \
                    alpha, beta);                                                                  \
    }                                                                                              \
    cublasStatus_t cublas##T##dgmm_64(cublasHandle_t handle, cublasSideMode_t mode, int64_t m,     \
                                      int64_t n, const t *A, int64_t lda, const t *x,              \
                                      int64_t incx, t *C, int64_t ldc)                             \
    {                                                                                              \
        return dgmm(handle, "cublas" #T "dgmm", #T "DGMM",                                         \
                    (struct blas_job){.type = BLAS_##T,                                            \
                                      .side = blas_side(mode),                                     \
                                      .m = m,                                                      \
                                      .n = n,                                                      \
                                      .a = {(void *)A, lda},                                       \
                                      .b = {(void *)x, incx},                                      \
                                      .c = {C, ldc}});                                             \
    }                                                                                              \
    cublasStatus_t cublas##T##tpttr(cublasHandle_t handle, cublasFillMode_t uplo, int n,           \
                                    const t *AP, t *A, int lda)                                    \
    {                                                                                              \
        return convert(handle, "cublas" #T "tpttr", #T "TPTTR", BLAS_##T, uplo, n, AP, A, lda,     \
                       true);                                                                      \
    }                                                                                              \
    cublasStatus_t cublas##T##trttp(cublasHandle_t handle, cublasFillMode_t uplo, int n,           \
                                    const t *A, int lda, t *AP)                                    \
    {                                                                                              \
        return convert(handle, "cublas" #T "trttp", #T "TRTTP", BLAS_##T, uplo, n, AP, A, lda,     \
                       false);                                                                     \
    }

EXTENSIONS(S, float)
EXTENSIONS(D, double)
EXTENSIONS(C, cuComplex)
EXTENSIONS(Z, cuDoubleComplex)
