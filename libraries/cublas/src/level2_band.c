/* SPDX-License-Identifier: MIT */
/* Band matrices by OpenBLAS, a block of columns at a time: a block's rows are those of its columns'
 * bands, and it is a band matrix in the same memory. So sizes may exceed OpenBLAS' integers, and
 * its threads find room for their sums in its buffers. Symmetric and triangular matrices have
 * blocks on the diagonal; two neighbours meet in a corner, a band matrix too.
 *
 *              front          back
 *     front    block    |    corner, if the upper triangle is stored
 *     back     corner   |    block; the corner is here if the lower triangle is stored
 */
#include "compact.h"
#include "level2_parts.h"

enum { BLOCK = 1 << 15 };

/* A band matrix in the memory of a job's. */
struct band {
    int64_t m, n, kl, ku;
    const void *a;
};

/* y += alpha op(band) x, where x and y are vectors of b's and c's increments. */
static void add_band(const struct blas_job *job, const struct band *band, char trans,
                     const void *alpha, const void *x, int64_t incx, void *y, int64_t incy)
{
    const openblas_int m = (openblas_int)band->m, n = (openblas_int)band->n,
                       kl = (openblas_int)band->kl, ku = (openblas_int)band->ku,
                       lda = (openblas_int)job->a.step, incx32 = (openblas_int)incx,
                       incy32 = (openblas_int)incy;

    openblas()->gbmv[job->type](&trans, &m, &n, &kl, &ku, alpha, band->a, &lda, x, &incx32,
                                blas_one(job->type), y, &incy32, 1);
}

/* The block of `columns` columns from `column` on, and its first row. */
static struct band columns_of(const struct blas_job *job, int64_t column, int64_t columns,
                              int64_t *row)
{
    *row = blas_max(0, column - job->ku);
    return (struct band){
        .m = blas_min(job->m, column + columns + job->kl) - *row,
        .n = columns,
        .kl = job->kl + column - *row,
        .ku = job->ku + *row - column,
        .a = blas_at(job->a.address, column * job->a.step, blas_bytes(job->type)),
    };
}

static void gbmv(const struct blas_job *job)
{
    const size_t bytes = blas_bytes(job->type);
    const bool normal = job->transa == 'N';
    const struct blas_operand *x = &job->b, *y = &job->c;

    for (int64_t column = 0; column < job->n; column += BLOCK) {
        int64_t row;
        const struct band band = columns_of(job, column, blas_min(job->n - column, BLOCK), &row);

        if (band.m <= 0)
            break;
        add_band(job, &band, job->transa, blas_scalar_address(&job->alpha),
                 normal ? blas_part(x->address, job->n, x->step, column, band.n, bytes)
                        : blas_part(x->address, job->m, x->step, row, band.m, bytes),
                 x->step,
                 normal ? blas_part(y->address, job->m, y->step, row, band.m, bytes)
                        : blas_part(y->address, job->n, y->step, column, band.n, bytes),
                 y->step);
    }
}

/* The same for a leading dimension that OpenBLAS cannot express, which few columns have: each is a
 * matrix of one column. */
static void gbmv_by_column(const struct blas_job *job)
{
    const size_t bytes = blas_bytes(job->type);
    const void *alpha = blas_scalar_address(&job->alpha), *one = blas_one(job->type);
    const struct blas_operand *x = &job->b, *y = &job->c;

    for (int64_t column = 0; column < job->n; column++) {
        int64_t row;
        const struct band band = columns_of(job, column, 1, &row);
        const void *a = blas_at(band.a, band.ku, bytes);

        if (band.m <= 0)
            break;
        if (job->transa == 'N')
            blas_gemv(job->type, 'N', band.m, 1, alpha, a, band.m,
                      blas_part(x->address, job->n, x->step, column, 1, bytes), x->step, one,
                      blas_part(y->address, job->m, y->step, row, band.m, bytes), y->step);
        else
            blas_gemv(job->type, job->transa, band.m, 1, alpha, a, band.m,
                      blas_part(x->address, job->m, x->step, row, band.m, bytes), x->step, one,
                      blas_part(y->address, job->n, y->step, column, 1, bytes), y->step);
    }
}

CUresult blas_run_gbmv(void *arguments)
{
    const struct blas_job *job = arguments;
    const struct blas_shape rows = blas_vector_shape(job->m), columns = blas_vector_shape(job->n);
    const bool normal = job->transa == 'N';
    const struct blas_shapes shapes = {
        .b = normal ? columns : rows, .c = normal ? rows : columns, .written = 'c'};

    if (!blas_begin_product(job, normal ? job->m : job->n))
        return CUDA_SUCCESS;
    if (blas_fits(job->a.step))
        return blas_compact(job, &shapes, gbmv);
    gbmv_by_column(job);
    return CUDA_SUCCESS;
}

/* Blocks on the diagonal have at least k columns, so that a corner touches no third one. */
static int64_t block_of(const struct blas_job *job)
{
    return blas_max(BLOCK, job->k);
}

/* y += alpha op(corner) x, of the corner at which the column `at` begins the back block. With the
 * letter N the sum goes to the front if the upper triangle is stored, otherwise to the back; with
 * the others it goes the other way. */
static void add_corner(const struct blas_job *job, int64_t at, char trans, const void *alpha,
                       const struct blas_operand *x, const struct blas_operand *y)
{
    const size_t bytes = blas_bytes(job->type);
    const bool upper = job->uplo == 'U', to_front = upper == (trans == 'N');
    const int64_t front = blas_min(at, job->k), back = blas_min(job->n - at, job->k);
    const struct band band = {
        .m = upper ? front : back,
        .n = upper ? back : front,
        .kl = upper ? front - 1 : job->k - front,
        .ku = upper ? job->k - front : front,
        .a = blas_at(job->a.address, (upper ? at : at - front) * job->a.step, bytes),
    };
    const int64_t from = to_front ? at : at - front, to = to_front ? at - front : at;

    if (front == 0 || back <= 0)
        return;
    add_band(job, &band, trans, alpha,
             blas_part(x->address, job->n, x->step, from, to_front ? back : front, bytes), x->step,
             blas_part(y->address, job->n, y->step, to, to_front ? front : back, bytes), y->step);
}

/* The addresses of a block on the diagonal and of its parts of the vectors. */
struct block {
    openblas_int n, k, lda, incx, incy;
    void *a, *x, *y;
};

static struct block block_at(const struct blas_job *job, int64_t begin)
{
    const size_t bytes = blas_bytes(job->type);
    const int64_t n = blas_min(job->n - begin, block_of(job));

    return (struct block){
        .n = (openblas_int)n,
        .k = (openblas_int)job->k,
        .lda = (openblas_int)job->a.step,
        .incx = (openblas_int)job->b.step,
        .incy = (openblas_int)job->c.step,
        .a = blas_at(job->a.address, begin * job->a.step, bytes),
        .x = blas_part(job->b.address, job->n, job->b.step, begin, n, bytes),
        .y = blas_part(job->c.address, job->n, job->c.step, begin, n, bytes),
    };
}

static void sbmv(const struct blas_job *job)
{
    const struct openblas *blas = openblas();
    openblas_sbmv *function = job->hermitian ? blas->hbmv[job->type] : blas->sbmv[job->type];
    const void *alpha = blas_scalar_address(&job->alpha);

    for (int64_t begin = 0; begin < job->n; begin += block_of(job)) {
        const struct block b = block_at(job, begin);

        function(&job->uplo, &b.n, &b.k, alpha, b.a, &b.lda, b.x, &b.incx, blas_one(job->type), b.y,
                 &b.incy, 1);
        add_corner(job, begin, 'N', alpha, &job->b, &job->c);
        add_corner(job, begin, job->hermitian ? 'C' : 'T', alpha, &job->b, &job->c);
    }
}

static struct blas_shape bands(const struct blas_job *job)
{
    return (struct blas_shape){job->k + 1, job->n};
}

CUresult blas_run_sbmv(void *arguments)
{
    const struct blas_job *job = arguments;
    const struct blas_shape vector = blas_vector_shape(job->n);

    if (!blas_begin_product(job, job->n))
        return CUDA_SUCCESS;
    return blas_compact(job, &(struct blas_shapes){bands(job), vector, vector, 'c'}, sbmv);
}

/* A product with the transposed or the lower matrix goes to the back. It is computed in the order
 * in which no block is read after it was written, a solution in the other. */
static void triangular(const struct blas_job *job, openblas_tbmv *function, bool solves)
{
    const double minus_one[2] = {-1, 0};
    const struct blas_scalar minus = blas_scalar_of(job->type, minus_one);
    const bool to_front = (job->uplo == 'U') == (job->transa == 'N');
    const int64_t length = block_of(job), count = (job->n + length - 1) / length;

    for (int64_t i = 0; i < count; i++) {
        const int64_t begin = (to_front != solves ? i : count - 1 - i) * length;
        const int64_t corner = to_front ? begin + length : begin;
        const struct block b = block_at(job, begin);

        if (solves)
            add_corner(job, corner, job->transa, minus.bytes, &job->b, &job->b);
        function(&job->uplo, &job->transa, &job->diag, &b.n, &b.k, b.a, &b.lda, b.x, &b.incx, 1, 1,
                 1);
        if (!solves)
            add_corner(job, corner, job->transa, blas_one(job->type), &job->b, &job->b);
    }
}

static void tbmv(const struct blas_job *job)
{
    triangular(job, openblas()->tbmv[job->type], false);
}

static void tbsv(const struct blas_job *job)
{
    triangular(job, openblas()->tbsv[job->type], true);
}

static CUresult run_triangular(const struct blas_job *job, blas_fitting *run)
{
    const struct blas_shapes shapes = {
        .a = bands(job), .b = blas_vector_shape(job->n), .written = 'b'};

    return blas_compact(job, &shapes, run);
}

CUresult blas_run_tbmv(void *arguments)
{
    return run_triangular(arguments, tbmv);
}

CUresult blas_run_tbsv(void *arguments)
{
    return run_triangular(arguments, tbsv);
}
