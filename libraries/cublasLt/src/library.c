/* SPDX-License-Identifier: MIT */
/* Handles, versions and names of statuses. A handle of cuBLAS is also one of this library: cuBLAS
 * itself is asked whether it knows it. */
#include "driver.h"
#include "logger.h"
#include "lt.h"
#include "object.h"

#include <cublas/src/status_names.h>
#include <dlfcn.h>
#include <stdatomic.h>

enum { VERSION = 130100, MAJOR = 13, MINOR = 1, PATCH = 0, CUDART_VERSION = 13000 };

struct cublasLtContext {
    struct lib_object base;
};

static const struct lib_object_type context_type = {sizeof(struct cublasLtContext), NULL};

typedef cublasStatus_t get_stream(cublasHandle_t handle, cudaStream_t *stream);

/* cublasGetStream() of the cuBLAS in the process, or NULL. */
static get_stream *find_cublas(void)
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12"};
    static _Atomic(get_stream *) found;
    get_stream *function = atomic_load(&found);

    for (size_t i = 0; !function && i < sizeof(names) / sizeof(*names); i++) {
        void *library = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);

        if (library)
            function = (get_stream *)dlsym(library, "cublasGetStream_v2");
    }
    if (function)
        atomic_store(&found, function);
    return function;
}

bool lt_handle_is_live(cublasLtHandle_t handle)
{
    get_stream *cublas;
    cudaStream_t stream;

    if (!handle)
        return false;
    if (lib_object_is(handle, &context_type))
        return true;
    cublas = find_cublas();
    return cublas && cublas((cublasHandle_t)handle, &stream) == CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t lt_status(CUresult result)
{
    switch (result) {
    case CUDA_SUCCESS:
        return CUBLAS_STATUS_SUCCESS;
    case CUDA_ERROR_OUT_OF_MEMORY:
        return CUBLAS_STATUS_ALLOC_FAILED;
    case CUDA_ERROR_NOT_INITIALIZED:
        return CUBLAS_STATUS_NOT_INITIALIZED;
    case CUDA_ERROR_NOT_SUPPORTED:
        return CUBLAS_STATUS_NOT_SUPPORTED;
    default:
        return CUBLAS_STATUS_EXECUTION_FAILED;
    }
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t *lightHandle)
{
    struct cublasLtContext *context;

    if (!lightHandle)
        return logger_answer("cublasLtCreate", CUBLAS_STATUS_INVALID_VALUE);
    if (!lib_driver() || lib_ensure_context() != CUDA_SUCCESS)
        return logger_answer("cublasLtCreate", CUBLAS_STATUS_NOT_INITIALIZED);
    context = lib_object_create(&context_type);
    if (!context)
        return logger_answer("cublasLtCreate", CUBLAS_STATUS_ALLOC_FAILED);
    *lightHandle = context;
    return logger_answer("cublasLtCreate", CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t lightHandle)
{
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;

    if (!lightHandle)
        status = CUBLAS_STATUS_INVALID_VALUE;
    else if (!lib_object_destroy(lightHandle, &context_type))
        status = CUBLAS_STATUS_NOT_INITIALIZED;
    return logger_answer("cublasLtDestroy", status);
}

const char *cublasLtGetStatusName(cublasStatus_t status)
{
    return blas_status_name(status);
}

const char *cublasLtGetStatusString(cublasStatus_t status)
{
    return blas_status_text(status);
}

size_t cublasLtGetVersion(void)
{
    return VERSION;
}

size_t cublasLtGetCudartVersion(void)
{
    return CUDART_VERSION;
}

cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int *value)
{
    static const int values[] = {MAJOR, MINOR, PATCH};

    if (!value || (int)type < 0 || (int)type > (int)PATCH_LEVEL)
        return CUBLAS_STATUS_INVALID_VALUE;
    *value = values[type];
    return CUBLAS_STATUS_SUCCESS;
}
