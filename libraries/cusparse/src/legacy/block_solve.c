/* SPDX-License-Identifier: MIT */
/* Triangular systems of BSR: bsrsv2 for one right-hand side, bsrsm2 for several. */
#include "legacy/infos.h"
#include "solve.h"

#include <stdlib.h>

/* A system as the functions describe it. */
struct system {
    const char *name;
    cudaDataType type;
    cusparseDirection_t direction;
    cusparseOperation_t op_a, op_x;
    int blocks, columns, nnzb, block_dim;
    const struct cusparseMatDescr *descr;
    const void *values;
    const int *offsets, *indices;
    struct sparse_info *info;
};

static cusparseStatus_t check_system(cusparseHandle_t handle, const struct system *system)
{
    if (!sparse_is_handle(handle))
        return SPARSE_BAD_HANDLE;
    if (system->blocks < 0 || system->columns < 0 || system->nnzb < 0 || system->block_dim <= 0 ||
        !sparse_is_operation(system->op_a) || !sparse_is_operation(system->op_x) ||
        (unsigned)system->direction > CUSPARSE_DIRECTION_COLUMN ||
        !sparse_is_descr(system->descr) || !system->info)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (system->descr->type != CUSPARSE_MATRIX_TYPE_GENERAL)
        return CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
    return CUSPARSE_STATUS_SUCCESS;
}

static struct cusparseSpMatDescr matrix_of(const struct system *system)
{
    return sparse_bsr(system->descr, system->type, system->direction, system->block_dim,
                      system->block_dim, system->blocks, system->blocks, system->nnzb,
                      system->values, system->offsets, system->indices);
}

struct pivot_work {
    struct cusparseSpMatDescr matrix;
    struct sparse_pivot *pivot;
};

/* The first block row with a zero on its diagonal, unless the diagonal is not used. */
static CUresult pivot_run(void *arguments)
{
    struct pivot_work *work = arguments;
    const struct sparse_typed *typed = sparse_typed(work->matrix.type);
    struct sparse_view view;
    CUresult result = sparse_view_open(&view, &work->matrix, 0);
    int position = -1;

    if (result != CUDA_SUCCESS)
        return result;
    for (int64_t row = 0; row < view.rows && position < 0; row++) {
        bool found = work->matrix.diagonal == CUSPARSE_DIAG_TYPE_UNIT;

        for (int64_t k = sparse_view_offset(&view, row);
             !found && k < sparse_view_offset(&view, row + 1); k++)
            found =
                sparse_view_index(&view, k) == row &&
                typed->magnitude(sparse_at(view.values, k, sparse_bytes(work->matrix.type))) != 0;
        if (!found)
            position = (int)(row / work->matrix.block_rows + work->matrix.index_base);
    }
    atomic_store(&work->pivot->position, position);
    sparse_view_close(&view);
    return CUDA_SUCCESS;
}

static void pivot_release(void *arguments)
{
    sparse_pivot_release(((struct pivot_work *)arguments)->pivot);
    free(arguments);
}

static cusparseStatus_t analyse(cusparseHandle_t handle, const struct system *system)
{
    cusparseStatus_t status = check_system(handle, system);
    struct sparse_ranges ranges = {.count = 0};
    struct pivot_work *work;

    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    work = malloc(sizeof(*work));
    if (!work)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    work->matrix = matrix_of(system);
    work->pivot = sparse_pivot_reference(system->info->pivot);
    sparse_add_sp_mat(&ranges, &work->matrix);
    return sparse_submit_owned(handle, system->name, work->matrix.nnz * 4, &ranges, pivot_run,
                               pivot_release, work);
}

static struct cusparseDnMatDescr dense_of(const struct system *system, const void *values, int ld)
{
    int64_t rows = (int64_t)system->blocks * system->block_dim, columns = system->columns;

    return (struct cusparseDnMatDescr){.rows = system->op_x ? columns : rows,
                                       .cols = system->op_x ? rows : columns,
                                       .ld = ld,
                                       .values = (void *)values,
                                       .type = system->type,
                                       .order = CUSPARSE_ORDER_COL,
                                       .batch_count = 1};
}

static cusparseStatus_t solve(cusparseHandle_t handle, const struct system *system,
                              const void *alpha, const void *b, int ldb, void *x, int ldx)
{
    cusparseStatus_t status = check_system(handle, system);
    struct sparse_ranges ranges = {.count = 0};
    struct sparse_solve work;

    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    work = (struct sparse_solve){.a = matrix_of(system),
                                 .x = dense_of(system, b, ldb),
                                 .y = dense_of(system, x, ldx),
                                 .op_a = system->op_a,
                                 .op_x = system->op_x,
                                 .writes_transposed = system->op_x != 0,
                                 .computed = system->type};
    if (!alpha || ldb < work.x.rows || ldx < work.y.rows)
        return CUSPARSE_STATUS_INVALID_VALUE;
    work.alpha = sparse_scalar(handle, alpha, system->type);
    sparse_add_scalar(&ranges, &work.alpha, system->type);
    sparse_add_sp_mat(&ranges, &work.a);
    sparse_add_dn_mat(&ranges, &work.x);
    sparse_update_dn_mat(&ranges, &work.y, NULL, system->type);
    return sparse_submit(handle, system->name, work.a.nnz * system->columns * 8, &ranges,
                         sparse_solve_run, &work, sizeof(work));
}

#define SV_SYSTEM(letter, type_, suffix)                                                           \
    (struct system)                                                                                \
    {                                                                                              \
        .name = "cusparse" #letter "bsrsv2" suffix, .type = type_, .direction = dirA,              \
        .op_a = transA, .blocks = mb, .columns = 1, .nnzb = nnzb, .block_dim = blockDim,           \
        .descr = descrA, .values = bsrValA, .offsets = bsrRowPtrA, .indices = bsrColIndA,          \
        .info = sparse_info(info, &sparse_bsrsv2Info_type)                                         \
    }

#define SM_SYSTEM(letter, type_, suffix)                                                           \
    (struct system)                                                                                \
    {                                                                                              \
        .name = "cusparse" #letter "bsrsm2" suffix, .type = type_, .direction = dirA,              \
        .op_a = transA, .op_x = transXY, .blocks = mb, .columns = n, .nnzb = nnzb,                 \
        .block_dim = blockDim, .descr = descrA, .values = bsrVal, .offsets = bsrRowPtr,            \
        .indices = bsrColInd, .info = sparse_info(info, &sparse_bsrsm2Info_type)                   \
    }

#define BLOCK_SYSTEMS(letter, ctype, type)                                                         \
    cusparseStatus_t cusparse##letter##bsrsv2_bufferSize(                                          \
        cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA, int mb,     \
        int nnzb, const cusparseMatDescr_t descrA, ctype *bsrValA, const int *bsrRowPtrA,          \
        const int *bsrColIndA, int blockDim, bsrsv2Info_t info, int *bufferSize)                   \
    {                                                                                              \
        const struct system system = SV_SYSTEM(letter, type, "_bufferSize");                       \
                                                                                                   \
        return sparse_answer_int(check_system(handle, &system), bufferSize, SPARSE_BUFFER_BYTES);  \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##bsrsv2_analysis(                                            \
        cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA, int mb,     \
        int nnzb, const cusparseMatDescr_t descrA, const ctype *bsrValA, const int *bsrRowPtrA,    \
        const int *bsrColIndA, int blockDim, bsrsv2Info_t info, cusparseSolvePolicy_t policy,      \
        void *buffer)                                                                              \
    {                                                                                              \
        const struct system system = SV_SYSTEM(letter, type, "_analysis");                         \
                                                                                                   \
        (void)policy, (void)buffer;                                                                \
        return analyse(handle, &system);                                                           \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##bsrsv2_solve(                                               \
        cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA, int mb,     \
        int nnzb, const ctype *alpha, const cusparseMatDescr_t descrA, const ctype *bsrValA,       \
        const int *bsrRowPtrA, const int *bsrColIndA, int blockDim, bsrsv2Info_t info,             \
        const ctype *f, ctype *x, cusparseSolvePolicy_t policy, void *buffer)                      \
    {                                                                                              \
        const struct system system = SV_SYSTEM(letter, type, "_solve");                            \
                                                                                                   \
        (void)policy, (void)buffer;                                                                \
        return solve(handle, &system, alpha, f, mb * blockDim, x, mb * blockDim);                  \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##bsrsm2_bufferSize(                                          \
        cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA,             \
        cusparseOperation_t transXY, int mb, int n, int nnzb, const cusparseMatDescr_t descrA,     \
        ctype *bsrVal, const int *bsrRowPtr, const int *bsrColInd, int blockDim,                   \
        bsrsm2Info_t info, int *bufferSize)                                                        \
    {                                                                                              \
        const struct system system = SM_SYSTEM(letter, type, "_bufferSize");                       \
                                                                                                   \
        return sparse_answer_int(check_system(handle, &system), bufferSize, SPARSE_BUFFER_BYTES);  \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##bsrsm2_analysis(                                            \
        cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA,             \
        cusparseOperation_t transXY, int mb, int n, int nnzb, const cusparseMatDescr_t descrA,     \
        const ctype *bsrVal, const int *bsrRowPtr, const int *bsrColInd, int blockDim,             \
        bsrsm2Info_t info, cusparseSolvePolicy_t policy, void *buffer)                             \
    {                                                                                              \
        const struct system system = SM_SYSTEM(letter, type, "_analysis");                         \
                                                                                                   \
        (void)policy, (void)buffer;                                                                \
        return analyse(handle, &system);                                                           \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##bsrsm2_solve(                                               \
        cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA,             \
        cusparseOperation_t transXY, int mb, int n, int nnzb, const ctype *alpha,                  \
        const cusparseMatDescr_t descrA, const ctype *bsrVal, const int *bsrRowPtr,                \
        const int *bsrColInd, int blockDim, bsrsm2Info_t info, const ctype *B, int ldb, ctype *X,  \
        int ldx, cusparseSolvePolicy_t policy, void *buffer)                                       \
    {                                                                                              \
        const struct system system = SM_SYSTEM(letter, type, "_solve");                            \
                                                                                                   \
        (void)policy, (void)buffer;                                                                \
        return solve(handle, &system, alpha, B, ldb, X, ldx);                                      \
    }

SPARSE_FOUR_TYPES(BLOCK_SYSTEMS)
