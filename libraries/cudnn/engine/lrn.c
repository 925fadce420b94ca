/* SPDX-License-Identifier: MIT */
/* Local response normalisation: the channels of each position are a row. */
#include "lrn.h"

#include "fold.h"

#include <math.h>

struct lrn {
    const struct dnn_lrn *op;
    struct dnn_fold fold;
    struct dnn_array x, y, dy, out;
};

/* k + alpha / n * sum of squares around channel c. */
static double scale_at(const struct lrn *work, int64_t row, int64_t c)
{
    int64_t behind = (work->op->n - 1) / 2, first = c - behind, last = first + work->op->n;
    double sum = 0;

    for (int64_t i = first < 0 ? 0 : first; i < last && i < work->fold.inner; i++) {
        double value = dnn_number(&work->x, row + i);

        sum += value * value;
    }
    return work->op->k + work->op->alpha / (double)work->op->n * sum;
}

static void forward_row(void *argument, size_t index)
{
    struct lrn *work = argument;
    int64_t row = (int64_t)index * work->fold.inner;

    for (int64_t c = 0; c < work->fold.inner; c++)
        dnn_put(&work->out, row + c,
                dnn_number(&work->x, row + c) * pow(scale_at(work, row, c), -work->op->beta));
}

/* Channel c is in the windows of the channels from c - ahead to c + behind. */
static void backward_row(void *argument, size_t index)
{
    struct lrn *work = argument;
    const struct dnn_lrn *op = work->op;
    int64_t row = (int64_t)index * work->fold.inner, behind = (op->n - 1) / 2;
    int64_t ahead = op->n - behind - 1;

    for (int64_t c = 0; c < work->fold.inner; c++) {
        double sum = 0;

        for (int64_t i = c - ahead < 0 ? 0 : c - ahead; i <= c + behind && i < work->fold.inner;
             i++)
            sum += dnn_number(&work->dy, row + i) * dnn_number(&work->y, row + i) /
                   scale_at(work, row, i);
        dnn_put(&work->out, row + c,
                dnn_number(&work->dy, row + c) * pow(scale_at(work, row, c), -op->beta) -
                    2 * op->alpha * op->beta / (double)op->n * dnn_number(&work->x, row + c) * sum);
    }
}

CUresult dnn_lrn_run(const struct dnn_lrn *op)
{
    struct lrn work = {.op = op};
    bool wide = DNN_WIDE(CUDNN_DATA_FLOAT, &op->x);
    struct dnn_tensor x, y, dy, out;
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    dnn_fold_init(&work.fold, &op->x, 1u << 1);
    x = dnn_fold_tensor(&work.fold, &op->x);
    y = dnn_fold_tensor(&work.fold, &op->y);
    dy = dnn_fold_tensor(&work.fold, &op->dy);
    out = op->backward ? dnn_fold_tensor(&work.fold, &op->dx) : y;
    if (dnn_array_load(&work.x, &x, wide) &&
        (!op->backward ||
         (dnn_array_load(&work.y, &y, wide) && dnn_array_load(&work.dy, &dy, wide))) &&
        dnn_array_new(&work.out, work.fold.outer * work.fold.inner, wide)) {
        dnn_parallel(work.fold.outer, work.fold.outer * work.fold.inner * op->n * 8,
                     op->backward ? backward_row : forward_row, &work);
        dnn_array_store(&out, &work.out, op->blend);
        result = CUDA_SUCCESS;
    }
    dnn_array_free(&work.out);
    dnn_array_free(&work.dy);
    dnn_array_free(&work.y);
    dnn_array_free(&work.x);
    return result;
}
