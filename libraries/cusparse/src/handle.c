/* SPDX-License-Identifier: MIT */
/* The handle and its settings, versions, and the names of statuses. */
#include "driver.h"
#include "sparse.h"

const struct lib_object_type sparse_handle_type = {.bytes = sizeof(struct cusparseContext)};

cusparseStatus_t cusparseCreate(cusparseHandle_t *handle)
{
    struct cusparseContext *context;

    if (!handle)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (lib_ensure_context() != CUDA_SUCCESS)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    sparse_log_begin();
    context = lib_object_create(&sparse_handle_type);
    if (!context)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    *handle = context;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDestroy(cusparseHandle_t handle)
{
    if (!handle || lib_object_destroy(handle, &sparse_handle_type))
        return CUSPARSE_STATUS_SUCCESS;
    return CUSPARSE_STATUS_INVALID_VALUE;
}

cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version)
{
    if (!sparse_is_handle(handle) || !version)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *version = CUSPARSE_VERSION;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value)
{
    static const int versions[] = {CUSPARSE_VER_MAJOR, CUSPARSE_VER_MINOR, CUSPARSE_VER_PATCH};

    if (!value || (unsigned)type >= sizeof(versions) / sizeof(*versions))
        return CUSPARSE_STATUS_INVALID_VALUE;
    *value = versions[type];
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream)
{
    if (!sparse_is_handle(handle))
        return CUSPARSE_STATUS_INVALID_VALUE;
    handle->stream = (CUstream)stream;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t *stream)
{
    if (!sparse_is_handle(handle) || !stream)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *stream = (cudaStream_t)handle->stream;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode)
{
    if (!sparse_is_handle(handle) || (unsigned)mode > CUSPARSE_POINTER_MODE_DEVICE)
        return CUSPARSE_STATUS_INVALID_VALUE;
    handle->pointer_mode = mode;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t *mode)
{
    if (!sparse_is_handle(handle) || !mode)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *mode = handle->pointer_mode;
    return CUSPARSE_STATUS_SUCCESS;
}

static const struct {
    const char *name, *text;
} statuses[] = {
    [CUSPARSE_STATUS_SUCCESS] = {"CUSPARSE_STATUS_SUCCESS", "success"},
    [CUSPARSE_STATUS_NOT_INITIALIZED] = {"CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"},
    [CUSPARSE_STATUS_ALLOC_FAILED] = {"CUSPARSE_STATUS_ALLOC_FAILED", "out of memory"},
    [CUSPARSE_STATUS_INVALID_VALUE] = {"CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
    [CUSPARSE_STATUS_ARCH_MISMATCH] = {"CUSPARSE_STATUS_ARCH_MISMATCH", "architecture mismatch"},
    [CUSPARSE_STATUS_MAPPING_ERROR] = {"CUSPARSE_STATUS_MAPPING_ERROR",
                                       "texture memory mapping error"},
    [CUSPARSE_STATUS_EXECUTION_FAILED] = {"CUSPARSE_STATUS_EXECUTION_FAILED",
                                          "kernel launch failure"},
    [CUSPARSE_STATUS_INTERNAL_ERROR] = {"CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"},
    [CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED] = {"CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
                                                   "matrix type not supported"},
    [CUSPARSE_STATUS_ZERO_PIVOT] = {"CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"},
    [CUSPARSE_STATUS_NOT_SUPPORTED] = {"CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"},
    [CUSPARSE_STATUS_INSUFFICIENT_RESOURCES] = {"CUSPARSE_STATUS_INSUFFICIENT_RESOURCES",
                                                "insufficient resources"},
};

static bool is_status(cusparseStatus_t status)
{
    return (unsigned)status < sizeof(statuses) / sizeof(*statuses);
}

const char *cusparseGetErrorName(cusparseStatus_t status)
{
    return is_status(status) ? statuses[status].name : "unrecognized error code";
}

const char *cusparseGetErrorString(cusparseStatus_t status)
{
    return is_status(status) ? statuses[status].text : "unrecognized error code";
}
