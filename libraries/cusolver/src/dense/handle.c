/* SPDX-License-Identifier: MIT */
/* Handles of cuSOLVER for dense matrices, and the parameters of the 64-bit interface. */
#include "solver.h"

#include "driver.h"

const struct lib_object_type solver_dense_type = {.bytes = sizeof(struct cusolverDnContext)};
const struct lib_object_type solver_params_type = {.bytes = sizeof(struct cusolverDnParams)};

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle)
{
    cusolverDnHandle_t created;

    if (!handle)
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (lib_ensure_context() != CUDA_SUCCESS)
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    created = lib_object_create(&solver_dense_type);
    if (!created)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    created->deterministic_mode = CUSOLVER_DETERMINISTIC_RESULTS;
    created->math_mode = CUSOLVER_DEFAULT_MATH;
    *handle = created;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle)
{
    return lib_object_destroy(handle, &solver_dense_type) ? CUSOLVER_STATUS_SUCCESS
                                                          : CUSOLVER_STATUS_NOT_INITIALIZED;
}

cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t streamId)
{
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    handle->stream = (CUstream)streamId;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t *streamId)
{
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!streamId)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *streamId = (cudaStream_t)handle->stream;
    return CUSOLVER_STATUS_SUCCESS;
}

/* Results are the same in both modes: LAPACK's are always deterministic. */
cusolverStatus_t cusolverDnSetDeterministicMode(cusolverDnHandle_t handle,
                                                cusolverDeterministicMode_t mode)
{
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (mode != CUSOLVER_DETERMINISTIC_RESULTS && mode != CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS)
        return CUSOLVER_STATUS_INTERNAL_ERROR;
    handle->deterministic_mode = mode;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnGetDeterministicMode(cusolverDnHandle_t handle,
                                                cusolverDeterministicMode_t *mode)
{
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!mode)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *mode = handle->deterministic_mode;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnSetMathMode(cusolverDnHandle_t handle, cusolverMathMode_t mode)
{
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (mode != CUSOLVER_DEFAULT_MATH && mode != CUSOLVER_FP32_EMULATED_BF16X9_MATH)
        return CUSOLVER_STATUS_INVALID_VALUE;
    handle->math_mode = mode;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnGetMathMode(cusolverDnHandle_t handle, cusolverMathMode_t *mode)
{
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!mode)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *mode = handle->math_mode;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnSetEmulationStrategy(cusolverDnHandle_t handle,
                                                cudaEmulationStrategy_t strategy)
{
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if ((unsigned)strategy > CUDA_EMULATION_STRATEGY_EAGER)
        return CUSOLVER_STATUS_INVALID_VALUE;
    handle->emulation_strategy = strategy;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnGetEmulationStrategy(cusolverDnHandle_t handle,
                                                cudaEmulationStrategy_t *strategy)
{
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!strategy)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *strategy = handle->emulation_strategy;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t *params)
{
    cusolverDnParams_t created;

    if (!params)
        return CUSOLVER_STATUS_INVALID_VALUE;
    created = lib_object_create(&solver_params_type);
    if (!created)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    *params = created;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params)
{
    if (!params)
        return CUSOLVER_STATUS_SUCCESS;
    return lib_object_destroy(params, &solver_params_type) ? CUSOLVER_STATUS_SUCCESS
                                                           : CUSOLVER_STATUS_INVALID_VALUE;
}

/* One algorithm stands below each function; the choice is kept. */
cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t function,
                                         cusolverAlgMode_t algo)
{
    if (!lib_object_is(params, &solver_params_type))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if ((unsigned)function > CUSOLVERDN_SYEVBATCHED || (unsigned)algo > CUSOLVER_ALG_2)
        return CUSOLVER_STATUS_INVALID_VALUE;
    params->algorithms[function] = algo;
    return CUSOLVER_STATUS_SUCCESS;
}
