/* SPDX-License-Identifier: MIT */
/* Descriptors of vectors and of dense matrices. A descriptor that the program made as constant is
 * the same object. */
#include "sparse.h"

const struct lib_object_type sparse_sp_vec_type = {.bytes = sizeof(struct cusparseSpVecDescr)};
const struct lib_object_type sparse_dn_vec_type = {.bytes = sizeof(struct cusparseDnVecDescr)};
const struct lib_object_type sparse_dn_mat_type = {.bytes = sizeof(struct cusparseDnMatDescr)};

/* Destroys a descriptor; NULL is nothing to destroy. */
static cusparseStatus_t destroy(const void *descriptor, const struct lib_object_type *type)
{
    if (!descriptor || lib_object_destroy((void *)descriptor, type))
        return CUSPARSE_STATUS_SUCCESS;
    return CUSPARSE_STATUS_INVALID_VALUE;
}

cusparseStatus_t cusparseCreateConstSpVec(cusparseConstSpVecDescr_t *vector, int64_t size,
                                          int64_t nnz, const void *indices, const void *values,
                                          cusparseIndexType_t idxType, cusparseIndexBase_t idxBase,
                                          cudaDataType valueType)
{
    struct cusparseSpVecDescr *created;

    if (!vector || size < 0 || nnz < 0 || nnz > size || !sparse_is_index_type(idxType) ||
        (unsigned)idxBase > CUSPARSE_INDEX_BASE_ONE || !sparse_bytes(valueType))
        return CUSPARSE_STATUS_INVALID_VALUE;
    created = lib_object_create(&sparse_sp_vec_type);
    if (!created)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    created->size = size;
    created->nnz = nnz;
    created->indices = (void *)indices;
    created->values = (void *)values;
    created->index_type = idxType;
    created->index_base = idxBase;
    created->type = valueType;
    *vector = created;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *vector, int64_t size, int64_t nnz,
                                     void *indices, void *values, cusparseIndexType_t idxType,
                                     cusparseIndexBase_t idxBase, cudaDataType valueType)
{
    return cusparseCreateConstSpVec((cusparseConstSpVecDescr_t *)vector, size, nnz, indices, values,
                                    idxType, idxBase, valueType);
}

cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t vector)
{
    return destroy(vector, &sparse_sp_vec_type);
}

cusparseStatus_t cusparseConstSpVecGet(cusparseConstSpVecDescr_t vector, int64_t *size,
                                       int64_t *nnz, const void **indices, const void **values,
                                       cusparseIndexType_t *idxType, cusparseIndexBase_t *idxBase,
                                       cudaDataType *valueType)
{
    if (!sparse_is_sp_vec(vector) || !size || !nnz || !indices || !values || !idxType || !idxBase ||
        !valueType)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *size = vector->size;
    *nnz = vector->nnz;
    *indices = vector->indices;
    *values = vector->values;
    *idxType = vector->index_type;
    *idxBase = vector->index_base;
    *valueType = vector->type;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpVecGet(cusparseSpVecDescr_t vector, int64_t *size, int64_t *nnz,
                                  void **indices, void **values, cusparseIndexType_t *idxType,
                                  cusparseIndexBase_t *idxBase, cudaDataType *valueType)
{
    return cusparseConstSpVecGet(vector, size, nnz, (const void **)indices, (const void **)values,
                                 idxType, idxBase, valueType);
}

cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t vector,
                                           cusparseIndexBase_t *idxBase)
{
    if (!sparse_is_sp_vec(vector) || !idxBase)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *idxBase = vector->index_base;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseConstSpVecGetValues(cusparseConstSpVecDescr_t vector, const void **values)
{
    if (!sparse_is_sp_vec(vector) || !values)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *values = vector->values;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpVecGetValues(cusparseSpVecDescr_t vector, void **values)
{
    return cusparseConstSpVecGetValues(vector, (const void **)values);
}

cusparseStatus_t cusparseSpVecSetValues(cusparseSpVecDescr_t vector, void *values)
{
    if (!sparse_is_sp_vec(vector))
        return CUSPARSE_STATUS_INVALID_VALUE;
    vector->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *vector, int64_t size,
                                          const void *values, cudaDataType valueType)
{
    struct cusparseDnVecDescr *created;

    if (!vector || size < 0 || !sparse_bytes(valueType))
        return CUSPARSE_STATUS_INVALID_VALUE;
    created = lib_object_create(&sparse_dn_vec_type);
    if (!created)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    created->size = size;
    created->values = (void *)values;
    created->type = valueType;
    *vector = created;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *vector, int64_t size, void *values,
                                     cudaDataType valueType)
{
    return cusparseCreateConstDnVec((cusparseConstDnVecDescr_t *)vector, size, values, valueType);
}

cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t vector)
{
    return destroy(vector, &sparse_dn_vec_type);
}

cusparseStatus_t cusparseConstDnVecGet(cusparseConstDnVecDescr_t vector, int64_t *size,
                                       const void **values, cudaDataType *valueType)
{
    if (!sparse_is_dn_vec(vector) || !size || !values || !valueType)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *size = vector->size;
    *values = vector->values;
    *valueType = vector->type;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t vector, int64_t *size, void **values,
                                  cudaDataType *valueType)
{
    return cusparseConstDnVecGet(vector, size, (const void **)values, valueType);
}

cusparseStatus_t cusparseConstDnVecGetValues(cusparseConstDnVecDescr_t vector, const void **values)
{
    if (!sparse_is_dn_vec(vector) || !values)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *values = vector->values;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t vector, void **values)
{
    return cusparseConstDnVecGetValues(vector, (const void **)values);
}

cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t vector, void *values)
{
    if (!sparse_is_dn_vec(vector))
        return CUSPARSE_STATUS_INVALID_VALUE;
    vector->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t *matrix, int64_t rows,
                                          int64_t cols, int64_t ld, const void *values,
                                          cudaDataType valueType, cusparseOrder_t order)
{
    struct cusparseDnMatDescr *created;

    if (!matrix || rows < 0 || cols < 0 || !sparse_bytes(valueType) ||
        (order != CUSPARSE_ORDER_COL && order != CUSPARSE_ORDER_ROW) ||
        ld < (order == CUSPARSE_ORDER_COL ? rows : cols))
        return CUSPARSE_STATUS_INVALID_VALUE;
    created = lib_object_create(&sparse_dn_mat_type);
    if (!created)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    created->rows = rows;
    created->cols = cols;
    created->ld = ld;
    created->values = (void *)values;
    created->type = valueType;
    created->order = order;
    created->batch_count = 1;
    *matrix = created;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *matrix, int64_t rows, int64_t cols,
                                     int64_t ld, void *values, cudaDataType valueType,
                                     cusparseOrder_t order)
{
    return cusparseCreateConstDnMat((cusparseConstDnMatDescr_t *)matrix, rows, cols, ld, values,
                                    valueType, order);
}

cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t matrix)
{
    return destroy(matrix, &sparse_dn_mat_type);
}

cusparseStatus_t cusparseConstDnMatGet(cusparseConstDnMatDescr_t matrix, int64_t *rows,
                                       int64_t *cols, int64_t *ld, const void **values,
                                       cudaDataType *type, cusparseOrder_t *order)
{
    if (!sparse_is_dn_mat(matrix) || !rows || !cols || !ld || !values || !type || !order)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *rows = matrix->rows;
    *cols = matrix->cols;
    *ld = matrix->ld;
    *values = matrix->values;
    *type = matrix->type;
    *order = matrix->order;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t matrix, int64_t *rows, int64_t *cols,
                                  int64_t *ld, void **values, cudaDataType *type,
                                  cusparseOrder_t *order)
{
    return cusparseConstDnMatGet(matrix, rows, cols, ld, (const void **)values, type, order);
}

cusparseStatus_t cusparseConstDnMatGetValues(cusparseConstDnMatDescr_t matrix, const void **values)
{
    if (!sparse_is_dn_mat(matrix) || !values)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *values = matrix->values;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t matrix, void **values)
{
    return cusparseConstDnMatGetValues(matrix, (const void **)values);
}

cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t matrix, void *values)
{
    if (!sparse_is_dn_mat(matrix))
        return CUSPARSE_STATUS_INVALID_VALUE;
    matrix->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}

/* A stride of 0 uses one matrix for the whole batch. */
cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t matrix, int batchCount,
                                              int64_t batchStride)
{
    if (!sparse_is_dn_mat(matrix) || batchCount <= 0 || batchStride < 0 ||
        (batchStride &&
         batchStride <
             matrix->ld * (matrix->order == CUSPARSE_ORDER_COL ? matrix->cols : matrix->rows)))
        return CUSPARSE_STATUS_INVALID_VALUE;
    matrix->batch_count = batchCount;
    matrix->batch_stride = batchStride;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t matrix, int *batchCount,
                                              int64_t *batchStride)
{
    if (!sparse_is_dn_mat(matrix) || !batchCount || !batchStride)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *batchCount = matrix->batch_count;
    *batchStride = matrix->batch_stride;
    return CUSPARSE_STATUS_SUCCESS;
}
