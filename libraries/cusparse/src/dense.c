/* SPDX-License-Identifier: MIT */
/* SparseToDense and DenseToSparse. The analysis of the latter counts, tells the host the number of
 * nonzeros and writes the offsets; the conversion writes everything. */
#include "isa.h"
#include "product_run.h"

#include <stdlib.h>
#include <string.h>

enum {
    BUFFER_BYTES = 8,
    TO_DENSE = 1 << CUSPARSE_FORMAT_CSR | 1 << CUSPARSE_FORMAT_CSC | 1 << CUSPARSE_FORMAT_COO,
    TO_SPARSE = TO_DENSE | 1 << CUSPARSE_FORMAT_BLOCKED_ELL
};

struct dense_work {
    struct cusparseSpMatDescr sparse;
    struct cusparseDnMatDescr dense;
    int64_t nnz;
    const struct sparse_view *view;
    int64_t parts;
};

/* Element (row, column) of the dense matrix; the lines of CSC are columns. */
static char *dense_at(const struct cusparseDnMatDescr *dense, int64_t row, int64_t column)
{
    int64_t place =
        dense->order == CUSPARSE_ORDER_ROW ? row * dense->ld + column : column * dense->ld + row;

    return sparse_at(dense->values, place, sparse_bytes(dense->type));
}

static bool is_zero_element(cudaDataType type, const void *element)
{
    return sparse_is_zero(sparse_load(type, element, 0));
}

static void fill_part(void *arguments, size_t index)
{
    const struct dense_work *work = arguments;
    const struct sparse_view *view = work->view;
    int64_t row = sparse_view_cut(view, (int64_t)index, work->parts);
    int64_t end = sparse_view_cut(view, (int64_t)index + 1, work->parts);
    size_t bytes = sparse_bytes(view->type);

    for (; row < end; row++) {
        for (int64_t k = sparse_view_offset(view, row); k < sparse_view_offset(view, row + 1);
             k++) {
            int64_t column = sparse_view_index(view, k);

            memcpy(dense_at(&work->dense, view->transposed ? column : row,
                            view->transposed ? row : column),
                   sparse_at(view->values, k, bytes), bytes);
        }
    }
}

static CUresult to_dense_run(void *arguments)
{
    struct dense_work *work = arguments;
    const struct cusparseDnMatDescr *dense = &work->dense;
    bool by_rows = dense->order == CUSPARSE_ORDER_ROW;
    int64_t lines = by_rows ? dense->rows : dense->cols;
    size_t line_bytes = (size_t)(by_rows ? dense->cols : dense->rows) * sparse_bytes(dense->type);
    struct sparse_view view;
    CUresult result = sparse_view_open(&view, &work->sparse, 0);

    if (result != CUDA_SUCCESS)
        return result;
    for (int64_t i = 0; i < lines; i++)
        memset(sparse_at(dense->values, i * dense->ld, sparse_bytes(dense->type)), 0, line_bytes);
    work->view = &view;
    work->parts = sparse_parts(view.nnz);
    lib_parallel((size_t)work->parts, fill_part, work);
    sparse_view_close(&view);
    return CUDA_SUCCESS;
}

/* `formats` are those that a function converts, as bits. */
static cusparseStatus_t check_conversion(cusparseHandle_t handle,
                                         const struct cusparseSpMatDescr *sparse,
                                         const struct cusparseDnMatDescr *dense, int algorithm,
                                         unsigned formats)
{
    if (!sparse_is_handle(handle) || !sparse_is_sp_mat(sparse) || !sparse_is_dn_mat(dense) ||
        algorithm != 0 || sparse->rows != dense->rows || sparse->cols != dense->cols)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (sparse->type != dense->type || !(formats >> sparse->format & 1) ||
        sparse->index_type == CUSPARSE_INDEX_16U || sparse->offset_type == CUSPARSE_INDEX_16U)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t conversion_buffer(cusparseStatus_t status, size_t *size)
{
    if (status == CUSPARSE_STATUS_SUCCESS && !size)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (status == CUSPARSE_STATUS_SUCCESS)
        *size = BUFFER_BYTES;
    return status;
}

cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle,
                                                  cusparseConstSpMatDescr_t matA,
                                                  cusparseDnMatDescr_t matB,
                                                  cusparseSparseToDenseAlg_t alg,
                                                  size_t *bufferSize)
{
    return conversion_buffer(check_conversion(handle, matA, matB, (int)alg, TO_DENSE), bufferSize);
}

cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t matA,
                                       cusparseDnMatDescr_t matB, cusparseSparseToDenseAlg_t alg,
                                       void *buffer)
{
    cusparseStatus_t status = check_conversion(handle, matA, matB, (int)alg, TO_DENSE);
    struct sparse_ranges ranges = {.count = 0};
    struct dense_work work;

    (void)buffer;
    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    work = (struct dense_work){.sparse = *matA, .dense = *matB};
    sparse_add_sp_mat(&ranges, matA);
    sparse_update_dn_mat(&ranges, matB, NULL, matB->type);
    return sparse_submit(handle, "cusparseSparseToDense", matB->rows * matB->cols + matA->nnz,
                         &ranges, to_dense_run, &work, sizeof(work));
}

/* Walks the lines of the dense matrix, which are rows, or columns for CSC. Counts nonzeros, and
 * writes offsets, and with `whole` also indices and values. */
static CUresult from_dense(struct dense_work *work, bool whole)
{
    struct cusparseSpMatDescr *to = &work->sparse;
    bool by_columns = to->format == CUSPARSE_FORMAT_CSC, coo = to->format == CUSPARSE_FORMAT_COO;
    int64_t lines = by_columns ? to->cols : to->rows, count = by_columns ? to->rows : to->cols;
    size_t bytes = sparse_bytes(to->type);
    int64_t nnz = 0;

    for (int64_t i = 0; i < lines; i++) {
        if (!coo)
            sparse_set_index(to->offset_type, to->offsets, i, nnz + to->index_base);
        for (int64_t j = 0; j < count; j++) {
            const char *element = dense_at(&work->dense, by_columns ? j : i, by_columns ? i : j);

            if (is_zero_element(to->type, element))
                continue;
            if (whole) {
                memcpy(sparse_at(to->values, nnz, bytes), element, bytes);
                sparse_set_index(to->index_type, to->indices, nnz, j + to->index_base);
            }
            if (whole && coo)
                sparse_set_index(to->offset_type, to->offsets, nnz, i + to->index_base);
            nnz++;
        }
    }
    if (!coo)
        sparse_set_index(to->offset_type, to->offsets, lines, nnz + to->index_base);
    work->nnz = nnz;
    return CUDA_SUCCESS;
}

/* Blocks: the program says which there are; their elements are copied. */
static CUresult from_dense_blocks(struct dense_work *work)
{
    struct cusparseSpMatDescr *to = &work->sparse;
    size_t bytes = sparse_bytes(to->type);
    int64_t *places;
    struct sparse_view view;
    CUresult result = sparse_view_open(&view, to, 0);

    if (result != CUDA_SUCCESS)
        return result;
    result = sparse_view_places(to, 0, &places);
    for (int64_t row = 0; row < view.rows && result == CUDA_SUCCESS; row++)
        for (int64_t k = sparse_view_offset(&view, row); k < sparse_view_offset(&view, row + 1);
             k++)
            memcpy(sparse_at(to->values, places ? places[k] : k, bytes),
                   dense_at(&work->dense, row, sparse_view_index(&view, k)), bytes);
    free(places);
    sparse_view_close(&view);
    return result;
}

static bool has_blocks(const struct cusparseSpMatDescr *matrix)
{
    return matrix->format == CUSPARSE_FORMAT_BLOCKED_ELL;
}

static CUresult analysis_run(void *arguments)
{
    return from_dense(arguments, false);
}

static CUresult convert_run(void *arguments)
{
    struct dense_work *work = arguments;

    return has_blocks(&work->sparse) ? from_dense_blocks(work) : from_dense(work, true);
}

cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle,
                                                  cusparseConstDnMatDescr_t matA,
                                                  cusparseSpMatDescr_t matB,
                                                  cusparseDenseToSparseAlg_t alg,
                                                  size_t *bufferSize)
{
    return conversion_buffer(check_conversion(handle, matB, matA, (int)alg, TO_SPARSE), bufferSize);
}

cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle,
                                                cusparseConstDnMatDescr_t matA,
                                                cusparseSpMatDescr_t matB,
                                                cusparseDenseToSparseAlg_t alg, void *buffer)
{
    cusparseStatus_t status = check_conversion(handle, matB, matA, (int)alg, TO_SPARSE);
    struct sparse_ranges ranges = {.count = 0};
    struct dense_work work;

    (void)buffer;
    if (status != CUSPARSE_STATUS_SUCCESS || has_blocks(matB))
        return status;
    work = (struct dense_work){.sparse = *matB, .dense = *matA};
    sparse_add_dn_mat(&ranges, matA);
    if (matB->format != CUSPARSE_FORMAT_COO)
        sparse_writes(&ranges, matB->offsets,
                      (matB->format == CUSPARSE_FORMAT_CSC ? matB->cols : matB->rows) + 1,
                      sparse_index_bytes(matB->offset_type));
    status = sparse_submit_wait(handle, "cusparseDenseToSparse_analysis",
                                matA->rows * matA->cols * 8, &ranges, analysis_run, &work);
    if (status == CUSPARSE_STATUS_SUCCESS)
        matB->nnz = work.nnz;
    return status;
}

cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle,
                                               cusparseConstDnMatDescr_t matA,
                                               cusparseSpMatDescr_t matB,
                                               cusparseDenseToSparseAlg_t alg, void *buffer)
{
    cusparseStatus_t status = check_conversion(handle, matB, matA, (int)alg, TO_SPARSE);
    struct sparse_ranges ranges = {.count = 0};
    struct dense_work work;

    (void)buffer;
    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    work = (struct dense_work){.sparse = *matB, .dense = *matA};
    sparse_add_dn_mat(&ranges, matA);
    if (has_blocks(matB)) {
        sparse_add_sp_mat(&ranges, matB);
        ranges.count--; /* the values are written, not read */
    } else {
        sparse_writes_some(&ranges, matB->indices, matB->nnz, sparse_index_bytes(matB->index_type));
    }
    sparse_writes_some(&ranges, matB->values, matB->nnz, sparse_bytes(matB->type));
    return sparse_submit(handle, "cusparseDenseToSparse_convert", matA->rows * matA->cols * 8,
                         &ranges, convert_run, &work, sizeof(work));
}
