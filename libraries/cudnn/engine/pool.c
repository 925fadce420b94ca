/* SPDX-License-Identifier: MIT */
/* A line of results is computed at once. In planes it goes along the last dimension: the lines that
 * the rows of the window see are taken together, and then, for each column of the window, numbers
 * of that line. Where channels come last, a line is all channels of a place. */
#include "pool_window.h"

#include "array.h"
#include "kernels.h"

#include <math.h>
#include <stdlib.h>

/* Numbers of a row that is shared by windows: it stays in the second cache. */
enum { SHARED_ROW = 24576 };

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
        if (op->mode == CUDNN_RESAMPLE_AVGPOOL_INCLUDE_PADDING && op->ends_with_padding &&
            last + w->size[i] > w->in[i] + w->pad[i])
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

/* The line of a stretch with what its windows see before and behind the image. */
static void pad_line(const struct pool *pool, const struct stretch *stretch, float *line)
{
    const struct dnn_window *w = pool->w;
    int64_t total = (stretch->last - stretch->first - 1) * w->stride[2] + w->size[2];
    int64_t before = stretch->begin - (stretch->first * w->stride[2] - w->pad[2]);
    float none = nothing(pool->op);

    for (int64_t i = 0; i < before; i++)
        line[i] = none;
    for (int64_t i = before + stretch->count; i < total; i++)
        line[i] = none;
}

/* Takes the columns of the window together: column kx of all positions is a line of numbers that
 * lie a stride apart, and those of kx + stride are the same ones from the next on. */
static void take_columns(const struct pool *pool, const struct stretch *stretch, const float *line,
                         float *out)
{
    const struct dnn_window *w = pool->w;
    int64_t count = stretch->last - stretch->first, stride = w->stride[2], size = w->size[2];
    int64_t apart = count + size / stride + 1;
    float gathered[3 * POOL_LINE];
    struct lines lines;

    for (int64_t phase = 0; phase < stride && phase < size && stride > 1; phase++)
        dnn_kernels()->pool.gather(gathered + phase * apart, line + phase, stride,
                                   (size_t)(count + (size - 1 - phase) / stride));
    lines_begin(&lines, pool, out, count);
    for (int64_t kx = 0; kx < size; kx++)
        lines_add(&lines, stride > 1 ? gathered + kx % stride * apart + kx / stride : line + kx);
    lines_flush(&lines);
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
        int64_t before = stretch.begin - (at * w->stride[2] - w->pad[2]);
        struct lines lines;

        pad_line(pool, &stretch, line);
        lines_begin(&lines, pool, line + before, stretch.count);
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

/* Whether it is less work to take the rows of windows together first, for all places of the image's
 * row, and then the columns: windows that overlap share rows. */
static bool shares_rows(const struct pool *pool, struct seen z, struct seen y)
{
    const struct dnn_window *w = pool->w;
    int64_t rows = width(z) * width(y), size = w->size[2];

    return w->in[2] * pool->channels <= SHARED_ROW &&
           (w->in[2] * rows + w->out[2] * size) * 5 < w->out[2] * rows * size * 4;
}

/* Takes rows of the image together, all channels of all places, into `line`. */
static void take_rows(const struct pool *pool, const float *in, struct seen z, struct seen y,
                      float *line)
{
    const struct dnn_window *w = pool->w;
    int64_t row = w->in[2] * pool->channels;
    struct lines lines;

    lines_begin(&lines, pool, line, row);
    for (int64_t kz = z.first; kz < z.last; kz++)
        for (int64_t ky = y.first; ky < y.last; ky++)
            lines_add(&lines, in + ((z.begin + kz) * w->in[1] + y.begin + ky) * row);
    lines_flush(&lines);
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
    const struct seen all_z = z, all_y = y;
    float *shared = shares_rows(pool, z, y)
                        ? malloc((size_t)(w->in[2] * pool->channels) * sizeof(*shared))
                        : NULL;

    if (shared) {
        take_rows(pool, in, z, y, shared);
        in = shared;
        z = y = (struct seen){.last = 1};
    }
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
            dnn_kernels()->scale(out, out, pool->factors[place] / row_divisor(pool, all_z, all_y),
                                 0, (size_t)pool->channels);
    }
    free(shared);
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
