/* SPDX-License-Identifier: MIT */
/* The handle and its settings. */
#include "blas.h"
#include "driver.h"

#include <string.h>

enum { CUDART_VERSION_ANSWERED = 13000, MATH_MODE_BITS = 0x1f };

const struct lib_object_type blas_handle_type = {.bytes = sizeof(struct cublasContext)};

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
    struct cublasContext *context;

    if (!handle)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (lib_ensure_context() != CUDA_SUCCESS)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    blas_log_begin();
    context = lib_object_create(&blas_handle_type);
    if (!context)
        return CUBLAS_STATUS_ALLOC_FAILED;
    context->special_values = CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT;
    *handle = context;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
    return lib_object_destroy(handle, &blas_handle_type) ? CUBLAS_STATUS_SUCCESS
                                                         : CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version)
{
    (void)handle;
    if (!version)
        return CUBLAS_STATUS_INVALID_VALUE;
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value)
{
    static const int versions[] = {CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH};

    if (!value || (unsigned)type >= sizeof(versions) / sizeof(*versions))
        return CUBLAS_STATUS_INVALID_VALUE;
    *value = versions[type];
    return CUBLAS_STATUS_SUCCESS;
}

size_t cublasGetCudartVersion(void)
{
    return CUDART_VERSION_ANSWERED;
}

/* The workspace goes back to the handle's own, as the manual says. */
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t streamId)
{
    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    handle->stream = (CUstream)streamId;
    handle->workspace = NULL;
    handle->workspace_bytes = 0;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *streamId)
{
    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!streamId)
        return CUBLAS_STATUS_INVALID_VALUE;
    *streamId = (cudaStream_t)handle->stream;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace,
                                     size_t workspaceSizeInBytes)
{
    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    handle->workspace = workspace;
    handle->workspace_bytes = workspaceSizeInBytes;
    return CUBLAS_STATUS_SUCCESS;
}

/* Sets the int, or the enumeration, at `offset` in the handle, if the value is a valid one. */
static cublasStatus_t set_int(cublasHandle_t handle, size_t offset, int value, bool valid)
{
    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!valid)
        return CUBLAS_STATUS_INVALID_VALUE;
    memcpy((char *)handle + offset, &value, sizeof(value));
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t get_int(cublasHandle_t handle, size_t offset, void *value)
{
    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!value)
        return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(value, (char *)handle + offset, sizeof(int));
    return CUBLAS_STATUS_SUCCESS;
}

static bool sm_count_exists(int count)
{
    const struct lib_driver *driver = lib_driver();
    CUdevice device;
    int available = 0;

    if (!driver || driver->context_get_device(&device) != CUDA_SUCCESS ||
        driver->device_get_attribute(&available, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                                     device) != CUDA_SUCCESS)
        return false;
    return count >= 0 && count <= available;
}

/* The functions that set and get a field; `valid` is a condition on the value. */
#define SETTING(set, get, type, field, valid)                                                      \
    cublasStatus_t set(cublasHandle_t handle, type value)                                          \
    {                                                                                              \
        return set_int(handle, offsetof(struct cublasContext, field), (int)value, valid);          \
    }                                                                                              \
    cublasStatus_t get(cublasHandle_t handle, type *value)                                         \
    {                                                                                              \
        return get_int(handle, offsetof(struct cublasContext, field), value);                      \
    }

SETTING(cublasSetPointerMode_v2, cublasGetPointerMode_v2, cublasPointerMode_t, pointer_mode,
        (unsigned)value <= CUBLAS_POINTER_MODE_DEVICE)
SETTING(cublasSetAtomicsMode, cublasGetAtomicsMode, cublasAtomicsMode_t, atomics_mode,
        (unsigned)value <= CUBLAS_ATOMICS_ALLOWED)
SETTING(cublasSetMathMode, cublasGetMathMode, cublasMath_t, math_mode,
        ((unsigned)value & ~MATH_MODE_BITS) == 0)
SETTING(cublasSetSmCountTarget, cublasGetSmCountTarget, int, sm_count_target,
        sm_count_exists(value))
SETTING(cublasSetEmulationStrategy, cublasGetEmulationStrategy, cublasEmulationStrategy_t,
        emulation_strategy, (unsigned)value <= CUBLAS_EMULATION_STRATEGY_EAGER)
SETTING(cublasSetEmulationSpecialValuesSupport, cublasGetEmulationSpecialValuesSupport,
        cudaEmulationSpecialValuesSupport, special_values,
        ((unsigned)value & ~CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT) == 0)
SETTING(cublasSetFixedPointEmulationMantissaControl, cublasGetFixedPointEmulationMantissaControl,
        cudaEmulationMantissaControl, mantissa_control,
        (unsigned)value <= CUDA_EMULATION_MANTISSA_CONTROL_FIXED)
SETTING(cublasSetFixedPointEmulationMaxMantissaBitCount,
        cublasGetFixedPointEmulationMaxMantissaBitCount, int, mantissa_bits_most, value >= 0)
SETTING(cublasSetFixedPointEmulationMantissaBitOffset,
        cublasGetFixedPointEmulationMantissaBitOffset, int, mantissa_bit_offset, true)

cublasStatus_t cublasSetFixedPointEmulationMantissaBitCountPointer(cublasHandle_t handle,
                                                                   int *mantissaBitCount)
{
    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    handle->mantissa_bit_count = mantissaBitCount;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetFixedPointEmulationMantissaBitCountPointer(cublasHandle_t handle,
                                                                   int **mantissaBitCount)
{
    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!mantissaBitCount)
        return CUBLAS_STATUS_INVALID_VALUE;
    *mantissaBitCount = handle->mantissa_bit_count;
    return CUBLAS_STATUS_SUCCESS;
}
