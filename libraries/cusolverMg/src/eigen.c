/* SPDX-License-Identifier: MIT */
/* Eigenvalues and vectors, from the lower triangle. The values go to host memory. */
#include "call.h"
#include "dense/eigen_run.h"

#include <stdlib.h>

static cusolverStatus_t check_eigen(const struct mg_call *call, cusolverEigMode_t job,
                                    cublasFillMode_t uplo, int n, const struct mg_argument *a,
                                    cudaDataType type_w)
{
    const struct solver_check checks[] = {{solver_job(job), 1},
                                          {solver_uplo(uplo), 2},
                                          {n >= 0, 3},
                                          {a->row >= 1, 5},
                                          {a->column >= 1, 6},
                                          {mg_is_matrix(a, call->data_type), 7},
                                          {mg_is_type(call->data_type), 10},
                                          {type_w == solver_data_type(lapack_real(call->type)), 9},
                                          {true, 0}};

    return mg_check(call, checks);
}

cusolverStatus_t cusolverMgSyevd_bufferSize(cusolverMgHandle_t handle, cusolverEigMode_t jobz,
                                            cublasFillMode_t uplo, int N, void *array_d_A[], int IA,
                                            int JA, cudaLibMgMatrixDesc_t descrA, void *W,
                                            cudaDataType dataTypeW, cudaDataType computeType,
                                            int64_t *lwork)
{
    const struct mg_call call = mg_call_of("cusolverMgSyevd_bufferSize", handle, computeType, NULL);
    const struct mg_argument a = {array_d_A, IA, JA, descrA};

    (void)W;
    return mg_answer(check_eigen(&call, jobz, uplo, N, &a, dataTypeW), lwork);
}

cusolverStatus_t cusolverMgSyevd(cusolverMgHandle_t handle, cusolverEigMode_t jobz,
                                 cublasFillMode_t uplo, int N, void *array_d_A[], int IA, int JA,
                                 cudaLibMgMatrixDesc_t descrA, void *W, cudaDataType dataTypeW,
                                 cudaDataType computeType, void *array_d_work[], int64_t lwork,
                                 int *info)
{
    const struct mg_call call = mg_call_of("cusolverMgSyevd", handle, computeType, info);
    const struct mg_argument a = {array_d_A, IA, JA, descrA};
    const struct solver_check checks[] = {{uplo == CUBLAS_FILL_MODE_LOWER, 2},
                                          {mg_contains(&a, N, N), 3},
                                          {array_d_A, 4},
                                          {W, 8},
                                          {array_d_work, 11},
                                          {info, 13},
                                          {true, 0}};
    cusolverStatus_t status = check_eigen(&call, jobz, uplo, N, &a, dataTypeW);
    struct eigen_problem problem;
    struct lapack_memory memory = {0};
    struct mg_part matrix;
    openblas_int found, result = 0;

    (void)lwork;
    if (status == CUSOLVER_STATUS_SUCCESS)
        status = mg_check(&call, checks);
    if (status == CUSOLVER_STATUS_SUCCESS && !lapack())
        status = CUSOLVER_STATUS_NOT_SUPPORTED;
    if (status != CUSOLVER_STATUS_SUCCESS)
        return status;
    *info = 0;
    if (N == 0)
        return status;
    matrix = mg_part_of(&call, &a, N, N);
    status = mg_gather(&matrix);
    if (status != CUSOLVER_STATUS_SUCCESS)
        return status;
    problem = (struct eigen_problem){.type = call.type,
                                     .job = solver_job(jobz),
                                     .range = 'A',
                                     .uplo = 'L',
                                     .n = N,
                                     .lda = N,
                                     .not_finite = 1,
                                     .a = matrix.dense,
                                     .w = W};
    if (eigen_run(&problem, &memory, &found, &result) != CUDA_SUCCESS)
        status = CUSOLVER_STATUS_ALLOC_FAILED;
    else
        status = mg_scatter(&matrix);
    lapack_memory_free(&memory);
    free(matrix.dense);
    *info = result;
    return status;
}
