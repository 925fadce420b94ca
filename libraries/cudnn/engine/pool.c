/* SPDX-License-Identifier: MIT */
/* A line of results is computed at once. In planes it goes along the last dimension: the lines that
 * the rows of the window see are taken together, and then, for each column of the window, numbers
 * of that line. Where channels come last, a line is all channels of a place. */
#include "pool_window.h"

#include "array.h"
#include "kernels.h"

#include <math.h>
#include <stdlib.h>

bool dnn_pool_fits(const struct dnn_resample *op, const struct dnn_window *w)
{
    bool inside = true;

    if (w->size[2] > POOL_LINE)
        return false;
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

static dnn_take_lines *take_lines_of(const struct dnn_resample *op)
{
    const struct dnn_pool_loops *loops = &dnn_kernels()->pool;

    if (!is_max(op))
        return loops->lines_add;
    return op->propagate_nan ? loops->lines_max_nan : loops->lines_max;
}

/* What a window sees where it sees nothing. */
static float nothing(const struct dnn_resample *op)
{
    return !is_max(op) ? 0 : op->propagate_nan ? -INFINITY : NAN;
}

/* The rows of the window by which a sum is divided; dnn_pool_factors() has the columns. */
static float row_divisor(const struct pool *pool, struct seen z, struct seen y)
{
    const int64_t *size = pool->w->size;

    return (float)(pool->op->mode == CUDNN_RESAMPLE_AVGPOOL_INCLUDE_PADDING ? size[0] * size[1]
                                                                            : width(z) * width(y));
}

/* Lines that are taken together, some at a time. */
struct lines {
    dnn_take_lines *take;
    const float *from[POOL_LINES];
    size_t number, count;
    float *out;
};

/* Addresses are not cleared: this is done for every row. */
static void lines_begin(struct lines *lines, const struct pool *pool, float *out, int64_t count)
{
    lines->take = pool->take;
    lines->number = 0;
    lines->count = (size_t)count;
    lines->out = out;
}

static void lines_flush(struct lines *lines)
{
    if (lines->number)
        lines->take(lines->out, lines->from, lines->number, lines->count);
    lines->from[0] = lines->out;
    lines->number = 1;
}

static void lines_add(struct lines *lines, const float *line)
{
    if (lines->number == POOL_LINES)
        lines_flush(lines);
    lines->from[lines->number++] = line;
}

/* Takes a line's numbers into the results of a stretch, for each column of the window. */
static void take_columns(const struct pool *pool, const struct stretch *stretch, const float *line,
                         float *out)
{
    const struct dnn_window *w = pool->w;
    int64_t count = stretch->last - stretch->first;
    float column[POOL_LINE], none = nothing(pool->op);

    for (int64_t kx = 0; kx < w->size[2]; kx++) {
        int64_t first, last, from = stretch_positions(w, stretch, kx, &first, &last);
        float *to = kx ? column : out;

        first = first < last ? first : stretch->last;
        for (int64_t i = stretch->first; i < first; i++)
            to[i - stretch->first] = none;
        if (first < last)
            dnn_kernels()->pool.gather(to + first - stretch->first, line + from, w->stride[2],
                                       (size_t)(last - first));
        for (int64_t i = first < last ? last : stretch->last; i < stretch->last; i++)
            to[i - stretch->first] = none;
        if (kx)
            pool->take(out, (const float *const[]){out, column}, 2, (size_t)count);
    }
}

/* The results of row (oz, oy) of positions: lines of the window's rows are taken together, and then
 * the columns of that line. */
static void forward_row(const struct pool *pool, const float *plane, float *out, int64_t oz,
                        int64_t oy)
{
    const struct dnn_window *w = pool->w;
    struct seen z = seen_at(w, 0, oz), y = seen_at(w, 1, oy);
    struct stretch stretch = {0};
    float line[POOL_LINE];

    for (int64_t at = 0; at < w->out[2] && stretch_at(w, at, &stretch); at = stretch.last) {
        struct lines lines;

        lines_begin(&lines, pool, line, stretch.count);
        for (int64_t kz = z.first; kz < z.last; kz++)
            for (int64_t ky = y.first; ky < y.last; ky++)
                lines_add(&lines, plane + ((z.begin + kz) * w->in[1] + y.begin + ky) * w->in[2] +
                                      stretch.begin);
        lines_flush(&lines);
        take_columns(pool, &stretch, line, out + at);
    }
    if (!is_max(pool->op))
        dnn_kernels()->pool.multiply(out, pool->factors, 1 / row_divisor(pool, z, y),
                                     (size_t)w->out[2]);
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

void dnn_pool_run_planes(struct pool *pool, void (*part)(void *, size_t))
{
    int64_t volume = dnn_window_volume(pool->w->out), work = dnn_window_volume(pool->w->size);

    pool->planes_of_part = 4096 / (volume ? volume : 1) + 1;
    dnn_parallel((pool->planes + pool->planes_of_part - 1) / pool->planes_of_part,
                 pool->planes * volume * work, part, pool);
}

bool dnn_pool_factors(struct pool *pool)
{
    const struct dnn_window *w = pool->w;
    bool all = pool->op->mode == CUDNN_RESAMPLE_AVGPOOL_INCLUDE_PADDING;
    float *factors = malloc((size_t)w->out[2] * sizeof(*factors));

    for (int64_t i = 0; i < w->out[2] && factors; i++)
        factors[i] = 1 / (float)(all ? w->size[2] : width(seen_at(w, 2, i)));
    pool->factors = factors;
    return factors != NULL;
}

bool dnn_pool_forward(const struct dnn_resample *op, const struct dnn_window *window,
                      const float *x, float *y, int64_t planes)
{
    struct pool pool = {
        .op = op, .w = window, .x = x, .y = y, .planes = planes, .take = take_lines_of(op)};

    if (!dnn_pool_factors(&pool))
        return false;
    dnn_pool_run_planes(&pool, forward_part);
    free((void *)pool.factors);
    return true;
}

/* One row of output places, all channels: the lines of channels that a window sees are taken
 * together. */
static void last_row(void *argument, size_t part)
{
    const struct pool *pool = argument;
    const struct dnn_window *w = pool->w;
    int64_t rows = w->out[0] * w->out[1], image = (int64_t)part / rows, row = (int64_t)part % rows;
    const float *in = pool->x + image * dnn_window_volume(w->in) * pool->channels;
    float *out = pool->y + (int64_t)part * w->out[2] * pool->channels;
    struct seen z = seen_at(w, 0, row / w->out[1]), y = seen_at(w, 1, row % w->out[1]);

    for (int64_t place = 0; place < w->out[2]; place++, out += pool->channels) {
        struct seen x = seen_at(w, 2, place);
        struct lines lines;

        lines_begin(&lines, pool, out, pool->channels);
        for (int64_t kz = z.first; kz < z.last; kz++)
            for (int64_t ky = y.first; ky < y.last; ky++)
                for (int64_t kx = x.first; kx < x.last; kx++)
                    lines_add(&lines, in + (((z.begin + kz) * w->in[1] + y.begin + ky) * w->in[2] +
                                            x.begin + kx) *
                                               pool->channels);
        lines_flush(&lines);
        if (!is_max(pool->op))
            dnn_kernels()->scale(out, out, pool->factors[place] / row_divisor(pool, z, y), 0,
                                 (size_t)pool->channels);
    }
}

bool dnn_pool_forward_last(const struct dnn_resample *op, const struct dnn_window *window,
                           const float *x, float *y, int64_t images, int64_t channels)
{
    struct pool pool = {
        .op = op, .w = window, .x = x, .y = y, .channels = channels, .take = take_lines_of(op)};

    if (!dnn_pool_factors(&pool))
        return false;
    dnn_parallel(images * window->out[0] * window->out[1],
                 images * dnn_window_volume(window->out) * channels *
                     dnn_window_volume(window->size),
                 last_row, &pool);
    free((void *)pool.factors);
    return true;
}
