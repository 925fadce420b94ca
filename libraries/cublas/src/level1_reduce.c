/* SPDX-License-Identifier: MIT */
/* The functions of level 1 that return a number: to the host, for which they wait, or to the
 * device. */
#include "level1.h"

#include <math.h>

struct job {
    int64_t n;
    struct blas_vector x, y;
    struct blas_number result;
    bool flag; /* dot: conjugated; iamax: the smallest */
    bool wide; /* iamax: the result is an int64_t */
};

/* Submits a reduction. Its result is written also if there are no elements. */
static cublasStatus_t submit(cublasHandle_t handle, const char *name, struct job *job,
                             size_t result_bytes, bool reads_y, lib_work *run)
{
    struct blas_ranges ranges = {.count = 0};

    if (job->n > 0) {
        blas_add(&ranges,
                 blas_vector(job->x.address, job->n, job->x.step, blas_element_bytes(job->x.type)));
        if (reads_y)
            blas_add(&ranges, blas_vector(job->y.address, job->n, job->y.step,
                                          blas_element_bytes(job->y.type)));
    }
    /* Without elements a result on the host does not wait for the stream. */
    if (job->n <= 0 && handle->pointer_mode == CUBLAS_POINTER_MODE_HOST) {
        run(job);
        return CUBLAS_STATUS_SUCCESS;
    }
    if (handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE)
        blas_add(&ranges, lib_written(job->result.address, result_bytes));
    return blas_submit_result(handle, name, job->n > 0 ? (uint64_t)job->n : 0, &ranges, run, job,
                              sizeof(*job));
}

static struct blas_complex dot_piece(cudaDataType_t type, bool conjugated, openblas_int n,
                                     const void *x, openblas_int incx, const void *y,
                                     openblas_int incy)
{
    const struct openblas *blas = openblas();
    float single[2];
    double wide[2];

    switch (type) {
    case CUDA_R_32F:
        return (struct blas_complex){blas->sdot(n, x, incx, y, incy), 0};
    case CUDA_R_64F:
        return (struct blas_complex){blas->ddot(n, x, incx, y, incy), 0};
    case CUDA_C_32F:
        blas->complex_dot[0][conjugated](n, x, incx, y, incy, single);
        return (struct blas_complex){single[0], single[1]};
    default:
        blas->complex_dot[1][conjugated](n, x, incx, y, incy, wide);
        return (struct blas_complex){wide[0], wide[1]};
    }
}

static bool is_complex_type(cudaDataType_t type)
{
    return type == CUDA_C_32F || type == CUDA_C_64F;
}

static bool is_backend_type(cudaDataType_t type)
{
    return type == CUDA_R_32F || type == CUDA_R_64F || is_complex_type(type);
}

/* Whether OpenBLAS computes the dot product. Its complex ones for AVX2 and AVX-512 read outside of
 * vectors whose increment is negative. */
static bool is_for_openblas(const struct job *job)
{
    if (!is_backend_type(job->x.type) || job->x.type != job->y.type)
        return false;
    return blas_step_is_usable(job->x.step) && blas_step_is_usable(job->y.step) &&
           (!is_complex_type(job->x.type) || (job->x.step > 0 && job->y.step > 0));
}

static CUresult run_dot(void *arguments)
{
    const struct job *job = arguments;
    struct blas_complex sum = {0, 0};
    int64_t begin = 0;

    if (is_for_openblas(job)) {
        for (; begin < job->n; begin += BLAS_PIECE_MOST) {
            openblas_int n = (openblas_int)blas_min(job->n - begin, BLAS_PIECE_MOST);

            sum = blas_plus(sum, dot_piece(job->x.type, job->flag, n,
                                           blas_vector_piece(&job->x, job->n, begin, n),
                                           (openblas_int)job->x.step,
                                           blas_vector_piece(&job->y, job->n, begin, n),
                                           (openblas_int)job->y.step));
        }
    }
    for (; begin < job->n; begin++) {
        struct blas_complex x = blas_vector_load(&job->x, job->n, begin);

        sum = blas_plus(sum, blas_multiply(job->flag ? blas_conjugate(x) : x,
                                           blas_vector_load(&job->y, job->n, begin)));
    }
    blas_store(job->result.type, job->result.address, 0, sum);
    return CUDA_SUCCESS;
}

cublasStatus_t blas_dot(cublasHandle_t handle, const char *name, bool conjugated, int64_t n,
                        struct blas_vector x, struct blas_vector y, struct blas_number result)
{
    struct job job = {.n = n, .x = x, .y = y, .result = result, .flag = conjugated};

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!result.address && handle->pointer_mode == CUBLAS_POINTER_MODE_HOST)
        return CUBLAS_STATUS_MAPPING_ERROR;
    return submit(handle, name, &job, blas_element_bytes(result.type), true, run_dot);
}

/* The norm and the sum of magnitudes of a piece, by OpenBLAS. */
static double norm_piece(cudaDataType_t type, openblas_int n, const void *x, openblas_int incx)
{
    const struct openblas *blas = openblas();
    const bool is_complex = blas_element_is_complex(type);

    if (type == CUDA_R_32F || type == CUDA_C_32F)
        return blas->single_norm[is_complex](n, x, incx);
    return blas->double_norm[is_complex](n, x, incx);
}

static double sum_piece(cudaDataType_t type, openblas_int n, const void *x, openblas_int incx)
{
    const struct openblas *blas = openblas();
    const bool is_complex = blas_element_is_complex(type);

    if (type == CUDA_R_32F || type == CUDA_C_32F)
        return blas->single_sum[is_complex](n, x, incx);
    return blas->double_sum[is_complex](n, x, incx);
}

static CUresult run_nrm2(void *arguments)
{
    const struct job *job = arguments;
    double norm = 0;

    if (is_backend_type(job->x.type) && blas_step_is_usable(job->x.step)) {
        for (int64_t begin = 0; begin < job->n; begin += BLAS_PIECE_MOST) {
            openblas_int n = (openblas_int)blas_min(job->n - begin, BLAS_PIECE_MOST);

            norm =
                hypot(norm, norm_piece(job->x.type, n, blas_vector_piece(&job->x, job->n, begin, n),
                                       (openblas_int)job->x.step));
        }
    } else {
        for (int64_t i = 0; i < job->n; i++) {
            struct blas_complex x = blas_vector_load(&job->x, job->n, i);

            norm = hypot(norm, hypot(x.re, x.im));
        }
    }
    blas_store(job->result.type, job->result.address, 0, (struct blas_complex){norm, 0});
    return CUDA_SUCCESS;
}

static CUresult run_asum(void *arguments)
{
    const struct job *job = arguments;
    double sum = 0;

    if (is_backend_type(job->x.type) && blas_step_is_usable(job->x.step)) {
        for (int64_t begin = 0; begin < job->n; begin += BLAS_PIECE_MOST) {
            openblas_int n = (openblas_int)blas_min(job->n - begin, BLAS_PIECE_MOST);

            sum += sum_piece(job->x.type, n, blas_vector_piece(&job->x, job->n, begin, n),
                             (openblas_int)job->x.step);
        }
    } else {
        for (int64_t i = 0; i < job->n; i++) {
            struct blas_complex x = blas_vector_load(&job->x, job->n, i);

            sum += fabs(x.re) + fabs(x.im);
        }
    }
    blas_store(job->result.type, job->result.address, 0, (struct blas_complex){sum, 0});
    return CUDA_SUCCESS;
}

/* Reductions of one vector see no elements if its increment is not positive. */
static cublasStatus_t reduce(cublasHandle_t handle, const char *name, struct job *job,
                             size_t result_bytes, lib_work *run)
{
    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!job->result.address)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (job->x.step <= 0)
        job->n = 0;
    return submit(handle, name, job, result_bytes, false, run);
}

cublasStatus_t blas_nrm2(cublasHandle_t handle, const char *name, int64_t n, struct blas_vector x,
                         struct blas_number result)
{
    struct job job = {.n = n, .x = x, .result = result};

    return reduce(handle, name, &job, blas_element_bytes(result.type), run_nrm2);
}

cublasStatus_t blas_asum(cublasHandle_t handle, const char *name, int64_t n, struct blas_vector x,
                         struct blas_number result)
{
    struct job job = {.n = n, .x = x, .result = result};

    return reduce(handle, name, &job, blas_element_bytes(result.type), run_asum);
}

BLAS_INLINE int64_t find_extreme(const struct job *job, cudaDataType_t type)
{
    const struct blas_vector x = {job->x.address, job->x.step, type};
    double best = 0;
    int64_t found = 0;

    for (int64_t i = 0; i < job->n; i++) {
        struct blas_complex value = blas_vector_load(&x, job->n, i);
        double magnitude = fabs(value.re) + fabs(value.im);

        if (found == 0 || (job->flag ? magnitude < best : magnitude > best)) {
            best = magnitude;
            found = i + 1;
        }
    }
    return found;
}

static CUresult run_iamax(void *arguments)
{
    const struct job *job = arguments;
    int64_t found = job->x.type == CUDA_R_32F   ? find_extreme(job, CUDA_R_32F)
                    : job->x.type == CUDA_R_64F ? find_extreme(job, CUDA_R_64F)
                    : job->x.type == CUDA_C_32F ? find_extreme(job, CUDA_C_32F)
                    : job->x.type == CUDA_C_64F ? find_extreme(job, CUDA_C_64F)
                                                : find_extreme(job, job->x.type);

    if (job->wide)
        *(int64_t *)job->result.address = found;
    else
        *(int *)job->result.address = (int)found;
    return CUDA_SUCCESS;
}

cublasStatus_t blas_iamax(cublasHandle_t handle, const char *name, bool smallest, int64_t n,
                          struct blas_vector x, void *result, bool wide)
{
    struct job job = {
        .n = n, .x = x, .result = {.address = result}, .flag = smallest, .wide = wide};

    return reduce(handle, name, &job, wide ? sizeof(int64_t) : sizeof(int), run_iamax);
}
