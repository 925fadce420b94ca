/* SPDX-License-Identifier: MIT */
/* The work of one normalisation. norm.c runs any; norm_dense.c those whose tensors lie without gaps
 * in one order, where they lie. */
#ifndef DNN_ENGINE_NORM_H
#define DNN_ENGINE_NORM_H

#include "fold.h"
#include "norm_loops.h"

struct dnn_norm_work {
    const struct dnn_norm *op;
    struct dnn_fold fold; /* its dimensions in the order of x's memory */
    bool wide;
    struct dnn_tensor x, y, z, dy, dx, dz;                       /* in the fold's order */
    struct dnn_array in, out, added, gradient, masked, weighted; /* [outer][inner]; not if dense */
    struct dnn_array mean, inverse, variance;                    /* [outer], f64 */
    struct dnn_factor scale, bias;
    /* Dense: memory is [blocks][outer][run], with blocks * run = fold.inner. */
    bool dense;
    enum dnn_norm_kind kind;
    int64_t blocks, run;
};

/* Whether the operation is dense; fills in what such a one needs. */
bool dnn_norm_dense_fits(struct dnn_norm_work *work);

/* Writes y, and the statistics into their arrays; or dx, dz, dscale and dbias. */
CUresult dnn_norm_dense_forward(struct dnn_norm_work *work);
CUresult dnn_norm_dense_backward(struct dnn_norm_work *work);

/* The statistics that the program gives: the inverse from the variance where need be. */
bool dnn_norm_has_stats(const struct dnn_norm *op);
void dnn_norm_complete_stats(struct dnn_norm_work *work, int64_t row);

#endif
