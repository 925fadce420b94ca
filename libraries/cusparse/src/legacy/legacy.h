/* SPDX-License-Identifier: MIT */
/* What the functions with a letter for the type share: the list of types, CSR and BSR matrices as
 * they are given, and the objects in which an analysis leaves its result. */
#ifndef CUSPARSE_LEGACY_H
#define CUSPARSE_LEGACY_H

#include "sparse.h"
#include "view.h"

#include <stdatomic.h>

/* X(letter, C type, type) for each of the four. */
#define SPARSE_FOUR_TYPES(X)                                                                       \
    X(S, float, CUDA_R_32F)                                                                        \
    X(D, double, CUDA_R_64F)                                                                       \
    X(C, cuComplex, CUDA_C_32F)                                                                    \
    X(Z, cuDoubleComplex, CUDA_C_64F)

/* What these functions answer about a handle that is none. */
#define SPARSE_BAD_HANDLE CUSPARSE_STATUS_NOT_INITIALIZED

enum { SPARSE_BUFFER_BYTES = 128 };

/* Handle, descriptor and sizes. Sizes that do not matter are 0. */
static inline cusparseStatus_t sparse_check(cusparseHandle_t handle,
                                            const struct cusparseMatDescr *descr, int64_t rows,
                                            int64_t cols, int64_t nnz)
{
    if (!sparse_is_handle(handle))
        return SPARSE_BAD_HANDLE;
    if (rows < 0 || cols < 0 || nnz < 0 || !sparse_is_descr(descr))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (descr->type != CUSPARSE_MATRIX_TYPE_GENERAL)
        return CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
    return CUSPARSE_STATUS_SUCCESS;
}

static inline cusparseStatus_t sparse_check_handle(cusparseHandle_t handle, int64_t rows,
                                                   int64_t cols, int64_t nnz)
{
    if (!sparse_is_handle(handle))
        return SPARSE_BAD_HANDLE;
    return rows < 0 || cols < 0 || nnz < 0 ? CUSPARSE_STATUS_INVALID_VALUE
                                           : CUSPARSE_STATUS_SUCCESS;
}

/* Answers the size of a buffer, unless there was an error. */
static inline cusparseStatus_t sparse_answer_int(cusparseStatus_t status, int *size, int64_t bytes)
{
    if (status == CUSPARSE_STATUS_SUCCESS && !size)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (status == CUSPARSE_STATUS_SUCCESS)
        *size = (int)bytes;
    return status;
}

static inline cusparseStatus_t sparse_answer_size(cusparseStatus_t status, size_t *size,
                                                  int64_t bytes)
{
    if (status == CUSPARSE_STATUS_SUCCESS && !size)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (status == CUSPARSE_STATUS_SUCCESS)
        *size = (size_t)bytes;
    return status;
}

/* A matrix of 32-bit indices as descriptor of the generic functions. */
static inline struct cusparseSpMatDescr sparse_csr(const struct cusparseMatDescr *descr,
                                                   cudaDataType type, int rows, int cols, int nnz,
                                                   const void *values, const int *offsets,
                                                   const int *indices)
{
    return (struct cusparseSpMatDescr){.format = CUSPARSE_FORMAT_CSR,
                                       .rows = rows,
                                       .cols = cols,
                                       .nnz = nnz,
                                       .offsets = (void *)offsets,
                                       .indices = (void *)indices,
                                       .values = (void *)values,
                                       .offset_type = CUSPARSE_INDEX_32I,
                                       .index_type = CUSPARSE_INDEX_32I,
                                       .index_base = descr->index_base,
                                       .type = type,
                                       .batch_count = 1,
                                       .fill = descr->fill,
                                       .diagonal = descr->diagonal};
}

/* The same in blocks; sizes are numbers of blocks. */
static inline struct cusparseSpMatDescr sparse_bsr(const struct cusparseMatDescr *descr,
                                                   cudaDataType type, cusparseDirection_t direction,
                                                   int block_rows, int block_cols, int rows,
                                                   int cols, int nnz, const void *values,
                                                   const int *offsets, const int *indices)
{
    struct cusparseSpMatDescr matrix =
        sparse_csr(descr, type, rows, cols, nnz, values, offsets, indices);

    matrix.format = CUSPARSE_FORMAT_BSR;
    matrix.rows *= block_rows;
    matrix.cols *= block_cols;
    matrix.nnz *= (int64_t)block_rows * block_cols;
    matrix.block_rows = block_rows;
    matrix.block_cols = block_cols;
    matrix.block_order =
        direction == CUSPARSE_DIRECTION_ROW ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
    return matrix;
}

/* Where work leaves the first zero pivot, for an object that may be destroyed before it runs. */
struct sparse_pivot {
    atomic_int references;
    atomic_int position; /* -1: none */
};

struct sparse_pivot *sparse_pivot_create(void);
struct sparse_pivot *sparse_pivot_reference(struct sparse_pivot *pivot);
void sparse_pivot_release(struct sparse_pivot *pivot);

/* Waits for the stream and answers the position; ZERO_PIVOT if there is one. */
cusparseStatus_t sparse_pivot_answer(cusparseHandle_t handle, const char *name,
                                     struct sparse_pivot *pivot, int *position);

#endif
