/* SPDX-License-Identifier: MIT */
/* Random numbers of tensors. Each element depends on its place alone, so that any thread may make
 * it. */
#include "array.h"
#include "philox.h"

#include <math.h>

enum { ROUNDS = 10, PART = 4096 };

uint32_t dnn_philox(uint64_t seed, uint64_t offset, uint64_t index)
{
    uint64_t block = offset + index / 4;
    uint32_t c[4] = {(uint32_t)block, (uint32_t)(block >> 32), 0, 0};
    uint32_t k[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};

    for (int round = 0; round < ROUNDS; round++) {
        uint64_t a = 0xD2511F53ull * c[0], b = 0xCD9E8D57ull * c[2];
        uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b,
                            (uint32_t)(a >> 32) ^ c[3] ^ k[1], (uint32_t)a};

        for (int i = 0; i < 4; i++)
            c[i] = next[i];
        k[0] += 0x9E3779B9u;
        k[1] += 0xBB67AE85u;
    }
    return c[index % 4];
}

struct random {
    const struct dnn_random *op;
    uint64_t seed, offset;
    struct dnn_array y;
    int64_t count;
};

/* Pairs of elements share two uniform numbers (Box and Muller). */
static double normal(const struct random *work, uint64_t i)
{
    double radius = sqrt(-2 * log(dnn_philox_uniform(work->seed, work->offset, i & ~1ull)));
    double angle = 2 * M_PI * dnn_philox_uniform(work->seed, work->offset, i | 1);

    return radius * (i & 1 ? sin(angle) : cos(angle));
}

static void run_part(void *argument, size_t part)
{
    struct random *work = argument;
    const struct dnn_random *op = work->op;
    int64_t end = (int64_t)(part + 1) * PART;

    for (int64_t i = (int64_t)part * PART; i < end && i < work->count; i++) {
        double value = dnn_philox_uniform(work->seed, work->offset, (uint64_t)i);

        if (op->distribution == CUDNN_RNG_DISTRIBUTION_BERNOULLI)
            value = value <= op->probability;
        else if (op->distribution == CUDNN_RNG_DISTRIBUTION_UNIFORM)
            value = op->lower + (op->upper - op->lower) * value;
        else
            value = op->mean + op->deviation * normal(work, (uint64_t)i);
        dnn_put(&work->y, i, value);
    }
}

CUresult dnn_random_run(const struct dnn_random *op)
{
    struct random work = {.op = op,
                          .seed = op->seed ? *(const uint64_t *)op->seed : op->seed_value,
                          .offset = op->offset ? *(const uint64_t *)op->offset : op->offset_value,
                          .count = dnn_count(&op->y)};

    if (!dnn_type_bytes(op->y.type))
        return CUDA_ERROR_NOT_SUPPORTED;
    if (!dnn_array_new(&work.y, work.count, op->y.type == CUDNN_DATA_DOUBLE))
        return CUDA_ERROR_OUT_OF_MEMORY;
    dnn_parallel((work.count + PART - 1) / PART, work.count * 20, run_part, &work);
    dnn_array_store(&op->y, &work.y, (struct dnn_blend){.alpha = 1});
    dnn_array_free(&work.y);
    return CUDA_SUCCESS;
}
