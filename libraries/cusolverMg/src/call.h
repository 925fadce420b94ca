/* SPDX-License-Identifier: MIT */
/* The arguments that calls have in common. */
#ifndef CUSOLVERMG_CALL_H
#define CUSOLVERMG_CALL_H

#include "mg.h"

/* A call: its name, its type, and where LAPACK's info goes. */
struct mg_call {
    const char *name;
    cusolverMgHandle_t handle;
    cudaDataType data_type;
    enum openblas_type type;
    int *info;
};

/* A matrix as arguments name it. */
struct mg_argument {
    void *const *arrays;
    int row, column; /* from 1 */
    cudaLibMgMatrixDesc_t descr;
};

struct mg_call mg_call_of(const char *name, cusolverMgHandle_t handle, cudaDataType type,
                          int *info);

/* Checks the handle, then the arguments; the first wrong one is reported in info by its number
 * behind the handle. */
cusolverStatus_t mg_check(const struct mg_call *call, const struct solver_check *checks);

/* True if the type is one of LAPACK's. */
bool mg_is_type(cudaDataType type);

/* True if the argument is a matrix of the type. */
bool mg_is_matrix(const struct mg_argument *argument, cudaDataType type);

/* True if the matrix has `rows` times `columns` elements from the first one on. */
bool mg_contains(const struct mg_argument *argument, int64_t rows, int64_t columns);

struct mg_part mg_part_of(const struct mg_call *call, const struct mg_argument *argument,
                          int64_t rows, int64_t columns);

/* The pivots of a matrix: one for each column, on the device of the column. */
struct mg_part mg_pivots_of(const struct mg_call *call, const struct mg_argument *argument,
                            int *const *arrays, int64_t count);

/* Answers a bufferSize function: working memory is wanted and not used. */
cusolverStatus_t mg_answer(cusolverStatus_t status, int64_t *lwork);

#endif
