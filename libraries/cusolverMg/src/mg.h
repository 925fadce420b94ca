/* SPDX-License-Identifier: MIT */
/* What the functions for several devices share: the handle, and matrices whose blocks of columns go
 * round the devices. A function gathers its matrices from the devices into host memory, calls
 * LAPACK in the calling thread, and puts back what it changed. Each copy is work of the default
 * stream of its device, so that it waits for what was submitted there before. */
#ifndef CUSOLVERMG_MG_H
#define CUSOLVERMG_MG_H

#include "solver.h"

#include <cusolverMg.h>

enum { MG_DEVICES = 64 };

struct cusolverMgContext {
    struct lib_object base;
    int count; /* of selected devices */
    int devices[MG_DEVICES];
    CUcontext contexts[MG_DEVICES];
};

/* One row of devices. */
struct mg_grid {
    struct lib_object base;
    int32_t count;
    int32_t devices[MG_DEVICES];
};

/* A matrix; it has a copy of its grid. A device has columns of `rows` elements. */
struct mg_matrix {
    struct lib_object base;
    int64_t rows, columns, block;
    cudaDataType type;
    int32_t count;
    int32_t devices[MG_DEVICES];
};

bool mg_is_handle(cusolverMgHandle_t handle);
const struct mg_matrix *mg_matrix(cudaLibMgMatrixDesc_t descr); /* NULL: it is none */

/* A part of a matrix on the devices, and a dense copy of it, by columns without gaps. */
struct mg_part {
    cusolverMgHandle_t handle;
    const char *name; /* of the call */
    const struct mg_matrix *matrix;
    void *const *arrays; /* one for each device */
    int64_t ld;          /* of the arrays */
    size_t bytes;        /* of an element */
    int64_t row, column; /* the first, from 0 */
    int64_t rows, columns;
    char *dense;
};

/* Allocates the dense copy and fills it from the devices. After an error nothing is to be freed. */
cusolverStatus_t mg_gather(struct mg_part *part);

/* Writes the dense copy back. */
cusolverStatus_t mg_scatter(const struct mg_part *part);

#endif
