/* SPDX-License-Identifier: MIT */
/* Handles, grids and descriptions of matrices. A grid takes any numbers for devices; that they are
 * selected is asked when a matrix is used. */
#include "mg.h"

#include "driver.h"

static void finish_handle(void *object)
{
    struct cusolverMgContext *context = object;

    for (int i = 0; i < context->count; i++)
        lib_driver()->primary_context_release(context->devices[i]);
}

static const struct lib_object_type handle_type = {sizeof(struct cusolverMgContext), finish_handle};
static const struct lib_object_type grid_type = {.bytes = sizeof(struct mg_grid)};
static const struct lib_object_type matrix_type = {.bytes = sizeof(struct mg_matrix)};

bool mg_is_handle(cusolverMgHandle_t handle)
{
    return lib_object_is(handle, &handle_type);
}

const struct mg_matrix *mg_matrix(cudaLibMgMatrixDesc_t descr)
{
    return lib_object_is(descr, &matrix_type) ? descr : NULL;
}

cusolverStatus_t cusolverMgCreate(cusolverMgHandle_t *handle)
{
    cusolverMgHandle_t created;

    if (!handle)
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (lib_ensure_context() != CUDA_SUCCESS)
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    created = lib_object_create(&handle_type);
    if (!created)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    *handle = created;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverMgDestroy(cusolverMgHandle_t handle)
{
    return lib_object_destroy(handle, &handle_type) ? CUSOLVER_STATUS_SUCCESS
                                                    : CUSOLVER_STATUS_NOT_INITIALIZED;
}

/* A device may be named more than once. */
cusolverStatus_t cusolverMgDeviceSelect(cusolverMgHandle_t handle, int nbDevices, int deviceId[])
{
    int there = 0;

    if (!mg_is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (nbDevices <= 0 || nbDevices > MG_DEVICES || !deviceId || handle->count)
        return CUSOLVER_STATUS_INVALID_VALUE;
    lib_driver()->device_get_count(&there);
    for (int i = 0; i < nbDevices; i++)
        if (deviceId[i] < 0 || deviceId[i] >= there)
            return CUSOLVER_STATUS_INTERNAL_ERROR;
    for (int i = 0; i < nbDevices; i++, handle->count = i) {
        handle->devices[i] = deviceId[i];
        if (lib_driver()->primary_context_retain(&handle->contexts[i], deviceId[i]) != CUDA_SUCCESS)
            return CUSOLVER_STATUS_INTERNAL_ERROR;
    }
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverMgCreateDeviceGrid(cudaLibMgGrid_t *grid, int32_t numRowDevices,
                                            int32_t numColDevices, const int32_t deviceId[],
                                            cusolverMgGridMapping_t mapping)
{
    struct mg_grid *created;

    (void)mapping; /* there is one row */
    if (!grid || !deviceId || numRowDevices != 1 || numColDevices < 1 || numColDevices > MG_DEVICES)
        return CUSOLVER_STATUS_INVALID_VALUE;
    created = lib_object_create(&grid_type);
    if (!created)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    created->count = numColDevices;
    for (int32_t i = 0; i < numColDevices; i++)
        created->devices[i] = deviceId[i];
    *grid = created;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverMgDestroyGrid(cudaLibMgGrid_t grid)
{
    return lib_object_destroy(grid, &grid_type) ? CUSOLVER_STATUS_SUCCESS
                                                : CUSOLVER_STATUS_INVALID_VALUE;
}

/* Rows are not divided: their block is the whole. */
cusolverStatus_t cusolverMgCreateMatrixDesc(cudaLibMgMatrixDesc_t *desc, int64_t numRows,
                                            int64_t numCols, int64_t rowBlockSize,
                                            int64_t colBlockSize, cudaDataType dataType,
                                            const cudaLibMgGrid_t grid)
{
    const struct mg_grid *devices = grid;
    struct mg_matrix *created;

    if (!desc || !lib_object_is(grid, &grid_type) || numRows < 0 || numCols < 0 ||
        rowBlockSize != numRows || colBlockSize < 0)
        return CUSOLVER_STATUS_INVALID_VALUE;
    created = lib_object_create(&matrix_type);
    if (!created)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    created->rows = numRows;
    created->columns = numCols;
    created->block = colBlockSize;
    created->type = dataType;
    created->count = devices->count;
    for (int32_t i = 0; i < devices->count; i++)
        created->devices[i] = devices->devices[i];
    *desc = created;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverMgDestroyMatrixDesc(cudaLibMgMatrixDesc_t desc)
{
    return lib_object_destroy(desc, &matrix_type) ? CUSOLVER_STATUS_SUCCESS
                                                  : CUSOLVER_STATUS_INVALID_VALUE;
}
