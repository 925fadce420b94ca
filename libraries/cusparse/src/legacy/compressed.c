/* SPDX-License-Identifier: MIT */
/* Conversions between CSR, CSC and COO of 32-bit indices. */
#include "legacy/legacy.h"

#include <stdlib.h>
#include <string.h>

struct lines_work {
    const int *from;
    int *to;
    int lines, nnz, index_base;
};

static CUresult csr2coo_run(void *arguments)
{
    const struct lines_work *work = arguments;

    for (int line = 0; line < work->lines; line++)
        for (int k = work->from[line] - work->index_base;
             k < work->from[line + 1] - work->index_base; k++)
            work->to[k] = line + work->index_base;
    return CUDA_SUCCESS;
}

static CUresult coo2csr_run(void *arguments)
{
    const struct lines_work *work = arguments;
    int k = 0;

    for (int line = 0; line <= work->lines; line++) {
        while (k < work->nnz && work->from[k] - work->index_base < line)
            k++;
        work->to[line] = k + work->index_base;
    }
    return CUDA_SUCCESS;
}

static cusparseStatus_t submit_lines(cusparseHandle_t handle, const char *name,
                                     const struct lines_work *work, bool to_csr)
{
    struct sparse_ranges ranges = {.count = 0};
    cusparseStatus_t status = sparse_check_handle(handle, work->lines, 0, work->nnz);

    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    if ((unsigned)work->index_base > CUSPARSE_INDEX_BASE_ONE)
        return CUSPARSE_STATUS_INVALID_VALUE;
    sparse_reads(&ranges, work->from, to_csr ? work->nnz : work->lines + 1, sizeof(int));
    sparse_writes(&ranges, work->to, to_csr ? work->lines + 1 : work->nnz, sizeof(int));
    return sparse_submit(handle, name, (int64_t)work->nnz + work->lines, &ranges,
                         to_csr ? coo2csr_run : csr2coo_run, work, sizeof(*work));
}

cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int *csrRowPtr, int nnz, int m,
                                  int *cooRowInd, cusparseIndexBase_t idxBase)
{
    struct lines_work work = {csrRowPtr, cooRowInd, m, nnz, (int)idxBase};

    return submit_lines(handle, "cusparseXcsr2coo", &work, false);
}

cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int *cooRowInd, int nnz, int m,
                                  int *csrRowPtr, cusparseIndexBase_t idxBase)
{
    struct lines_work work = {cooRowInd, csrRowPtr, m, nnz, (int)idxBase};

    return submit_lines(handle, "cusparseXcoo2csr", &work, true);
}

struct transpose_work {
    int rows, cols, nnz, index_base;
    const int *offsets, *indices;
    int *to_offsets, *to_indices;
    const void *values;
    void *to_values; /* NULL: only the structure */
    size_t bytes;
};

static CUresult transpose_run(void *arguments)
{
    const struct transpose_work *work = arguments;
    int base = work->index_base;
    int *next = calloc((size_t)work->cols + 1, sizeof(*next));

    if (!next)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (int k = 0; k < work->nnz; k++)
        next[work->indices[k] - base + 1]++;
    for (int i = 0; i < work->cols; i++)
        next[i + 1] += next[i];
    for (int i = 0; i <= work->cols; i++)
        work->to_offsets[i] = next[i] + base;
    for (int row = 0; row < work->rows; row++) {
        for (int k = work->offsets[row] - base; k < work->offsets[row + 1] - base; k++) {
            int place = next[work->indices[k] - base]++;

            work->to_indices[place] = row + base;
            if (work->to_values)
                memcpy(sparse_at(work->to_values, place, work->bytes),
                       sparse_at(work->values, k, work->bytes), work->bytes);
        }
    }
    free(next);
    return CUDA_SUCCESS;
}

static cusparseStatus_t check_csr2csc(cusparseHandle_t handle, int m, int n, int nnz,
                                      cudaDataType valType, cusparseAction_t copyValues,
                                      cusparseIndexBase_t idxBase, cusparseCsr2CscAlg_t alg)
{
    if (!sparse_is_handle(handle) || m < 0 || n < 0 || nnz < 0 ||
        (unsigned)copyValues > CUSPARSE_ACTION_NUMERIC ||
        (unsigned)idxBase > CUSPARSE_INDEX_BASE_ONE || alg != CUSPARSE_CSR2CSC_ALG_DEFAULT)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return sparse_bytes(valType) ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
}

cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int m, int n, int nnz,
                                               const void *csrVal, const int *csrRowPtr,
                                               const int *csrColInd, void *cscVal, int *cscColPtr,
                                               int *cscRowInd, cudaDataType valType,
                                               cusparseAction_t copyValues,
                                               cusparseIndexBase_t idxBase,
                                               cusparseCsr2CscAlg_t alg, size_t *bufferSize)
{
    (void)csrVal;
    (void)csrRowPtr;
    (void)csrColInd;
    (void)cscVal;
    (void)cscColPtr;
    (void)cscRowInd;
    return sparse_answer_size(check_csr2csc(handle, m, n, nnz, valType, copyValues, idxBase, alg),
                              bufferSize, SPARSE_BUFFER_BYTES);
}

cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int nnz,
                                    const void *csrVal, const int *csrRowPtr, const int *csrColInd,
                                    void *cscVal, int *cscColPtr, int *cscRowInd,
                                    cudaDataType valType, cusparseAction_t copyValues,
                                    cusparseIndexBase_t idxBase, cusparseCsr2CscAlg_t alg,
                                    void *buffer)
{
    bool numeric = copyValues == CUSPARSE_ACTION_NUMERIC;
    struct transpose_work work = {m,
                                  n,
                                  nnz,
                                  (int)idxBase,
                                  csrRowPtr,
                                  csrColInd,
                                  cscColPtr,
                                  cscRowInd,
                                  csrVal,
                                  numeric ? cscVal : NULL,
                                  sparse_bytes(valType)};
    struct sparse_ranges ranges = {.count = 0};
    cusparseStatus_t status = check_csr2csc(handle, m, n, nnz, valType, copyValues, idxBase, alg);

    (void)buffer;
    if (status != CUSPARSE_STATUS_SUCCESS)
        return status;
    sparse_reads(&ranges, csrRowPtr, m + 1, sizeof(int));
    sparse_reads(&ranges, csrColInd, nnz, sizeof(int));
    sparse_reads(&ranges, csrVal, numeric ? nnz : 0, work.bytes);
    sparse_writes(&ranges, cscColPtr, n + 1, sizeof(int));
    sparse_writes(&ranges, cscRowInd, nnz, sizeof(int));
    sparse_writes(&ranges, cscVal, numeric ? nnz : 0, work.bytes);
    return sparse_submit(handle, "cusparseCsr2cscEx2", (int64_t)nnz * 8 + n, &ranges, transpose_run,
                         &work, sizeof(work));
}
