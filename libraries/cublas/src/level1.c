/* SPDX-License-Identifier: MIT */
/* Level 1: vectors. OpenBLAS computes those of its four types in pieces that its integers express;
 * other types, and increments of 0, are computed element by element. */
#include "level1.h"

#include <math.h>

struct job {
    int64_t n;
    struct blas_vector x, y;
    struct blas_scalar alpha, second; /* alpha; c and s */
    cudaDataType_t alpha_type, second_type;
};

/* OpenBLAS' type for vectors of the type, or OPENBLAS_TYPES. */
static enum openblas_type backend_type(cudaDataType_t type)
{
    switch (type) {
    case CUDA_R_32F:
        return OPENBLAS_S;
    case CUDA_R_64F:
        return OPENBLAS_D;
    case CUDA_C_32F:
        return OPENBLAS_C;
    case CUDA_C_64F:
        return OPENBLAS_Z;
    default:
        return OPENBLAS_TYPES;
    }
}

/* The type if OpenBLAS can take both vectors, which have that type; otherwise OPENBLAS_TYPES. */
static enum openblas_type common_type(const struct job *job)
{
    if (job->x.type != job->y.type || !blas_step_is_usable(job->x.step) ||
        !blas_step_is_usable(job->y.step))
        return OPENBLAS_TYPES;
    return backend_type(job->x.type);
}

static struct cupipe_range range_of(const struct blas_vector *vector, int64_t n)
{
    return blas_vector(vector->address, n, vector->step, blas_element_bytes(vector->type));
}

static struct blas_complex value_of(const struct blas_scalar *scalar, cudaDataType_t type)
{
    return blas_load(type, blas_scalar_address(scalar), 0);
}

static CUresult run_axpy(void *arguments)
{
    const struct job *job = arguments;
    enum openblas_type type = common_type(job);
    struct blas_complex alpha = value_of(&job->alpha, job->alpha_type);

    if (alpha.re == 0 && alpha.im == 0)
        return CUDA_SUCCESS;
    if (!job->x.address || !job->y.address)
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    if (type == OPENBLAS_TYPES || job->alpha_type != job->x.type) {
        for (int64_t i = 0; i < job->n; i++)
            blas_vector_store(&job->y, job->n, i,
                              blas_plus(blas_multiply(alpha, blas_vector_load(&job->x, job->n, i)),
                                        blas_vector_load(&job->y, job->n, i)));
        return CUDA_SUCCESS;
    }
    for (int64_t begin = 0; begin < job->n; begin += BLAS_PIECE_MOST) {
        const openblas_int n = (openblas_int)blas_min(job->n - begin, BLAS_PIECE_MOST);
        const openblas_int incx = (openblas_int)job->x.step, incy = (openblas_int)job->y.step;

        openblas()->axpy[type](&n, blas_scalar_address(&job->alpha),
                               blas_vector_piece(&job->x, job->n, begin, n), &incx,
                               blas_vector_piece(&job->y, job->n, begin, n), &incy);
    }
    return CUDA_SUCCESS;
}

cublasStatus_t blas_axpy(cublasHandle_t handle, const char *name, int64_t n,
                         struct blas_number alpha, struct blas_vector x, struct blas_vector y)
{
    const size_t alpha_bytes = blas_element_bytes(alpha.type);
    struct job job = {.n = n, .x = x, .y = y, .alpha_type = alpha.type};
    struct blas_ranges ranges = {.count = 0};

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (n <= 0)
        return CUBLAS_STATUS_SUCCESS;
    if (!alpha.address)
        return CUBLAS_STATUS_INVALID_VALUE;
    job.alpha = blas_scalar(handle, alpha.address, alpha_bytes);
    blas_add_scalar(&ranges, &job.alpha, alpha_bytes);
    blas_add_scaled(&ranges, range_of(&x, n), &job.alpha, alpha_bytes);
    blas_add_scaled(&ranges, range_of(&y, n), &job.alpha, alpha_bytes);
    blas_add_scaled(&ranges, blas_written(range_of(&y, n)), &job.alpha, alpha_bytes);
    return blas_submit(handle, name, (uint64_t)n, &ranges, run_axpy, &job, sizeof(job));
}

BLAS_INLINE void scale(const struct job *job, cudaDataType_t type)
{
    const struct blas_vector x = {job->x.address, job->x.step, type};
    const struct blas_complex alpha = value_of(&job->alpha, job->alpha_type);
    const bool is_real = !blas_element_is_complex(job->alpha_type);

    for (int64_t i = 0; i < job->n; i++) {
        struct blas_complex value = blas_vector_load(&x, job->n, i);

        /* A real factor does not mix the parts, which may be infinite. */
        blas_vector_store(&x, job->n, i,
                          is_real ? (struct blas_complex){alpha.re * value.re, alpha.re * value.im}
                                  : blas_multiply(alpha, value));
    }
}

static CUresult run_scal(void *arguments)
{
    const struct job *job = arguments;

    if (job->x.type == CUDA_R_32F)
        scale(job, CUDA_R_32F);
    else if (job->x.type == CUDA_R_64F)
        scale(job, CUDA_R_64F);
    else if (job->x.type == CUDA_C_32F)
        scale(job, CUDA_C_32F);
    else if (job->x.type == CUDA_C_64F)
        scale(job, CUDA_C_64F);
    else
        scale(job, job->x.type);
    return CUDA_SUCCESS;
}

cublasStatus_t blas_scal(cublasHandle_t handle, const char *name, int64_t n,
                         struct blas_number alpha, struct blas_vector x)
{
    const size_t alpha_bytes = blas_element_bytes(alpha.type);
    struct job job = {.n = n, .x = x, .alpha_type = alpha.type};
    struct blas_ranges ranges = {.count = 0};

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (n <= 0 || x.step <= 0)
        return CUBLAS_STATUS_SUCCESS;
    if (!alpha.address)
        return CUBLAS_STATUS_INVALID_VALUE;
    job.alpha = blas_scalar(handle, alpha.address, alpha_bytes);
    blas_add_scalar(&ranges, &job.alpha, alpha_bytes);
    blas_add(&ranges, range_of(&x, n));
    blas_add(&ranges, blas_written(range_of(&x, n)));
    return blas_submit(handle, name, (uint64_t)n, &ranges, run_scal, &job, sizeof(job));
}

static CUresult run_copy(void *arguments)
{
    const struct job *job = arguments;
    enum openblas_type type = common_type(job);

    if (type == OPENBLAS_TYPES) {
        for (int64_t i = 0; i < job->n; i++)
            blas_vector_store(&job->y, job->n, i, blas_vector_load(&job->x, job->n, i));
        return CUDA_SUCCESS;
    }
    for (int64_t begin = 0; begin < job->n; begin += BLAS_PIECE_MOST) {
        const openblas_int n = (openblas_int)blas_min(job->n - begin, BLAS_PIECE_MOST);
        const openblas_int incx = (openblas_int)job->x.step, incy = (openblas_int)job->y.step;

        openblas()->copy[type](&n, blas_vector_piece(&job->x, job->n, begin, n), &incx,
                               blas_vector_piece(&job->y, job->n, begin, n), &incy);
    }
    return CUDA_SUCCESS;
}

cublasStatus_t blas_copy(cublasHandle_t handle, const char *name, int64_t n, struct blas_vector x,
                         struct blas_vector y)
{
    const struct job job = {.n = n, .x = x, .y = y};
    struct blas_ranges ranges = {.count = 0};

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (n <= 0)
        return CUBLAS_STATUS_SUCCESS;
    blas_add(&ranges, range_of(&x, n));
    blas_add(&ranges, blas_written(range_of(&y, n)));
    return blas_submit(handle, name, (uint64_t)n, &ranges, run_copy, &job, sizeof(job));
}

static CUresult run_swap(void *arguments)
{
    const struct job *job = arguments;
    enum openblas_type type = common_type(job);

    if (type == OPENBLAS_TYPES) {
        for (int64_t i = 0; i < job->n; i++) {
            struct blas_complex x = blas_vector_load(&job->x, job->n, i);

            blas_vector_store(&job->x, job->n, i, blas_vector_load(&job->y, job->n, i));
            blas_vector_store(&job->y, job->n, i, x);
        }
        return CUDA_SUCCESS;
    }
    for (int64_t begin = 0; begin < job->n; begin += BLAS_PIECE_MOST) {
        const openblas_int n = (openblas_int)blas_min(job->n - begin, BLAS_PIECE_MOST);
        const openblas_int incx = (openblas_int)job->x.step, incy = (openblas_int)job->y.step;

        openblas()->swap[type](&n, blas_vector_piece(&job->x, job->n, begin, n), &incx,
                               blas_vector_piece(&job->y, job->n, begin, n), &incy);
    }
    return CUDA_SUCCESS;
}

/* Adds both vectors, which the work reads and writes. */
static void add_both(struct blas_ranges *ranges, const struct job *job)
{
    blas_add(ranges, range_of(&job->x, job->n));
    blas_add(ranges, range_of(&job->y, job->n));
    blas_add(ranges, blas_written(range_of(&job->x, job->n)));
    blas_add(ranges, blas_written(range_of(&job->y, job->n)));
}

cublasStatus_t blas_swap(cublasHandle_t handle, const char *name, int64_t n, struct blas_vector x,
                         struct blas_vector y)
{
    const struct job job = {.n = n, .x = x, .y = y};
    struct blas_ranges ranges = {.count = 0};

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (n <= 0)
        return CUBLAS_STATUS_SUCCESS;
    add_both(&ranges, &job);
    return blas_submit(handle, name, (uint64_t)n, &ranges, run_swap, &job, sizeof(job));
}

BLAS_INLINE void rotate(const struct job *job, cudaDataType_t type)
{
    const struct blas_vector vx = {job->x.address, job->x.step, type},
                             vy = {job->y.address, job->y.step, type};
    const double c = value_of(&job->alpha, job->alpha_type).re;
    const struct blas_complex s = value_of(&job->second, job->second_type);

    for (int64_t i = 0; i < job->n; i++) {
        struct blas_complex x = blas_vector_load(&vx, job->n, i),
                            y = blas_vector_load(&vy, job->n, i);
        struct blas_complex sy = blas_multiply(s, y), sx = blas_multiply(blas_conjugate(s), x);

        blas_vector_store(&vx, job->n, i,
                          (struct blas_complex){c * x.re + sy.re, c * x.im + sy.im});
        blas_vector_store(&vy, job->n, i,
                          (struct blas_complex){c * y.re - sx.re, c * y.im - sx.im});
    }
}

static CUresult run_rot(void *arguments)
{
    const struct job *job = arguments;

    if (job->x.type == CUDA_R_32F)
        rotate(job, CUDA_R_32F);
    else if (job->x.type == CUDA_R_64F)
        rotate(job, CUDA_R_64F);
    else if (job->x.type == CUDA_C_32F)
        rotate(job, CUDA_C_32F);
    else if (job->x.type == CUDA_C_64F)
        rotate(job, CUDA_C_64F);
    else
        rotate(job, job->x.type);
    return CUDA_SUCCESS;
}

cublasStatus_t blas_rot(cublasHandle_t handle, const char *name, int64_t n, struct blas_vector x,
                        struct blas_vector y, struct blas_number c, struct blas_number s)
{
    struct job job = {.n = n, .x = x, .y = y, .alpha_type = c.type, .second_type = s.type};
    struct blas_ranges ranges = {.count = 0};

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (n <= 0)
        return CUBLAS_STATUS_SUCCESS;
    if (!c.address || !s.address)
        return CUBLAS_STATUS_INVALID_VALUE;
    job.alpha = blas_scalar(handle, c.address, blas_element_bytes(c.type));
    job.second = blas_scalar(handle, s.address, blas_element_bytes(s.type));
    blas_add_scalar(&ranges, &job.alpha, blas_element_bytes(c.type));
    blas_add_scalar(&ranges, &job.second, blas_element_bytes(s.type));
    add_both(&ranges, &job);
    return blas_submit(handle, name, (uint64_t)n * 4, &ranges, run_rot, &job, sizeof(job));
}
