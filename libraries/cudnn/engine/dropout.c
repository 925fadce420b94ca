/* SPDX-License-Identifier: MIT */
/* A part has some generators and the words of the mask that they make, in all rounds. */
#include "dropout.h"

#include "array.h"
#include "xorwow_jump.h"

enum { BITS = 32, GENERATORS_OF_PART = 1024, NUMBERS_OF_PART = 2048, WEYL = 362437 };

CUresult dnn_generators_seed(const struct dnn_generators *generators, uint64_t seed)
{
    struct xorwow_words words;
    uint32_t counter;

    xorwow_seed(seed, &words, &counter);
    for (int64_t i = 0; i < generators->threads; i++) {
        struct dnn_generator generator = {.counter = counter};

        for (int k = 0; k < 5; k++)
            generator.v[k] = words.v[k];
        generators->memory[i] = generator;
        if (!xorwow_next_sequence(&words))
            return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return CUDA_SUCCESS;
}

static float next_number(struct dnn_generator *generator)
{
    uint32_t *v = generator->v, t = v[0] ^ v[0] >> 2;

    v[0] = v[1];
    v[1] = v[2];
    v[2] = v[3];
    v[3] = v[4];
    v[4] = v[4] ^ v[4] << 4 ^ t ^ t << 1;
    generator->counter += WEYL;
    return (float)(v[4] + generator->counter) * 0x1p-32F + 0x1p-33F;
}

struct drawing {
    struct dnn_generators generators;
    float probability;
    int64_t count;
    uint32_t *mask;
};

static void draw_part(void *argument, size_t part)
{
    const struct drawing *drawing = argument;
    int64_t threads = drawing->generators.threads, begin = (int64_t)part * GENERATORS_OF_PART;
    int64_t end = begin + GENERATORS_OF_PART < threads ? begin + GENERATORS_OF_PART : threads;

    for (int64_t round = 0; round < drawing->count; round += threads)
        for (int64_t first = begin; first < end && round + first < drawing->count; first += BITS) {
            uint32_t word = 0;

            for (int bit = 0; bit < BITS && round + first + bit < drawing->count; bit++)
                if (next_number(&drawing->generators.memory[first + bit]) > drawing->probability)
                    word |= 1u << bit;
            drawing->mask[(round + first) / BITS] = word;
        }
}

void dnn_dropout_draw(const struct dnn_generators *generators, double probability, int64_t count,
                      uint32_t *mask)
{
    struct drawing drawing = {*generators, (float)probability, count, mask};
    int64_t used = count < generators->threads ? count : generators->threads;

    dnn_parallel((used + GENERATORS_OF_PART - 1) / GENERATORS_OF_PART, count * 4, draw_part,
                 &drawing);
}

struct dropout {
    const struct dnn_dropout *op;
    struct dnn_array x, y;
    int64_t count;
};

static void apply_part(void *argument, size_t part)
{
    struct dropout *work = argument;
    const struct dnn_dropout *op = work->op;
    double scale = op->probability < 1 ? 1 / (1 - op->probability) : 0;
    int64_t begin = (int64_t)part * NUMBERS_OF_PART, end = begin + NUMBERS_OF_PART;

    for (int64_t i = begin; i < end && i < work->count; i++)
        dnn_put(&work->y, i,
                op->mask[i / BITS] >> i % BITS & 1 ? dnn_number(&work->x, i) * scale : 0);
}

CUresult dnn_dropout_run(const struct dnn_dropout *op)
{
    struct dropout work = {.op = op, .count = dnn_count(&op->x)};
    bool wide = DNN_WIDE(CUDNN_DATA_FLOAT, &op->x);
    struct dnn_blend blend = {.alpha = 1};
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (dnn_array_load(&work.x, &op->x, wide) && dnn_array_output(&work.y, &op->y, wide, blend)) {
        if (!op->backward)
            dnn_dropout_draw(&op->generators, op->probability, work.count, op->mask);
        dnn_parallel((work.count + NUMBERS_OF_PART - 1) / NUMBERS_OF_PART, work.count * 2,
                     apply_part, &work);
        dnn_array_store(&op->y, &work.y, blend);
        result = CUDA_SUCCESS;
    }
    dnn_array_free(&work.y);
    dnn_array_free(&work.x);
    return result;
}
