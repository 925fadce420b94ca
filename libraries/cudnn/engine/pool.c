/* SPDX-License-Identifier: MIT */
/* A line of results is computed at once: for each element of the window, the line of numbers that
 * it sees is taken into the results. Lines go along the last dimension of planes, or along channels
 * where these come last. */
#include "pool.h"

#include "array.h"
#include "kernels.h"

#include <math.h>
#include <string.h>

struct pool {
    const struct dnn_resample *op;
    const struct dnn_window *w;
    const float *x, *dy;
    float *y, *dx;
    const float *factors; /* backward of an average: 1 / elements of a row that a place sees */
    int64_t channels, planes, planes_of_part;
};

/* The elements [first, last) of the window that see the image at an output place. */
struct seen {
    int64_t first, last, begin; /* begin: where the window lies */
};

static struct seen seen_at(const struct dnn_window *w, int axis, int64_t place)
{
    struct seen seen = {.begin = place * w->stride[axis] - w->pad[axis]};

    seen.first = seen.begin < 0 ? -seen.begin : 0;
    seen.last = w->in[axis] - seen.begin < w->size[axis] ? w->in[axis] - seen.begin : w->size[axis];
    return seen;
}

static int64_t width(struct seen seen)
{
    return seen.last - seen.first;
}

static bool is_max(const struct dnn_resample *op)
{
    return op->mode == CUDNN_RESAMPLE_MAXPOOL;
}

bool dnn_pool_fits(const struct dnn_resample *op, const struct dnn_window *w)
{
    bool inside = true;

    if (!is_max(op) && op->mode != CUDNN_RESAMPLE_AVGPOOL_INCLUDE_PADDING &&
        op->mode != CUDNN_RESAMPLE_AVGPOOL_EXCLUDE_PADDING)
        return false;
    for (int i = 0; i < DNN_SPATIAL; i++) {
        int64_t last = (w->out[i] - 1) * w->stride[i] - w->pad[i];

        if (w->pad[i] < 0 || w->pad[i] >= w->size[i] || last >= w->in[i])
            return false;
        inside = inside && w->pad[i] == 0 && last + w->size[i] <= w->in[i];
    }
    /* Padding of zeros takes part in the maximum. */
    return !is_max(op) || (!op->index.address && (inside || op->padding != DNN_PAD_ZERO));
}

typedef void take_line(float *results, const float *in, int64_t stride, size_t count);

static take_line *take_of(const struct dnn_resample *op)
{
    const struct dnn_kernels *kernels = dnn_kernels();

    if (!is_max(op))
        return kernels->pool_add;
    return op->propagate_nan ? kernels->pool_max_nan : kernels->pool_max;
}

static void begin_line(const struct dnn_resample *op, float *line, int64_t count)
{
    float value = !is_max(op) ? 0 : op->propagate_nan ? -INFINITY : NAN;

    for (int64_t i = 0; i < count; i++)
        line[i] = value;
}

/* By what a sum at (rows of the window, place) is divided. */
static float divisor(const struct pool *pool, int64_t rows, int64_t columns)
{
    const int64_t *size = pool->w->size;

    return (float)(pool->op->mode == CUDNN_RESAMPLE_AVGPOOL_INCLUDE_PADDING
                       ? size[0] * size[1] * size[2]
                       : rows * columns);
}

/* The positions [first, last) of a row at which element kx of the window sees the image. */
static void positions(const struct dnn_window *w, int64_t kx, int64_t *first, int64_t *last)
{
    int64_t shift = kx - w->pad[2], stride = w->stride[2];

    *first = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
    *last = w->in[2] - shift <= 0 ? 0 : (w->in[2] - shift + stride - 1) / stride;
    *last = *last > w->out[2] ? w->out[2] : *last;
}

/* The results of row (oz, oy) of positions. */
static void forward_row(const struct pool *pool, const float *plane, float *out, int64_t oz,
                        int64_t oy)
{
    const struct dnn_window *w = pool->w;
    struct seen z = seen_at(w, 0, oz), y = seen_at(w, 1, oy);
    take_line *take = take_of(pool->op);

    begin_line(pool->op, out, w->out[2]);
    for (int64_t kz = z.first; kz < z.last; kz++)
        for (int64_t ky = y.first; ky < y.last; ky++) {
            const float *line = plane + ((z.begin + kz) * w->in[1] + y.begin + ky) * w->in[2];

            for (int64_t kx = 0; kx < w->size[2]; kx++) {
                int64_t first, last;

                positions(w, kx, &first, &last);
                if (first < last)
                    take(out + first, line + first * w->stride[2] + kx - w->pad[2], w->stride[2],
                         (size_t)(last - first));
            }
        }
    if (is_max(pool->op))
        return;
    for (int64_t x = 0; x < w->out[2]; x++)
        out[x] /= divisor(pool, width(z) * width(y), width(seen_at(w, 2, x)));
}

static void forward_part(void *argument, size_t part)
{
    const struct pool *pool = argument;
    const struct dnn_window *w = pool->w;
    int64_t plane = (int64_t)part * pool->planes_of_part, end = plane + pool->planes_of_part;

    for (; plane < end && plane < pool->planes; plane++)
        for (int64_t row = 0; row < w->out[0] * w->out[1]; row++)
            forward_row(pool, pool->x + plane * dnn_window_volume(w->in),
                        pool->y + plane * dnn_window_volume(w->out) + row * w->out[2],
                        row / w->out[1], row % w->out[1]);
}

static void run_planes(struct pool *pool, void (*part)(void *, size_t))
{
    int64_t volume = dnn_window_volume(pool->w->out), work = dnn_window_volume(pool->w->size);

    pool->planes_of_part = 4096 / (volume ? volume : 1) + 1;
    dnn_parallel((pool->planes + pool->planes_of_part - 1) / pool->planes_of_part,
                 pool->planes * volume * work, part, pool);
}

void dnn_pool_forward(const struct dnn_resample *op, const struct dnn_window *window,
                      const float *x, float *y, int64_t planes)
{
    struct pool pool = {.op = op, .w = window, .x = x, .y = y, .planes = planes};

    run_planes(&pool, forward_part);
}

/* One row of output places, all channels. */
static void last_row(void *argument, size_t part)
{
    const struct pool *pool = argument;
    const struct dnn_window *w = pool->w;
    int64_t rows = w->out[0] * w->out[1], image = (int64_t)part / rows, row = (int64_t)part % rows;
    const float *in = pool->x + image * dnn_window_volume(w->in) * pool->channels;
    float *out = pool->y + (int64_t)part * w->out[2] * pool->channels;
    struct seen z = seen_at(w, 0, row / w->out[1]), y = seen_at(w, 1, row % w->out[1]);
    take_line *take = take_of(pool->op);

    for (int64_t place = 0; place < w->out[2]; place++, out += pool->channels) {
        struct seen x = seen_at(w, 2, place);

        begin_line(pool->op, out, pool->channels);
        for (int64_t kz = z.first; kz < z.last; kz++)
            for (int64_t ky = y.first; ky < y.last; ky++)
                for (int64_t kx = x.first; kx < x.last; kx++)
                    take(out,
                         in + (((z.begin + kz) * w->in[1] + y.begin + ky) * w->in[2] + x.begin +
                               kx) *
                                  pool->channels,
                         1, (size_t)pool->channels);
        if (!is_max(pool->op))
            dnn_kernels()->scale(out, out, 1 / divisor(pool, width(z) * width(y), width(x)), 0,
                                 (size_t)pool->channels);
    }
}

void dnn_pool_forward_last(const struct dnn_resample *op, const struct dnn_window *window,
                           const float *x, float *y, int64_t images, int64_t channels)
{
    struct pool pool = {.op = op, .w = window, .x = x, .y = y, .channels = channels};

    dnn_parallel(images * window->out[0] * window->out[1],
                 images * dnn_window_volume(window->out) * channels *
                     dnn_window_volume(window->size),
                 last_row, &pool);
}

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
                    dnn_kernels()->pool_spread(line + first * w->stride[2] + kx - w->pad[2],
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

/* The same without branches, which random numbers would mispredict. */
static int64_t winner(const struct pool *pool, const float *plane, struct seen z, struct seen y,
                      struct seen x)
{
    const struct dnn_window *w = pool->w;
    int64_t where =
        ((z.begin + z.first) * w->in[1] + y.begin + y.first) * w->in[2] + x.begin + x.first;
    float best = -INFINITY;
    int unordered = 0;

    for (int64_t kz = z.first; kz < z.last; kz++)
        for (int64_t ky = y.first; ky < y.last; ky++) {
            int64_t line = ((z.begin + kz) * w->in[1] + y.begin + ky) * w->in[2] + x.begin;

            for (int64_t kx = x.first; kx < x.last; kx++) {
                float value = plane[line + kx];

                where = value > best ? line + kx : where;
                best = value > best ? value : best;
                unordered |= value != value;
            }
        }
    return unordered ? careful_winner(pool, plane, z, y, x) : where;
}

static void take_row(const struct pool *pool, const float *x, float *dx, const float *dy,
                     int64_t oz, int64_t oy)
{
    const struct dnn_window *w = pool->w;
    struct seen z = seen_at(w, 0, oz), y = seen_at(w, 1, oy);

    for (int64_t place = 0; place < w->out[2]; place++)
        dx[winner(pool, x, z, y, seen_at(w, 2, place))] += dy[place];
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
    bool all = op->mode == CUDNN_RESAMPLE_AVGPOOL_INCLUDE_PADDING;
    struct dnn_array factors;

    if (!dnn_array_new(&factors, window->out[2], false))
        return false;
    for (int64_t i = 0; i < window->out[2]; i++)
        ((float *)factors.data)[i] =
            1 / (float)(all ? window->size[2] : width(seen_at(window, 2, i)));
    pool.factors = factors.data;
    run_planes(&pool, backward_part);
    dnn_array_free(&factors);
    return true;
}
