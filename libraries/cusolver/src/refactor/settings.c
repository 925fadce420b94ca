/* SPDX-License-Identifier: MIT */
/* Handles of cusolverRf and their settings. One algorithm stands below all choices of algorithms.
 */
#include "refactor.h"

#include "driver.h"

static bool is_handle(cusolverRfHandle_t handle)
{
    return lib_object_is(handle, &refactor_type);
}

cusolverStatus_t cusolverRfCreate(cusolverRfHandle_t *handle)
{
    cusolverRfHandle_t created;

    if (!handle)
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (lib_ensure_context() != CUDA_SUCCESS)
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    created = lib_object_create(&refactor_type);
    if (!created)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    created->solution = CUSOLVERRF_TRIANGULAR_SOLVE_ALG1;
    *handle = created;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfDestroy(cusolverRfHandle_t handle)
{
    return lib_object_destroy(handle, &refactor_type) ? CUSOLVER_STATUS_SUCCESS
                                                      : CUSOLVER_STATUS_NOT_INITIALIZED;
}

cusolverStatus_t cusolverRfGetMatrixFormat(cusolverRfHandle_t handle,
                                           cusolverRfMatrixFormat_t *format,
                                           cusolverRfUnitDiagonal_t *diag)
{
    if (!is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!format || !diag)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *format = handle->format;
    *diag = handle->unit_diagonal;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfSetMatrixFormat(cusolverRfHandle_t handle,
                                           cusolverRfMatrixFormat_t format,
                                           cusolverRfUnitDiagonal_t diag)
{
    if (!is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if ((unsigned)format > CUSOLVERRF_MATRIX_FORMAT_CSC ||
        (unsigned)diag > CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_U)
        return CUSOLVER_STATUS_INVALID_VALUE;
    handle->format = format;
    handle->unit_diagonal = diag;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfSetNumericProperties(cusolverRfHandle_t handle, double zero,
                                                double boost)
{
    if (!is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    handle->zero = zero;
    handle->boost = boost;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfGetNumericProperties(cusolverRfHandle_t handle, double *zero,
                                                double *boost)
{
    if (!is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!zero || !boost)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *zero = handle->zero;
    *boost = handle->boost;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfGetNumericBoostReport(cusolverRfHandle_t handle,
                                                 cusolverRfNumericBoostReport_t *report)
{
    if (!is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!report)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *report =
        handle->was_boosted ? CUSOLVERRF_NUMERIC_BOOST_USED : CUSOLVERRF_NUMERIC_BOOST_NOT_USED;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfSetAlgs(cusolverRfHandle_t handle, cusolverRfFactorization_t factAlg,
                                   cusolverRfTriangularSolve_t solveAlg)
{
    if (!is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if ((unsigned)factAlg > CUSOLVERRF_FACTORIZATION_ALG2 ||
        solveAlg < CUSOLVERRF_TRIANGULAR_SOLVE_ALG1 || solveAlg > CUSOLVERRF_TRIANGULAR_SOLVE_ALG3)
        return CUSOLVER_STATUS_INVALID_VALUE;
    handle->factorisation = factAlg;
    handle->solution = solveAlg;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfGetAlgs(cusolverRfHandle_t handle, cusolverRfFactorization_t *factAlg,
                                   cusolverRfTriangularSolve_t *solveAlg)
{
    if (!is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!factAlg || !solveAlg)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *factAlg = handle->factorisation;
    *solveAlg = handle->solution;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfGetResetValuesFastMode(cusolverRfHandle_t handle,
                                                  cusolverRfResetValuesFastMode_t *fastMode)
{
    if (!is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!fastMode)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *fastMode = handle->fast_mode;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfSetResetValuesFastMode(cusolverRfHandle_t handle,
                                                  cusolverRfResetValuesFastMode_t fastMode)
{
    if (!is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if ((unsigned)fastMode > CUSOLVERRF_RESET_VALUES_FAST_MODE_ON)
        return CUSOLVER_STATUS_INVALID_VALUE;
    handle->fast_mode = fastMode;
    return CUSOLVER_STATUS_SUCCESS;
}
