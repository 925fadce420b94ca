/* SPDX-License-Identifier: MIT */
/* Batches of gemv on matrices of 16 bits with scalars of 32, computed by elements. */
#include "batch.h"
#include "element.h"

struct mixed {
    char trans;
    int64_t m, n, lda, incx, incy, count;
    struct blas_scalar alpha, beta;
    struct blas_batch a, x, y;
    cudaDataType_t type, y_type;
};

static void gemv_part(void *arguments, size_t index)
{
    const struct mixed *job = arguments;
    const size_t bytes = blas_element_bytes(job->type);
    const void *a = blas_batch_at(&job->a, (int64_t)index, bytes),
               *x = blas_batch_at(&job->x, (int64_t)index, bytes);
    void *y = blas_batch_at(&job->y, (int64_t)index, blas_element_bytes(job->y_type));
    const int64_t rows = job->trans == 'N' ? job->m : job->n,
                  columns = job->trans == 'N' ? job->n : job->m;
    const int64_t first_x = job->incx < 0 ? (1 - columns) * job->incx : 0,
                  first_y = job->incy < 0 ? (1 - rows) * job->incy : 0;
    const double alpha = *(const float *)blas_scalar_address(&job->alpha),
                 beta = *(const float *)blas_scalar_address(&job->beta);

    for (int64_t i = 0; i < rows; i++) {
        double sum = 0;

        for (int64_t j = 0; j < columns && alpha != 0; j++)
            sum += blas_load(job->type, a, job->trans == 'N' ? i + j * job->lda : j + i * job->lda)
                       .re *
                   blas_load(job->type, x, first_x + j * job->incx).re;
        sum *= alpha;
        if (beta != 0)
            sum += beta * blas_load(job->y_type, y, first_y + i * job->incy).re;
        blas_store(job->y_type, y, first_y + i * job->incy, (struct blas_complex){sum, 0});
    }
}

static CUresult run_gemv(void *arguments)
{
    const struct mixed *job = arguments;

    blas_for_batch(job->count, (uint64_t)job->m * (uint64_t)job->n, gemv_part, arguments);
    return CUDA_SUCCESS;
}

static int64_t distance(int64_t step)
{
    return step < 0 ? -step : step;
}

static cublasStatus_t gemv(cublasHandle_t handle, const char *name, struct mixed job,
                           cublasOperation_t trans, const float *alpha, const float *beta)
{
    const size_t bytes = blas_element_bytes(job.type), y_bytes = blas_element_bytes(job.y_type);
    struct blas_ranges ranges = {.count = 0};
    struct cupipe_range y;

    if (!blas_is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (job.m <= 0 || job.n <= 0 || job.count == 0)
        return CUBLAS_STATUS_SUCCESS;
    job.trans = blas_trans(trans);
    if (!job.trans || job.count < 0 || job.lda < job.m || job.incx == 0 || job.incy == 0 ||
        !alpha || !beta || blas_batch_is_null(&job.a) || blas_batch_is_null(&job.x) ||
        blas_batch_is_null(&job.y))
        return CUBLAS_STATUS_INVALID_VALUE;
    job.alpha = blas_scalar(handle, alpha, sizeof(*alpha));
    job.beta = blas_scalar(handle, beta, sizeof(*beta));
    blas_add_scalar(&ranges, &job.alpha, sizeof(*alpha));
    blas_add_scalar(&ranges, &job.beta, sizeof(*beta));
    blas_add(&ranges, blas_batch_range(&job.a, job.count, job.m, job.n, job.lda, bytes));
    blas_add(&ranges, blas_batch_range(&job.x, job.count, 1, job.trans == 'N' ? job.n : job.m,
                                       distance(job.incx), bytes));
    y = blas_batch_range(&job.y, job.count, 1, job.trans == 'N' ? job.m : job.n, distance(job.incy),
                         y_bytes);
    if (job.y.pointers)
        blas_add(&ranges, y);
    else
        blas_add_updated(&ranges, y, &job.beta, sizeof(*beta));
    return blas_submit(handle, name, (uint64_t)job.m * (uint64_t)job.n * (uint64_t)job.count * 8,
                       &ranges, run_gemv, &job, sizeof(job));
}

#define GEMV_MIXED(letters, t, y_t, element, y_element)                                            \
    cublasStatus_t cublas##letters##gemvBatched_64(                                                \
        cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n, const float *alpha,  \
        const t *const Aarray[], int64_t lda, const t *const xarray[], int64_t incx,               \
        const float *beta, y_t *const yarray[], int64_t incy, int64_t batchCount)                  \
    {                                                                                              \
        return gemv(handle, "cublas" #letters "gemvBatched",                                       \
                    (struct mixed){.m = m,                                                         \
                                   .n = n,                                                         \
                                   .lda = lda,                                                     \
                                   .incx = incx,                                                   \
                                   .incy = incy,                                                   \
                                   .count = batchCount,                                            \
                                   .a = blas_pointers(Aarray),                                     \
                                   .x = blas_pointers(xarray),                                     \
                                   .y = blas_pointers(yarray),                                     \
                                   .type = element,                                                \
                                   .y_type = y_element},                                           \
                    trans, alpha, beta);                                                           \
    }                                                                                              \
    cublasStatus_t cublas##letters##gemvStridedBatched_64(                                         \
        cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n, const float *alpha,  \
        const t *A, int64_t lda, long long int strideA, const t *x, int64_t incx,                  \
        long long int stridex, const float *beta, y_t *y, int64_t incy, long long int stridey,     \
        int64_t batchCount)                                                                        \
    {                                                                                              \
        return gemv(handle, "cublas" #letters "gemvStridedBatched",                                \
                    (struct mixed){.m = m,                                                         \
                                   .n = n,                                                         \
                                   .lda = lda,                                                     \
                                   .incx = incx,                                                   \
                                   .incy = incy,                                                   \
                                   .count = batchCount,                                            \
                                   .a = blas_strided(A, strideA),                                  \
                                   .x = blas_strided(x, stridex),                                  \
                                   .y = blas_strided(y, stridey),                                  \
                                   .type = element,                                                \
                                   .y_type = y_element},                                           \
                    trans, alpha, beta);                                                           \
    }

GEMV_MIXED(HSH, __half, __half, CUDA_R_16F, CUDA_R_16F)
GEMV_MIXED(HSS, __half, float, CUDA_R_16F, CUDA_R_32F)
GEMV_MIXED(TST, __nv_bfloat16, __nv_bfloat16, CUDA_R_16BF, CUDA_R_16BF)
GEMV_MIXED(TSS, __nv_bfloat16, float, CUDA_R_16BF, CUDA_R_32F)
