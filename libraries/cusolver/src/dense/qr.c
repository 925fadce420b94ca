/* SPDX-License-Identifier: MIT */
/* QR factors: the reflectors, the matrix Q, products with it, and the triangular factor of a block
 * of reflectors. */
#include "cusolver_typed.h"
#include "solver.h"

struct qr {
    enum openblas_type type;
    char side, trans;
    openblas_int m, n, k, lda, ldc;
    void *a, *tau, *c;
    int *info;
};

enum { BLOCK = 64 }; /* columns of LAPACK's working memory, at most */

static double operations_of(const struct qr *job)
{
    return (double)job->m * job->n * solver_max(job->k, solver_min(job->m, job->n)) *
           (lapack_is_complex(job->type) ? 4 : 1);
}

static openblas_int call_geqrf(const void *arguments, void *work, openblas_int lwork)
{
    const struct qr *job = arguments;
    openblas_int info = 0;

    openblas()->geqrf[job->type](&job->m, &job->n, job->a, &job->lda, job->tau, work, &lwork,
                                 &info);
    return info;
}

static openblas_int call_orgqr(const void *arguments, void *work, openblas_int lwork)
{
    const struct qr *job = arguments;
    openblas_int info = 0;

    lapack()->orgqr[job->type](&job->m, &job->n, &job->k, job->a, &job->lda, job->tau, work, &lwork,
                               &info);
    return info;
}

static openblas_int call_ormqr(const void *arguments, void *work, openblas_int lwork)
{
    const struct qr *job = arguments;
    openblas_int info = 0;

    lapack()->ormqr[job->type](&job->side, &job->trans, &job->m, &job->n, &job->k, job->a,
                               &job->lda, job->tau, job->c, &job->ldc, work, &lwork, &info, 1, 1);
    return info;
}

static CUresult run(const struct qr *job, lapack_call *call)
{
    return lapack_with_work(job->type, call, job, job->info);
}

static CUresult run_geqrf(void *arguments)
{
    return run(arguments, call_geqrf);
}

static CUresult run_orgqr(void *arguments)
{
    return run(arguments, call_orgqr);
}

static CUresult run_ormqr(void *arguments)
{
    return run(arguments, call_ormqr);
}

cusolverStatus_t dn_geqrf_size(struct lib_typed typed, cusolverDnHandle_t handle, int m, int n,
                               void *A, int lda, int *lwork)
{
    (void)typed, (void)A, (void)lda, (void)m;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    return solver_size(lwork, (int64_t)n * BLOCK);
}

cusolverStatus_t dn_geqrf(struct lib_typed typed, cusolverDnHandle_t handle, int m, int n, void *A,
                          int lda, void *TAU, void *Workspace, int Lwork, int *devInfo)
{
    const struct qr job = {
        .type = typed.type, .m = m, .n = n, .a = A, .lda = lda, .tau = TAU, .info = devInfo};
    const size_t bytes = lapack_bytes(typed.type);
    struct solver_ranges ranges = {.count = 0};
    int wrong;

    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    wrong = solver_first_wrong((const struct solver_check[]){
        {m >= 0, 1}, {n >= 0, 2}, {solver_is_ld(lda, m), 4}, {false, 0}});
    if (wrong)
        return solver_wrong(handle->stream, typed.name, devInfo, wrong);
    if (m == 0 || n == 0)
        return CUSOLVER_STATUS_SUCCESS;
    solver_add(&ranges, SOLVER_UPDATED, A, m, n, lda, bytes);
    solver_add(&ranges, SOLVER_WRITTEN, TAU, solver_min(m, n), 1, 1, bytes);
    if (Workspace)
        solver_add_work(&ranges, Workspace, Lwork, bytes);
    solver_add_info(&ranges, devInfo, 1);
    return solver_submit(handle->stream, typed.name, operations_of(&job), &ranges, run_geqrf, &job,
                         sizeof(job));
}

cusolverStatus_t dn_orgqr_size(struct lib_typed typed, cusolverDnHandle_t handle, int m, int n,
                               int k, const void *A, int lda, const void *tau, int *lwork)
{
    (void)typed, (void)A, (void)tau;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || n > m || k < 0 || k > n || !solver_is_ld(lda, m))
        return CUSOLVER_STATUS_INVALID_VALUE;
    return solver_size(lwork, (int64_t)n * BLOCK);
}

cusolverStatus_t dn_orgqr(struct lib_typed typed, cusolverDnHandle_t handle, int m, int n, int k,
                          void *A, int lda, const void *tau, void *work, int lwork, int *info)
{
    const struct qr job = {.type = typed.type,
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
    if (m < 0 || n < 0 || n > m || k < 0 || k > n || !solver_is_ld(lda, m))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0)
        return CUSOLVER_STATUS_SUCCESS;
    solver_add(&ranges, SOLVER_UPDATED | SOLVER_PARTLY, A, m, n, lda, bytes);
    solver_add(&ranges, SOLVER_READ, tau, k, 1, 1, bytes);
    if (work)
        solver_add_work(&ranges, work, lwork, bytes);
    solver_add_info(&ranges, info, 1);
    return solver_submit(handle->stream, typed.name, operations_of(&job), &ranges, run_orgqr, &job,
                         sizeof(job));
}

/* The transposed of a complex Q is not a product that LAPACK or cuSOLVER has. */
static bool is_product(const struct qr *job)
{
    int64_t order = job->side == 'L' ? job->m : job->n;

    return job->side && job->trans && !(lapack_is_complex(job->type) && job->trans == 'T') &&
           job->m >= 0 && job->n >= 0 && job->k >= 0 && job->k <= order &&
           solver_is_ld(job->lda, order) && solver_is_ld(job->ldc, job->m);
}

/* The letter of LAPACK: the conjugate of a real matrix is the transposed one. */
static char product_trans(enum openblas_type type, cublasOperation_t trans)
{
    char letter = solver_trans(trans);

    return letter == 'C' && !lapack_is_complex(type) ? 'T' : letter;
}

cusolverStatus_t dn_ormqr_size(struct lib_typed typed, cusolverDnHandle_t handle,
                               cublasSideMode_t side, cublasOperation_t trans, int m, int n, int k,
                               const void *A, int lda, const void *tau, const void *C, int ldc,
                               int *lwork)
{
    const struct qr job = {.type = typed.type,
                           .side = solver_side(side),
                           .trans = product_trans(typed.type, trans),
                           .m = m,
                           .n = n,
                           .k = k,
                           .lda = lda,
                           .ldc = ldc};

    (void)A, (void)tau, (void)C;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!is_product(&job))
        return CUSOLVER_STATUS_INVALID_VALUE;
    return solver_size(lwork, solver_max(m, n) * BLOCK);
}

cusolverStatus_t dn_ormqr(struct lib_typed typed, cusolverDnHandle_t handle, cublasSideMode_t side,
                          cublasOperation_t trans, int m, int n, int k, const void *A, int lda,
                          const void *tau, void *C, int ldc, void *work, int lwork, int *devInfo)
{
    const struct qr job = {.type = typed.type,
                           .side = solver_side(side),
                           .trans = product_trans(typed.type, trans),
                           .m = m,
                           .n = n,
                           .k = k,
                           .a = (void *)A,
                           .lda = lda,
                           .tau = (void *)tau,
                           .c = C,
                           .ldc = ldc,
                           .info = devInfo};
    const size_t bytes = lapack_bytes(typed.type);
    struct solver_ranges ranges = {.count = 0};

    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!is_product(&job) || !work)
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0 || k == 0)
        return CUSOLVER_STATUS_SUCCESS;
    solver_add(&ranges, SOLVER_READ | SOLVER_PARTLY, A, side == CUBLAS_SIDE_LEFT ? m : n, k, lda,
               bytes);
    solver_add(&ranges, SOLVER_READ, tau, k, 1, 1, bytes);
    solver_add(&ranges, SOLVER_UPDATED, C, m, n, ldc, bytes);
    solver_add_work(&ranges, work, lwork, bytes);
    solver_add_info(&ranges, devInfo, 1);
    return solver_submit(handle->stream, typed.name, operations_of(&job), &ranges, run_ormqr, &job,
                         sizeof(job));
}

cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             int64_t m, int64_t n, cudaDataType dataTypeA,
                                             const void *A, int64_t lda, cudaDataType dataTypeTau,
                                             const void *tau, cudaDataType computeType,
                                             size_t *workspaceInBytesOnDevice,
                                             size_t *workspaceInBytesOnHost)
{
    enum openblas_type type;

    (void)params, (void)A, (void)lda, (void)tau, (void)m;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!solver_type(dataTypeA, &type) || dataTypeTau != dataTypeA || computeType != dataTypeA)
        return CUSOLVER_STATUS_INVALID_VALUE;
    return solver_size_bytes(workspaceInBytesOnDevice, workspaceInBytesOnHost, n * BLOCK, type);
}

cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m,
                                  int64_t n, cudaDataType dataTypeA, void *A, int64_t lda,
                                  cudaDataType dataTypeTau, void *tau, cudaDataType computeType,
                                  void *bufferOnDevice, size_t workspaceInBytesOnDevice,
                                  void *bufferOnHost, size_t workspaceInBytesOnHost, int *info)
{
    struct lib_typed typed = {.name = __func__};

    (void)params, (void)bufferOnHost, (void)workspaceInBytesOnHost;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!solver_type(dataTypeA, &typed.type) || dataTypeTau != dataTypeA ||
        computeType != dataTypeA || !solver_fits(m, n, lda, 0))
        return CUSOLVER_STATUS_INVALID_VALUE;
    return dn_geqrf(typed, handle, (int)m, (int)n, A, (int)lda, tau, bufferOnDevice,
                    (int)(workspaceInBytesOnDevice / lapack_bytes(typed.type)), info);
}

struct block {
    enum openblas_type type;
    char direct, storev;
    openblas_int n, k, ldv, ldt;
    const void *v, *tau;
    void *t;
};

static CUresult run_larft(void *arguments)
{
    const struct block *job = arguments;

    lapack()->larft[job->type](&job->direct, &job->storev, &job->n, &job->k, job->v, &job->ldv,
                               job->tau, job->t, &job->ldt, 1, 1);
    return CUDA_SUCCESS;
}

cusolverStatus_t
cusolverDnXlarft_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                            cusolverDirectMode_t direct, cusolverStorevMode_t storev, int64_t n,
                            int64_t k, cudaDataType dataTypeV, const void *V, int64_t ldv,
                            cudaDataType dataTypeTau, const void *tau, cudaDataType dataTypeT,
                            void *T, int64_t ldt, cudaDataType computeType,
                            size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost)
{
    enum openblas_type type;

    (void)params, (void)direct, (void)storev, (void)V, (void)ldv, (void)tau, (void)T, (void)ldt;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (n < 0 || k < 0 || !solver_type(dataTypeV, &type) || dataTypeTau != dataTypeV ||
        dataTypeT != dataTypeV || computeType != dataTypeV)
        return CUSOLVER_STATUS_INVALID_VALUE;
    return solver_size_bytes(workspaceInBytesOnDevice, workspaceInBytesOnHost, k, type);
}

/* Reflectors in columns, forward, as cuSOLVER has them. */
cusolverStatus_t cusolverDnXlarft(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cusolverDirectMode_t direct, cusolverStorevMode_t storev,
                                  int64_t n, int64_t k, cudaDataType dataTypeV, const void *V,
                                  int64_t ldv, cudaDataType dataTypeTau, const void *tau,
                                  cudaDataType dataTypeT, void *T, int64_t ldt,
                                  cudaDataType computeType, void *bufferOnDevice,
                                  size_t workspaceInBytesOnDevice, void *bufferOnHost,
                                  size_t workspaceInBytesOnHost)
{
    struct block job = {.direct = 'F', .storev = 'C', .v = V, .tau = tau, .t = T};
    struct solver_ranges ranges = {.count = 0};

    (void)params, (void)bufferOnHost, (void)workspaceInBytesOnHost;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!solver_type(dataTypeV, &job.type) || dataTypeTau != dataTypeV || dataTypeT != dataTypeV ||
        computeType != dataTypeV || n < 0 || k < 0 || k > n || !solver_is_ld(ldv, n) ||
        !solver_is_ld(ldt, k) || !solver_fits(n, k, ldv, ldt) || direct != CUBLAS_DIRECT_FORWARD ||
        storev != CUBLAS_STOREV_COLUMNWISE)
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (n == 0 || k == 0)
        return CUSOLVER_STATUS_SUCCESS;
    job.n = (openblas_int)n;
    job.k = (openblas_int)k;
    job.ldv = (openblas_int)ldv;
    job.ldt = (openblas_int)ldt;
    solver_add(&ranges, SOLVER_READ | SOLVER_PARTLY, V, n, k, ldv, lapack_bytes(job.type));
    solver_add(&ranges, SOLVER_READ, tau, k, 1, 1, lapack_bytes(job.type));
    solver_add(&ranges, SOLVER_WRITTEN | SOLVER_PARTLY, T, k, k, ldt, lapack_bytes(job.type));
    solver_add_work(&ranges, bufferOnDevice, (int64_t)workspaceInBytesOnDevice, 1);
    return solver_submit(handle->stream, __func__, (double)n * (double)k * (double)k, &ranges,
                         run_larft, &job, sizeof(job));
}
