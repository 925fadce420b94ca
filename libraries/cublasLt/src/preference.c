/* SPDX-License-Identifier: MIT */
/* Preferences of a search for algorithms. */
#include "attributes.h"
#include "lt.h"

#include <stdlib.h>
#include <string.h>

/* The alignment in bytes that is promised of addresses. */
enum { ALIGNMENT = 256 };
static const struct attribute attributes[] = {
    ATTRIBUTE(CUBLASLT_MATMUL_PREF_SEARCH_MODE, lt_preference, search_mode),
    ATTRIBUTE(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, lt_preference, workspace_bytes),
    ATTRIBUTE(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, lt_preference, reduction_mask),
    ATTRIBUTE(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, lt_preference, alignment_a),
    ATTRIBUTE(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, lt_preference, alignment_b),
    ATTRIBUTE(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, lt_preference, alignment_c),
    ATTRIBUTE(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, lt_preference, alignment_d),
    ATTRIBUTE(CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT, lt_preference, waves),
    ATTRIBUTE(CUBLASLT_MATMUL_PREF_IMPL_MASK, lt_preference, impl_mask),
};
static const struct attribute_table table = {attributes, sizeof(attributes) / sizeof(*attributes)};

static void *valid(const void *handle)
{
    const struct lt_preference *object = handle;

    return object && object->mark == LT_PREFERENCE ? (void *)handle : NULL;
}

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t pref, size_t size)
{
    const struct lt_preference object = {.mark = LT_PREFERENCE,
                                         .impl_mask = UINT64_MAX,
                                         .reduction_mask = CUBLASLT_REDUCTION_SCHEME_MASK,
                                         .alignment_a = ALIGNMENT,
                                         .alignment_b = ALIGNMENT,
                                         .alignment_c = ALIGNMENT,
                                         .alignment_d = ALIGNMENT};

    if (!pref)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (size < sizeof(object))
        return CUBLAS_STATUS_ALLOC_FAILED;
    memset(pref, 0, size);
    memcpy(pref, &object, sizeof(object));
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *pref)
{
    cublasLtMatmulPreference_t object;

    if (!pref)
        return CUBLAS_STATUS_INVALID_VALUE;
    object = malloc(sizeof(*object));
    if (!object)
        return CUBLAS_STATUS_ALLOC_FAILED;
    cublasLtMatmulPreferenceInit_internal(object, sizeof(*object));
    *pref = object;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t pref)
{
    if (pref)
        memset(pref, 0, sizeof(*pref));
    free(pref);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t pref,
                                                    cublasLtMatmulPreferenceAttributes_t attr,
                                                    const void *buf, size_t sizeInBytes)
{
    return attribute_set(&table, valid(pref), (int)attr, buf, sizeInBytes);
}

cublasStatus_t cublasLtMatmulPreferenceGetAttribute(cublasLtMatmulPreference_t pref,
                                                    cublasLtMatmulPreferenceAttributes_t attr,
                                                    void *buf, size_t sizeInBytes,
                                                    size_t *sizeWritten)
{
    return attribute_get(&table, valid(pref), (int)attr, buf, sizeInBytes, sizeWritten);
}
