/* SPDX-License-Identifier: MIT */
/* SDDMM: the elements of a dense product at the places of a sparse matrix. Both factors are packed
 * so that an element is a dot product of two lines. */
#include "isa.h"
#include "product_run.h"

#include <stdlib.h>

enum { BUFFER_BYTES = 8 };

struct sddmm_work {
    struct cusparseDnMatDescr a, b;
    struct cusparseSpMatDescr c;
    cusparseOperation_t op_a, op_b;
    struct sparse_scalar alpha, beta;
    cudaDataType computed;
};

struct sddmm_run {
    const struct sddmm_work *work;
    const struct sparse_view *view;
    const struct sparse_pair *pair;
    struct sparse_packed a, b;
    const int64_t *places;
    char *values;
    int64_t inner, parts;
};

static void dots_part(void *arguments, size_t index)
{
    const struct sddmm_run *run = arguments;
    const struct sparse_view *view = run->view;
    int64_t row = sparse_view_cut(view, (int64_t)index, run->parts);
    int64_t end = sparse_view_cut(view, (int64_t)index + 1, run->parts);
    size_t bytes = sparse_bytes(run->work->computed);

    for (; row < end; row++) {
        for (int64_t k = sparse_view_offset(view, row); k < sparse_view_offset(view, row + 1);
             k++) {
            int64_t column = sparse_view_index(view, k), place = run->places ? run->places[k] : k;
            int64_t left = view->transposed ? column : row, right = view->transposed ? row : column;
            double sum[2];

            run->pair->dot(sparse_at(run->a.values, left * run->a.ld, bytes),
                           sparse_at(run->b.values, right * run->b.ld, bytes), run->inner, sum);
            run->pair->finish(sparse_at(run->values, place, sparse_bytes(run->work->c.type)), 1,
                              sum, 1, 1, sparse_scalar_address(&run->work->alpha),
                              sparse_scalar_address(&run->work->beta));
        }
    }
}

static CUresult run_batch(const struct sddmm_work *work, int batch)
{
    /* Lines of the right factor are its columns. */
    cusparseOperation_t flipped = work->op_b == CUSPARSE_OPERATION_NON_TRANSPOSE
                                      ? CUSPARSE_OPERATION_TRANSPOSE
                                      : CUSPARSE_OPERATION_NON_TRANSPOSE;
    struct sddmm_run run = {.work = work,
                            .pair = sparse_pair(work->c.type, work->computed),
                            .values = sparse_at(work->c.values, batch * work->c.values_stride,
                                                sparse_bytes(work->c.type)),
                            .inner = work->op_a ? work->a.rows : work->a.cols};
    struct sparse_view view;
    int64_t *places = NULL;
    CUresult result =
        run.pair ? sparse_view_open(&view, &work->c, batch) : CUDA_ERROR_NOT_SUPPORTED;

    if (result != CUDA_SUCCESS)
        return result;
    result = sparse_view_places(&work->c, batch, &places);
    if (result == CUDA_SUCCESS)
        result = sparse_pack(&run.a, &work->a, batch, work->op_a, work->computed);
    if (result == CUDA_SUCCESS)
        result = sparse_pack(&run.b, &work->b, batch, flipped, work->computed);
    if (result == CUDA_SUCCESS) {
        run.view = &view;
        run.places = places;
        run.parts = sparse_parts(view.nnz * (run.inner + 1));
        lib_parallel((size_t)run.parts, dots_part, &run);
    }
    free(run.a.owned);
    free(run.b.owned);
    free(places);
    sparse_view_close(&view);
    return result;
}

static CUresult sddmm_run(void *arguments)
{
    const struct sddmm_work *work = arguments;
    CUresult result = CUDA_SUCCESS;

    for (int batch = 0; batch < work->c.batch_count && result == CUDA_SUCCESS; batch++)
        result = run_batch(work, batch);
    return result;
}

static bool sizes_fit(const struct sddmm_work *work)
{
    int64_t rows = work->op_a ? work->a.cols : work->a.rows;
    int64_t inner = work->op_a ? work->a.rows : work->a.cols;

    return rows == work->c.rows && inner == (work->op_b ? work->b.cols : work->b.rows) &&
           (work->op_b ? work->b.rows : work->b.cols) == work->c.cols;
}

static bool types_fit(cusparseFormat_t format, cudaDataType a, cudaDataType b, cudaDataType c,
                      cudaDataType computed)
{
    if (a == CUDA_R_16F || (a == CUDA_R_16BF && format == CUSPARSE_FORMAT_BSR))
        return b == a && (c == a || c == CUDA_R_32F) && computed == CUDA_R_32F;
    return a == b && a == c && a == computed &&
           (a == CUDA_R_32F || a == CUDA_R_64F || a == CUDA_C_32F || a == CUDA_C_64F);
}

static cusparseStatus_t prepare(struct sddmm_work *work, cusparseHandle_t handle,
                                cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,
                                cusparseConstDnMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                                const void *beta, cusparseSpMatDescr_t matC,
                                cudaDataType computeType, cusparseSDDMMAlg_t alg)
{
    if (!sparse_is_handle(handle) || !sparse_is_operation(opA) || !sparse_is_operation(opB) ||
        !alpha || !beta || !sparse_is_dn_mat(matA) || !sparse_is_dn_mat(matB) ||
        !sparse_is_sp_mat(matC) || (unsigned)alg > 0)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *work = (struct sddmm_work){.a = *matA,
                                .b = *matB,
                                .c = *matC,
                                .op_a = opA,
                                .op_b = opB,
                                .alpha = sparse_scalar(handle, alpha, computeType),
                                .beta = sparse_scalar(handle, beta, computeType),
                                .computed = computeType};
    if (!sizes_fit(work))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if ((matC->format != CUSPARSE_FORMAT_CSR && matC->format != CUSPARSE_FORMAT_BSR) ||
        !types_fit(matC->format, matA->type, matB->type, matC->type, computeType) ||
        opA == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ||
        opB == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE || matC->index_type == CUSPARSE_INDEX_16U ||
        matC->offset_type == CUSPARSE_INDEX_16U)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA,
                                          cusparseOperation_t opB, const void *alpha,
                                          cusparseConstDnMatDescr_t matA,
                                          cusparseConstDnMatDescr_t matB, const void *beta,
                                          cusparseSpMatDescr_t matC, cudaDataType computeType,
                                          cusparseSDDMMAlg_t alg, size_t *bufferSize)
{
    struct sddmm_work work;
    cusparseStatus_t status;

    if (!bufferSize)
        return CUSPARSE_STATUS_INVALID_VALUE;
    status = prepare(&work, handle, opA, opB, alpha, matA, matB, beta, matC, computeType, alg);
    if (status == CUSPARSE_STATUS_SUCCESS)
        *bufferSize = BUFFER_BYTES;
    return status;
}

cusparseStatus_t cusparseSDDMM_preprocess(cusparseHandle_t handle, cusparseOperation_t opA,
                                          cusparseOperation_t opB, const void *alpha,
                                          cusparseConstDnMatDescr_t matA,
                                          cusparseConstDnMatDescr_t matB, const void *beta,
                                          cusparseSpMatDescr_t matC, cudaDataType computeType,
                                          cusparseSDDMMAlg_t alg, void *buffer)
{
    struct sddmm_work work;

    (void)buffer;
    return prepare(&work, handle, opA, opB, alpha, matA, matB, beta, matC, computeType, alg);
}

cusparseStatus_t cusparseSDDMM(cusparseHandle_t handle, cusparseOperation_t opA,
                               cusparseOperation_t opB, const void *alpha,
                               cusparseConstDnMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                               const void *beta, cusparseSpMatDescr_t matC,
                               cudaDataType computeType, cusparseSDDMMAlg_t alg, void *buffer)
{
    struct sparse_ranges ranges = {.count = 0};
    struct sddmm_work work;
    cusparseStatus_t status =
        prepare(&work, handle, opA, opB, alpha, matA, matB, beta, matC, computeType, alg);

    (void)buffer;
    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    sparse_add_scalar(&ranges, &work.alpha, computeType);
    sparse_add_scalar(&ranges, &work.beta, computeType);
    sparse_add_dn_mat(&ranges, matA);
    sparse_add_dn_mat(&ranges, matB);
    sparse_add_sp_mat(&ranges, matC);
    /* The values stand last: they are written, and read unless beta is 0. */
    sparse_add(&ranges, ranges.list[ranges.count - 1]);
    ranges.list[ranges.count - 1].written = 1;
    if (sparse_scalar_is_zero(&work.beta, computeType))
        ranges.list[ranges.count - 2].bytes = 0;
    return sparse_submit(handle, "cusparseSDDMM", matC->nnz * ((opA ? matA->rows : matA->cols) + 8),
                         &ranges, sddmm_run, &work, sizeof(work));
}
