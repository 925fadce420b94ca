/* SPDX-License-Identifier: MIT */
/* The backward pass of dense normalisations: sums of gradients and of their products with the
 * normalised numbers, which are the gradients of the parameters too, and then the gradients of x.
 */
#include "norm_dense.h"

#include <stdlib.h>
#include <string.h>

/* Where sums go: [0] gradients, [1] products; f64 of whole parts, and f32 of a tile. */
struct sums {
    double *totals[2];  /* by column, or of one statistic */
    double *columns[2]; /* rows with parameters of their own: by element */
};

static struct dnn_norm_tile read_tile(const struct dnn_dense *dense, const struct dnn_tile *tile,
                                      float *buffers)
{
    const struct dnn_norm_work *work = dense->work;
    struct dnn_norm_tile view = dnn_dense_tile(dense, tile);

    view.x = dnn_tile_read(&work->x, tile, buffers);
    view.dy = dnn_tile_read(&work->dy, tile, buffers + DNN_TILE_NUMBERS);
    if (work->op->relu)
        view.gate = dnn_tile_read(&work->y, tile, buffers + 2 * DNN_TILE_NUMBERS);
    return view;
}

static void add(double *totals, const float *fresh, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        totals[i] += (double)fresh[i];
}

static void sum_tile(const struct dnn_dense *dense, const struct dnn_tile *tile, void *arguments)
{
    const struct sums *sums = arguments;
    float buffers[3 * DNN_TILE_NUMBERS], fresh[2][DNN_TILE_COLUMNS] = {{0}};
    struct dnn_norm_tile view = read_tile(dense, tile, buffers);
    bool columns = dense->work->kind == DNN_NORM_COLUMNS;
    int64_t at = columns ? tile->statistic : 0, count = columns ? tile->count : 1;

    (columns ? dense->loops->column_sums : dense->loops->plane_sums)(&view, fresh[0], fresh[1]);
    for (int i = 0; i < 2; i++)
        add(sums->totals[i] + at, fresh[i], count);
}

static void sum_row_tile(const struct dnn_dense *dense, const struct dnn_tile *tile,
                         void *arguments)
{
    const struct sums *sums = arguments;
    float buffers[3 * DNN_TILE_NUMBERS], columns[2][DNN_TILE_NUMBERS], fresh[2] = {0, 0};
    struct dnn_norm_tile view = read_tile(dense, tile, buffers);

    memset(columns[0], 0, (size_t)tile->count * sizeof(float));
    memset(columns[1], 0, (size_t)tile->count * sizeof(float));
    dense->loops->row_sums(&view, &fresh[0], &fresh[1], columns[0], columns[1]);
    for (int i = 0; i < 2; i++) {
        sums->totals[i][0] += (double)fresh[i];
        add(sums->columns[i] + tile->element, columns[i], tile->count);
    }
}

static void write_tile(const struct dnn_dense *dense, const struct dnn_tile *tile, void *arguments)
{
    const struct dnn_norm_work *work = dense->work;
    float buffers[3 * DNN_TILE_NUMBERS], out[DNN_TILE_NUMBERS], masked[DNN_TILE_NUMBERS];
    struct dnn_norm_tile view = read_tile(dense, tile, buffers);

    (void)arguments;
    view.out = dnn_tile_output(dense, &work->dx, tile, out);
    view.masked = dnn_tile_output(dense, &work->dz, tile, masked);
    dense->loops->gradient[work->kind](&view);
    dnn_tile_store(&work->dx, tile, view.out);
    dnn_tile_store(&work->dz, tile, view.masked);
}

/* The means that the loops subtract; sums of one statistic's gradients, without scale if it has
 * one of its own. */
static void set_means(const struct dnn_dense *dense, int64_t statistic, double sum, double products)
{
    const struct dnn_norm_work *work = dense->work;
    double count = (double)work->fold.inner;
    double scale = work->kind == DNN_NORM_ROWS ? 1 : (double)dense->scale[statistic];

    dense->sum[statistic] = work->op->rms ? 0 : (float)(sum * scale / count);
    dense->weighted[statistic] = (float)(products * scale / count);
}

static void backward_statistics(void *argument, size_t part)
{
    const struct dnn_dense *dense = argument;
    bool rows = dense->work->kind == DNN_NORM_ROWS;
    int64_t begin = (int64_t)part * dense->part, end = begin + dense->part, run = dense->width;
    double *own = dense->partial + (rows ? (int64_t)part * 2 * run : 0);

    if (rows)
        memset(own, 0, (size_t)run * 2 * sizeof(*own));
    for (int64_t s = begin; s < end && s < dense->units; s++) {
        double totals[2] = {0, 0};
        struct sums sums = {.totals = {&totals[0], &totals[1]}, .columns = {own, own + run}};

        dnn_dense_measure(dense, s);
        dnn_dense_each_line(dense, s, rows ? sum_row_tile : sum_tile, &sums);
        set_means(dense, s, totals[0], totals[1]);
        for (int i = 0; i < 2 && !rows; i++)
            dense->partial[i * dense->units + s] = totals[i];
        dnn_dense_each_line(dense, s, write_tile, NULL);
    }
}

static void sum_part(void *argument, size_t part)
{
    const struct dnn_dense *dense = argument;
    double *own = dense->partial + (int64_t)part * 2 * dense->width;
    struct sums sums = {.totals = {own, own + dense->width}};

    memset(own, 0, (size_t)dense->width * 2 * sizeof(*own));
    dnn_dense_each_tile(dense, (int64_t)part, sum_tile, &sums);
}

static void write_part(void *argument, size_t part)
{
    dnn_dense_each_tile(argument, (int64_t)part, write_tile, NULL);
}

/* The sums of all parts, in those of the first. */
static void add_parts(const struct dnn_dense *dense)
{
    for (int64_t part = 1; part < dense->parts; part++)
        for (int64_t i = 0; i < 2 * dense->width; i++)
            dense->partial[i] += dense->partial[part * 2 * dense->width + i];
}

static bool run(struct dnn_dense *dense)
{
    int64_t operations = dense->work->fold.outer * dense->work->fold.inner * 4;

    if (dense->work->kind == DNN_NORM_COLUMNS) {
        double *partial = dense->partial;

        if (!dnn_dense_measure_columns(dense))
            return false;
        dense->partial = partial;
        dnn_parallel(dense->parts, operations, sum_part, dense);
        add_parts(dense);
        for (int64_t i = 0; i < dense->width; i++)
            set_means(dense, i, partial[i], partial[dense->width + i]);
        dnn_parallel(dense->parts, operations, write_part, dense);
    } else {
        dnn_parallel(dense->parts, operations, backward_statistics, dense);
        if (dense->work->kind == DNN_NORM_ROWS)
            add_parts(dense);
    }
    return true;
}

static void store_parameter(const struct dnn_dense *dense, const struct dnn_tensor *to,
                            double *gradients)
{
    struct dnn_tensor folded = dnn_fold_tensor(&dense->work->fold, to);
    struct dnn_array array = {.data = gradients, .wide = true};

    dnn_array_store(&folded, &array, dense->work->op->param_blend);
}

CUresult dnn_norm_dense_backward(struct dnn_norm_work *work)
{
    struct dnn_dense dense;
    struct dnn_array partial = {0};
    int64_t parameters, parts;
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (!dnn_dense_init(&dense, work))
        return result;
    /* Planes have the sums of all statistics, the others those of all parts. */
    parameters = work->kind == DNN_NORM_PLANES ? dense.units : dense.width;
    parts = work->kind == DNN_NORM_PLANES ? 1 : dense.parts;
    if (dnn_array_new(&partial, parts * 2 * parameters, true)) {
        dense.partial = partial.data;
        if (run(&dense)) {
            store_parameter(&dense, &work->op->dbias, dense.partial);
            store_parameter(&dense, &work->op->dscale, dense.partial + parameters);
            result = CUDA_SUCCESS;
        }
    }
    dnn_array_free(&partial);
    dnn_array_free(&dense.memory);
    return result;
}
