/* SPDX-License-Identifier: MIT */
/* Level 2: a matrix and vectors. Except for gemv, which has rules of its own, arguments are
 * reported by the numbers that BLAS gives them. A full or packed matrix of an order above 2^31 lies
 * in no memory: the work does not run, as with any operand that the device cannot access. */
#include "level2.h"

static uint64_t cost(const struct blas_job *job, int64_t rows, int64_t columns)
{
    return (uint64_t)(rows > 0 ? rows : 1) * (uint64_t)(columns > 0 ? columns : 1) *
           (blas_is_complex(job->type) ? 4 : 1);
}

cublasStatus_t blas_gemv_call(cublasHandle_t handle, const char *name, enum blas_type type,
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

/* Leaves out bands that the matrix is too small to have. */
static void narrow(struct blas_job *job)
{
    const int64_t k = blas_min(job->k, job->n - 1);

    if (job->uplo == 'U')
        job->a.address = blas_at(job->a.address, job->k - k, blas_bytes(job->type));
    job->k = k;
}

static void narrow_general(struct blas_job *job)
{
    const int64_t ku = blas_min(job->ku, job->n - 1);

    job->a.address = blas_at(job->a.address, job->ku - ku, blas_bytes(job->type));
    job->ku = ku;
    job->kl = blas_min(job->kl, job->m - 1);
}

static struct cupipe_range stored(const struct blas_job *job, enum blas_storage storage)
{
    const size_t bytes = blas_bytes(job->type);

    if (storage == BLAS_PACKED)
        return lib_read(job->a.address, blas_extent(job->n, job->n + 1, bytes) / 2);
    return lib_partly(blas_matrix(job->a.address, storage == BLAS_BAND ? job->k + 1 : job->n,
                                  job->n, job->a.step, bytes));
}

/* Of a leading dimension; no matrix has a leading dimension of 2^63 - 1. */
static int64_t leading_least(const struct blas_job *job, enum blas_storage storage)
{
    if (storage != BLAS_BAND)
        return blas_max(1, job->n);
    return job->k == INT64_MAX ? INT64_MAX : job->k + 1;
}

static bool changes_nothing(cublasHandle_t handle, const struct blas_job *job, const void *alpha,
                            const void *beta)
{
    return blas_host_factor_is(handle, job->type, alpha, 0) &&
           blas_host_factor_is(handle, job->type, beta, 1);
}

cublasStatus_t blas_gbmv_call(cublasHandle_t handle, const char *name, const char *routine,
                              struct blas_job job, const void *alpha, const void *beta)
{
    const size_t bytes = blas_bytes(job.type);
    struct blas_ranges ranges = {.count = 0};
    int64_t length_x = job.transa == 'N' ? job.n : job.m,
            length_y = job.transa == 'N' ? job.m : job.n;

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!job.transa)
        return blas_illegal(routine, 1);
    if (job.m < 0 || job.n < 0)
        return blas_illegal(routine, job.m < 0 ? 2 : 3);
    if (job.kl < 0 || job.ku < 0)
        return blas_illegal(routine, job.kl < 0 ? 4 : 5);
    if (job.a.step <= job.kl || job.a.step - job.kl <= job.ku)
        return blas_illegal(routine, 8);
    if (job.b.step == 0 || job.c.step == 0)
        return blas_illegal(routine, job.b.step == 0 ? 10 : 13);
    if (job.m == 0 || job.n == 0)
        return CUBLAS_STATUS_SUCCESS;
    if (!alpha || !beta)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (changes_nothing(handle, &job, alpha, beta))
        return CUBLAS_STATUS_SUCCESS;
    narrow_general(&job);
    job.alpha = blas_scalar(handle, alpha, bytes);
    job.beta = blas_scalar(handle, beta, bytes);
    blas_add_scalar(&ranges, &job.alpha, bytes);
    blas_add_scalar(&ranges, &job.beta, bytes);
    if (!blas_scalar_is_zero(&job.alpha, bytes)) {
        blas_add(&ranges, lib_partly(blas_matrix(job.a.address, job.kl + job.ku + 1, job.n,
                                                 job.a.step, bytes)));
        blas_add(&ranges, blas_vector(job.b.address, length_x, job.b.step, bytes));
    }
    blas_add_updated(&ranges, blas_vector(job.c.address, length_y, job.c.step, bytes), &job.beta,
                     bytes);
    return blas_submit(handle, name, cost(&job, job.kl + job.ku + 1, job.n), &ranges, blas_run_gbmv,
                       &job, sizeof(job));
}

cublasStatus_t blas_ger_call(cublasHandle_t handle, const char *name, const char *routine,
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
                                        enum blas_storage storage)
{
    static const int numbers[3][3] = {{5, 7, 10}, {6, 8, 11}, {0, 6, 9}}; /* of lda, incx, incy */

    if (!job->uplo)
        return blas_illegal(routine, 1);
    if (job->n < 0)
        return blas_illegal(routine, 2);
    if (storage == BLAS_BAND && job->k < 0)
        return blas_illegal(routine, 3);
    if (storage != BLAS_PACKED && job->a.step < leading_least(job, storage))
        return blas_illegal(routine, numbers[storage][0]);
    if (job->b.step == 0)
        return blas_illegal(routine, numbers[storage][1]);
    if (job->c.step == 0)
        return blas_illegal(routine, numbers[storage][2]);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t blas_symv_call(cublasHandle_t handle, const char *name, const char *routine,
                              enum blas_storage storage, struct blas_job job, const void *alpha,
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
    if (storage == BLAS_BAND)
        narrow(&job);
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
    return blas_submit(handle, name, cost(&job, storage == BLAS_BAND ? job.k + 1 : job.n, job.n),
                       &ranges, runs[storage], &job, sizeof(job));
}

/* syr, syr2, spr, spr2, and the Hermitian ones: `two` has y. */
static cublasStatus_t rank_illegal(const struct blas_job *job, const char *routine,
                                   enum blas_storage storage, bool two)
{
    if (!job->uplo)
        return blas_illegal(routine, 1);
    if (job->n < 0)
        return blas_illegal(routine, 2);
    if (job->b.step == 0)
        return blas_illegal(routine, 5);
    if (two && job->c.step == 0)
        return blas_illegal(routine, 7);
    if (storage == BLAS_FULL && job->a.step < blas_max(1, job->n))
        return blas_illegal(routine, two ? 9 : 7);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t blas_rank_update_call(cublasHandle_t handle, const char *name, const char *routine,
                                     enum blas_storage storage, bool two, struct blas_job job,
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
                       runs[storage == BLAS_PACKED][two], &job, sizeof(job));
}

/* trmv, tbmv, tpmv, and those that solve. */
cublasStatus_t blas_triangular_call(cublasHandle_t handle, const char *name, const char *routine,
                                    enum blas_storage storage, lib_work *run, struct blas_job job)
{
    const size_t bytes = blas_bytes(job.type);
    const int lda_number = storage == BLAS_BAND ? 7 : 6, incx_number = storage == BLAS_FULL   ? 8
                                                                       : storage == BLAS_BAND ? 9
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
    if (storage == BLAS_BAND && job.k < 0)
        return blas_illegal(routine, 5);
    if (storage != BLAS_PACKED && job.a.step < leading_least(&job, storage))
        return blas_illegal(routine, lda_number);
    if (job.b.step == 0)
        return blas_illegal(routine, incx_number);
    if (job.n == 0)
        return CUBLAS_STATUS_SUCCESS;
    if (storage == BLAS_BAND)
        narrow(&job);
    blas_add(&ranges, lib_partly(stored(&job, storage)));
    blas_add(&ranges, x);
    blas_add(&ranges, blas_written(x));
    return blas_submit(handle, name, cost(&job, storage == BLAS_BAND ? job.k + 1 : job.n, job.n),
                       &ranges, run, &job, sizeof(job));
}
