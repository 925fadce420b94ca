/* SPDX-License-Identifier: MIT */
/* Systems and least squares of many matrices with one pattern: csrqrsvBatched. */
#include "cusolver_typed.h"
#include "steps.h"

struct batch {
    struct sparse_input input; /* values of all matrices, one after the other */
    const void *b;
    void *x;
    int count;
    cusolverStatus_t *status;
};

static void solve_part(void *arguments, size_t index)
{
    const struct batch *job = arguments;
    const enum openblas_type type = job->input.type;
    const int64_t i = (int64_t)index;
    struct sparse_input input = job->input;
    const void *b = lapack_at(type, job->b, i * input.rows);
    void *x = lapack_at(type, job->x, i * input.columns);
    cusolverStatus_t status;
    struct sparse_lu lu;
    int rank;

    input.value = lapack_at(type, input.value, i * input.count);
    if (input.rows != input.columns) {
        status = sparse_least_squares(&input, type, b, 0, &rank, x, NULL, NULL);
    } else {
        status = sparse_factor(&input, 0, SPARSE_DEGREE, SPARSE_PIVOTS_LARGEST, 0.1, &lu);
        if (status == CUSOLVER_STATUS_SUCCESS && lu.singular_at < 0)
            status = sparse_solve(&lu, type, b, x);
        sparse_lu_free(&lu);
    }
    if (status != CUSOLVER_STATUS_SUCCESS)
        *job->status = status;
}

static CUresult run_batch(void *arguments)
{
    struct batch job = *(const struct batch *)arguments;
    cusolverStatus_t status = CUSOLVER_STATUS_SUCCESS;

    job.status = &status;
    lib_parallel((size_t)job.count, solve_part, &job);
    return status == CUSOLVER_STATUS_ALLOC_FAILED ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

cusolverStatus_t cusolverSpXcsrqrAnalysisBatched(cusolverSpHandle_t handle, int m, int n, int nnzA,
                                                 const cusparseMatDescr_t descrA,
                                                 const int *csrRowPtrA, const int *csrColIndA,
                                                 csrqrInfo_t info)
{
    const struct sparse_input input = {
        .rows = m, .columns = n, .count = nnzA, .start = csrRowPtrA, .index = csrColIndA};

    return steps_analyse(handle, steps_object(&steps_qr, info), descrA, input);
}

cusolverStatus_t sp_csrqr_buffer_info_batched(struct lib_typed typed, cusolverSpHandle_t handle,
                                              int m, int n, int nnz,
                                              const cusparseMatDescr_t descrA, const void *csrVal,
                                              const int *csrRowPtr, const int *csrColInd,
                                              int batchSize, csrqrInfo_t info,
                                              size_t *internalDataInBytes, size_t *workspaceInBytes)
{
    (void)typed, (void)m, (void)n, (void)nnz, (void)descrA, (void)csrVal, (void)csrRowPtr;
    (void)csrColInd;
    if (batchSize < 0)
        return CUSOLVER_STATUS_INVALID_VALUE;
    return steps_sizes(handle, steps_object(&steps_qr, info), internalDataInBytes,
                       workspaceInBytes);
}

cusolverStatus_t sp_csrqrsv_batched(struct lib_typed typed, cusolverSpHandle_t handle, int m, int n,
                                    int nnz, const cusparseMatDescr_t descrA, const void *csrValA,
                                    const int *csrRowPtrA, const int *csrColIndA, const void *b,
                                    void *x, int batchSize, csrqrInfo_t info, void *pBuffer)
{
    struct batch job = {.input = {.type = typed.type,
                                  .rows = m,
                                  .columns = n,
                                  .count = nnz,
                                  .start = csrRowPtrA,
                                  .index = csrColIndA,
                                  .value = csrValA},
                        .b = b,
                        .x = x,
                        .count = batchSize};
    const size_t bytes = lapack_bytes(typed.type);
    cusolverStatus_t status = sparse_check(handle, descrA, &job.input);
    const struct steps *steps = steps_object(&steps_qr, info);
    struct solver_ranges ranges = {.count = 0};

    (void)pBuffer;
    if (status != CUSOLVER_STATUS_SUCCESS)
        return status;
    if (!steps || !steps->is_analysed || m < n || batchSize < 0 || !csrValA || !b || !x)
        return CUSOLVER_STATUS_INVALID_VALUE;
    solver_add(&ranges, SOLVER_READ, csrRowPtrA, (int64_t)m + 1, 1, 1, sizeof(int));
    solver_add(&ranges, SOLVER_READ, csrColIndA, nnz, 1, 1, sizeof(int));
    solver_add(&ranges, SOLVER_READ, csrValA, (int64_t)nnz * batchSize, 1, 1, bytes);
    solver_add(&ranges, SOLVER_READ, b, (int64_t)m * batchSize, 1, 1, bytes);
    solver_add(&ranges, SOLVER_WRITTEN | SOLVER_PARTLY, x, (int64_t)n * batchSize, 1, 1, bytes);
    return solver_submit(handle->stream, typed.name, 1e3 * nnz * batchSize, &ranges, run_batch,
                         &job, sizeof(job));
}
