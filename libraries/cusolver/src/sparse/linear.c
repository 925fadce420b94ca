/* SPDX-License-Identifier: MIT */
/* Linear systems, least squares, eigenvalues near a number, and batches. Functions with Host in
 * their names compute where they are called; the others are work of the stream, and wait if they
 * have a result for the host. */
#include "cusolver_typed.h"
#include "sparse.h"

#include <math.h>
#include <stdlib.h>

enum { POWER = 10 }; /* a diagonal that is a tenth of the largest number is a pivot */

struct linear {
    struct sparse_input input;
    enum sparse_pivots pivots;
    int reorder;
    double tolerance;
    const void *b;
    void *x;
    int singularity;
    cusolverStatus_t status;
};

static CUresult run_linear(void *arguments)
{
    struct linear *job = arguments;
    struct sparse_lu lu;

    job->status = sparse_factor(&job->input, 0, job->reorder, job->pivots, 1.0 / POWER, &lu);
    if (job->status == CUSOLVER_STATUS_SUCCESS) {
        job->singularity = sparse_lu_small_pivot(&lu, job->tolerance);
        if (lu.singular_at < 0)
            job->status = sparse_solve(&lu, job->input.type, job->b, job->x);
    }
    sparse_lu_free(&lu);
    return CUDA_SUCCESS;
}

static cusolverStatus_t check_linear(cusolverSpHandle_t handle, const cusparseMatDescr_t descriptor,
                                     struct linear *job, const int *singularity)
{
    cusolverStatus_t status = sparse_check(handle, descriptor, &job->input);

    if (status != CUSOLVER_STATUS_SUCCESS)
        return status;
    return (unsigned)job->reorder > SPARSE_DISSECTION || !job->b || !job->x || !singularity ||
                   (job->input.count > 0 && !job->input.value)
               ? CUSOLVER_STATUS_INVALID_VALUE
               : CUSOLVER_STATUS_SUCCESS;
}

static struct linear describe(enum openblas_type type, int n, int count, const void *value,
                              const int *start, const int *index, const void *b,
                              const void *tolerance, int reorder, void *x,
                              enum sparse_pivots pivots)
{
    return (struct linear){.input = {.type = type,
                                     .rows = n,
                                     .columns = n,
                                     .count = count,
                                     .start = start,
                                     .index = index,
                                     .value = value},
                           .pivots = pivots,
                           .reorder = reorder,
                           .tolerance = lapack_get(type, tolerance, 0),
                           .b = b,
                           .x = x};
}

static cusolverStatus_t solve_on_host(cusolverSpHandle_t handle,
                                      const cusparseMatDescr_t descriptor, struct linear *job,
                                      int *singularity)
{
    cusolverStatus_t status = check_linear(handle, descriptor, job, singularity);

    if (status != CUSOLVER_STATUS_SUCCESS)
        return status;
    run_linear(job);
    if (job->status == CUSOLVER_STATUS_SUCCESS)
        *singularity = job->singularity;
    return job->status;
}

static cusolverStatus_t solve_on_device(cusolverSpHandle_t handle, const char *name,
                                        const cusparseMatDescr_t descriptor, struct linear *job,
                                        int *singularity)
{
    const size_t bytes = lapack_bytes(job->input.type);
    cusolverStatus_t status = check_linear(handle, descriptor, job, singularity);
    struct solver_ranges ranges = {.count = 0};

    if (status != CUSOLVER_STATUS_SUCCESS)
        return status;
    sparse_add_matrix(&ranges, &job->input);
    solver_add(&ranges, SOLVER_READ, job->b, job->input.rows, 1, 1, bytes);
    solver_add(&ranges, SOLVER_WRITTEN | SOLVER_PARTLY, job->x, job->input.rows, 1, 1, bytes);
    status =
        solver_submit_wait(handle->stream, name, 1e3 * job->input.count, &ranges, run_linear, job);
    if (status == CUSOLVER_STATUS_SUCCESS)
        status = job->status;
    if (status == CUSOLVER_STATUS_SUCCESS)
        *singularity = job->singularity;
    return status;
}

cusolverStatus_t sp_csrlsvlu_host(struct lib_typed typed, cusolverSpHandle_t handle, int n,
                                  int nnzA, const cusparseMatDescr_t descrA, const void *csrValA,
                                  const int *csrRowPtrA, const int *csrColIndA, const void *b,
                                  const void *tol, int reorder, void *x, int *singularity)
{
    struct linear job = describe(typed.type, n, nnzA, csrValA, csrRowPtrA, csrColIndA, b, tol,
                                 reorder, x, SPARSE_PIVOTS_LARGEST);

    return solve_on_host(handle, descrA, &job, singularity);
}

cusolverStatus_t sp_csrlsvqr_host(struct lib_typed typed, cusolverSpHandle_t handle, int m, int nnz,
                                  const cusparseMatDescr_t descrA, const void *csrValA,
                                  const int *csrRowPtrA, const int *csrColIndA, const void *b,
                                  const void *tol, int reorder, void *x, int *singularity)
{
    struct linear job = describe(typed.type, m, nnz, csrValA, csrRowPtrA, csrColIndA, b, tol,
                                 reorder, x, SPARSE_PIVOTS_LARGEST);

    return solve_on_host(handle, descrA, &job, singularity);
}

cusolverStatus_t sp_csrlsvqr(struct lib_typed typed, cusolverSpHandle_t handle, int m, int nnz,
                             const cusparseMatDescr_t descrA, const void *csrVal,
                             const int *csrRowPtr, const int *csrColInd, const void *b,
                             const void *tol, int reorder, void *x, int *singularity)
{
    struct linear job = describe(typed.type, m, nnz, csrVal, csrRowPtr, csrColInd, b, tol, reorder,
                                 x, SPARSE_PIVOTS_LARGEST);

    return solve_on_device(handle, typed.name, descrA, &job, singularity);
}

cusolverStatus_t sp_csrlsvchol_host(struct lib_typed typed, cusolverSpHandle_t handle, int m,
                                    int nnz, const cusparseMatDescr_t descrA, const void *csrVal,
                                    const int *csrRowPtr, const int *csrColInd, const void *b,
                                    const void *tol, int reorder, void *x, int *singularity)
{
    struct linear job = describe(typed.type, m, nnz, csrVal, csrRowPtr, csrColInd, b, tol, reorder,
                                 x, SPARSE_PIVOTS_POSITIVE);

    return solve_on_host(handle, descrA, &job, singularity);
}

cusolverStatus_t sp_csrlsvchol(struct lib_typed typed, cusolverSpHandle_t handle, int m, int nnz,
                               const cusparseMatDescr_t descrA, const void *csrVal,
                               const int *csrRowPtr, const int *csrColInd, const void *b,
                               const void *tol, int reorder, void *x, int *singularity)
{
    struct linear job = describe(typed.type, m, nnz, csrVal, csrRowPtr, csrColInd, b, tol, reorder,
                                 x, SPARSE_PIVOTS_POSITIVE);

    return solve_on_device(handle, typed.name, descrA, &job, singularity);
}

cusolverStatus_t sp_csrlsqvqr_host(struct lib_typed typed, cusolverSpHandle_t handle, int m, int n,
                                   int nnz, const cusparseMatDescr_t descrA, const void *csrValA,
                                   const int *csrRowPtrA, const int *csrColIndA, const void *b,
                                   const void *tol, int *rankA, void *x, int *p, void *min_norm)
{
    struct sparse_input input = {.type = typed.type,
                                 .rows = m,
                                 .columns = n,
                                 .count = nnz,
                                 .start = csrRowPtrA,
                                 .index = csrColIndA,
                                 .value = csrValA};
    cusolverStatus_t status = sparse_check(handle, descrA, &input);
    double residual = 0;

    if (status != CUSOLVER_STATUS_SUCCESS)
        return status;
    if (m < n || !b || !x || !rankA || !p || !min_norm || (nnz > 0 && !csrValA))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (!lapack())
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    status = sparse_least_squares(&input, typed.type, b, lapack_get(typed.type, tol, 0), rankA, x,
                                  p, &residual);
    if (status == CUSOLVER_STATUS_SUCCESS)
        lapack_set(typed.type, min_norm, 0, residual);
    return status;
}

/* The eigenvalue next to a number, by iterations with the inverse. */
struct eigenvalue {
    struct sparse_input input;
    double complex near;
    const void *start;
    int iterations_most;
    double tolerance;
    void *value, *vector;
    cusolverStatus_t status;
};

static double normalise(double complex *x, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += creal(x[i] * conj(x[i]));
    sum = sqrt(sum);
    for (int i = 0; i < n && sum > 0; i++)
        x[i] /= sum;
    return sum;
}

/* Iterates from x to an eigenvector of the shifted inverse; the eigenvalue is the quotient. */
static double complex iterate(const struct sparse_lu *lu, const struct eigenvalue *job,
                              double complex *x, double complex *y, double complex *memory)
{
    double complex value = job->near;

    normalise(x, lu->n);
    for (int round = 0; round < job->iterations_most; round++) {
        double complex product = 0, found;

        for (int i = 0; i < lu->n; i++)
            y[i] = x[i];
        sparse_lu_solve(lu, y, memory);
        for (int i = 0; i < lu->n; i++)
            product += conj(x[i]) * y[i];
        for (int i = 0; i < lu->n; i++)
            x[i] = y[i];
        normalise(x, lu->n);
        found = job->near + 1 / product;
        if (cabs(found - value) <= job->tolerance * (cabs(found) > 1 ? cabs(found) : 1)) {
            value = found;
            break;
        }
        value = found;
    }
    return value;
}

static CUresult run_eigenvalue(void *arguments)
{
    struct eigenvalue *job = arguments;
    const enum openblas_type type = job->input.type;
    const int n = job->input.rows;
    double complex *numbers = malloc((3 * (size_t)n + 1) * sizeof(*numbers));
    struct sparse_lu lu;

    job->status =
        sparse_factor(&job->input, -job->near, SPARSE_RCM, SPARSE_PIVOTS_LARGEST, 1.0 / POWER, &lu);
    if (!numbers)
        job->status = CUSOLVER_STATUS_ALLOC_FAILED;
    if (job->status == CUSOLVER_STATUS_SUCCESS && lu.singular_at < 0) {
        for (int i = 0; i < n; i++)
            numbers[i] = sparse_load(type, job->start, i);
        sparse_store(type, job->value, 0, iterate(&lu, job, numbers, numbers + n, numbers + 2 * n));
        for (int i = 0; i < n; i++)
            sparse_store(type, job->vector, i, numbers[i]);
    } else if (job->status == CUSOLVER_STATUS_SUCCESS) {
        sparse_store(type, job->value, 0, job->near);
    }
    free(numbers);
    sparse_lu_free(&lu);
    return CUDA_SUCCESS;
}

static struct eigenvalue describe_eigenvalue(enum openblas_type type, int n, int count,
                                             const void *value, const int *start, const int *index,
                                             const void *near, const void *first, int iterations,
                                             const void *tolerance, void *mu, void *x)
{
    return (struct eigenvalue){.input = {.type = type,
                                         .rows = n,
                                         .columns = n,
                                         .count = count,
                                         .start = start,
                                         .index = index,
                                         .value = value},
                               .near = sparse_load(type, near, 0),
                               .start = first,
                               .iterations_most = iterations,
                               .tolerance = lapack_get(type, tolerance, 0),
                               .value = mu,
                               .vector = x};
}

static cusolverStatus_t check_eigenvalue(cusolverSpHandle_t handle,
                                         const cusparseMatDescr_t descriptor,
                                         struct eigenvalue *job)
{
    cusolverStatus_t status = sparse_check(handle, descriptor, &job->input);

    if (status != CUSOLVER_STATUS_SUCCESS)
        return status;
    return job->start && job->value && job->vector && (job->input.count == 0 || job->input.value)
               ? CUSOLVER_STATUS_SUCCESS
               : CUSOLVER_STATUS_INVALID_VALUE;
}

cusolverStatus_t sp_csreigvsi_host(struct lib_typed typed, cusolverSpHandle_t handle, int m,
                                   int nnz, const cusparseMatDescr_t descrA, const void *csrValA,
                                   const int *csrRowPtrA, const int *csrColIndA, const void *mu0,
                                   const void *x0, int maxite, const void *tol, void *mu, void *x)
{
    struct eigenvalue job = describe_eigenvalue(typed.type, m, nnz, csrValA, csrRowPtrA, csrColIndA,
                                                mu0, x0, maxite, tol, mu, x);
    cusolverStatus_t status = check_eigenvalue(handle, descrA, &job);

    if (status != CUSOLVER_STATUS_SUCCESS)
        return status;
    run_eigenvalue(&job);
    return job.status;
}

cusolverStatus_t sp_csreigvsi(struct lib_typed typed, cusolverSpHandle_t handle, int m, int nnz,
                              const cusparseMatDescr_t descrA, const void *csrValA,
                              const int *csrRowPtrA, const int *csrColIndA, const void *mu0,
                              const void *x0, int maxite, const void *eps, void *mu, void *x)
{
    struct eigenvalue job = describe_eigenvalue(typed.type, m, nnz, csrValA, csrRowPtrA, csrColIndA,
                                                mu0, x0, maxite, eps, mu, x);
    const size_t bytes = lapack_bytes(typed.type);
    cusolverStatus_t status = check_eigenvalue(handle, descrA, &job);
    struct solver_ranges ranges = {.count = 0};

    if (status != CUSOLVER_STATUS_SUCCESS)
        return status;
    sparse_add_matrix(&ranges, &job.input);
    solver_add(&ranges, SOLVER_READ, x0, m, 1, 1, bytes);
    solver_add(&ranges, SOLVER_WRITTEN, mu, 1, 1, 1, bytes);
    solver_add(&ranges, SOLVER_WRITTEN | SOLVER_PARTLY, x, m, 1, 1, bytes);
    status =
        solver_submit_wait(handle->stream, typed.name, 1e4 * nnz, &ranges, run_eigenvalue, &job);
    return status == CUSOLVER_STATUS_SUCCESS ? job.status : status;
}
