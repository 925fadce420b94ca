/* SPDX-License-Identifier: MIT */
/* The steps themselves. Work that reads or writes device memory is work of the stream, for which
 * the call waits: the object belongs to the host. */
#include "steps.h"

#include "order.h"

#include <complex.h>
#include <math.h>
#include <string.h>

static void finish(void *object)
{
    struct steps *steps = object;

    sparse_free(&steps->matrix);
    sparse_lu_free(&steps->lu);
}

const struct lib_object_type steps_lu_host = {sizeof(struct steps), finish};
const struct lib_object_type steps_qr_host = {sizeof(struct steps), finish};
const struct lib_object_type steps_qr = {sizeof(struct steps), finish};
const struct lib_object_type steps_chol_host = {sizeof(struct steps), finish};
const struct lib_object_type steps_chol = {sizeof(struct steps), finish};

cusolverStatus_t steps_create(const struct lib_object_type *type, void **info)
{
    struct steps *created;

    if (!info)
        return CUSOLVER_STATUS_INVALID_VALUE;
    created = lib_object_create(type);
    if (!created)
        return CUSOLVER_STATUS_ALLOC_FAILED;
    *info = created;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t steps_destroy(const struct lib_object_type *type, void *info)
{
    if (!info)
        return CUSOLVER_STATUS_SUCCESS;
    return lib_object_destroy(info, type) ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}

struct steps *steps_object(const struct lib_object_type *type, void *info)
{
    return lib_object_is(info, type) ? info : NULL;
}

cusolverStatus_t steps_analyse(cusolverSpHandle_t handle, struct steps *steps,
                               const cusparseMatDescr_t descriptor, struct sparse_input input)
{
    cusolverStatus_t status = sparse_check(handle, descriptor, &input);

    if (status != CUSOLVER_STATUS_SUCCESS)
        return status;
    if (!steps || input.rows < input.columns)
        return CUSOLVER_STATUS_INVALID_VALUE;
    steps->input = input;
    steps->is_analysed = true;
    steps->is_set = steps->is_factored = false;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t steps_sizes(cusolverSpHandle_t handle, struct steps *steps, size_t *internal,
                             size_t *work)
{
    if (!sparse_is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!steps || !steps->is_analysed || !internal || !work)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *internal = (size_t)steps->input.count * sizeof(double complex);
    *work = ((size_t)steps->input.rows + 1) * sizeof(double complex);
    return CUSOLVER_STATUS_SUCCESS;
}

struct setup {
    struct steps *steps;
    cusolverStatus_t status;
};

static CUresult run_setup(void *arguments)
{
    struct setup *job = arguments;
    struct steps *steps = job->steps;

    sparse_free(&steps->matrix);
    job->status = sparse_read(&steps->input, &steps->matrix);
    if (job->status == CUSOLVER_STATUS_SUCCESS && steps->shift != 0 &&
        !sparse_add_diagonal(&steps->matrix, steps->shift))
        job->status = CUSOLVER_STATUS_ALLOC_FAILED;
    return CUDA_SUCCESS;
}

/* Runs here, or in the stream with its operands. */
static cusolverStatus_t perform(struct steps_place place, const struct solver_ranges *ranges,
                                double operations, lib_work *run, void *arguments)
{
    if (place.on_device)
        return solver_submit_wait(place.handle->stream, place.name, operations, ranges, run,
                                  arguments);
    run(arguments);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t steps_setup(struct steps_place place, struct steps *steps,
                             const cusparseMatDescr_t descriptor, struct sparse_input input,
                             double complex shift)
{
    struct setup job = {.steps = steps};
    struct solver_ranges ranges = {.count = 0};
    cusolverStatus_t status = sparse_check(place.handle, descriptor, &input);

    if (status != CUSOLVER_STATUS_SUCCESS)
        return status;
    if (!steps || !steps->is_analysed || input.rows != steps->input.rows ||
        input.columns != steps->input.columns || input.count != steps->input.count || !input.value)
        return CUSOLVER_STATUS_INVALID_VALUE;
    steps->input = input;
    steps->shift = shift;
    sparse_add_matrix(&ranges, &input);
    status = perform(place, &ranges, input.count, run_setup, &job);
    status = status ? status : job.status;
    steps->is_set = status == CUSOLVER_STATUS_SUCCESS;
    steps->is_factored = false;
    return status;
}

struct factor {
    struct steps *steps;
    enum sparse_pivots pivots;
    double threshold;
    cusolverStatus_t status;
};

static CUresult run_factor(void *arguments)
{
    struct factor *job = arguments;
    const struct sparse_matrix *matrix = &job->steps->matrix;
    const struct sparse_input input = {.type = OPENBLAS_Z,
                                       .rows = matrix->rows,
                                       .columns = matrix->columns,
                                       .count = matrix->start[matrix->rows],
                                       .start = matrix->start,
                                       .index = matrix->index,
                                       .value = matrix->value};

    sparse_lu_free(&job->steps->lu);
    job->status =
        sparse_factor(&input, 0, SPARSE_DEGREE, job->pivots, job->threshold, &job->steps->lu);
    return CUDA_SUCCESS;
}

/* The matrix was copied: operands are not needed. One that is not square is solved as it is. */
cusolverStatus_t steps_factor(struct steps_place place, struct steps *steps,
                              enum sparse_pivots pivots, double threshold)
{
    struct factor job = {.steps = steps, .pivots = pivots, .threshold = threshold};

    if (!sparse_is_handle(place.handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!steps || !steps->is_set)
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (steps->matrix.rows == steps->matrix.columns)
        run_factor(&job);
    steps->is_factored = job.status == CUSOLVER_STATUS_SUCCESS;
    return job.status;
}

cusolverStatus_t steps_zero_pivot(cusolverSpHandle_t handle, struct steps *steps, double tolerance,
                                  int *position)
{
    if (!sparse_is_handle(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!steps || !steps->is_factored || !position)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *position = steps->lu.n ? sparse_lu_small_pivot(&steps->lu, tolerance) : -1;
    return CUSOLVER_STATUS_SUCCESS;
}

struct diagonal {
    const struct steps *steps;
    enum openblas_type type;
    void *out;
};

/* The pivots are the squares of the factor's diagonal. */
static CUresult run_diagonal(void *arguments)
{
    const struct diagonal *job = arguments;
    const struct sparse_lu *lu = &job->steps->lu;

    for (int j = 0; j < lu->n; j++)
        lapack_set(job->type, job->out, j, sqrt(creal(lu->u.value[lu->u.start[j + 1] - 1])));
    return CUDA_SUCCESS;
}

cusolverStatus_t steps_diagonal(struct steps_place place, struct steps *steps,
                                enum openblas_type type, void *diagonal)
{
    struct diagonal job = {.steps = steps, .type = type, .out = diagonal};
    struct solver_ranges ranges = {.count = 0};

    if (!sparse_is_handle(place.handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!steps || !steps->is_factored || !diagonal)
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (steps->lu.singular_at >= 0)
        return CUSOLVER_STATUS_ZERO_PIVOT;
    solver_add(&ranges, SOLVER_WRITTEN, diagonal, steps->lu.n, 1, 1, lapack_bytes(type));
    return perform(place, &ranges, steps->lu.n, run_diagonal, &job);
}

struct solution {
    const struct steps *steps;
    enum openblas_type type;
    const void *b;
    void *x;
    cusolverStatus_t status;
};

static CUresult run_solve(void *arguments)
{
    struct solution *job = arguments;
    const struct sparse_matrix *matrix = &job->steps->matrix;
    const struct sparse_input input = {.type = OPENBLAS_Z,
                                       .rows = matrix->rows,
                                       .columns = matrix->columns,
                                       .count = matrix->start[matrix->rows],
                                       .start = matrix->start,
                                       .index = matrix->index,
                                       .value = matrix->value};
    int rank;

    if (matrix->rows == matrix->columns) {
        job->status = sparse_solve(&job->steps->lu, job->type, job->b, job->x);
        return CUDA_SUCCESS;
    }
    job->status = sparse_least_squares(&input, job->type, job->b, 0, &rank, job->x, NULL, NULL);
    return CUDA_SUCCESS;
}

cusolverStatus_t steps_solve(struct steps_place place, struct steps *steps, enum openblas_type type,
                             int n, const void *b, void *x)
{
    struct solution job = {.steps = steps, .type = type, .b = b, .x = x};
    struct solver_ranges ranges = {.count = 0};
    cusolverStatus_t status;

    if (!sparse_is_handle(place.handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!steps || !steps->is_factored || n != steps->matrix.columns || !b || !x)
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (steps->lu.n && steps->lu.singular_at >= 0)
        return CUSOLVER_STATUS_ZERO_PIVOT;
    solver_add(&ranges, SOLVER_READ, b, steps->matrix.rows, 1, 1, lapack_bytes(type));
    solver_add(&ranges, SOLVER_WRITTEN, x, n, 1, 1, lapack_bytes(type));
    status = perform(place, &ranges, 100.0 * steps->input.count, run_solve, &job);
    return status ? status : job.status;
}
