/* SPDX-License-Identifier: MIT */
/* Solutions by factors: of Cholesky, and with pivots. Transposed systems are not supported, as in
 * cuSOLVERMg. */
#include "call.h"

#include <stdlib.h>

/* A system: a has n rows and columns, b `columns` columns. */
struct system {
    struct mg_call call;
    struct mg_argument a, b;
    int *const *pivots; /* NULL: Cholesky */
    int n, columns;
    bool is_right; /* the first argument is the one there is */
};

static cusolverStatus_t check_system(const struct system *system)
{
    const struct mg_call *call = &system->call;
    const struct solver_check checks[] = {
        {system->is_right, 1},
        {system->n >= 0, 2},
        {system->columns >= 0, 3},
        {system->a.row >= 1, 5},
        {system->a.column >= 1, 6},
        {mg_is_matrix(&system->a, call->data_type), 7},
        {system->b.row >= 1, 9 + (system->pivots != NULL)},
        {system->b.column >= 1, 10 + (system->pivots != NULL)},
        {mg_is_matrix(&system->b, call->data_type), 11 + (system->pivots != NULL)},
        {mg_is_type(call->data_type), 12 + (system->pivots != NULL)},
        {true, 0}};

    return mg_check(call, checks);
}

/* Solves with gathered matrices. */
static cusolverStatus_t solve_gathered(const struct system *system, const struct mg_part *a,
                                       const struct mg_part *pivots, struct mg_part *b)
{
    const openblas_int n = system->n, columns = system->columns;
    const enum openblas_type type = system->call.type;
    openblas_int info = 0;

    if (pivots)
        lapack()->getrs[type]("N", &n, &columns, a->dense, &n, (openblas_int *)pivots->dense,
                              b->dense, &n, &info, 1);
    else
        lapack()->potrs[type]("L", &n, &columns, a->dense, &n, b->dense, &n, &info, 1);
    return mg_scatter(b);
}

static cusolverStatus_t gather_and_solve(const struct system *system)
{
    struct mg_part a = mg_part_of(&system->call, &system->a, system->n, system->n);
    struct mg_part b = mg_part_of(&system->call, &system->b, system->n, system->columns);
    struct mg_part pivots = {.dense = NULL};
    cusolverStatus_t status = mg_gather(&a);

    if (status == CUSOLVER_STATUS_SUCCESS)
        status = mg_gather(&b);
    if (status == CUSOLVER_STATUS_SUCCESS && system->pivots) {
        pivots = mg_pivots_of(&system->call, &system->a, system->pivots, system->n);
        status = mg_gather(&pivots);
    }
    if (status == CUSOLVER_STATUS_SUCCESS)
        status = solve_gathered(system, &a, system->pivots ? &pivots : NULL, &b);
    free(a.dense);
    free(b.dense);
    free(pivots.dense);
    return status;
}

static cusolverStatus_t solve(const struct system *system, void *const *work, bool has_pivots)
{
    const struct mg_call *call = &system->call;
    const struct solver_check checks[] = {{mg_contains(&system->a, system->n, system->n), 2},
                                          {mg_contains(&system->b, system->n, system->columns), 3},
                                          {system->a.arrays, 4},
                                          {!has_pivots || system->pivots, 8},
                                          {system->b.arrays, 8 + has_pivots},
                                          {work, 13 + has_pivots},
                                          {call->info, 15 + has_pivots},
                                          {true, 0}};
    cusolverStatus_t status = check_system(system);

    if (status == CUSOLVER_STATUS_SUCCESS)
        status = mg_check(call, checks);
    if (status == CUSOLVER_STATUS_SUCCESS && !lapack())
        status = CUSOLVER_STATUS_NOT_SUPPORTED;
    if (status != CUSOLVER_STATUS_SUCCESS)
        return status;
    *call->info = 0;
    return system->n && system->columns ? gather_and_solve(system) : status;
}

cusolverStatus_t cusolverMgPotrs_bufferSize(cusolverMgHandle_t handle, cublasFillMode_t uplo, int n,
                                            int nrhs, void *array_d_A[], int IA, int JA,
                                            cudaLibMgMatrixDesc_t descrA, void *array_d_B[], int IB,
                                            int JB, cudaLibMgMatrixDesc_t descrB,
                                            cudaDataType computeType, int64_t *lwork)
{
    const struct system system = {
        .call = mg_call_of("cusolverMgPotrs_bufferSize", handle, computeType, NULL),
        .a = {array_d_A, IA, JA, descrA},
        .b = {array_d_B, IB, JB, descrB},
        .n = n,
        .columns = nrhs,
        .is_right = uplo == CUBLAS_FILL_MODE_LOWER};

    return mg_answer(check_system(&system), lwork);
}

cusolverStatus_t cusolverMgPotrs(cusolverMgHandle_t handle, cublasFillMode_t uplo, int n, int nrhs,
                                 void *array_d_A[], int IA, int JA, cudaLibMgMatrixDesc_t descrA,
                                 void *array_d_B[], int IB, int JB, cudaLibMgMatrixDesc_t descrB,
                                 cudaDataType computeType, void *array_d_work[], int64_t lwork,
                                 int *h_info)
{
    const struct system system = {.call =
                                      mg_call_of("cusolverMgPotrs", handle, computeType, h_info),
                                  .a = {array_d_A, IA, JA, descrA},
                                  .b = {array_d_B, IB, JB, descrB},
                                  .n = n,
                                  .columns = nrhs,
                                  .is_right = uplo == CUBLAS_FILL_MODE_LOWER};

    (void)lwork;
    return solve(&system, array_d_work, false);
}

/* Any operation gets a size. */
cusolverStatus_t cusolverMgGetrs_bufferSize(cusolverMgHandle_t handle, cublasOperation_t TRANS,
                                            int N, int NRHS, void *array_d_A[], int IA, int JA,
                                            cudaLibMgMatrixDesc_t descrA, int *array_d_IPIV[],
                                            void *array_d_B[], int IB, int JB,
                                            cudaLibMgMatrixDesc_t descrB, cudaDataType computeType,
                                            int64_t *lwork)
{
    const struct system system = {
        .call = mg_call_of("cusolverMgGetrs_bufferSize", handle, computeType, NULL),
        .a = {array_d_A, IA, JA, descrA},
        .b = {array_d_B, IB, JB, descrB},
        .pivots = array_d_IPIV,
        .n = N,
        .columns = NRHS,
        .is_right = solver_trans(TRANS) != 0};

    return mg_answer(check_system(&system), lwork);
}

cusolverStatus_t cusolverMgGetrs(cusolverMgHandle_t handle, cublasOperation_t TRANS, int N,
                                 int NRHS, void *array_d_A[], int IA, int JA,
                                 cudaLibMgMatrixDesc_t descrA, int *array_d_IPIV[],
                                 void *array_d_B[], int IB, int JB, cudaLibMgMatrixDesc_t descrB,
                                 cudaDataType computeType, void *array_d_work[], int64_t lwork,
                                 int *info)
{
    const struct system system = {.call = mg_call_of("cusolverMgGetrs", handle, computeType, info),
                                  .a = {array_d_A, IA, JA, descrA},
                                  .b = {array_d_B, IB, JB, descrB},
                                  .pivots = array_d_IPIV,
                                  .n = N,
                                  .columns = NRHS,
                                  .is_right = TRANS == CUBLAS_OP_N};

    (void)lwork;
    return solve(&system, array_d_work, true);
}
