/* SPDX-License-Identifier: MIT */
/* Eigenvalues of symmetric and Hermitian matrices: all, some, of pairs, and batches. Jacobi's
 * methods are done by LAPACK's direct ones. */
#include "cusolver_typed.h"
#include "eigen_run.h"
#include "jacobi.h"
#include "solver.h"

struct eigen {
    struct eigen_problem problem;
    int64_t count;
    bool waits; /* the method computes partly on the host; a stream that captures refuses */
    int *info;
    openblas_int *found; /* on the host, or NULL */
};

static double operations_of(const struct eigen_problem *p)
{
    return 4.0 * p->n * p->n * p->n * (lapack_is_complex(p->type) ? 4 : 1);
}

static CUresult eigen_matrix(const void *arguments, int64_t index, struct lapack_memory *memory)
{
    const struct eigen *job = arguments;
    struct eigen_problem problem = job->problem;
    openblas_int found = 0, info = 0;
    CUresult result;

    problem.a = lapack_at(problem.type, problem.a, index * problem.lda * problem.n);
    problem.w = lapack_at(lapack_real(problem.type), problem.w, index * problem.n);
    result = eigen_run(&problem, memory, &found, &info);
    if (job->info)
        job->info[index] = info;
    if (job->found)
        *job->found = found;
    return result;
}

static CUresult run_eigen(void *arguments)
{
    const struct eigen *job = arguments;

    return solver_for_batch(job->count, operations_of(&job->problem), eigen_matrix, job);
}

static cusolverStatus_t submit(cusolverDnHandle_t handle, const char *name, struct eigen *job,
                               const void *work, int64_t work_bytes)
{
    const struct eigen_problem *p = &job->problem;
    const size_t bytes = lapack_bytes(p->type);
    const double operations = operations_of(p) * (double)job->count;
    const int partly = p->range == 'A' ? 0 : SOLVER_PARTLY;
    struct solver_ranges ranges = {.count = 0};

    solver_add(&ranges, SOLVER_UPDATED | SOLVER_PARTLY, p->a, p->n, p->n * job->count, p->lda,
               bytes);
    if (p->itype)
        solver_add(&ranges, SOLVER_UPDATED | SOLVER_PARTLY, p->b, p->n, p->n, p->ldb, bytes);
    solver_add(&ranges, SOLVER_WRITTEN | partly, p->w, p->n * job->count, 1, 1,
               lapack_bytes(lapack_real(p->type)));
    if (work_bytes > 0)
        solver_add_work(&ranges, work, work_bytes, 1);
    solver_add_info(&ranges, job->info, job->count);
    if (job->waits)
        return solver_submit_wait(handle->stream, name, operations, &ranges, run_eigen, job);
    return solver_submit(handle->stream, name, operations, &ranges, run_eigen, job, sizeof(*job));
}

static char range_letter(cusolverEigRange_t range)
{
    return range == CUSOLVER_EIG_RANGE_ALL ? 'A'
           : range == CUSOLVER_EIG_RANGE_I ? 'I'
           : range == CUSOLVER_EIG_RANGE_V ? 'V'
                                           : 0;
}

static bool is_problem(const struct eigen_problem *p)
{
    if (!p->job || !p->range || !p->uplo || p->n < 0 || !solver_is_ld(p->lda, p->n) ||
        (p->itype && !solver_is_ld(p->ldb, p->n)) || p->itype < 0 || p->itype > 3)
        return false;
    if (p->range == 'I' && p->n > 0)
        return p->il >= 1 && p->il <= p->n && p->iu >= p->il && p->iu <= p->n;
    return p->range != 'V' || p->n == 0 || p->vl < p->vu;
}

/* Checks a problem; `behind` is how many arguments stand before those of syevd. */
static int first_wrong(const struct eigen_problem *p, int behind, const void *work)
{
    return solver_first_wrong(
        (const struct solver_check[]){{p->job != 0, 1 + behind},
                                      {p->uplo != 0, 2 + behind},
                                      {p->n >= 0, 3 + behind},
                                      {solver_is_ld(p->lda, p->n), 5 + behind},
                                      {is_problem(p), 1},
                                      {work != NULL, 7 + behind},
                                      {false, 0}});
}

static cusolverStatus_t solve(cusolverDnHandle_t handle, const char *name, struct eigen *job,
                              const void *work, int64_t work_bytes)
{
    const struct eigen_problem *p = &job->problem;
    cusolverStatus_t status;
    int wrong;

    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    wrong = first_wrong(p, (p->itype != 0) + (p->range != 'A'), work);
    if (wrong)
        return solver_wrong(handle->stream, name, job->info, wrong);
    if (job->count < 0)
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (p->n == 0 || job->count == 0) {
        if (job->found)
            *job->found = 0;
        return CUSOLVER_STATUS_SUCCESS;
    }
    status = submit(handle, name, job, work, work_bytes);
    return p->a ? status : CUSOLVER_STATUS_INTERNAL_ERROR;
}

static int64_t elements_of(int n)
{
    return (int64_t)n * (2 * (int64_t)n + 6) + 1;
}

/* The mode and the triangle are not looked at. */
static cusolverStatus_t size(cusolverDnHandle_t handle, int n, int64_t batch, int *lwork)
{
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (n < 0 || batch < 0)
        return CUSOLVER_STATUS_INVALID_VALUE;
    return solver_size(lwork, elements_of(n) * solver_max(batch, 1));
}

static struct eigen_problem problem_of(enum openblas_type type, int itype, cusolverEigMode_t jobz,
                                       cublasFillMode_t uplo, int64_t n, void *a, int64_t lda,
                                       void *b, int64_t ldb, void *w)
{
    return (struct eigen_problem){.type = type,
                                  .itype = itype,
                                  .job = solver_job(jobz),
                                  .range = 'A',
                                  .not_finite = 1,
                                  .uplo = solver_uplo(uplo),
                                  .n = (openblas_int)n,
                                  .a = a,
                                  .lda = (openblas_int)lda,
                                  .b = b,
                                  .ldb = (openblas_int)ldb,
                                  .w = w};
}

/* The type of a pair's problem, which must be given: 0 is none. */
static int pair_type(cusolverEigType_t itype)
{
    return itype >= 1 && itype <= 3 ? (int)itype : -1;
}

static void choose(struct eigen_problem *p, cusolverEigRange_t range, const void *vl,
                   const void *vu, int64_t il, int64_t iu)
{
    p->range = range_letter(range);
    p->il = (openblas_int)il;
    p->iu = (openblas_int)iu;
    if (p->range == 'V' && vl && vu) {
        p->vl = lapack_get(p->type, vl, 0);
        p->vu = lapack_get(p->type, vu, 0);
    }
}

static int64_t bytes_of(struct lib_typed typed, int lwork)
{
    return (int64_t)lwork * (int64_t)lapack_bytes(typed.type);
}

cusolverStatus_t dn_syevd_size(struct lib_typed typed, cusolverDnHandle_t handle,
                               cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, const void *A,
                               int lda, const void *W, int *lwork)
{
    (void)typed, (void)jobz, (void)uplo, (void)A, (void)lda, (void)W;
    return size(handle, n, 1, lwork);
}

cusolverStatus_t dn_syevd(struct lib_typed typed, cusolverDnHandle_t handle, cusolverEigMode_t jobz,
                          cublasFillMode_t uplo, int n, void *A, int lda, void *W, void *work,
                          int lwork, int *info)
{
    struct eigen job = {.problem = problem_of(typed.type, 0, jobz, uplo, n, A, lda, NULL, 0, W),
                        .count = 1,
                        .waits = true,
                        .info = info};

    return solve(handle, typed.name, &job, work, bytes_of(typed, lwork));
}

cusolverStatus_t dn_syevdx_size(struct lib_typed typed, cusolverDnHandle_t handle,
                                cusolverEigMode_t jobz, cusolverEigRange_t range,
                                cublasFillMode_t uplo, int n, const void *A, int lda,
                                const void *vl, const void *vu, int il, int iu, int *meig,
                                const void *W, int *lwork)
{
    (void)typed, (void)jobz, (void)range, (void)uplo, (void)A, (void)lda, (void)vl, (void)vu;
    (void)il, (void)iu, (void)meig, (void)W;
    return size(handle, n, 1, lwork);
}

cusolverStatus_t dn_syevdx(struct lib_typed typed, cusolverDnHandle_t handle,
                           cusolverEigMode_t jobz, cusolverEigRange_t range, cublasFillMode_t uplo,
                           int n, void *A, int lda, const void *vl, const void *vu, int il, int iu,
                           int *meig, void *W, void *work, int lwork, int *info)
{
    struct eigen job = {.problem = problem_of(typed.type, 0, jobz, uplo, n, A, lda, NULL, 0, W),
                        .count = 1,
                        .waits = true,
                        .info = info,
                        .found = meig};

    choose(&job.problem, range, vl, vu, il, iu);
    return solve(handle, typed.name, &job, work, bytes_of(typed, lwork));
}

cusolverStatus_t dn_syevj_size(struct lib_typed typed, cusolverDnHandle_t handle,
                               cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, const void *A,
                               int lda, const void *W, int *lwork, syevjInfo_t params)
{
    (void)typed, (void)jobz, (void)uplo, (void)A, (void)lda, (void)W;
    if (!jacobi_is_eigen(params))
        return CUSOLVER_STATUS_INVALID_VALUE;
    return size(handle, n, 1, lwork);
}

cusolverStatus_t dn_syevj(struct lib_typed typed, cusolverDnHandle_t handle, cusolverEigMode_t jobz,
                          cublasFillMode_t uplo, int n, void *A, int lda, void *W, void *work,
                          int lwork, int *info, syevjInfo_t params)
{
    struct eigen job = {.problem = problem_of(typed.type, 0, jobz, uplo, n, A, lda, NULL, 0, W),
                        .count = 1,
                        .info = info};

    if (!jacobi_is_eigen(params))
        return CUSOLVER_STATUS_INVALID_VALUE;
    job.problem.not_finite = n + 1;
    return solve(handle, typed.name, &job, work, bytes_of(typed, lwork));
}

cusolverStatus_t dn_syevj_batched_size(struct lib_typed typed, cusolverDnHandle_t handle,
                                       cusolverEigMode_t jobz, cublasFillMode_t uplo, int n,
                                       const void *A, int lda, const void *W, int *lwork,
                                       syevjInfo_t params, int batchSize)
{
    (void)typed, (void)jobz, (void)uplo, (void)A, (void)lda, (void)W;
    if (!jacobi_is_eigen(params))
        return CUSOLVER_STATUS_INVALID_VALUE;
    return size(handle, n, batchSize, lwork);
}

cusolverStatus_t dn_syevj_batched(struct lib_typed typed, cusolverDnHandle_t handle,
                                  cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, void *A,
                                  int lda, void *W, void *work, int lwork, int *info,
                                  syevjInfo_t params, int batchSize)
{
    struct eigen job = {.problem = problem_of(typed.type, 0, jobz, uplo, n, A, lda, NULL, 0, W),
                        .count = batchSize,
                        .info = info};

    if (!jacobi_is_eigen(params))
        return CUSOLVER_STATUS_INVALID_VALUE;
    job.problem.unsorted = !jacobi_sorts_eigen(params);
    job.problem.not_finite = n + 1;
    return solve(handle, typed.name, &job, work, bytes_of(typed, lwork));
}

cusolverStatus_t dn_sygvd_size(struct lib_typed typed, cusolverDnHandle_t handle,
                               cusolverEigType_t itype, cusolverEigMode_t jobz,
                               cublasFillMode_t uplo, int n, const void *A, int lda, const void *B,
                               int ldb, const void *W, int *lwork)
{
    (void)typed, (void)itype, (void)jobz, (void)uplo, (void)A, (void)lda, (void)B, (void)ldb;
    (void)W;
    return size(handle, n, 1, lwork);
}

cusolverStatus_t dn_sygvd(struct lib_typed typed, cusolverDnHandle_t handle,
                          cusolverEigType_t itype, cusolverEigMode_t jobz, cublasFillMode_t uplo,
                          int n, void *A, int lda, void *B, int ldb, void *W, void *work, int lwork,
                          int *info)
{
    struct eigen job = {
        .problem = problem_of(typed.type, pair_type(itype), jobz, uplo, n, A, lda, B, ldb, W),
        .count = 1,
        .waits = true,
        .info = info};

    return solve(handle, typed.name, &job, work, bytes_of(typed, lwork));
}

cusolverStatus_t dn_sygvdx_size(struct lib_typed typed, cusolverDnHandle_t handle,
                                cusolverEigType_t itype, cusolverEigMode_t jobz,
                                cusolverEigRange_t range, cublasFillMode_t uplo, int n,
                                const void *A, int lda, const void *B, int ldb, const void *vl,
                                const void *vu, int il, int iu, int *meig, const void *W,
                                int *lwork)
{
    (void)typed, (void)itype, (void)jobz, (void)range, (void)uplo, (void)A, (void)lda, (void)B;
    (void)ldb, (void)vl, (void)vu, (void)il, (void)iu, (void)meig, (void)W;
    return size(handle, n, 1, lwork);
}

cusolverStatus_t dn_sygvdx(struct lib_typed typed, cusolverDnHandle_t handle,
                           cusolverEigType_t itype, cusolverEigMode_t jobz,
                           cusolverEigRange_t range, cublasFillMode_t uplo, int n, void *A, int lda,
                           void *B, int ldb, const void *vl, const void *vu, int il, int iu,
                           int *meig, void *W, void *work, int lwork, int *info)
{
    struct eigen job = {
        .problem = problem_of(typed.type, pair_type(itype), jobz, uplo, n, A, lda, B, ldb, W),
        .count = 1,
        .waits = true,
        .info = info,
        .found = meig};

    choose(&job.problem, range, vl, vu, il, iu);
    return solve(handle, typed.name, &job, work, bytes_of(typed, lwork));
}

cusolverStatus_t dn_sygvj_size(struct lib_typed typed, cusolverDnHandle_t handle,
                               cusolverEigType_t itype, cusolverEigMode_t jobz,
                               cublasFillMode_t uplo, int n, const void *A, int lda, const void *B,
                               int ldb, const void *W, int *lwork, syevjInfo_t params)
{
    (void)typed, (void)itype, (void)jobz, (void)uplo, (void)A, (void)lda, (void)B, (void)ldb;
    (void)W;
    if (!jacobi_is_eigen(params))
        return CUSOLVER_STATUS_INVALID_VALUE;
    return size(handle, n, 1, lwork);
}

cusolverStatus_t dn_sygvj(struct lib_typed typed, cusolverDnHandle_t handle,
                          cusolverEigType_t itype, cusolverEigMode_t jobz, cublasFillMode_t uplo,
                          int n, void *A, int lda, void *B, int ldb, void *W, void *work, int lwork,
                          int *info, syevjInfo_t params)
{
    if (!jacobi_is_eigen(params))
        return CUSOLVER_STATUS_INVALID_VALUE;
    return dn_sygvd(typed, handle, itype, jobz, uplo, n, A, lda, B, ldb, W, work, lwork, info);
}

/* True if the types of the 64-bit interface are those of one problem. */
static bool has_types(enum openblas_type *type, cudaDataType a, cudaDataType w,
                      cudaDataType compute)
{
    return solver_type(a, type) && w == solver_data_type(lapack_real(*type)) && compute == a;
}

/* Sizes are not looked at. */
static cusolverStatus_t wide_size(cusolverDnHandle_t handle, int64_t n, cudaDataType a,
                                  cudaDataType w, cudaDataType compute, int64_t batch,
                                  size_t *device, size_t *host)
{
    enum openblas_type type;

    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!has_types(&type, a, w, compute))
        return CUSOLVER_STATUS_INVALID_VALUE;
    return solver_size_bytes(device, host,
                             elements_of((int)solver_max(n, 0)) * solver_max(batch, 1), type);
}

/* The 64-bit interface: checks types and sizes, and submits. */
static cusolverStatus_t solve_wide(cusolverDnHandle_t handle, const char *name,
                                   struct eigen_problem problem, bool right, int64_t n, int64_t lda,
                                   int64_t batch, bool waits, const void *work, size_t work_bytes,
                                   int *info, openblas_int *found)
{
    struct eigen job = {
        .problem = problem, .count = batch, .waits = waits, .info = info, .found = found};

    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!right || !solver_fits(n, lda, 0, 0))
        return CUSOLVER_STATUS_INVALID_VALUE;
    return solve(handle, name, &job, work, (int64_t)work_bytes);
}

cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cusolverEigMode_t jobz, cublasFillMode_t uplo,
                                             int64_t n, cudaDataType dataTypeA, const void *A,
                                             int64_t lda, cudaDataType dataTypeW, const void *W,
                                             cudaDataType computeType,
                                             size_t *workspaceInBytesOnDevice,
                                             size_t *workspaceInBytesOnHost)
{
    (void)params, (void)jobz, (void)uplo, (void)A, (void)lda, (void)W;
    return wide_size(handle, n, dataTypeA, dataTypeW, computeType, 1, workspaceInBytesOnDevice,
                     workspaceInBytesOnHost);
}

cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,
                                  cudaDataType dataTypeA, void *A, int64_t lda,
                                  cudaDataType dataTypeW, void *W, cudaDataType computeType,
                                  void *bufferOnDevice, size_t workspaceInBytesOnDevice,
                                  void *bufferOnHost, size_t workspaceInBytesOnHost, int *info)
{
    enum openblas_type type = OPENBLAS_S;
    bool right = has_types(&type, dataTypeA, dataTypeW, computeType);

    (void)params, (void)bufferOnHost, (void)workspaceInBytesOnHost;
    return solve_wide(handle, __func__, problem_of(type, 0, jobz, uplo, n, A, lda, NULL, 0, W),
                      right, n, lda, 1, true, bufferOnDevice, workspaceInBytesOnDevice, info, NULL);
}

cusolverStatus_t cusolverDnXsyevBatched_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz,
    cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA, const void *A, int64_t lda,
    cudaDataType dataTypeW, const void *W, cudaDataType computeType,
    size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost, int64_t batchSize)
{
    (void)params, (void)jobz, (void)uplo, (void)A, (void)lda, (void)W;
    return wide_size(handle, n, dataTypeA, dataTypeW, computeType, batchSize,
                     workspaceInBytesOnDevice, workspaceInBytesOnHost);
}

cusolverStatus_t cusolverDnXsyevBatched(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                        cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,
                                        cudaDataType dataTypeA, void *A, int64_t lda,
                                        cudaDataType dataTypeW, void *W, cudaDataType computeType,
                                        void *bufferOnDevice, size_t workspaceInBytesOnDevice,
                                        void *bufferOnHost, size_t workspaceInBytesOnHost,
                                        int *info, int64_t batchSize)
{
    enum openblas_type type = OPENBLAS_S;
    bool right = has_types(&type, dataTypeA, dataTypeW, computeType);

    (void)params, (void)bufferOnHost, (void)workspaceInBytesOnHost;
    return solve_wide(handle, __func__, problem_of(type, 0, jobz, uplo, n, A, lda, NULL, 0, W),
                      right, n, lda, batchSize, false, bufferOnDevice, workspaceInBytesOnDevice,
                      info, NULL);
}

cusolverStatus_t cusolverDnXsyevdx_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz,
    cusolverEigRange_t range, cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA,
    const void *A, int64_t lda, void *vl, void *vu, int64_t il, int64_t iu, int64_t *h_meig,
    cudaDataType dataTypeW, const void *W, cudaDataType computeType,
    size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost)
{
    (void)params, (void)jobz, (void)range, (void)uplo, (void)A, (void)lda, (void)vl, (void)vu;
    (void)il, (void)iu, (void)h_meig, (void)W;
    return wide_size(handle, n, dataTypeA, dataTypeW, computeType, 1, workspaceInBytesOnDevice,
                     workspaceInBytesOnHost);
}

cusolverStatus_t cusolverDnXsyevdx(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                   cusolverEigMode_t jobz, cusolverEigRange_t range,
                                   cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA,
                                   void *A, int64_t lda, void *vl, void *vu, int64_t il, int64_t iu,
                                   int64_t *meig64, cudaDataType dataTypeW, void *W,
                                   cudaDataType computeType, void *bufferOnDevice,
                                   size_t workspaceInBytesOnDevice, void *bufferOnHost,
                                   size_t workspaceInBytesOnHost, int *info)
{
    enum openblas_type type = OPENBLAS_S;
    bool right = has_types(&type, dataTypeA, dataTypeW, computeType);
    struct eigen_problem problem = problem_of(type, 0, jobz, uplo, n, A, lda, NULL, 0, W);
    openblas_int found = 0;
    cusolverStatus_t status;

    (void)params, (void)bufferOnHost, (void)workspaceInBytesOnHost;
    if (!solver_fits(il, iu, 0, 0))
        return CUSOLVER_STATUS_INVALID_VALUE;
    choose(&problem, range, vl, vu, il, iu);
    status = solve_wide(handle, __func__, problem, right, n, lda, 1, true, bufferOnDevice,
                        workspaceInBytesOnDevice, info, meig64 ? &found : NULL);
    if (status == CUSOLVER_STATUS_SUCCESS && meig64)
        *meig64 = found;
    return status;
}
