/* SPDX-License-Identifier: MIT */
/* Descriptions of transforms. */
#include "attributes.h"
#include "lt.h"

#include <stdlib.h>
#include <string.h>

static const struct attribute attributes[] = {
    ATTRIBUTE(CUBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE, lt_transform, scale_type),
    ATTRIBUTE(CUBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE, lt_transform, pointer_mode),
    ATTRIBUTE(CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, lt_transform, transa),
    ATTRIBUTE(CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB, lt_transform, transb),
};
static const struct attribute_table table = {attributes, sizeof(attributes) / sizeof(*attributes)};

static void *valid(const void *handle)
{
    const struct lt_transform *object = handle;

    return object && object->mark == LT_TRANSFORM ? (void *)handle : NULL;
}

cublasStatus_t cublasLtMatrixTransformDescInit_internal(cublasLtMatrixTransformDesc_t transformDesc,
                                                        size_t size, cudaDataType scaleType)
{
    const struct lt_transform object = {.mark = LT_TRANSFORM, .scale_type = (int32_t)scaleType};

    if (!transformDesc)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (size < sizeof(object))
        return CUBLAS_STATUS_ALLOC_FAILED;
    memset(transformDesc, 0, size);
    memcpy(transformDesc, &object, sizeof(object));
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixTransformDescCreate(cublasLtMatrixTransformDesc_t *transformDesc,
                                                 cudaDataType scaleType)
{
    cublasLtMatrixTransformDesc_t object;

    if (!transformDesc)
        return CUBLAS_STATUS_INVALID_VALUE;
    object = malloc(sizeof(*object));
    if (!object)
        return CUBLAS_STATUS_ALLOC_FAILED;
    cublasLtMatrixTransformDescInit_internal(object, sizeof(*object), scaleType);
    *transformDesc = object;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixTransformDescDestroy(cublasLtMatrixTransformDesc_t transformDesc)
{
    if (transformDesc)
        memset(transformDesc, 0, sizeof(*transformDesc));
    free(transformDesc);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixTransformDescSetAttribute(cublasLtMatrixTransformDesc_t transformDesc,
                                                       cublasLtMatrixTransformDescAttributes_t attr,
                                                       const void *buf, size_t sizeInBytes)
{
    return attribute_set(&table, valid(transformDesc), (int)attr, buf, sizeInBytes);
}

cublasStatus_t cublasLtMatrixTransformDescGetAttribute(cublasLtMatrixTransformDesc_t transformDesc,
                                                       cublasLtMatrixTransformDescAttributes_t attr,
                                                       void *buf, size_t sizeInBytes,
                                                       size_t *sizeWritten)
{
    return attribute_get(&table, valid(transformDesc), (int)attr, buf, sizeInBytes, sizeWritten);
}
