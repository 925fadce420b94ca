/* SPDX-License-Identifier: MIT */
/* Softmax: the tensors are folded over its dimensions, and each row is computed by itself. */
#include "fold.h"

#include <math.h>

struct softmax {
    const struct dnn_softmax *op;
    struct dnn_fold fold;
    struct dnn_array in, gradient, out, stats;
};

static double exponential(const struct dnn_array *array, double value)
{
    return array->wide ? exp(value) : (double)expf((float)value);
}

static void forward_row(void *argument, size_t row)
{
    struct softmax *work = argument;
    int64_t begin = (int64_t)row * work->fold.inner, end = begin + work->fold.inner;
    double most = -INFINITY, sum = 0;

    for (int64_t i = begin; i < end && !work->op->fast; i++)
        most = fmax(most, dnn_number(&work->in, i));
    if (work->op->fast)
        most = 0;
    for (int64_t i = begin; i < end; i++) {
        double power = exponential(&work->in, dnn_number(&work->in, i) - most);

        sum += power;
        if (!work->op->log)
            dnn_put(&work->out, i, power);
    }
    for (int64_t i = begin; i < end; i++)
        dnn_put(&work->out, i,
                work->op->log ? dnn_number(&work->in, i) - most - log(sum)
                              : dnn_number(&work->out, i) / sum);
    if (work->stats.data)
        ((double *)work->stats.data)[row] = most + log(sum);
}

static void backward_row(void *argument, size_t row)
{
    struct softmax *work = argument;
    int64_t begin = (int64_t)row * work->fold.inner, end = begin + work->fold.inner;
    double sum = 0;

    for (int64_t i = begin; i < end; i++)
        sum += dnn_number(&work->gradient, i) * (work->op->log ? 1 : dnn_number(&work->in, i));
    for (int64_t i = begin; i < end; i++) {
        double y = dnn_number(&work->in, i), dy = dnn_number(&work->gradient, i);

        dnn_put(&work->out, i,
                work->op->log ? dy - exponential(&work->in, y) * sum : y * (dy - sum));
    }
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

    dnn_fold_init(&work.fold, in, folded);
    from = dnn_fold_tensor(&work.fold, in);
    to = dnn_fold_tensor(&work.fold, out);
    gradient = dnn_fold_tensor(&work.fold, &op->dy);
    if (!dnn_array_load(&work.in, &from, wide) ||
        (op->backward && !dnn_array_load(&work.gradient, &gradient, wide)) ||
        (op->stats.address && !dnn_array_new(&work.stats, work.fold.outer, true)) ||
        !dnn_array_output(&work.out, &to, wide, op->blend))
        goto release;
    dnn_parallel(work.fold.outer, work.fold.outer * work.fold.inner * 10,
                 op->backward ? backward_row : forward_row, &work);
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
