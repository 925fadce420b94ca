/* SPDX-License-Identifier: MIT */
/* Full and packed symmetric, Hermitian and triangular matrices of level 2 by OpenBLAS. */
#include "compact.h"
#include "level2_parts.h"

static struct blas_shape square(const struct blas_job *job)
{
    return (struct blas_shape){job->n, job->n};
}

static const struct blas_shape packed_triangle; /* has no leading dimension */

static void symv(const struct blas_job *job)
{
    const struct openblas *blas = openblas();
    const struct blas_sizes s = blas_sizes_of(job);
    openblas_symv *function = job->hermitian ? blas->hemv[job->type] : blas->symv[job->type];

    if (blas_begin_product(job, job->n))
        function(&job->uplo, &s.n, blas_scalar_address(&job->alpha), job->a.address, &s.a,
                 job->b.address, &s.b, blas_one(job->type), job->c.address, &s.c, 1);
}

CUresult blas_run_symv(void *arguments)
{
    const struct blas_job *job = arguments;
    const struct blas_shape vector = blas_vector_shape(job->n);

    return blas_compact(job, &(struct blas_shapes){square(job), vector, vector, 'c'}, symv);
}

static void spmv(const struct blas_job *job)
{
    const struct openblas *blas = openblas();
    const struct blas_sizes s = blas_sizes_of(job);
    openblas_spmv *function = job->hermitian ? blas->hpmv[job->type] : blas->spmv[job->type];

    if (blas_begin_product(job, job->n))
        function(&job->uplo, &s.n, blas_scalar_address(&job->alpha), job->a.address, job->b.address,
                 &s.b, blas_one(job->type), job->c.address, &s.c, 1);
}

CUresult blas_run_spmv(void *arguments)
{
    const struct blas_job *job = arguments;
    const struct blas_shape vector = blas_vector_shape(job->n);

    return blas_compact(job, &(struct blas_shapes){packed_triangle, vector, vector, 'c'}, spmv);
}

static void syr(const struct blas_job *job)
{
    const struct openblas *blas = openblas();
    const struct blas_sizes s = blas_sizes_of(job);
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

    if (blas_update_is_settled(job, false, &result))
        return result;
    return blas_compact(job, &shapes, syr);
}

/* Complex symmetric rank 2 updates are not in BLAS: the columns are updated one by one. */
static void syr2_by_column(const struct blas_job *job)
{
    const cudaDataType_t element = blas_data_type(job->type);
    const struct blas_complex alpha = blas_value_of(job->type, blas_scalar_address(&job->alpha));
    const int64_t x = job->b.step < 0 ? (1 - job->n) * job->b.step : 0,
                  y = job->c.step < 0 ? (1 - job->n) * job->c.step : 0;

    for (int64_t j = 0; j < job->n && !blas_is_zero(alpha); j++) {
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
    const struct blas_sizes s = blas_sizes_of(job);
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

    if (blas_update_is_settled(job, true, &result))
        return result;
    return blas_compact(job, &(struct blas_shapes){square(job), vector, vector, 'a'}, syr2);
}

static void spr(const struct blas_job *job)
{
    const struct openblas *blas = openblas();
    const struct blas_sizes s = blas_sizes_of(job);
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

    if (blas_update_is_settled(job, false, &result))
        return result;
    return blas_compact(job, &shapes, spr);
}

static void spr2(const struct blas_job *job)
{
    const struct openblas *blas = openblas();
    const struct blas_sizes s = blas_sizes_of(job);
    openblas_spr2 *function = job->hermitian ? blas->hpr2[job->type] : blas->spr2[job->type];

    function(&job->uplo, &s.n, blas_scalar_address(&job->alpha), job->b.address, &s.b,
             job->c.address, &s.c, job->a.address, 1);
}

CUresult blas_run_spr2(void *arguments)
{
    const struct blas_job *job = arguments;
    const struct blas_shape vector = blas_vector_shape(job->n);
    CUresult result;

    if (blas_update_is_settled(job, true, &result))
        return result;
    return blas_compact(job, &(struct blas_shapes){packed_triangle, vector, vector, 'a'}, spr2);
}

static void triangular(const struct blas_job *job, openblas_trmv *function)
{
    const struct blas_sizes s = blas_sizes_of(job);

    function(&job->uplo, &job->transa, &job->diag, &s.n, job->a.address, &s.a, job->b.address, &s.b,
             1, 1, 1);
}

static void packed(const struct blas_job *job, openblas_tpmv *function)
{
    const struct blas_sizes s = blas_sizes_of(job);

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
