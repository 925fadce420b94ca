/* SPDX-License-Identifier: MIT */
/* Handles, versions and names of statuses. A handle of cuBLAS is also one of this library: cuBLAS
 * itself is asked whether it knows it. */
#include "driver.h"
#include "logger.h"
#include "lt.h"
#include "object.h"

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

static const struct {
    cublasStatus_t status;
    const char *name, *text;
} statuses[] = {
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED",
     "the library was not initialized"},
    {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE",
     "an unsupported value or parameter was passed to the function"},
    {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH",
     "the function requires an architectural feature absent from the device"},
    {CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR",
     "an access to GPU memory space failed"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED",
     "the function failed to launch on the GPU"},
    {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED",
     "the requested functionality is not supported"},
    {CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR", "the license check failed"},
};

const char *cublasLtGetStatusName(cublasStatus_t status)
{
    for (size_t i = 0; i < sizeof(statuses) / sizeof(*statuses); i++)
        if (statuses[i].status == status)
            return statuses[i].name;
    return "unrecognized status";
}

const char *cublasLtGetStatusString(cublasStatus_t status)
{
    for (size_t i = 0; i < sizeof(statuses) / sizeof(*statuses); i++)
        if (statuses[i].status == status)
            return statuses[i].text;
    return "unrecognized status";
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
