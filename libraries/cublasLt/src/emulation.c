/* SPDX-License-Identifier: MIT */
/* Descriptions of emulated arithmetic. Products are computed in their own precision, which is never
 * less. */
#include "attributes.h"
#include "lt.h"

#include <stdlib.h>
#include <string.h>

static const struct attribute attributes[] = {
    ATTRIBUTE(CUBLASLT_EMULATION_DESC_STRATEGY, lt_emulation, strategy),
    ATTRIBUTE(CUBLASLT_EMULATION_DESC_SPECIAL_VALUES_SUPPORT, lt_emulation, special_values),
    ATTRIBUTE(CUBLASLT_EMULATION_DESC_FIXEDPOINT_MANTISSA_CONTROL, lt_emulation, mantissa_control),
    ATTRIBUTE(CUBLASLT_EMULATION_DESC_FIXEDPOINT_MAX_MANTISSA_BIT_COUNT, lt_emulation,
              max_mantissa_bits),
    ATTRIBUTE(CUBLASLT_EMULATION_DESC_FIXEDPOINT_MANTISSA_BIT_OFFSET, lt_emulation,
              mantissa_offset),
    ATTRIBUTE(CUBLASLT_EMULATION_DESC_FIXEDPOINT_MANTISSA_BIT_COUNT_POINTER, lt_emulation,
              mantissa_bits),
};
static const struct attribute_table table = {attributes, sizeof(attributes) / sizeof(*attributes)};

static void *valid(const void *handle)
{
    const struct lt_emulation *object = handle;

    return object && object->mark == LT_EMULATION ? (void *)handle : NULL;
}

cublasStatus_t cublasLtEmulationDescInit_internal(cublasLtEmulationDesc_t emulationDesc,
                                                  size_t size)
{
    const struct lt_emulation object = {
        .mark = LT_EMULATION, .special_values = CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT};

    if (!emulationDesc)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (size < sizeof(object))
        return CUBLAS_STATUS_ALLOC_FAILED;
    memset(emulationDesc, 0, size);
    memcpy(emulationDesc, &object, sizeof(object));
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtEmulationDescCreate(cublasLtEmulationDesc_t *emulationDesc)
{
    cublasLtEmulationDesc_t object;

    if (!emulationDesc)
        return CUBLAS_STATUS_INVALID_VALUE;
    object = malloc(sizeof(*object));
    if (!object)
        return CUBLAS_STATUS_ALLOC_FAILED;
    cublasLtEmulationDescInit_internal(object, sizeof(*object));
    *emulationDesc = object;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtEmulationDescDestroy(cublasLtEmulationDesc_t emulationDesc)
{
    if (emulationDesc)
        memset(emulationDesc, 0, sizeof(*emulationDesc));
    free(emulationDesc);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtEmulationDescSetAttribute(cublasLtEmulationDesc_t emulationDesc,
                                                 cublasLtEmulationDescAttributes_t attr,
                                                 const void *buf, size_t sizeInBytes)
{
    return attribute_set(&table, valid(emulationDesc), (int)attr, buf, sizeInBytes);
}

cublasStatus_t cublasLtEmulationDescGetAttribute(cublasLtEmulationDesc_t emulationDesc,
                                                 cublasLtEmulationDescAttributes_t attr, void *buf,
                                                 size_t sizeInBytes, size_t *sizeWritten)
{
    return attribute_get(&table, valid(emulationDesc), (int)attr, buf, sizeInBytes, sizeWritten);
}
