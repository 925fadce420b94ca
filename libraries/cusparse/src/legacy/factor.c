/* SPDX-License-Identifier: MIT */
/* Incomplete LU and Cholesky factorisations without fill, of CSR and BSR. A block factorisation is
 * that of the elements of the blocks, whose pattern has all of them: the matrix is expanded,
 * factorised, and its values are put back. */
#include "legacy/infos.h"

#include <stdlib.h>
#include <string.h>

struct factor_work {
    struct cusparseSpMatDescr matrix;
    struct sparse_pivot *pivot;
    struct sparse_boost boost;
    const void *boost_device[2];
    bool cholesky, analyses;
};

/* The first row without an element on the diagonal. */
static int64_t missing_diagonal(const struct sparse_view *view)
{
    for (int64_t row = 0; row < view->rows; row++) {
        int64_t k = sparse_view_offset(view, row), end = sparse_view_offset(view, row + 1);

        while (k < end && sparse_view_index(view, k) != row)
            k++;
        if (k == end)
            return row;
    }
    return NO_PIVOT;
}

static void set_pivot(const struct factor_work *work, int64_t row)
{
    int64_t block = work->matrix.format == CUSPARSE_FORMAT_BSR ? work->matrix.block_rows : 1;

    atomic_store(&work->pivot->position,
                 row < 0 ? -1 : (int)(row / block + work->matrix.index_base));
}

static int64_t factorise(struct factor_work *work, const struct sparse_view *view, void *values)
{
    const struct sparse_typed *typed = sparse_typed(work->matrix.type);

    if (work->boost_device[0])
        memcpy(&work->boost.tolerance, work->boost_device[0], sizeof(double));
    if (work->boost_device[1])
        memcpy(work->boost.value, work->boost_device[1], sparse_bytes(work->matrix.type));
    return work->cholesky ? typed->ic0(view, values) : typed->ilu0(view, values, &work->boost);
}

static CUresult factor_run(void *arguments)
{
    struct factor_work *work = arguments;
    size_t bytes = sparse_bytes(work->matrix.type);
    int64_t *places = NULL;
    struct sparse_view view;
    CUresult result = sparse_view_open(&view, &work->matrix, 0);

    if (result != CUDA_SUCCESS)
        return result;
    if (work->analyses) {
        set_pivot(work, missing_diagonal(&view));
    } else {
        result = sparse_view_places(&work->matrix, 0, &places);
        if (result == CUDA_SUCCESS)
            set_pivot(work, factorise(work, &view, (void *)view.values));
        for (int64_t k = 0; places && k < view.nnz; k++)
            memcpy(sparse_at(work->matrix.values, places[k], bytes),
                   sparse_at(view.values, k, bytes), bytes);
        free(places);
    }
    sparse_view_close(&view);
    return result;
}

static void factor_release(void *arguments)
{
    sparse_pivot_release(((struct factor_work *)arguments)->pivot);
    free(arguments);
}

static cusparseStatus_t submit_factor(cusparseHandle_t handle, const char *name,
                                      const struct cusparseSpMatDescr *matrix,
                                      struct sparse_info *info, bool cholesky, bool analyses)
{
    struct sparse_ranges ranges = {.count = 0};
    struct factor_work *work = calloc(1, sizeof(*work));

    if (!work)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    *work = (struct factor_work){.matrix = *matrix,
                                 .pivot = sparse_pivot_reference(info->pivot),
                                 .boost = info->boost,
                                 .boost_device = {info->boost_device[0], info->boost_device[1]},
                                 .cholesky = cholesky,
                                 .analyses = analyses};
    sparse_add_sp_mat(&ranges, matrix);
    if (!analyses)
        sparse_writes(&ranges, matrix->values, matrix->nnz, sparse_bytes(matrix->type));
    return sparse_submit_owned(handle, name, matrix->nnz * 32, &ranges, factor_run, factor_release,
                               work);
}

static cusparseStatus_t check_csr(cusparseHandle_t handle, const struct cusparseMatDescr *descr,
                                  int m, int nnz, const void *info,
                                  const struct lib_object_type *type)
{
    cusparseStatus_t status = sparse_check(handle, descr, m, 0, nnz);

    if (status == CUSPARSE_STATUS_SUCCESS && !sparse_info(info, type))
        status = CUSPARSE_STATUS_INVALID_VALUE;
    return status;
}

static cusparseStatus_t check_bsr(cusparseHandle_t handle, cusparseDirection_t direction,
                                  const struct cusparseMatDescr *descr, int mb, int nnzb,
                                  int block_dim, const void *info,
                                  const struct lib_object_type *type)
{
    cusparseStatus_t status = check_csr(handle, descr, mb, nnzb, info, type);

    if (status == CUSPARSE_STATUS_SUCCESS &&
        (block_dim <= 0 || (unsigned)direction > CUSPARSE_DIRECTION_COLUMN))
        status = CUSPARSE_STATUS_INVALID_VALUE;
    return status;
}

static cusparseStatus_t csr_factor(cusparseHandle_t handle, const char *name, cudaDataType type,
                                   int m, int nnz, const struct cusparseMatDescr *descr,
                                   const void *values, const int *offsets, const int *indices,
                                   const void *info, bool cholesky, bool analyses)
{
    const struct lib_object_type *info_type =
        cholesky ? &sparse_csric02Info_type : &sparse_csrilu02Info_type;
    cusparseStatus_t status = check_csr(handle, descr, m, nnz, info, info_type);
    struct cusparseSpMatDescr matrix;

    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    matrix = sparse_csr(descr, type, m, m, nnz, values, offsets, indices);
    return submit_factor(handle, name, &matrix, sparse_info(info, info_type), cholesky, analyses);
}

static cusparseStatus_t bsr_factor(cusparseHandle_t handle, const char *name, cudaDataType type,
                                   cusparseDirection_t direction, int mb, int nnzb,
                                   const struct cusparseMatDescr *descr, const void *values,
                                   const int *offsets, const int *indices, int block_dim,
                                   const void *info, bool cholesky, bool analyses)
{
    const struct lib_object_type *info_type =
        cholesky ? &sparse_bsric02Info_type : &sparse_bsrilu02Info_type;
    cusparseStatus_t status =
        check_bsr(handle, direction, descr, mb, nnzb, block_dim, info, info_type);
    struct cusparseSpMatDescr matrix;

    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    matrix = sparse_bsr(descr, type, direction, block_dim, block_dim, mb, mb, nnzb, values, offsets,
                        indices);
    return submit_factor(handle, name, &matrix, sparse_info(info, info_type), cholesky, analyses);
}

static cusparseStatus_t set_boost(cusparseHandle_t handle, struct sparse_info *info, int enable,
                                  const double *tolerance, const void *value, cudaDataType type)
{
    if (!sparse_is_handle(handle))
        return SPARSE_BAD_HANDLE;
    if (!info || (enable && (!tolerance || !value)))
        return CUSPARSE_STATUS_INVALID_VALUE;
    info->boost = (struct sparse_boost){.enabled = enable != 0};
    info->boost_device[0] = info->boost_device[1] = NULL;
    if (enable && handle->pointer_mode == CUSPARSE_POINTER_MODE_DEVICE) {
        info->boost_device[0] = tolerance;
        info->boost_device[1] = value;
    } else if (enable) {
        info->boost.tolerance = *tolerance;
        memcpy(info->boost.value, value, sparse_bytes(type));
    }
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t answer_pivot(cusparseHandle_t handle, const char *name,
                                     const struct sparse_info *info, int *position)
{
    if (!sparse_is_handle(handle))
        return SPARSE_BAD_HANDLE;
    if (!info || !position)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return sparse_pivot_answer(handle, name, info->pivot, position);
}

#define ZERO_PIVOT(name)                                                                           \
    cusparseStatus_t cusparseX##name##_zeroPivot(cusparseHandle_t handle, name##Info_t info,       \
                                                 int *position)                                    \
    {                                                                                              \
        return answer_pivot(handle, "cusparseX" #name "_zeroPivot",                                \
                            sparse_info(info, &sparse_##name##Info_type), position);               \
    }

ZERO_PIVOT(csric02)
ZERO_PIVOT(bsric02)
ZERO_PIVOT(csrilu02)
ZERO_PIVOT(bsrilu02)
ZERO_PIVOT(bsrsv2)
ZERO_PIVOT(bsrsm2)

/* The three functions of a factorisation of CSR: `is_cholesky` says which. */
#define CSR_FACTOR(letter, ctype, type, name, is_cholesky)                                         \
    cusparseStatus_t cusparse##letter##name##_bufferSize(                                          \
        cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, ctype *csrValA,  \
        const int *csrRowPtrA, const int *csrColIndA, name##Info_t info, int *bufferSize)          \
    {                                                                                              \
        (void)csrValA, (void)csrRowPtrA, (void)csrColIndA;                                         \
        return sparse_answer_int(                                                                  \
            check_csr(handle, descrA, m, nnz, info, &sparse_##name##Info_type), bufferSize,        \
            SPARSE_BUFFER_BYTES);                                                                  \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##name##_analysis(                                            \
        cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,                  \
        const ctype *csrValA, const int *csrRowPtrA, const int *csrColIndA, name##Info_t info,     \
        cusparseSolvePolicy_t policy, void *buffer)                                                \
    {                                                                                              \
        (void)policy, (void)buffer;                                                                \
        return csr_factor(handle, "cusparse" #letter #name "_analysis", type, m, nnz, descrA,      \
                          csrValA, csrRowPtrA, csrColIndA, info, is_cholesky, true);               \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##name(                                                       \
        cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,                  \
        ctype *csrValA_valM, const int *csrRowPtrA, const int *csrColIndA, name##Info_t info,      \
        cusparseSolvePolicy_t policy, void *buffer)                                                \
    {                                                                                              \
        (void)policy, (void)buffer;                                                                \
        return csr_factor(handle, "cusparse" #letter #name, type, m, nnz, descrA, csrValA_valM,    \
                          csrRowPtrA, csrColIndA, info, is_cholesky, false);                       \
    }

#define BSR_FACTOR(letter, ctype, type, name, is_cholesky, analysed)                               \
    cusparseStatus_t cusparse##letter##name##_bufferSize(                                          \
        cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nnzb,                       \
        const cusparseMatDescr_t descrA, ctype *bsrVal, const int *bsrRowPtr,                      \
        const int *bsrColInd, int blockDim, name##Info_t info, int *bufferSize)                    \
    {                                                                                              \
        (void)bsrVal, (void)bsrRowPtr, (void)bsrColInd;                                            \
        return sparse_answer_int(                                                                  \
            check_bsr(handle, dirA, descrA, mb, nnzb, blockDim, info, &sparse_##name##Info_type),  \
            bufferSize, SPARSE_BUFFER_BYTES);                                                      \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##name##_analysis(                                            \
        cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nnzb,                       \
        const cusparseMatDescr_t descrA, analysed *bsrVal, const int *bsrRowPtr,                   \
        const int *bsrColInd, int blockDim, name##Info_t info, cusparseSolvePolicy_t policy,       \
        void *buffer)                                                                              \
    {                                                                                              \
        (void)policy, (void)buffer;                                                                \
        return bsr_factor(handle, "cusparse" #letter #name "_analysis", type, dirA, mb, nnzb,      \
                          descrA, bsrVal, bsrRowPtr, bsrColInd, blockDim, info, is_cholesky,       \
                          true);                                                                   \
    }                                                                                              \
    cusparseStatus_t cusparse##letter##name(cusparseHandle_t handle, cusparseDirection_t dirA,     \
                                            int mb, int nnzb, const cusparseMatDescr_t descrA,     \
                                            ctype *bsrVal, const int *bsrRowPtr,                   \
                                            const int *bsrColInd, int blockDim, name##Info_t info, \
                                            cusparseSolvePolicy_t policy, void *buffer)            \
    {                                                                                              \
        (void)policy, (void)buffer;                                                                \
        return bsr_factor(handle, "cusparse" #letter #name, type, dirA, mb, nnzb, descrA, bsrVal,  \
                          bsrRowPtr, bsrColInd, blockDim, info, is_cholesky, false);               \
    }

#define BOOST(letter, ctype, type, name)                                                           \
    cusparseStatus_t cusparse##letter##name##_numericBoost(cusparseHandle_t handle,                \
                                                           name##Info_t info, int enable_boost,    \
                                                           double *tol, ctype *boost_val)          \
    {                                                                                              \
        return set_boost(handle, sparse_info(info, &sparse_##name##Info_type), enable_boost, tol,  \
                         boost_val, type);                                                         \
    }

#define FACTORS(letter, ctype, type)                                                               \
    CSR_FACTOR(letter, ctype, type, csrilu02, false)                                               \
    CSR_FACTOR(letter, ctype, type, csric02, true)                                                 \
    BSR_FACTOR(letter, ctype, type, bsrilu02, false, ctype)                                        \
    BSR_FACTOR(letter, ctype, type, bsric02, true, const ctype)                                    \
    BOOST(letter, ctype, type, csrilu02)                                                           \
    BOOST(letter, ctype, type, bsrilu02)

SPARSE_FOUR_TYPES(FACTORS)
