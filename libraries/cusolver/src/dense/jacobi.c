/* SPDX-License-Identifier: MIT */
/* Parameters of Jacobi's methods. Direct methods stand below, but for batches that are not sorted:
 * the parameters are kept, no sweeps are told, and no residual remains. */
#include "jacobi.h"

#include "solver.h"

struct parameters {
    struct lib_object base;
    double tolerance;
    int sweeps_most, sorts;
};

static const struct lib_object_type eigen_type = {.bytes = sizeof(struct parameters)};
static const struct lib_object_type svd_type = {.bytes = sizeof(struct parameters)};

bool jacobi_is_svd(gesvdjInfo_t info)
{
    return lib_object_is(info, &svd_type);
}

bool jacobi_is_eigen(syevjInfo_t info)
{
    return lib_object_is(info, &eigen_type);
}

bool jacobi_sorts_svd(gesvdjInfo_t info)
{
    return ((const struct parameters *)info)->sorts != 0;
}

bool jacobi_sorts_eigen(syevjInfo_t info)
{
    return ((const struct parameters *)info)->sorts != 0;
}

static cusolverStatus_t create(const struct lib_object_type *type, void **result)
{
    struct parameters *created;

    if (!result)
        return CUSOLVER_STATUS_INVALID_VALUE;
    created = lib_object_create(type);
    if (!created)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    created->sweeps_most = 100;
    created->sorts = 1;
    *result = created;
    return CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t destroy(const struct lib_object_type *type, void *info)
{
    if (!info)
        return CUSOLVER_STATUS_SUCCESS;
    return lib_object_destroy(info, type) ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}

static struct parameters *parameters(const struct lib_object_type *type, void *info)
{
    return lib_object_is(info, type) ? info : NULL;
}

static cusolverStatus_t set_tolerance(struct parameters *info, double tolerance)
{
    if (!info)
        return CUSOLVER_STATUS_INVALID_VALUE;
    info->tolerance = tolerance;
    return CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t set_sweeps(struct parameters *info, int sweeps)
{
    if (!info)
        return CUSOLVER_STATUS_INVALID_VALUE;
    info->sweeps_most = sweeps;
    return CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t set_sorts(struct parameters *info, int sorts)
{
    if (!info)
        return CUSOLVER_STATUS_INVALID_VALUE;
    info->sorts = sorts;
    return CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t get_residual(cusolverDnHandle_t handle, const struct parameters *info,
                                     double *residual)
{
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!info || !residual)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *residual = 0;
    return CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t get_sweeps(cusolverDnHandle_t handle, const struct parameters *info,
                                   int *sweeps)
{
    if (!solver_is_dense(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!info || !sweeps)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *sweeps = 0;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnCreateSyevjInfo(syevjInfo_t *info)
{
    return create(&eigen_type, (void **)info);
}

cusolverStatus_t cusolverDnDestroySyevjInfo(syevjInfo_t info)
{
    return destroy(&eigen_type, info);
}

cusolverStatus_t cusolverDnXsyevjSetTolerance(syevjInfo_t info, double tolerance)
{
    return set_tolerance(parameters(&eigen_type, info), tolerance);
}

cusolverStatus_t cusolverDnXsyevjSetMaxSweeps(syevjInfo_t info, int max_sweeps)
{
    return set_sweeps(parameters(&eigen_type, info), max_sweeps);
}

cusolverStatus_t cusolverDnXsyevjSetSortEig(syevjInfo_t info, int sort_eig)
{
    return set_sorts(parameters(&eigen_type, info), sort_eig);
}

cusolverStatus_t cusolverDnXsyevjGetResidual(cusolverDnHandle_t handle, syevjInfo_t info,
                                             double *residual)
{
    return get_residual(handle, parameters(&eigen_type, info), residual);
}

cusolverStatus_t cusolverDnXsyevjGetSweeps(cusolverDnHandle_t handle, syevjInfo_t info,
                                           int *executed_sweeps)
{
    return get_sweeps(handle, parameters(&eigen_type, info), executed_sweeps);
}

cusolverStatus_t cusolverDnCreateGesvdjInfo(gesvdjInfo_t *info)
{
    return create(&svd_type, (void **)info);
}

cusolverStatus_t cusolverDnDestroyGesvdjInfo(gesvdjInfo_t info)
{
    return destroy(&svd_type, info);
}

cusolverStatus_t cusolverDnXgesvdjSetTolerance(gesvdjInfo_t info, double tolerance)
{
    return set_tolerance(parameters(&svd_type, info), tolerance);
}

cusolverStatus_t cusolverDnXgesvdjSetMaxSweeps(gesvdjInfo_t info, int max_sweeps)
{
    return set_sweeps(parameters(&svd_type, info), max_sweeps);
}

cusolverStatus_t cusolverDnXgesvdjSetSortEig(gesvdjInfo_t info, int sort_svd)
{
    return set_sorts(parameters(&svd_type, info), sort_svd);
}

cusolverStatus_t cusolverDnXgesvdjGetResidual(cusolverDnHandle_t handle, gesvdjInfo_t info,
                                              double *residual)
{
    return get_residual(handle, parameters(&svd_type, info), residual);
}

cusolverStatus_t cusolverDnXgesvdjGetSweeps(cusolverDnHandle_t handle, gesvdjInfo_t info,
                                            int *executed_sweeps)
{
    return get_sweeps(handle, parameters(&svd_type, info), executed_sweeps);
}
