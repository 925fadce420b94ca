/* SPDX-License-Identifier: MIT */
/* Eigenvalues of a general matrix: Xgeev, without left vectors as cuSOLVER has it. Real matrices
 * have eigenvalues in two forms: complex numbers in W, or a real W with n real parts followed by n
 * imaginary parts. */
#include "solver.h"

#include <stdlib.h>

struct general {
    enum openblas_type type;
    char left, right;
    bool complex_values; /* of a real matrix */
    openblas_int n, lda, ldvl, ldvr;
    void *a, *w, *vl, *vr;
    int *info;
};

struct call {
    const struct general *job;
    void *wr, *wi, *rwork;
};

static openblas_int call_geev(const void *arguments, void *work, openblas_int lwork)
{
    const struct call *call = arguments;
    const struct general *job = call->job;
    openblas_int info = 0;

    if (lapack_is_complex(job->type))
        lapack()->geev_complex[job->type](&job->left, &job->right, &job->n, job->a, &job->lda,
                                          job->w, job->vl, &job->ldvl, job->vr, &job->ldvr, work,
                                          &lwork, call->rwork, &info, 1, 1);
    else
        lapack()->geev_real[job->type](&job->left, &job->right, &job->n, job->a, &job->lda,
                                       call->wr, call->wi, job->vl, &job->ldvl, job->vr, &job->ldvr,
                                       work, &lwork, &info, 1, 1);
    return info;
}

static void store_values(const struct general *job, const struct call *call)
{
    for (openblas_int i = 0; i < job->n; i++) {
        lapack_set(job->type, job->w, job->complex_values ? 2 * i : i,
                   lapack_get(job->type, call->wr, i));
        lapack_set(job->type, job->w, job->complex_values ? 2 * i + 1 : job->n + i,
                   lapack_get(job->type, call->wi, i));
    }
}

static CUresult run_geev(void *arguments)
{
    const struct general *job = arguments;
    const size_t real = (size_t)job->n * lapack_bytes(lapack_real(job->type));
    struct call call = {
        .job = job, .wr = malloc(real), .wi = malloc(real), .rwork = malloc(2 * real)};
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
    openblas_int info = 0;

    if (call.wr && call.wi && call.rwork)
        result = lapack_with_work(job->type, call_geev, &call, &info);
    if (result == CUDA_SUCCESS && !lapack_is_complex(job->type))
        store_values(job, &call);
    if (result == CUDA_SUCCESS && job->info)
        *job->info = info;
    free(call.wr);
    free(call.wi);
    free(call.rwork);
    return result;
}

/* True if the types belong together. */
static bool has_types(struct general *job, cudaDataType a, cudaDataType w, cudaDataType vl,
                      cudaDataType vr, cudaDataType compute)
{
    if (!solver_type(a, &job->type) || vl != a || vr != a || compute != a)
        return false;
    job->complex_values = !lapack_is_complex(job->type) && w != a;
    return w == a || w == solver_data_type(lapack_is_double(job->type) ? OPENBLAS_Z : OPENBLAS_C);
}

cusolverStatus_t cusolverDnXgeev_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobvl,
    cusolverEigMode_t jobvr, int64_t n, cudaDataType dataTypeA, const void *A, int64_t lda,
    cudaDataType dataTypeW, const void *W, cudaDataType dataTypeVL, const void *VL, int64_t ldvl,
    cudaDataType dataTypeVR, const void *VR, int64_t ldvr, cudaDataType computeType,
    size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost)
{
    struct general job = {.n = 0};

    (void)params, (void)A, (void)lda, (void)W, (void)VL, (void)ldvl, (void)VR, (void)ldvr;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!solver_job(jobvl) || !solver_job(jobvr) || n < 0 ||
        !has_types(&job, dataTypeA, dataTypeW, dataTypeVL, dataTypeVR, computeType))
        return CUSOLVER_STATUS_INVALID_VALUE;
    return solver_size_bytes(workspaceInBytesOnDevice, workspaceInBytesOnHost, n * 64, job.type);
}

cusolverStatus_t cusolverDnXgeev(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                 cusolverEigMode_t jobvl, cusolverEigMode_t jobvr, int64_t n,
                                 cudaDataType dataTypeA, void *A, int64_t lda,
                                 cudaDataType dataTypeW, void *W, cudaDataType dataTypeVL, void *VL,
                                 int64_t ldvl, cudaDataType dataTypeVR, void *VR, int64_t ldvr,
                                 cudaDataType computeType, void *bufferOnDevice,
                                 size_t workspaceInBytesOnDevice, void *bufferOnHost,
                                 size_t workspaceInBytesOnHost, int *info)
{
    struct general job = {.left = solver_job(jobvl),
                          .right = solver_job(jobvr),
                          .a = A,
                          .w = W,
                          .vl = VL,
                          .vr = VR,
                          .info = info};
    struct solver_ranges ranges = {.count = 0};

    (void)params, (void)bufferOnHost, (void)workspaceInBytesOnHost;
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!job.left || !job.right || n < 0 || !solver_is_ld(lda, n) ||
        (job.left == 'V' && !solver_is_ld(ldvl, n)) ||
        (job.right == 'V' && !solver_is_ld(ldvr, n)) || !solver_fits(n, lda, ldvl, ldvr) ||
        !has_types(&job, dataTypeA, dataTypeW, dataTypeVL, dataTypeVR, computeType))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (job.left == 'V')
        return CUSOLVER_STATUS_INTERNAL_ERROR;
    if (n == 0)
        return CUSOLVER_STATUS_SUCCESS;
    job.n = (openblas_int)n;
    job.lda = (openblas_int)lda;
    job.ldvl = (openblas_int)solver_max(ldvl, 1);
    job.ldvr = (openblas_int)solver_max(ldvr, 1);
    solver_add(&ranges, SOLVER_UPDATED, A, n, n, lda, lapack_bytes(job.type));
    solver_add(&ranges, SOLVER_WRITTEN, W, lapack_is_complex(job.type) ? n : 2 * n, 1, 1,
               lapack_bytes(job.type));
    if (job.left == 'V')
        solver_add(&ranges, SOLVER_WRITTEN, VL, n, n, ldvl, lapack_bytes(job.type));
    if (job.right == 'V')
        solver_add(&ranges, SOLVER_WRITTEN, VR, n, n, ldvr, lapack_bytes(job.type));
    solver_add_work(&ranges, bufferOnDevice, (int64_t)workspaceInBytesOnDevice, 1);
    solver_add_info(&ranges, info, 1);
    return solver_submit(handle->stream, __func__, 25.0 * (double)n * (double)n * (double)n,
                         &ranges, run_geev, &job, sizeof(job));
}
