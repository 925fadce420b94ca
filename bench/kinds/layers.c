/* SPDX-License-Identifier: MIT */
/* Layers of neural networks: softmax, layer norm, attention. */
#include "kinds.h"

#include <math.h>

enum { ROWS = 2048, COLUMNS = 1024, HEADS = 4, LENGTH = 512, WIDTH = 64 };

static struct data in, out, scale, shift, keys, values;
static struct launch launch;

static void open_softmax(void)
{
    in = data_of_floats((size_t)ROWS * COLUMNS, -4, 4);
    out = data_create(in.bytes);
    launch = (struct launch){kernel_named("layers", "softmax"), {ROWS, 1, 1}, {256, 1, 1}};
}

static void cuda_softmax(void)
{
    static int columns = COLUMNS;

    RUN(launch, &in.device, &out.device, &columns);
}

static void native_softmax(void)
{
#pragma omp parallel for
    for (int i = 0; i < ROWS; i++) {
        const float *row = (float *)in.host + i * COLUMNS;
        float *to = (float *)out.host + i * COLUMNS, most = -INFINITY, sum = 0;

        for (int j = 0; j < COLUMNS; j++)
            most = row[j] > most ? row[j] : most;
        for (int j = 0; j < COLUMNS; j++)
            sum += to[j] = expf(row[j] - most);
        for (int j = 0; j < COLUMNS; j++)
            to[j] /= sum;
    }
}

static bool agree(void)
{
    return same_floats(out, 1e-4f);
}

static void open_norm(void)
{
    in = data_of_floats((size_t)ROWS * COLUMNS, -4, 4);
    scale = data_of_floats(COLUMNS, 0, 1);
    shift = data_of_floats(COLUMNS, 0, 1);
    out = data_create(in.bytes);
    launch = (struct launch){kernel_named("layers", "layer_norm"), {ROWS, 1, 1}, {256, 1, 1}};
}

static void cuda_norm(void)
{
    static int columns = COLUMNS;

    RUN(launch, &in.device, &scale.device, &shift.device, &out.device, &columns);
}

static void native_norm(void)
{
    const float *factor = scale.host, *summand = shift.host;

#pragma omp parallel for
    for (int i = 0; i < ROWS; i++) {
        const float *row = (float *)in.host + i * COLUMNS;
        float *to = (float *)out.host + i * COLUMNS, mean = 0, squares = 0;

#pragma omp simd reduction(+ : mean)
        for (int j = 0; j < COLUMNS; j++)
            mean += row[j];
        mean /= COLUMNS;
#pragma omp simd reduction(+ : squares)
        for (int j = 0; j < COLUMNS; j++)
            squares += (row[j] - mean) * (row[j] - mean);
        float inverse = 1 / sqrtf(squares / COLUMNS + 1e-5f);
        for (int j = 0; j < COLUMNS; j++)
            to[j] = (row[j] - mean) * inverse * factor[j] + summand[j];
    }
}

static void open_attention(void)
{
    in = data_of_floats((size_t)HEADS * LENGTH * WIDTH, -1, 1);
    keys = data_of_floats((size_t)HEADS * LENGTH * WIDTH, -1, 1);
    values = data_of_floats((size_t)HEADS * LENGTH * WIDTH, -1, 1);
    out = data_create(in.bytes);
    launch =
        (struct launch){kernel_named("layers", "attention"), {LENGTH / 64, HEADS, 1}, {64, 1, 1}};
}

static void cuda_attention(void)
{
    static int length = LENGTH;

    RUN(launch, &in.device, &keys.device, &values.device, &out.device, &length);
}

static void attend(const float *query, const float *key, const float *value, float *to)
{
    float scores[LENGTH], most = -INFINITY, all = 0;

    for (int j = 0; j < LENGTH; j++) {
        float score = 0;
#pragma omp simd reduction(+ : score)
        for (int i = 0; i < WIDTH; i++)
            score += query[i] * key[j * WIDTH + i];
        scores[j] = score * 0.125f;
        most = scores[j] > most ? scores[j] : most;
    }
    for (int j = 0; j < LENGTH; j++)
        all += scores[j] = expf(scores[j] - most);
    for (int i = 0; i < WIDTH; i++)
        to[i] = 0;
    for (int j = 0; j < LENGTH; j++)
        for (int i = 0; i < WIDTH; i++)
            to[i] += scores[j] / all * value[j * WIDTH + i];
}

static void native_attention(void)
{
#pragma omp parallel for collapse(2)
    for (int head = 0; head < HEADS; head++)
        for (int i = 0; i < LENGTH; i++) {
            size_t start = (size_t)head * LENGTH * WIDTH;

            attend((float *)in.host + start + i * WIDTH, (float *)keys.host + start,
                   (float *)values.host + start, (float *)out.host + start + i * WIDTH);
        }
}

const struct kind layer_kinds[] = {
    {"softmax, 2,048 x 1,024", open_softmax, cuda_softmax, native_softmax, agree},
    {"layer norm, 2,048 x 1,024", open_norm, cuda_norm, native_norm, agree},
    {"attention, 4 x 512 x 64", open_attention, cuda_attention, native_attention, agree},
    {.name = NULL},
};
