/* SPDX-License-Identifier: MIT */
/* Gradients of pooling in planes. That of a maximum goes to the number that won: winners of the
 * columns of a row of windows are found in vectors, then those of the windows, and the gradients
 * are added one by one. Windows with NaN are looked at one by one. */
#include "pool_window.h"

#include "kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The gradient of an average goes to all elements that the window sees. */
static void spread_row(const struct pool *pool, float *plane, const float *dy, int64_t oz,
                       int64_t oy)
{
    const struct dnn_window *w = pool->w;
    struct seen z = seen_at(w, 0, oz), y = seen_at(w, 1, oy);
    bool all = pool->op->mode == CUDNN_RESAMPLE_AVGPOOL_INCLUDE_PADDING;
    float factor = 1 / (float)(all ? w->size[0] * w->size[1] : width(z) * width(y));

    for (int64_t kz = z.first; kz < z.last; kz++)
        for (int64_t ky = y.first; ky < y.last; ky++) {
            float *line = plane + ((z.begin + kz) * w->in[1] + y.begin + ky) * w->in[2];

            for (int64_t kx = 0; kx < w->size[2]; kx++) {
                int64_t first, last;

                positions(w, kx, &first, &last);
                if (first < last)
                    dnn_kernels()->pool.spread(line + first * w->stride[2] + kx - w->pad[2],
                                               dy + first, pool->factors + first, factor,
                                               w->stride[2], (size_t)(last - first));
            }
        }
}

/* The flat index of the first element that a maximum takes, in a window with NaN. */
static int64_t careful_winner(const struct pool *pool, const float *plane, struct seen z,
                              struct seen y, struct seen x)
{
    const struct dnn_window *w = pool->w;
    bool nan_wins = pool->op->propagate_nan;
    int64_t where = -1;
    float best = 0;

    for (int64_t kz = z.first; kz < z.last; kz++)
        for (int64_t ky = y.first; ky < y.last; ky++) {
            int64_t line = ((z.begin + kz) * w->in[1] + y.begin + ky) * w->in[2] + x.begin;

            for (int64_t kx = x.first; kx < x.last; kx++) {
                float value = plane[line + kx];
                bool wins = value > best || (nan_wins ? value != value && best == best
                                                      : best != best && value == value);

                if (wins || where < 0) {
                    best = value;
                    where = line + kx;
                }
            }
        }
    return where;
}

/* Positions from `first` to `last` one by one. */
static void take_carefully(const struct pool *pool, const float *x, float *dx, const float *dy,
                           struct seen z, struct seen y, int64_t first, int64_t last)
{
    for (int64_t place = first; place < last; place++)
        dx[careful_winner(pool, x, z, y, seen_at(pool->w, 2, place))] += dy[place];
}

/* Finds the winners of a stretch and adds its gradients; false if there is NaN. Elements of the
 * window come in the order of memory, so that the first of equal ones wins. */
static bool take_stretch(const struct pool *pool, const float *x, float *dx, const float *dy,
                         struct seen z, struct seen y, const struct stretch *stretch)
{
    const struct dnn_window *w = pool->w;
    const struct dnn_pool_loops *loops = &dnn_kernels()->pool;
    int64_t count = stretch->last - stretch->first, offsets[POOL_WINDOW];
    float best[POOL_LINE], column[POOL_LINE];
    int32_t ids[POOL_LINE], id = 0;

    for (int64_t i = 0; i < count; i++) {
        best[i] = -INFINITY;
        ids[i] = -1;
    }
    for (int64_t kz = z.first; kz < z.last; kz++)
        for (int64_t ky = y.first; ky < y.last; ky++)
            for (int64_t kx = 0; kx < w->size[2]; kx++, id++) {
                int64_t line = ((z.begin + kz) * w->in[1] + y.begin + ky) * w->in[2];
                int64_t first, last, at = stretch_positions(w, stretch, kx, &first, &last);
                int64_t to = first - stretch->first;

                offsets[id] = line + kx - w->pad[2];
                if (first >= last)
                    continue;
                loops->gather(column, x + line + stretch->begin + at, w->stride[2],
                              (size_t)(last - first));
                if (loops->winner(best + to, ids + to, column, id, (size_t)(last - first)))
                    return false;
            }
    for (int64_t i = 0; i < count; i++)
        if (ids[i] < 0) /* nothing but -INFINITY */
            return false;
    for (int64_t i = 0; i < count; i++)
        dx[offsets[ids[i]] + (stretch->first + i) * w->stride[2]] += dy[stretch->first + i];
    return true;
}

static void take_row(const struct pool *pool, const float *x, float *dx, const float *dy,
                     int64_t oz, int64_t oy)
{
    const struct dnn_window *w = pool->w;
    struct seen z = seen_at(w, 0, oz), y = seen_at(w, 1, oy);
    bool few = dnn_window_volume(w->size) <= POOL_WINDOW;
    struct stretch stretch;

    for (int64_t at = 0; at < w->out[2] && stretch_at(w, at, &stretch); at = stretch.last)
        if (!few || !take_stretch(pool, x, dx, dy, z, y, &stretch))
            take_carefully(pool, x, dx, dy, z, y, stretch.first, stretch.last);
}

static void backward_part(void *argument, size_t part)
{
    const struct pool *pool = argument;
    const struct dnn_window *w = pool->w;
    int64_t plane = (int64_t)part * pool->planes_of_part, end = plane + pool->planes_of_part;
    int64_t volume = dnn_window_volume(w->in);

    for (; plane < end && plane < pool->planes; plane++) {
        float *dx = pool->dx + plane * volume;

        memset(dx, 0, (size_t)volume * sizeof(*dx));
        for (int64_t row = 0; row < w->out[0] * w->out[1]; row++) {
            const float *dy = pool->dy + plane * dnn_window_volume(w->out) + row * w->out[2];

            if (is_max(pool->op))
                take_row(pool, pool->x + plane * volume, dx, dy, row / w->out[1], row % w->out[1]);
            else
                spread_row(pool, dx, dy, row / w->out[1], row % w->out[1]);
        }
    }
}

bool dnn_pool_backward(const struct dnn_resample *op, const struct dnn_window *window,
                       const float *x, const float *dy, float *dx, int64_t planes)
{
    struct pool pool = {.op = op, .w = window, .x = x, .dy = dy, .dx = dx, .planes = planes};

    if (!dnn_pool_factors(&pool))
        return false;
    dnn_pool_run_planes(&pool, backward_part);
    free((void *)pool.factors);
    return true;
}
