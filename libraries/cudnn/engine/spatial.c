/* SPDX-License-Identifier: MIT */
/* Spatial transformers. Images are parts for threads. */
#include "spatial.h"

#include "array.h"

#include <math.h>

static double place_of(int64_t i, int64_t count)
{
    return count > 1 ? -1 + 2 * (double)i / (double)(count - 1) : 0;
}

CUresult dnn_grid_run(const struct dnn_grid *op)
{
    int64_t height = op->grid.dims[1], width = op->grid.dims[2];
    struct dnn_blend blend = {.alpha = 1};
    struct dnn_array theta = {0}, grid = {0};
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (!(op->backward ? dnn_array_new(&theta, dnn_count(&op->theta), true) &&
                             dnn_array_load(&grid, &op->grid, true)
                       : dnn_array_load(&theta, &op->theta, true) &&
                             dnn_array_new(&grid, dnn_count(&op->grid), true)))
        goto release;
    for (int64_t i = 0; i < dnn_count(&op->theta) && op->backward; i++)
        dnn_put(&theta, i, 0);
    for (int64_t i = 0; i < op->grid.dims[0] * height * width; i++) {
        const double point[] = {place_of(i % width, width), place_of(i / width % height, height),
                                1};
        int64_t n = i / (width * height);

        for (int row = 0; row < 2; row++) {
            double sum = 0;

            for (int column = 0; column < 3; column++) {
                int64_t place = n * 6 + row * 3 + column;

                if (op->backward)
                    dnn_put(&theta, place,
                            dnn_number(&theta, place) +
                                dnn_number(&grid, i * 2 + row) * point[column]);
                else
                    sum += dnn_number(&theta, place) * point[column];
            }
            if (!op->backward)
                dnn_put(&grid, i * 2 + row, sum);
        }
    }
    if (op->backward)
        dnn_array_store(&op->theta, &theta, blend);
    else
        dnn_array_store(&op->grid, &grid, blend);
    result = CUDA_SUCCESS;
release:
    dnn_array_free(&grid);
    dnn_array_free(&theta);
    return result;
}

struct sampler {
    const struct dnn_sampler *op;
    int64_t channels, in[2], out[2];
    struct dnn_array x, grid, y, dx, dy, dgrid;
};

/* One of the four neighbours of a point. */
struct corner {
    int64_t flat; /* in the plane; -1: outside */
    double weight, slope_x, slope_y;
};

static void corners_of(const struct sampler *work, int64_t point, struct corner corners[4])
{
    double x = (dnn_number(&work->grid, point * 2) + 1) * (double)(work->in[1] - 1) / 2;
    double y = (dnn_number(&work->grid, point * 2 + 1) + 1) * (double)(work->in[0] - 1) / 2;
    double left = floor(x), top = floor(y), fx = x - left, fy = y - top;

    for (int i = 0; i < 4; i++) {
        double column = left + i % 2, row = i < 2 ? top : top + 1;
        double wx = i % 2 ? fx : 1 - fx, wy = i / 2 ? fy : 1 - fy;
        bool inside =
            column >= 0 && column < (double)work->in[1] && row >= 0 && row < (double)work->in[0];

        corners[i] = (struct corner){
            .flat = inside ? (int64_t)row * work->in[1] + (int64_t)column : -1,
            .weight = wx * wy,
            .slope_x = (i % 2 ? wy : -wy) * (double)(work->in[1] - 1) / 2,
            .slope_y = (i / 2 ? wx : -wx) * (double)(work->in[0] - 1) / 2,
        };
    }
}

static void forward_image(void *argument, size_t n)
{
    struct sampler *work = argument;
    int64_t points = work->out[0] * work->out[1], plane = work->in[0] * work->in[1];

    for (int64_t p = 0; p < points; p++) {
        struct corner corners[4];

        corners_of(work, (int64_t)n * points + p, corners);
        for (int64_t c = 0; c < work->channels; c++) {
            int64_t image = (int64_t)n * work->channels + c;
            double sum = 0;

            for (int i = 0; i < 4; i++)
                if (corners[i].flat >= 0)
                    sum +=
                        corners[i].weight * dnn_number(&work->x, image * plane + corners[i].flat);
            dnn_put(&work->y, image * points + p, sum);
        }
    }
}

static void backward_image(void *argument, size_t n)
{
    struct sampler *work = argument;
    int64_t points = work->out[0] * work->out[1], plane = work->in[0] * work->in[1];

    for (int64_t i = 0; i < work->channels * plane; i++)
        dnn_put(&work->dx, (int64_t)n * work->channels * plane + i, 0);
    for (int64_t p = 0; p < points; p++) {
        int64_t point = (int64_t)n * points + p;
        double slope_x = 0, slope_y = 0;
        struct corner corners[4];

        corners_of(work, point, corners);
        for (int64_t c = 0; c < work->channels; c++) {
            int64_t image = (int64_t)n * work->channels + c;
            double dy = dnn_number(&work->dy, image * points + p);

            for (int i = 0; i < 4; i++) {
                int64_t place = image * plane + corners[i].flat;

                if (corners[i].flat < 0)
                    continue;
                dnn_put(&work->dx, place, dnn_number(&work->dx, place) + corners[i].weight * dy);
                slope_x += corners[i].slope_x * dy * dnn_number(&work->x, place);
                slope_y += corners[i].slope_y * dy * dnn_number(&work->x, place);
            }
        }
        dnn_put(&work->dgrid, point * 2, slope_x);
        dnn_put(&work->dgrid, point * 2 + 1, slope_y);
    }
}

static bool load(struct sampler *work)
{
    const struct dnn_sampler *op = work->op;
    bool wide = DNN_WIDE(CUDNN_DATA_FLOAT, &op->x);

    return dnn_array_load(&work->x, &op->x, wide) && dnn_array_load(&work->grid, &op->grid, wide) &&
           (op->backward ? dnn_array_load(&work->dy, &op->dy, wide) &&
                               dnn_array_new(&work->dx, dnn_count(&op->x), wide) &&
                               dnn_array_new(&work->dgrid, dnn_count(&op->grid), wide)
                         : dnn_array_output(&work->y, &op->y, wide, op->blend));
}

CUresult dnn_sampler_run(const struct dnn_sampler *op)
{
    const struct dnn_tensor *out = op->backward ? &op->dy : &op->y;
    struct sampler work = {.op = op,
                           .channels = op->x.dims[1],
                           .in = {op->x.dims[2], op->x.dims[3]},
                           .out = {out->dims[2], out->dims[3]}};
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (load(&work)) {
        dnn_parallel(op->x.dims[0], dnn_count(out) * 10,
                     op->backward ? backward_image : forward_image, &work);
        dnn_array_store(&op->y, &work.y, op->blend);
        dnn_array_store(&op->dx, &work.dx, op->blend);
        dnn_array_store(&op->dgrid, &work.dgrid, op->grid_blend);
        result = CUDA_SUCCESS;
    }
    dnn_array_free(&work.dgrid);
    dnn_array_free(&work.dx);
    dnn_array_free(&work.dy);
    dnn_array_free(&work.y);
    dnn_array_free(&work.grid);
    dnn_array_free(&work.x);
    return result;
}
