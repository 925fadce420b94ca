/* SPDX-License-Identifier: MIT */
/* Systems and least squares by iterative refinement. Where LAPACK has it, in double precision with
 * factors in single precision, systems are refined; all others are solved at once in the main
 * precision, with no iterations. */
#include "cusolver_typed.h"
#include "refine.h"
#include "solver.h"

#include <stdlib.h>
#include <string.h>

struct refine {
    enum openblas_type type;
    bool mixed; /* factors of the next lower precision */
    openblas_int m, n, columns, lda, ldb, ldx;
    void *a, *b, *x;
    openblas_int *pivots; /* of the device, or NULL */
    int *info;
    openblas_int iterations;
};

static double operations_of(const struct refine *job)
{
    return (double)solver_max(job->m, job->n) * job->n * solver_max(job->n, job->columns) *
           (lapack_is_complex(job->type) ? 4 : 1);
}

static void copy_columns(enum openblas_type type, openblas_int rows, openblas_int columns,
                         const void *from, int64_t from_ld, void *to, int64_t to_ld)
{
    for (int64_t j = 0; j < columns; j++)
        memcpy(lapack_at(type, to, j * to_ld), lapack_at(type, from, j * from_ld),
               (size_t)rows * lapack_bytes(type));
}

/* Factors a copy of A, which stays as it is. */
static CUresult solve_directly(struct refine *job, openblas_int *pivots, openblas_int *info)
{
    void *a = malloc((size_t)job->n * (size_t)job->n * lapack_bytes(job->type));

    if (!a)
        return CUDA_ERROR_OUT_OF_MEMORY;
    copy_columns(job->type, job->n, job->n, job->a, job->lda, a, job->n);
    copy_columns(job->type, job->n, job->columns, job->b, job->ldb, job->x, job->ldx);
    openblas()->getrf[job->type](&job->n, &job->n, a, &job->n, pivots, info);
    if (*info == 0)
        lapack()->getrs[job->type]("N", &job->n, &job->columns, a, &job->n, pivots, job->x,
                                   &job->ldx, info, 1);
    free(a);
    return CUDA_SUCCESS;
}

static CUresult solve_mixed(struct refine *job, openblas_int *pivots, openblas_int *info)
{
    const size_t n = (size_t)job->n, columns = (size_t)job->columns;
    const size_t bytes = lapack_bytes(job->type);
    void *work = malloc(n * columns * bytes), *single = malloc(n * (n + columns) * bytes / 2),
         *real = malloc(n * sizeof(double));
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (work && single && real) {
        if (job->type == OPENBLAS_D)
            lapack()->dsgesv(&job->n, &job->columns, job->a, &job->lda, pivots, job->b, &job->ldb,
                             job->x, &job->ldx, work, single, &job->iterations, info);
        else
            lapack()->zcgesv(&job->n, &job->columns, job->a, &job->lda, pivots, job->b, &job->ldb,
                             job->x, &job->ldx, work, single, real, &job->iterations, info);
        result = CUDA_SUCCESS;
    }
    free(work);
    free(single);
    free(real);
    return result;
}

static CUresult run_gesv(void *arguments)
{
    struct refine *job = arguments;
    openblas_int *own = job->pivots ? NULL : malloc((size_t)job->n * sizeof(*own));
    openblas_int *pivots = job->pivots ? job->pivots : own, info = 0;
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (pivots)
        result = job->mixed ? solve_mixed(job, pivots, &info) : solve_directly(job, pivots, &info);
    free(own);
    if (result == CUDA_SUCCESS)
        *job->info = info;
    return result;
}

static openblas_int call_gels(const void *arguments, void *work, openblas_int lwork)
{
    const struct refine *job = arguments;
    openblas_int info = 0;

    openblas()->gels[job->type]("N", &job->m, &job->n, &job->columns, job->a, &job->lda, job->b,
                                &job->ldb, work, &lwork, &info, 1);
    return info;
}

/* LAPACK overwrites both matrices: it gets copies. */
static CUresult run_gels(void *arguments)
{
    struct refine *job = arguments, own = *job;
    const size_t bytes = lapack_bytes(job->type);
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
    openblas_int info = 0;

    own.a = malloc((size_t)job->m * (size_t)job->n * bytes);
    own.b = malloc((size_t)job->m * (size_t)job->columns * bytes);
    own.lda = own.ldb = job->m;
    if (own.a && own.b) {
        copy_columns(job->type, job->m, job->n, job->a, job->lda, own.a, own.lda);
        copy_columns(job->type, job->m, job->columns, job->b, job->ldb, own.b, own.ldb);
        result = lapack_with_work(job->type, call_gels, &own, &info);
    }
    if (result == CUDA_SUCCESS) {
        copy_columns(job->type, job->n, job->columns, own.b, own.ldb, job->x, job->ldx);
        *job->info = info;
    }
    free(own.a);
    free(own.b);
    return result;
}

/* The number of iterations goes to the host: calls wait. */
static cusolverStatus_t submit(cusolverDnHandle_t handle, const char *name, struct refine *job,
                               lib_work *run, const void *work, size_t work_bytes, int *iterations)
{
    const size_t bytes = lapack_bytes(job->type);
    const int64_t rows = run == run_gels ? job->m : job->n;
    struct solver_ranges ranges = {.count = 0};
    cusolverStatus_t status;

    solver_add(&ranges, run == run_gels ? SOLVER_READ : SOLVER_UPDATED, job->a, rows, job->n,
               job->lda, bytes);
    solver_add(&ranges, SOLVER_READ, job->b, rows, job->columns, job->ldb, bytes);
    solver_add(&ranges, SOLVER_WRITTEN, job->x, job->n, job->columns, job->ldx, bytes);
    if (job->pivots)
        solver_add(&ranges, SOLVER_WRITTEN, job->pivots, job->n, 1, 1, sizeof(int));
    if (work_bytes)
        solver_add_work(&ranges, work, (int64_t)work_bytes, 1);
    solver_add(&ranges, SOLVER_WRITTEN, job->info, 1, 1, 1, sizeof(int));
    status = solver_submit_wait(handle->stream, name, operations_of(job), &ranges, run, job);
    if (status == CUSOLVER_STATUS_SUCCESS && iterations)
        *iterations = job->iterations;
    return status;
}

static size_t bytes_wanted(int64_t m, int64_t n, int64_t columns, enum openblas_type type)
{
    return (size_t)(solver_max(m, n) * (n + columns) + 1) * lapack_bytes(type);
}

static cusolverStatus_t gesv(cusolverDnHandle_t handle, const char *name, struct refine *job,
                             const void *work, size_t work_bytes, int *iterations)
{
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (job->n < 0 || job->columns < 0 || !solver_is_ld(job->lda, job->n) ||
        !solver_is_ld(job->ldb, job->n) || !solver_is_ld(job->ldx, job->n))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (job->n == 0 || job->columns == 0)
        return CUSOLVER_STATUS_SUCCESS;
    if (work_bytes < bytes_wanted(job->n, job->n, job->columns, job->type))
        return CUSOLVER_STATUS_INVALID_WORKSPACE;
    return submit(handle, name, job, run_gesv, work, work_bytes, iterations);
}

static cusolverStatus_t gels(cusolverDnHandle_t handle, const char *name, struct refine *job,
                             const void *work, size_t work_bytes, int *iterations)
{
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (job->m < job->n)
        return CUSOLVER_STATUS_IRS_PARAMS_INVALID;
    if (job->m < 0 || job->n < 0 || job->columns < 0 || !solver_is_ld(job->lda, job->m) ||
        !solver_is_ld(job->ldb, job->m) || !solver_is_ld(job->ldx, job->n))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (job->n == 0 || job->columns == 0)
        return CUSOLVER_STATUS_SUCCESS;
    if (work_bytes < bytes_wanted(job->m, job->n, job->columns, job->type))
        return CUSOLVER_STATUS_INVALID_WORKSPACE;
    return submit(handle, name, job, run_gels, work, work_bytes, iterations);
}

static cusolverStatus_t size(cusolverDnHandle_t handle, int64_t m, int64_t n, int64_t columns,
                             enum openblas_type type, size_t *bytes)
{
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || columns < 0 || !bytes)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *bytes = bytes_wanted(m, n, columns, type);
    return CUSOLVER_STATUS_SUCCESS;
}

static bool is_lower(struct lib_typed typed)
{
    return lapack_is_double(typed.type) && typed.second != 'D' && typed.second != 'Z';
}

cusolverStatus_t dn_refine_gesv_size(struct lib_typed typed, cusolverDnHandle_t handle,
                                     cusolver_int_t n, cusolver_int_t nrhs, void *dA,
                                     cusolver_int_t ldda, cusolver_int_t *dipiv, void *dB,
                                     cusolver_int_t lddb, void *dX, cusolver_int_t lddx,
                                     void *dWorkspace, size_t *lwork_bytes)
{
    (void)dA, (void)ldda, (void)dipiv, (void)dB, (void)lddb, (void)dX, (void)lddx, (void)dWorkspace;
    return size(handle, n, n, nrhs, typed.type, lwork_bytes);
}

cusolverStatus_t dn_refine_gesv(struct lib_typed typed, cusolverDnHandle_t handle, cusolver_int_t n,
                                cusolver_int_t nrhs, void *dA, cusolver_int_t ldda,
                                cusolver_int_t *dipiv, void *dB, cusolver_int_t lddb, void *dX,
                                cusolver_int_t lddx, void *dWorkspace, size_t lwork_bytes,
                                cusolver_int_t *iter, cusolver_int_t *d_info)
{
    struct refine job = {.type = typed.type,
                         .mixed = is_lower(typed),
                         .n = n,
                         .columns = nrhs,
                         .a = dA,
                         .lda = ldda,
                         .pivots = dipiv,
                         .b = dB,
                         .ldb = lddb,
                         .x = dX,
                         .ldx = lddx,
                         .info = d_info};

    return gesv(handle, typed.name, &job, dWorkspace, lwork_bytes, iter);
}

cusolverStatus_t dn_refine_gels_size(struct lib_typed typed, cusolverDnHandle_t handle,
                                     cusolver_int_t m, cusolver_int_t n, cusolver_int_t nrhs,
                                     void *dA, cusolver_int_t ldda, void *dB, cusolver_int_t lddb,
                                     void *dX, cusolver_int_t lddx, void *dWorkspace,
                                     size_t *lwork_bytes)
{
    (void)dA, (void)ldda, (void)dB, (void)lddb, (void)dX, (void)lddx, (void)dWorkspace;
    return size(handle, m, n, nrhs, typed.type, lwork_bytes);
}

cusolverStatus_t dn_refine_gels(struct lib_typed typed, cusolverDnHandle_t handle, cusolver_int_t m,
                                cusolver_int_t n, cusolver_int_t nrhs, void *dA,
                                cusolver_int_t ldda, void *dB, cusolver_int_t lddb, void *dX,
                                cusolver_int_t lddx, void *dWorkspace, size_t lwork_bytes,
                                cusolver_int_t *iter, cusolver_int_t *d_info)
{
    struct refine job = {.type = typed.type,
                         .m = m,
                         .n = n,
                         .columns = nrhs,
                         .a = dA,
                         .lda = ldda,
                         .b = dB,
                         .ldb = lddb,
                         .x = dX,
                         .ldx = lddx,
                         .info = d_info};

    return gels(handle, typed.name, &job, dWorkspace, lwork_bytes, iter);
}

cusolverStatus_t cusolverDnIRSXgesv_bufferSize(cusolverDnHandle_t handle,
                                               cusolverDnIRSParams_t params, cusolver_int_t n,
                                               cusolver_int_t nrhs, size_t *lwork_bytes)
{
    enum openblas_type type;
    cusolverStatus_t status = refine_params_check(params, &type, NULL);

    return status ? status : size(handle, n, n, nrhs, type, lwork_bytes);
}

cusolverStatus_t cusolverDnIRSXgesv(cusolverDnHandle_t handle,
                                    cusolverDnIRSParams_t gesv_irs_params,
                                    cusolverDnIRSInfos_t gesv_irs_infos, cusolver_int_t n,
                                    cusolver_int_t nrhs, void *dA, cusolver_int_t ldda, void *dB,
                                    cusolver_int_t lddb, void *dX, cusolver_int_t lddx,
                                    void *dWorkspace, size_t lwork_bytes, cusolver_int_t *niters,
                                    cusolver_int_t *d_info)
{
    struct refine job = {.n = n,
                         .columns = nrhs,
                         .a = dA,
                         .lda = ldda,
                         .b = dB,
                         .ldb = lddb,
                         .x = dX,
                         .ldx = lddx,
                         .info = d_info};
    cusolverStatus_t status = refine_params_check(gesv_irs_params, &job.type, &job.mixed);

    if (status == CUSOLVER_STATUS_SUCCESS)
        status = refine_infos_check(gesv_irs_infos);
    if (status == CUSOLVER_STATUS_SUCCESS)
        status = gesv(handle, __func__, &job, dWorkspace, lwork_bytes, niters);
    if (status == CUSOLVER_STATUS_SUCCESS)
        refine_infos_set(gesv_irs_infos, gesv_irs_params, job.iterations);
    return status;
}

cusolverStatus_t cusolverDnIRSXgels_bufferSize(cusolverDnHandle_t handle,
                                               cusolverDnIRSParams_t params, cusolver_int_t m,
                                               cusolver_int_t n, cusolver_int_t nrhs,
                                               size_t *lwork_bytes)
{
    enum openblas_type type;
    cusolverStatus_t status = refine_params_check(params, &type, NULL);

    return status ? status : size(handle, m, n, nrhs, type, lwork_bytes);
}

cusolverStatus_t cusolverDnIRSXgels(cusolverDnHandle_t handle,
                                    cusolverDnIRSParams_t gels_irs_params,
                                    cusolverDnIRSInfos_t gels_irs_infos, cusolver_int_t m,
                                    cusolver_int_t n, cusolver_int_t nrhs, void *dA,
                                    cusolver_int_t ldda, void *dB, cusolver_int_t lddb, void *dX,
                                    cusolver_int_t lddx, void *dWorkspace, size_t lwork_bytes,
                                    cusolver_int_t *niters, cusolver_int_t *d_info)
{
    struct refine job = {.m = m,
                         .n = n,
                         .columns = nrhs,
                         .a = dA,
                         .lda = ldda,
                         .b = dB,
                         .ldb = lddb,
                         .x = dX,
                         .ldx = lddx,
                         .info = d_info};
    cusolverStatus_t status = refine_params_check(gels_irs_params, &job.type, NULL);

    if (status == CUSOLVER_STATUS_SUCCESS)
        status = refine_infos_check(gels_irs_infos);
    if (status == CUSOLVER_STATUS_SUCCESS)
        status = gels(handle, __func__, &job, dWorkspace, lwork_bytes, niters);
    if (status == CUSOLVER_STATUS_SUCCESS)
        refine_infos_set(gels_irs_infos, gels_irs_params, 0);
    return status;
}
