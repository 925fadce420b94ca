/* SPDX-License-Identifier: MIT */
/* Cholesky factors: potrf, what follows from them, batches, and inverses of triangles. */
#include "cusolver_typed.h"
#include "solver.h"

#include <math.h>
#include <string.h>

struct cholesky {
    enum openblas_type type;
    char uplo, diag;
    openblas_int n, columns, lda, ldb;
    void *a, *b; /* with a count: arrays of addresses */
    int *info;
    int64_t count;
};

static double operations_of(const struct cholesky *job)
{
    return (double)job->n * job->n * (solver_max(job->columns, job->n / 3 + 1)) *
           (lapack_is_complex(job->type) ? 4 : 1);
}

static CUresult finish(const struct cholesky *job, openblas_int info)
{
    if (job->info)
        *job->info = info;
    return CUDA_SUCCESS;
}

/* Factors a matrix. A pivot that is not a number ends it, too: OpenBLAS goes on. */
static openblas_int factor(const struct cholesky *job, void *a)
{
    const int64_t parts = lapack_is_complex(job->type) ? 2 : 1;
    openblas_int info = 0;

    lapack()->potrf[job->type](&job->uplo, &job->n, a, &job->lda, &info, 1);
    for (openblas_int i = 0; info == 0 && i < job->n; i++)
        if (isnan(lapack_get(job->type, a, i * (job->lda + (int64_t)1) * parts)))
            return i + 1;
    return info;
}

static CUresult run_potrf(void *arguments)
{
    const struct cholesky *job = arguments;

    return finish(job, factor(job, job->a));
}

static CUresult run_potri(void *arguments)
{
    const struct cholesky *job = arguments;
    openblas_int info = 0;

    lapack()->potri[job->type](&job->uplo, &job->n, job->a, &job->lda, &info, 1);
    return finish(job, info);
}

static CUresult run_lauum(void *arguments)
{
    const struct cholesky *job = arguments;
    openblas_int info = 0;

    lapack()->lauum[job->type](&job->uplo, &job->n, job->a, &job->lda, &info, 1);
    return finish(job, info);
}

static CUresult run_trtri(void *arguments)
{
    const struct cholesky *job = arguments;
    openblas_int info = 0;

    lapack()->trtri[job->type](&job->uplo, &job->diag, &job->n, job->a, &job->lda, &info, 1, 1);
    return finish(job, info);
}

static CUresult run_potrs(void *arguments)
{
    const struct cholesky *job = arguments;
    openblas_int info = 0;

    lapack()->potrs[job->type](&job->uplo, &job->n, &job->columns, job->a, &job->lda, job->b,
                               &job->ldb, &info, 1);
    return finish(job, info);
}

/* Writes the conjugated upper triangle below the diagonal. */
static void mirror(enum openblas_type type, int64_t n, void *a, int64_t lda)
{
    const int64_t parts = lapack_is_complex(type) ? 2 : 1;

    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j + 1; i < n; i++) {
            memcpy(lapack_at(type, a, i + j * lda), lapack_at(type, a, j + i * lda),
                   lapack_bytes(type));
            if (parts == 2)
                lapack_set(type, a, 2 * (i + j * lda) + 1,
                           -lapack_get(type, a, 2 * (i + j * lda) + 1));
        }
}

/* The upper factor of a batch stands in both triangles. */
static CUresult potrf_matrix(const void *arguments, int64_t index, struct lapack_memory *memory)
{
    const struct cholesky *job = arguments;
    void *a = ((void **)job->a)[index];

    (void)memory;
    job->info[index] = factor(job, a);
    if (job->uplo == 'U')
        mirror(job->type, job->n, a, job->lda);
    return CUDA_SUCCESS;
}

static CUresult potrs_matrix(const void *arguments, int64_t index, struct lapack_memory *memory)
{
    const struct cholesky *job = arguments;
    openblas_int info = 0;

    (void)memory;
    lapack()->potrs[job->type](&job->uplo, &job->n, &job->columns, ((void **)job->a)[index],
                               &job->lda, ((void **)job->b)[index], &job->ldb, &info, 1);
    return CUDA_SUCCESS;
}

static CUresult run_potrf_batched(void *arguments)
{
    const struct cholesky *job = arguments;

    return solver_for_batch(job->count, operations_of(job), potrf_matrix, arguments);
}

static CUresult run_potrs_batched(void *arguments)
{
    const struct cholesky *job = arguments;

    solver_for_batch(job->count, operations_of(job), potrs_matrix, arguments);
    return finish(job, 0);
}

/* Work on the triangle of one matrix. */
static cusolverStatus_t submit_triangle(struct lib_typed typed, cusolverDnHandle_t handle,
                                        const struct cholesky *job, const void *work,
                                        int64_t work_elements, lib_work *run)
{
    const size_t bytes = lapack_bytes(job->type);
    struct solver_ranges ranges = {.count = 0};

    solver_add(&ranges, SOLVER_UPDATED | SOLVER_PARTLY, job->a, job->n, job->n, job->lda, bytes);
    solver_add_work(&ranges, work, work_elements, bytes);
    solver_add(&ranges, SOLVER_WRITTEN, job->info, 1, 1, 1, sizeof(int));
    return solver_submit(handle->stream, typed.name, operations_of(job), &ranges, run, job,
                         sizeof(*job));
}

/* potrf, potri, lauum: the host uses the working memory and the place of the info. */
static cusolverStatus_t on_triangle(struct lib_typed typed, cusolverDnHandle_t handle,
                                    cublasFillMode_t uplo, int n, void *a, int lda, void *work,
                                    int64_t work_elements, int *info, lib_work *run)
{
    const struct cholesky job = {
        .type = typed.type, .uplo = solver_uplo(uplo), .n = n, .lda = lda, .a = a, .info = info};
    cusolverStatus_t status;
    int wrong;

    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    wrong = solver_first_wrong((const struct solver_check[]){
        {job.uplo != 0, 1}, {n >= 0, 2}, {solver_is_ld(lda, n), 4}, {false, 0}});
    if (wrong)
        return solver_wrong(handle->stream, typed.name, info, wrong);
    if (n == 0)
        return CUSOLVER_STATUS_SUCCESS;
    status = submit_triangle(typed, handle, &job, work, work ? work_elements : 1, run);
    status = solver_unless_null(status, work, CUSOLVER_STATUS_INTERNAL_ERROR);
    return solver_unless_null(status, info, CUSOLVER_STATUS_INTERNAL_ERROR);
}

/* The handle is looked at last. */
static cusolverStatus_t triangle_size(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n,
                                      int *lwork)
{
    if (!solver_uplo(uplo))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    return solver_size(lwork, n);
}

cusolverStatus_t dn_potrf_size(struct lib_typed typed, cusolverDnHandle_t handle,
                               cublasFillMode_t uplo, int n, void *A, int lda, int *Lwork)
{
    (void)typed, (void)A, (void)lda;
    return triangle_size(handle, uplo, n, Lwork);
}

cusolverStatus_t dn_potri_size(struct lib_typed typed, cusolverDnHandle_t handle,
                               cublasFillMode_t uplo, int n, void *A, int lda, int *lwork)
{
    (void)typed, (void)A, (void)lda;
    return triangle_size(handle, uplo, n, lwork);
}

cusolverStatus_t dn_lauum_size(struct lib_typed typed, cusolverDnHandle_t handle,
                               cublasFillMode_t uplo, int n, void *A, int lda, int *lwork)
{
    (void)typed, (void)A, (void)lda;
    return triangle_size(handle, uplo, n, lwork);
}

cusolverStatus_t dn_potrf(struct lib_typed typed, cusolverDnHandle_t handle, cublasFillMode_t uplo,
                          int n, void *A, int lda, void *Workspace, int Lwork, int *devInfo)
{
    return on_triangle(typed, handle, uplo, n, A, lda, Workspace, Lwork, devInfo, run_potrf);
}

cusolverStatus_t dn_potri(struct lib_typed typed, cusolverDnHandle_t handle, cublasFillMode_t uplo,
                          int n, void *A, int lda, void *work, int lwork, int *devInfo)
{
    return on_triangle(typed, handle, uplo, n, A, lda, work, lwork, devInfo, run_potri);
}

cusolverStatus_t dn_lauum(struct lib_typed typed, cusolverDnHandle_t handle, cublasFillMode_t uplo,
                          int n, void *A, int lda, void *work, int lwork, int *devInfo)
{
    return on_triangle(typed, handle, uplo, n, A, lda, work, lwork, devInfo, run_lauum);
}

cusolverStatus_t dn_potrs(struct lib_typed typed, cusolverDnHandle_t handle, cublasFillMode_t uplo,
                          int n, int nrhs, const void *A, int lda, void *B, int ldb, int *devInfo)
{
    const struct cholesky job = {.type = typed.type,
                                 .uplo = solver_uplo(uplo),
                                 .n = n,
                                 .columns = nrhs,
                                 .a = (void *)A,
                                 .lda = lda,
                                 .b = B,
                                 .ldb = ldb,
                                 .info = devInfo};
    const size_t bytes = lapack_bytes(typed.type);
    struct solver_ranges ranges = {.count = 0};
    int wrong;

    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    wrong = solver_first_wrong((const struct solver_check[]){{job.uplo != 0, 1},
                                                             {n >= 0, 2},
                                                             {nrhs >= 0, 3},
                                                             {solver_is_ld(lda, n), 5},
                                                             {solver_is_ld(ldb, n), 7},
                                                             {false, 0}});
    if (wrong)
        return solver_wrong(handle->stream, typed.name, devInfo, wrong);
    if (n == 0 || nrhs == 0)
        return CUSOLVER_STATUS_SUCCESS;
    solver_add(&ranges, SOLVER_READ | SOLVER_PARTLY, A, n, n, lda, bytes);
    solver_add(&ranges, SOLVER_UPDATED, B, n, nrhs, ldb, bytes);
    solver_add_info(&ranges, devInfo, 1);
    return solver_submit(handle->stream, typed.name, operations_of(&job), &ranges, run_potrs, &job,
                         sizeof(job));
}

cusolverStatus_t dn_potrf_batched(struct lib_typed typed, cusolverDnHandle_t handle,
                                  cublasFillMode_t uplo, int n, void *Aarray[], int lda,
                                  int *infoArray, int batchSize)
{
    const struct cholesky job = {.type = typed.type,
                                 .uplo = solver_uplo(uplo),
                                 .n = n,
                                 .lda = lda,
                                 .a = Aarray,
                                 .info = infoArray,
                                 .count = batchSize};
    struct solver_ranges ranges = {.count = 0};

    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!job.uplo || n < 0 || !solver_is_ld(lda, n) || batchSize < 0)
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (n == 0 || batchSize == 0)
        return CUSOLVER_STATUS_SUCCESS;
    solver_add_through(&ranges, SOLVER_UPDATED | SOLVER_PARTLY, Aarray, batchSize, n, n, lda,
                       lapack_bytes(typed.type));
    solver_add(&ranges, SOLVER_WRITTEN, infoArray, batchSize, 1, 1, sizeof(int));
    return solver_submit(handle->stream, typed.name, operations_of(&job) * batchSize, &ranges,
                         run_potrf_batched, &job, sizeof(job));
}

/* One right-hand side for each matrix. */
cusolverStatus_t dn_potrs_batched(struct lib_typed typed, cusolverDnHandle_t handle,
                                  cublasFillMode_t uplo, int n, int nrhs, void *A[], int lda,
                                  void *B[], int ldb, int *d_info, int batchSize)
{
    const struct cholesky job = {.type = typed.type,
                                 .uplo = solver_uplo(uplo),
                                 .n = n,
                                 .columns = nrhs,
                                 .lda = lda,
                                 .ldb = ldb,
                                 .a = A,
                                 .b = B,
                                 .info = d_info,
                                 .count = batchSize};
    const size_t bytes = lapack_bytes(typed.type);
    struct solver_ranges ranges = {.count = 0};

    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!job.uplo || n < 0 || nrhs < 0 || nrhs > 1 || !solver_is_ld(lda, n) ||
        !solver_is_ld(ldb, n) || batchSize < 0)
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (n == 0 || nrhs == 0 || batchSize == 0)
        return CUSOLVER_STATUS_SUCCESS;
    solver_add_through(&ranges, SOLVER_READ | SOLVER_PARTLY, A, batchSize, n, n, lda, bytes);
    solver_add_through(&ranges, SOLVER_UPDATED, B, batchSize, n, nrhs, ldb, bytes);
    solver_add_info(&ranges, d_info, 1);
    return solver_submit(handle->stream, typed.name, operations_of(&job) * batchSize, &ranges,
                         run_potrs_batched, &job, sizeof(job));
}

/* Types are not looked at. */
cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cublasFillMode_t uplo, int64_t n,
                                             cudaDataType dataTypeA, const void *A, int64_t lda,
                                             cudaDataType computeType,
                                             size_t *workspaceInBytesOnDevice,
                                             size_t *workspaceInBytesOnHost)
{
    (void)params, (void)dataTypeA, (void)A, (void)lda, (void)computeType;
    if (!solver_uplo(uplo))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    return solver_size_bytes(workspaceInBytesOnDevice, workspaceInBytesOnHost, n, OPENBLAS_Z);
}

cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA, void *A,
                                  int64_t lda, cudaDataType computeType, void *bufferOnDevice,
                                  size_t workspaceInBytesOnDevice, void *bufferOnHost,
                                  size_t workspaceInBytesOnHost, int *info)
{
    struct lib_typed typed = {.name = __func__};

    (void)params, (void)bufferOnHost, (void)workspaceInBytesOnHost;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!solver_type(dataTypeA, &typed.type) || computeType != dataTypeA ||
        !solver_fits(n, lda, 0, 0))
        return CUSOLVER_STATUS_INVALID_VALUE;
    return on_triangle(typed, handle, uplo, (int)n, A, (int)lda, bufferOnDevice,
                       (int64_t)(workspaceInBytesOnDevice / lapack_bytes(typed.type)), info,
                       run_potrf);
}

cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cublasFillMode_t uplo, int64_t n, int64_t nrhs,
                                  cudaDataType dataTypeA, const void *A, int64_t lda,
                                  cudaDataType dataTypeB, void *B, int64_t ldb, int *info)
{
    struct lib_typed typed = {.name = __func__};

    (void)params;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!solver_type(dataTypeA, &typed.type) || dataTypeB != dataTypeA ||
        !solver_fits(n, nrhs, lda, ldb))
        return CUSOLVER_STATUS_INVALID_VALUE;
    return dn_potrs(typed, handle, uplo, (int)n, (int)nrhs, A, (int)lda, B, (int)ldb, info);
}

cusolverStatus_t cusolverDnXtrtri_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo,
                                             cublasDiagType_t diag, int64_t n,
                                             cudaDataType dataTypeA, void *A, int64_t lda,
                                             size_t *workspaceInBytesOnDevice,
                                             size_t *workspaceInBytesOnHost)
{
    enum openblas_type type;

    (void)A;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!solver_uplo(uplo) || !solver_diag(diag) || !solver_type(dataTypeA, &type) || n < 0 ||
        !solver_is_ld(lda, n))
        return CUSOLVER_STATUS_INVALID_VALUE;
    return solver_size_bytes(workspaceInBytesOnDevice, workspaceInBytesOnHost, n, type);
}

cusolverStatus_t cusolverDnXtrtri(cusolverDnHandle_t handle, cublasFillMode_t uplo,
                                  cublasDiagType_t diag, int64_t n, cudaDataType dataTypeA, void *A,
                                  int64_t lda, void *bufferOnDevice,
                                  size_t workspaceInBytesOnDevice, void *bufferOnHost,
                                  size_t workspaceInBytesOnHost, int *devInfo)
{
    struct lib_typed typed = {.name = __func__};
    struct cholesky job = {.uplo = solver_uplo(uplo), .diag = solver_diag(diag), .a = A};

    (void)bufferOnHost, (void)workspaceInBytesOnHost;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!job.uplo || !job.diag || !solver_type(dataTypeA, &job.type) || n < 0 ||
        !solver_is_ld(lda, n) || !solver_fits(n, lda, 0, 0))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (n == 0)
        return CUSOLVER_STATUS_SUCCESS;
    job.n = (openblas_int)n;
    job.lda = (openblas_int)lda;
    job.info = devInfo;
    return submit_triangle(typed, handle, &job, bufferOnDevice,
                           (int64_t)(workspaceInBytesOnDevice / lapack_bytes(job.type)), run_trtri);
}
