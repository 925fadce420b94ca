/* SPDX-License-Identifier: MIT */
/* gemv and ger by OpenBLAS, and what the other functions of level 2 begin with. y is scaled here,
 * so that a beta of 0 never reads it. Matrices are taken in pieces that OpenBLAS' integers express.
 */
#include "compact.h"
#include "level2_parts.h"

enum { PIECE_MOST = 1 << 30 };

static void scale(enum blas_type type, int64_t n, struct blas_complex beta, void *y, int64_t step)
{
    const cudaDataType_t element = blas_data_type(type);
    const int64_t distance = step < 0 ? -step : step;

    if (beta.re == 1 && beta.im == 0)
        return;
    for (int64_t i = 0; i < n; i++) {
        struct blas_complex value = {0, 0};

        if (!blas_is_zero(beta))
            value = blas_multiply(beta, blas_load(element, y, i * distance));
        blas_store(element, y, i * distance, value);
    }
}

/* An increment of 0, or one that OpenBLAS cannot express: every element by itself. */
static void gemv_by_element(enum blas_type type, char trans, int64_t m, int64_t n,
                            struct blas_complex alpha, const void *a, int64_t lda, const void *x,
                            int64_t incx, void *y, int64_t incy)
{
    const cudaDataType_t element = blas_data_type(type);
    const int64_t rows = trans == 'N' ? m : n, columns = trans == 'N' ? n : m;
    const int64_t first_x = incx < 0 ? (1 - columns) * incx : 0,
                  first_y = incy < 0 ? (1 - rows) * incy : 0;

    for (int64_t i = 0; i < rows; i++) {
        struct blas_complex sum = {0, 0};

        for (int64_t j = 0; j < columns; j++) {
            struct blas_complex v = blas_load(element, a, trans == 'N' ? i + j * lda : j + i * lda);

            sum = blas_plus(sum, blas_multiply(trans == 'C' ? blas_conjugate(v) : v,
                                               blas_load(element, x, first_x + j * incx)));
        }
        sum = blas_plus(blas_multiply(alpha, sum), blas_load(element, y, first_y + i * incy));
        blas_store(element, y, first_y + i * incy, sum);
    }
}

/* A matrix whose leading dimension does not fit is taken a column at a time, which needs none. */
static int64_t columns_at_once(int64_t lda)
{
    return blas_fits(lda) ? PIECE_MOST : 1;
}

static openblas_int leading(int64_t lda, openblas_int rows)
{
    return blas_fits(lda) ? (openblas_int)lda : rows;
}

static void gemv_pieces(enum blas_type type, char trans, int64_t m, int64_t n, const void *alpha,
                        const void *a, int64_t lda, const void *x, int64_t incx, void *y,
                        int64_t incy)
{
    const size_t bytes = blas_bytes(type);
    const openblas_int incx32 = (openblas_int)incx, incy32 = (openblas_int)incy;
    const int64_t columns = columns_at_once(lda);

    for (int64_t j = 0; j < n; j += columns) {
        for (int64_t i = 0; i < m; i += PIECE_MOST) {
            const openblas_int m32 = (openblas_int)blas_min(m - i, PIECE_MOST),
                               n32 = (openblas_int)blas_min(n - j, columns),
                               lda32 = leading(lda, m32);
            const void *x_part = trans == 'N' ? blas_part(x, n, incx, j, n32, bytes)
                                              : blas_part(x, m, incx, i, m32, bytes);
            void *y_part = trans == 'N' ? blas_part(y, m, incy, i, m32, bytes)
                                        : blas_part(y, n, incy, j, n32, bytes);

            openblas()->gemv[type](&trans, &m32, &n32, alpha, blas_at(a, i + j * lda, bytes),
                                   &lda32, x_part, &incx32, blas_one(type), y_part, &incy32, 1);
        }
    }
}

void blas_gemv(enum blas_type type, char trans, int64_t m, int64_t n, const void *alpha,
               const void *a, int64_t lda, const void *x, int64_t incx, const void *beta, void *y,
               int64_t incy)
{
    const struct blas_complex alpha_value = blas_value_of(type, alpha);

    scale(type, trans == 'N' ? m : n, blas_value_of(type, beta), y, incy);
    if (blas_is_zero(alpha_value))
        return;
    if (incx == 0 || incy == 0 || !blas_fits(incx) || !blas_fits(incy))
        gemv_by_element(type, trans, m, n, alpha_value, a, lda, x, incx, y, incy);
    else
        gemv_pieces(type, trans, m, n, alpha, a, lda, x, incx, y, incy);
}

CUresult blas_run_gemv(void *arguments)
{
    const struct blas_job *job = arguments;

    blas_gemv(job->type, job->transa, job->m, job->n, blas_scalar_address(&job->alpha),
              job->a.address, job->a.step, job->b.address, job->b.step,
              blas_scalar_address(&job->beta), job->c.address, job->c.step);
    return CUDA_SUCCESS;
}

bool blas_begin_product(const struct blas_job *job, int64_t n)
{
    scale(job->type, n, blas_value_of(job->type, blas_scalar_address(&job->beta)), job->c.address,
          job->c.step);
    return !blas_is_zero(blas_value_of(job->type, blas_scalar_address(&job->alpha)));
}

static void ger(const struct blas_job *job)
{
    const struct openblas *blas = openblas();
    const size_t bytes = blas_bytes(job->type);
    const struct blas_sizes s = blas_sizes_of(job);
    const int64_t columns = columns_at_once(job->a.step);
    openblas_ger *function = !blas_is_complex(job->type) ? blas->ger[job->type]
                             : job->hermitian            ? blas->gerc[job->type]
                                                         : blas->geru[job->type];

    for (int64_t j = 0; j < job->n; j += columns) {
        for (int64_t i = 0; i < job->m; i += PIECE_MOST) {
            const openblas_int m = (openblas_int)blas_min(job->m - i, PIECE_MOST),
                               n = (openblas_int)blas_min(job->n - j, columns),
                               lda = leading(job->a.step, m);

            function(&m, &n, blas_scalar_address(&job->alpha),
                     blas_part(job->b.address, job->m, job->b.step, i, m, bytes), &s.b,
                     blas_part(job->c.address, job->n, job->c.step, j, n, bytes), &s.c,
                     blas_at(job->a.address, i + j * job->a.step, bytes), &lda);
        }
    }
}

CUresult blas_run_ger(void *arguments)
{
    const struct blas_job *job = arguments;
    const struct blas_shapes shapes = {
        .b = blas_vector_shape(job->m), .c = blas_vector_shape(job->n), .written = 'a'};
    CUresult result;

    if (blas_update_is_settled(job, true, &result))
        return result;
    return blas_compact(job, &shapes, ger);
}

bool blas_update_is_settled(const struct blas_job *job, bool two, CUresult *result)
{
    const enum blas_type type = job->hermitian && !two ? blas_real(job->type) : job->type;
    const bool is_idle = blas_is_zero(blas_value_of(type, blas_scalar_address(&job->alpha)));
    const bool is_whole = job->a.address && job->b.address && (!two || job->c.address);

    *result = is_idle || is_whole ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS;
    return is_idle || !is_whole;
}
