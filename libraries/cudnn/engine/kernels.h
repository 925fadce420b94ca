/* SPDX-License-Identifier: MIT */
/* Innermost loops over f32, compiled once for each instruction set (kernels_body.h). */
#ifndef DNN_ENGINE_KERNELS_H
#define DNN_ENGINE_KERNELS_H

#include "norm_loops.h"
#include "pointwise.h"
#include "pool_loops.h"

#include <stdint.h>

struct dnn_kernels {
    /* The loop of a pointwise mode; NULL: no such mode. */
    dnn_pointwise_line *(*pointwise)(cudnnPointwiseMode_t mode);

    /* The largest number; NaN is passed over. -INFINITY without numbers. */
    float (*largest)(const float *in, size_t count);
    /* out = e^(in - most); returns the sum. out may be in. */
    float (*exp_sum)(float *out, const float *in, float most, size_t count);
    /* The sum of e^(in - most). */
    float (*sum_of_exp)(const float *in, float most, size_t count);
    float (*dot)(const float *a, const float *b, size_t count);
    float (*sum)(const float *in, size_t count);
    /* out = in * factor + addend; out may be in. */
    void (*scale)(float *out, const float *in, float factor, float addend, size_t count);
    /* dx = y * (dy - sum) of a softmax, and dx = dy - e^y * sum of its logarithm. */
    void (*softmax_gradient)(float *dx, const float *y, const float *dy, float sum, size_t count);
    void (*log_softmax_gradient)(float *dx, const float *y, const float *dy, float sum,
                                 size_t count);

    /* Softmax, or its logarithm, along columns: rows of `count` numbers lie `pitch` apart. `fast`
     * does not subtract the largest number. At most DNN_COLUMNS_MOST columns. */
    void (*softmax_columns)(float *out, const float *in, size_t rows, int64_t pitch, size_t count,
                            bool log, bool fast);

    struct dnn_pool_loops pool;
    struct dnn_norm_loops norm;
};

enum { DNN_COLUMNS_MOST = 256 };

/* The loops for this processor. */
const struct dnn_kernels *dnn_kernels(void);

extern const struct dnn_kernels dnn_kernels_baseline, dnn_kernels_avx2, dnn_kernels_avx512;

#endif
