/* SPDX-License-Identifier: MIT */
/* Cholesky factors and inverses by them, of lower triangles alone, and factors with pivots. */
#include "call.h"

#include <stdlib.h>

static cusolverStatus_t check_triangle(const struct mg_call *call, cublasFillMode_t uplo, int n,
                                       const struct mg_argument *a)
{
    const struct solver_check checks[] = {{uplo == CUBLAS_FILL_MODE_LOWER, 1},
                                          {n >= 0, 2},
                                          {a->row >= 1, 4},
                                          {a->column >= 1, 5},
                                          {mg_is_matrix(a, call->data_type), 6},
                                          {mg_is_type(call->data_type), 7},
                                          {true, 0}};

    return mg_check(call, checks);
}

/* A Cholesky factor, or the inverse by it: one matrix in place. */
static cusolverStatus_t triangle(const struct mg_call *call, cublasFillMode_t uplo, int n,
                                 const struct mg_argument *a, void *const *work, bool inverts)
{
    const openblas_int size = n;
    struct mg_part part;
    openblas_int info = 0;
    cusolverStatus_t status = check_triangle(call, uplo, n, a);
    const struct solver_check checks[] = {
        {mg_contains(a, n, n), 2}, {a->arrays, 3}, {work, 8}, {call->info, 10}, {true, 0}};

    if (status == CUSOLVER_STATUS_SUCCESS)
        status = mg_check(call, checks);
    if (status == CUSOLVER_STATUS_SUCCESS && !lapack())
        status = CUSOLVER_STATUS_NOT_SUPPORTED;
    if (status != CUSOLVER_STATUS_SUCCESS)
        return status;
    *call->info = 0;
    if (n == 0)
        return status;
    part = mg_part_of(call, a, n, n);
    status = mg_gather(&part);
    if (status != CUSOLVER_STATUS_SUCCESS)
        return status;
    (inverts ? lapack()->potri : lapack()->potrf)[call->type]("L", &size, part.dense, &size, &info,
                                                              1);
    status = mg_scatter(&part);
    free(part.dense);
    *call->info = info;
    return status == CUSOLVER_STATUS_SUCCESS && info ? CUSOLVER_STATUS_INTERNAL_ERROR : status;
}

cusolverStatus_t cusolverMgPotrf_bufferSize(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N,
                                            void *array_d_A[], int IA, int JA,
                                            cudaLibMgMatrixDesc_t descrA, cudaDataType computeType,
                                            int64_t *lwork)
{
    const struct mg_call call = mg_call_of("cusolverMgPotrf_bufferSize", handle, computeType, NULL);
    const struct mg_argument a = {array_d_A, IA, JA, descrA};

    return mg_answer(check_triangle(&call, uplo, N, &a), lwork);
}

cusolverStatus_t cusolverMgPotrf(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N,
                                 void *array_d_A[], int IA, int JA, cudaLibMgMatrixDesc_t descrA,
                                 cudaDataType computeType, void *array_d_work[], int64_t lwork,
                                 int *h_info)
{
    const struct mg_call call = mg_call_of("cusolverMgPotrf", handle, computeType, h_info);
    const struct mg_argument a = {array_d_A, IA, JA, descrA};

    (void)lwork;
    return triangle(&call, uplo, N, &a, array_d_work, false);
}

cusolverStatus_t cusolverMgPotri_bufferSize(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N,
                                            void *array_d_A[], int IA, int JA,
                                            cudaLibMgMatrixDesc_t descrA, cudaDataType computeType,
                                            int64_t *lwork)
{
    const struct mg_call call = mg_call_of("cusolverMgPotri_bufferSize", handle, computeType, NULL);
    const struct mg_argument a = {array_d_A, IA, JA, descrA};

    return mg_answer(check_triangle(&call, uplo, N, &a), lwork);
}

cusolverStatus_t cusolverMgPotri(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N,
                                 void *array_d_A[], int IA, int JA, cudaLibMgMatrixDesc_t descrA,
                                 cudaDataType computeType, void *array_d_work[], int64_t lwork,
                                 int *h_info)
{
    const struct mg_call call = mg_call_of("cusolverMgPotri", handle, computeType, h_info);
    const struct mg_argument a = {array_d_A, IA, JA, descrA};

    (void)lwork;
    return triangle(&call, uplo, N, &a, array_d_work, true);
}

static cusolverStatus_t check_lu(const struct mg_call *call, int m, int n,
                                 const struct mg_argument *a)
{
    const struct solver_check checks[] = {{m >= 0, 1},
                                          {n >= 0, 2},
                                          {a->row >= 1, 4},
                                          {a->column >= 1, 5},
                                          {mg_is_matrix(a, call->data_type), 6},
                                          {mg_is_type(call->data_type), 8},
                                          {true, 0}};

    return mg_check(call, checks);
}

cusolverStatus_t cusolverMgGetrf_bufferSize(cusolverMgHandle_t handle, int M, int N,
                                            void *array_d_A[], int IA, int JA,
                                            cudaLibMgMatrixDesc_t descrA, int *array_d_IPIV[],
                                            cudaDataType computeType, int64_t *lwork)
{
    const struct mg_call call = mg_call_of("cusolverMgGetrf_bufferSize", handle, computeType, NULL);
    const struct mg_argument a = {array_d_A, IA, JA, descrA};

    (void)array_d_IPIV;
    return mg_answer(check_lu(&call, M, N, &a), lwork);
}

/* Factors a gathered matrix, and puts it and its pivots back. */
static cusolverStatus_t factor(const struct mg_call *call, struct mg_part *matrix,
                               struct mg_part *pivots)
{
    const openblas_int m = (openblas_int)matrix->rows, n = (openblas_int)matrix->columns;
    openblas_int info = 0;
    cusolverStatus_t status;

    pivots->dense = malloc((size_t)pivots->columns * sizeof(openblas_int));
    if (!pivots->dense)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    openblas()->getrf[call->type](&m, &n, matrix->dense, &m, (openblas_int *)pivots->dense, &info);
    status = mg_scatter(matrix);
    if (status == CUSOLVER_STATUS_SUCCESS)
        status = mg_scatter(pivots);
    free(pivots->dense);
    *call->info = info;
    return status;
}

cusolverStatus_t cusolverMgGetrf(cusolverMgHandle_t handle, int M, int N, void *array_d_A[], int IA,
                                 int JA, cudaLibMgMatrixDesc_t descrA, int *array_d_IPIV[],
                                 cudaDataType computeType, void *array_d_work[], int64_t lwork,
                                 int *info)
{
    const struct mg_call call = mg_call_of("cusolverMgGetrf", handle, computeType, info);
    const struct mg_argument a = {array_d_A, IA, JA, descrA};
    const struct solver_check checks[] = {
        {mg_contains(&a, M, N), 1}, {array_d_A, 3}, {array_d_IPIV, 7},
        {array_d_work, 9},          {info, 11},     {true, 0}};
    cusolverStatus_t status = check_lu(&call, M, N, &a);
    struct mg_part matrix, pivots;

    (void)lwork;
    if (status == CUSOLVER_STATUS_SUCCESS)
        status = mg_check(&call, checks);
    if (status == CUSOLVER_STATUS_SUCCESS && !lapack())
        status = CUSOLVER_STATUS_NOT_SUPPORTED;
    if (status != CUSOLVER_STATUS_SUCCESS)
        return status;
    *info = 0;
    if (M == 0 || N == 0)
        return status;
    matrix = mg_part_of(&call, &a, M, N);
    pivots = mg_pivots_of(&call, &a, array_d_IPIV, M < N ? M : N);
    status = mg_gather(&matrix);
    if (status == CUSOLVER_STATUS_SUCCESS)
        status = factor(&call, &matrix, &pivots);
    free(matrix.dense);
    return status;
}
