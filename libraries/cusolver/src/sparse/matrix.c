/* SPDX-License-Identifier: MIT */
/* Copies of sparse matrices, and what descriptors of cuSPARSE say. */
#include "matrix.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

double complex sparse_load(enum openblas_type type, const void *array, int64_t index)
{
    const int64_t first = lapack_is_complex(type) ? 2 * index : index;
    const double parts[2] = {lapack_get(type, array, first),
                             lapack_is_complex(type) ? lapack_get(type, array, first + 1) : 0};
    double complex value;

    memcpy(&value, parts, sizeof(value));
    return value;
}

void sparse_store(enum openblas_type type, void *array, int64_t index, double complex value)
{
    if (!lapack_is_complex(type)) {
        lapack_set(type, array, index, creal(value));
        return;
    }
    lapack_set(type, array, 2 * index, creal(value));
    lapack_set(type, array, 2 * index + 1, cimag(value));
}

bool sparse_allocate(struct sparse_matrix *matrix, int rows, int columns, int64_t count,
                     bool has_values)
{
    const size_t room = count > 0 ? (size_t)count : 1;

    matrix->rows = rows;
    matrix->columns = columns;
    matrix->start = calloc((size_t)rows + 1, sizeof(*matrix->start));
    matrix->index = malloc(room * sizeof(*matrix->index));
    matrix->value = has_values ? malloc(room * sizeof(*matrix->value)) : NULL;
    return matrix->start && matrix->index && (!has_values || matrix->value);
}

void sparse_free(struct sparse_matrix *matrix)
{
    free(matrix->start);
    free(matrix->index);
    free(matrix->value);
    memset(matrix, 0, sizeof(*matrix));
}

static bool is_valid(const struct sparse_input *input)
{
    if (input->start[0] != input->base || input->start[input->rows] != input->base + input->count)
        return false;
    for (int i = 0; i < input->rows; i++)
        if (input->start[i + 1] < input->start[i])
            return false;
    for (int k = 0; k < input->count; k++)
        if (input->index[k] < input->base || input->index[k] - input->base >= input->columns)
            return false;
    return true;
}

cusolverStatus_t sparse_read(const struct sparse_input *input, struct sparse_matrix *result)
{
    memset(result, 0, sizeof(*result));
    if (!is_valid(input))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (!sparse_allocate(result, input->rows, input->columns, input->count, input->value != NULL))
        return CUSOLVER_STATUS_ALLOC_FAILED;
    for (int i = 0; i <= input->rows; i++)
        result->start[i] = input->start[i] - input->base;
    for (int k = 0; k < input->count; k++) {
        result->index[k] = input->index[k] - input->base;
        if (input->value)
            result->value[k] = sparse_load(input->type, input->value, k);
    }
    return CUSOLVER_STATUS_SUCCESS;
}

bool sparse_transpose(const struct sparse_matrix *matrix, struct sparse_matrix *result)
{
    const int count = matrix->start[matrix->rows];
    int *next;

    memset(result, 0, sizeof(*result));
    if (!sparse_allocate(result, matrix->columns, matrix->rows, count, matrix->value != NULL))
        return false;
    next = calloc((size_t)matrix->columns + 1, sizeof(*next));
    if (!next)
        return false;
    for (int k = 0; k < count; k++)
        result->start[matrix->index[k] + 1]++;
    for (int j = 0; j < matrix->columns; j++)
        result->start[j + 1] += result->start[j];
    memcpy(next, result->start, (size_t)matrix->columns * sizeof(*next));
    for (int i = 0; i < matrix->rows; i++)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; k++) {
            int place = next[matrix->index[k]]++;

            result->index[place] = i;
            if (matrix->value)
                result->value[place] = matrix->value[k];
        }
    free(next);
    return true;
}

bool sparse_add_diagonal(struct sparse_matrix *matrix, double complex shift)
{
    const int count = matrix->start[matrix->rows];
    struct sparse_matrix sum;
    int place = 0;

    if (!sparse_allocate(&sum, matrix->rows, matrix->columns, (int64_t)count + matrix->rows,
                         true)) {
        sparse_free(&sum);
        return false;
    }
    for (int i = 0; i < matrix->rows; i++) {
        bool has_diagonal = false;

        for (int k = matrix->start[i]; k < matrix->start[i + 1]; k++) {
            sum.index[place] = matrix->index[k];
            sum.value[place++] = matrix->value[k] + (matrix->index[k] == i ? shift : 0);
            has_diagonal |= matrix->index[k] == i;
        }
        if (!has_diagonal && i < matrix->columns) {
            sum.index[place] = i;
            sum.value[place++] = shift;
        }
        sum.start[i + 1] = place;
    }
    sparse_free(matrix);
    *matrix = sum;
    return true;
}

/* A descriptor belongs to the cuSPARSE that the program has loaded: its functions tell what it
 * says. */
static int ask(const char *function, const cusparseMatDescr_t descriptor)
{
    void *library = dlopen("libcusparse.so.12", RTLD_NOW | RTLD_NOLOAD);
    int (*get)(cusparseMatDescr_t) =
        (int (*)(cusparseMatDescr_t))dlsym(library ? library : RTLD_DEFAULT, function);
    int answer = get ? get(descriptor) : -1;

    if (library)
        dlclose(library);
    return answer;
}

cusolverStatus_t sparse_base(const cusparseMatDescr_t descriptor, int *base)
{
    if (!descriptor)
        return CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
    *base = ask("cusparseGetMatIndexBase", descriptor);
    if (*base != 0 && *base != 1)
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (ask("cusparseGetMatType", descriptor) != 0)
        return CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
    return CUSOLVER_STATUS_SUCCESS;
}
