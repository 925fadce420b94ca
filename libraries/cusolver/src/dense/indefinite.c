/* SPDX-License-Identifier: MIT */
/* Symmetric indefinite matrices: factors with the pivots of Bunch and Kaufman or, where a program
 * gives no memory for pivots, without; inverses, and systems. */
#include "cusolver_typed.h"
#include "ldl.h"
#include "solver.h"

#include <stdlib.h>

struct indefinite {
    enum openblas_type type;
    char uplo;
    openblas_int n, columns, lda, ldb;
    void *a, *b;
    int *pivots;
    const int64_t *wide_pivots;
    int *info;
};

enum { BLOCK = 64 };

static double operations_of(const struct indefinite *job)
{
    return (double)job->n * job->n * solver_max(job->columns, job->n / 3 + 1) *
           (lapack_is_complex(job->type) ? 4 : 1);
}

static openblas_int call_sytrf(const void *arguments, void *work, openblas_int lwork)
{
    const struct indefinite *job = arguments;
    openblas_int info = 0;

    lapack()->sytrf[job->type](&job->uplo, &job->n, job->a, &job->lda, job->pivots, work, &lwork,
                               &info, 1);
    return info;
}

static CUresult run_sytrf(void *arguments)
{
    const struct indefinite *job = arguments;
    openblas_int info;

    if (job->pivots)
        return lapack_with_work(job->type, call_sytrf, job, job->info);
    info = ldl_factor(job->type, job->uplo, job->n, job->a, job->lda);
    if (job->info)
        *job->info = info;
    return CUDA_SUCCESS;
}

/* Without pivots nothing is inverted, as in cuSOLVER. */
static CUresult run_sytri(void *arguments)
{
    const struct indefinite *job = arguments;
    void *work = !job->pivots ? NULL : malloc((size_t)job->n * 2 * lapack_bytes(job->type));
    openblas_int info = 0;

    if (job->pivots && !work)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (job->pivots)
        lapack()->sytri[job->type](&job->uplo, &job->n, job->a, &job->lda, job->pivots, work, &info,
                                   1);
    free(work);
    if (job->info)
        *job->info = info;
    return CUDA_SUCCESS;
}

static CUresult run_sytrs(void *arguments)
{
    const struct indefinite *job = arguments;
    openblas_int *pivots, info = 0;

    if (job->info)
        *job->info = 0;
    if (!job->wide_pivots) {
        ldl_solve(job->type, job->uplo, job->n, job->columns, job->a, job->lda, job->b, job->ldb);
        return CUDA_SUCCESS;
    }
    pivots = malloc((size_t)job->n * sizeof(*pivots));
    if (!pivots)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (openblas_int i = 0; i < job->n; i++)
        pivots[i] = (openblas_int)job->wide_pivots[i];
    lapack()->sytrs[job->type](&job->uplo, &job->n, &job->columns, job->a, &job->lda, pivots,
                               job->b, &job->ldb, &info, 1);
    free(pivots);
    return CUDA_SUCCESS;
}

cusolverStatus_t dn_sytrf_size(struct lib_typed typed, cusolverDnHandle_t handle, int n, void *A,
                               int lda, int *lwork)
{
    (void)typed, (void)A;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (n < 0 || !solver_is_ld(lda, n))
        return CUSOLVER_STATUS_INVALID_VALUE;
    return solver_size(lwork, (int64_t)n * BLOCK);
}

cusolverStatus_t dn_sytrf(struct lib_typed typed, cusolverDnHandle_t handle, cublasFillMode_t uplo,
                          int n, void *A, int lda, int *ipiv, void *work, int lwork, int *info)
{
    const struct indefinite job = {.type = typed.type,
                                   .uplo = solver_uplo(uplo),
                                   .n = n,
                                   .a = A,
                                   .lda = lda,
                                   .pivots = ipiv,
                                   .info = info};
    const size_t bytes = lapack_bytes(typed.type);
    struct solver_ranges ranges = {.count = 0};

    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!job.uplo || n < 0 || !solver_is_ld(lda, n))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (n == 0)
        return CUSOLVER_STATUS_SUCCESS;
    solver_add(&ranges, SOLVER_UPDATED | SOLVER_PARTLY, A, n, n, lda, bytes);
    solver_add(&ranges, SOLVER_WRITTEN, ipiv, ipiv ? n : 0, 1, 1, sizeof(int));
    solver_add_work(&ranges, work, lwork, bytes);
    solver_add_info(&ranges, info, 1);
    return solver_submit(handle->stream, typed.name, operations_of(&job), &ranges, run_sytrf, &job,
                         sizeof(job));
}

cusolverStatus_t dn_sytri_size(struct lib_typed typed, cusolverDnHandle_t handle,
                               cublasFillMode_t uplo, int n, void *A, int lda, const int *ipiv,
                               int *lwork)
{
    (void)typed, (void)A, (void)ipiv;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!solver_uplo(uplo) || n < 0 || !solver_is_ld(lda, n))
        return CUSOLVER_STATUS_INVALID_VALUE;
    return solver_size(lwork, (int64_t)n * 2);
}

cusolverStatus_t dn_sytri(struct lib_typed typed, cusolverDnHandle_t handle, cublasFillMode_t uplo,
                          int n, void *A, int lda, const int *ipiv, void *work, int lwork,
                          int *info)
{
    const struct indefinite job = {.type = typed.type,
                                   .uplo = solver_uplo(uplo),
                                   .n = n,
                                   .a = A,
                                   .lda = lda,
                                   .pivots = (int *)ipiv,
                                   .info = info};
    const size_t bytes = lapack_bytes(typed.type);
    struct solver_ranges ranges = {.count = 0};

    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!job.uplo || n < 0 || !solver_is_ld(lda, n))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (n == 0)
        return CUSOLVER_STATUS_SUCCESS;
    solver_add(&ranges, SOLVER_UPDATED | SOLVER_PARTLY, A, n, n, lda, bytes);
    solver_add(&ranges, SOLVER_READ, ipiv, ipiv ? n : 0, 1, 1, sizeof(int));
    solver_add_work(&ranges, work, lwork, bytes);
    solver_add_info(&ranges, info, 1);
    return solver_submit(handle->stream, typed.name, operations_of(&job), &ranges, run_sytri, &job,
                         sizeof(job));
}

cusolverStatus_t cusolverDnXsytrs_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo,
                                             int64_t n, int64_t nrhs, cudaDataType dataTypeA,
                                             const void *A, int64_t lda, const int64_t *ipiv,
                                             cudaDataType dataTypeB, void *B, int64_t ldb,
                                             size_t *workspaceInBytesOnDevice,
                                             size_t *workspaceInBytesOnHost)
{
    enum openblas_type type;

    (void)A, (void)ipiv, (void)B;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!solver_uplo(uplo) || n < 0 || nrhs < 0 || !solver_type(dataTypeA, &type) ||
        dataTypeB != dataTypeA || !solver_is_ld(lda, n) || !solver_is_ld(ldb, n))
        return CUSOLVER_STATUS_INVALID_VALUE;
    return solver_size_bytes(workspaceInBytesOnDevice, workspaceInBytesOnHost, n, type);
}

cusolverStatus_t cusolverDnXsytrs(cusolverDnHandle_t handle, cublasFillMode_t uplo, int64_t n,
                                  int64_t nrhs, cudaDataType dataTypeA, const void *A, int64_t lda,
                                  const int64_t *ipiv, cudaDataType dataTypeB, void *B, int64_t ldb,
                                  void *bufferOnDevice, size_t workspaceInBytesOnDevice,
                                  void *bufferOnHost, size_t workspaceInBytesOnHost, int *info)
{
    struct indefinite job = {
        .uplo = solver_uplo(uplo), .a = (void *)A, .b = B, .wide_pivots = ipiv, .info = info};
    struct solver_ranges ranges = {.count = 0};

    (void)bufferOnHost, (void)workspaceInBytesOnHost;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!job.uplo || n < 0 || nrhs < 0 || !solver_type(dataTypeA, &job.type) ||
        dataTypeB != dataTypeA || !solver_is_ld(lda, n) || !solver_is_ld(ldb, n) ||
        !solver_fits(n, nrhs, lda, ldb))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (n == 0 || nrhs == 0)
        return CUSOLVER_STATUS_SUCCESS;
    job.n = (openblas_int)n;
    job.columns = (openblas_int)nrhs;
    job.lda = (openblas_int)lda;
    job.ldb = (openblas_int)ldb;
    solver_add(&ranges, SOLVER_READ | SOLVER_PARTLY, A, n, n, lda, lapack_bytes(job.type));
    solver_add(&ranges, SOLVER_READ, ipiv, ipiv ? n : 0, 1, 1, sizeof(int64_t));
    solver_add(&ranges, SOLVER_UPDATED, B, n, nrhs, ldb, lapack_bytes(job.type));
    solver_add_work(&ranges, bufferOnDevice, (int64_t)workspaceInBytesOnDevice, 1);
    solver_add_info(&ranges, info, 1);
    return solver_submit(handle->stream, __func__, operations_of(&job), &ranges, run_sytrs, &job,
                         sizeof(job));
}
