/* SPDX-License-Identifier: MIT */
/* Parts of matrices between the devices and host memory. Block k of the columns is on device
 * k modulo their number, behind the blocks that the device has before it. */
#include "mg.h"

#include "driver.h"

#include <stdlib.h>
#include <string.h>

struct copy {
    const struct mg_part *part;
    int32_t device; /* its place in the grid */
    bool writes;
};

/* The column that a device keeps column `column` of the matrix as; -1: another device has it. */
static int64_t local_column(const struct mg_matrix *matrix, int32_t device, int64_t column)
{
    int64_t block = column / matrix->block;

    if (block % matrix->count != device)
        return -1;
    return block / matrix->count * matrix->block + column % matrix->block;
}

static CUresult copy_run(void *arguments)
{
    const struct copy *copy = arguments;
    const struct mg_part *part = copy->part;
    size_t bytes = (size_t)part->rows * part->bytes;

    for (int64_t j = 0; j < part->columns; j++) {
        int64_t local = local_column(part->matrix, copy->device, part->column + j);
        char *there = (char *)part->arrays[copy->device] +
                      (size_t)(local * part->ld + part->row) * part->bytes;
        char *here = part->dense + (size_t)j * bytes;

        if (local < 0)
            continue;
        if (copy->writes)
            memcpy(there, here, bytes);
        else
            memcpy(here, there, bytes);
    }
    return CUDA_SUCCESS;
}

/* The columns of the part on a device: they follow each other there. */
static int64_t device_columns(const struct mg_part *part, int32_t device, int64_t *first)
{
    int64_t count = 0;

    for (int64_t j = 0; j < part->columns; j++) {
        int64_t local = local_column(part->matrix, device, part->column + j);

        if (local >= 0 && count++ == 0)
            *first = local;
    }
    return count;
}

static CUcontext context_of(cusolverMgHandle_t handle, int device)
{
    for (int i = 0; i < handle->count; i++)
        if (handle->devices[i] == device)
            return handle->contexts[i];
    return NULL;
}

static cusolverStatus_t copy_device(const struct mg_part *part, int32_t device, bool writes)
{
    CUcontext context = context_of(part->handle, part->matrix->devices[device]);
    struct copy copy = {part, device, writes};
    struct solver_ranges ranges = {.count = 0};
    int64_t first = 0, count = device_columns(part, device, &first);

    if (!count || !part->rows)
        return CUSOLVER_STATUS_SUCCESS;
    if (!context || !part->arrays[device])
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (lib_driver()->context_set_current(context) != CUDA_SUCCESS)
        return CUSOLVER_STATUS_EXECUTION_FAILED;
    solver_add(&ranges, writes ? SOLVER_WRITTEN : SOLVER_READ,
               (char *)part->arrays[device] + (size_t)(first * part->ld + part->row) * part->bytes,
               part->rows, count, part->ld, part->bytes);
    return solver_submit_wait(NULL, part->name, (double)part->rows * (double)count, &ranges,
                              copy_run, &copy);
}

static cusolverStatus_t copy_part(const struct mg_part *part, bool writes)
{
    cusolverStatus_t status = CUSOLVER_STATUS_SUCCESS;
    CUcontext before = NULL;

    lib_driver()->context_get_current(&before);
    for (int32_t i = 0; i < part->matrix->count && status == CUSOLVER_STATUS_SUCCESS; i++)
        status = copy_device(part, i, writes);
    lib_driver()->context_set_current(before);
    return status;
}

cusolverStatus_t mg_gather(struct mg_part *part)
{
    cusolverStatus_t status;

    part->dense = malloc((size_t)(part->rows * part->columns) * part->bytes + 1);
    if (!part->dense)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    status = copy_part(part, false);
    if (status != CUSOLVER_STATUS_SUCCESS) {
        free(part->dense);
        part->dense = NULL;
    }
    return status;
}

cusolverStatus_t mg_scatter(const struct mg_part *part)
{
    return copy_part(part, true);
}
