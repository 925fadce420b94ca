/* SPDX-License-Identifier: MIT */
/* Statuses by name, the last message of a thread, and the callback of the program. */
#include "dnn.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

enum { MESSAGE_BYTES = 512 };

static _Thread_local char last_message[MESSAGE_BYTES];

static pthread_mutex_t callback_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned callback_mask;      /* guarded by callback_lock */
static void *callback_data;         /* guarded by callback_lock */
static cudnnCallback_t callback_of; /* guarded by callback_lock */

static const struct {
    int status;
    const char *name;
} names[] = {
#define NAME(status)                                                                               \
    {                                                                                              \
        status, #status                                                                            \
    }
    NAME(CUDNN_STATUS_SUCCESS),
    NAME(CUDNN_STATUS_NOT_INITIALIZED),
    NAME(CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH),
    NAME(CUDNN_STATUS_SERIALIZATION_VERSION_MISMATCH),
    NAME(CUDNN_STATUS_DEPRECATED),
    NAME(CUDNN_STATUS_LICENSE_ERROR),
    NAME(CUDNN_STATUS_RUNTIME_IN_PROGRESS),
    NAME(CUDNN_STATUS_RUNTIME_FP_OVERFLOW),
    NAME(CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED),
    NAME(CUDNN_STATUS_BAD_PARAM),
    NAME(CUDNN_STATUS_INVALID_VALUE),
    NAME(CUDNN_STATUS_BAD_PARAM_NULL_POINTER),
    NAME(CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER),
    NAME(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED),
    NAME(CUDNN_STATUS_BAD_PARAM_OUT_OF_BOUND),
    NAME(CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT),
    NAME(CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH),
    NAME(CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH),
    NAME(CUDNN_STATUS_BAD_PARAM_DUPLICATED_ENTRIES),
    NAME(CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE),
    NAME(CUDNN_STATUS_BAD_PARAM_CUDA_GRAPH_MISMATCH),
    NAME(CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE),
    NAME(CUDNN_STATUS_NOT_SUPPORTED),
    NAME(CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN),
    NAME(CUDNN_STATUS_NOT_SUPPORTED_SHAPE),
    NAME(CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE),
    NAME(CUDNN_STATUS_NOT_SUPPORTED_LAYOUT),
    NAME(CUDNN_STATUS_NOT_SUPPORTED_INCOMPATIBLE_CUDA_DRIVER),
    NAME(CUDNN_STATUS_NOT_SUPPORTED_INCOMPATIBLE_CUDART),
    NAME(CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH),
    NAME(CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING),
    NAME(CUDNN_STATUS_NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE),
    NAME(CUDNN_STATUS_NOT_SUPPORTED_SHARED_MEMORY_INSUFFICIENT),
    NAME(CUDNN_STATUS_NOT_SUPPORTED_PADDING),
    NAME(CUDNN_STATUS_NOT_SUPPORTED_BAD_LAUNCH_PARAM),
    NAME(CUDNN_STATUS_NOT_SUPPORTED_CUDA_GRAPH_NATIVE_API),
    NAME(CUDNN_STATUS_INTERNAL_ERROR),
    NAME(CUDNN_STATUS_INTERNAL_ERROR_COMPILATION_FAILED),
    NAME(CUDNN_STATUS_INTERNAL_ERROR_UNEXPECTED_VALUE),
    NAME(CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED),
    NAME(CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED),
    NAME(CUDNN_STATUS_INTERNAL_ERROR_BAD_LAUNCH_PARAM),
    NAME(CUDNN_STATUS_INTERNAL_ERROR_TEXTURE_CREATION_FAILED),
    NAME(CUDNN_STATUS_EXECUTION_FAILED),
    NAME(CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER),
    NAME(CUDNN_STATUS_EXECUTION_FAILED_CUBLAS),
    NAME(CUDNN_STATUS_EXECUTION_FAILED_CUDART),
    NAME(CUDNN_STATUS_EXECUTION_FAILED_CURAND),
#undef NAME
};

const char *cudnnGetErrorString(cudnnStatus_t status)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (names[i].status == (int)status)
            return names[i].name;
    return "CUDNN_UNKNOWN_STATUS";
}

void cudnnGetLastErrorString(char *message, size_t max_size)
{
    if (message && max_size)
        snprintf(message, max_size, "%s", last_message);
    last_message[0] = '\0';
}

cudnnStatus_t cudnnSetCallback(unsigned mask, void *udata, cudnnCallback_t fptr)
{
    pthread_mutex_lock(&callback_lock);
    callback_mask = mask;
    callback_data = udata;
    callback_of = fptr;
    pthread_mutex_unlock(&callback_lock);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetCallback(unsigned *mask, void **udata, cudnnCallback_t *fptr)
{
    if (!mask || !udata || !fptr)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    pthread_mutex_lock(&callback_lock);
    *mask = callback_mask;
    *udata = callback_data;
    *fptr = callback_of;
    pthread_mutex_unlock(&callback_lock);
    return CUDNN_STATUS_SUCCESS;
}

/* The lock is not held while the program's function runs. */
static void call_back(cudnnStatus_t status)
{
    cudnnDebug_t debug = {.cudnn_version = CUDNN_VERSION, .cudnnStatus = status};
    cudnnCallback_t function;
    struct timeval now;
    void *data;

    pthread_mutex_lock(&callback_lock);
    function = callback_mask & CUDNN_SEV_ERROR_EN ? callback_of : NULL;
    data = callback_data;
    pthread_mutex_unlock(&callback_lock);
    if (!function)
        return;
    gettimeofday(&now, NULL);
    debug.time_sec = (unsigned)now.tv_sec;
    debug.time_usec = (unsigned)now.tv_usec;
    debug.pid = (unsigned long long)getpid();
    debug.tid = (unsigned long long)syscall(SYS_gettid);
    function(CUDNN_SEV_ERROR, data, &debug, last_message);
}

cudnnStatus_t dnn_error(cudnnStatus_t status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(last_message, sizeof(last_message), format, arguments);
    va_end(arguments);
    call_back(status);
    return status;
}
