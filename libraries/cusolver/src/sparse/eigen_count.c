/* SPDX-License-Identifier: MIT */
/* How many eigenvalues lie in a rectangle: all of them are computed, of a dense matrix. */
#include "cusolver_typed.h"
#include "sparse.h"

#include <stdlib.h>

struct spectrum {
    openblas_int n;
    double complex *a, *w;
    double *rwork;
};

static openblas_int call_geev(const void *arguments, void *work, openblas_int lwork)
{
    const struct spectrum *s = arguments;
    const openblas_int one = 1;
    openblas_int info = 0;

    lapack()->geev_complex[OPENBLAS_Z]("N", "N", &s->n, s->a, &s->n, s->w, NULL, &one, NULL, &one,
                                       work, &lwork, s->rwork, &info, 1, 1);
    return info;
}

static cusolverStatus_t compute(const struct sparse_matrix *matrix, struct spectrum *s)
{
    const size_t n = (size_t)matrix->rows;
    openblas_int info = 0;

    s->n = matrix->rows;
    s->a = calloc(n * n + 1, sizeof(*s->a));
    s->w = calloc(n + 1, sizeof(*s->w));
    s->rwork = calloc(2 * n + 1, sizeof(*s->rwork));
    if (!s->a || !s->w || !s->rwork)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    for (size_t i = 0; i < n; i++)
        for (int k = matrix->start[i]; k < matrix->start[i + 1]; k++)
            s->a[i + (size_t)matrix->index[k] * n] += matrix->value[k];
    if (n > 0 && lapack_with_work(OPENBLAS_Z, call_geev, s, &info) != CUDA_SUCCESS)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    return info == 0 ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INTERNAL_ERROR;
}

static int count_inside(const struct spectrum *s, double complex low, double complex high)
{
    int count = 0;

    for (openblas_int i = 0; i < s->n; i++)
        count += creal(s->w[i]) >= creal(low) && creal(s->w[i]) <= creal(high) &&
                 cimag(s->w[i]) >= cimag(low) && cimag(s->w[i]) <= cimag(high);
    return count;
}

/* The corners are complex numbers for all types. */
cusolverStatus_t sp_csreigs_host(struct lib_typed typed, cusolverSpHandle_t handle, int m, int nnz,
                                 const cusparseMatDescr_t descrA, const void *csrValA,
                                 const int *csrRowPtrA, const int *csrColIndA,
                                 const void *left_bottom_corner, const void *right_upper_corner,
                                 int *num_eigs)
{
    const enum openblas_type corner = lapack_is_double(typed.type) ? OPENBLAS_Z : OPENBLAS_C;
    struct sparse_input input = {.type = typed.type,
                                 .rows = m,
                                 .columns = m,
                                 .count = nnz,
                                 .start = csrRowPtrA,
                                 .index = csrColIndA,
                                 .value = csrValA};
    struct sparse_matrix matrix = {.rows = 0};
    struct spectrum spectrum = {.n = 0};
    cusolverStatus_t status = sparse_check(handle, descrA, &input);

    if (status == CUSOLVER_STATUS_SUCCESS && (!num_eigs || (nnz > 0 && !csrValA)))
        status = CUSOLVER_STATUS_INVALID_VALUE;
    if (status == CUSOLVER_STATUS_SUCCESS && !lapack())
        status = CUSOLVER_STATUS_NOT_SUPPORTED;
    if (status == CUSOLVER_STATUS_SUCCESS)
        status = sparse_read(&input, &matrix);
    if (status == CUSOLVER_STATUS_SUCCESS)
        status = compute(&matrix, &spectrum);
    if (status == CUSOLVER_STATUS_SUCCESS)
        *num_eigs = count_inside(&spectrum, sparse_load(corner, left_bottom_corner, 0),
                                 sparse_load(corner, right_upper_corner, 0));
    free(spectrum.a);
    free(spectrum.w);
    free(spectrum.rwork);
    sparse_free(&matrix);
    return status;
}
