/* SPDX-License-Identifier: MIT */
/* Loops over f32 that the compiler vectorises. A sum or a maximum has LANES results that go on
 * independently. The file that includes this is compiled for an instruction set and defines
 * KERNELS, the table. */
#include "kernels.h"
#include "vector_math.h"

enum { LANES = 32 };

#define single_exp vector_exp
#define single_expm1 vector_expm1
#define single_log vector_log
#define single_log1p vector_log1p
#define single_tanh vector_tanh
#define single_erf vector_erf
#define single_fabs fabsf
#define single_sqrt sqrtf
#define single_ceil ceilf
#define single_floor floorf
#define single_fmod fmodf
#define single_pow powf
#define single_sin sinf
#define single_cos cosf
#define single_tan tanf
#define single_atan2 atan2f
#define REAL float
#define M(function) single_##function
#define LINE_OF pointwise_line
static dnn_pointwise_line *pointwise_line(cudnnPointwiseMode_t mode);
#include "pointwise_body.h"

static float largest(const float *in, size_t count)
{
    float lanes[LANES], most = -INFINITY;
    size_t i = 0;

    for (int l = 0; l < LANES; l++)
        lanes[l] = -INFINITY;
    for (; i + LANES <= count; i += LANES)
        for (int l = 0; l < LANES; l++)
            lanes[l] = in[i + (size_t)l] > lanes[l] ? in[i + (size_t)l] : lanes[l];
    for (; i < count; i++)
        most = in[i] > most ? in[i] : most;
    for (int l = 0; l < LANES; l++)
        most = lanes[l] > most ? lanes[l] : most;
    return most;
}

static float add_lanes(const float *lanes)
{
    float halves[LANES / 2];

    for (int l = 0; l < LANES / 2; l++)
        halves[l] = lanes[l] + lanes[l + LANES / 2];
    for (int width = LANES / 4; width > 0; width /= 2)
        for (int l = 0; l < width; l++)
            halves[l] += halves[l + width];
    return halves[0];
}

/* A function with the sum of an expression over the elements. */
#define SUM(name, parameters, expression)                                                          \
    static float name parameters                                                                   \
    {                                                                                              \
        float lanes[LANES] = {0}, rest = 0;                                                        \
        size_t i = 0;                                                                              \
                                                                                                   \
        for (; i + LANES <= count; i += LANES)                                                     \
            for (int l = 0; l < LANES; l++) {                                                      \
                size_t at = i + (size_t)l;                                                         \
                lanes[l] += (expression);                                                          \
            }                                                                                      \
        for (size_t at = i; at < count; at++)                                                      \
            rest += (expression);                                                                  \
        return add_lanes(lanes) + rest;                                                            \
    }

SUM(exp_sum, (float *out, const float *in, float most, size_t count),
    out[at] = vector_exp(in[at] - most))
SUM(sum_of_exp, (const float *in, float most, size_t count), vector_exp(in[at] - most))
SUM(dot, (const float *a, const float *b, size_t count), a[at] * b[at])
SUM(sum, (const float *in, size_t count), in[at])

#include "norm_loops_body.h"

/* A compiler asks whether out and in overlap, and takes one number at a time if they do. */
static void scale(float *out, const float *in, float factor, float addend, size_t count)
{
    if (out == in)
        for (size_t i = 0; i < count; i++)
            out[i] = out[i] * factor + addend;
    else
        for (size_t i = 0; i < count; i++)
            out[i] = in[i] * factor + addend;
}

static void softmax_gradient(float *dx, const float *y, const float *dy, float total, size_t count)
{
    for (size_t i = 0; i < count; i++)
        dx[i] = y[i] * (dy[i] - total);
}

static void log_softmax_gradient(float *dx, const float *y, const float *dy, float total,
                                 size_t count)
{
    for (size_t i = 0; i < count; i++)
        dx[i] = dy[i] - vector_exp(y[i]) * total;
}

static void softmax_columns(float *out, const float *in, size_t rows, int64_t pitch, size_t count,
                            bool log, bool fast)
{
    float most[DNN_COLUMNS_MOST], sums[DNN_COLUMNS_MOST];

    for (size_t i = 0; i < count; i++) {
        most[i] = fast ? 0 : -INFINITY;
        sums[i] = 0;
    }
    for (size_t r = 0; r < rows && !fast; r++) {
        const float *row = in + (int64_t)r * pitch;

        for (size_t i = 0; i < count; i++)
            most[i] = row[i] > most[i] ? row[i] : most[i];
    }
    for (size_t r = 0; r < rows; r++) {
        const float *row = in + (int64_t)r * pitch;
        float *result = out + (int64_t)r * pitch;

        for (size_t i = 0; i < count; i++) {
            float power = vector_exp(row[i] - most[i]);

            sums[i] += power;
            result[i] = log ? row[i] : power;
        }
    }
    for (size_t i = 0; i < count; i++)
        sums[i] = log ? most[i] + vector_log(sums[i]) : 1 / sums[i];
    for (size_t r = 0; r < rows; r++) {
        float *result = out + (int64_t)r * pitch;

        for (size_t i = 0; i < count; i++)
            result[i] = log ? result[i] - sums[i] : result[i] * sums[i];
    }
}

#include "pool_loops_body.h"

const struct dnn_kernels KERNELS = {
    .pointwise = pointwise_line,
    .largest = largest,
    .exp_sum = exp_sum,
    .sum_of_exp = sum_of_exp,
    .dot = dot,
    .sum = sum,
    .scale = scale,
    .softmax_gradient = softmax_gradient,
    .log_softmax_gradient = log_softmax_gradient,
    .softmax_columns = softmax_columns,
    .pool = POOL_LOOPS,
    .norm = NORM_LOOPS,
};
