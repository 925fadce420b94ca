/* SPDX-License-Identifier: MIT */
/* LU factors, with and without pivots, and systems that are solved with them. Pivots have 32 bits,
 * or 64 in the 64-bit interface. */
#include "cusolver_typed.h"
#include "lu_plain.h"
#include "solver.h"

#include <stdlib.h>
#include <string.h>

struct lu {
    enum openblas_type type;
    char trans;
    openblas_int m, n, columns, lda, ldb;
    void *a, *b;
    int *pivots;
    int64_t *wide_pivots;
    int *info;
};

static double operations_of(const struct lu *job)
{
    return (double)solver_max(job->m, 1) * job->n * solver_max(job->columns, job->n) / 2 *
           (lapack_is_complex(job->type) ? 4 : 1);
}

/* 64-bit pivots as LAPACK has them; NULL without memory. */
static openblas_int *narrow(const int64_t *pivots, openblas_int count)
{
    openblas_int *narrowed = malloc((size_t)count * sizeof(*narrowed));

    for (openblas_int i = 0; narrowed && i < count; i++)
        narrowed[i] = (openblas_int)pivots[i];
    return narrowed;
}

static CUresult factor_wide(const struct lu *job, openblas_int *info)
{
    const openblas_int count = (openblas_int)solver_min(job->m, job->n);
    openblas_int *pivots = malloc((size_t)count * sizeof(*pivots));

    if (!pivots)
        return CUDA_ERROR_OUT_OF_MEMORY;
    openblas()->getrf[job->type](&job->m, &job->n, job->a, &job->lda, pivots, info);
    for (openblas_int i = 0; i < count; i++)
        job->wide_pivots[i] = pivots[i];
    free(pivots);
    return CUDA_SUCCESS;
}

/* Sizes are not checked before: negative ones are an illegal access of the work, as they are of
 * cuSOLVER's kernel, and a leading dimension that is too small leaves the matrix as it is. */
static CUresult run_getrf(void *arguments)
{
    const struct lu *job = arguments;
    CUresult result = CUDA_SUCCESS;
    openblas_int info = 0;

    if (job->m < 0 || job->n < 0)
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    if (!solver_is_ld(job->lda, job->m))
        info = -4;
    else if (job->wide_pivots)
        result = factor_wide(job, &info);
    else if (job->pivots)
        openblas()->getrf[job->type](&job->m, &job->n, job->a, &job->lda, job->pivots, &info);
    else
        info = lu_without_pivots(job->type, job->m, job->n, job->a, job->lda);
    *job->info = info;
    return result;
}

static CUresult run_getrs(void *arguments)
{
    const struct lu *job = arguments;
    openblas_int *narrowed = NULL, info = 0;
    const openblas_int *pivots = job->pivots;

    if (job->wide_pivots) {
        pivots = narrowed = narrow(job->wide_pivots, job->n);
        if (!pivots)
            return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (pivots)
        lapack()->getrs[job->type](&job->trans, &job->n, &job->columns, job->a, &job->lda, pivots,
                                   job->b, &job->ldb, &info, 1);
    else
        lu_solve_without_pivots(job->type, job->trans, job->n, job->columns, job->a, job->lda,
                                job->b, job->ldb);
    free(narrowed);
    if (job->info)
        *job->info = info;
    return CUDA_SUCCESS;
}

static cusolverStatus_t submit_getrf(struct lib_typed typed, cusolverDnHandle_t handle,
                                     const struct lu *job, const void *work, int64_t work_elements)
{
    const size_t bytes = lapack_bytes(job->type);
    struct solver_ranges ranges = {.count = 0};
    cusolverStatus_t status;

    if (job->m == 0 || job->n == 0)
        return CUSOLVER_STATUS_SUCCESS;
    if (solver_is_ld(job->lda, job->m))
        solver_add(&ranges, SOLVER_UPDATED, job->a, job->m, job->n, job->lda, bytes);
    solver_add_work(&ranges, work, work_elements, bytes);
    if (job->pivots || job->wide_pivots)
        solver_add(&ranges, SOLVER_WRITTEN,
                   job->pivots ? (void *)job->pivots : (void *)job->wide_pivots,
                   solver_min(job->m, job->n), 1, 1, job->pivots ? sizeof(int) : sizeof(int64_t));
    solver_add(&ranges, SOLVER_WRITTEN, job->info, 1, 1, 1, sizeof(int));
    status = solver_submit(handle->stream, typed.name, operations_of(job), &ranges, run_getrf, job,
                           sizeof(*job));
    return solver_unless_null(status, work, CUSOLVER_STATUS_INTERNAL_ERROR);
}

cusolverStatus_t dn_getrf_size(struct lib_typed typed, cusolverDnHandle_t handle, int m, int n,
                               void *A, int lda, int *Lwork)
{
    (void)typed, (void)A, (void)lda;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    return solver_size(Lwork, solver_max(m, n));
}

/* How much working memory there is is not said: one element is looked at. */
cusolverStatus_t dn_getrf(struct lib_typed typed, cusolverDnHandle_t handle, int m, int n, void *A,
                          int lda, void *Workspace, int *devIpiv, int *devInfo)
{
    const struct lu job = {
        .type = typed.type, .m = m, .n = n, .a = A, .lda = lda, .pivots = devIpiv, .info = devInfo};

    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    return submit_getrf(typed, handle, &job, Workspace, 1);
}

static cusolverStatus_t getrs(struct lib_typed typed, cusolverDnHandle_t handle,
                              const struct lu *job)
{
    const size_t bytes = lapack_bytes(job->type);
    struct solver_ranges ranges = {.count = 0};
    cusolverStatus_t status;
    int wrong =
        solver_first_wrong((const struct solver_check[]){{job->trans != 0, 1},
                                                         {job->n >= 0, 2},
                                                         {job->columns >= 0, 3},
                                                         {solver_is_ld(job->lda, job->n), 5},
                                                         {solver_is_ld(job->ldb, job->n), 8},
                                                         {false, 0}});

    if (wrong)
        return solver_wrong(handle->stream, typed.name, job->info, wrong);
    if (job->n == 0 || job->columns == 0)
        return CUSOLVER_STATUS_SUCCESS;
    solver_add(&ranges, SOLVER_READ, job->a, job->n, job->n, job->lda, bytes);
    if (job->pivots)
        solver_add(&ranges, SOLVER_READ, job->pivots, job->n, 1, job->n, sizeof(int));
    if (job->wide_pivots)
        solver_add(&ranges, SOLVER_READ, job->wide_pivots, job->n, 1, job->n, sizeof(int64_t));
    solver_add(&ranges, SOLVER_UPDATED, job->b, job->n, job->columns, job->ldb, bytes);
    solver_add_info(&ranges, job->info, 1);
    status = solver_submit(handle->stream, typed.name, operations_of(job), &ranges, run_getrs, job,
                           sizeof(*job));
    return solver_unless_null(status, job->b, CUSOLVER_STATUS_INTERNAL_ERROR);
}

cusolverStatus_t dn_getrs(struct lib_typed typed, cusolverDnHandle_t handle,
                          cublasOperation_t trans, int n, int nrhs, const void *A, int lda,
                          const int *devIpiv, void *B, int ldb, int *devInfo)
{
    const struct lu job = {.type = typed.type,
                           .trans = solver_trans(trans),
                           .n = n,
                           .columns = nrhs,
                           .a = (void *)A,
                           .lda = lda,
                           .b = B,
                           .ldb = ldb,
                           .pivots = (int *)devIpiv,
                           .info = devInfo};

    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    return getrs(typed, handle, &job);
}

cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             int64_t m, int64_t n, cudaDataType dataTypeA,
                                             const void *A, int64_t lda, cudaDataType computeType,
                                             size_t *workspaceInBytesOnDevice,
                                             size_t *workspaceInBytesOnHost)
{
    (void)params, (void)dataTypeA, (void)A, (void)lda, (void)computeType;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    return solver_size_bytes(workspaceInBytesOnDevice, workspaceInBytesOnHost, solver_max(m, n),
                             OPENBLAS_Z);
}

cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m,
                                  int64_t n, cudaDataType dataTypeA, void *A, int64_t lda,
                                  int64_t *ipiv, cudaDataType computeType, void *bufferOnDevice,
                                  size_t workspaceInBytesOnDevice, void *bufferOnHost,
                                  size_t workspaceInBytesOnHost, int *info)
{
    struct lib_typed typed = {.name = __func__};
    struct lu job = {.a = A, .wide_pivots = ipiv, .info = info};

    (void)params, (void)bufferOnHost, (void)workspaceInBytesOnHost;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!solver_type(dataTypeA, &job.type) || computeType != dataTypeA ||
        !solver_fits(m, n, lda, 0))
        return CUSOLVER_STATUS_INVALID_VALUE;
    job.m = (openblas_int)m;
    job.n = (openblas_int)n;
    job.lda = (openblas_int)lda;
    return submit_getrf(typed, handle, &job, bufferOnDevice,
                        (int64_t)(workspaceInBytesOnDevice / lapack_bytes(job.type)));
}

cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cublasOperation_t trans, int64_t n, int64_t nrhs,
                                  cudaDataType dataTypeA, const void *A, int64_t lda,
                                  const int64_t *ipiv, cudaDataType dataTypeB, void *B, int64_t ldb,
                                  int *info)
{
    struct lib_typed typed = {.name = __func__};
    struct lu job = {.trans = solver_trans(trans),
                     .a = (void *)A,
                     .b = B,
                     .wide_pivots = (int64_t *)ipiv,
                     .info = info};

    (void)params;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!solver_type(dataTypeA, &job.type) || dataTypeB != dataTypeA ||
        !solver_fits(n, nrhs, lda, ldb))
        return CUSOLVER_STATUS_INVALID_VALUE;
    job.n = (openblas_int)n;
    job.columns = (openblas_int)nrhs;
    job.lda = (openblas_int)lda;
    job.ldb = (openblas_int)ldb;
    return getrs(typed, handle, &job);
}

struct exchange {
    enum openblas_type type;
    openblas_int n, lda, first, last, increment;
    void *a;
    const int *pivots;
};

static CUresult run_laswp(void *arguments)
{
    const struct exchange *job = arguments;

    lapack()->laswp[job->type](&job->n, job->a, &job->lda, &job->first, &job->last, job->pivots,
                               &job->increment);
    return CUDA_SUCCESS;
}

cusolverStatus_t dn_laswp(struct lib_typed typed, cusolverDnHandle_t handle, int n, void *A,
                          int lda, int k1, int k2, const int *devIpiv, int incx)
{
    const struct exchange job = {.type = typed.type,
                                 .n = n,
                                 .a = A,
                                 .lda = lda,
                                 .first = k1,
                                 .last = k2,
                                 .pivots = devIpiv,
                                 .increment = incx};
    struct solver_ranges ranges = {.count = 0};
    int64_t step = incx < 0 ? -(int64_t)incx : incx;

    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (n < 0 || lda < 1 || k1 < 1 || k2 < 1 || incx == 0)
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (n == 0 || k2 < k1)
        return CUSOLVER_STATUS_SUCCESS;
    solver_add(&ranges, SOLVER_UPDATED, A, solver_min(lda, k2), n, lda, lapack_bytes(typed.type));
    solver_add(&ranges, SOLVER_READ | SOLVER_PARTLY, devIpiv, k1 + (k2 - k1) * step, 1, 1,
               sizeof(int));
    return solver_submit(handle->stream, typed.name, (double)n * k2, &ranges, run_laswp, &job,
                         sizeof(job));
}
