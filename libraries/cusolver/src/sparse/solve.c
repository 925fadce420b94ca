/* SPDX-License-Identifier: MIT */
/* Factors and solutions that the functions for sparse matrices share. */
#include "order.h"
#include "sparse.h"

#include <math.h>
#include <stdlib.h>

/* The order for a number that programs give; NULL for the natural one. */
static order_function *function_of(int reorder)
{
    static order_function *const functions[] = {NULL, order_reverse_cuthill_mckee,
                                                order_minimum_degree, order_nested_dissection};

    return (unsigned)reorder < 4 ? functions[reorder] : NULL;
}

static cusolverStatus_t put_in_order(const struct sparse_matrix *matrix, int reorder, int **order)
{
    order_function *function = function_of(reorder);
    struct sparse_matrix graph = {.rows = 0};
    bool has_memory;

    *order = NULL;
    if (!function)
        return CUSOLVER_STATUS_SUCCESS;
    *order = malloc(((size_t)matrix->rows + 1) * sizeof(**order));
    has_memory = *order && order_symmetric_pattern(matrix, &graph) && function(&graph, *order);
    sparse_free(&graph);
    return has_memory ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

cusolverStatus_t sparse_factor(const struct sparse_input *input, double complex shift, int reorder,
                               enum sparse_pivots pivots, double threshold, struct sparse_lu *lu)
{
    struct sparse_matrix matrix = {.rows = 0}, columns = {.rows = 0};
    cusolverStatus_t status = sparse_read(input, &matrix);
    int *order = NULL;

    *lu = (struct sparse_lu){.n = 0};
    if (status == CUSOLVER_STATUS_SUCCESS && shift != 0 && !sparse_add_diagonal(&matrix, shift))
        status = CUSOLVER_STATUS_ALLOC_FAILED;
    if (status == CUSOLVER_STATUS_SUCCESS)
        status = put_in_order(&matrix, reorder, &order);
    if (status == CUSOLVER_STATUS_SUCCESS && !sparse_transpose(&matrix, &columns))
        status = CUSOLVER_STATUS_ALLOC_FAILED;
    if (status == CUSOLVER_STATUS_SUCCESS)
        status = sparse_lu_factor(&columns, order, pivots, threshold, lu);
    free(order);
    sparse_free(&matrix);
    sparse_free(&columns);
    return status;
}

cusolverStatus_t sparse_solve(const struct sparse_lu *lu, enum openblas_type type, const void *b,
                              void *x)
{
    const size_t n = (size_t)lu->n;
    double complex *numbers = malloc((2 * n + 1) * sizeof(*numbers));

    if (!numbers)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    for (int i = 0; i < lu->n; i++)
        numbers[i] = sparse_load(type, b, i);
    sparse_lu_solve(lu, numbers, numbers + n);
    for (int i = 0; i < lu->n; i++)
        sparse_store(type, x, i, numbers[i]);
    free(numbers);
    return CUSOLVER_STATUS_SUCCESS;
}

/* A dense system in complex doubles, with its QR factors. */
struct dense {
    openblas_int m, n;
    double complex *a, *b, *tau;
    openblas_int *order;
    double *rwork;
};

static openblas_int call_geqp3(const void *arguments, void *work, openblas_int lwork)
{
    const struct dense *d = arguments;
    openblas_int info = 0;

    lapack()->geqp3_complex[OPENBLAS_Z](&d->m, &d->n, d->a, &d->m, d->order, d->tau, work, &lwork,
                                        d->rwork, &info);
    return info;
}

static openblas_int call_unmqr(const void *arguments, void *work, openblas_int lwork)
{
    const struct dense *d = arguments;
    const openblas_int one = 1;
    openblas_int info = 0;

    lapack()->ormqr[OPENBLAS_Z]("L", "C", &d->m, &one, &d->n, d->a, &d->m, d->tau, d->b, &d->m,
                                work, &lwork, &info, 1, 1);
    return info;
}

static bool fill(struct dense *d, const struct sparse_matrix *matrix, enum openblas_type type,
                 const void *b)
{
    const size_t m = (size_t)matrix->rows, n = (size_t)matrix->columns;

    d->m = matrix->rows;
    d->n = matrix->columns;
    d->a = calloc(m * n + 1, sizeof(*d->a));
    d->b = calloc(m + 1, sizeof(*d->b));
    d->tau = calloc(n + 1, sizeof(*d->tau));
    d->order = calloc(n + 1, sizeof(*d->order));
    d->rwork = calloc(2 * n + 1, sizeof(*d->rwork));
    if (!d->a || !d->b || !d->tau || !d->order || !d->rwork)
        return false;
    for (int i = 0; i < matrix->rows; i++) {
        d->b[i] = sparse_load(type, b, i);
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; k++)
            d->a[(size_t)i + (size_t)matrix->index[k] * m] += matrix->value[k];
    }
    return true;
}

static double norm_from(const struct dense *d, openblas_int first)
{
    double sum = 0;

    for (openblas_int i = first; i < d->m; i++)
        sum += creal(d->b[i] * conj(d->b[i]));
    return sqrt(sum);
}

/* Solves with the first `rank` columns; the other unknowns are 0. */
static void solve_basic(const struct dense *d, openblas_int rank, enum openblas_type type, void *x)
{
    const openblas_int one = 1;

    if (rank > 0)
        openblas()->trsm[OPENBLAS_Z]("L", "U", "N", "N", &rank, &one, lapack_number(OPENBLAS_Z, 1),
                                     d->a, &d->m, d->b, &d->m, 1, 1, 1, 1);
    for (openblas_int j = 0; j < d->n; j++)
        sparse_store(type, x, d->order[j] - 1, j < rank ? d->b[j] : 0);
}

cusolverStatus_t sparse_least_squares(const struct sparse_input *input, enum openblas_type type,
                                      const void *b, double tolerance, int *rank, void *x,
                                      int *order, double *residual)
{
    struct sparse_matrix matrix = {.rows = 0};
    struct dense d = {.m = 0};
    cusolverStatus_t status = sparse_read(input, &matrix);
    openblas_int info = 0, found = 0;

    if (status == CUSOLVER_STATUS_SUCCESS &&
        (!fill(&d, &matrix, type, b) ||
         lapack_with_work(OPENBLAS_Z, call_geqp3, &d, &info) != CUDA_SUCCESS ||
         lapack_with_work(OPENBLAS_Z, call_unmqr, &d, &info) != CUDA_SUCCESS))
        status = CUSOLVER_STATUS_ALLOC_FAILED;
    if (status == CUSOLVER_STATUS_SUCCESS) {
        while (found < d.n && cabs(d.a[(size_t)found * (size_t)(d.m + 1)]) > tolerance)
            found++;
        if (residual)
            *residual = norm_from(&d, found);
        solve_basic(&d, found, type, x);
        for (int j = 0; order && j < d.n; j++)
            order[j] = d.order[j] - 1;
        *rank = found;
    }
    free(d.a);
    free(d.b);
    free(d.tau);
    free(d.order);
    free(d.rwork);
    sparse_free(&matrix);
    return status;
}
