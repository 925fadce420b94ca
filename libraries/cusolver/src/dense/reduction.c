/* SPDX-License-Identifier: MIT */
/* Reductions to bidiagonal and tridiagonal form, the orthogonal matrices of them, and products. */
#include "cusolver_typed.h"
#include "solver.h"

struct reduction {
    enum openblas_type type;
    char side, uplo, trans, vect;
    openblas_int m, n, k, lda, ldc;
    void *a, *c, *d, *e, *tau, *second_tau;
    int *info;
};

enum { BLOCK = 64 };

static double operations_of(const struct reduction *job)
{
    return (double)solver_max(job->m, job->n) * job->n * solver_max(job->n, job->k) *
           (lapack_is_complex(job->type) ? 4 : 1);
}

static openblas_int call_gebrd(const void *arguments, void *work, openblas_int lwork)
{
    const struct reduction *job = arguments;
    openblas_int info = 0;

    lapack()->gebrd[job->type](&job->m, &job->n, job->a, &job->lda, job->d, job->e, job->tau,
                               job->second_tau, work, &lwork, &info);
    return info;
}

static openblas_int call_orgbr(const void *arguments, void *work, openblas_int lwork)
{
    const struct reduction *job = arguments;
    openblas_int info = 0;

    lapack()->orgbr[job->type](&job->vect, &job->m, &job->n, &job->k, job->a, &job->lda, job->tau,
                               work, &lwork, &info, 1);
    return info;
}

static openblas_int call_sytrd(const void *arguments, void *work, openblas_int lwork)
{
    const struct reduction *job = arguments;
    openblas_int info = 0;

    lapack()->sytrd[job->type](&job->uplo, &job->n, job->a, &job->lda, job->d, job->e, job->tau,
                               work, &lwork, &info, 1);
    return info;
}

static openblas_int call_orgtr(const void *arguments, void *work, openblas_int lwork)
{
    const struct reduction *job = arguments;
    openblas_int info = 0;

    lapack()->orgtr[job->type](&job->uplo, &job->n, job->a, &job->lda, job->tau, work, &lwork,
                               &info, 1);
    return info;
}

static openblas_int call_ormtr(const void *arguments, void *work, openblas_int lwork)
{
    const struct reduction *job = arguments;
    openblas_int info = 0;

    lapack()->ormtr[job->type](&job->side, &job->uplo, &job->trans, &job->m, &job->n, job->a,
                               &job->lda, job->tau, job->c, &job->ldc, work, &lwork, &info, 1, 1,
                               1);
    return info;
}

static CUresult run(const struct reduction *job, lapack_call *call)
{
    return lapack_with_work(job->type, call, job, job->info);
}

static CUresult run_gebrd(void *arguments)
{
    return run(arguments, call_gebrd);
}

static CUresult run_orgbr(void *arguments)
{
    return run(arguments, call_orgbr);
}

static CUresult run_sytrd(void *arguments)
{
    return run(arguments, call_sytrd);
}

static CUresult run_orgtr(void *arguments)
{
    return run(arguments, call_orgtr);
}

static CUresult run_ormtr(void *arguments)
{
    return run(arguments, call_ormtr);
}

static cusolverStatus_t submit(struct lib_typed typed, cusolverDnHandle_t handle,
                               const struct reduction *job, struct solver_ranges *ranges,
                               const void *work, int lwork, lib_work *run_it)
{
    if (work)
        solver_add_work(ranges, work, lwork, lapack_bytes(job->type));
    solver_add_info(ranges, job->info, 1);
    return solver_submit(handle->stream, typed.name, operations_of(job), ranges, run_it, job,
                         sizeof(*job));
}

cusolverStatus_t dn_gebrd_size(struct lib_typed typed, cusolverDnHandle_t handle, int m, int n,
                               int *Lwork)
{
    (void)typed;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0)
        return CUSOLVER_STATUS_INVALID_VALUE;
    return solver_size(Lwork, ((int64_t)m + n) * BLOCK);
}

/* Matrices with more columns than rows are not reduced: the documentation excludes them. */
cusolverStatus_t dn_gebrd(struct lib_typed typed, cusolverDnHandle_t handle, int m, int n, void *A,
                          int lda, void *D, void *E, void *TAUQ, void *TAUP, void *Work, int Lwork,
                          int *devInfo)
{
    const struct reduction job = {.type = typed.type,
                                  .m = m,
                                  .n = n,
                                  .a = A,
                                  .lda = lda,
                                  .d = D,
                                  .e = E,
                                  .tau = TAUQ,
                                  .second_tau = TAUP,
                                  .info = devInfo};
    const size_t bytes = lapack_bytes(typed.type), real = lapack_bytes(lapack_real(typed.type));
    struct solver_ranges ranges = {.count = 0};

    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || m < n || !solver_is_ld(lda, m))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (n == 0)
        return CUSOLVER_STATUS_SUCCESS;
    solver_add(&ranges, SOLVER_UPDATED, A, m, n, lda, bytes);
    solver_add(&ranges, SOLVER_WRITTEN, D, n, 1, 1, real);
    solver_add(&ranges, SOLVER_WRITTEN, E, n - 1, 1, 1, real);
    solver_add(&ranges, SOLVER_WRITTEN, TAUQ, n, 1, 1, bytes);
    solver_add(&ranges, SOLVER_WRITTEN, TAUP, n, 1, 1, bytes);
    return submit(typed, handle, &job, &ranges, Work, Lwork, run_gebrd);
}

static bool is_orgbr(char side, int m, int n, int k, int lda)
{
    bool fits = side == 'L' ? n <= m && n >= solver_min(m, k) : m <= n && m >= solver_min(n, k);

    return side && m >= 0 && n >= 0 && k >= 0 && fits && solver_is_ld(lda, m);
}

cusolverStatus_t dn_orgbr_size(struct lib_typed typed, cusolverDnHandle_t handle,
                               cublasSideMode_t side, int m, int n, int k, const void *A, int lda,
                               const void *tau, int *lwork)
{
    (void)typed, (void)A, (void)tau;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!is_orgbr(solver_side(side), m, n, k, lda))
        return CUSOLVER_STATUS_INVALID_VALUE;
    return solver_size(lwork, solver_min(m, n) * BLOCK);
}

cusolverStatus_t dn_orgbr(struct lib_typed typed, cusolverDnHandle_t handle, cublasSideMode_t side,
                          int m, int n, int k, void *A, int lda, const void *tau, void *work,
                          int lwork, int *info)
{
    const struct reduction job = {.type = typed.type,
                                  .vect = side == CUBLAS_SIDE_LEFT ? 'Q' : 'P',
                                  .m = m,
                                  .n = n,
                                  .k = k,
                                  .a = A,
                                  .lda = lda,
                                  .tau = (void *)tau,
                                  .info = info};
    const size_t bytes = lapack_bytes(typed.type);
    struct solver_ranges ranges = {.count = 0};

    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!is_orgbr(solver_side(side), m, n, k, lda))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0)
        return CUSOLVER_STATUS_SUCCESS;
    solver_add(&ranges, SOLVER_UPDATED | SOLVER_PARTLY, A, m, n, lda, bytes);
    solver_add(&ranges, SOLVER_READ | SOLVER_PARTLY, tau,
               solver_min(side == CUBLAS_SIDE_LEFT ? m : n, k), 1, 1, bytes);
    return submit(typed, handle, &job, &ranges, work, lwork, run_orgbr);
}

static bool is_tridiagonal(char uplo, int n, int lda)
{
    return uplo && n >= 0 && solver_is_ld(lda, n);
}

cusolverStatus_t dn_sytrd_size(struct lib_typed typed, cusolverDnHandle_t handle,
                               cublasFillMode_t uplo, int n, const void *A, int lda, const void *d,
                               const void *e, const void *tau, int *lwork)
{
    (void)typed, (void)A, (void)d, (void)e, (void)tau;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!is_tridiagonal(solver_uplo(uplo), n, lda))
        return CUSOLVER_STATUS_INVALID_VALUE;
    return solver_size(lwork, (int64_t)n * BLOCK);
}

cusolverStatus_t dn_sytrd(struct lib_typed typed, cusolverDnHandle_t handle, cublasFillMode_t uplo,
                          int n, void *A, int lda, void *d, void *e, void *tau, void *work,
                          int lwork, int *info)
{
    const struct reduction job = {.type = typed.type,
                                  .uplo = solver_uplo(uplo),
                                  .n = n,
                                  .a = A,
                                  .lda = lda,
                                  .d = d,
                                  .e = e,
                                  .tau = tau,
                                  .info = info};
    const size_t bytes = lapack_bytes(typed.type), real = lapack_bytes(lapack_real(typed.type));
    struct solver_ranges ranges = {.count = 0};

    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!is_tridiagonal(job.uplo, n, lda))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (n == 0)
        return CUSOLVER_STATUS_SUCCESS;
    solver_add(&ranges, SOLVER_UPDATED | SOLVER_PARTLY, A, n, n, lda, bytes);
    solver_add(&ranges, SOLVER_WRITTEN, d, n, 1, 1, real);
    solver_add(&ranges, SOLVER_WRITTEN, e, n - 1, 1, 1, real);
    solver_add(&ranges, SOLVER_WRITTEN, tau, n - 1, 1, 1, bytes);
    return submit(typed, handle, &job, &ranges, work, lwork, run_sytrd);
}

cusolverStatus_t dn_orgtr_size(struct lib_typed typed, cusolverDnHandle_t handle,
                               cublasFillMode_t uplo, int n, const void *A, int lda,
                               const void *tau, int *lwork)
{
    (void)typed, (void)A, (void)tau;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!is_tridiagonal(solver_uplo(uplo), n, lda))
        return CUSOLVER_STATUS_INVALID_VALUE;
    return solver_size(lwork, (int64_t)n * BLOCK);
}

cusolverStatus_t dn_orgtr(struct lib_typed typed, cusolverDnHandle_t handle, cublasFillMode_t uplo,
                          int n, void *A, int lda, const void *tau, void *work, int lwork,
                          int *info)
{
    const struct reduction job = {.type = typed.type,
                                  .uplo = solver_uplo(uplo),
                                  .n = n,
                                  .a = A,
                                  .lda = lda,
                                  .tau = (void *)tau,
                                  .info = info};
    const size_t bytes = lapack_bytes(typed.type);
    struct solver_ranges ranges = {.count = 0};

    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!is_tridiagonal(job.uplo, n, lda))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (n == 0)
        return CUSOLVER_STATUS_SUCCESS;
    solver_add(&ranges, SOLVER_UPDATED | SOLVER_PARTLY, A, n, n, lda, bytes);
    solver_add(&ranges, SOLVER_READ, tau, n - 1, 1, 1, bytes);
    return submit(typed, handle, &job, &ranges, work, lwork, run_orgtr);
}

static bool is_ormtr(const struct reduction *job)
{
    return job->side && job->uplo && job->trans &&
           !(lapack_is_complex(job->type) && job->trans == 'T') && job->m >= 0 && job->n >= 0 &&
           solver_is_ld(job->lda, job->side == 'L' ? job->m : job->n) &&
           solver_is_ld(job->ldc, job->m);
}

static struct reduction describe_ormtr(struct lib_typed typed, cublasSideMode_t side,
                                       cublasFillMode_t uplo, cublasOperation_t trans, int m, int n,
                                       int lda, int ldc)
{
    char letter = solver_trans(trans);

    return (struct reduction){.type = typed.type,
                              .side = solver_side(side),
                              .uplo = solver_uplo(uplo),
                              .trans =
                                  letter == 'C' && !lapack_is_complex(typed.type) ? 'T' : letter,
                              .m = m,
                              .n = n,
                              .lda = lda,
                              .ldc = ldc};
}

cusolverStatus_t dn_ormtr_size(struct lib_typed typed, cusolverDnHandle_t handle,
                               cublasSideMode_t side, cublasFillMode_t uplo,
                               cublasOperation_t trans, int m, int n, const void *A, int lda,
                               const void *tau, const void *C, int ldc, int *lwork)
{
    const struct reduction job = describe_ormtr(typed, side, uplo, trans, m, n, lda, ldc);

    (void)A, (void)tau, (void)C;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!is_ormtr(&job))
        return CUSOLVER_STATUS_INVALID_VALUE;
    return solver_size(lwork, solver_max(m, n) * BLOCK);
}

cusolverStatus_t dn_ormtr(struct lib_typed typed, cusolverDnHandle_t handle, cublasSideMode_t side,
                          cublasFillMode_t uplo, cublasOperation_t trans, int m, int n, void *A,
                          int lda, void *tau, void *C, int ldc, void *work, int lwork, int *info)
{
    struct reduction job = describe_ormtr(typed, side, uplo, trans, m, n, lda, ldc);
    const size_t bytes = lapack_bytes(typed.type);
    const int64_t order = side == CUBLAS_SIDE_LEFT ? m : n;
    struct solver_ranges ranges = {.count = 0};

    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!is_ormtr(&job))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0)
        return CUSOLVER_STATUS_SUCCESS;
    job.a = A;
    job.tau = tau;
    job.c = C;
    job.info = info;
    solver_add(&ranges, SOLVER_READ | SOLVER_PARTLY, A, order, order, lda, bytes);
    solver_add(&ranges, SOLVER_READ, tau, order - 1, 1, 1, bytes);
    solver_add(&ranges, SOLVER_UPDATED, C, m, n, ldc, bytes);
    return submit(typed, handle, &job, &ranges, work, lwork, run_ormtr);
}
