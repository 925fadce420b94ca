/* SPDX-License-Identifier: MIT */
/* Softmax: the tensors are folded over its dimensions, and each row is computed by itself. Where
 * its dimension is not the last one of dense f32, columns are computed where they lie. */
#include "fold.h"
#include "kernels.h"

#include <math.h>

enum { PART_NUMBERS = 8192 }; /* about so many are a part for a thread */

struct softmax {
    const struct dnn_softmax *op;
    struct dnn_fold fold;
    struct dnn_array in, gradient, out, stats;
    int64_t rows_of_part;
};

static void forward_wide(struct softmax *work, int64_t row)
{
    const double *in = (const double *)work->in.data + row * work->fold.inner;
    double *out = (double *)work->out.data + row * work->fold.inner;
    int64_t count = work->fold.inner;
    double most = -INFINITY, sum = 0;

    for (int64_t i = 0; i < count; i++)
        most = fmax(most, in[i]);
    if (work->op->fast)
        most = 0;
    for (int64_t i = 0; i < count; i++)
        sum += exp(in[i] - most);
    for (int64_t i = 0; i < count; i++)
        out[i] = work->op->log ? in[i] - most - log(sum) : exp(in[i] - most) / sum;
    if (work->stats.data)
        ((double *)work->stats.data)[row] = most + log(sum);
}

static void forward_single(struct softmax *work, int64_t row)
{
    const struct dnn_kernels *kernels = dnn_kernels();
    size_t count = (size_t)work->fold.inner;
    const float *in = (const float *)work->in.data + row * work->fold.inner;
    float *out = (float *)work->out.data + row * work->fold.inner;
    float most = work->op->fast ? 0 : kernels->largest(in, count), sum;

    if (work->op->log) {
        sum = kernels->sum_of_exp(in, most, count);
        kernels->scale(out, in, 1, -(most + logf(sum)), count);
    } else {
        sum = kernels->exp_sum(out, in, most, count);
        kernels->scale(out, out, 1 / sum, 0, count);
    }
    if (work->stats.data)
        ((double *)work->stats.data)[row] = (double)most + log((double)sum);
}

static void backward_wide(struct softmax *work, int64_t row)
{
    int64_t begin = row * work->fold.inner, end = begin + work->fold.inner;
    const double *y = work->in.data, *dy = work->gradient.data;
    double *dx = work->out.data, sum = 0;

    for (int64_t i = begin; i < end; i++)
        sum += dy[i] * (work->op->log ? 1 : y[i]);
    for (int64_t i = begin; i < end; i++)
        dx[i] = work->op->log ? dy[i] - exp(y[i]) * sum : y[i] * (dy[i] - sum);
}

static void backward_single(struct softmax *work, int64_t row)
{
    const struct dnn_kernels *kernels = dnn_kernels();
    int64_t begin = row * work->fold.inner;
    size_t count = (size_t)work->fold.inner;
    const float *y = (const float *)work->in.data + begin;
    const float *dy = (const float *)work->gradient.data + begin;
    float *dx = (float *)work->out.data + begin;

    if (work->op->log)
        kernels->log_softmax_gradient(dx, y, dy, kernels->sum(dy, count), count);
    else
        kernels->softmax_gradient(dx, y, dy, kernels->dot(y, dy, count), count);
}

static void run_rows(void *argument, size_t part)
{
    struct softmax *work = argument;
    int64_t begin = (int64_t)part * work->rows_of_part, end = begin + work->rows_of_part;

    for (int64_t row = begin; row < end && row < work->fold.outer; row++) {
        if (work->op->backward)
            (work->in.wide ? backward_wide : backward_single)(work, row);
        else
            (work->in.wide ? forward_wide : forward_single)(work, row);
    }
}

/* Columns of dense tensors: [outer][rows][columns]. */
struct columns {
    const struct dnn_softmax *op;
    int64_t outer, rows, columns, parts; /* parts of the columns of one outer element */
};

static void run_columns(void *argument, size_t part)
{
    const struct columns *work = argument;
    int64_t matrix = (int64_t)part / work->parts, first = (int64_t)part % work->parts;
    int64_t begin = work->columns * first / work->parts;
    int64_t end = work->columns * (first + 1) / work->parts;
    int64_t base = matrix * work->rows * work->columns;

    for (; begin < end; begin += DNN_COLUMNS_MOST)
        dnn_kernels()->softmax_columns(
            (float *)work->op->y.address + base + begin,
            (const float *)work->op->x.address + base + begin, (size_t)work->rows, work->columns,
            (size_t)(end - begin < DNN_COLUMNS_MOST ? end - begin : DNN_COLUMNS_MOST),
            work->op->log, work->op->fast);
}

/* False if the operation is not one of dense columns. */
static bool try_columns(const struct dnn_softmax *op)
{
    struct dnn_blend blend = dnn_blend_of(op->blend);
    struct columns work = {.op = op, .outer = 1, .columns = 1};

    if (op->backward || op->axis < 0 || op->stats.address || op->x.type != CUDNN_DATA_FLOAT ||
        op->y.type != CUDNN_DATA_FLOAT || op->compute == CUDNN_DATA_DOUBLE ||
        !dnn_is_packed(&op->x) || !dnn_is_packed(&op->y) || blend.alpha != 1 || blend.beta != 0)
        return false;
    work.rows = op->x.dims[op->axis];
    for (int i = 0; i < op->axis; i++)
        work.outer *= op->x.dims[i];
    for (int i = op->axis + 1; i < op->x.rank; i++)
        work.columns *= op->x.dims[i];
    if (work.columns < 8)
        return false;
    work.parts = work.columns * work.rows / PART_NUMBERS + 1;
    work.parts = work.parts > work.columns / 64 ? work.columns / 64 : work.parts;
    work.parts = work.parts ? work.parts : 1;
    dnn_parallel(work.outer * work.parts, dnn_count(&op->x) * 4, run_columns, &work);
    return true;
}

CUresult dnn_softmax_run(const struct dnn_softmax *op)
{
    const struct dnn_tensor *in = op->backward ? &op->y : &op->x;
    const struct dnn_tensor *out = op->backward ? &op->dx : &op->y;
    struct softmax work = {.op = op};
    bool wide = DNN_WIDE(op->compute, in, out);
    unsigned folded = op->axis < 0 ? ~1u : 1u << op->axis;
    struct dnn_tensor from, to, gradient;
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (try_columns(op))
        return CUDA_SUCCESS;
    dnn_fold_init(&work.fold, in, folded);
    from = dnn_fold_tensor(&work.fold, in);
    to = dnn_fold_tensor(&work.fold, out);
    gradient = dnn_fold_tensor(&work.fold, &op->dy);
    if (!dnn_array_load(&work.in, &from, wide) ||
        (op->backward && !dnn_array_load(&work.gradient, &gradient, wide)) ||
        (op->stats.address && !dnn_array_new(&work.stats, work.fold.outer, true)) ||
        !dnn_array_output(&work.out, &to, wide, op->blend))
        goto release;
    work.rows_of_part = PART_NUMBERS / (work.fold.inner ? work.fold.inner : 1) + 1;
    dnn_parallel((work.fold.outer + work.rows_of_part - 1) / work.rows_of_part,
                 work.fold.outer * work.fold.inner * 4, run_rows, &work);
    dnn_array_store(&to, &work.out, op->blend);
    if (work.stats.data)
        dnn_array_store(&op->stats, &work.stats, (struct dnn_blend){.alpha = 1});
    result = CUDA_SUCCESS;
release:
    dnn_array_free(&work.out);
    dnn_array_free(&work.stats);
    dnn_array_free(&work.gradient);
    dnn_array_free(&work.in);
    return result;
}
