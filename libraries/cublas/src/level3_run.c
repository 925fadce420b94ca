/* SPDX-License-Identifier: MIT */
/* Level 3 by OpenBLAS. Sizes above what its integers express are split where a matrix can have
 * them: along m, n and k of products, and along the side of a triangular or symmetric product that
 * its square matrix does not have. Rank updates with such leading dimensions are made of products,
 * which need none. */
#include "level3_run.h"

#include "compact.h"
#include "openblas_gemm.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE_MOST = 1 << 30, TRIANGLE_BLOCK = 128 };

static const double zero[2];

/* The part of a matrix that begins at a row and a column of op(matrix). */
static const void *part_of(const void *matrix, char trans, int64_t row, int64_t column, int64_t ld,
                           size_t bytes)
{
    return blas_at(matrix, trans == 'N' ? row + column * ld : column + row * ld, bytes);
}

CUresult blas_run_gemm(void *arguments)
{
    const struct blas_job *job = arguments;

    lib_gemm((enum openblas_type)job->type, job->transa, job->transb, job->m, job->n, job->k,
             blas_scalar_address(&job->alpha), job->a.address, job->a.step, job->b.address,
             job->b.step, blas_scalar_address(&job->beta), job->c.address, job->c.step);
    return CUDA_SUCCESS;
}

/* The address of row or column `index` of B and C, which are split along the dimension that the
 * square matrix does not have. */
static void *slice(const struct blas_job *job, const struct blas_operand *operand, int64_t index)
{
    return blas_at(operand->address, job->side == 'L' ? index * operand->step : index,
                   blas_bytes(job->type));
}

static struct blas_shape square(const struct blas_job *job)
{
    int64_t order = job->side == 'L' ? job->m : job->n;

    return (struct blas_shape){order, order};
}

static void symm(const struct blas_job *job)
{
    const struct openblas *blas = openblas();
    openblas_symm *function = job->hermitian ? blas->hemm[job->type] : blas->symm[job->type];
    const openblas_int lda = (openblas_int)job->a.step, ldb = (openblas_int)job->b.step,
                       ldc = (openblas_int)job->c.step;
    const int64_t length = job->side == 'L' ? job->n : job->m;

    for (int64_t begin = 0; begin < length; begin += PIECE_MOST) {
        const openblas_int piece = (openblas_int)blas_min(length - begin, PIECE_MOST);
        const openblas_int m = job->side == 'L' ? (openblas_int)job->m : piece,
                           n = job->side == 'L' ? piece : (openblas_int)job->n;

        function(&job->side, &job->uplo, &m, &n, blas_scalar_address(&job->alpha), job->a.address,
                 &lda, slice(job, &job->b, begin), &ldb, blas_scalar_address(&job->beta),
                 slice(job, &job->c, begin), &ldc, 1, 1);
    }
}

CUresult blas_run_symm(void *arguments)
{
    const struct blas_job *job = arguments;
    const struct blas_shape sides = {job->m, job->n};

    return blas_compact(job, &(struct blas_shapes){square(job), sides, sides, 'c'}, symm);
}

/* What BLAS calls the operation of a rank update: symmetric ones know N and T, Hermitian ones N and
 * C. cuBLAS takes either letter. */
static char update_trans(const struct blas_job *job)
{
    if (job->transa == 'N')
        return 'N';
    return job->hermitian ? 'C' : 'T';
}

/* Adds a product to a triangle, or to a square whose other triangle stays as it is: c = beta c + t
 * for the triangle of the square t. The imaginary part of a Hermitian matrix's diagonal becomes 0.
 */
static void add_triangle(const struct blas_job *job, int64_t size, const void *t,
                         const double beta[2], void *c)
{
    const bool is_single = blas_real(job->type) == BLAS_S;
    const int parts = blas_is_complex(job->type) ? 2 : 1;

    for (int64_t j = 0; j < size; j++) {
        int64_t first = job->uplo == 'U' ? 0 : j, last = job->uplo == 'U' ? j : size - 1;

        for (int64_t i = first; i <= last; i++) {
            int64_t from = (i + j * size) * parts, to = (i + j * job->c.step) * parts;
            double sum[2] = {0, 0}, old[2] = {0, 0};

            for (int p = 0; p < parts; p++) {
                sum[p] = is_single ? ((const float *)t)[from + p] : ((const double *)t)[from + p];
                if (beta[0] != 0 || beta[1] != 0)
                    old[p] = is_single ? ((float *)c)[to + p] : ((double *)c)[to + p];
            }
            sum[0] += beta[0] * old[0] - beta[1] * old[1];
            sum[1] += beta[0] * old[1] + beta[1] * old[0];
            if (job->hermitian && i == j)
                sum[1] = 0;
            for (int p = 0; p < parts; p++) {
                if (is_single)
                    ((float *)c)[to + p] = (float)sum[p];
                else
                    ((double *)c)[to + p] = sum[p];
            }
        }
    }
}

/* Block columns: the rectangle outside of the diagonal block is an ordinary product, the block
 * itself a product into a square of its own. */
CUresult blas_run_syrkx(void *arguments)
{
    const struct blas_job *job = arguments;
    const enum blas_type type = job->type;
    const size_t bytes = blas_bytes(type);
    const char transa = update_trans(job), transb = transa != 'N'    ? 'N'
                                                    : job->hermitian ? 'C'
                                                                     : 'T';
    const void *alpha = blas_scalar_address(&job->alpha), *beta = blas_scalar_address(&job->beta);
    void *square;
    double alpha_value[2], beta_value[2], beta_complex[2];

    blas_scalar_value(&job->alpha, type, alpha_value);
    blas_scalar_value(&job->beta, job->hermitian ? blas_real(type) : type, beta_value);
    /* Without a product a beta of 1 on the host leaves C as it is, the imaginary parts of its
     * diagonal too. */
    if (!job->beta.device && (job->k == 0 || (alpha_value[0] == 0 && alpha_value[1] == 0)) &&
        beta_value[0] == 1 && beta_value[1] == 0)
        return CUDA_SUCCESS;
    square = malloc(TRIANGLE_BLOCK * TRIANGLE_BLOCK * bytes);
    if (!square)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (job->hermitian && type == BLAS_C)
        memcpy(beta_complex, (float[]){(float)beta_value[0], 0}, 2 * sizeof(float));
    else if (job->hermitian)
        memcpy(beta_complex, beta_value, sizeof(beta_complex));
    if (job->hermitian)
        beta = beta_complex;
    for (int64_t j = 0; j < job->n; j += TRIANGLE_BLOCK) {
        int64_t size = blas_min(job->n - j, TRIANGLE_BLOCK), below = j + size;
        int64_t row = job->uplo == 'U' ? 0 : below, rows = job->uplo == 'U' ? j : job->n - below;
        const void *b = part_of(job->b.address, transb, 0, j, job->b.step, bytes);

        if (rows > 0)
            lib_gemm((enum openblas_type)type, transa, transb, rows, size, job->k, alpha,
                     part_of(job->a.address, transa, row, 0, job->a.step, bytes), job->a.step, b,
                     job->b.step, beta, blas_at(job->c.address, row + j * job->c.step, bytes),
                     job->c.step);
        lib_gemm((enum openblas_type)type, transa, transb, size, size, job->k, alpha,
                 part_of(job->a.address, transa, j, 0, job->a.step, bytes), job->a.step, b,
                 job->b.step, zero, square, size);
        add_triangle(job, size, square, beta_value,
                     blas_at(job->c.address, j + j * job->c.step, bytes));
    }
    free(square);
    return CUDA_SUCCESS;
}

static bool steps_fit(const struct blas_job *job)
{
    return blas_fits(job->a.step) && blas_fits(job->b.step) && blas_fits(job->c.step);
}

/* A rank k update as one of two matrices that are the same. A Hermitian one has a real alpha. */
static CUresult update_by_products(const struct blas_job *job)
{
    struct blas_job both = *job;
    double alpha[2];

    both.b = job->a;
    if (job->hermitian) {
        blas_scalar_value(&job->alpha, blas_real(job->type), alpha);
        both.alpha = blas_scalar_of(job->type, alpha);
    }
    return blas_run_syrkx(&both);
}

/* cuBLAS does not look at scalars in device memory: it computes a Hermitian update that changes
 * nothing, too, and so makes the diagonal real. BLAS returns at once and leaves it. */
static void make_diagonal_real(const struct blas_job *job)
{
    const bool is_single = job->type == BLAS_C;

    for (int64_t i = 0; job->hermitian && job->beta.device && i < job->n; i++) {
        int64_t part = 2 * (i + i * job->c.step) + 1;

        if (is_single)
            ((float *)job->c.address)[part] = 0;
        else
            ((double *)job->c.address)[part] = 0;
    }
}

CUresult blas_run_syrk(void *arguments)
{
    const struct blas_job *job = arguments;
    const struct openblas *blas = openblas();
    openblas_syrk *syrk = job->hermitian ? blas->herk[job->type] : blas->syrk[job->type];
    const enum blas_type scalar_type = job->hermitian ? blas_real(job->type) : job->type;
    const openblas_int n = (openblas_int)job->n, lda = (openblas_int)job->a.step,
                       ldc = (openblas_int)job->c.step;
    const char trans = update_trans(job);
    int64_t begin = 0;

    if (!steps_fit(job))
        return update_by_products(job);
    do {
        const openblas_int k = (openblas_int)blas_min(job->k - begin, PIECE_MOST);

        syrk(&job->uplo, &trans, &n, &k, blas_scalar_address(&job->alpha),
             part_of(job->a.address, trans, 0, begin, job->a.step, blas_bytes(job->type)), &lda,
             begin ? blas_one(scalar_type) : blas_scalar_address(&job->beta), job->c.address, &ldc,
             1, 1);
        begin += k;
    } while (begin < job->k);
    make_diagonal_real(job);
    return CUDA_SUCCESS;
}

/* A rank 2k update as two with the matrices in either order. The second adds to the first. */
static CUresult update_twice(const struct blas_job *job)
{
    struct blas_job second = *job;
    double alpha[2];
    CUresult result = blas_run_syrkx((void *)job);

    if (result != CUDA_SUCCESS)
        return result;
    blas_scalar_value(&job->alpha, job->type, alpha);
    if (job->hermitian)
        alpha[1] = -alpha[1];
    second.a = job->b, second.b = job->a;
    second.alpha = blas_scalar_of(job->type, alpha);
    second.beta =
        blas_scalar_of(job->hermitian ? blas_real(job->type) : job->type, (const double[]){1, 0});
    return blas_run_syrkx(&second);
}

CUresult blas_run_syr2k(void *arguments)
{
    const struct blas_job *job = arguments;
    const struct openblas *blas = openblas();
    openblas_syr2k *syr2k = job->hermitian ? blas->her2k[job->type] : blas->syr2k[job->type];
    const enum blas_type beta_type = job->hermitian ? blas_real(job->type) : job->type;
    const size_t bytes = blas_bytes(job->type);
    const openblas_int n = (openblas_int)job->n, lda = (openblas_int)job->a.step,
                       ldb = (openblas_int)job->b.step, ldc = (openblas_int)job->c.step;
    const char trans = update_trans(job);
    int64_t begin = 0;

    if (!steps_fit(job))
        return update_twice(job);
    do {
        const openblas_int k = (openblas_int)blas_min(job->k - begin, PIECE_MOST);

        syr2k(&job->uplo, &trans, &n, &k, blas_scalar_address(&job->alpha),
              part_of(job->a.address, trans, 0, begin, job->a.step, bytes), &lda,
              part_of(job->b.address, trans, 0, begin, job->b.step, bytes), &ldb,
              begin ? blas_one(beta_type) : blas_scalar_address(&job->beta), job->c.address, &ldc,
              1, 1);
        begin += k;
    } while (begin < job->k);
    make_diagonal_real(job);
    return CUDA_SUCCESS;
}

static void triangular(const struct blas_job *job, openblas_trmm *function,
                       const struct blas_operand *operand)
{
    const openblas_int lda = (openblas_int)job->a.step, ldb = (openblas_int)operand->step;
    const int64_t length = job->side == 'L' ? job->n : job->m;

    for (int64_t begin = 0; begin < length; begin += PIECE_MOST) {
        const openblas_int piece = (openblas_int)blas_min(length - begin, PIECE_MOST);
        const openblas_int m = job->side == 'L' ? (openblas_int)job->m : piece,
                           n = job->side == 'L' ? piece : (openblas_int)job->n;

        function(&job->side, &job->uplo, &job->transa, &job->diag, &m, &n,
                 blas_scalar_address(&job->alpha), job->a.address, &lda, slice(job, operand, begin),
                 &ldb, 1, 1, 1, 1);
    }
}

static void trmm(const struct blas_job *job)
{
    const size_t bytes = blas_bytes(job->type);
    double alpha[2];

    blas_scalar_value(&job->alpha, job->type, alpha);
    if (job->c.address != job->b.address || job->c.step != job->b.step)
        for (int64_t j = 0; j < job->n && (alpha[0] != 0 || alpha[1] != 0); j++)
            memmove(blas_at(job->c.address, j * job->c.step, bytes),
                    blas_at(job->b.address, j * job->b.step, bytes), (size_t)job->m * bytes);
    triangular(job, openblas()->trmm[job->type], &job->c);
}

CUresult blas_run_trmm(void *arguments)
{
    const struct blas_job *job = arguments;
    const struct blas_shape sides = {job->m, job->n};

    return blas_compact(job, &(struct blas_shapes){square(job), sides, sides, 'c'}, trmm);
}

static void trsm(const struct blas_job *job)
{
    triangular(job, openblas()->trsm[job->type], &job->b);
}

CUresult blas_run_trsm(void *arguments)
{
    const struct blas_job *job = arguments;
    const struct blas_shapes shapes = {.a = square(job), .b = {job->m, job->n}, .written = 'b'};

    return blas_compact(job, &shapes, trsm);
}
