/* SPDX-License-Identifier: MIT */
/* Dropout. Each word of the mask is made and applied by one thread. */
#include "dropout.h"

#include "array.h"
#include "philox.h"

enum { BITS = 32, WORDS = 64 };

struct dropout {
    const struct dnn_dropout *op;
    struct dnn_array x, y;
    int64_t count;
};

static uint32_t draw(const struct dropout *work, int64_t first)
{
    const struct dnn_dropout *op = work->op;
    uint32_t word = 0;

    for (int bit = 0; bit < BITS && first + bit < work->count; bit++)
        if (dnn_philox_uniform(op->states->seed, op->states->offset, (uint64_t)(first + bit)) >
            op->probability)
            word |= 1u << bit;
    return word;
}

static void run_part(void *argument, size_t part)
{
    struct dropout *work = argument;
    const struct dnn_dropout *op = work->op;
    double scale = op->probability < 1 ? 1 / (1 - op->probability) : 0;

    for (int64_t w = (int64_t)part * WORDS; w < (int64_t)(part + 1) * WORDS; w++) {
        int64_t first = w * BITS;

        if (first >= work->count)
            break;
        if (!op->backward)
            op->mask[w] = draw(work, first);
        for (int bit = 0; bit < BITS && first + bit < work->count; bit++)
            dnn_put(&work->y, first + bit,
                    op->mask[w] >> bit & 1 ? dnn_number(&work->x, first + bit) * scale : 0);
    }
}

CUresult dnn_dropout_run(const struct dnn_dropout *op)
{
    struct dropout work = {.op = op, .count = dnn_count(&op->x)};
    bool wide = DNN_WIDE(CUDNN_DATA_FLOAT, &op->x);
    struct dnn_blend blend = {.alpha = 1};
    CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

    if (dnn_array_load(&work.x, &op->x, wide) && dnn_array_output(&work.y, &op->y, wide, blend)) {
        dnn_parallel((work.count + WORDS * BITS - 1) / (WORDS * BITS), work.count * 20, run_part,
                     &work);
        dnn_array_store(&op->y, &work.y, blend);
        if (!op->backward)
            op->states->offset += (uint64_t)(work.count + 3) / 4;
        result = CUDA_SUCCESS;
    }
    dnn_array_free(&work.y);
    dnn_array_free(&work.x);
    return result;
}
