/* SPDX-License-Identifier: MIT */
/* Packs operands: copies their columns, or a vector's elements, to memory where they touch. Columns
 * with such a distance are few, so the copies are small, except for those with very many rows. Only
 * matrices beside a square one at their right have these, and their rows are independent. */
#include "compact.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_AT_ONCE = 1 << 20 };

/* An operand as it was, and the copy in its place; NULL: it has none. */
struct packed {
    struct blas_operand original;
    struct blas_shape shape;
    void *copy;
};

static int64_t distance(int64_t step)
{
    return step < 0 ? -step : step;
}

static bool pack(struct packed *packed, struct blas_operand *operand, struct blas_shape shape,
                 size_t bytes)
{
    *packed = (struct packed){.original = *operand, .shape = shape};
    if (shape.rows == 0 || blas_fits(operand->step))
        return true;
    packed->copy = calloc((size_t)shape.columns, (size_t)shape.rows * bytes);
    if (!packed->copy)
        return false;
    for (int64_t j = 0; j < shape.columns; j++)
        memcpy(blas_at(packed->copy, j * shape.rows, bytes),
               blas_at(operand->address, j * distance(operand->step), bytes),
               (size_t)shape.rows * bytes);
    operand->address = packed->copy;
    operand->step = operand->step < 0 ? -shape.rows : shape.rows;
    return true;
}

/* Copies back what was written, and frees the copy. */
static void unpack(struct packed *packed, bool written, size_t bytes)
{
    for (int64_t j = 0; packed->copy && written && j < packed->shape.columns; j++)
        memcpy(blas_at(packed->original.address, j * distance(packed->original.step), bytes),
               blas_at(packed->copy, j * packed->shape.rows, bytes),
               (size_t)packed->shape.rows * bytes);
    free(packed->copy);
}

static bool same(const struct blas_operand *x, const struct blas_operand *y)
{
    return x->address == y->address && x->step == y->step;
}

/* Runs a job whose a fits already. b and c may be the same matrix, and stay so. */
static CUresult run_packed(struct blas_job job, const struct blas_shapes *shapes, blas_fitting *run)
{
    const size_t bytes = blas_bytes(job.type);
    const bool shared = shapes->c.rows > 0 && same(&job.b, &job.c);
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
    struct packed b = {.copy = NULL}, c = {.copy = NULL};

    if (!pack(&b, &job.b, shapes->b, bytes))
        return result;
    if (shared)
        job.c = job.b;
    if (pack(&c, &job.c, shapes->c, bytes)) {
        run(&job);
        result = CUDA_SUCCESS;
    }
    unpack(&c, result == CUDA_SUCCESS && shapes->written == 'c', bytes);
    unpack(&b,
           result == CUDA_SUCCESS && (shapes->written == 'b' || (shared && shapes->written == 'c')),
           bytes);
    return result;
}

static CUresult run_rows(const struct blas_job *job, const struct blas_shapes *shapes,
                         blas_fitting *run)
{
    const size_t bytes = blas_bytes(job->type);
    CUresult result = CUDA_SUCCESS;

    if (job->side != 'R')
        return run_packed(*job, shapes, run);
    for (int64_t i = 0; i < job->m && result == CUDA_SUCCESS; i += ROWS_AT_ONCE) {
        struct blas_job part = *job;
        struct blas_shapes part_shapes = *shapes;

        part.m = part_shapes.b.rows = blas_min(job->m - i, ROWS_AT_ONCE);
        part_shapes.c.rows = shapes->c.rows ? part.m : 0;
        part.b.address = blas_at(job->b.address, i, bytes);
        part.c.address = blas_at(job->c.address, i, bytes);
        result = run_packed(part, &part_shapes, run);
    }
    return result;
}

CUresult blas_compact(const struct blas_job *job, const struct blas_shapes *shapes,
                      blas_fitting *run)
{
    const size_t bytes = blas_bytes(job->type);
    struct blas_job fitting = *job;
    struct packed a;
    CUresult result;

    if ((shapes->a.rows == 0 || blas_fits(job->a.step)) && blas_fits(job->b.step) &&
        blas_fits(job->c.step)) {
        run(job);
        return CUDA_SUCCESS;
    }
    if (!pack(&a, &fitting.a, shapes->a, bytes))
        return CUDA_ERROR_OUT_OF_MEMORY;
    result = run_rows(&fitting, shapes, run);
    unpack(&a, result == CUDA_SUCCESS && shapes->written == 'a', bytes);
    return result;
}
