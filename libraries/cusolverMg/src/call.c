/* SPDX-License-Identifier: MIT */
/* What all calls that compute check, and the parts of matrices that their arguments name. */
#include "call.h"

#include <stddef.h>

enum { LEAST_WORK = 64 };

cusolverStatus_t mg_check(const struct mg_call *call, const struct solver_check *checks)
{
    int wrong;

    if (!mg_is_handle(call->handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    wrong = solver_first_wrong(checks);
    if (wrong && call->info)
        *call->info = -wrong;
    return wrong || !call->handle->count ? CUSOLVER_STATUS_INVALID_VALUE : CUSOLVER_STATUS_SUCCESS;
}

bool mg_is_matrix(const struct mg_argument *argument, cudaDataType type)
{
    const struct mg_matrix *matrix = mg_matrix(argument->descr);

    return matrix && matrix->type == type;
}

bool mg_contains(const struct mg_argument *argument, int64_t rows, int64_t columns)
{
    const struct mg_matrix *matrix = mg_matrix(argument->descr);

    return matrix && matrix->block > 0 && argument->row >= 1 && argument->column >= 1 &&
           argument->row - 1 + rows <= matrix->rows &&
           argument->column - 1 + columns <= matrix->columns;
}

struct mg_part mg_part_of(const struct mg_call *call, const struct mg_argument *argument,
                          int64_t rows, int64_t columns)
{
    const struct mg_matrix *matrix = mg_matrix(argument->descr);

    return (struct mg_part){.handle = call->handle,
                            .name = call->name,
                            .matrix = matrix,
                            .arrays = argument->arrays,
                            .ld = matrix->rows,
                            .bytes = lapack_bytes(call->type),
                            .row = argument->row - 1,
                            .column = argument->column - 1,
                            .rows = rows,
                            .columns = columns};
}

struct mg_part mg_pivots_of(const struct mg_call *call, const struct mg_argument *argument,
                            int *const *arrays, int64_t count)
{
    struct mg_part part = mg_part_of(call, argument, 1, count);

    part.arrays = (void *const *)arrays;
    part.ld = 1;
    part.bytes = sizeof(int);
    part.row = 0;
    return part;
}

struct mg_call mg_call_of(const char *name, cusolverMgHandle_t handle, cudaDataType type, int *info)
{
    struct mg_call call = {name, handle, type, OPENBLAS_S, info};

    solver_type(type, &call.type);
    return call;
}

bool mg_is_type(cudaDataType type)
{
    enum openblas_type found;

    return solver_type(type, &found);
}

cusolverStatus_t mg_answer(cusolverStatus_t status, int64_t *lwork)
{
    if (status == CUSOLVER_STATUS_SUCCESS && !lwork)
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (status == CUSOLVER_STATUS_SUCCESS)
        *lwork = LEAST_WORK;
    return status;
}
