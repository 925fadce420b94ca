/* SPDX-License-Identifier: MIT */
/* Level 2 by OpenBLAS. y is scaled here, so that a beta of 0 never reads it. */
#include "level2_run.h"

#include "compact.h"
#include "element.h"

enum { PIECE_MOST = 1 << 30 };

static struct blas_complex value_of(enum blas_type type, const void *address)
{
    return blas_load(blas_data_type(type), address, 0);
}

static bool is_zero(struct blas_complex value)
{
    return value.re == 0 && value.im == 0;
}

static void scale(enum blas_type type, int64_t n, struct blas_complex beta, void *y, int64_t step)
{
    const cudaDataType_t element = blas_data_type(type);
    const int64_t distance = step < 0 ? -step : step;

    if (beta.re == 1 && beta.im == 0)
        return;
    for (int64_t i = 0; i < n; i++) {
        struct blas_complex value = {0, 0};

        if (!is_zero(beta))
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

/* The part of a vector of n elements that BLAS wants for begin ... begin + length - 1. */
static void *part(const void *vector, int64_t n, int64_t step, int64_t begin, int64_t length,
                  size_t bytes)
{
    return blas_at(vector, step < 0 ? (begin + length - n) * step : begin * step, bytes);
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
            const void *x_part =
                trans == 'N' ? part(x, n, incx, j, n32, bytes) : part(x, m, incx, i, m32, bytes);
            void *y_part =
                trans == 'N' ? part(y, m, incy, i, m32, bytes) : part(y, n, incy, j, n32, bytes);

            openblas()->gemv[type](&trans, &m32, &n32, alpha, blas_at(a, i + j * lda, bytes),
                                   &lda32, x_part, &incx32, blas_one(type), y_part, &incy32, 1);
        }
    }
}

void blas_gemv(enum blas_type type, char trans, int64_t m, int64_t n, const void *alpha,
               const void *a, int64_t lda, const void *x, int64_t incx, const void *beta, void *y,
               int64_t incy)
{
    const struct blas_complex alpha_value = value_of(type, alpha);

    scale(type, trans == 'N' ? m : n, value_of(type, beta), y, incy);
    if (is_zero(alpha_value))
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

/* The sizes of a job in OpenBLAS' integers. */
struct sizes {
    openblas_int m, n, k, kl, ku, a, b, c;
};

static struct sizes sizes_of(const struct blas_job *job)
{
    return (struct sizes){(openblas_int)job->m,      (openblas_int)job->n,
                          (openblas_int)job->k,      (openblas_int)job->kl,
                          (openblas_int)job->ku,     (openblas_int)job->a.step,
                          (openblas_int)job->b.step, (openblas_int)job->c.step};
}

static struct blas_shape square(const struct blas_job *job)
{
    return (struct blas_shape){job->n, job->n};
}

static struct blas_shape bands(const struct blas_job *job)
{
    return (struct blas_shape){job->k + 1, job->n};
}

static const struct blas_shape packed_triangle; /* has no leading dimension */

/* Scales y of n elements. Returns false if alpha is 0 and there is nothing to add. */
static bool begin_product(const struct blas_job *job, int64_t n)
{
    scale(job->type, n, value_of(job->type, blas_scalar_address(&job->beta)), job->c.address,
          job->c.step);
    return !is_zero(value_of(job->type, blas_scalar_address(&job->alpha)));
}

static void gbmv(const struct blas_job *job)
{
    const struct sizes s = sizes_of(job);

    if (begin_product(job, job->transa == 'N' ? job->m : job->n))
        openblas()->gbmv[job->type](&job->transa, &s.m, &s.n, &s.kl, &s.ku,
                                    blas_scalar_address(&job->alpha), job->a.address, &s.a,
                                    job->b.address, &s.b, blas_one(job->type), job->c.address, &s.c,
                                    1);
}

CUresult blas_run_gbmv(void *arguments)
{
    const struct blas_job *job = arguments;
    const struct blas_shape rows = blas_vector_shape(job->m), columns = blas_vector_shape(job->n);
    const bool normal = job->transa == 'N';
    const struct blas_shapes shapes = {
        {job->kl + job->ku + 1, job->n}, normal ? columns : rows, normal ? rows : columns, 'c'};

    return blas_compact(job, &shapes, gbmv);
}

static void symv(const struct blas_job *job)
{
    const struct openblas *blas = openblas();
    const struct sizes s = sizes_of(job);
    openblas_symv *function = job->hermitian ? blas->hemv[job->type] : blas->symv[job->type];

    if (begin_product(job, job->n))
        function(&job->uplo, &s.n, blas_scalar_address(&job->alpha), job->a.address, &s.a,
                 job->b.address, &s.b, blas_one(job->type), job->c.address, &s.c, 1);
}

CUresult blas_run_symv(void *arguments)
{
    const struct blas_job *job = arguments;
    const struct blas_shape vector = blas_vector_shape(job->n);

    return blas_compact(job, &(struct blas_shapes){square(job), vector, vector, 'c'}, symv);
}

static void sbmv(const struct blas_job *job)
{
    const struct openblas *blas = openblas();
    const struct sizes s = sizes_of(job);
    openblas_sbmv *function = job->hermitian ? blas->hbmv[job->type] : blas->sbmv[job->type];

    if (begin_product(job, job->n))
        function(&job->uplo, &s.n, &s.k, blas_scalar_address(&job->alpha), job->a.address, &s.a,
                 job->b.address, &s.b, blas_one(job->type), job->c.address, &s.c, 1);
}

CUresult blas_run_sbmv(void *arguments)
{
    const struct blas_job *job = arguments;
    const struct blas_shape vector = blas_vector_shape(job->n);

    return blas_compact(job, &(struct blas_shapes){bands(job), vector, vector, 'c'}, sbmv);
}

static void spmv(const struct blas_job *job)
{
    const struct openblas *blas = openblas();
    const struct sizes s = sizes_of(job);
    openblas_spmv *function = job->hermitian ? blas->hpmv[job->type] : blas->spmv[job->type];

    if (begin_product(job, job->n))
        function(&job->uplo, &s.n, blas_scalar_address(&job->alpha), job->a.address, job->b.address,
                 &s.b, blas_one(job->type), job->c.address, &s.c, 1);
}

CUresult blas_run_spmv(void *arguments)
{
    const struct blas_job *job = arguments;
    const struct blas_shape vector = blas_vector_shape(job->n);

    return blas_compact(job, &(struct blas_shapes){packed_triangle, vector, vector, 'c'}, spmv);
}

static void ger(const struct blas_job *job)
{
    const struct openblas *blas = openblas();
    const size_t bytes = blas_bytes(job->type);
    const struct sizes s = sizes_of(job);
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
                     part(job->b.address, job->m, job->b.step, i, m, bytes), &s.b,
                     part(job->c.address, job->n, job->c.step, j, n, bytes), &s.c,
                     blas_at(job->a.address, i + j * job->a.step, bytes), &lda);
        }
    }
}

/* Tells whether an update ends before it begins, and how: an alpha of 0, which may lie in device
 * memory, changes nothing, and any other wants the operands, which blas_add_scaled() has not named
 * if they are NULL. `two` has y. */
static bool update_is_settled(const struct blas_job *job, bool two, CUresult *result)
{
    const enum blas_type type = job->hermitian && !two ? blas_real(job->type) : job->type;
    const bool is_idle = is_zero(value_of(type, blas_scalar_address(&job->alpha)));
    const bool is_whole = job->a.address && job->b.address && (!two || job->c.address);

    *result = is_idle || is_whole ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS;
    return is_idle || !is_whole;
}

CUresult blas_run_ger(void *arguments)
{
    const struct blas_job *job = arguments;
    const struct blas_shapes shapes = {
        .b = blas_vector_shape(job->m), .c = blas_vector_shape(job->n), .written = 'a'};
    CUresult result;

    if (update_is_settled(job, true, &result))
        return result;
    return blas_compact(job, &shapes, ger);
}

static void syr(const struct blas_job *job)
{
    const struct openblas *blas = openblas();
    const struct sizes s = sizes_of(job);
    openblas_syr *function = job->hermitian ? blas->her[job->type] : blas->syr[job->type];

    function(&job->uplo, &s.n, blas_scalar_address(&job->alpha), job->b.address, &s.b,
             job->a.address, &s.a, 1);
}

CUresult blas_run_syr(void *arguments)
{
    const struct blas_job *job = arguments;
    const struct blas_shapes shapes = {
        .a = square(job), .b = blas_vector_shape(job->n), .written = 'a'};
    CUresult result;

    if (update_is_settled(job, false, &result))
        return result;
    return blas_compact(job, &shapes, syr);
}

/* Complex symmetric rank 2 updates are not in BLAS: the columns are updated one by one. */
static void syr2_by_column(const struct blas_job *job)
{
    const cudaDataType_t element = blas_data_type(job->type);
    const struct blas_complex alpha = value_of(job->type, blas_scalar_address(&job->alpha));
    const int64_t x = job->b.step < 0 ? (1 - job->n) * job->b.step : 0,
                  y = job->c.step < 0 ? (1 - job->n) * job->c.step : 0;

    for (int64_t j = 0; j < job->n && !is_zero(alpha); j++) {
        int64_t first = job->uplo == 'U' ? 0 : j, last = job->uplo == 'U' ? j : job->n - 1;
        struct blas_complex xj = blas_load(element, job->b.address, x + j * job->b.step),
                            yj = blas_load(element, job->c.address, y + j * job->c.step);

        for (int64_t i = first; i <= last; i++) {
            struct blas_complex sum = blas_plus(
                blas_multiply(blas_load(element, job->b.address, x + i * job->b.step), yj),
                blas_multiply(blas_load(element, job->c.address, y + i * job->c.step), xj));
            int64_t at = i + j * job->a.step;

            blas_store(
                element, job->a.address, at,
                blas_plus(blas_load(element, job->a.address, at), blas_multiply(alpha, sum)));
        }
    }
}

static void syr2(const struct blas_job *job)
{
    const struct openblas *blas = openblas();
    const struct sizes s = sizes_of(job);
    openblas_syr2 *function = job->hermitian ? blas->her2[job->type] : blas->syr2[job->type];

    if (function)
        function(&job->uplo, &s.n, blas_scalar_address(&job->alpha), job->b.address, &s.b,
                 job->c.address, &s.c, job->a.address, &s.a, 1);
    else
        syr2_by_column(job);
}

CUresult blas_run_syr2(void *arguments)
{
    const struct blas_job *job = arguments;
    const struct blas_shape vector = blas_vector_shape(job->n);
    CUresult result;

    if (update_is_settled(job, true, &result))
        return result;
    return blas_compact(job, &(struct blas_shapes){square(job), vector, vector, 'a'}, syr2);
}

static void spr(const struct blas_job *job)
{
    const struct openblas *blas = openblas();
    const struct sizes s = sizes_of(job);
    openblas_spr *function = job->hermitian ? blas->hpr[job->type] : blas->spr[job->type];

    function(&job->uplo, &s.n, blas_scalar_address(&job->alpha), job->b.address, &s.b,
             job->a.address, 1);
}

CUresult blas_run_spr(void *arguments)
{
    const struct blas_job *job = arguments;
    const struct blas_shapes shapes = {
        .a = packed_triangle, .b = blas_vector_shape(job->n), .written = 'a'};
    CUresult result;

    if (update_is_settled(job, false, &result))
        return result;
    return blas_compact(job, &shapes, spr);
}

static void spr2(const struct blas_job *job)
{
    const struct openblas *blas = openblas();
    const struct sizes s = sizes_of(job);
    openblas_spr2 *function = job->hermitian ? blas->hpr2[job->type] : blas->spr2[job->type];

    function(&job->uplo, &s.n, blas_scalar_address(&job->alpha), job->b.address, &s.b,
             job->c.address, &s.c, job->a.address, 1);
}

CUresult blas_run_spr2(void *arguments)
{
    const struct blas_job *job = arguments;
    const struct blas_shape vector = blas_vector_shape(job->n);
    CUresult result;

    if (update_is_settled(job, true, &result))
        return result;
    return blas_compact(job, &(struct blas_shapes){packed_triangle, vector, vector, 'a'}, spr2);
}

static void triangular(const struct blas_job *job, openblas_trmv *function)
{
    const struct sizes s = sizes_of(job);

    function(&job->uplo, &job->transa, &job->diag, &s.n, job->a.address, &s.a, job->b.address, &s.b,
             1, 1, 1);
}

static void banded(const struct blas_job *job, openblas_tbmv *function)
{
    const struct sizes s = sizes_of(job);

    function(&job->uplo, &job->transa, &job->diag, &s.n, &s.k, job->a.address, &s.a, job->b.address,
             &s.b, 1, 1, 1);
}

static void packed(const struct blas_job *job, openblas_tpmv *function)
{
    const struct sizes s = sizes_of(job);

    function(&job->uplo, &job->transa, &job->diag, &s.n, job->a.address, job->b.address, &s.b, 1, 1,
             1);
}

static void trmv(const struct blas_job *job)
{
    triangular(job, openblas()->trmv[job->type]);
}

CUresult blas_run_trmv(void *arguments)
{
    const struct blas_job *job = arguments;
    const struct blas_shapes shapes = {
        .a = square(job), .b = blas_vector_shape(job->n), .written = 'b'};

    return blas_compact(job, &shapes, trmv);
}

static void trsv(const struct blas_job *job)
{
    triangular(job, openblas()->trsv[job->type]);
}

CUresult blas_run_trsv(void *arguments)
{
    const struct blas_job *job = arguments;
    const struct blas_shapes shapes = {
        .a = square(job), .b = blas_vector_shape(job->n), .written = 'b'};

    return blas_compact(job, &shapes, trsv);
}

static void tbmv(const struct blas_job *job)
{
    banded(job, openblas()->tbmv[job->type]);
}

CUresult blas_run_tbmv(void *arguments)
{
    const struct blas_job *job = arguments;
    const struct blas_shapes shapes = {
        .a = bands(job), .b = blas_vector_shape(job->n), .written = 'b'};

    return blas_compact(job, &shapes, tbmv);
}

static void tbsv(const struct blas_job *job)
{
    banded(job, openblas()->tbsv[job->type]);
}

CUresult blas_run_tbsv(void *arguments)
{
    const struct blas_job *job = arguments;
    const struct blas_shapes shapes = {
        .a = bands(job), .b = blas_vector_shape(job->n), .written = 'b'};

    return blas_compact(job, &shapes, tbsv);
}

static void tpmv(const struct blas_job *job)
{
    packed(job, openblas()->tpmv[job->type]);
}

CUresult blas_run_tpmv(void *arguments)
{
    const struct blas_job *job = arguments;
    const struct blas_shapes shapes = {
        .a = packed_triangle, .b = blas_vector_shape(job->n), .written = 'b'};

    return blas_compact(job, &shapes, tpmv);
}

static void tpsv(const struct blas_job *job)
{
    packed(job, openblas()->tpsv[job->type]);
}

CUresult blas_run_tpsv(void *arguments)
{
    const struct blas_job *job = arguments;
    const struct blas_shapes shapes = {
        .a = packed_triangle, .b = blas_vector_shape(job->n), .written = 'b'};

    return blas_compact(job, &shapes, tpsv);
}
