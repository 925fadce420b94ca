/* SPDX-License-Identifier: MIT */
/* What the passes of pooling share: the operation, and which elements a window sees. */
#ifndef DNN_ENGINE_POOL_WINDOW_H
#define DNN_ENGINE_POOL_WINDOW_H

#include "pool.h"
#include "pool_loops.h"

/* Numbers of a line that the passes keep on the stack, and lines that they take at once. Windows
 * have at most POOL_WINDOW elements for the vectors of a maximum's gradient. */
enum { POOL_LINE = 1024, POOL_LINES = 32, POOL_WINDOW = 128 };

struct pool {
    const struct dnn_resample *op;
    const struct dnn_window *w;
    const float *x, *dy;
    float *y, *dx;
    const float *factors; /* of an average: 1 / elements of a row that a place sees */
    int64_t channels, planes, planes_of_part;
    dnn_take_lines *take; /* forward: the larger number, or the sum */
};

/* The elements [first, last) of the window that see the image at an output place. */
struct seen {
    int64_t first, last, begin; /* begin: where the window lies */
};

static inline struct seen seen_at(const struct dnn_window *w, int axis, int64_t place)
{
    struct seen seen = {.begin = place * w->stride[axis] - w->pad[axis]};

    seen.first = seen.begin < 0 ? -seen.begin : 0;
    seen.last = w->in[axis] - seen.begin < w->size[axis] ? w->in[axis] - seen.begin : w->size[axis];
    return seen;
}

static inline int64_t width(struct seen seen)
{
    return seen.last - seen.first;
}

static inline bool is_max(const struct dnn_resample *op)
{
    return op->mode == CUDNN_RESAMPLE_MAXPOOL;
}

/* The positions [first, last) of a row at which element kx of the window sees the image. */
static inline void positions(const struct dnn_window *w, int64_t kx, int64_t *first, int64_t *last)
{
    int64_t shift = kx - w->pad[2], stride = w->stride[2];

    *first = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
    *last = w->in[2] - shift <= 0 ? 0 : (w->in[2] - shift + stride - 1) / stride;
    *last = *last > w->out[2] ? w->out[2] : *last;
}

/* A stretch of positions of a row whose windows see at most POOL_LINE numbers of a line: the first
 * number that they see, and how many. */
struct stretch {
    int64_t first, last; /* positions */
    int64_t begin, count;
};

/* The stretch that begins at position `first`; false: windows are too wide. */
static inline bool stretch_at(const struct dnn_window *w, int64_t first, struct stretch *stretch)
{
    int64_t most = (POOL_LINE - w->size[2]) / w->stride[2] + 1, end;

    if (w->size[2] > POOL_LINE)
        return false;
    stretch->first = first;
    stretch->last = first + most < w->out[2] ? first + most : w->out[2];
    stretch->begin = first * w->stride[2] - w->pad[2];
    end = (stretch->last - 1) * w->stride[2] - w->pad[2] + w->size[2];
    stretch->begin = stretch->begin < 0 ? 0 : stretch->begin;
    stretch->count = (end < w->in[2] ? end : w->in[2]) - stretch->begin;
    return true;
}

/* The positions of a stretch at which element kx of the window sees the image, and where in the
 * stretch's numbers the first one does. */
static inline int64_t stretch_positions(const struct dnn_window *w, const struct stretch *stretch,
                                        int64_t kx, int64_t *first, int64_t *last)
{
    positions(w, kx, first, last);
    *first = *first < stretch->first ? stretch->first : *first;
    *last = *last > stretch->last ? stretch->last : *last;
    return *first * w->stride[2] + kx - w->pad[2] - stretch->begin;
}

/* 1 / the elements of a row that each place sees, or of the whole row of the window. */
bool dnn_pool_factors(struct pool *pool);

/* Parts of some planes each. */
void dnn_pool_run_planes(struct pool *pool, void (*part)(void *, size_t));

#endif
