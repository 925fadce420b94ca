/* SPDX-License-Identifier: MIT */
/* cusolverRf: matrices with one pattern are factored again and again with the pivots and the
 * pattern of the first factors. The bundled factors are M = L - I + U, in compressed rows with
 * sorted columns. Row i of P A Q^T is row P[i] of A, with column Q[j] at j. Calls have no stream:
 * they are work of the default one. */
#include "refactor.h"

#include "driver.h"

#include <stdlib.h>
#include <string.h>

const struct lib_object_type refactor_type = {sizeof(struct cusolverRfCommon), refactor_clear};

void refactor_clear(void *object)
{
    cusolverRfHandle_t handle = object;

    free(handle->start);
    free(handle->index);
    free(handle->diagonal);
    free(handle->value);
    free(handle->place);
    free(handle->p);
    free(handle->q);
    handle->start = handle->index = handle->diagonal = handle->place = handle->p = handle->q = NULL;
    handle->value = NULL;
    handle->is_set = handle->is_analysed = handle->is_factored = false;
}

static int by_number(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

/* Joins the patterns of the rows of L, of U and of the diagonal. */
static bool join_patterns(cusolverRfHandle_t handle, const struct refactor_setup *setup)
{
    const int n = setup->n;
    int count = 0;

    handle->start = calloc((size_t)n + 1, sizeof(int));
    handle->diagonal = malloc(((size_t)n + 1) * sizeof(int));
    handle->index =
        malloc(((size_t)setup->l.count + (size_t)setup->u.count + (size_t)n + 1) * sizeof(int));
    if (!handle->start || !handle->diagonal || !handle->index)
        return false;
    for (int i = 0; i < n; i++) {
        const struct refactor_matrix *both[] = {&setup->l, &setup->u};
        const int first = count;

        handle->index[count++] = i;
        for (int side = 0; side < 2; side++)
            for (int k = both[side]->start[i]; k < both[side]->start[i + 1]; k++)
                if (both[side]->index[k] != i)
                    handle->index[count++] = both[side]->index[k];
        qsort(handle->index + first, (size_t)(count - first), sizeof(int), by_number);
        handle->start[i + 1] = count;
        for (int k = first; k < count; k++)
            if (handle->index[k] == i)
                handle->diagonal[i] = k;
    }
    handle->count = count;
    return true;
}

/* The place in the factors of row i and column j; -1: none. */
static int place_of(cusolverRfHandle_t handle, int i, int j)
{
    const int *found =
        bsearch(&j, handle->index + handle->start[i],
                (size_t)(handle->start[i + 1] - handle->start[i]), sizeof(int), by_number);

    return found ? (int)(found - handle->index) : -1;
}

static bool invert(const int *permutation, int n, int *inverse)
{
    for (int i = 0; i < n; i++)
        inverse[i] = -1;
    for (int i = 0; i < n; i++) {
        if (permutation[i] < 0 || permutation[i] >= n || inverse[permutation[i]] >= 0)
            return false;
        inverse[permutation[i]] = i;
    }
    return true;
}

/* Finds where each number of A goes. */
static cusolverStatus_t map_matrix(cusolverRfHandle_t handle, const struct refactor_setup *setup)
{
    const int n = setup->n;
    int *row = malloc(((size_t)n + 1) * sizeof(int)),
        *column = malloc(((size_t)n + 1) * sizeof(int));
    cusolverStatus_t status = CUSOLVER_STATUS_SUCCESS;

    handle->place = malloc(((size_t)setup->a.count + 1) * sizeof(int));
    if (!row || !column || !handle->place)
        status = CUSOLVER_STATUS_ALLOC_FAILED;
    else if (!invert(setup->p, n, row) || !invert(setup->q, n, column))
        status = CUSOLVER_STATUS_INVALID_VALUE;
    for (int i = 0; status == CUSOLVER_STATUS_SUCCESS && i < n; i++)
        for (int k = setup->a.start[i]; k < setup->a.start[i + 1]; k++) {
            handle->place[k] = place_of(handle, row[i], column[setup->a.index[k]]);
            if (handle->place[k] < 0)
                status = CUSOLVER_STATUS_INVALID_VALUE;
        }
    free(row);
    free(column);
    return status;
}

static bool is_matrix(const struct refactor_matrix *matrix, int n)
{
    if (!matrix->start || !matrix->index || matrix->count < 0 || matrix->start[0] != 0 ||
        matrix->start[n] != matrix->count)
        return false;
    for (int i = 0; i < n; i++)
        if (matrix->start[i + 1] < matrix->start[i])
            return false;
    for (int k = 0; k < matrix->count; k++)
        if (matrix->index[k] < 0 || matrix->index[k] >= n)
            return false;
    return true;
}

static bool copy_permutations(cusolverRfHandle_t handle, const struct refactor_setup *setup)
{
    const size_t bytes = (size_t)setup->n * sizeof(int);

    handle->p = malloc(bytes + 1);
    handle->q = malloc(bytes + 1);
    if (!handle->p || !handle->q)
        return false;
    memcpy(handle->p, setup->p, bytes);
    memcpy(handle->q, setup->q, bytes);
    return true;
}

cusolverStatus_t refactor_set_up(cusolverRfHandle_t handle, const struct refactor_setup *setup)
{
    cusolverStatus_t status;

    if (!is_matrix(&setup->a, setup->n) || !is_matrix(&setup->l, setup->n) ||
        !is_matrix(&setup->u, setup->n))
        return CUSOLVER_STATUS_INVALID_VALUE;
    refactor_clear(handle);
    handle->n = setup->n;
    handle->count_a = setup->a.count;
    handle->batch = setup->batch;
    if (!join_patterns(handle, setup) || !copy_permutations(handle, setup))
        return CUSOLVER_STATUS_ALLOC_FAILED;
    status = map_matrix(handle, setup);
    if (status != CUSOLVER_STATUS_SUCCESS)
        return status;
    handle->value = calloc((size_t)handle->count * (size_t)setup->batch + 1, sizeof(double));
    if (!handle->value)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    for (int i = 0; i < setup->batch; i++)
        refactor_reset(handle, i, setup->values[i]);
    handle->is_set = true;
    return CUSOLVER_STATUS_SUCCESS;
}

void refactor_reset(cusolverRfHandle_t handle, int matrix, const double *values)
{
    double *value = handle->value + (size_t)matrix * (size_t)handle->count;

    memset(value, 0, (size_t)handle->count * sizeof(*value));
    for (int k = 0; k < handle->count_a; k++)
        value[handle->place[k]] += values[k];
}

/* Factors row by row within the pattern. Returns the first row whose pivot is zero, or -1. A small
 * pivot is replaced, if the program has said what is small. */
int refactor_factor(cusolverRfHandle_t handle, int matrix, int *places)
{
    double *value = handle->value + (size_t)matrix * (size_t)handle->count;
    int zero = -1;

    for (int i = 0; i < handle->n; i++)
        places[i] = -1;
    for (int i = 0; i < handle->n; i++) {
        double *pivot = &value[handle->diagonal[i]];

        for (int k = handle->start[i]; k < handle->start[i + 1]; k++)
            places[handle->index[k]] = k;
        for (int k = handle->start[i]; k < handle->diagonal[i]; k++) {
            const int row = handle->index[k];

            value[k] /= value[handle->diagonal[row]];
            for (int l = handle->diagonal[row] + 1; l < handle->start[row + 1]; l++)
                if (places[handle->index[l]] >= 0)
                    value[places[handle->index[l]]] -= value[k] * value[l];
        }
        if (handle->zero > 0 && (*pivot < 0 ? -*pivot : *pivot) < handle->zero) {
            *pivot = *pivot < 0 ? -handle->boost : handle->boost;
            handle->was_boosted = true;
        }
        if (*pivot == 0 && zero < 0)
            zero = i;
        for (int k = handle->start[i]; k < handle->start[i + 1]; k++)
            places[handle->index[k]] = -1;
    }
    return zero;
}

/* Solves A x = b in place of b, with memory for n numbers. */
void refactor_solve(cusolverRfHandle_t handle, int matrix, double *x, double *memory)
{
    const double *value = handle->value + (size_t)matrix * (size_t)handle->count;

    for (int i = 0; i < handle->n; i++) {
        memory[i] = x[handle->p[i]];
        for (int k = handle->start[i]; k < handle->diagonal[i]; k++)
            memory[i] -= value[k] * memory[handle->index[k]];
    }
    for (int i = handle->n - 1; i >= 0; i--) {
        for (int k = handle->diagonal[i] + 1; k < handle->start[i + 1]; k++)
            memory[i] -= value[k] * memory[handle->index[k]];
        memory[i] /= value[handle->diagonal[i]];
    }
    for (int i = 0; i < handle->n; i++)
        x[handle->q[i]] = memory[i];
}
