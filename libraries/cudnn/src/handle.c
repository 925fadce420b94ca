/* SPDX-License-Identifier: MIT */
/* The handle, versions, and checks of NVIDIA's parts of the library, which are one here. */
#include "dnn.h"
#include "driver.h"

#include <stdlib.h>

enum { CUDART_VERSION_ANSWERED = 13000 };

const struct lib_object_type dnn_handle_type = {.bytes = sizeof(struct cudnnContext)};

cudnnStatus_t cudnnCreate(cudnnHandle_t *handle)
{
    struct cudnnContext *context;

    if (!handle)
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "cudnnCreate: handle is NULL");
    if (lib_ensure_context() != CUDA_SUCCESS)
        return dnn_error(CUDNN_STATUS_NOT_INITIALIZED, "cudnnCreate: there is no context");
    context = lib_object_create(&dnn_handle_type);
    if (!context)
        return CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    *handle = context;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t handle)
{
    if (!handle || lib_object_destroy(handle, &dnn_handle_type))
        return CUDNN_STATUS_SUCCESS;
    return dnn_error(CUDNN_STATUS_BAD_PARAM, "cudnnDestroy: not a handle");
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t streamId)
{
    if (!dnn_is_handle(handle))
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "cudnnSetStream: not a handle");
    handle->stream = (CUstream)streamId;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetStream(cudnnHandle_t handle, cudaStream_t *streamId)
{
    if (!dnn_is_handle(handle) || !streamId)
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "cudnnGetStream: not a handle, or NULL");
    *streamId = (cudaStream_t)handle->stream;
    return CUDNN_STATUS_SUCCESS;
}

/* CUPIPE_CUDNN_VERSION: another version of cuDNN 9, for programs that compare it with the one that
 * they were compiled with. What it does not name properly is passed over. */
static size_t version(void)
{
    const char *asked = secure_getenv("CUPIPE_CUDNN_VERSION");
    char *end;
    unsigned long number;

    if (!asked || !*asked)
        return CUDNN_VERSION;
    number = strtoul(asked, &end, 10);
    return *end || number / 10000 != CUDNN_MAJOR ? CUDNN_VERSION : number;
}

size_t cudnnGetVersion(void)
{
    return version();
}

size_t cudnnGetMaxDeviceVersion(void)
{
    return CUDNN_MAX_DEVICE_VERSION;
}

size_t cudnnGetCudartVersion(void)
{
    return CUDART_VERSION_ANSWERED;
}

cudnnStatus_t cudnnGetProperty(libraryPropertyType type, int *value)
{
    int number = (int)version();
    const int versions[] = {number / 10000, number / 100 % 100, number % 100};

    if (!value || (unsigned)type >= sizeof(versions) / sizeof(*versions))
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "cudnnGetProperty: no such property");
    *value = versions[type];
    return CUDNN_STATUS_SUCCESS;
}

/* Work reports its errors through its stream; there are none besides. */
cudnnStatus_t cudnnQueryRuntimeError(cudnnHandle_t handle, cudnnStatus_t *rstatus,
                                     cudnnErrQueryMode_t mode, cudnnRuntimeTag_t *tag)
{
    (void)tag;
    if (!dnn_is_handle(handle) || !rstatus || (unsigned)mode > CUDNN_ERRQUERY_BLOCKING)
        return dnn_error(CUDNN_STATUS_BAD_PARAM, "cudnnQueryRuntimeError: bad argument");
    if (mode == CUDNN_ERRQUERY_BLOCKING &&
        lib_driver()->stream_synchronize(handle->stream) != CUDA_SUCCESS)
        return CUDNN_STATUS_EXECUTION_FAILED;
    *rstatus = CUDNN_STATUS_SUCCESS;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGraphVersionCheck(void)
{
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnOpsVersionCheck(void)
{
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCnnVersionCheck(void)
{
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnAdvVersionCheck(void)
{
    return CUDNN_STATUS_SUCCESS;
}
