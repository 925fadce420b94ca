/* SPDX-License-Identifier: MIT */
/* Descriptions of products. Attribute 16 is reserved: it has a value that nothing reads. */
#include "attributes.h"
#include "lt.h"

#include <stdlib.h>
#include <string.h>

static const struct attribute attributes[] = {
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, lt_desc, compute_type),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_SCALE_TYPE, lt_desc, scale_type),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_POINTER_MODE, lt_desc, pointer_mode),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_TRANSA, lt_desc, transa),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_TRANSB, lt_desc, transb),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_TRANSC, lt_desc, transc),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_FILL_MODE, lt_desc, fill_mode),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE, lt_desc, epilogue),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_BIAS_POINTER, lt_desc, bias),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, lt_desc, bias_stride),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, lt_desc, aux),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, lt_desc, aux_ld),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, lt_desc, aux_stride),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE, lt_desc, alpha_stride),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, lt_desc, sm_count_target),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, lt_desc, a_scale),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, lt_desc, b_scale),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, lt_desc, c_scale),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, lt_desc, d_scale),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, lt_desc, amax),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, lt_desc, aux_type),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER, lt_desc, aux_scale),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER, lt_desc, aux_amax),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_FAST_ACCUM, lt_desc, fast_accum),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, lt_desc, bias_type),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, lt_desc, a_scale_mode),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_B_SCALE_MODE, lt_desc, b_scale_mode),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_C_SCALE_MODE, lt_desc, c_scale_mode),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_D_SCALE_MODE, lt_desc, d_scale_mode),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_MODE, lt_desc, aux_scale_mode),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_D_OUT_SCALE_POINTER, lt_desc, d_out_scale),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_D_OUT_SCALE_MODE, lt_desc, d_out_scale_mode),
    ATTRIBUTE(CUBLASLT_MATMUL_DESC_EMULATION_DESCRIPTOR, lt_desc, emulation),
    ATTRIBUTE(16, lt_desc, reserved_16),
};
static const struct attribute_table table = {attributes, sizeof(attributes) / sizeof(*attributes)};

static void *valid(const void *handle)
{
    const struct lt_desc *object = handle;

    return object && object->mark == LT_DESC ? (void *)handle : NULL;
}

const struct lt_desc *lt_desc(const void *handle)
{
    return valid(handle);
}

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t matmulDesc, size_t size,
                                               cublasComputeType_t computeType,
                                               cudaDataType_t scaleType)
{
    const struct lt_desc object = {.mark = LT_DESC,
                                   .compute_type = (int32_t)computeType,
                                   .scale_type = (int32_t)scaleType,
                                   .fill_mode = CUBLAS_FILL_MODE_FULL,
                                   .epilogue = CUBLASLT_EPILOGUE_DEFAULT,
                                   .aux_type = -1,
                                   .bias_type = -1};

    if (!matmulDesc)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (size < sizeof(object))
        return CUBLAS_STATUS_ALLOC_FAILED;
    memset(matmulDesc, 0, size);
    memcpy(matmulDesc, &object, sizeof(object));
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *matmulDesc,
                                        cublasComputeType_t computeType, cudaDataType_t scaleType)
{
    cublasLtMatmulDesc_t object;

    if (!matmulDesc)
        return CUBLAS_STATUS_INVALID_VALUE;
    object = malloc(sizeof(*object));
    if (!object)
        return CUBLAS_STATUS_ALLOC_FAILED;
    cublasLtMatmulDescInit_internal(object, sizeof(*object), computeType, scaleType);
    *matmulDesc = object;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t matmulDesc)
{
    if (matmulDesc)
        memset(matmulDesc, 0, sizeof(*matmulDesc));
    free(matmulDesc);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t matmulDesc,
                                              cublasLtMatmulDescAttributes_t attr, const void *buf,
                                              size_t sizeInBytes)
{
    return attribute_set(&table, valid(matmulDesc), (int)attr, buf, sizeInBytes);
}

cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t matmulDesc,
                                              cublasLtMatmulDescAttributes_t attr, void *buf,
                                              size_t sizeInBytes, size_t *sizeWritten)
{
    return attribute_get(&table, valid(matmulDesc), (int)attr, buf, sizeInBytes, sizeWritten);
}
