/* SPDX-License-Identifier: MIT */
/* The forward pass of dense normalisations. Channels last: parts of the rows take partial
 * statistics, which are merged; then parts apply them. Otherwise each statistic's numbers are read
 * and normalised by one thread, while they are in its cache. */
#include "norm_dense.h"

#include "kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Means and sums of squares of differences from the mean: of the columns of a part, or of one
 * statistic. */
struct moments {
    double *mean, *squares;
};

static void take_columns(const struct dnn_dense *dense, const struct dnn_tile *tile,
                         void *arguments)
{
    const struct moments *moments = arguments;
    struct dnn_norm_tile view = dnn_dense_tile(dense, tile);
    float buffer[DNN_TILE_NUMBERS], mean[DNN_TILE_COLUMNS], squares[DNN_TILE_COLUMNS];

    view.x = dnn_tile_read(&dense->work->x, tile, buffer);
    dense->loops->column_moments(&view, mean, squares);
    dense->loops->merge(moments->mean + tile->statistic, moments->squares + tile->statistic,
                        (double)tile->before, mean, squares, (double)tile->rows,
                        (size_t)tile->count);
}

static void take_line(const struct dnn_dense *dense, const struct dnn_tile *tile, void *arguments)
{
    const struct moments *moments = arguments;
    float buffer[DNN_TILE_NUMBERS];
    const float *x = dnn_tile_read(&dense->work->x, tile, buffer).data;
    size_t count = (size_t)tile->count;
    float mean = dense->work->op->rms ? 0 : dnn_kernels()->sum(x, count) / (float)count;
    float squares = dense->loops->squares(x, mean, count);

    dense->loops->merge(moments->mean, moments->squares, (double)tile->before, &mean, &squares,
                        (double)count, 1);
}

static void apply(const struct dnn_dense *dense, const struct dnn_tile *tile, void *arguments)
{
    const struct dnn_norm_work *work = dense->work;
    struct dnn_norm_tile view = dnn_dense_tile(dense, tile);
    float x[DNN_TILE_NUMBERS], added[DNN_TILE_NUMBERS], out[DNN_TILE_NUMBERS];

    (void)arguments;
    view.x = dnn_tile_read(&work->x, tile, x);
    view.added = dnn_tile_read(&work->z, tile, added);
    view.out = dnn_tile_output(dense, &work->y, tile, out);
    dense->loops->apply[work->kind](&view);
    dnn_tile_store(&work->y, tile, view.out);
}

/* The statistics from the moments, or those that the program gives, as the loops want them. */
static void finish_statistic(const struct dnn_dense *dense, int64_t i, double mean, double squares)
{
    struct dnn_norm_work *work = dense->work;
    double *means = work->mean.data, *inverses = work->inverse.data;
    double *variances = work->variance.data;

    if (dnn_norm_has_stats(work->op)) {
        dnn_norm_complete_stats(work, i);
    } else {
        means[i] = mean;
        variances[i] = squares / (double)work->fold.inner;
        inverses[i] = 1 / sqrt(variances[i] + work->op->epsilon);
    }
    dense->shift[i] = (float)means[i];
    dense->inverse[i] = (float)inverses[i];
}

void dnn_dense_measure(const struct dnn_dense *dense, int64_t statistic)
{
    double mean = 0, squares = 0;
    struct moments moments = {&mean, &squares};

    if (!dnn_norm_has_stats(dense->work->op))
        dnn_dense_each_line(dense, statistic, take_line, &moments);
    finish_statistic(dense, statistic, mean, squares);
}

static void moments_of_part(void *argument, size_t part)
{
    const struct dnn_dense *dense = argument;
    double *numbers = dense->partial + (int64_t)part * 2 * dense->width;
    struct moments moments = {numbers, numbers + dense->width};

    memset(numbers, 0, (size_t)dense->width * 2 * sizeof(*numbers));
    dnn_dense_each_tile(dense, (int64_t)part, take_columns, &moments);
}

bool dnn_dense_measure_columns(struct dnn_dense *dense)
{
    int64_t width = dense->width, all = dense->units * width;
    struct dnn_array partial = {0};
    double *mean;

    if (!dnn_norm_has_stats(dense->work->op)) {
        if (!dnn_array_new(&partial, dense->parts * 2 * width, true))
            return false;
        dense->partial = partial.data;
        dnn_parallel(dense->parts, all * 2, moments_of_part, dense);
    }
    mean = partial.data;
    for (int64_t part = 1; part < dense->parts && mean; part++) {
        const double *fresh = mean + part * 2 * width;
        int64_t before = part * dense->part, rows = dense->units - before;

        rows = rows < dense->part ? rows : dense->part;
        for (int64_t i = 0; i < width; i++) {
            double distance = fresh[i] - mean[i], share = (double)rows / (double)(before + rows);

            mean[i] += distance * share;
            mean[width + i] += fresh[width + i] + distance * distance * (double)before * share;
        }
    }
    for (int64_t i = 0; i < width; i++)
        finish_statistic(dense, i, mean ? mean[i] : 0, mean ? mean[width + i] : 0);
    dnn_array_free(&partial);
    return true;
}

static void forward_part(void *argument, size_t part)
{
    const struct dnn_dense *dense = argument;
    int64_t begin = (int64_t)part * dense->part, end = begin + dense->part;

    if (dense->work->kind == DNN_NORM_COLUMNS) {
        dnn_dense_each_tile(dense, (int64_t)part, apply, NULL);
        return;
    }
    for (int64_t s = begin; s < end && s < dense->units; s++) {
        dnn_dense_measure(dense, s);
        dnn_dense_each_line(dense, s, apply, NULL);
    }
}

CUresult dnn_norm_dense_forward(struct dnn_norm_work *work)
{
    struct dnn_dense dense;
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (!dnn_dense_init(&dense, work))
        return result;
    if (work->kind != DNN_NORM_COLUMNS || dnn_dense_measure_columns(&dense)) {
        dnn_parallel(dense.parts, work->fold.outer * work->fold.inner * 4, forward_part, &dense);
        result = CUDA_SUCCESS;
    }
    dnn_array_free(&dense.memory);
    return result;
}
