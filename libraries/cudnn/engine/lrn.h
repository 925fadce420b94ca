/* SPDX-License-Identifier: MIT */
/* Normalisation by the neighbours of an element: across channels, or in a plane. */
#ifndef DNN_ENGINE_LRN_H
#define DNN_ENGINE_LRN_H

#include "engine.h"

/* y = x / (k + alpha / n * sum of squares of n channels around)^beta */
struct dnn_lrn {
    bool backward;
    int64_t n;
    double alpha, beta, k;
    struct dnn_tensor x, y, dy, dx;
    struct dnn_blend blend;
};
CUresult dnn_lrn_run(const struct dnn_lrn *op);

/* Divisive normalisation: y = x / (k + alpha / n^spatial * sum of (x - mean)^2)^beta, the sum over
 * n elements around in each spatial dimension, the mean that of the middle. */
struct dnn_divisive {
    bool backward;
    int spatial; /* dimensions behind the second; at most 3 */
    int64_t n;
    double alpha, beta, k;
    struct dnn_tensor x, means, y, dy, dx, dmeans; /* means and dmeans may be absent */
    struct dnn_blend blend;
};
CUresult dnn_divisive_run(const struct dnn_divisive *op);

#endif
