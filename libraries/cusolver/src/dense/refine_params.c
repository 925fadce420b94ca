/* SPDX-License-Identifier: MIT */
/* Parameters and results of iterative refinement. */
#include "refine.h"

#include "object.h"

struct cusolverDnIRSParams {
    struct lib_object base;
    cusolverPrecType_t main_precision, lowest_precision; /* 0: not set */
    cusolverIRSRefinement_t solver;
    double tolerance, inner_tolerance;
    int iterations_most, inner_iterations_most;
    bool falls_back;
};

struct cusolverDnIRSInfos {
    struct lib_object base;
    int iterations, iterations_most;
    bool is_set, wants_residual;
};

static const struct lib_object_type params_type = {.bytes = sizeof(struct cusolverDnIRSParams)};
static const struct lib_object_type infos_type = {.bytes = sizeof(struct cusolverDnIRSInfos)};

static bool is_params(cusolverDnIRSParams_t params)
{
    return lib_object_is(params, &params_type);
}

static bool is_infos(cusolverDnIRSInfos_t infos)
{
    return lib_object_is(infos, &infos_type);
}

static bool is_complex_precision(cusolverPrecType_t precision)
{
    return precision >= CUSOLVER_C_8I;
}

static bool is_main(cusolverPrecType_t precision)
{
    return precision == CUSOLVER_R_64F || precision == CUSOLVER_R_32F ||
           precision == CUSOLVER_C_64F || precision == CUSOLVER_C_32F;
}

static bool is_lowest(cusolverPrecType_t precision)
{
    return is_main(precision) || (precision >= CUSOLVER_R_16F && precision <= CUSOLVER_R_TF32) ||
           (precision >= CUSOLVER_C_16F && precision <= CUSOLVER_C_TF32);
}

cusolverStatus_t refine_params_check(cusolverDnIRSParams_t params, enum openblas_type *type,
                                     bool *mixed)
{
    static const cusolverPrecType_t precisions[] = {CUSOLVER_R_32F, CUSOLVER_R_64F, CUSOLVER_C_32F,
                                                    CUSOLVER_C_64F};

    if (!is_params(params))
        return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
    if (!params->main_precision || !params->lowest_precision ||
        is_complex_precision(params->main_precision) !=
            is_complex_precision(params->lowest_precision))
        return CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC;
    if (params->solver == CUSOLVER_IRS_REFINE_NOT_SET)
        return CUSOLVER_STATUS_IRS_PARAMS_INVALID_REFINE;
    for (int i = 0; i < OPENBLAS_TYPES; i++)
        if (precisions[i] == params->main_precision)
            *type = i;
    if (mixed)
        *mixed = lapack_is_double(*type) && params->lowest_precision != params->main_precision &&
                 params->solver != CUSOLVER_IRS_REFINE_NONE;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t refine_infos_check(cusolverDnIRSInfos_t infos)
{
    return is_infos(infos) ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED;
}

void refine_infos_set(cusolverDnIRSInfos_t infos, cusolverDnIRSParams_t params, int iterations)
{
    infos->iterations = iterations;
    infos->iterations_most = params->iterations_most;
    infos->is_set = true;
}

cusolverStatus_t cusolverDnIRSParamsCreate(cusolverDnIRSParams_t *params_ptr)
{
    cusolverDnIRSParams_t created;

    if (!params_ptr)
        return CUSOLVER_STATUS_INVALID_VALUE;
    created = lib_object_create(&params_type);
    if (!created)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    created->solver = CUSOLVER_IRS_REFINE_NOT_SET;
    created->iterations_most = 50;
    created->inner_iterations_most = 50;
    created->falls_back = true;
    *params_ptr = created;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnIRSParamsDestroy(cusolverDnIRSParams_t params)
{
    return lib_object_destroy(params, &params_type) ? CUSOLVER_STATUS_SUCCESS
                                                    : CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
}

cusolverStatus_t cusolverDnIRSParamsSetRefinementSolver(cusolverDnIRSParams_t params,
                                                        cusolverIRSRefinement_t refinement_solver)
{
    if (!is_params(params))
        return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
    if (refinement_solver < CUSOLVER_IRS_REFINE_NONE ||
        refinement_solver > CUSOLVER_IRS_REFINE_GMRES_NOPCOND)
        return CUSOLVER_STATUS_IRS_PARAMS_INVALID_REFINE;
    params->solver = refinement_solver;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnIRSParamsSetSolverMainPrecision(cusolverDnIRSParams_t params,
                                                           cusolverPrecType_t solver_main_precision)
{
    if (!is_params(params))
        return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
    if (!is_main(solver_main_precision))
        return CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC;
    params->main_precision = solver_main_precision;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t
cusolverDnIRSParamsSetSolverLowestPrecision(cusolverDnIRSParams_t params,
                                            cusolverPrecType_t solver_lowest_precision)
{
    if (!is_params(params))
        return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
    if (!is_lowest(solver_lowest_precision))
        return CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC;
    params->lowest_precision = solver_lowest_precision;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnIRSParamsSetSolverPrecisions(cusolverDnIRSParams_t params,
                                                        cusolverPrecType_t solver_main_precision,
                                                        cusolverPrecType_t solver_lowest_precision)
{
    if (!is_params(params))
        return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
    if (!is_main(solver_main_precision) || !is_lowest(solver_lowest_precision))
        return CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC;
    params->main_precision = solver_main_precision;
    params->lowest_precision = solver_lowest_precision;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnIRSParamsSetTol(cusolverDnIRSParams_t params, double val)
{
    if (!is_params(params))
        return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
    params->tolerance = val;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnIRSParamsSetTolInner(cusolverDnIRSParams_t params, double val)
{
    if (!is_params(params))
        return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
    params->inner_tolerance = val;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnIRSParamsSetMaxIters(cusolverDnIRSParams_t params,
                                                cusolver_int_t maxiters)
{
    if (!is_params(params))
        return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
    params->iterations_most = maxiters;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnIRSParamsSetMaxItersInner(cusolverDnIRSParams_t params,
                                                     cusolver_int_t maxiters_inner)
{
    if (!is_params(params))
        return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
    params->inner_iterations_most = maxiters_inner;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnIRSParamsGetMaxIters(cusolverDnIRSParams_t params,
                                                cusolver_int_t *maxiters)
{
    if (!is_params(params))
        return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
    if (!maxiters)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *maxiters = params->iterations_most;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnIRSParamsEnableFallback(cusolverDnIRSParams_t params)
{
    if (!is_params(params))
        return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
    params->falls_back = true;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnIRSParamsDisableFallback(cusolverDnIRSParams_t params)
{
    if (!is_params(params))
        return CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED;
    params->falls_back = false;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnIRSInfosCreate(cusolverDnIRSInfos_t *infos_ptr)
{
    if (!infos_ptr)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *infos_ptr = lib_object_create(&infos_type);
    return *infos_ptr ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

cusolverStatus_t cusolverDnIRSInfosDestroy(cusolverDnIRSInfos_t infos)
{
    return lib_object_destroy(infos, &infos_type) ? CUSOLVER_STATUS_SUCCESS
                                                  : CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED;
}

static cusolverStatus_t get(cusolverDnIRSInfos_t infos, int value, int *result)
{
    if (!is_infos(infos))
        return CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED;
    if (!result)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *result = value;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnIRSInfosGetNiters(cusolverDnIRSInfos_t infos, cusolver_int_t *niters)
{
    return get(infos, is_infos(infos) ? infos->iterations : 0, niters);
}

/* There are no iterations within iterations. */
cusolverStatus_t cusolverDnIRSInfosGetOuterNiters(cusolverDnIRSInfos_t infos,
                                                  cusolver_int_t *outer_niters)
{
    return get(infos, is_infos(infos) ? infos->iterations : 0, outer_niters);
}

cusolverStatus_t cusolverDnIRSInfosGetMaxIters(cusolverDnIRSInfos_t infos, cusolver_int_t *maxiters)
{
    return get(infos, is_infos(infos) ? infos->iterations_most : 0, maxiters);
}

cusolverStatus_t cusolverDnIRSInfosRequestResidual(cusolverDnIRSInfos_t infos)
{
    if (!is_infos(infos))
        return CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED;
    infos->wants_residual = true;
    return CUSOLVER_STATUS_SUCCESS;
}

/* LAPACK does not tell the residuals of its iterations. */
cusolverStatus_t cusolverDnIRSInfosGetResidualHistory(cusolverDnIRSInfos_t infos,
                                                      void **residual_history)
{
    if (!is_infos(infos))
        return CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED;
    if (!residual_history)
        return CUSOLVER_STATUS_INVALID_VALUE;
    return CUSOLVER_STATUS_NOT_SUPPORTED;
}
