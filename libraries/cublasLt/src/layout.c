/* SPDX-License-Identifier: MIT */
/* Layouts of matrices. */
#include "attributes.h"
#include "lt.h"

#include <stdlib.h>
#include <string.h>

static const struct attribute attributes[] = {
    ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_TYPE, lt_layout, type),
    ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_ORDER, lt_layout, order),
    ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_ROWS, lt_layout, rows),
    ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_COLS, lt_layout, cols),
    ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_LD, lt_layout, ld),
    ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, lt_layout, batch_count),
    ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, lt_layout, stride),
    ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, lt_layout, plane_offset),
    ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, lt_layout, batch_mode),
};
static const struct attribute_table table = {attributes, sizeof(attributes) / sizeof(*attributes)};

static void *valid(const void *handle)
{
    const struct lt_layout *object = handle;

    return object && object->mark == LT_LAYOUT ? (void *)handle : NULL;
}

const struct lt_layout *lt_layout(const void *handle)
{
    return valid(handle);
}

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t matLayout, size_t size,
                                                 cudaDataType type, uint64_t rows, uint64_t cols,
                                                 int64_t ld)
{
    const struct lt_layout object = {.mark = LT_LAYOUT,
                                     .type = (int32_t)type,
                                     .rows = rows,
                                     .cols = cols,
                                     .ld = ld,
                                     .batch_count = 1};

    if (!matLayout)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (size < sizeof(object))
        return CUBLAS_STATUS_ALLOC_FAILED;
    memset(matLayout, 0, size);
    memcpy(matLayout, &object, sizeof(object));
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *matLayout, cudaDataType type,
                                          uint64_t rows, uint64_t cols, int64_t ld)
{
    cublasLtMatrixLayout_t object;

    if (!matLayout)
        return CUBLAS_STATUS_INVALID_VALUE;
    object = malloc(sizeof(*object));
    if (!object)
        return CUBLAS_STATUS_ALLOC_FAILED;
    cublasLtMatrixLayoutInit_internal(object, sizeof(*object), type, rows, cols, ld);
    *matLayout = object;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t matLayout)
{
    if (matLayout)
        memset(matLayout, 0, sizeof(*matLayout));
    free(matLayout);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t matLayout,
                                                cublasLtMatrixLayoutAttribute_t attr,
                                                const void *buf, size_t sizeInBytes)
{
    return attribute_set(&table, valid(matLayout), (int)attr, buf, sizeInBytes);
}

cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t matLayout,
                                                cublasLtMatrixLayoutAttribute_t attr, void *buf,
                                                size_t sizeInBytes, size_t *sizeWritten)
{
    return attribute_get(&table, valid(matLayout), (int)attr, buf, sizeInBytes, sizeWritten);
}
