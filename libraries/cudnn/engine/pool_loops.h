/* SPDX-License-Identifier: MIT */
/* Loops of pooling over lines of f32, compiled for each instruction set. Of two numbers the larger
 * one stays, and of equal ones the first; NaN is taken (`nan`), or passed over. */
#ifndef DNN_ENGINE_POOL_LOOPS_H
#define DNN_ENGINE_POOL_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void dnn_take_lines(float *out, const float *const *lines, size_t number, size_t count);

struct dnn_pool_loops {
    /* Take `number` >= 1 lines together; out may be one of them. */
    dnn_take_lines *lines_max, *lines_max_nan, *lines_add;
    /* out = numbers that lie `stride` apart. */
    void (*gather)(float *out, const float *in, int64_t stride, size_t count);
    /* out *= factors * factor */
    void (*multiply)(float *out, const float *factors, float factor, size_t count);
    /* Adds factor * factors[i] * in[i] to numbers that lie `stride` apart. */
    void (*spread)(float *out, const float *in, const float *factors, float factor, int64_t stride,
                   size_t count);
    /* Where the line's number is larger than `best`, it becomes that, and `ids` becomes id. True if
     * there is NaN in the line. */
    bool (*winner)(float *best, int32_t *ids, const float *line, int32_t id, size_t count);
};

#endif
