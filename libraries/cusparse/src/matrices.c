/* SPDX-License-Identifier: MIT */
/* Descriptors of sparse matrices in all formats. */
#include "sparse.h"

#include <string.h>

const struct lib_object_type sparse_sp_mat_type = {.bytes = sizeof(struct cusparseSpMatDescr)};

/* Checks what all formats have and makes a descriptor with a copy of `matrix`. */
static cusparseStatus_t create(cusparseConstSpMatDescr_t *out, struct cusparseSpMatDescr matrix)
{
    struct cusparseSpMatDescr *created;

    if (!out || matrix.rows < 0 || matrix.cols < 0 || matrix.nnz < 0 ||
        !sparse_is_index_type(matrix.offset_type) || !sparse_is_index_type(matrix.index_type) ||
        (unsigned)matrix.index_base > CUSPARSE_INDEX_BASE_ONE || !sparse_bytes(matrix.type))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if ((double)matrix.nnz > (double)matrix.rows * (double)matrix.cols)
        return CUSPARSE_STATUS_INVALID_VALUE;
    created = lib_object_create(&sparse_sp_mat_type);
    if (!created)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    matrix.base = created->base;
    matrix.batch_count = 1;
    *created = matrix;
    *out = created;
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t create_compressed(cusparseConstSpMatDescr_t *matrix,
                                          cusparseFormat_t format, int64_t rows, int64_t cols,
                                          int64_t nnz, const void *offsets, const void *indices,
                                          const void *values, cusparseIndexType_t offset_type,
                                          cusparseIndexType_t index_type,
                                          cusparseIndexBase_t index_base, cudaDataType type)
{
    return create(matrix, (struct cusparseSpMatDescr){.format = format,
                                                      .rows = rows,
                                                      .cols = cols,
                                                      .nnz = nnz,
                                                      .offsets = (void *)offsets,
                                                      .indices = (void *)indices,
                                                      .values = (void *)values,
                                                      .offset_type = offset_type,
                                                      .index_type = index_type,
                                                      .index_base = index_base,
                                                      .type = type});
}

cusparseStatus_t cusparseCreateConstCsr(cusparseConstSpMatDescr_t *matrix, int64_t rows,
                                        int64_t cols, int64_t nnz, const void *csrRowOffsets,
                                        const void *csrColInd, const void *csrValues,
                                        cusparseIndexType_t csrRowOffsetsType,
                                        cusparseIndexType_t csrColIndType,
                                        cusparseIndexBase_t idxBase, cudaDataType valueType)
{
    return create_compressed(matrix, CUSPARSE_FORMAT_CSR, rows, cols, nnz, csrRowOffsets, csrColInd,
                             csrValues, csrRowOffsetsType, csrColIndType, idxBase, valueType);
}

cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *matrix, int64_t rows, int64_t cols,
                                   int64_t nnz, void *csrRowOffsets, void *csrColInd,
                                   void *csrValues, cusparseIndexType_t csrRowOffsetsType,
                                   cusparseIndexType_t csrColIndType, cusparseIndexBase_t idxBase,
                                   cudaDataType valueType)
{
    return cusparseCreateConstCsr((cusparseConstSpMatDescr_t *)matrix, rows, cols, nnz,
                                  csrRowOffsets, csrColInd, csrValues, csrRowOffsetsType,
                                  csrColIndType, idxBase, valueType);
}

cusparseStatus_t cusparseCreateConstCsc(cusparseConstSpMatDescr_t *matrix, int64_t rows,
                                        int64_t cols, int64_t nnz, const void *cscColOffsets,
                                        const void *cscRowInd, const void *cscValues,
                                        cusparseIndexType_t cscColOffsetsType,
                                        cusparseIndexType_t cscRowIndType,
                                        cusparseIndexBase_t idxBase, cudaDataType valueType)
{
    return create_compressed(matrix, CUSPARSE_FORMAT_CSC, rows, cols, nnz, cscColOffsets, cscRowInd,
                             cscValues, cscColOffsetsType, cscRowIndType, idxBase, valueType);
}

cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t *matrix, int64_t rows, int64_t cols,
                                   int64_t nnz, void *cscColOffsets, void *cscRowInd,
                                   void *cscValues, cusparseIndexType_t cscColOffsetsType,
                                   cusparseIndexType_t cscRowIndType, cusparseIndexBase_t idxBase,
                                   cudaDataType valueType)
{
    return cusparseCreateConstCsc((cusparseConstSpMatDescr_t *)matrix, rows, cols, nnz,
                                  cscColOffsets, cscRowInd, cscValues, cscColOffsetsType,
                                  cscRowIndType, idxBase, valueType);
}

cusparseStatus_t cusparseCreateConstCoo(cusparseConstSpMatDescr_t *matrix, int64_t rows,
                                        int64_t cols, int64_t nnz, const void *cooRowInd,
                                        const void *cooColInd, const void *cooValues,
                                        cusparseIndexType_t cooIdxType, cusparseIndexBase_t idxBase,
                                        cudaDataType valueType)
{
    return create_compressed(matrix, CUSPARSE_FORMAT_COO, rows, cols, nnz, cooRowInd, cooColInd,
                             cooValues, cooIdxType, cooIdxType, idxBase, valueType);
}

cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *matrix, int64_t rows, int64_t cols,
                                   int64_t nnz, void *cooRowInd, void *cooColInd, void *cooValues,
                                   cusparseIndexType_t cooIdxType, cusparseIndexBase_t idxBase,
                                   cudaDataType valueType)
{
    return cusparseCreateConstCoo((cusparseConstSpMatDescr_t *)matrix, rows, cols, nnz, cooRowInd,
                                  cooColInd, cooValues, cooIdxType, idxBase, valueType);
}

/* Rows, columns and nonzeros of BSR are given in blocks and kept in elements. */
cusparseStatus_t
cusparseCreateConstBsr(cusparseConstSpMatDescr_t *matrix, int64_t brows, int64_t bcols,
                       int64_t bnnz, int64_t rowBlockDim, int64_t colBlockDim,
                       const void *bsrRowOffsets, const void *bsrColInd, const void *bsrValues,
                       cusparseIndexType_t bsrRowOffsetsType, cusparseIndexType_t bsrColIndType,
                       cusparseIndexBase_t idxBase, cudaDataType valueType, cusparseOrder_t order)
{
    if (brows < 0 || bcols < 0 || bnnz < 0 || rowBlockDim <= 0 || colBlockDim != rowBlockDim ||
        (order != CUSPARSE_ORDER_COL && order != CUSPARSE_ORDER_ROW))
        return CUSPARSE_STATUS_INVALID_VALUE;
    return create(matrix, (struct cusparseSpMatDescr){.format = CUSPARSE_FORMAT_BSR,
                                                      .rows = brows * rowBlockDim,
                                                      .cols = bcols * colBlockDim,
                                                      .nnz = bnnz * rowBlockDim * colBlockDim,
                                                      .offsets = (void *)bsrRowOffsets,
                                                      .indices = (void *)bsrColInd,
                                                      .values = (void *)bsrValues,
                                                      .offset_type = bsrRowOffsetsType,
                                                      .index_type = bsrColIndType,
                                                      .index_base = idxBase,
                                                      .type = valueType,
                                                      .block_rows = rowBlockDim,
                                                      .block_cols = colBlockDim,
                                                      .block_order = order});
}

cusparseStatus_t cusparseCreateBsr(cusparseSpMatDescr_t *matrix, int64_t brows, int64_t bcols,
                                   int64_t bnnz, int64_t rowBlockSize, int64_t colBlockSize,
                                   void *bsrRowOffsets, void *bsrColInd, void *bsrValues,
                                   cusparseIndexType_t bsrRowOffsetsType,
                                   cusparseIndexType_t bsrColIndType, cusparseIndexBase_t idxBase,
                                   cudaDataType valueType, cusparseOrder_t order)
{
    return cusparseCreateConstBsr((cusparseConstSpMatDescr_t *)matrix, brows, bcols, bnnz,
                                  rowBlockSize, colBlockSize, bsrRowOffsets, bsrColInd, bsrValues,
                                  bsrRowOffsetsType, bsrColIndType, idxBase, valueType, order);
}

cusparseStatus_t cusparseCreateConstBlockedEll(cusparseConstSpMatDescr_t *matrix, int64_t rows,
                                               int64_t cols, int64_t ellBlockSize, int64_t ellCols,
                                               const void *ellColInd, const void *ellValue,
                                               cusparseIndexType_t ellIdxType,
                                               cusparseIndexBase_t idxBase, cudaDataType valueType)
{
    if (ellBlockSize <= 0 || rows % ellBlockSize || cols % ellBlockSize || ellCols < 0 ||
        ellCols > cols || ellCols % ellBlockSize)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return create(matrix, (struct cusparseSpMatDescr){.format = CUSPARSE_FORMAT_BLOCKED_ELL,
                                                      .rows = rows,
                                                      .cols = cols,
                                                      .nnz = rows * ellCols,
                                                      .indices = (void *)ellColInd,
                                                      .values = (void *)ellValue,
                                                      .offset_type = ellIdxType,
                                                      .index_type = ellIdxType,
                                                      .index_base = idxBase,
                                                      .type = valueType,
                                                      .block_rows = ellBlockSize,
                                                      .block_cols = ellBlockSize,
                                                      .ell_cols = ellCols,
                                                      .block_order = CUSPARSE_ORDER_ROW});
}

cusparseStatus_t cusparseCreateBlockedEll(cusparseSpMatDescr_t *matrix, int64_t rows, int64_t cols,
                                          int64_t ellBlockSize, int64_t ellCols, void *ellColInd,
                                          void *ellValue, cusparseIndexType_t ellIdxType,
                                          cusparseIndexBase_t idxBase, cudaDataType valueType)
{
    return cusparseCreateConstBlockedEll((cusparseConstSpMatDescr_t *)matrix, rows, cols,
                                         ellBlockSize, ellCols, ellColInd, ellValue, ellIdxType,
                                         idxBase, valueType);
}

cusparseStatus_t cusparseCreateConstSlicedEll(cusparseConstSpMatDescr_t *matrix, int64_t rows,
                                              int64_t cols, int64_t nnz, int64_t sellValuesSize,
                                              int64_t sliceSize, const void *sellSliceOffsets,
                                              const void *sellColInd, const void *sellValues,
                                              cusparseIndexType_t sellSliceOffsetsType,
                                              cusparseIndexType_t sellColIndType,
                                              cusparseIndexBase_t idxBase, cudaDataType valueType)
{
    if (sliceSize <= 0 || sellValuesSize < 0 || sellValuesSize < nnz)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return create(matrix, (struct cusparseSpMatDescr){.format = CUSPARSE_FORMAT_SLICED_ELLPACK,
                                                      .rows = rows,
                                                      .cols = cols,
                                                      .nnz = nnz,
                                                      .offsets = (void *)sellSliceOffsets,
                                                      .indices = (void *)sellColInd,
                                                      .values = (void *)sellValues,
                                                      .offset_type = sellSliceOffsetsType,
                                                      .index_type = sellColIndType,
                                                      .index_base = idxBase,
                                                      .type = valueType,
                                                      .slice = sliceSize,
                                                      .stored = sellValuesSize});
}

cusparseStatus_t cusparseCreateSlicedEll(cusparseSpMatDescr_t *matrix, int64_t rows, int64_t cols,
                                         int64_t nnz, int64_t sellValuesSize, int64_t sliceSize,
                                         void *sellSliceOffsets, void *sellColInd, void *sellValues,
                                         cusparseIndexType_t sellSliceOffsetsType,
                                         cusparseIndexType_t sellColIndType,
                                         cusparseIndexBase_t idxBase, cudaDataType valueType)
{
    return cusparseCreateConstSlicedEll((cusparseConstSpMatDescr_t *)matrix, rows, cols, nnz,
                                        sellValuesSize, sliceSize, sellSliceOffsets, sellColInd,
                                        sellValues, sellSliceOffsetsType, sellColIndType, idxBase,
                                        valueType);
}

cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t matrix)
{
    if (!matrix || lib_object_destroy((void *)matrix, &sparse_sp_mat_type))
        return CUSPARSE_STATUS_SUCCESS;
    return CUSPARSE_STATUS_INVALID_VALUE;
}

static bool has_format(cusparseConstSpMatDescr_t matrix, cusparseFormat_t format)
{
    return sparse_is_sp_mat(matrix) && matrix->format == format;
}

/* What the functions that ask for the arrays of CSR and CSC answer. */
static cusparseStatus_t get_compressed(cusparseConstSpMatDescr_t matrix, cusparseFormat_t format,
                                       int64_t *size[3], const void **arrays[3],
                                       cusparseIndexType_t *types[2], cusparseIndexBase_t *idxBase,
                                       cudaDataType *valueType)
{
    if (!has_format(matrix, format) || !idxBase || !valueType || !types[0] || !types[1])
        return CUSPARSE_STATUS_INVALID_VALUE;
    for (int i = 0; i < 3; i++)
        if (!size[i] || !arrays[i])
            return CUSPARSE_STATUS_INVALID_VALUE;
    *size[0] = matrix->rows;
    *size[1] = matrix->cols;
    *size[2] = matrix->nnz;
    *arrays[0] = matrix->offsets;
    *arrays[1] = matrix->indices;
    *arrays[2] = matrix->values;
    *types[0] = matrix->offset_type;
    *types[1] = matrix->index_type;
    *idxBase = matrix->index_base;
    *valueType = matrix->type;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseConstCsrGet(cusparseConstSpMatDescr_t matrix, int64_t *rows, int64_t *cols,
                                     int64_t *nnz, const void **csrRowOffsets,
                                     const void **csrColInd, const void **csrValues,
                                     cusparseIndexType_t *csrRowOffsetsType,
                                     cusparseIndexType_t *csrColIndType,
                                     cusparseIndexBase_t *idxBase, cudaDataType *valueType)
{
    return get_compressed(matrix, CUSPARSE_FORMAT_CSR, (int64_t *[]){rows, cols, nnz},
                          (const void **[]){csrRowOffsets, csrColInd, csrValues},
                          (cusparseIndexType_t *[]){csrRowOffsetsType, csrColIndType}, idxBase,
                          valueType);
}

cusparseStatus_t cusparseCsrGet(cusparseSpMatDescr_t matrix, int64_t *rows, int64_t *cols,
                                int64_t *nnz, void **csrRowOffsets, void **csrColInd,
                                void **csrValues, cusparseIndexType_t *csrRowOffsetsType,
                                cusparseIndexType_t *csrColIndType, cusparseIndexBase_t *idxBase,
                                cudaDataType *valueType)
{
    return cusparseConstCsrGet(matrix, rows, cols, nnz, (const void **)csrRowOffsets,
                               (const void **)csrColInd, (const void **)csrValues,
                               csrRowOffsetsType, csrColIndType, idxBase, valueType);
}

cusparseStatus_t cusparseConstCscGet(cusparseConstSpMatDescr_t matrix, int64_t *rows, int64_t *cols,
                                     int64_t *nnz, const void **cscColOffsets,
                                     const void **cscRowInd, const void **cscValues,
                                     cusparseIndexType_t *cscColOffsetsType,
                                     cusparseIndexType_t *cscRowIndType,
                                     cusparseIndexBase_t *idxBase, cudaDataType *valueType)
{
    return get_compressed(matrix, CUSPARSE_FORMAT_CSC, (int64_t *[]){rows, cols, nnz},
                          (const void **[]){cscColOffsets, cscRowInd, cscValues},
                          (cusparseIndexType_t *[]){cscColOffsetsType, cscRowIndType}, idxBase,
                          valueType);
}

cusparseStatus_t cusparseCscGet(cusparseSpMatDescr_t matrix, int64_t *rows, int64_t *cols,
                                int64_t *nnz, void **cscColOffsets, void **cscRowInd,
                                void **cscValues, cusparseIndexType_t *cscColOffsetsType,
                                cusparseIndexType_t *cscRowIndType, cusparseIndexBase_t *idxBase,
                                cudaDataType *valueType)
{
    return cusparseConstCscGet(matrix, rows, cols, nnz, (const void **)cscColOffsets,
                               (const void **)cscRowInd, (const void **)cscValues,
                               cscColOffsetsType, cscRowIndType, idxBase, valueType);
}

cusparseStatus_t cusparseConstCooGet(cusparseConstSpMatDescr_t matrix, int64_t *rows, int64_t *cols,
                                     int64_t *nnz, const void **cooRowInd, const void **cooColInd,
                                     const void **cooValues, cusparseIndexType_t *idxType,
                                     cusparseIndexBase_t *idxBase, cudaDataType *valueType)
{
    cusparseIndexType_t same;

    return get_compressed(matrix, CUSPARSE_FORMAT_COO, (int64_t *[]){rows, cols, nnz},
                          (const void **[]){cooRowInd, cooColInd, cooValues},
                          (cusparseIndexType_t *[]){idxType, &same}, idxBase, valueType);
}

cusparseStatus_t cusparseCooGet(cusparseSpMatDescr_t matrix, int64_t *rows, int64_t *cols,
                                int64_t *nnz, void **cooRowInd, void **cooColInd, void **cooValues,
                                cusparseIndexType_t *idxType, cusparseIndexBase_t *idxBase,
                                cudaDataType *valueType)
{
    return cusparseConstCooGet(matrix, rows, cols, nnz, (const void **)cooRowInd,
                               (const void **)cooColInd, (const void **)cooValues, idxType, idxBase,
                               valueType);
}

cusparseStatus_t cusparseConstBlockedEllGet(cusparseConstSpMatDescr_t matrix, int64_t *rows,
                                            int64_t *cols, int64_t *ellBlockSize, int64_t *ellCols,
                                            const void **ellColInd, const void **ellValue,
                                            cusparseIndexType_t *ellIdxType,
                                            cusparseIndexBase_t *idxBase, cudaDataType *valueType)
{
    if (!has_format(matrix, CUSPARSE_FORMAT_BLOCKED_ELL) || !rows || !cols || !ellBlockSize ||
        !ellCols || !ellColInd || !ellValue || !ellIdxType || !idxBase || !valueType)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *rows = matrix->rows;
    *cols = matrix->cols;
    *ellBlockSize = matrix->block_rows;
    *ellCols = matrix->ell_cols;
    *ellColInd = matrix->indices;
    *ellValue = matrix->values;
    *ellIdxType = matrix->index_type;
    *idxBase = matrix->index_base;
    *valueType = matrix->type;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseBlockedEllGet(cusparseSpMatDescr_t matrix, int64_t *rows, int64_t *cols,
                                       int64_t *ellBlockSize, int64_t *ellCols, void **ellColInd,
                                       void **ellValue, cusparseIndexType_t *ellIdxType,
                                       cusparseIndexBase_t *idxBase, cudaDataType *valueType)
{
    return cusparseConstBlockedEllGet(matrix, rows, cols, ellBlockSize, ellCols,
                                      (const void **)ellColInd, (const void **)ellValue, ellIdxType,
                                      idxBase, valueType);
}

static cusparseStatus_t set_pointers(cusparseSpMatDescr_t matrix, cusparseFormat_t format,
                                     void *offsets, void *indices, void *values)
{
    if (!has_format(matrix, format))
        return CUSPARSE_STATUS_INVALID_VALUE;
    matrix->offsets = offsets;
    matrix->indices = indices;
    matrix->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t matrix, void *csrRowOffsets,
                                        void *csrColInd, void *csrValues)
{
    return set_pointers(matrix, CUSPARSE_FORMAT_CSR, csrRowOffsets, csrColInd, csrValues);
}

cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t matrix, void *cscColOffsets,
                                        void *cscRowInd, void *cscValues)
{
    return set_pointers(matrix, CUSPARSE_FORMAT_CSC, cscColOffsets, cscRowInd, cscValues);
}

cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t matrix, void *cooRows,
                                        void *cooColumns, void *cooValues)
{
    return set_pointers(matrix, CUSPARSE_FORMAT_COO, cooRows, cooColumns, cooValues);
}

cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t matrix, cusparseFormat_t *format)
{
    if (!sparse_is_sp_mat(matrix) || !format)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *format = matrix->format;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t matrix,
                                           cusparseIndexBase_t *idxBase)
{
    if (!sparse_is_sp_mat(matrix) || !idxBase)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *idxBase = matrix->index_base;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseConstSpMatGetValues(cusparseConstSpMatDescr_t matrix, const void **values)
{
    if (!sparse_is_sp_mat(matrix) || !values)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *values = matrix->values;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t matrix, void **values)
{
    return cusparseConstSpMatGetValues(matrix, (const void **)values);
}

cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t matrix, void *values)
{
    if (!sparse_is_sp_mat(matrix))
        return CUSPARSE_STATUS_INVALID_VALUE;
    matrix->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}

/* The number of nonzeros of blocked ELL is cuSPARSE's: it does not depend on the columns stored. */
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t matrix, int64_t *rows,
                                      int64_t *cols, int64_t *nnz)
{
    if (!sparse_is_sp_mat(matrix) || !rows || !cols || !nnz)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *rows = matrix->rows;
    *cols = matrix->cols;
    *nnz = matrix->format == CUSPARSE_FORMAT_BLOCKED_ELL
               ? matrix->rows * matrix->cols * matrix->block_rows
               : matrix->nnz;
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t set_batch(cusparseSpMatDescr_t matrix, cusparseFormat_t format, int count,
                                  int64_t offsets_stride, int64_t indices_stride,
                                  int64_t values_stride)
{
    if (!has_format(matrix, format) || count <= 0 || offsets_stride < 0 || indices_stride < 0 ||
        values_stride < 0)
        return CUSPARSE_STATUS_INVALID_VALUE;
    matrix->batch_count = count;
    matrix->offsets_stride = offsets_stride;
    matrix->indices_stride = indices_stride;
    matrix->values_stride = values_stride;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t matrix, int batchCount,
                                            int64_t batchStride)
{
    return set_batch(matrix, CUSPARSE_FORMAT_COO, batchCount, batchStride, batchStride,
                     batchStride);
}

cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t matrix, int batchCount,
                                            int64_t offsetsBatchStride,
                                            int64_t columnsValuesBatchStride)
{
    return set_batch(matrix, CUSPARSE_FORMAT_CSR, batchCount, offsetsBatchStride,
                     columnsValuesBatchStride, columnsValuesBatchStride);
}

cusparseStatus_t cusparseBsrSetStridedBatch(cusparseSpMatDescr_t matrix, int batchCount,
                                            int64_t offsetsBatchStride, int64_t columnsBatchStride,
                                            int64_t ValuesBatchStride)
{
    return set_batch(matrix, CUSPARSE_FORMAT_BSR, batchCount, offsetsBatchStride,
                     columnsBatchStride, ValuesBatchStride);
}

cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t matrix, int *batchCount)
{
    if (!sparse_is_sp_mat(matrix) || !batchCount)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *batchCount = matrix->batch_count;
    return CUSPARSE_STATUS_SUCCESS;
}

/* The field of an attribute, or NULL; both are of the size of an int. */
static int *attribute_field(const struct cusparseSpMatDescr *matrix,
                            cusparseSpMatAttribute_t attribute)
{
    switch (attribute) {
    case CUSPARSE_SPMAT_FILL_MODE:
        return (int *)&matrix->fill;
    case CUSPARSE_SPMAT_DIAG_TYPE:
        return (int *)&matrix->diagonal;
    default:
        return NULL;
    }
}

/* Any value is accepted; solves look at it. */
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t matrix,
                                           cusparseSpMatAttribute_t attribute, void *data,
                                           size_t dataSize)
{
    int *field = sparse_is_sp_mat(matrix) ? attribute_field(matrix, attribute) : NULL;

    if (!field || !data || dataSize != sizeof(*field))
        return CUSPARSE_STATUS_INVALID_VALUE;
    memcpy(field, data, sizeof(*field));
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t matrix,
                                           cusparseSpMatAttribute_t attribute, void *data,
                                           size_t dataSize)
{
    const int *field = sparse_is_sp_mat(matrix) ? attribute_field(matrix, attribute) : NULL;

    if (!field || !data || dataSize != sizeof(*field))
        return CUSPARSE_STATUS_INVALID_VALUE;
    memcpy(data, field, sizeof(*field));
    return CUSPARSE_STATUS_SUCCESS;
}
