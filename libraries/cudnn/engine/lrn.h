/* SPDX-License-Identifier: MIT */
/* Normalisation by the neighbours of an element, across channels. */
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

#endif
