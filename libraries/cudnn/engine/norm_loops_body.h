/* SPDX-License-Identifier: MIT */
/* The loops of norm_loops.h; kernels_body.h includes this. */
#include "norm_loops.h"

enum { COLUMN_BLOCK = 64 };

static inline float gated(float dy, const float *gate, size_t i, float slope)
{
    return gate && !(gate[i] > 0) ? dy * slope : dy;
}

static const float *line_of(struct dnn_lines from, size_t row)
{
    return from.data ? from.data + (int64_t)row * from.pitch : NULL;
}

static float *written_line_of(struct dnn_lines from, size_t row)
{
    return from.data ? from.data + (int64_t)row * from.pitch : NULL;
}

/* A kind's loops: statistics lie at [s], parameters at [p]. */
#define NORM_KIND(kind, s, p)                                                                      \
    static void apply_##kind(const struct dnn_norm_tile *t)                                        \
    {                                                                                              \
        size_t count = t->count;                                                                   \
                                                                                                   \
        for (size_t row = 0; row < t->rows; row++) {                                               \
            const float *restrict x = line_of(t->x, row), *restrict added =                        \
                                                              line_of(t->added, row);              \
            const float *restrict shift = t->shift, *restrict inverse = t->inverse;                \
            const float *restrict scale = t->scale, *restrict bias = t->bias;                      \
            float *restrict out = written_line_of(t->out, row), slope = t->slope;                  \
                                                                                                   \
            for (size_t i = 0; i < count; i++) {                                                   \
                float value = (x[i] - shift[s]) * (inverse[s] * scale[p]) + bias[p] +              \
                              (added ? added[i] : 0);                                              \
                                                                                                   \
                out[i] = value < 0 ? value * slope : value;                                        \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void gradient_##kind(const struct dnn_norm_tile *t)                                     \
    {                                                                                              \
        size_t count = t->count;                                                                   \
                                                                                                   \
        for (size_t row = 0; row < t->rows; row++) {                                               \
            const float *restrict x = line_of(t->x, row), *restrict dy = line_of(t->dy, row);      \
            const float *restrict gate = line_of(t->gate, row), *restrict scale = t->scale;        \
            const float *restrict shift = t->shift, *restrict inverse = t->inverse;                \
            const float *restrict sum = t->sum, *restrict weighted = t->weighted;                  \
            float *restrict out = written_line_of(t->out, row), slope = t->slope;                  \
            float *restrict masked = written_line_of(t->masked, row);                              \
                                                                                                   \
            for (size_t i = 0; i < count; i++) {                                                   \
                float g = gated(dy[i], gate, i, slope), normal = (x[i] - shift[s]) * inverse[s];   \
                                                                                                   \
                if (masked)                                                                        \
                    masked[i] = g;                                                                 \
                if (out)                                                                           \
                    out[i] = inverse[s] * (g * scale[p] - sum[s] - normal * weighted[s]);          \
            }                                                                                      \
        }                                                                                          \
    }

NORM_KIND(columns, i, i)
NORM_KIND(planes, 0, 0)
NORM_KIND(rows, 0, i)

/* A block of columns whose sums stay in registers. */
static void block_moments(const float *in, int64_t pitch, size_t rows, float *mean, float *squares)
{
    float sums[COLUMN_BLOCK] = {0}, differences[COLUMN_BLOCK] = {0};
    const float *x = in;

    for (size_t row = 0; row < rows; row++, x += pitch)
        for (int i = 0; i < COLUMN_BLOCK; i++)
            sums[i] += x[i];
    for (int i = 0; i < COLUMN_BLOCK; i++)
        sums[i] /= (float)rows;
    x = in;
    for (size_t row = 0; row < rows; row++, x += pitch)
        for (int i = 0; i < COLUMN_BLOCK; i++)
            differences[i] += (x[i] - sums[i]) * (x[i] - sums[i]);
    for (int i = 0; i < COLUMN_BLOCK; i++) {
        mean[i] = sums[i];
        squares[i] = differences[i];
    }
}

/* The columns that no block takes. */
static void rest_moments(const float *in, int64_t pitch, size_t rows, float *restrict mean,
                         float *restrict squares, size_t count)
{
    const float *x = in;

    for (size_t i = 0; i < count; i++)
        mean[i] = squares[i] = 0;
    for (size_t row = 0; row < rows; row++, x += pitch)
        for (size_t i = 0; i < count; i++)
            mean[i] += x[i];
    for (size_t i = 0; i < count; i++)
        mean[i] /= (float)rows;
    x = in;
    for (size_t row = 0; row < rows; row++, x += pitch)
        for (size_t i = 0; i < count; i++)
            squares[i] += (x[i] - mean[i]) * (x[i] - mean[i]);
}

static void column_moments(const struct dnn_norm_tile *t, float *mean, float *squares)
{
    const float *in = t->x.data;
    size_t begin = 0, count = t->count;

    for (; begin + COLUMN_BLOCK <= count; begin += COLUMN_BLOCK)
        block_moments(in + begin, t->x.pitch, t->rows, mean + begin, squares + begin);
    if (begin < count)
        rest_moments(in + begin, t->x.pitch, t->rows, mean + begin, squares + begin, count - begin);
}

static void merge_moments(double *restrict mean, double *restrict squares, double before,
                          const float *restrict fresh_mean, const float *restrict fresh_squares,
                          double fresh, size_t count)
{
    double share = fresh / (before + fresh), weight = before * share;

    for (size_t i = 0; i < count; i++) {
        double distance = (double)fresh_mean[i] - mean[i];

        mean[i] += distance * share;
        squares[i] += (double)fresh_squares[i] + distance * distance * weight;
    }
}

SUM(squares_of, (const float *in, float shift, size_t count), (in[at] - shift) * (in[at] - shift))

static void column_sums(const struct dnn_norm_tile *t, float *restrict sums,
                        float *restrict products)
{
    size_t count = t->count;

    for (size_t row = 0; row < t->rows; row++) {
        const float *restrict x = line_of(t->x, row), *restrict dy = line_of(t->dy, row);
        const float *restrict gate = line_of(t->gate, row), *restrict shift = t->shift;
        const float *restrict inverse = t->inverse;
        float slope = t->slope;

        for (size_t i = 0; i < count; i++) {
            float g = gated(dy[i], gate, i, slope);

            sums[i] += g;
            products[i] += g * ((x[i] - shift[i]) * inverse[i]);
        }
    }
}

SUM(sum_gated, (const float *dy, const float *gate, float slope, size_t count),
    gated(dy[at], gate, at, slope))
SUM(sum_products,
    (const float *dy, const float *gate, float slope, const float *x, float shift, size_t count),
    gated(dy[at], gate, at, slope) * (x[at] - shift))

static void plane_sums(const struct dnn_norm_tile *t, float *sums, float *products)
{
    sums[0] += sum_gated(t->dy.data, t->gate.data, t->slope, t->count);
    products[0] += t->inverse[0] * sum_products(t->dy.data, t->gate.data, t->slope, t->x.data,
                                                t->shift[0], t->count);
}

SUM(sum_scaled, (const float *dy, const float *gate, float slope, const float *scale, size_t count),
    gated(dy[at], gate, at, slope) * scale[at])
SUM(sum_scaled_products,
    (const float *dy, const float *gate, float slope, const float *scale, const float *x,
     float shift, size_t count),
    gated(dy[at], gate, at, slope) * scale[at] * (x[at] - shift))

static void row_sums(const struct dnn_norm_tile *t, float *sums, float *products,
                     float *restrict columns, float *restrict column_products)
{
    const float *restrict x = t->x.data, *restrict dy = t->dy.data, *restrict gate = t->gate.data;
    float shift = t->shift[0], inverse = t->inverse[0], slope = t->slope;
    size_t count = t->count;

    sums[0] += sum_scaled(dy, gate, slope, t->scale, t->count);
    products[0] += inverse * sum_scaled_products(dy, gate, slope, t->scale, x, shift, t->count);
    for (size_t i = 0; i < count; i++) {
        float g = gated(dy[i], gate, i, slope);

        columns[i] += g;
        column_products[i] += g * ((x[i] - shift) * inverse);
    }
}

#define NORM_LOOPS                                                                                 \
    {                                                                                              \
        .apply = {apply_columns, apply_planes, apply_rows},                                        \
        .gradient = {gradient_columns, gradient_planes, gradient_rows},                            \
        .column_moments = column_moments, .merge = merge_moments, .squares = squares_of,           \
        .column_sums = column_sums, .plane_sums = plane_sums, .row_sums = row_sums,                \
    }
