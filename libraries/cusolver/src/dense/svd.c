/* SPDX-License-Identifier: MIT */
/* Singular values: gesvd, gesvdj and its batch, gesvda, and the 64-bit forms. Jacobi's methods are
 * done by LAPACK's direct ones: there are no sweeps, and tolerances are not looked at. */
#include "cusolver_typed.h"
#include "jacobi.h"
#include "solver.h"
#include "svd_residual.h"
#include "svd_run.h"

enum { JACOBI_BATCH_ORDER_MOST = 32 };

/* A batch, or one problem. Strides are in elements. */
struct svd {
    struct svd_problem problem;
    int64_t count, stride_a, stride_s, stride_u, stride_v;
    int *info;
    double *residuals; /* on the host, or NULL */
};

static double operations_of(const struct svd_problem *p)
{
    return 8.0 * p->m * p->n * (double)solver_min(p->m, p->n) *
           (lapack_is_complex(p->type) ? 4 : 1);
}

static struct svd_problem problem_at(const struct svd *job, int64_t index)
{
    const enum openblas_type type = job->problem.type;
    struct svd_problem problem = job->problem;

    problem.a = lapack_at(type, problem.a, index * job->stride_a);
    problem.s = lapack_at(lapack_real(type), problem.s, index * job->stride_s);
    if (problem.u)
        problem.u = lapack_at(type, problem.u, index * job->stride_u);
    if (problem.vt)
        problem.vt = lapack_at(type, problem.vt, index * job->stride_v);
    return problem;
}

static CUresult svd_matrix(const void *arguments, int64_t index, struct lapack_memory *memory)
{
    const struct svd *job = arguments;
    const struct svd_problem problem = problem_at(job, index);
    openblas_int info = 0;
    CUresult result = svd_run(&problem, memory, &info);

    if (job->info)
        job->info[index] = info;
    if (job->residuals)
        job->residuals[index] = svd_residual(&problem);
    return result;
}

static CUresult run_svd(void *arguments)
{
    const struct svd *job = arguments;

    return solver_for_batch(job->count, operations_of(&job->problem), svd_matrix, job);
}

/* Names the memory of all matrices of a batch that stand at a distance from each other. */
static void add_batch(struct solver_ranges *ranges, int access, const void *address, int64_t count,
                      int64_t stride, int64_t rows, int64_t columns, int64_t ld, size_t bytes)
{
    if (count <= 1)
        solver_add(ranges, access, address, rows, columns, ld, bytes);
    else if (rows > 0 && columns > 0)
        solver_add(ranges, access | SOLVER_PARTLY, address,
                   (count - 1) * stride + (columns - 1) * ld + rows, 1, 1, bytes);
}

static cusolverStatus_t submit(cusolverDnHandle_t handle, const char *name, struct svd *job,
                               const void *work, int64_t work_bytes, bool waits)
{
    const struct svd_problem *p = &job->problem;
    const size_t bytes = lapack_bytes(p->type);
    const int64_t least = solver_min(p->m, p->n), rank = p->rank ? p->rank : least;
    const double operations = operations_of(p) * (double)job->count;
    struct solver_ranges ranges = {.count = 0};

    add_batch(&ranges, p->keeps_a ? SOLVER_READ : SOLVER_UPDATED, p->a, job->count, job->stride_a,
              p->m, p->n, p->lda, bytes);
    add_batch(&ranges, SOLVER_WRITTEN, p->s, job->count, job->stride_s, rank, 1, rank,
              lapack_bytes(lapack_real(p->type)));
    if (p->jobu == 'A' || p->jobu == 'S')
        add_batch(&ranges, SOLVER_WRITTEN, p->u, job->count, job->stride_u, p->m,
                  p->jobu == 'A' ? p->m : rank, p->ldu, bytes);
    if (p->jobvt == 'A' || p->jobvt == 'S') {
        int64_t vectors = p->jobvt == 'A' ? p->n : rank;

        add_batch(&ranges, SOLVER_WRITTEN, p->vt, job->count, job->stride_v,
                  p->wants_v ? p->n : vectors, p->wants_v ? vectors : p->n, p->ldvt, bytes);
    }
    if (work_bytes > 0)
        solver_add_work(&ranges, work, work_bytes, 1);
    solver_add_info(&ranges, job->info, job->count);
    if (waits)
        return solver_submit_wait(handle->stream, name, operations, &ranges, run_svd, job);
    return solver_submit(handle->stream, name, operations, &ranges, run_svd, job, sizeof(*job));
}

static bool is_job(char job)
{
    return job == 'A' || job == 'S' || job == 'O' || job == 'N';
}

/* The checks of gesvd, which wants at least as many rows as columns. */
static bool is_gesvd(const struct svd_problem *p)
{
    if (!is_job(p->jobu) || !is_job(p->jobvt) || (p->jobu == 'O' && p->jobvt == 'O') || p->m < 0 ||
        p->n < 0 || p->m < p->n || !solver_is_ld(p->lda, p->m))
        return false;
    if ((p->jobu == 'A' || p->jobu == 'S') && !solver_is_ld(p->ldu, p->m))
        return false;
    return !((p->jobvt == 'A' || p->jobvt == 'S') && !solver_is_ld(p->ldvt, p->n));
}

/* gesvd computes partly on the host: it waits, and a stream that captures refuses. */
static cusolverStatus_t gesvd(cusolverDnHandle_t handle, const char *name, struct svd *job,
                              const void *work, int64_t work_bytes)
{
    struct svd_problem *p = &job->problem;
    cusolverStatus_t status;

    /* A matrix without rows has no checks of columns behind them. */
    if (p->m == 0 && is_job(p->jobu) && is_job(p->jobvt) && p->n >= 0 &&
        solver_is_ld(p->lda, p->m) && solver_is_ld(p->ldvt, p->n))
        return CUSOLVER_STATUS_SUCCESS;
    if (!is_gesvd(p))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (p->m == 0 || p->n == 0)
        return CUSOLVER_STATUS_SUCCESS;
    p->ldu = (openblas_int)solver_max(p->ldu, 1);
    p->ldvt = (openblas_int)solver_max(p->ldvt, 1);
    p->not_finite = p->n;
    status = submit(handle, name, job, work, work ? work_bytes : 1, true);
    return p->a ? status : CUSOLVER_STATUS_INTERNAL_ERROR;
}

/* Neither the handle nor the sizes are looked at. */
cusolverStatus_t dn_gesvd_size(struct lib_typed typed, cusolverDnHandle_t handle, int m, int n,
                               int *lwork)
{
    (void)typed, (void)handle;
    return solver_size(lwork, 5 * solver_max(m, n) + solver_max(n, 0) * 64);
}

cusolverStatus_t dn_gesvd(struct lib_typed typed, cusolverDnHandle_t handle, signed char jobu,
                          signed char jobvt, int m, int n, void *A, int lda, void *S, void *U,
                          int ldu, void *VT, int ldvt, void *work, int lwork, void *rwork,
                          int *info)
{
    struct svd job = {.problem = {.type = typed.type,
                                  .jobu = (char)jobu,
                                  .jobvt = (char)jobvt,
                                  .m = m,
                                  .n = n,
                                  .a = A,
                                  .lda = lda,
                                  .s = S,
                                  .u = U,
                                  .ldu = ldu,
                                  .vt = VT,
                                  .ldvt = ldvt},
                      .count = 1,
                      .info = info};

    (void)rwork;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    return gesvd(handle, typed.name, &job, work,
                 (int64_t)lwork * (int64_t)lapack_bytes(typed.type));
}

/* The checks of the forms with V and a mode. */
static bool is_jacobi(const struct svd_problem *p, char vectors)
{
    if (!vectors || p->m < 0 || p->n < 0 || !solver_is_ld(p->lda, p->m))
        return false;
    return vectors == 'N' || (solver_is_ld(p->ldu, p->m) && solver_is_ld(p->ldvt, p->n));
}

static struct svd_problem jacobi_problem(enum openblas_type type, cusolverEigMode_t jobz, int econ,
                                         int64_t m, int64_t n, const void *a, int64_t lda, void *s,
                                         void *u, int64_t ldu, void *v, int64_t ldv)
{
    const char job = jobz == CUSOLVER_EIG_MODE_NOVECTOR ? 'N' : econ ? 'S' : 'A';

    return (struct svd_problem){.type = type,
                                .jobu = job,
                                .jobvt = job,
                                .wants_v = true,
                                .not_finite = (openblas_int)solver_min(m, n) + 1,
                                .m = (openblas_int)m,
                                .n = (openblas_int)n,
                                .a = (void *)a,
                                .lda = (openblas_int)lda,
                                .s = s,
                                .u = u,
                                .ldu = (openblas_int)solver_max(ldu, 1),
                                .vt = v,
                                .ldvt = (openblas_int)solver_max(ldv, 1)};
}

static cusolverStatus_t jacobi_size(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int m, int n,
                                    int lda, int batch, int *lwork)
{
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!solver_job(jobz) || m < 0 || n < 0 || !solver_is_ld(lda, m) || batch < 0)
        return CUSOLVER_STATUS_INVALID_VALUE;
    return solver_size(lwork, ((int64_t)m * n + m + n) * solver_max(batch, 1));
}

cusolverStatus_t dn_gesvdj_size(struct lib_typed typed, cusolverDnHandle_t handle,
                                cusolverEigMode_t jobz, int econ, int m, int n, const void *A,
                                int lda, const void *S, const void *U, int ldu, const void *V,
                                int ldv, int *lwork, gesvdjInfo_t params)
{
    (void)typed, (void)econ, (void)A, (void)S, (void)U, (void)ldu, (void)V, (void)ldv;
    if (!jacobi_is_svd(params))
        return CUSOLVER_STATUS_INVALID_VALUE;
    return jacobi_size(handle, jobz, m, n, lda, 1, lwork);
}

cusolverStatus_t dn_gesvdj(struct lib_typed typed, cusolverDnHandle_t handle,
                           cusolverEigMode_t jobz, int econ, int m, int n, void *A, int lda,
                           void *S, void *U, int ldu, void *V, int ldv, void *work, int lwork,
                           int *info, gesvdjInfo_t params)
{
    struct svd job = {.problem =
                          jacobi_problem(typed.type, jobz, econ, m, n, A, lda, S, U, ldu, V, ldv),
                      .count = 1,
                      .info = info};

    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!jacobi_is_svd(params) || !is_jacobi(&job.problem, solver_job(jobz)))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0)
        return CUSOLVER_STATUS_SUCCESS;
    return submit(handle, typed.name, &job, work,
                  (int64_t)lwork * (int64_t)lapack_bytes(typed.type), false);
}

cusolverStatus_t dn_gesvdj_batched_size(struct lib_typed typed, cusolverDnHandle_t handle,
                                        cusolverEigMode_t jobz, int m, int n, const void *A,
                                        int lda, const void *S, const void *U, int ldu,
                                        const void *V, int ldv, int *lwork, gesvdjInfo_t params,
                                        int batchSize)
{
    (void)typed, (void)A, (void)S, (void)U, (void)ldu, (void)V, (void)ldv;
    if (!jacobi_is_svd(params))
        return CUSOLVER_STATUS_INVALID_VALUE;
    return jacobi_size(handle, jobz, m, n, lda, batchSize, lwork);
}

cusolverStatus_t dn_gesvdj_batched(struct lib_typed typed, cusolverDnHandle_t handle,
                                   cusolverEigMode_t jobz, int m, int n, void *A, int lda, void *S,
                                   void *U, int ldu, void *V, int ldv, void *work, int lwork,
                                   int *info, gesvdjInfo_t params, int batchSize)
{
    struct svd job = {.problem =
                          jacobi_problem(typed.type, jobz, 0, m, n, A, lda, S, U, ldu, V, ldv),
                      .count = batchSize,
                      .stride_a = (int64_t)lda * n,
                      .stride_s = solver_min(m, n),
                      .stride_u = (int64_t)ldu * m,
                      .stride_v = (int64_t)ldv * n,
                      .info = info};

    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!jacobi_is_svd(params) || !is_jacobi(&job.problem, solver_job(jobz)) || batchSize < 0 ||
        m > JACOBI_BATCH_ORDER_MOST || n > JACOBI_BATCH_ORDER_MOST)
        return CUSOLVER_STATUS_INVALID_VALUE;
    job.problem.unsorted = !jacobi_sorts_svd(params);
    if (m == 0 || n == 0 || batchSize == 0)
        return CUSOLVER_STATUS_SUCCESS;
    return submit(handle, typed.name, &job, work,
                  (int64_t)lwork * (int64_t)lapack_bytes(typed.type), false);
}

cusolverStatus_t dn_gesvda_strided_batched_size(struct lib_typed typed, cusolverDnHandle_t handle,
                                                cusolverEigMode_t jobz, int rank, int m, int n,
                                                const void *d_A, int lda, long long int strideA,
                                                const void *d_S, long long int strideS,
                                                const void *d_U, int ldu, long long int strideU,
                                                const void *d_V, int ldv, long long int strideV,
                                                int *lwork, int batchSize)
{
    (void)typed, (void)d_A, (void)strideA, (void)d_S, (void)strideS, (void)d_U, (void)ldu;
    (void)strideU, (void)d_V, (void)ldv, (void)strideV;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (rank < 0 || rank > solver_min(m, n))
        return CUSOLVER_STATUS_INVALID_VALUE;
    return jacobi_size(handle, jobz, m, n, lda, batchSize, lwork);
}

/* Norms of residuals go to the host: the call waits if they are wanted. */
cusolverStatus_t dn_gesvda_strided_batched(struct lib_typed typed, cusolverDnHandle_t handle,
                                           cusolverEigMode_t jobz, int rank, int m, int n,
                                           const void *d_A, int lda, long long int strideA,
                                           void *d_S, long long int strideS, void *d_U, int ldu,
                                           long long int strideU, void *d_V, int ldv,
                                           long long int strideV, void *d_work, int lwork,
                                           int *d_info, void *h_R_nrmF, int batchSize)
{
    struct svd job = {
        .problem = jacobi_problem(typed.type, jobz, 1, m, n, d_A, lda, d_S, d_U, ldu, d_V, ldv),
        .count = batchSize,
        .stride_a = strideA,
        .stride_s = strideS,
        .stride_u = strideU,
        .stride_v = strideV,
        .info = d_info,
        .residuals = h_R_nrmF};

    job.problem.keeps_a = true;
    job.problem.rank = rank;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!is_jacobi(&job.problem, solver_job(jobz)) || m < n || rank < 0 || rank > n ||
        batchSize < 0)
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0 || rank == 0 || batchSize == 0)
        return CUSOLVER_STATUS_SUCCESS;
    return submit(handle, typed.name, &job, d_work,
                  (int64_t)lwork * (int64_t)lapack_bytes(typed.type), h_R_nrmF != NULL);
}

/* True if the types of the 64-bit interface are those of one problem. */
static bool has_types(struct svd_problem *p, cudaDataType a, cudaDataType s, cudaDataType u,
                      cudaDataType v, cudaDataType compute)
{
    return solver_type(a, &p->type) && s == solver_data_type(lapack_real(p->type)) && u == a &&
           v == a && compute == a;
}

static cusolverStatus_t wide_size(cusolverDnHandle_t handle, bool has_right_types,
                                  enum openblas_type type, int64_t m, int64_t n, size_t *device,
                                  size_t *host)
{
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!has_right_types)
        return CUSOLVER_STATUS_INVALID_VALUE;
    return solver_size_bytes(device, host, solver_max(m, 0) + solver_max(n, 0) * 64, type);
}

cusolverStatus_t cusolverDnXgesvd_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu, signed char jobvt,
    int64_t m, int64_t n, cudaDataType dataTypeA, const void *A, int64_t lda,
    cudaDataType dataTypeS, const void *S, cudaDataType dataTypeU, const void *U, int64_t ldu,
    cudaDataType dataTypeVT, const void *VT, int64_t ldvt, cudaDataType computeType,
    size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost)
{
    struct svd_problem p = {.m = 0};
    bool right = has_types(&p, dataTypeA, dataTypeS, dataTypeU, dataTypeVT, computeType);

    (void)params, (void)jobu, (void)jobvt, (void)A, (void)lda, (void)S, (void)U, (void)ldu;
    (void)VT, (void)ldvt;
    return wide_size(handle, right && m >= n, p.type, m, n, workspaceInBytesOnDevice,
                     workspaceInBytesOnHost);
}

cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  signed char jobu, signed char jobvt, int64_t m, int64_t n,
                                  cudaDataType dataTypeA, void *A, int64_t lda,
                                  cudaDataType dataTypeS, void *S, cudaDataType dataTypeU, void *U,
                                  int64_t ldu, cudaDataType dataTypeVT, void *VT, int64_t ldvt,
                                  cudaDataType computeType, void *bufferOnDevice,
                                  size_t workspaceInBytesOnDevice, void *bufferOnHost,
                                  size_t workspaceInBytesOnHost, int *info)
{
    struct svd job = {.count = 1, .info = info};

    (void)params, (void)bufferOnHost, (void)workspaceInBytesOnHost;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!has_types(&job.problem, dataTypeA, dataTypeS, dataTypeU, dataTypeVT, computeType) ||
        !solver_fits(m, n, lda, ldu) || !solver_fits(ldvt, 0, 0, 0))
        return CUSOLVER_STATUS_INVALID_VALUE;
    job.problem = (struct svd_problem){.type = job.problem.type,
                                       .jobu = (char)jobu,
                                       .jobvt = (char)jobvt,
                                       .m = (openblas_int)m,
                                       .n = (openblas_int)n,
                                       .a = A,
                                       .lda = (openblas_int)lda,
                                       .s = S,
                                       .u = U,
                                       .ldu = (openblas_int)ldu,
                                       .vt = VT,
                                       .ldvt = (openblas_int)ldvt};
    return gesvd(handle, __func__, &job, bufferOnDevice, (int64_t)workspaceInBytesOnDevice);
}

cusolverStatus_t cusolverDnXgesvdp_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz, int econ,
    int64_t m, int64_t n, cudaDataType dataTypeA, const void *A, int64_t lda,
    cudaDataType dataTypeS, const void *S, cudaDataType dataTypeU, const void *U, int64_t ldu,
    cudaDataType dataTypeV, const void *V, int64_t ldv, cudaDataType computeType,
    size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost)
{
    struct svd_problem p = {.m = 0};
    bool right = has_types(&p, dataTypeA, dataTypeS, dataTypeU, dataTypeV, computeType);

    (void)params, (void)econ, (void)A, (void)lda, (void)S, (void)U, (void)ldu, (void)V, (void)ldv;
    return wide_size(handle, right && solver_job(jobz), p.type, m, n, workspaceInBytesOnDevice,
                     workspaceInBytesOnHost);
}

/* The polar decomposition may disturb singular values, and tells how much; nothing is disturbed
 * here. */
cusolverStatus_t cusolverDnXgesvdp(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                   cusolverEigMode_t jobz, int econ, int64_t m, int64_t n,
                                   cudaDataType dataTypeA, void *A, int64_t lda,
                                   cudaDataType dataTypeS, void *S, cudaDataType dataTypeU, void *U,
                                   int64_t ldu, cudaDataType dataTypeV, void *V, int64_t ldv,
                                   cudaDataType computeType, void *bufferOnDevice,
                                   size_t workspaceInBytesOnDevice, void *bufferOnHost,
                                   size_t workspaceInBytesOnHost, int *d_info, double *h_err_sigma)
{
    struct svd job = {.count = 1, .info = d_info};
    cusolverStatus_t status;

    (void)params, (void)bufferOnHost, (void)workspaceInBytesOnHost;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!has_types(&job.problem, dataTypeA, dataTypeS, dataTypeU, dataTypeV, computeType) ||
        !solver_fits(m, n, lda, ldu) || !solver_fits(ldv, 0, 0, 0))
        return CUSOLVER_STATUS_INVALID_VALUE;
    job.problem = jacobi_problem(job.problem.type, jobz, econ, m, n, A, lda, S, U, ldu, V, ldv);
    if (!is_jacobi(&job.problem, solver_job(jobz)))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0)
        return CUSOLVER_STATUS_SUCCESS;
    status = submit(handle, __func__, &job, bufferOnDevice, (int64_t)workspaceInBytesOnDevice,
                    h_err_sigma != NULL);
    if (status == CUSOLVER_STATUS_SUCCESS && h_err_sigma)
        *h_err_sigma = 0;
    return status;
}

cusolverStatus_t cusolverDnXgesvdr_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu, signed char jobv,
    int64_t m, int64_t n, int64_t k, int64_t p, int64_t niters, cudaDataType dataTypeA,
    const void *A, int64_t lda, cudaDataType dataTypeSrand, const void *Srand,
    cudaDataType dataTypeUrand, const void *Urand, int64_t ldUrand, cudaDataType dataTypeVrand,
    const void *Vrand, int64_t ldVrand, cudaDataType computeType, size_t *workspaceInBytesOnDevice,
    size_t *workspaceInBytesOnHost)
{
    struct svd_problem problem = {.m = 0};
    bool right =
        has_types(&problem, dataTypeA, dataTypeSrand, dataTypeUrand, dataTypeVrand, computeType);

    (void)params, (void)jobu, (void)jobv, (void)k, (void)p, (void)niters, (void)A, (void)lda;
    (void)Srand, (void)Urand, (void)ldUrand, (void)Vrand, (void)ldVrand;
    return wide_size(handle, right, problem.type, m, n, workspaceInBytesOnDevice,
                     workspaceInBytesOnHost);
}

/* The values and vectors that the randomised method approximates are computed exactly. */
cusolverStatus_t cusolverDnXgesvdr(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                   signed char jobu, signed char jobv, int64_t m, int64_t n,
                                   int64_t k, int64_t p, int64_t niters, cudaDataType dataTypeA,
                                   void *A, int64_t lda, cudaDataType dataTypeSrand, void *Srand,
                                   cudaDataType dataTypeUrand, void *Urand, int64_t ldUrand,
                                   cudaDataType dataTypeVrand, void *Vrand, int64_t ldVrand,
                                   cudaDataType computeType, void *bufferOnDevice,
                                   size_t workspaceInBytesOnDevice, void *bufferOnHost,
                                   size_t workspaceInBytesOnHost, int *d_info)
{
    struct svd job = {.count = 1, .info = d_info};
    const bool vectors = jobu == 'S' && jobv == 'S';
    const cusolverEigMode_t mode = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;

    (void)params, (void)bufferOnHost, (void)workspaceInBytesOnHost;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!has_types(&job.problem, dataTypeA, dataTypeSrand, dataTypeUrand, dataTypeVrand,
                   computeType) ||
        !solver_fits(m, n, lda, ldUrand) || !solver_fits(ldVrand, 0, 0, 0) || k < 0 || p < 0 ||
        niters < 0 || k + p > solver_min(m, n))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (!vectors && (jobu != 'N' || jobv != 'N'))
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    job.problem = jacobi_problem(job.problem.type, mode, 1, m, n, A, lda, Srand, Urand, ldUrand,
                                 Vrand, ldVrand);
    if (!is_jacobi(&job.problem, solver_job(mode)))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0 || k == 0)
        return CUSOLVER_STATUS_SUCCESS;
    job.problem.rank = (openblas_int)k;
    return submit(handle, __func__, &job, bufferOnDevice, (int64_t)workspaceInBytesOnDevice, false);
}
